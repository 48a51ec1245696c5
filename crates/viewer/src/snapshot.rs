//! What is shown of a world: once what does not change, and a copy of the state at each moment that is shown.

use glam::Vec3;
use gordian_collision::collider::Collider;
use gordian_collision::contact::{Contact, Features, Response};
use gordian_collision::{PathAnswer, Penetration, PointId};
use gordian_mesh::TetTopology;

use gordian_sim::{BodyInfo, Colouring, FrameReport, SimError, World};

use crate::overlay::{Overlay, Overlays};
use crate::sheets::Sheets;
use crate::surface::Surface;

/// What does not change while a world runs.
#[derive(Clone, Debug)]
pub struct Model {
    /// Tetrahedra and boundary.
    pub topology: TetTopology,
    /// The surface as it is drawn.
    pub surface: Surface,
    /// Cloth.
    pub sheets: Sheets,
    /// Which elastic constraints are solved at once.
    pub colouring: Colouring,
    /// The bodies.
    pub bodies: Vec<BodyInfo>,
    /// Body of each particle.
    pub body_of: Vec<u32>,
    /// Whether each particle moves by itself.
    pub free: Vec<bool>,
    /// The vertical.
    pub up: Vec3,
}

/// What is looked up of a moment: it costs time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interest {
    /// What is shown of everything.
    pub overlays: Overlays,
    /// The vertex that is looked at: its contacts and its paths are looked up in any case.
    pub vertex: Option<u32>,
}

impl From<Overlays> for Interest {
    fn from(overlays: Overlays) -> Self {
        Interest { overlays, vertex: None }
    }
}

/// A contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactMark {
    /// Where it is, metres; of layers of cloth, on the first.
    pub position: Vec3,
    /// The same place, or that on the other layer of cloth.
    pub other: Vec3,
    /// From the second side, or the collider, to the first; unit length.
    pub normal: Vec3,
    /// What meets what.
    pub kind: ContactKind,
    /// The particles of both sides, the others are `u32::MAX`.
    pub particles: [u32; 8],
}

/// What meets what in a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactKind {
    /// Bodies that meet (CCD).
    Meets,
    /// A point that is inside already and is pushed out (DCD).
    Inside,
    /// A particle and a collider.
    Collider,
    /// Two layers of cloth.
    Layers,
}

/// A box over which a search passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CulledBox {
    /// The boundary vertex whose path was searched for; `None` for a region of cloth.
    pub vertex: Option<u32>,
    /// Low and high corner, metres.
    pub corners: [Vec3; 2],
}

/// A shortest path to the boundary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathMark {
    /// The boundary vertex that is inside.
    pub vertex: u32,
    /// The tetrahedron that it is inside of.
    pub tet: u32,
    /// The vertex, metres.
    pub from: Vec3,
    /// Where the path ends, metres.
    pub to: Vec3,
    /// The boundary face where it ends.
    pub face: u32,
}

impl PathMark {
    /// Its length, metres.
    pub fn length(&self) -> f32 {
        self.from.distance(self.to)
    }
}

/// The state of a world at one moment, owned, so that the simulation may go on meanwhile.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Frames done.
    pub frame: u32,
    /// Simulated time, seconds.
    pub time_s: f64,
    /// Positions, metres.
    pub positions: Vec<Vec3>,
    /// Velocities, metres per second.
    pub velocities: Vec<Vec3>,
    /// The colliders.
    pub colliders: Vec<Collider>,
    /// Boundary vertices inside a tetrahedron that is not theirs, and the tetrahedron; by vertex.
    pub penetrating: Vec<(u32, u32)>,
    /// Tetrahedra of negative volume, ascending.
    pub inverted: Vec<u32>,
    /// Contacts of the last substep, those that were asked for.
    pub contacts: Vec<ContactMark>,
    /// Paths of vertices that are inside, those that were asked for.
    pub paths: Vec<PathMark>,
    /// Intersection contours of cloth, metres.
    pub contours: Vec<Vec<Vec3>>,
    /// What searches pass over; only where asked for.
    pub culled: Vec<CulledBox>,
    /// What the last frame reported.
    pub report: FrameReport,
}

impl Model {
    /// What does not change in `world`. `up`: the vertical of its scene.
    pub fn of(world: &World, up: Vec3) -> Self {
        let topology = world.topology().clone();
        let surface = Surface::new(&topology, world.positions());
        let mut body_of = vec![0; world.positions().len()];
        for (i, body) in world.bodies().iter().enumerate() {
            body_of[body.particles.start as usize..body.particles.end as usize].fill(i as u32);
        }
        let free = (0..world.positions().len() as u32).map(|p| world.is_free(p)).collect();
        let sheets = Sheets::new(world.cloth().triangles());
        Model {
            topology,
            surface,
            sheets,
            colouring: world.colouring().clone(),
            bodies: world.bodies().to_vec(),
            body_of,
            free,
            up,
        }
    }

    /// Body of a tetrahedron.
    pub fn body_of_tet(&self, tet: u32) -> usize {
        self.body_of[self.topology.tets[tet as usize][0] as usize] as usize
    }
}

impl Snapshot {
    /// Judges the present state of `world`, which need not have stepped, and copies it.
    pub fn inspect(world: &mut World, interest: impl Into<Interest>) -> Result<Self, SimError> {
        let report = world.inspect()?;
        Ok(Self::of(world, report, interest))
    }

    /// The state of `world` at the end of the frame of `report`. What costs time is looked up only for `interest`.
    pub fn of(world: &World, report: FrameReport, interest: impl Into<Interest>) -> Self {
        let Interest { overlays, vertex: watched } = interest.into();
        let detector = world.detector();
        let positions = world.positions().to_vec();
        let penetrating: Vec<(u32, u32)> = world
            .penetrations()
            .iter()
            .filter_map(|p| match p.point {
                PointId::Vertex(v) => Some((v, p.tet)),
                PointId::Centroid(_) => None,
            })
            .collect();
        let mut inverted = Vec::new();
        if report.inverted_tetrahedra > 0 {
            inverted.extend((0..world.topology().tets.len() as u32).filter(|&t| detector.is_inverted(t)));
        }
        let mut contacts =
            if overlays.has(Overlay::Contacts) || watched.is_some() { contacts(world) } else { Vec::new() };
        if !overlays.has(Overlay::Contacts) {
            contacts.retain(|c| watched.is_some_and(|v| c.particles.contains(&v)));
        }
        let all = overlays.has(Overlay::Paths) || overlays.has(Overlay::Culled);
        let watches = |p: &Penetration| watched.is_some_and(|v| p.point == PointId::Vertex(v));
        let asked: Vec<Penetration> =
            world.penetrations().iter().filter(|p| all || watches(p)).copied().collect();
        let mut paths = Vec::new();
        if !asked.is_empty() {
            let mut answers: Vec<PathAnswer> = Vec::new();
            detector.boundary_points(&asked, world.path_options(), &mut answers);
            paths.extend(asked.iter().zip(&answers).filter_map(|(p, answer)| {
                let PointId::Vertex(vertex) = p.point else { return None };
                let end = answer.end?;
                let from = positions[vertex as usize];
                Some(PathMark { vertex, tet: p.tet, from, to: end.position.as_vec3(), face: end.face })
            }));
        }
        let culled = if overlays.has(Overlay::Culled) { culled(world, &paths) } else { Vec::new() };
        let contours = world.cloth().contours();
        let point = |hit: &u32| contours.points()[*hit as usize].as_vec3();
        let contours = contours
            .all
            .iter()
            .map(|c| {
                let mut line: Vec<Vec3> = contours.hits(c).iter().map(point).collect();
                if c.ends.is_none() {
                    line.extend(line.first().copied());
                }
                line
            })
            .collect();
        Snapshot {
            contours,
            frame: world.frame(),
            time_s: world.time_s(),
            velocities: world.velocities().to_vec(),
            colliders: world.colliders().cloned().collect(),
            positions,
            penetrating,
            inverted,
            contacts,
            paths,
            culled,
            report,
        }
    }
}

/// All contacts of the last substep that have acted.
fn contacts(world: &World) -> Vec<ContactMark> {
    let x = world.positions();
    let mut marks: Vec<ContactMark> = world.contacts().iter().filter_map(|c| mark(c, x)).collect();
    marks.extend(world.collider_touches().map(|(particle, _, normal)| ContactMark {
        position: x[particle as usize],
        other: x[particle as usize],
        normal,
        kind: ContactKind::Collider,
        particles: padded(&[particle]),
    }));
    marks.extend(world.cloth().layers(x).map(|(vertices, weights, normal)| {
        // Weights of the first are positive, those of the other negative.
        let place = |sign: f32| {
            let weight = |k: usize| (sign * weights[k]).max(0.0);
            let sum: Vec3 = (0..4).map(|k| x[vertices[k] as usize] * weight(k)).sum();
            sum / (0..4).map(weight).sum::<f32>().max(f32::MIN_POSITIVE)
        };
        ContactMark {
            position: place(1.0),
            other: place(-1.0),
            normal,
            kind: ContactKind::Layers,
            particles: padded(&vertices),
        }
    }));
    marks
}

fn padded(particles: &[u32]) -> [u32; 8] {
    let mut all = [u32::MAX; 8];
    all[..particles.len()].copy_from_slice(particles);
    all
}

/// What the searches for paths and for crossings of cloth pass over.
fn culled(world: &World, paths: &[PathMark]) -> Vec<CulledBox> {
    let (detector, options) = (world.detector(), world.path_options());
    let regions = world.cloth().skipped_regions(world.positions());
    let mut boxes: Vec<CulledBox> =
        regions.into_iter().map(|corners| CulledBox { vertex: None, corners }).collect();
    for path in paths {
        let query = detector.query(&Penetration { point: PointId::Vertex(path.vertex), tet: path.tet });
        let radius = path.from.distance(path.to) as f64;
        let passed = detector.passed_over(&query, options, radius);
        boxes.extend(passed.into_iter().map(|corners| CulledBox { vertex: Some(path.vertex), corners }));
    }
    boxes
}

/// Where a contact is; `None` for one that has not acted.
fn mark(contact: &Contact, x: &[Vec3]) -> Option<ContactMark> {
    let inside = contact.response() == Response::Depenetrate;
    if !inside && !contact.touched() {
        return None;
    }
    let mean = |ids: &[u32]| ids.iter().map(|&v| x[v as usize]).sum::<Vec3>() / ids.len().max(1) as f32;
    let position = match contact.features() {
        Features::EdgeEdge => {
            let [a, b] = [contact.first(), contact.second()];
            middle_of_edges([a[0], a[1], b[0], b[1]].map(|v| x[v as usize]))
        }
        Features::PointFace => mean(contact.second()),
        _ => mean(contact.first()),
    };
    let kind = if inside { ContactKind::Inside } else { ContactKind::Meets };
    let particles: Vec<u32> = contact.particles().collect();
    let normal = contact.direction();
    Some(ContactMark { position, other: position, normal, kind, particles: padded(&particles) })
}

/// Between the closest points of the lines through two edges, kept within the edges.
fn middle_of_edges([a, b, c, d]: [Vec3; 4]) -> Vec3 {
    let (u, v, w) = (b - a, d - c, a - c);
    let (uu, uv, vv) = (u.dot(u), u.dot(v), v.dot(v));
    let det = uu * vv - uv * uv;
    let s = if det > 1e-6 * uu * vv { ((uv * v.dot(w) - vv * u.dot(w)) / det).clamp(0.0, 1.0) } else { 0.5 };
    let t = if vv > 0.0 { (v.dot(w + u * s) / vv).clamp(0.0, 1.0) } else { 0.0 };
    (a + u * s + c + v * t) / 2.0
}
