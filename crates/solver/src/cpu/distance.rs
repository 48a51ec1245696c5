//! Distance of two particles: `C = |x0 - x1| - rest`.
//!
//! ```text
//! n = (x0 - x1)/|x0 - x1|    ∇0 = n, ∇1 = -n    Δλ = -(C + α̃ λ) / (w0 + w1 + α̃)    α̃ = α/h²
//! ```
//!
//! Coincident particles have no direction and are left where they are.
//! Source: M. Macklin, M. Müller, N. Chentanez, "XPBD" (MIG 2016), equation 18.

use crate::plan::{DistanceBlock, Lane};

use super::lanes::{F, V3};
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
    fn project<const N: usize, const DAMPED: bool>(
        block: &DistanceBlock,
        lane: usize,
        step: Step,
        x: &mut [V3<N>; 2],
        w: &[F<N>; 2],
        moved: &[V3<N>; 2],
        multipliers: &mut [F<N>; 1],
    ) {
        let d = x[0] - x[1];
        let length = d.dot(d).sqrt();
        let apart = length.gt(0.0);
        let n = d * apart.select(F::splat(1.0) / length, F::ZERO);
        let c = length - F::load(&block.rest, lane);
        let compliance = F::load(&block.compliance, lane) / (step.h * step.h);
        solve_one(c, &[n, -n], compliance, None, x, w, moved, multipliers);
    }

    #[inline(always)]
    fn energy<const N: usize>(block: &DistanceBlock, lane: usize, x: &[V3<N>; 2]) -> F<N> {
        let d = x[0] - x[1];
        let c = d.dot(d).sqrt() - F::load(&block.rest, lane);
        let compliance = F::load(&block.compliance, lane);
        compliance.gt(0.0).select(c * c * 0.5 / compliance, F::ZERO)
    }
}
