//! The kinds of generated meshes, by name, with their parameters.

use super::GenerateError;

/// A kind of generated mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// [`box_mesh`](super::box_mesh).
    Box,
    /// [`beam`](super::beam).
    Beam,
    /// A straight rod.
    Rod,
    /// A rod along a [`helix`](super::helix).
    Helix,
    /// A rod along a [`coil`](super::coil): it passes through itself.
    Coil,
    /// A rod along an open [`trefoil`](super::trefoil) knot.
    Trefoil,
    /// A rod along a [`noodle`](super::noodle).
    Noodle,
    /// A rod with an [`overhand`](super::overhand) knot.
    Knot,
    /// A rod along [`nested_knots`](super::nested_knots).
    NestedKnots,
    /// A wide thin [`beam`](super::beam).
    ThinBeam,
    /// [`sphere`](super::sphere).
    Sphere,
    /// [`squishy_ball`](super::squishy_ball).
    SquishyBall,
    /// [`bowl`](super::bowl).
    Bowl,
    /// [`bent_body`](super::bent_body).
    BentBody,
    /// [`octopus`](super::octopus).
    Octopus,
    /// [`cloth_grid`](super::cloth_grid).
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

/// What every kind has, last.
const VERTICES: Parameter = count(
    "vertices",
    0.0,
    "about how many, within 5 %, instead of the parameters that say how fine; 0: not used",
);
const ROD_RADIUS: Parameter = length("radius", 0.02, "of the rod, metres");
const ROD_RINGS: Parameter = count("rings", 2.0, "of vertices round the axis");
const ROD_SEGMENTS: Parameter = count("segments", 0.0, "along the rod; 0 for as long as the rings are apart");

impl Kind {
    /// All kinds, in the order in which they are listed to people.
    pub const ALL: [Kind; 16] = [
        Kind::Box,
        Kind::Beam,
        Kind::Rod,
        Kind::Helix,
        Kind::Coil,
        Kind::Trefoil,
        Kind::Noodle,
        Kind::Knot,
        Kind::NestedKnots,
        Kind::ThinBeam,
        Kind::Sphere,
        Kind::SquishyBall,
        Kind::Bowl,
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
            Kind::Noodle => "noodle",
            Kind::Knot => "knot",
            Kind::NestedKnots => "nested_knots",
            Kind::ThinBeam => "thin_beam",
            Kind::Sphere => "sphere",
            Kind::SquishyBall => "squishy_ball",
            Kind::Bowl => "bowl",
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
            Kind::Noodle => "a long round rod laid in nested coils that do not touch",
            Kind::Knot => "a round rod with a loose overhand knot",
            Kind::NestedKnots => "a rod with knots that is itself knotted, and so on",
            Kind::ThinBeam => "a wide thin block with nearly cubic cells",
            Kind::Sphere => "a ball",
            Kind::SquishyBall => "a ball with long thin strands all around",
            Kind::Bowl => "a thick-walled bowl, open on top",
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
                        VERTICES,
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
                        VERTICES,
                    ]
                }
            }
            Kind::ThinBeam => {
                const {
                    &[
                        length("length", 4.0, "along x, metres"),
                        length("width", 0.5, "along z, metres"),
                        length("thickness", 0.05, "along y, metres"),
                        count("across", 2.0, "cells over the thickness"),
                        VERTICES,
                    ]
                }
            }
            Kind::Noodle => {
                const {
                    &[
                        length("length", 10.0, "of the rod, metres"),
                        length("coil_radius", 0.15, "of the outermost coil, metres"),
                        count("turns", 5.0, "of each coil, on top of each other"),
                        length("gap", 0.7, "free between neighbouring turns, in diameters of the rod"),
                        length("radius", 0.01, "of the rod, metres"),
                        ROD_RINGS,
                        ROD_SEGMENTS,
                        VERTICES,
                    ]
                }
            }
            Kind::Knot => {
                const {
                    &[
                        length("length", 3.0, "of the rod, metres"),
                        length("loose", 2.0, "size of the knot, in the size at which the rod touches itself"),
                        ROD_RADIUS,
                        ROD_RINGS,
                        ROD_SEGMENTS,
                        VERTICES,
                    ]
                }
            }
            Kind::NestedKnots => {
                const {
                    &[
                        count("levels", 2.0, "1 is a knot, 2 a knot of a rod with knots, and so on"),
                        count("knots", 3.0, "on the rod of which the next level's knot is tied"),
                        length("loose", 1.5, "size of each knot, in the size at which it touches itself"),
                        ROD_RADIUS,
                        ROD_RINGS,
                        ROD_SEGMENTS,
                        VERTICES,
                    ]
                }
            }
            Kind::Bowl => {
                const {
                    &[
                        length("radius", 0.4, "of the outside, metres"),
                        length("thickness", 0.04, "of the wall, metres"),
                        length("opening", 85.0, "angle from the bottom to the rim, degrees"),
                        count("resolution", 14.0, "edges from the bottom to the rim"),
                        VERTICES,
                    ]
                }
            }
            Kind::Rod => {
                const {
                    &[
                        length("length", 3.0, "of the rod, metres"),
                        ROD_RADIUS,
                        ROD_RINGS,
                        ROD_SEGMENTS,
                        VERTICES,
                    ]
                }
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
                        VERTICES,
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
                        VERTICES,
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
                        VERTICES,
                    ]
                }
            }
            Kind::Sphere => {
                const {
                    &[
                        length("radius", 0.5, "metres"),
                        count("resolution", 16.0, "edges along the diameter"),
                        VERTICES,
                    ]
                }
            }
            Kind::SquishyBall => {
                const {
                    &[
                        length("radius", 0.5, "of the whole, metres"),
                        count(
                            "strands",
                            162.0,
                            "how many: the nearest of 12, 42, 92, 162, 252, … (10 n² + 2)",
                        ),
                        count("resolution", 60.0, "edges along the diameter"),
                        VERTICES,
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
                        VERTICES,
                    ]
                }
            }
            Kind::Octopus => {
                const {
                    &[
                        length("size", 1.0, "width, metres"),
                        count("resolution", 50.0, "edges along the width"),
                        VERTICES,
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
                        VERTICES,
                    ]
                }
            }
        }
    }

    /// The parameters that say how fine the mesh is, in whose place `vertices` can stand.
    pub(super) fn fineness(self) -> &'static [&'static str] {
        match self {
            Kind::Box => &["nx", "ny", "nz"],
            Kind::Cloth => &["nx", "ny"],
            Kind::Beam | Kind::ThinBeam => &["across"],
            // A number of rings and of vertices together give the number of segments.
            Kind::Rod | Kind::Helix | Kind::Coil | Kind::Trefoil => &["segments"],
            Kind::Noodle | Kind::Knot | Kind::NestedKnots => &["segments"],
            Kind::Sphere | Kind::SquishyBall | Kind::Bowl | Kind::BentBody | Kind::Octopus => &["resolution"],
        }
    }
}
