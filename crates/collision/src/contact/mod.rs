//! Contacts: a point of one simplex against a point of another, projected with friction.
//!
//! A **contact** holds the two features and a normal; weights, points and normal are computed again from the
//! positions at every projection. With p = Σ a_i x_i on one side and s = Σ b_j f_j on the other (both weight
//! sums are one), the **gap** is C = (p - s)·d - thickness, its gradient a_i d and -b_j d, and the
//! projection Δx_i = ± m_i⁻¹ w_i λ d with λ = -C / (Σ m_i⁻¹ w_i²) moves the points only while C < 0
//! (XPBD with zero compliance; Macklin et al. 2016).
//!
//! There are two **responses**:
//!
//! - [`Response::Depenetrate`] for a point that is inside already (DCD; Chen et al. 2023): it leaves along
//!   its shortest path, at most `max_push` a substep, and the displacement is also written to
//!   `shift`, so that it never becomes velocity. Up to `hold_depth` it also carries load: what would take it
//!   deeper is cancelled without a limit, as by an impact. What still approaches is left to the velocity pass.
//! - [`Response::Impact`] for features that meet (CCD): the displacement becomes velocity as far as it
//!   cancels the approach of the two points over the substep; what exceeds that (the thickness of a
//!   start that touched) goes to `shift`, so a contact never makes bodies fly apart.
//!
//! **Direction.** Where the closest point lies inside the face (or inside both edges), d is the normal. Where
//! it lies on the rim, d is the line that joins the two points if that is within 60° of the contact's
//! reference direction (always so for a contact that has just been detected), or if the points are apart.
//! Else the point slid past the rim: d is the face's normal with the foot of the perpendicular as s while that
//! foot is near (weights down to -1/3), and the reference direction at last.
//!
//! **What is conserved.** Linear momentum Σ m Δx: up to the rounding of positions, for every contact between
//! dynamic particles. Angular momentum Σ m x × Δx, with x the positions at the projection: equally, in every case
//! but the last (d the reference direction), where it is off by |(p - s) × d| times the impulse. Friction
//! acts at points that are a gap apart, so it comes with the couple that balances it (see `project.rs`), and
//! conserves angular momentum too, except where the features of a contact are nearly collinear. The velocity pass changes velocities at fixed positions: the same statement holds for
//! Σ m Δv and Σ m x × Δv.
//!
//! **Order.** Gauss-Seidel: [`ContactSet::prepare`] sorts and colours, no two contacts of a colour share a
//! dynamic particle, and a colour is projected in parallel; results are the same bits for any number of
//! threads, and for any order of `push` as long as no two contacts join the same features.

pub(crate) mod closest;
mod colour;
mod gap;
mod project;
pub(crate) mod scatter;
mod set;
mod velocity;

#[cfg(test)]
mod tests;

pub use colour::ColourConflict;
pub use project::Projection;
pub use set::{ContactCounts, ContactSet};
pub use velocity::VelocityPass;

use glam::{DVec3, Vec3};

/// How two surfaces act on each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactMaterial {
    /// Coefficient of static friction.
    pub static_friction: f32,
    /// Coefficient of kinetic friction; at most the static one.
    pub kinetic_friction: f32,
    /// Coefficient of restitution, in `[0, 1]`; applies to [`Response::Impact`] alone.
    pub restitution: f32,
}

impl ContactMaterial {
    /// Neither friction nor restitution.
    pub const SMOOTH: Self =
        ContactMaterial { static_friction: 0.0, kinetic_friction: 0.0, restitution: 0.0 };

    /// Material with one coefficient of friction for rest and motion, and no restitution.
    pub const fn friction(mu: f32) -> Self {
        ContactMaterial { static_friction: mu, kinetic_friction: mu, restitution: 0.0 }
    }
}

/// Which features meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Features {
    /// A particle and a face.
    VertexFace,
    /// Two edges.
    EdgeEdge,
    /// A point of an edge, and a face.
    EdgePointFace,
    /// The centroid of a face, and a face.
    FaceCentroidFace,
    /// The centroid of a tetrahedron, and a face.
    TetCentroidFace,
    /// A point of a collider (see [`ContactSet::add_point`]), and a face.
    PointFace,
}

/// How a contact answers; see the module documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Response {
    /// Leaves along the shortest path, limited per substep, without velocity; carries load where it is shallow.
    Depenetrate,
    /// Stops what meets.
    Impact,
}

/// Whether the first side lies in front of the face: where its normal by winding, (f1-f0) × (f2-f0), points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaceSide {
    /// In front; the outside of a volume.
    Front,
    /// Behind.
    Back,
}

impl FaceSide {
    /// Side of the plane of `face` on which particle `vertex` lies; on the plane counts as the front.
    pub fn of(x: &[Vec3], vertex: u32, face: [u32; 3]) -> Self {
        let [p, a, b, c] = [vertex, face[0], face[1], face[2]].map(|v| x[v as usize].as_dvec3());
        if (b - a).cross(c - a).dot(p - a) >= 0.0 { FaceSide::Front } else { FaceSide::Back }
    }
}

/// One contact, 64 bytes. Built by the detection, then owned by a [`ContactSet`].
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Contact {
    /// First side, then second side; unused places are `u32::MAX`. Of [`Features::PointFace`] the first is
    /// the index of the point; of [`Features::EdgePointFace`] the sixth holds the bits of its parameter.
    particles: [u32; 8],
    /// Reference direction, from the second side to the first, unit length.
    reference: [f32; 3],
    /// Distance that the contact keeps, metres.
    thickness: f32,
    /// Relative normal displacement by this contact in this substep, metres.
    pushed: f32,
    /// What friction may lean on: the part of it that cancelled an approach, metres.
    pressed: f32,
    /// Relative tangential displacement that friction has taken, metres.
    rubbed: f32,
    features: Features,
    response: Response,
    back: bool,
    material: u8,
}

const _: () = assert!(size_of::<Contact>() == 64);

impl Contact {
    fn new(
        features: Features,
        response: Response,
        first: &[u32],
        second: &[u32],
        reference: Vec3,
        thickness: f32,
    ) -> Self {
        let mut particles = [u32::MAX; 8];
        particles[..first.len()].copy_from_slice(first);
        particles[first.len()..first.len() + second.len()].copy_from_slice(second);
        Contact {
            particles,
            reference: unit(reference.as_dvec3()).as_vec3().to_array(),
            thickness,
            pushed: 0.0,
            pressed: 0.0,
            rubbed: 0.0,
            features,
            response,
            back: false,
            material: 0,
        }
    }

    /// Particle `vertex` is inside; its shortest path ends on the outward boundary `face` in `direction` (need
    /// not be of unit length; zero where the vertex lies on the face).
    pub fn path(vertex: u32, face: [u32; 3], direction: Vec3) -> Self {
        Self::new(Features::VertexFace, Response::Depenetrate, &[vertex], &face, direction, 0.0)
    }

    /// As [`Contact::path`], for the centroid of the face `of`.
    pub fn path_of_face_centroid(of: [u32; 3], face: [u32; 3], direction: Vec3) -> Self {
        Self::new(Features::FaceCentroidFace, Response::Depenetrate, &of, &face, direction, 0.0)
    }

    /// As [`Contact::path`], for the centroid of the tetrahedron `of`.
    pub fn path_of_tet_centroid(of: [u32; 4], face: [u32; 3], direction: Vec3) -> Self {
        Self::new(Features::TetCentroidFace, Response::Depenetrate, &of, &face, direction, 0.0)
    }

    /// As [`Contact::path`], for the point `(1 - parameter) a + parameter b` of the edge `of`: where an edge passes
    /// through a body without an end inside it. `parameter` lies in `[0, 1]`.
    pub fn path_of_edge_point(of: [u32; 2], parameter: f32, face: [u32; 3], direction: Vec3) -> Self {
        let mut contact =
            Self::new(Features::EdgePointFace, Response::Depenetrate, &of, &face, direction, 0.0);
        contact.particles[5] = parameter.to_bits();
        contact
    }

    /// As [`Contact::path`], for a point of a collider, by its index from [`ContactSet::add_point`].
    pub fn path_of_point(point: u32, face: [u32; 3], direction: Vec3) -> Self {
        Self::new(Features::PointFace, Response::Depenetrate, &[point], &face, direction, 0.0)
    }

    /// Particle `vertex` meets `face`, from `side` (for a volume always the front).
    ///
    /// `normal`: normal of the face on that side, for when the face has no area; zero if unknown.
    /// `thickness`: distance to keep, metres; relative to a local edge length by the caller's choice.
    pub fn vertex_face(vertex: u32, face: [u32; 3], side: FaceSide, normal: Vec3, thickness: f32) -> Self {
        let back = side == FaceSide::Back;
        let contact = Self::new(Features::VertexFace, Response::Impact, &[vertex], &face, normal, thickness);
        Contact { back, ..contact }
    }

    /// The edges `first` and `second` meet. `normal` points from the second to the first on the side from which
    /// they came (see [`edge_edge_normal`]).
    pub fn edge_edge(first: [u32; 2], second: [u32; 2], normal: Vec3, thickness: f32) -> Self {
        Self::new(Features::EdgeEdge, Response::Impact, &first, &second, normal, thickness)
    }

    /// Index into [`Projection::materials`]; 0 if not set.
    pub fn with_material(self, material: u8) -> Self {
        Contact { material, ..self }
    }

    /// The same contact with another response (a crossing edge pair that is to be pulled apart without velocity).
    pub fn with_response(self, response: Response) -> Self {
        Contact { response, ..self }
    }

    /// The same contact, keeping a distance in metres.
    pub fn with_thickness(self, thickness: f32) -> Self {
        Contact { thickness, ..self }
    }

    /// Which features meet.
    pub fn features(&self) -> Features {
        self.features
    }

    /// How it answers.
    pub fn response(&self) -> Response {
        self.response
    }

    /// Particles of the first side; empty for [`Features::PointFace`].
    pub fn first(&self) -> &[u32] {
        match self.features {
            Features::VertexFace => &self.particles[..1],
            Features::EdgeEdge | Features::EdgePointFace => &self.particles[..2],
            Features::FaceCentroidFace => &self.particles[..3],
            Features::TetCentroidFace => &self.particles[..4],
            Features::PointFace => &[],
        }
    }

    /// Particles of the second side.
    pub fn second(&self) -> &[u32] {
        match self.features {
            Features::VertexFace | Features::PointFace => &self.particles[1..4],
            Features::EdgeEdge => &self.particles[2..4],
            Features::EdgePointFace => &self.particles[2..5],
            Features::FaceCentroidFace => &self.particles[3..6],
            Features::TetCentroidFace => &self.particles[4..7],
        }
    }

    /// All its particles.
    pub fn particles(&self) -> impl Iterator<Item = u32> + '_ {
        self.first().iter().chain(self.second()).copied()
    }

    /// Direction of the last projection, from the second side to the first.
    pub fn direction(&self) -> Vec3 {
        Vec3::from_array(self.reference)
    }

    /// How far this contact has pushed its two points apart in this substep, metres.
    pub fn pushed(&self) -> f32 {
        self.pushed
    }

    /// Whether it has acted in this substep.
    pub fn touched(&self) -> bool {
        self.pushed > 0.0 || self.pressed > 0.0
    }
}

/// Direction from edge `second` to edge `first` at the positions `x` (those *before* the edges cross): the line
/// that joins their closest points, or where these coincide, their common perpendicular on the side of
/// `fallback` (for volumes: outward normal of the second edge minus that of the first).
pub fn edge_edge_normal(x: &[Vec3], first: [u32; 2], second: [u32; 2], fallback: Vec3) -> Vec3 {
    let a = first.map(|v| x[v as usize].as_dvec3());
    let b = second.map(|v| x[v as usize].as_dvec3());
    let (u, v) = (a[1] - a[0], b[1] - b[0]);
    let q = closest::closest_on_segments(a, b);
    let r = a[0] + u * q.parameters[0] - b[0] - v * q.parameters[1];
    let reach = u.length() + v.length();
    if r.length() > gap::COINCIDENT * reach {
        return unit(r).as_vec3();
    }
    let fallback = fallback.as_dvec3();
    let n = unit(u.cross(v));
    let n = if n == DVec3::ZERO { unit(fallback) } else { n };
    (if n.dot(fallback) < 0.0 { -n } else { n }).as_vec3()
}

/// Unit vector along `v`; zero where `v` is zero or not finite.
pub(crate) fn unit(v: DVec3) -> DVec3 {
    let length = v.length();
    if length > 0.0 && length.is_finite() { v / length } else { DVec3::ZERO }
}
