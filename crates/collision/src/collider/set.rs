//! Particles against colliders: candidates, projection with friction, velocities.

use super::{Collider, Entry, Scratch, Shape};
use crate::contact::{ContactMaterial, Projection, VelocityPass};
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// Particles (in the detection) or contacts that one thread takes at a time.
const CHUNK: usize = 256;

/// Cosine of the angle within which the surface at the particle counts as the side by which it entered.
const SAME_SIDE: f64 = 0.5;

/// A particle that is near a collider in this substep.
#[derive(Clone, Copy, Debug)]
struct Touch {
    particle: u32,
    collider: u32,
    /// Signed distance at the start of the substep, and its gradient in the collider's frame.
    start: f64,
    start_normal: DVec3,
    /// Direction of the last projection, in the world.
    normal: DVec3,
    /// Shift by this contact in this substep, metres.
    shifted: f32,
    /// What friction may lean on: the normal displacement that cancelled an approach, metres.
    pressed: f32,
    /// Tangential displacement that friction has taken, metres.
    rubbed: f32,
    /// Whether the last projection found a violation, or an earlier one did.
    active: bool,
    /// Where the particle was seen last, and how far from there nothing can touch it, metres.
    seen: Vec3,
    clear: f32,
}

/// Where a particle is, seen from a collider.
struct Place {
    normal: DVec3,
    distance: f64,
    /// Displacement over the substep of the collider's surface beside the particle.
    carried: DVec3,
}

/// Colliders and the particles near them; see the [module documentation](super).
///
/// A substep: place the colliders ([`Collider::advance`]), [`detect`](Self::detect), then
/// [`project`](Self::project) every iteration and [`project_velocities`](Self::project_velocities) at the end.
#[derive(Clone, Debug, Default)]
pub struct ColliderSet {
    /// The colliders; an earlier one is projected before a later one.
    pub colliders: Vec<Collider>,
    touches: Vec<Touch>,
    /// Ranges of touches that do not split a particle.
    chunks: Vec<Range<usize>>,
}

impl ColliderSet {
    /// A set of colliders.
    pub fn new(colliders: Vec<Collider>) -> Self {
        ColliderSet { colliders, ..Self::default() }
    }

    /// Collects the particles that may touch a collider in this substep.
    ///
    /// `particles`: which ones (repetitions and order do not matter). `x_prev`, `x`: their places at the start of the substep and
    /// now, metres. `inv_mass`: kinematic particles (zero) are passed over. `margin`: how far the iterations
    /// may still move a particle, metres; what goes further is caught in the next substep.
    pub fn detect(&mut self, particles: &[u32], x_prev: &[Vec3], x: &[Vec3], inv_mass: &[f32], margin: f32) {
        let sorted: Vec<u32>;
        let particles = if particles.is_sorted_by(|a, b| a < b) {
            particles
        } else {
            let mut list = particles.to_vec();
            list.par_sort_unstable();
            list.dedup();
            sorted = list;
            &sorted
        };
        let colliders = &self.colliders;
        let near = |scratch: &mut Scratch, p: u32, out: &mut Vec<Touch>| {
            let i = p as usize;
            if inv_mass[i] <= 0.0 {
                return;
            }
            let (prev, now) = (x_prev[i].as_dvec3(), x[i].as_dvec3());
            for (c, collider) in colliders.iter().enumerate() {
                // Distances change by no more than the particle moves in the collider's frame.
                let a = collider.start.to_local(prev);
                let b = collider.end.to_local(now);
                let reach = (b - a).length() + (collider.thickness + margin) as f64;
                if collider.shape.distance_bound(a, scratch) <= reach {
                    let surface = collider.shape.surface(a, scratch);
                    if surface.distance <= reach {
                        out.push(Touch {
                            particle: p,
                            collider: c as u32,
                            start: surface.distance,
                            start_normal: surface.normal,
                            normal: DVec3::ZERO,
                            shifted: 0.0,
                            pressed: 0.0,
                            rubbed: 0.0,
                            active: false,
                            seen: Vec3::ZERO,
                            clear: 0.0,
                        });
                    }
                }
            }
        };
        let found: Vec<Vec<Touch>> = particles
            .par_chunks(CHUNK)
            .map_init(Scratch::default, |scratch, chunk| {
                let mut out = Vec::new();
                chunk.iter().for_each(|&p| near(scratch, p, &mut out));
                out
            })
            .collect();
        self.touches.clear();
        self.chunks.clear();
        for list in found {
            let start = self.touches.len();
            self.touches.extend(list);
            if self.touches.len() > start {
                self.chunks.push(start..self.touches.len());
            }
        }
    }

    /// Projects every particle near a collider once: at least the collider's thickness outside, with friction.
    ///
    /// Arrays as in [`ContactSet::project`](crate::contact::ContactSet::project). A particle that started inside leaves by
    /// at most `max_push` a substep.
    pub fn project(&mut self, x: &mut [Vec3], shift: &mut [Vec3], ctx: &Projection) {
        let n = x.len();
        assert!(shift.len() == n && ctx.x_prev.len() == n && ctx.inv_mass.len() == n, "array lengths differ");
        let colliders = &self.colliders;
        // Chunks come in the order of their particles, so each has a stretch of the arrays to itself.
        let (mut touches, mut x, mut shift) = (self.touches.as_mut_slice(), x, shift);
        let mut base = 0;
        let mut jobs = Vec::with_capacity(self.chunks.len());
        for chunk in &self.chunks {
            let (mine, rest) = touches.split_at_mut(chunk.len());
            let end = mine[mine.len() - 1].particle as usize + 1;
            let (my_x, rest_x) = x.split_at_mut(end - base);
            let (my_shift, rest_shift) = shift.split_at_mut(end - base);
            jobs.push((mine, my_x, my_shift, base));
            (touches, x, shift, base) = (rest, rest_x, rest_shift, end);
        }
        jobs.into_par_iter().for_each_init(Scratch::default, |scratch, (touches, x, shift, base)| {
            for touch in touches {
                let i = touch.particle as usize;
                let collider = &colliders[touch.collider as usize];
                project(touch, collider, &mut x[i - base], &mut shift[i - base], ctx, scratch);
            }
        });
    }

    /// The velocity pass: particles that touched a collider stop approaching it, or bounce.
    pub fn project_velocities(&self, v: &mut [Vec3], ctx: &VelocityPass) {
        let n = v.len();
        assert!(ctx.x.len() == n && ctx.inv_mass.len() == n, "array lengths differ");
        assert!(ctx.before.is_empty() || ctx.before.len() == n, "array lengths differ");
        for touch in self.touches.iter().filter(|t| t.active) {
            let i = touch.particle as usize;
            let collider = &self.colliders[touch.collider as usize];
            let local = collider.end.to_local(ctx.x[i].as_dvec3());
            let carried = (collider.end.to_world(local) - collider.start.to_world(local)) / ctx.h as f64;
            let speed = (v[i].as_dvec3() - carried).dot(touch.normal);
            let target = if ctx.before.is_empty() {
                0.0
            } else {
                let approach = -(ctx.before[i].as_dvec3() - carried).dot(touch.normal);
                let e = material(ctx.materials, collider).restitution as f64;
                if approach > ctx.bounce_above as f64 { e * approach } else { 0.0 }
            };
            if speed < target {
                v[i] = (v[i].as_dvec3() + touch.normal * (target - speed)).as_vec3();
            }
        }
    }

    /// Number of pairs that touched in this substep, for reports.
    pub fn touched(&self) -> usize {
        self.touches.iter().filter(|t| t.active).count()
    }

    /// The pairs that touched in this substep: particle, collider, and the direction in which it pushes.
    pub fn touches(&self) -> impl Iterator<Item = (u32, u32, Vec3)> + '_ {
        let touched = self.touches.iter().filter(|t| t.active);
        touched.map(|t| (t.particle, t.collider, t.normal.as_vec3()))
    }

    /// Number of pairs that were near enough to be looked at.
    pub fn candidates(&self) -> usize {
        self.touches.len()
    }

    /// Largest violation of the pairs at the positions `x`, metres; `x_prev` as in the detection.
    pub fn max_depth(&self, x_prev: &[Vec3], x: &[Vec3]) -> f32 {
        let depth = |scratch: &mut Scratch, t: &Touch| {
            let i = t.particle as usize;
            let collider = &self.colliders[t.collider as usize];
            let place = place(t, collider, x_prev[i].as_dvec3(), x[i].as_dvec3(), scratch);
            collider.thickness as f64 - place.distance
        };
        self.touches.par_iter().map_init(Scratch::default, depth).reduce(|| 0.0, f64::max) as f32
    }
}

fn material(materials: &[ContactMaterial], collider: &Collider) -> ContactMaterial {
    materials.get(collider.material as usize).copied().unwrap_or(ContactMaterial::SMOOTH)
}

fn project(
    touch: &mut Touch,
    collider: &Collider,
    x: &mut Vec3,
    shift: &mut Vec3,
    ctx: &Projection,
    scratch: &mut Scratch,
) {
    if !touch.active && x.distance(touch.seen) < touch.clear {
        return;
    }
    let prev = ctx.x_prev[touch.particle as usize].as_dvec3();
    let now = x.as_dvec3();
    let place = place(touch, collider, prev, now, scratch);
    let violation = collider.thickness as f64 - place.distance;
    // Written so that a NaN is no violation.
    if !(violation > 0.0 || touch.active) {
        touch.seen = *x;
        touch.clear = clearance(touch, collider, prev, now, place.distance) as f32;
        return;
    }
    touch.active = true;
    touch.normal = place.normal;
    let mut slide = now - prev - shift.as_dvec3() - place.carried;
    let approach = (-slide.dot(place.normal)).max(0.0);
    let violation = violation.max(0.0);
    let lasting = violation.min(approach);
    let mut shifted = violation - lasting;
    if !outside(touch, prev, collider) {
        shifted = shifted.min((ctx.max_push - touch.shifted).max(0.0) as f64);
    }
    touch.pressed += lasting as f32;
    touch.shifted += shifted as f32;
    let mut moved = place.normal * (lasting + shifted);
    *shift = (shift.as_dvec3() + place.normal * shifted).as_vec3();

    let material = material(ctx.materials, collider);
    let hold = (material.static_friction * touch.pressed - touch.rubbed) as f64;
    let drag = (material.kinetic_friction * touch.pressed - touch.rubbed) as f64;
    slide -= place.normal * slide.dot(place.normal);
    let length = slide.length();
    let take = if length <= hold { length } else { length.min(drag) };
    if take > 0.0 {
        touch.rubbed += take as f32;
        moved -= slide * (take / length);
    }
    *x = (now + moved).as_vec3();
}

/// How far from `now`, where its distance is more than the thickness, a particle touches nothing: the distance changes no faster than it
/// moves, and as long as both ends are too far away, neither does it pass through in between (see [`entry`]).
fn clearance(touch: &Touch, collider: &Collider, prev: DVec3, now: DVec3, distance: f64) -> f64 {
    let path = (collider.end.to_local(now) - collider.start.to_local(prev)).length();
    let through = match collider.shape {
        Shape::Plane { .. } => f64::INFINITY,
        _ => 0.5 * (distance + touch.start - path),
    };
    // A little less, for rounding.
    (0.999 * (distance - collider.thickness as f64).min(through) - rounding(now, collider)).max(0.0)
}

/// Distance below which a particle lies on the surface: rounding of its position and of the change of frame.
fn rounding(prev: DVec3, collider: &Collider) -> f64 {
    8.0 * f32::EPSILON as f64 * prev.abs().max(collider.start.position.abs()).max_element()
}

/// Whether the particle started the substep outside, or on the surface.
fn outside(touch: &Touch, prev: DVec3, collider: &Collider) -> bool {
    touch.start >= -rounding(prev, collider)
}

fn place(touch: &Touch, collider: &Collider, prev: DVec3, now: DVec3, scratch: &mut Scratch) -> Place {
    let b = collider.end.to_local(now);
    let surface = collider.shape.surface(b, scratch);
    let (mut normal, mut distance) = (surface.normal, surface.distance);
    if let Some(entry) = entry(touch, collider, prev, b, distance, scratch)
        && !(distance < 0.0 && normal.dot(entry.normal) >= SAME_SIDE)
    {
        normal = entry.normal;
        distance = (b - entry.point).dot(normal);
    }
    let foot = b - normal * distance;
    Place {
        normal: collider.end.rotation * normal,
        distance,
        carried: collider.end.to_world(foot) - collider.start.to_world(foot),
    }
}

/// Where the particle entered the shape on its way to `b` (at the given distance), if it started outside.
fn entry(
    touch: &Touch,
    collider: &Collider,
    prev: DVec3,
    b: DVec3,
    distance: f64,
    scratch: &mut Scratch,
) -> Option<Entry> {
    if matches!(collider.shape, Shape::Plane { .. }) || !outside(touch, prev, collider) {
        return None;
    }
    let mut a = collider.start.to_local(prev);
    let rounding = rounding(prev, collider);
    if touch.start < rounding {
        // On the surface: start just outside of it.
        a += touch.start_normal * (rounding - touch.start);
    }
    // Distances change no faster than the point moves: too far away at both ends to touch in between.
    if distance + touch.start.max(rounding) > (b - a).length() {
        return None;
    }
    collider.shape.cast(a, b, scratch)
}
