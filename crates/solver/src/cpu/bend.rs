//! Dihedral angle between the triangles `(x0, x1, x2)` and `(x1, x0, x3)`: `C = θ - rest`, 0 when flat.
//!
//! ```text
//! e = x1 - x0    n1 = e×(x2 - x0)    n2 = (x3 - x0)×e    θ = atan2((n1×n2)·e/|e|, n1·n2)
//! u1 = n1/|n1|², u2 = n2/|n2|²    ∇2 = |e| u1,  ∇3 = |e| u2
//! ∇0 = ((x2-x1)·e u1 + (x3-x1)·e u2)/|e|,  ∇1 = -((x2-x0)·e u1 + (x3-x0)·e u2)/|e|
//! ```
//!
//! up to one sign for all four. Nothing is divided by the sine of θ, so the gradients are well defined for flat
//! and for folded pairs; a pair with a triangle without area has none and is left alone.
//! Source: R. Bridson, S. Marino, R. Fedkiw, "Simulation of clothing with folds and wrinkles" (SCA 2003), section 4.

use crate::plan::{BendBlock, Lane};

use super::lanes::{Mask, Real, V3, atan2};
use super::sweep::{Kernel, Step, solve_one};

/// The kernel; see the module documentation.
pub(crate) struct Bend;

/// Angle minus rest angle in (-π, π], and its gradients.
#[inline(always)]
fn fold<R: Real>(block: &BendBlock, lane: usize, x: &[V3<R>; 4]) -> (R, [V3<R>; 4]) {
    use std::f32::consts::PI;
    let e = x[1] - x[0];
    let (a0, b0) = (x[2] - x[0], x[3] - x[0]);
    let (a1, b1) = (x[2] - x[1], x[3] - x[1]);
    let (n1, n2) = (e.cross(a0), b0.cross(e));
    let (q1, q2) = (n1.dot(n1), n2.dot(n2));
    let length2 = e.dot(e);
    let length = length2.sqrt();
    // Twice the area against the edges it is made of: below rounding it has no direction.
    let least = length2 * 1e-12;
    let flat1 = (a0.dot(a0) * least).max(0.0).lt(q1);
    let flat2 = (b0.dot(b0) * least).max(0.0).lt(q2);
    let sound = flat1.and(flat2);
    let one = R::splat(1.0);
    let (u1, u2) = (n1 * sound.select(one / q1, R::zero()), n2 * sound.select(one / q2, R::zero()));
    let per_length = sound.select(one / length, R::zero());

    let angle = atan2(n1.cross(n2).dot(e) * per_length, n1.dot(n2));
    let c = angle - R::load(&block.rest, lane);
    let c = c.gt(PI).select(c - 2.0 * PI, c);
    let c = c.lt(R::splat(-PI)).select(c + 2.0 * PI, c);
    let c = sound.select(c, R::zero());
    let gradients = [
        u1 * (-(a1.dot(e)) * per_length) + u2 * (-(b1.dot(e)) * per_length),
        u1 * (a0.dot(e) * per_length) + u2 * (b0.dot(e) * per_length),
        u1 * -length,
        u2 * -length,
    ];
    (c, gradients)
}

impl Kernel<4, 1> for Bend {
    type Block = BendBlock;

    #[inline(always)]
    fn particles(block: &BendBlock) -> &[Lane<u32>; 4] {
        &block.particles
    }

    #[inline(always)]
    fn project<R: Real>(
        block: &BendBlock,
        lane: usize,
        step: Step,
        x: &mut [V3<R>; 4],
        w: &[R; 4],
        _moved: Option<&[V3<R>; 4]>,
        multipliers: &mut [R; 1],
    ) {
        let (c, g) = fold(block, lane, x);
        let compliance = R::load(&block.compliance, lane) * (1.0 / (step.h * step.h));
        solve_one(c, &g, R::zero(), compliance, R::zero(), x, w, None, multipliers);
    }

    #[inline(always)]
    fn energy<R: Real>(block: &BendBlock, lane: usize, x: &[V3<R>; 4]) -> R {
        let (c, _) = fold(block, lane, x);
        let compliance = R::load(&block.compliance, lane);
        compliance.gt(0.0).select(c * c * 0.5 / compliance, R::zero())
    }
}
