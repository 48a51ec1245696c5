//! The velocity pass after the substep: what still approaches along a contact's normal stops or bounces.

use super::project::{ColliderPoint, Sides, add, weigh, zip3};
use super::scatter::Scatter;
use super::{Contact, ContactMaterial, Features, Response, gap::blend};
use glam::{DVec3, Vec3};

/// What the velocity pass reads. All slices have one entry a particle.
#[derive(Clone, Copy, Debug)]
pub struct VelocityPass<'a> {
    /// Positions at the end of the substep, metres.
    pub x: &'a [Vec3],
    /// Velocities before the substep, metres per second, for restitution; empty for none.
    pub before: &'a [Vec3],
    /// Inverse masses, 1/kg; zero for kinematic particles.
    pub inv_mass: &'a [f32],
    /// As in [`super::Projection::materials`].
    pub materials: &'a [ContactMaterial],
    /// Length of the substep, seconds.
    pub h: f32,
    /// Restitution applies to approaches faster than this, metres per second. Müller et al. 2020 ("Detailed rigid
    /// body simulation with extended position based dynamics", section 3.6) take 2 h |g|.
    pub bounce_above: f32,
}

/// Stops the approach of one contact.
///
/// # Safety
/// No other thread accesses a dynamic particle of this contact, or writes one of its kinematic ones, meanwhile.
pub(super) unsafe fn project_velocity(
    contact: &Contact,
    v: &Scatter<Vec3>,
    points: &[ColliderPoint],
    ctx: &VelocityPass,
) {
    // SAFETY: the caller's promise is passed on.
    unsafe {
        match contact.features {
            Features::VertexFace => stop::<1, 3>(contact, v, points, ctx),
            Features::EdgeEdge => stop::<2, 2>(contact, v, points, ctx),
            Features::EdgePointFace => stop::<2, 3>(contact, v, points, ctx),
            Features::FaceCentroidFace => stop::<3, 3>(contact, v, points, ctx),
            Features::TetCentroidFace => stop::<4, 3>(contact, v, points, ctx),
            Features::PointFace => stop::<0, 3>(contact, v, points, ctx),
        }
    }
}

/// # Safety
/// As [`project_velocity`].
unsafe fn stop<const A: usize, const B: usize>(
    contact: &Contact,
    v: &Scatter<Vec3>,
    points: &[ColliderPoint],
    ctx: &VelocityPass,
) {
    let sides = Sides::<A, B>::new(contact, points);
    let position = |i: usize| ctx.x[i].as_dvec3();
    let gap = sides.gap(contact, &sides.first.map(position), &sides.second.map(position));
    // Written so that a NaN acts on nothing.
    if !(contact.touched() || gap.distance < contact.thickness as f64) {
        return;
    }
    let d = gap.direction;
    let ma = sides.first.map(|i| ctx.inv_mass[i] as f64);
    let mb = sides.second.map(|i| ctx.inv_mass[i] as f64);
    let inverse = weigh(&ma, &gap.first) + weigh(&mb, &gap.second);
    if inverse <= 0.0 || d == DVec3::ZERO {
        return;
    }
    let point = sides.point.map_or(DVec3::ZERO, |p| (p.end - p.start) / ctx.h as f64);
    // SAFETY: the caller promises that nobody writes these particles meanwhile.
    let now = |i: usize| unsafe { v.read(i) }.as_dvec3();
    let speed = (point + blend(&gap.first, &sides.first.map(now))
        - blend(&gap.second, &sides.second.map(now)))
    .dot(d);
    let target = if contact.response == Response::Impact && !ctx.before.is_empty() {
        let before = |i: usize| ctx.before[i].as_dvec3();
        let (a, b) = (sides.first.map(before), sides.second.map(before));
        let approach = -(point + blend(&gap.first, &a) - blend(&gap.second, &b)).dot(d);
        let material = ctx.materials.get(contact.material as usize).copied();
        let e = material.unwrap_or(ContactMaterial::SMOOTH).restitution as f64;
        if approach > ctx.bounce_above as f64 { e * approach } else { 0.0 }
    } else {
        0.0
    };
    if speed < target {
        let along = d * ((target - speed) / inverse);
        let da = std::array::from_fn(|k| along * (ma[k] * gap.first[k]));
        let db = std::array::from_fn(|k| along * -(mb[k] * gap.second[k]));
        for (i, d, m) in zip3(&sides.first, &da, &ma).chain(zip3(&sides.second, &db, &mb)) {
            // SAFETY: a dynamic particle of this contact.
            unsafe { add(v, i, d, m) };
        }
    }
}
