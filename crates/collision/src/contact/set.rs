//! The contacts of one substep: collected, coloured, projected.

use super::colour::{ColourConflict, Colouring};
use super::project::{Arrays, ColliderPoint, Projection, Sides, project};
use super::scatter::Scatter;
use super::velocity::{VelocityPass, project_velocity};
use super::{Contact, Features, Response};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Contacts that one thread takes at a time.
const CHUNK: usize = 128;

/// All contacts of a substep; see the [module documentation](super).
///
/// A substep: [`clear`](Self::clear), [`push`](Self::push) each contact, [`prepare`](Self::prepare), then
/// [`project`](Self::project) every iteration and [`project_velocities`](Self::project_velocities) at the end.
/// Memory is kept from one substep to the next.
#[derive(Clone, Debug, Default)]
pub struct ContactSet {
    contacts: Vec<Contact>,
    points: Vec<ColliderPoint>,
    colouring: Colouring,
    prepared: bool,
}

/// Numbers of contacts, for reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContactCounts {
    /// Shortest paths of particles.
    pub path: usize,
    /// Shortest paths of centroids of faces and tetrahedra.
    pub path_centroid: usize,
    /// Shortest paths of points of edges.
    pub path_edge_point: usize,
    /// Shortest paths of collider points.
    pub path_point: usize,
    /// Vertex-face impacts.
    pub vertex_face: usize,
    /// Edge-edge impacts.
    pub edge_edge: usize,
    /// Edge pairs pulled apart without velocity.
    pub edge_edge_path: usize,
    /// How many of all these have acted in this substep.
    pub touched: usize,
    /// Colours.
    pub colours: usize,
}

impl ContactCounts {
    /// Contacts of discrete detection.
    pub fn dcd(&self) -> usize {
        self.path + self.path_centroid + self.path_edge_point + self.path_point + self.edge_edge_path
    }

    /// Contacts of continuous detection.
    pub fn ccd(&self) -> usize {
        self.vertex_face + self.edge_edge
    }
}

impl ContactSet {
    /// An empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets contacts and points; keeps the memory.
    pub fn clear(&mut self) {
        self.contacts.clear();
        self.points.clear();
        self.prepared = false;
    }

    /// Adds a contact.
    pub fn push(&mut self, contact: Contact) {
        self.contacts.push(contact);
        self.prepared = false;
    }

    /// Adds a point of a collider that moves from `start` to `end` in this substep (metres), and returns its index
    /// for [`Contact::path_of_point`].
    pub fn add_point(&mut self, start: Vec3, end: Vec3) -> u32 {
        self.points.push(ColliderPoint { start: start.as_dvec3(), end: end.as_dvec3() });
        self.points.len() as u32 - 1
    }

    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.contacts.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.contacts.is_empty()
    }

    /// The contacts; after [`prepare`](Self::prepare) in the order in which they are projected.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// Sorts and colours. `inv_mass`: one entry a particle, 1/kg, zero for kinematic ones.
    pub fn prepare(&mut self, inv_mass: &[f32]) {
        self.colouring.group(&mut self.contacts, inv_mass);
        self.prepared = true;
        debug_assert_eq!(self.validate(inv_mass), Ok(()));
    }

    /// Checks that no two contacts of a colour share a dynamic particle.
    pub fn validate(&self, inv_mass: &[f32]) -> Result<(), ColourConflict> {
        self.colouring.validate(&self.contacts, inv_mass)
    }

    /// Projects every contact once, in place.
    ///
    /// `x`: positions, metres. `shift`: the part of this substep's displacement that must not become velocity,
    /// metres; the caller zeroes it at the start of the substep and takes v = (x - x_prev - shift) / h at its end.
    ///
    /// # Panics
    /// If [`prepare`](Self::prepare) was not called after the last contact, or array lengths differ.
    pub fn project(&mut self, x: &mut [Vec3], shift: &mut [Vec3], ctx: &Projection) {
        assert!(self.prepared || self.contacts.is_empty(), "ContactSet::prepare was not called");
        let n = x.len();
        assert!(shift.len() == n && ctx.x_prev.len() == n && ctx.inv_mass.len() == n, "array lengths differ");
        let arrays = Arrays { x: Scatter::new(x), shift: Scatter::new(shift) };
        let points = &self.points;
        let one = |contact: &mut Contact| {
            // SAFETY: contacts of one colour share no dynamic particle (checked in debug builds by `prepare`),
            // and kinematic particles are never written; colours come one after the other.
            unsafe { project(contact, &arrays, points, ctx) }
        };
        for colour in self.colouring.start.windows(2) {
            let contacts = &mut self.contacts[colour[0]..colour[1]];
            if contacts.len() <= CHUNK {
                contacts.iter_mut().for_each(one);
            } else {
                contacts.par_chunks_mut(CHUNK).for_each(|chunk| chunk.iter_mut().for_each(one));
            }
        }
    }

    /// The velocity pass after the substep: contacts that acted in it, or are still violated, stop approaching.
    ///
    /// `v`: velocities, metres per second.
    ///
    /// # Panics
    /// As [`project`](Self::project).
    pub fn project_velocities(&self, v: &mut [Vec3], ctx: &VelocityPass) {
        assert!(self.prepared || self.contacts.is_empty(), "ContactSet::prepare was not called");
        let n = v.len();
        assert!(ctx.x.len() == n && ctx.inv_mass.len() == n, "array lengths differ");
        assert!(ctx.before.is_empty() || ctx.before.len() == n, "array lengths differ");
        let velocities = Scatter::new(v);
        let points = &self.points;
        let one = |contact: &Contact| {
            // SAFETY: as in `project`.
            unsafe { project_velocity(contact, &velocities, points, ctx) }
        };
        for colour in self.colouring.start.windows(2) {
            let contacts = &self.contacts[colour[0]..colour[1]];
            if contacts.len() <= CHUNK {
                contacts.iter().for_each(one);
            } else {
                contacts.par_chunks(CHUNK).for_each(|chunk| chunk.iter().for_each(one));
            }
        }
    }

    /// Counts by kind.
    pub fn counts(&self) -> ContactCounts {
        let mut n = ContactCounts {
            colours: self.colouring.start.len().saturating_sub(1) * usize::from(self.prepared),
            ..Default::default()
        };
        for c in &self.contacts {
            *match (c.features, c.response) {
                (Features::VertexFace, Response::Depenetrate) => &mut n.path,
                (Features::VertexFace, Response::Impact) => &mut n.vertex_face,
                (Features::EdgeEdge, Response::Depenetrate) => &mut n.edge_edge_path,
                (Features::EdgeEdge, Response::Impact) => &mut n.edge_edge,
                (Features::FaceCentroidFace | Features::TetCentroidFace, _) => &mut n.path_centroid,
                (Features::EdgePointFace, _) => &mut n.path_edge_point,
                (Features::PointFace, _) => &mut n.path_point,
            } += 1;
            n.touched += usize::from(c.touched());
        }
        n
    }

    /// Largest violation at the positions `x`, metres; zero when every contact is satisfied.
    pub fn max_depth(&self, x: &[Vec3]) -> f32 {
        let deepest = |chunk: &[Contact]| chunk.iter().map(|c| self.violation(c, x)).fold(0.0, f64::max);
        self.contacts.par_chunks(CHUNK).map(deepest).reduce(|| 0.0, f64::max) as f32
    }

    fn violation(&self, contact: &Contact, x: &[Vec3]) -> f64 {
        fn of<const A: usize, const B: usize>(c: &Contact, points: &[ColliderPoint], x: &[Vec3]) -> f64 {
            let sides = Sides::<A, B>::new(c, points);
            let at = |i: usize| -> DVec3 { x[i].as_dvec3() };
            c.thickness as f64 - sides.gap(c, &sides.first.map(at), &sides.second.map(at)).distance
        }
        match contact.features {
            Features::VertexFace => of::<1, 3>(contact, &self.points, x),
            Features::EdgeEdge => of::<2, 2>(contact, &self.points, x),
            Features::EdgePointFace => of::<2, 3>(contact, &self.points, x),
            Features::FaceCentroidFace => of::<3, 3>(contact, &self.points, x),
            Features::TetCentroidFace => of::<4, 3>(contact, &self.points, x),
            Features::PointFace => of::<0, 3>(contact, &self.points, x),
        }
    }
}
