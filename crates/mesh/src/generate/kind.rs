//! Generators by name, with numbers as parameters: what scene files and the command line use.

use glam::DVec3;

use super::{GenerateError, fits};
use super::{
    beam, bent_body, box_mesh, cloth_grid, coil, helix, line, octopus, rod_along_curve, sphere, squishy_ball,
    trefoil,
};
use crate::{TetMesh, TriMesh};

/// A kind of generated mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// [`box_mesh`].
    Box,
    /// [`beam`].
    Beam,
    /// A straight rod.
    Rod,
    /// A rod along a [`helix`].
    Helix,
    /// A rod along a [`coil`]: it passes through itself.
    Coil,
    /// A rod along an open [`trefoil`] knot.
    Trefoil,
    /// [`sphere`].
    Sphere,
    /// [`squishy_ball`].
    SquishyBall,
    /// [`bent_body`].
    BentBody,
    /// [`octopus`].
    Octopus,
    /// [`cloth_grid`].
    Cloth,
}

/// A parameter of a generator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Its name, in snake case.
    pub name: &'static str,
    /// Its value unless set.
    pub default: f64,
    /// What it means, with its unit.
    pub about: &'static str,
    /// Whether only whole numbers are meant.
    pub whole: bool,
}

const fn length(name: &'static str, default: f64, about: &'static str) -> Parameter {
    Parameter { name, default, about, whole: false }
}

const fn count(name: &'static str, default: f64, about: &'static str) -> Parameter {
    Parameter { name, default, about, whole: true }
}

const ROD_RADIUS: Parameter = length("radius", 0.02, "of the rod, metres");
const ROD_RINGS: Parameter = count("rings", 2.0, "of vertices round the axis");
const ROD_SEGMENTS: Parameter = count("segments", 0.0, "along the rod; 0 for as long as the rings are apart");

impl Kind {
    /// All kinds, in the order in which they are listed to people.
    pub const ALL: [Kind; 11] = [
        Kind::Box,
        Kind::Beam,
        Kind::Rod,
        Kind::Helix,
        Kind::Coil,
        Kind::Trefoil,
        Kind::Sphere,
        Kind::SquishyBall,
        Kind::BentBody,
        Kind::Octopus,
        Kind::Cloth,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Box => "box",
            Kind::Beam => "beam",
            Kind::Rod => "rod",
            Kind::Helix => "helix",
            Kind::Coil => "coil",
            Kind::Trefoil => "trefoil",
            Kind::Sphere => "sphere",
            Kind::SquishyBall => "squishy_ball",
            Kind::BentBody => "bent_body",
            Kind::Octopus => "octopus",
            Kind::Cloth => "cloth",
        }
    }

    /// What it makes, in one line.
    pub fn about(self) -> &'static str {
        match self {
            Kind::Box => "a block of cells with five tetrahedra each",
            Kind::Beam => "a block with nearly cubic cells, given how many fit across its smallest side",
            Kind::Rod => "a straight round rod along x",
            Kind::Helix => "a round rod along a helix round y",
            Kind::Coil => "a round rod along a helix of swinging radius that passes through itself",
            Kind::Trefoil => "a round rod tied to an open trefoil knot",
            Kind::Sphere => "a ball",
            Kind::SquishyBall => "a ball with soft strands all around",
            Kind::BentBody => "a round bar bent to an upright ring, open on top",
            Kind::Octopus => "a body with eight curled arms",
            Kind::Cloth => "a flat sheet of triangles in the xy plane",
        }
    }

    /// The kind of this name; dashes may stand for underscores.
    pub fn from_name(name: &str) -> Result<Self, GenerateError> {
        let wanted = name.replace('-', "_");
        Kind::ALL.into_iter().find(|k| k.name() == wanted).ok_or_else(|| GenerateError::UnknownKind {
            name: name.to_string(),
            known: Kind::ALL.map(Kind::name).join(", "),
        })
    }

    /// Whether it makes cloth; else it makes a volume.
    pub fn is_cloth(self) -> bool {
        self == Kind::Cloth
    }

    /// Its parameters.
    pub fn parameters(self) -> &'static [Parameter] {
        match self {
            Kind::Box => {
                const {
                    &[
                        length("x", 1.0, "size along x, metres"),
                        length("y", 1.0, "size along y, metres"),
                        length("z", 1.0, "size along z, metres"),
                        count("nx", 8.0, "cells along x"),
                        count("ny", 8.0, "cells along y"),
                        count("nz", 8.0, "cells along z"),
                    ]
                }
            }
            Kind::Beam => {
                const {
                    &[
                        length("x", 2.0, "size along x, metres"),
                        length("y", 0.2, "size along y, metres"),
                        length("z", 0.2, "size along z, metres"),
                        count("across", 4.0, "cells across the smallest side"),
                    ]
                }
            }
            Kind::Rod => {
                const { &[length("length", 3.0, "of the rod, metres"), ROD_RADIUS, ROD_RINGS, ROD_SEGMENTS] }
            }
            Kind::Helix => {
                const {
                    &[
                        length("helix_radius", 0.25, "of the axis, metres"),
                        length("pitch", 0.1, "rise a turn, metres"),
                        length("turns", 2.0, "number of turns"),
                        ROD_RADIUS,
                        ROD_RINGS,
                        ROD_SEGMENTS,
                    ]
                }
            }
            Kind::Coil => {
                const {
                    &[
                        length("helix_radius", 0.25, "mean radius of the axis, metres"),
                        length("pitch", 0.01, "rise a turn, metres"),
                        length("turns", 2.0, "number of turns"),
                        length("swing", 0.2, "of the radius, as a part of it"),
                        ROD_RADIUS,
                        ROD_RINGS,
                        ROD_SEGMENTS,
                    ]
                }
            }
            Kind::Trefoil => {
                const {
                    &[
                        length("size", 0.15, "a third of the knot's outer radius, metres"),
                        length("gap", 0.05, "between the ends, as a part of the length"),
                        ROD_RADIUS,
                        ROD_RINGS,
                        ROD_SEGMENTS,
                    ]
                }
            }
            Kind::Sphere => {
                const { &[length("radius", 0.5, "metres"), count("resolution", 16.0, "edges along the diameter")] }
            }
            Kind::SquishyBall => {
                const {
                    &[
                        length("radius", 0.5, "of the whole, metres"),
                        count("strands", 80.0, "number of strands"),
                        count("resolution", 60.0, "edges along the diameter"),
                    ]
                }
            }
            Kind::BentBody => {
                const {
                    &[
                        length("radius", 0.4, "of the axis, metres"),
                        length("thickness", 0.25, "of the bar, metres"),
                        length("gap", 60.0, "opening, degrees"),
                        count("resolution", 6.0, "edges across the thickness"),
                    ]
                }
            }
            Kind::Octopus => {
                const {
                    &[
                        length("size", 1.0, "width, metres"),
                        count("resolution", 50.0, "edges along the width"),
                    ]
                }
            }
            Kind::Cloth => {
                const {
                    &[
                        length("width", 1.0, "along x, metres"),
                        length("height", 1.0, "along y, metres"),
                        count("nx", 40.0, "quads along x"),
                        count("ny", 40.0, "quads along y"),
                    ]
                }
            }
        }
    }
}

/// What a generator makes.
#[derive(Clone, Debug, PartialEq)]
pub enum Generated {
    /// A volume.
    Tets(TetMesh),
    /// A cloth.
    Triangles(TriMesh),
}

/// A kind of mesh with values for its parameters.
///
/// ```
/// use gordian_mesh::generate::{Generated, Generator, Kind};
///
/// let mut generator = Generator::new(Kind::from_name("box")?);
/// generator.set("nx", 2.0)?;
/// generator.set("ny", 2.0)?;
/// generator.set("nz", 2.0)?;
/// let Generated::Tets(mesh) = generator.build()? else { unreachable!() };
/// assert_eq!((mesh.positions.len(), mesh.tets.len()), (27, 40));
/// # Ok::<(), gordian_mesh::generate::GenerateError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Generator {
    kind: Kind,
    /// One for each of the kind's parameters.
    values: Vec<f64>,
}

impl Generator {
    /// The generator with every parameter at its default.
    pub fn new(kind: Kind) -> Self {
        Generator { kind, values: kind.parameters().iter().map(|p| p.default).collect() }
    }

    /// Its kind.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Sets one parameter. Errors: `UnknownParameter`; a value out of range is found by [`Generator::build`],
    /// a broken number for a count here.
    pub fn set(&mut self, name: &str, value: f64) -> Result<(), GenerateError> {
        let parameters = self.kind.parameters();
        let Some(i) = parameters.iter().position(|p| p.name == name) else {
            return Err(GenerateError::UnknownParameter {
                kind: self.kind.name(),
                name: name.to_string(),
                known: parameters.iter().map(|p| p.name).collect::<Vec<_>>().join(", "),
            });
        };
        if parameters[i].whole && !(value >= 0.0 && value.fract() == 0.0) {
            return Err(GenerateError::Parameter {
                name: parameters[i].name,
                value,
                rule: "a whole number, 0 or more",
            });
        }
        self.values[i] = value;
        Ok(())
    }

    /// Each parameter with its value.
    pub fn parameters(&self) -> impl Iterator<Item = (&'static Parameter, f64)> + '_ {
        self.kind.parameters().iter().zip(self.values.iter().copied())
    }

    /// Makes the mesh.
    pub fn build(&self) -> Result<Generated, GenerateError> {
        for (p, value) in self.parameters() {
            if p.whole {
                fits(p.name, value)?;
            }
        }
        // In the order of `Kind::parameters`; counts are whole and fit.
        let v = &self.values[..];
        let n = |i: usize| v[i] as u32;
        let mesh = match self.kind {
            Kind::Box => box_mesh(DVec3::from_slice(v), [n(3), n(4), n(5)])?,
            Kind::Beam => beam(DVec3::from_slice(v), n(3))?,
            Kind::Rod => rod(line(v[0]), &v[1..])?,
            Kind::Helix => rod(helix(v[0], v[1], v[2]), &v[3..])?,
            Kind::Coil => rod(coil(v[0], v[1], v[2], v[3]), &v[4..])?,
            Kind::Trefoil => rod(trefoil(v[0], v[1]), &v[2..])?,
            Kind::Sphere => sphere(v[0], n(1))?,
            Kind::SquishyBall => squishy_ball(v[0], n(1), n(2))?,
            Kind::BentBody => bent_body(v[0], v[1], v[2], n(3))?,
            Kind::Octopus => octopus(v[0], n(1))?,
            Kind::Cloth => return Ok(Generated::Triangles(cloth_grid(v[0], v[1], n(2), n(3))?)),
        };
        Ok(Generated::Tets(mesh))
    }
}

/// A rod along `curve` with the values of its radius, rings and segments (0: as long as the rings are apart).
fn rod(curve: impl Fn(f64) -> DVec3, values: &[f64]) -> Result<TetMesh, GenerateError> {
    let (radius, rings) = (values[0], values[1]);
    let mut segments = values[2];
    if segments == 0.0 && radius > 0.0 {
        const SAMPLES: u32 = 4096;
        let point = |i: u32| curve(f64::from(i) / f64::from(SAMPLES));
        let length: f64 = (0..SAMPLES).map(|i| (point(i + 1) - point(i)).length()).sum();
        segments = (length * rings / radius).round().max(1.0);
        fits("segments", segments)?;
    }
    rod_along_curve(curve, radius, rings as u32, segments as u32)
}
