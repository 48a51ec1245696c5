//! Projection of one contact: normal correction, then friction.

use super::gap::{Gap, blend, edge_edge, point_face};
use super::scatter::Scatter;
use super::{Contact, ContactMaterial, Features, Response};
use glam::{DVec2, DVec3, Vec3};

/// What the projection of contacts reads. All slices have one entry a particle.
#[derive(Clone, Copy, Debug)]
pub struct Projection<'a> {
    /// Positions at the start of the substep, metres.
    pub x_prev: &'a [Vec3],
    /// Inverse masses, 1/kg; zero for kinematic particles.
    pub inv_mass: &'a [f32],
    /// Materials, by the index that contacts carry; a missing one is [`ContactMaterial::SMOOTH`].
    pub materials: &'a [ContactMaterial],
    /// Depth that one [`Response::Depenetrate`] contact removes in a substep at most, metres.
    pub max_push: f32,
    /// How far these contacts together move one particle in a substep at most, metres (`INFINITY` for no limit).
    pub max_shift: f32,
    /// Up to this depth at the start of the substep, metres, a [`Response::Depenetrate`] contact carries load: it cancels what
    /// would go deeper, as an impact does, beyond what `max_push` lets it leave. Deeper is a tangle, in which neighbours leave to
    /// opposite sides; there each must be able to give way. Zero for no load at any depth.
    pub hold_depth: f32,
}

/// Positions and shifts, open to the threads of one colour.
pub(super) struct Arrays<'a> {
    pub x: Scatter<'a, Vec3>,
    pub shift: Scatter<'a, Vec3>,
}

/// A point of a collider that contacts refer to: where it was and where it is, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ColliderPoint {
    pub start: DVec3,
    pub end: DVec3,
}

/// The particles of one contact, gathered.
#[derive(Clone, Copy)]
pub(super) struct Sides<const A: usize, const B: usize> {
    pub first: [usize; A],
    pub second: [usize; B],
    /// The point that stands for the first side when it has no particles.
    pub point: Option<ColliderPoint>,
}

impl<const A: usize, const B: usize> Sides<A, B> {
    pub fn new(contact: &Contact, points: &[ColliderPoint]) -> Self {
        let at = usize::from(A == 0);
        Sides {
            first: std::array::from_fn(|k| contact.particles[k] as usize),
            second: std::array::from_fn(|k| contact.particles[at + A + k] as usize),
            point: (A == 0).then(|| points[contact.particles[0] as usize]),
        }
    }

    /// Closest points, weights and direction at the positions `xa`, `xb` of its particles.
    #[inline]
    pub fn gap(&self, contact: &Contact, xa: &[DVec3; A], xb: &[DVec3; B]) -> Gap<A, B> {
        let reference = contact.direction().as_dvec3();
        if contact.features == Features::EdgeEdge {
            let g = edge_edge([xa[0], xa[1 % A.max(1)]], [xb[0], xb[1 % B]], reference);
            return Gap {
                first: std::array::from_fn(|k| g.first[k % 2]),
                second: std::array::from_fn(|k| g.second[k % 2]),
                direction: g.direction,
                distance: g.distance,
            };
        }
        let mut weights = [1.0 / A.max(1) as f64; A];
        if contact.features == Features::EdgePointFace {
            let t = f32::from_bits(contact.particles[5]) as f64;
            weights = std::array::from_fn(|k| if k == 0 { 1.0 - t } else { t });
        }
        let p = self.point.map_or_else(|| blend(&weights, xa), |point| point.end);
        let g = point_face(weights, p, [xb[0], xb[1 % B], xb[2 % B]], contact.back, reference);
        Gap {
            first: g.first,
            second: std::array::from_fn(|k| g.second[k % 3]),
            direction: g.direction,
            distance: g.distance,
        }
    }
}

/// Projects `contact` once: `gap >= 0` with friction.
///
/// # Safety
/// No other thread accesses a dynamic particle of this contact, or writes one of its kinematic ones, meanwhile.
pub(super) unsafe fn project(
    contact: &mut Contact,
    arrays: &Arrays,
    points: &[ColliderPoint],
    ctx: &Projection,
) {
    // SAFETY: the caller's promise is passed on.
    unsafe {
        match contact.features {
            Features::VertexFace => project_sides::<1, 3>(contact, arrays, points, ctx),
            Features::EdgeEdge => project_sides::<2, 2>(contact, arrays, points, ctx),
            Features::EdgePointFace => project_sides::<2, 3>(contact, arrays, points, ctx),
            Features::FaceCentroidFace => project_sides::<3, 3>(contact, arrays, points, ctx),
            Features::TetCentroidFace => project_sides::<4, 3>(contact, arrays, points, ctx),
            Features::PointFace => project_sides::<0, 3>(contact, arrays, points, ctx),
        }
    }
}

/// # Safety
/// As [`project`].
unsafe fn project_sides<const A: usize, const B: usize>(
    contact: &mut Contact,
    arrays: &Arrays,
    points: &[ColliderPoint],
    ctx: &Projection,
) {
    let sides = Sides::<A, B>::new(contact, points);
    // SAFETY: the caller promises that nobody writes these particles meanwhile.
    let position = |i: usize| unsafe { arrays.x.read(i) }.as_dvec3();
    let (xa, xb) = (sides.first.map(position), sides.second.map(position));
    let gap = sides.gap(contact, &xa, &xb);
    let violation = contact.thickness as f64 - gap.distance;
    // Written so that a NaN is no violation.
    if !(violation > 0.0 || contact.touched()) || gap.direction == DVec3::ZERO {
        return;
    }
    contact.reference = gap.direction.as_vec3().to_array();
    let ma = sides.first.map(|i| ctx.inv_mass[i] as f64);
    let mb = sides.second.map(|i| ctx.inv_mass[i] as f64);
    let inverse = weigh(&ma, &gap.first) + weigh(&mb, &gap.second);
    if inverse <= 0.0 {
        return;
    }

    // SAFETY: as above.
    let shift = |i: usize| unsafe { arrays.shift.read(i) }.as_dvec3();
    let (sa, sb) = (sides.first.map(shift), sides.second.map(shift));
    let mut ua = displacement(&sides.first, &xa, &sa, ctx.x_prev);
    let mut ub = displacement(&sides.second, &xb, &sb, ctx.x_prev);
    let point = sides.point.map_or(DVec3::ZERO, |p| p.end - p.start);
    let approach = -(point + blend(&gap.first, &ua) - blend(&gap.second, &ub)).dot(gap.direction);

    let mut push = violation.max(0.0);
    let lasting; // the part that becomes velocity
    match contact.response {
        Response::Depenetrate => {
            let depth = violation - approach;
            let holds = ctx.hold_depth > 0.0 && depth <= ctx.hold_depth as f64;
            let hold = if holds { push.min(approach.max(0.0)) } else { 0.0 };
            let room = (ctx.max_push - contact.pushed).max(0.0) as f64;
            push = (push - hold).min(room);
            for (m, w, s) in parts(&ma, &gap.first, &sa).chain(parts(&mb, &gap.second, &sb)) {
                let reach = m * w.abs();
                if reach > 0.0 {
                    let room = (ctx.max_shift as f64 - s.length()).max(0.0);
                    push = push.min(room * inverse / reach);
                }
            }
            contact.pushed += push as f32;
            push += hold;
            lasting = hold;
            match hold > 0.0 {
                true => contact.pressed += hold as f32,
                false => contact.pressed = contact.pressed.max(approach as f32),
            }
        }
        Response::Impact => {
            lasting = push.min(approach.max(0.0));
            contact.pressed += lasting as f32;
            contact.pushed += push as f32;
        }
    }

    let mut da = [DVec3::ZERO; A];
    let mut db = [DVec3::ZERO; B];
    if push > 0.0 {
        let along = gap.direction * (push / inverse);
        da = std::array::from_fn(|k| along * (ma[k] * gap.first[k]));
        db = std::array::from_fn(|k| along * -(mb[k] * gap.second[k]));
        // The rest of the displacement is a shift of the past: it does not become velocity.
        let part = 1.0 - lasting / push;
        if part > 0.0 {
            for (i, d, m) in zip3(&sides.first, &da, &ma).chain(zip3(&sides.second, &db, &mb)) {
                // SAFETY: a dynamic particle of this contact.
                unsafe { add(&arrays.shift, i, d * part, m) };
            }
        }
        for k in 0..A {
            ua[k] += da[k] * (1.0 - part);
        }
        for k in 0..B {
            ub[k] += db[k] * (1.0 - part);
        }
    }

    let material = ctx.materials.get(contact.material as usize).copied().unwrap_or(ContactMaterial::SMOOTH);
    let limit = Friction {
        hold: material.static_friction as f64 * contact.pressed as f64 - contact.rubbed as f64,
        drag: material.kinetic_friction as f64 * contact.pressed as f64 - contact.rubbed as f64,
    };
    if limit.hold > 0.0 || limit.drag > 0.0 {
        let xa: [DVec3; A] = std::array::from_fn(|k| xa[k] + da[k]);
        let xb: [DVec3; B] = std::array::from_fn(|k| xb[k] + db[k]);
        let distance = gap.distance + push;
        let rub =
            limit.apply(&gap, distance, point, [&ma[..], &mb[..]], [&xa[..], &xb[..]], [&ua[..], &ub[..]]);
        if let Some(rub) = rub {
            contact.rubbed += rub.length as f32;
            for k in 0..A {
                da[k] += rub.displacement(k, gap.first[k], ma[k]);
            }
            for k in 0..B {
                db[k] += rub.displacement(A + k, -gap.second[k], mb[k]);
            }
        } else if push <= 0.0 {
            return;
        }
    } else if push <= 0.0 {
        return;
    }
    for (i, d, m) in zip3(&sides.first, &da, &ma).chain(zip3(&sides.second, &db, &mb)) {
        // SAFETY: a dynamic particle of this contact.
        unsafe { add(&arrays.x, i, d, m) };
    }
}

/// Adds `d` to element `i` if its particle can move.
///
/// # Safety
/// If `inv_mass > 0`, no other thread accesses element `i` meanwhile.
#[inline]
pub(super) unsafe fn add(array: &Scatter<Vec3>, i: usize, d: DVec3, inv_mass: f64) {
    if inv_mass > 0.0 {
        // Read again: a particle may stand on both sides of one contact.
        // SAFETY: passed on to the caller.
        unsafe { array.write(i, (array.read(i).as_dvec3() + d).as_vec3()) };
    }
}

/// Σ m⁻¹ w².
#[inline]
pub(super) fn weigh<const N: usize>(inv_mass: &[f64; N], weights: &[f64; N]) -> f64 {
    let mut sum = 0.0;
    for k in 0..N {
        sum += inv_mass[k] * weights[k] * weights[k];
    }
    sum
}

/// Displacement over the substep that becomes velocity.
#[inline]
fn displacement<const N: usize>(
    ids: &[usize; N],
    x: &[DVec3; N],
    s: &[DVec3; N],
    prev: &[Vec3],
) -> [DVec3; N] {
    std::array::from_fn(|k| x[k] - prev[ids[k]].as_dvec3() - s[k])
}

fn parts<'a, const N: usize>(
    m: &'a [f64; N],
    w: &'a [f64; N],
    s: &'a [DVec3; N],
) -> impl Iterator<Item = (f64, f64, DVec3)> + 'a {
    (0..N).map(|k| (m[k], w[k], s[k]))
}

pub(super) fn zip3<'a, const N: usize>(
    ids: &'a [usize; N],
    d: &'a [DVec3; N],
    m: &'a [f64; N],
) -> impl Iterator<Item = (usize, DVec3, f64)> + 'a {
    (0..N).map(|k| (ids[k], d[k], m[k]))
}

/// What friction may still take in this substep, metres of relative tangential displacement.
///
/// Coulomb over the whole substep: with `pressed` the normal displacement that the contact cancelled so far and
/// `rubbed` what friction took, rest is kept while the slide is at most μ_s pressed - rubbed, else the slide
/// is shortened by at most μ_k pressed - rubbed. A correction never exceeds or turns the slide, so friction only
/// takes kinetic energy.
struct Friction {
    hold: f64,
    drag: f64,
}

/// A friction correction: opposite displacements of the two points along `t`, and the couple that balances them.
struct Rub {
    /// Relative displacement taken, metres.
    length: f64,
    /// Impulse per unit of gradient.
    impulse: f64,
    t: DVec3,
    direction: DVec3,
    couple: [f64; 8],
}

impl Rub {
    /// Displacement of the particle at place `k`, of signed weight `w`.
    #[inline]
    fn displacement(&self, k: usize, w: f64, inv_mass: f64) -> DVec3 {
        (self.t * w + self.direction * self.couple[k]) * (self.impulse * inv_mass)
    }
}

impl Friction {
    /// The correction at the positions `x` with displacements `u` (first side, second side), if there is one.
    ///
    /// The friction forces on the two sides act at points that are `distance` apart along the direction d, so alone
    /// they would turn the pair. Forces c_i d on the particles of each side (sum zero on each) balance them when
    /// Σ c_i y_i = distance·t, y_i = the particle's place relative to the mean of its side, in the plane across d; the
    /// least such c is y_i·S⁻¹ t distance with S = Σ y_i y_iᵀ. The slide is measured along the same gradient, so that
    /// a rigid rotation of the pair is no slide.
    fn apply<const A: usize, const B: usize>(
        &self,
        gap: &Gap<A, B>,
        distance: f64,
        point: DVec3,
        inv_mass: [&[f64]; 2],
        x: [&[DVec3]; 2],
        u: [&[DVec3]; 2],
    ) -> Option<Rub> {
        let d = gap.direction;
        let (e1, e2) = d.any_orthonormal_pair();
        let mut y = [DVec2::ZERO; 8];
        let (mut s11, mut s12, mut s22) = (0.0, 0.0, 0.0);
        let mut lever = DVec2::ZERO; // Σ y_i (u_i·d)
        let mut k = 0;
        for side in 0..2 {
            let mean = x[side].iter().sum::<DVec3>() / x[side].len().max(1) as f64;
            for (xi, ui) in x[side].iter().zip(u[side]) {
                let r = *xi - mean;
                y[k] = DVec2::new(r.dot(e1), r.dot(e2));
                s11 += y[k].x * y[k].x;
                s12 += y[k].x * y[k].y;
                s22 += y[k].y * y[k].y;
                lever += y[k] * ui.dot(d);
                k += 1;
            }
        }
        // S⁻¹ scaled by the distance; nothing where the features are nearly collinear.
        let det = s11 * s22 - s12 * s12;
        let trace = s11 + s22;
        let scale = if det > 1e-3 * trace * trace { distance / det } else { 0.0 };
        let solve = |v: DVec2| DVec2::new(s22 * v.x - s12 * v.y, s11 * v.y - s12 * v.x) * scale;

        let slip = point + blend(&gap.first, array(u[0])) - blend(&gap.second, array(u[1]));
        let slide = DVec2::new(slip.dot(e1), slip.dot(e2)) + solve(lever);
        let length = slide.length();
        let take = if length <= self.hold { length } else { length.min(self.drag) };
        if take.is_nan() || take <= 0.0 {
            return None;
        }
        let unit = slide / length;
        let t = e1 * unit.x + e2 * unit.y;
        let arm = solve(unit);
        let mut couple = [0.0; 8];
        let mut inverse = 0.0;
        let mut k = 0;
        for side in 0..2 {
            for (i, &m) in inv_mass[side].iter().enumerate() {
                couple[k] = y[k].dot(arm);
                let w = if side == 0 { gap.first[i] } else { gap.second[i] };
                inverse += m * (w * w + couple[k] * couple[k]);
                k += 1;
            }
        }
        if inverse <= 0.0 {
            return None;
        }
        Some(Rub { length: take, impulse: -take / inverse, t, direction: d, couple })
    }
}

fn array<const N: usize>(slice: &[DVec3]) -> &[DVec3; N] {
    slice.try_into().expect("a side of a contact has its own length")
}
