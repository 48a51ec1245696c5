//! Distance of two particles: `C = |x0 - x1| - rest`.
//!
//! ```text
//! n = (x0 - x1)/|x0 - x1|    ∇0 = n, ∇1 = -n    Δλ = -(C + α̃ λ) / (w0 + w1 + α̃)    α̃ = α/h²
//! ```
//!
//! Coincident particles have no direction and are left where they are.
//! Source: M. Macklin, M. Müller, N. Chentanez, "XPBD" (MIG 2016), equation 18.

use crate::plan::{DistanceBlock, Lane};

use super::lanes::{Mask, Real, V3};
use super::sweep::{Kernel, Step, solve_one};

/// The kernel; see the module documentation.
pub(crate) struct Distance;

impl Kernel<2, 1> for Distance {
    type Block = DistanceBlock;

    #[inline(always)]
    fn particles(block: &DistanceBlock) -> &[Lane<u32>; 2] {
        &block.particles
    }

    #[inline(always)]
    fn project<R: Real>(
        block: &DistanceBlock,
        lane: usize,
        step: Step,
        x: &mut [V3<R>; 2],
        w: &[R; 2],
        _moved: Option<&[V3<R>; 2]>,
        multipliers: &mut [R; 1],
    ) {
        let d = x[0] - x[1];
        let length = d.dot(d).sqrt();
        let apart = length.gt(0.0);
        let n = d * apart.select(R::splat(1.0) / length, R::zero());
        let c = length - R::load(&block.rest, lane);
        let compliance = R::load(&block.compliance, lane) * (1.0 / (step.h * step.h));
        solve_one(c, &[n, -n], R::zero(), compliance, R::zero(), x, w, None, multipliers);
    }

    #[inline(always)]
    fn energy<R: Real>(block: &DistanceBlock, lane: usize, x: &[V3<R>; 2]) -> R {
        let d = x[0] - x[1];
        let c = d.dot(d).sqrt() - R::load(&block.rest, lane);
        let compliance = R::load(&block.compliance, lane);
        compliance.gt(0.0).select(c * c * 0.5 / compliance, R::zero())
    }
}
