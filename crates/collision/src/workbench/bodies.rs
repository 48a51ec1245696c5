//! Meshes and poses that intersect themselves.

use glam::{DVec3, Vec3};
use gordian_mesh::generate::box_mesh;
use gordian_mesh::{TetMesh, TetTopology};

use crate::{DcdOptions, Detector, PathAnswer, PathMethod, PathOptions, Penetration, PointSet, QueryMode};

/// A mesh with a rest pose and another one.
#[derive(Clone, Debug)]
pub struct Body {
    /// Tetrahedra, positive at rest.
    pub tets: Vec<[u32; 4]>,
    /// Positions at rest.
    pub rest: Vec<Vec3>,
    /// Positions in the pose that is asked about.
    pub pose: Vec<Vec3>,
}

impl Body {
    /// The mesh.
    pub fn topology(&self) -> TetTopology {
        TetTopology::new(self.rest.len(), &self.tets)
    }

    /// A detector that was refit to the pose.
    pub fn detector(&self) -> Detector {
        let mut detector = Detector::new(&self.topology(), &self.rest);
        detector.refit(&self.pose);
        detector
    }

    /// Penetrations of `points` and their geodesic answers.
    pub fn answers(&self, points: PointSet, options: &PathOptions) -> (Vec<Penetration>, Vec<PathAnswer>) {
        let detector = self.detector();
        let (mut found, mut answers) = (Vec::new(), Vec::new());
        detector.penetrations(points, DcdOptions::default(), &mut found);
        detector.boundary_points(&found, options, &mut answers);
        (found, answers)
    }
}

/// Every way to search a geodesic path.
pub fn every_option() -> [PathOptions; 4] {
    let option = |method, culling| PathOptions { mode: QueryMode::Geodesic, method, culling };
    [
        option(PathMethod::Auto, true),
        option(PathMethod::Flood, true),
        option(PathMethod::Traversal, true),
        option(PathMethod::Traversal, false),
    ]
}

/// How a straight bar is wound up.
#[derive(Clone, Copy, Debug)]
pub struct Coil {
    /// Along, radially and axially.
    pub cells: [u32; 3],
    /// Radius of its middle line, in widths of the bar.
    pub radius: f64,
    /// How often it goes round.
    pub turns: f64,
    /// Distance of one turn from the next, in heights of the bar: below 1 they overlap.
    pub pitch: f64,
    /// Random displacement, in cells.
    pub jitter: f64,
    /// Of the random displacement.
    pub seed: u64,
}

/// A bar wound into a coil whose turns overlap; all coordinates are multiples of 2⁻¹².
pub fn coil(c: Coil) -> Body {
    let [n, width, height] = c.cells.map(f64::from);
    let TetMesh { positions, tets } = box_mesh(DVec3::new(n, width, height), c.cells).unwrap();
    // Xorshift; its state must not be zero.
    let mut state = c.seed | 1;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    let wind = |p: DVec3| {
        let angle = (p.x / n + 0.5) * c.turns * std::f64::consts::TAU;
        // Minus: angle, radius and height in this order would be a mirror image.
        let radius = c.radius * width - p.y;
        let along = angle / std::f64::consts::TAU * c.pitch * height;
        DVec3::new(radius * angle.cos(), radius * angle.sin(), p.z + along)
    };
    let pose = positions
        .iter()
        .map(|&p| {
            let shaken = p + DVec3::new(random(), random(), random()) * c.jitter;
            ((wind(shaken) * 4096.0).round() / 4096.0).as_vec3()
        })
        .collect();
    Body { tets, rest: positions.iter().map(|p| p.as_vec3()).collect(), pose }
}

/// A coil whose turns overlap by half, one and a half deep.
pub fn plain_coil() -> Body {
    coil(Coil {
        cells: [40, 3, 3],
        radius: 2.0,
        turns: 2.2,
        pitch: 0.55,
        jitter: 0.2,
        seed: 0x9E37_79B9_7F4A_7C15,
    })
}

/// Two blocks on a lattice, the second pushed into the first by `offset`: faces, edges and vertices coincide.
pub fn lattice_blocks(offset: Vec3) -> Body {
    let block = box_mesh(DVec3::splat(4.0), [4; 3]).unwrap();
    let count = block.positions.len() as u32;
    let both = |shift: Vec3| {
        let one = block.positions.iter().map(|p| p.as_vec3());
        one.clone().chain(one.map(|p| p + shift)).collect::<Vec<_>>()
    };
    let tets = block.tets.iter().copied().chain(block.tets.iter().map(|t| t.map(|v| v + count))).collect();
    Body { tets, rest: both(Vec3::X * 10.0), pose: both(offset) }
}
