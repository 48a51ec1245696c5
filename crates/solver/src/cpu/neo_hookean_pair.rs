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

use super::lanes::{Mask, Real, V3, along, cofactor, load9, product, scale, square, transpose, weighted};
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
    fn project<R: Real>(
        block: &TetBlock,
        lane: usize,
        step: Step,
        x: &mut [V3<R>; 4],
        w: &[R; 4],
        moved: Option<&[V3<R>; 4]>,
        multipliers: &mut [R; 2],
    ) {
        let b = load9(&block.rest_inverse, lane);
        let mu = R::load(&block.mu_volume, lane);
        let lambda = R::load(&block.lambda_volume, lane) + mu;
        let gamma = if moved.is_some() { R::load(&block.damping, lane) * (1.0 / step.h) } else { R::zero() };
        let mut moved = moved.copied().unwrap_or([V3::zero(); 4]);

        let f = product(&[x[1] - x[0], x[2] - x[0], x[3] - x[0]], &transpose(&b));
        let c2 = square(&f);
        let strained = c2.gt(1e-30);
        let c_d = c2.sqrt();
        let per_c = strained.select(R::splat(1.0) / c_d, R::zero());
        let k_d = strained.select(mu * (step.h * step.h), R::zero());
        let g = nodal(&scale(&f, per_c), &b);
        let delta = multiplier_change(k_d, c_d, &g, w, gamma, &moved, multipliers[0]);
        multipliers[0] = multipliers[0] + delta;
        for k in 0..4 {
            let change = g[k] * (w[k] * delta);
            x[k] = x[k] + change;
            moved[k] = moved[k] + change;
        }

        let f = product(&[x[1] - x[0], x[2] - x[0], x[3] - x[0]], &transpose(&b));
        let cof = cofactor(&f);
        let c_h = f[0].dot(cof[0]) - 1.0 - mu / lambda;
        let g = nodal(&cof, &b);
        let k_h = lambda * (step.h * step.h);
        let delta = multiplier_change(k_h, c_h, &g, w, gamma, &moved, multipliers[1]);
        multipliers[1] = multipliers[1] + delta;
        for k in 0..4 {
            x[k] = x[k] + g[k] * (w[k] * delta);
        }
    }

    /// The energy of both constraints differs from that of [`NeoHookean`] by a constant; at rest it is 0.
    #[inline(always)]
    fn energy<R: Real>(block: &TetBlock, lane: usize, x: &[V3<R>; 4]) -> R {
        NeoHookean::energy(block, lane, x)
    }
}

/// Δλ with stiffness `k = 1/α̃`: `-(k C + λ + k γ ∇C·moved) / (k (1+γ) Σ w |∇C|² + 1)`.
#[inline(always)]
fn multiplier_change<R: Real>(
    k: R,
    c: R,
    g: &[V3<R>; 4],
    w: &[R; 4],
    gamma: R,
    moved: &[V3<R>; 4],
    multiplier: R,
) -> R {
    let r = k * (c + gamma * along(g, moved)) + multiplier;
    -r / (k * (gamma + 1.0) * weighted(w, g, g) + 1.0)
}
