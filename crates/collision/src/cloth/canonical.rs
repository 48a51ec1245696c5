//! The seven ways in which cloth crosses itself, each as a small pose: inputs of tests and of tables.
//!
//! | contour | pose |
//! |---|---|
//! | BBII | a narrow strip stands in the middle of a sheet |
//! | BIBI | two sheets reach into each other from the side |
//! | BLI | a sheet is creased from a vertex to its border and runs through itself along the crease |
//! | LL | the same between two vertices inside |
//! | closed | a bump of one sheet pokes through another |
//! | cross | a ribbon that crosses itself stands in a sheet: its trace is an α |
//! | figure eight | a tube of such a section: its trace is an 8 |

use glam::Vec3;

use super::contour::Kind;

/// A pose of cloth that crosses itself in one way.
#[derive(Clone, Debug)]
pub struct Canonical {
    /// The way.
    pub kind: Kind,
    /// Positions at rest, metres; a tube has none that is free of stress.
    pub rest: Vec<Vec3>,
    /// Positions of the pose, metres.
    pub pose: Vec<Vec3>,
    /// Triangles.
    pub triangles: Vec<[u32; 3]>,
}

/// Length of an edge of the grids, metres.
const EDGE: f32 = 0.1;

/// The seven poses.
pub fn canonical() -> Vec<Canonical> {
    let flat = || Sheet::grid(12, 12, |x, y| Vec3::new(x, y, 0.0));
    let upright = |n: u32, shift: f32| {
        Sheet::grid(n, 12, move |x, y| Vec3::new(x + shift + 0.11 * y, 0.013 + 0.07 * x, y + 0.017))
    };
    let bump = Sheet::grid(12, 12, |x, y| {
        let height = 0.21 * (-(x * x + y * y) / 0.05).exp();
        Vec3::new(0.9 * x + 0.021, 0.9 * y + 0.2 * x + 0.011, height - 0.063)
    });
    let (alpha, eight) = (section(24, false), section(28, true));
    vec![
        two(Kind::Bbii, flat(), upright(6, 0.0)),
        two(Kind::Bibi, flat(), upright(12, 0.53)),
        one(Kind::Bli, creased(|x| 0.35 * (x + 0.12))),
        one(Kind::Ll, creased(|x| 0.13 - 1.1 * x * x)),
        two(Kind::Closed, flat(), bump),
        two(Kind::Cross, flat(), Sheet::ribbon(&alpha, 4, false)),
        two(Kind::FigureEight, flat(), Sheet::ribbon(&eight, 4, true)),
    ]
}

fn one(kind: Kind, sheet: Sheet) -> Canonical {
    Canonical { kind, rest: sheet.rest, pose: sheet.pose, triangles: sheet.triangles }
}

fn two(kind: Kind, a: Sheet, b: Sheet) -> Canonical {
    let shift = a.rest.len() as u32;
    let second = b.triangles.iter().map(|t| t.map(|v| v + shift));
    Canonical {
        kind,
        rest: [a.rest, b.rest].concat(),
        pose: [a.pose, b.pose].concat(),
        triangles: a.triangles.into_iter().chain(second).collect(),
    }
}

/// A sheet whose section at `x` is a cubic, with a loop where `loops(x)` is positive and a cusp where it is zero.
fn creased(loops: impl Fn(f32) -> f32) -> Sheet {
    Sheet::grid(12, 16, move |x, u| Vec3::new(x + 0.13 * u, 1.8 * u * (u * u - loops(x)), u * u + 0.05 * x))
}

/// A nodal cubic, or a lemniscate: points of a section that crosses itself, in the plane.
fn section(n: u32, closed: bool) -> Vec<Vec3> {
    let points = if closed { n } else { n + 1 };
    (0..points)
        .map(|i| {
            if closed {
                let a = std::f32::consts::TAU * (i as f32 + 0.37) / n as f32;
                Vec3::new(0.45 * a.sin() + 0.013, 0.9 * a.sin() * a.cos() * 0.6 + 0.017, 0.0)
            } else {
                let t = 2.0 * (i as f32 + 0.1) / n as f32 - 1.0;
                Vec3::new(0.8 * t * t - 0.4, 1.3 * t * (t * t - 0.55), 0.0)
            }
        })
        .collect()
}

struct Sheet {
    rest: Vec<Vec3>,
    pose: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl Sheet {
    /// `n` × `m` quads round the origin.
    fn grid(n: u32, m: u32, pose: impl Fn(f32, f32) -> Vec3) -> Self {
        let at = |i: u32, n: u32| EDGE * (i as f32 - 0.5 * n as f32);
        let points = || (0..=m).flat_map(move |j| (0..=n).map(move |i| (at(i, n), at(j, m))));
        Sheet {
            rest: points().map(|(x, y)| Vec3::new(x, y, 0.0)).collect(),
            pose: points().map(|(x, y)| pose(x, y)).collect(),
            triangles: triangles(n, m, n + 1, false),
        }
    }

    /// A section in the plane z = 0 drawn out to `m` quads along z. Its rest pose is the ribbon laid flat; a closed one rests
    /// as it is.
    fn ribbon(section: &[Vec3], m: u32, closed: bool) -> Self {
        let n = section.len() as u32;
        let mut along = vec![0.0];
        for w in section.windows(2) {
            along.push(along[along.len() - 1] + w[0].distance(w[1]));
        }
        let at = |j: u32| EDGE * (j as f32 - 0.5 * m as f32);
        let rows = || (0..=m).flat_map(move |j| (0..n).map(move |i| (i as usize, j)));
        let lean = |j: u32| Vec3::new(0.07 * at(j), 0.05 * at(j), at(j) + 0.023);
        let pose: Vec<Vec3> = rows().map(|(i, j)| section[i] + lean(j)).collect();
        let rest = match closed {
            true => pose.clone(),
            false => rows().map(|(i, j)| Vec3::new(along[i], at(j), 0.0)).collect(),
        };
        Sheet { rest, pose, triangles: triangles(if closed { n } else { n - 1 }, m, n, closed) }
    }
}

/// Triangles of `n` × `m` quads, split in alternating directions; with `wrap` the last column is beside the first.
fn triangles(n: u32, m: u32, columns: u32, wrap: bool) -> Vec<[u32; 3]> {
    let mut triangles = Vec::with_capacity(2 * (n * m) as usize);
    for j in 0..m {
        for i in 0..n {
            let next = if wrap { (i + 1) % columns } else { i + 1 };
            let (a, b) = (i + columns * j, next + columns * j);
            let (c, d) = (b + columns, a + columns);
            triangles.extend(match (i + j) % 2 {
                0 => [[a, b, c], [a, c, d]],
                _ => [[a, b, d], [b, c, d]],
            });
        }
    }
    triangles
}
