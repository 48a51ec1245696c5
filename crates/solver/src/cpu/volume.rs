//! Volume of a tetrahedron: `C = 6 (V - V0)`.
//!
//! ```text
//! 6 V = d1·(d2×d3), d_k = x_k - x_0    ∇1 = d2×d3, ∇2 = d3×d1, ∇3 = d1×d2, ∇0 = -(∇1+∇2+∇3)
//! Δλ = -(C + α̃ λ + γ ∇C·(x - x_prev)) / ((1+γ) Σ w |∇C|² + α̃)    α̃ = α/h²
//! ```
//!
//! Source: M. Macklin, M. Müller, N. Chentanez, "XPBD" (MIG 2016), equations 18 and 26.

use crate::plan::{Lane, VolumeBlock};

use super::lanes::{F, V3};
use super::sweep::{Kernel, Step, solve_one};

/// The kernel; see the module documentation.
pub(crate) struct Volume;

impl Kernel<4, 1> for Volume {
    type Block = VolumeBlock;

    #[inline(always)]
    fn particles(block: &VolumeBlock) -> &[Lane<u32>; 4] {
        &block.particles
    }

    #[inline(always)]
    fn project<const N: usize, const DAMPED: bool>(
        block: &VolumeBlock,
        lane: usize,
        step: Step,
        x: &mut [V3<N>; 4],
        w: &[F<N>; 4],
        moved: &[V3<N>; 4],
        multipliers: &mut [F<N>; 1],
    ) {
        let [d1, d2, d3] = [x[1] - x[0], x[2] - x[0], x[3] - x[0]];
        let (g1, g2, g3) = (d2.cross(d3), d3.cross(d1), d1.cross(d2));
        let c = d1.dot(g1) - F::load(&block.rest, lane);
        let g = [-(g1 + g2 + g3), g1, g2, g3];
        let compliance = F::load(&block.compliance, lane) / (step.h * step.h);
        let damping = DAMPED.then(|| F::load(&block.damping, lane) / step.h);
        solve_one(c, &g, compliance, damping, x, w, moved, multipliers);
    }

    #[inline(always)]
    fn energy<const N: usize>(block: &VolumeBlock, lane: usize, x: &[V3<N>; 4]) -> F<N> {
        let [d1, d2, d3] = [x[1] - x[0], x[2] - x[0], x[3] - x[0]];
        let c = d1.dot(d2.cross(d3)) - F::load(&block.rest, lane);
        let compliance = F::load(&block.compliance, lane);
        compliance.gt(0.0).select(c * c * 0.5 / compliance, F::ZERO)
    }
}
