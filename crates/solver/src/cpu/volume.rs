//! Volume of a tetrahedron: `C = 6 (V - V0)`.
//!
//! ```text
//! 6 V = d1·(d2×d3), d_k = x_k - x_0    ∇1 = d2×d3, ∇2 = d3×d1, ∇3 = d1×d2, ∇0 = -(∇1+∇2+∇3)
//! Δλ = -(C + α̃ λ + γ ∇C·(x - x_prev)) / ((1+γ) Σ w |∇C|² + α̃)    α̃ = α/h²
//! ```
//!
//! Where the particles lie almost in a line, ∇C vanishes and a Newton step is far too long: the denominator is kept
//! above that of a tetrahedron with |∇C| = S/32, S = |d1|² + |d2|² + |d3|². This slows such steps and no others.
//!
//! Source: M. Macklin, M. Müller, N. Chentanez, "XPBD" (MIG 2016), equations 18 and 26.

use crate::plan::{Lane, VolumeBlock};

use super::lanes::{Mask, Real, V3};
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
    fn project<R: Real>(
        block: &VolumeBlock,
        lane: usize,
        step: Step,
        x: &mut [V3<R>; 4],
        w: &[R; 4],
        moved: Option<&[V3<R>; 4]>,
        multipliers: &mut [R; 1],
    ) {
        let [d1, d2, d3] = [x[1] - x[0], x[2] - x[0], x[3] - x[0]];
        let (g1, g2, g3) = (d2.cross(d3), d3.cross(d1), d1.cross(d2));
        let c = d1.dot(g1) - R::load(&block.rest, lane);
        let g = [-(g1 + g2 + g3), g1, g2, g3];
        let compliance = R::load(&block.compliance, lane) * (1.0 / (step.h * step.h));
        let spread = (d1.dot(d1) + d2.dot(d2) + d3.dot(d3)) * (1.0 / 32.0);
        let floor = (w[0] + w[1] + w[2] + w[3]) * (spread * spread);
        let gamma = R::load(&block.damping, lane) * (1.0 / step.h);
        solve_one(c, &g, floor, compliance, gamma, x, w, moved, multipliers);
    }

    #[inline(always)]
    fn energy<R: Real>(block: &VolumeBlock, lane: usize, x: &[V3<R>; 4]) -> R {
        let [d1, d2, d3] = [x[1] - x[0], x[2] - x[0], x[3] - x[0]];
        let c = d1.dot(d2.cross(d3)) - R::load(&block.rest, lane);
        let compliance = R::load(&block.compliance, lane);
        compliance.gt(0.0).select(c * c * 0.5 / compliance, R::zero())
    }
}
