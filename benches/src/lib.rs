//! What the benchmarks share: a block of elastic tetrahedra, and the tangled poses of the shared workloads.

use glam::{DVec3, Vec3};
use gordian_collision::contact::{Contact, ContactSet};
use gordian_collision::{DcdOptions, Detector, PathAnswer, PathOptions, Penetration, PointId, PointSet};
use gordian_mesh::io::npz::Workload;
use gordian_mesh::{TetTopology, generate, testdata};
use gordian_solver::{Elasticity, Material, Model, Tet};

/// A cube of `cells`³ cells, five tetrahedra each, stretched by a tenth so that every constraint has work to do.
///
/// One metre wide, 1 MPa, 1,000 kg/m³.
pub fn block(cells: u32) -> Model {
    let mesh = generate::box_mesh(DVec3::ONE, [cells; 3]).expect("a box with cells");
    let mut masses = vec![0.0f64; mesh.positions.len()];
    for t in &mesh.tets {
        let [a, b, c, d] = t.map(|v| mesh.positions[v as usize]);
        let mass = 1000.0 * (b - a).cross(c - a).dot(d - a) / 24.0;
        t.iter().for_each(|&v| masses[v as usize] += mass);
    }
    let rest: Vec<Vec3> = mesh.positions.iter().map(|p| p.as_vec3()).collect();
    Model {
        positions: rest.iter().map(|p| *p * Vec3::new(1.1, 1.0, 1.0)).collect(),
        velocities: vec![Vec3::ZERO; rest.len()],
        rest_positions: rest,
        inverse_masses: masses.iter().map(|m| (1.0 / m) as f32).collect(),
        materials: vec![Material {
            elasticity: Elasticity::NeoHookean,
            young_pa: 1e6,
            poisson: 0.4,
            damping_s: 0.0,
        }],
        tets: mesh.tets.iter().map(|&particles| Tet { particles, material: 0 }).collect(),
        ..Model::default()
    }
}

/// A tangled pose, with what the stages of a substep find in it.
pub struct Tangle {
    /// The mesh.
    pub topology: TetTopology,
    /// Its pose, metres.
    pub positions: Vec<Vec3>,
    /// Refit to the pose.
    pub detector: Detector,
    /// Boundary vertices in tetrahedra that are not theirs.
    pub penetrations: Vec<Penetration>,
    /// A contact for each of them whose path was found.
    pub contacts: ContactSet,
}

impl Tangle {
    /// Names of the shared workloads.
    pub const NAMES: [&str; 4] = ["noodle_helix", "beam_coil", "ball_half", "octopus_squash"];

    /// Loads a workload; `None` where the shared data is missing, which is said on standard error.
    pub fn load(name: &str) -> Option<Self> {
        let path = testdata::path(&format!("workloads/{name}.npz"))?;
        let workload = Workload::read(&path).unwrap_or_else(|e| panic!("{e}"));
        let topology = TetTopology::new(workload.rest.len(), &workload.tets);
        let mut detector = Detector::new(&topology, &workload.rest);
        detector.refit(&workload.deformed);
        let mut penetrations = Vec::new();
        detector.penetrations(PointSet::BoundaryVertices, DcdOptions::default(), &mut penetrations);
        let mut answers: Vec<PathAnswer> = Vec::new();
        detector.boundary_points(&penetrations, &PathOptions::default(), &mut answers);
        let mut contacts = ContactSet::new();
        for (penetration, answer) in penetrations.iter().zip(&answers) {
            let (PointId::Vertex(v), Some(end)) = (penetration.point, &answer.end) else { continue };
            let direction = (end.position - detector.position(penetration.point)).as_vec3();
            contacts.push(Contact::path(v, topology.faces[end.face as usize], direction));
        }
        Some(Tangle { topology, positions: workload.deformed, detector, penetrations, contacts })
    }
}
