//! Generators by name, with numbers as parameters: what scene files and the command line use.

use glam::DVec3;

use super::bodies::{bent_solid, sphere_solid};
use super::bowl::bowl_of;
use super::grid::{box_of, cloth_of};
use super::octopus::{LEAST, octopus_solid};
use super::rod::{curve_length, rod_of};
use super::solids::fill_with;
use super::squishy_ball::squishy_ball_of;
use super::{GenerateError, Kind, LENGTHS, MOST, Parameter, fits, positive};
use super::{
    beam, bent_body, bowl, box_mesh, cloth_grid, coil, helix, line, nested_knots, noodle, octopus, overhand,
    rod_along_curve, sphere, squishy_ball, trefoil,
};
use crate::{TetMesh, TriMesh};

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
    /// Which of them were set.
    given: Vec<bool>,
}

impl Generator {
    /// The generator with every parameter at its default.
    pub fn new(kind: Kind) -> Self {
        let parameters = kind.parameters();
        let values = parameters.iter().map(|p| p.default).collect();
        Generator { kind, values, given: vec![false; parameters.len()] }
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
        self.given[i] = true;
        Ok(())
    }

    /// Each parameter with its value.
    pub fn parameters(&self) -> impl Iterator<Item = (&'static Parameter, f64)> + '_ {
        self.kind.parameters().iter().zip(self.values.iter().copied())
    }

    /// Makes the mesh.
    pub fn build(&self) -> Result<Generated, GenerateError> {
        for (p, value) in self.parameters().filter(|(p, _)| p.whole) {
            if value >= MOST {
                return Err(GenerateError::Parameter {
                    name: p.name,
                    value,
                    rule: "below 536870912, no more are possible",
                });
            }
            fits(p.name, value)?;
        }
        self.check_curve()?;
        // In the order of `Kind::parameters`; counts are whole and fit. `vertices` is the last.
        let v = &self.values[..];
        let n = |i: usize| v[i] as u32;
        let vertices = n(v.len() - 1);
        if vertices > 0 {
            let fine = self.kind.fineness();
            let twice =
                |(p, given): (&Parameter, &bool)| (*given && fine.contains(&p.name)).then_some(p.name);
            if let Some(name) = self.kind.parameters().iter().zip(&self.given).find_map(twice) {
                return Err(GenerateError::TwiceFine { name });
            }
            return self.sized(vertices);
        }
        let mesh = match self.kind {
            Kind::Box => box_mesh(DVec3::from_slice(v), [n(3), n(4), n(5)])?,
            Kind::Beam => beam(DVec3::from_slice(v), n(3))?,
            Kind::ThinBeam => beam(DVec3::new(v[0], v[2], v[1]), n(3))?,
            Kind::Rod => self.rod(line(v[0]), 1, 0)?,
            Kind::Helix => self.rod(helix(v[0], v[1], v[2]), 3, 0)?,
            Kind::Coil => self.rod(coil(v[0], v[1], v[2], v[3]), 4, 0)?,
            Kind::Trefoil => self.rod(trefoil(v[0], v[1]), 2, 0)?,
            Kind::Noodle => self.rod(self.noodle()?, 4, 0)?,
            Kind::Knot => self.rod(overhand(v[0], v[2], v[1])?, 2, 0)?,
            Kind::NestedKnots => self.rod(nested_knots(n(0), n(1), v[3], v[2])?, 3, 0)?,
            Kind::Sphere => sphere(v[0], n(1))?,
            Kind::SquishyBall => squishy_ball(v[0], n(1), n(2))?,
            Kind::Bowl => bowl(v[0], v[1], v[2], n(3))?,
            Kind::BentBody => bent_body(v[0], v[1], v[2], n(3))?,
            Kind::Octopus => octopus(v[0], n(1))?,
            Kind::Cloth => return Ok(Generated::Triangles(cloth_grid(v[0], v[1], n(2), n(3))?)),
        };
        Ok(Generated::Tets(mesh))
    }

    /// The mesh with about `vertices` vertices.
    fn sized(&self, vertices: u32) -> Result<Generated, GenerateError> {
        let v = &self.values[..];
        let n = |i: usize| v[i] as u32;
        let mesh = match self.kind {
            Kind::Box | Kind::Beam => box_of(DVec3::from_slice(v), vertices)?,
            Kind::ThinBeam => box_of(DVec3::new(v[0], v[2], v[1]), vertices)?,
            Kind::Rod => self.rod(line(v[0]), 1, vertices)?,
            Kind::Helix => self.rod(helix(v[0], v[1], v[2]), 3, vertices)?,
            Kind::Coil => self.rod(coil(v[0], v[1], v[2], v[3]), 4, vertices)?,
            Kind::Trefoil => self.rod(trefoil(v[0], v[1]), 2, vertices)?,
            Kind::Noodle => self.rod(self.noodle()?, 4, vertices)?,
            Kind::Knot => self.rod(overhand(v[0], v[2], v[1])?, 2, vertices)?,
            Kind::NestedKnots => self.rod(nested_knots(n(0), n(1), v[3], v[2])?, 3, vertices)?,
            Kind::Sphere => fill_with(vertices, v[0] * 2.0 / 3.0, |_| sphere_solid(v[0]))?,
            Kind::SquishyBall => squishy_ball_of(v[0], self.given[1].then_some(n(1)), vertices)?,
            Kind::Bowl => bowl_of(v[0], v[1], v[2], vertices)?,
            Kind::BentBody => fill_with(vertices, v[1] / 3.0, |_| bent_solid(v[0], v[1], v[2]))?,
            Kind::Octopus => fill_with(vertices, v[0] / f64::from(LEAST), |h| octopus_solid(v[0], h))?,
            Kind::Cloth => return Ok(Generated::Triangles(cloth_of(v[0], v[1], vertices)?)),
        };
        Ok(Generated::Tets(mesh))
    }

    /// Of the curves that take any numbers, those that make no curve.
    fn check_curve(&self) -> Result<(), GenerateError> {
        let v = &self.values[..];
        match self.kind {
            Kind::Rod => positive("length", v[0]).map(drop),
            Kind::Helix | Kind::Coil => {
                self.parameters().take(if self.kind == Kind::Coil { 4 } else { 3 }).try_for_each(finite)?;
                nonzero("turns", v[2])
            }
            Kind::Trefoil => {
                self.parameters().take(2).try_for_each(finite)?;
                nonzero("size", v[0])
            }
            _ => Ok(()),
        }
    }

    fn noodle(&self) -> Result<impl Fn(f64) -> DVec3 + Copy + use<>, GenerateError> {
        let v = &self.values[..];
        noodle(v[0], v[4], v[1], v[2] as u32, v[3])
    }

    /// A rod along `curve`; its radius, rings and segments (0: as long as the rings are apart) are the
    /// parameters from `first` on. With about `vertices` vertices, if not 0.
    fn rod(
        &self,
        curve: impl Fn(f64) -> DVec3,
        first: usize,
        vertices: u32,
    ) -> Result<TetMesh, GenerateError> {
        let (radius, rings) = (positive("radius", self.values[first])?, self.values[first + 1]);
        if vertices > 0 {
            return rod_of(curve, radius, self.given[first + 1].then_some(rings as u32), vertices);
        }
        let mut segments = self.values[first + 2];
        if segments == 0.0 {
            segments = (curve_length(&curve) * rings / radius).round().max(1.0);
            fits("segments", segments)?;
        }
        rod_along_curve(curve, radius, rings as u32, segments as u32)
    }
}

fn finite((p, value): (&'static Parameter, f64)) -> Result<(), GenerateError> {
    match value.abs() < LENGTHS.end {
        true => Ok(()),
        false => {
            Err(GenerateError::Parameter { name: p.name, value, rule: "a number between -1e30 and 1e30" })
        }
    }
}

fn nonzero(name: &'static str, value: f64) -> Result<(), GenerateError> {
    let rule = match value.abs() {
        0.0 => "other than 0",
        a if a < LENGTHS.start => "at least 1e-30 in size",
        _ => return Ok(()),
    };
    Err(GenerateError::Parameter { name, value, rule })
}
