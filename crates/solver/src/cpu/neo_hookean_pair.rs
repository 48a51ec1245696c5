//! Neo-Hookean tetrahedron as two constraints, one after the other.
//!
//! ```text
//! C_D = √(tr FᵀF)          ∇_F C_D = F / C_D     α_D = 1/(μV)
//! C_H = det F - (1 + μ/λ') ∇_F C_H = cof F       α_H = 1/(λ'V)      λ' = λ + μ
//! ```
//!
//! Source: M. Macklin, M. Müller, "A constraint-based formulation of stable Neo-Hookean materials" (MIG 2021). With
//! their λ equal to λ' above, the linearisation is Hooke's law with the Lamé parameters μ and λ.

use crate::plan::{Lane, TetBlock};

use super::lanes::{F, M3, V3, combine};
use super::neo_hookean::{NeoHookean, nodal};
use super::sweep::{Kernel, Step};

/// The kernel; see the module documentation.
pub(crate) struct NeoHookeanPair;

impl Kernel<4, 2> for NeoHookeanPair {
    type Block = TetBlock;

    #[inline(always)]
    fn particles(block: &TetBlock) -> &[Lane<u32>; 4] {
        &block.particles
    }

    #[inline(always)]
    fn project<const N: usize, const DAMPED: bool>(
        block: &TetBlock,
        lane: usize,
        step: Step,
        x: &mut [V3<N>; 4],
        w: &[F<N>; 4],
        moved: &[V3<N>; 4],
        multipliers: &mut [F<N>; 2],
    ) {
        let b: M3<N> = [0, 3, 6].map(|k| V3::load(&block.rest_inverse[k..k + 3], lane));
        let mu = F::load(&block.mu_volume, lane);
        let lambda = F::load(&block.lambda_volume, lane) + mu;
        let before = *x;
        let solve = |k: F<N>, c: F<N>, g: &[V3<N>; 4], x: &mut [V3<N>; 4], multiplier: &mut F<N>| {
            let mut a =
                w[0] * g[0].dot(g[0]) + w[1] * g[1].dot(g[1]) + w[2] * g[2].dot(g[2]) + w[3] * g[3].dot(g[3]);
            let mut r = k * c + *multiplier;
            if DAMPED {
                let gamma = F::load(&block.damping, lane) / step.h;
                let along = |i: usize| g[i].dot(moved[i] + (x[i] - before[i]));
                r = r + k * gamma * (along(0) + along(1) + along(2) + along(3));
                a = a * (gamma + 1.0);
            }
            let delta = -r / (k * a + 1.0);
            *multiplier = *multiplier + delta;
            for i in 0..4 {
                x[i] = x[i] + g[i] * (w[i] * delta);
            }
        };

        let f = deformation(&b, x);
        let c2 = f[0].dot(f[0]) + f[1].dot(f[1]) + f[2].dot(f[2]);
        let strained = c2.gt(1e-30);
        let c_d = c2.sqrt();
        let per_c = strained.select(F::splat(1.0) / c_d, F::ZERO);
        let k_d = strained.select(mu * (step.h * step.h), F::ZERO);
        solve(k_d, c_d, &nodal(&f.map(|column| column * per_c), &b), x, &mut multipliers[0]);

        let f = deformation(&b, x);
        let cof = [f[1].cross(f[2]), f[2].cross(f[0]), f[0].cross(f[1])];
        let c_h = f[0].dot(cof[0]) - 1.0 - mu / lambda;
        solve(lambda * (step.h * step.h), c_h, &nodal(&cof, &b), x, &mut multipliers[1]);
    }

    /// The energy of both constraints differs from that of [`NeoHookean`] by a constant; at rest it is 0.
    #[inline(always)]
    fn energy<const N: usize>(block: &TetBlock, lane: usize, x: &[V3<N>; 4]) -> F<N> {
        NeoHookean::energy(block, lane, x)
    }
}

/// F = D_s D_m⁻¹.
#[inline(always)]
fn deformation<const N: usize>(b: &M3<N>, x: &[V3<N>; 4]) -> M3<N> {
    let d = [x[1] - x[0], x[2] - x[0], x[3] - x[0]];
    [
        combine(&d, V3 { x: b[0].x, y: b[1].x, z: b[2].x }),
        combine(&d, V3 { x: b[0].y, y: b[1].y, z: b[2].y }),
        combine(&d, V3 { x: b[0].z, y: b[1].z, z: b[2].z }),
    ]
}
