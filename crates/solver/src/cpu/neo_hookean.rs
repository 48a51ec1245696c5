//! Neo-Hookean tetrahedron, split so that both constraints vanish at rest, solved as a 2×2 block.
//!
//! With F = D_s D_m⁻¹, J = det F, Lamé parameters μ and λ and rest volume V:
//!
//! ```text
//! C_D = √(tr FᵀF + J² - 4J)    C_D ∇_F C_D = F + (J - 2) cof F =: P    α_D = 1/(μV)
//! C_H = J - 1                  ∇_F C_H = cof F                         α_H = 1/(λV)
//! ```
//!
//! ½C_D²/α_D + ½C_H²/α_H is the energy of Macklin & Müller, "A constraint-based formulation of stable Neo-Hookean
//! materials" (MIG 2021), with their λ' = λ + μ, up to a constant; its linearisation is Hooke's law with μ and λ. Their
//! constraints do not vanish at rest and pull against each other there; these leave the rest pose alone.
//!
//! **Near rest** C_D² and P cancel. With E = (D_s - D_m) D_m⁻¹, the Green strain G = ½(E + Eᵀ + EᵀE),
//! c₂(G) = ½(tr²G - |G|²), d = 2 tr G + 4 c₂ + 8 det G = J² - 1 and j = J - 1 = d/(2 + j):
//!
//! ```text
//! C_D² = j² + 2 (j tr G - 4 c₂ - 8 det G)/(2 + j)  (= 2|G|² to leading order)    P = cof F (2G + j² I)/J
//! ```
//!
//! vanish exactly where G does, so that a body at rest stays at rest and a rotated one is at rest to rounding.
//!
//! **The 2×2 block**, with k = (μVh², λVh²) in place of compliances, which may be infinite (ν = 0), and A_ij = Σ w ∇C_i·∇C_j:
//! (I + k (1+γ) A) Δλ = -(k C + λ + k γ ∇C·(x - x_prev)), γ = damping time / h (Macklin et al. 2016, equation 26).
//! It is solved by elimination; both pivots are at least 1, since A is positive semidefinite.
//!
//! **Beyond any material.** The energy has a local minimum at F = 0; uniform scaling by less than t = μ/(2μ+λ) falls
//! into it. And J² grows as |F|⁶, too steep for Gauss-Seidel. Where |F| < 2t or |F| > 30, the deviatoric constraint is
//! therefore C_D = |F - R|, α_D = 1/(2μV), R the rotation nearest to F; where |F| > 30 there is no hydrostatic one, and what it has
//! pushed in this substep is forgotten.

use crate::plan::{Lane, TetBlock};

use super::lanes::{
    M3, Mask, Real, V3, along, cofactor, load9, minus, product, scale, select9, square, transpose, weighted,
};
use super::rotation::nearest_rotation;
use super::sweep::{Kernel, Step};

/// The kernel; see the module documentation.
pub(crate) struct NeoHookean;

/// What the constraints need to know of F.
struct Strain<R> {
    /// cof F.
    cof: M3<R>,
    /// C_D ∇_F C_D.
    p: M3<R>,
    /// C_D².
    c2: R,
    /// J - 1.
    j: R,
    /// μV, or what stands for it beyond any material.
    mu: R,
    /// λV, likewise.
    lambda: R,
}

/// The strain of elements with edges `d`. With `RECOVER`, elements beyond any material get the constraint that restores them.
#[inline(always)]
fn strain<R: Real, const RECOVER: bool>(block: &TetBlock, lane: usize, d: M3<R>) -> Strain<R> {
    let u = minus(&d, &load9(&block.rest_edges, lane));
    let e = product(&u, &transpose(&load9(&block.rest_inverse, lane)));
    let mut f = e;
    f[0].x = f[0].x + 1.0;
    f[1].y = f[1].y + 1.0;
    f[2].z = f[2].z + 1.0;
    let cof = cofactor(&f);
    let det = f[0].dot(cof[0]);

    let g00 = e[0].x + e[0].dot(e[0]) * 0.5;
    let g11 = e[1].y + e[1].dot(e[1]) * 0.5;
    let g22 = e[2].z + e[2].dot(e[2]) * 0.5;
    let g01 = (e[1].x + e[0].y + e[0].dot(e[1])) * 0.5;
    let g02 = (e[2].x + e[0].z + e[0].dot(e[2])) * 0.5;
    let g12 = (e[2].y + e[1].z + e[1].dot(e[2])) * 0.5;
    let trace = g00 + g11 + g22;
    let m0 = g11 * g22 - g12 * g12;
    let m1 = g02 * g12 - g01 * g22;
    let m2 = g01 * g12 - g02 * g11;
    let minors = m0 + (g00 * g22 - g02 * g02) + (g00 * g11 - g01 * g01);
    let higher = minors * 4.0 + (g00 * m0 + g01 * m1 + g02 * m2) * 8.0;
    let grown = trace * 2.0 + higher;
    let j = grown / ((grown + 1.0).max(0.0).sqrt() + 1.0);

    let jj = j * j;
    let (s01, s02, s12) = (g01 * 2.0, g02 * 2.0, g12 * 2.0);
    let s = [
        V3 { x: g00 * 2.0 + jj, y: s01, z: s02 },
        V3 { x: s01, y: g11 * 2.0 + jj, z: s12 },
        V3 { x: s02, y: s12, z: g22 * 2.0 + jj },
    ];
    let per_det = R::splat(1.0) / det;
    let mut strain = Strain {
        cof,
        p: scale(&product(&cof, &s), per_det),
        c2: (jj + (j * trace - higher) * 2.0 / (j + 2.0)).max(0.0),
        j,
        mu: R::load(&block.mu_volume, lane),
        lambda: R::load(&block.lambda_volume, lane),
    };
    let near = det.gt(0.5).and(trace.lt(R::splat(4.5)));
    if !near.all() {
        far_from_rest::<R, RECOVER>(&mut strain, near, &f, det);
    }
    strain
}

/// The direct formulas, and recovery, for the lanes that are not `near`.
#[inline(always)]
fn far_from_rest<R: Real, const RECOVER: bool>(strain: &mut Strain<R>, near: R::Mask, f: &M3<R>, det: R) {
    let size2 = square(f);
    let pull = scale(&strain.cof, det - 2.0);
    let mut p = [f[0] + pull[0], f[1] + pull[1], f[2] + pull[2]];
    let mut c2 = (size2 + (det - 4.0) * det).max(0.0);
    if RECOVER {
        let t = strain.mu * 2.0 / (strain.mu * 2.0 + strain.lambda);
        let (collapsed, torn) = (size2.lt(t * t), size2.gt(900.0));
        if collapsed.any() || torn.any() {
            let away = minus(f, &nearest_rotation(f));
            let away2 = square(&away);
            p = select9::<R>(collapsed, &away, &select9::<R>(torn, &away, &p));
            c2 = collapsed.select(away2, torn.select(away2, c2));
            let twice = strain.mu * 2.0;
            strain.mu = collapsed.select(twice, torn.select(twice, strain.mu));
            strain.lambda = torn.select(R::zero(), strain.lambda);
            // Its multiplier is given up where it is: along gradients that have grown as |F|² it would throw the element apart.
            let nothing = [V3::zero(); 3];
            strain.cof = select9::<R>(torn, &nothing, &strain.cof);
        }
    }
    strain.p = select9::<R>(near, &strain.p, &p);
    strain.c2 = near.select(strain.c2, c2);
    strain.j = near.select(strain.j, det - 1.0);
}

impl Kernel<4, 2> for NeoHookean {
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
        let strain = strain::<R, true>(block, lane, [x[1] - x[0], x[2] - x[0], x[3] - x[0]]);
        let b = load9(&block.rest_inverse, lane);

        // A deviatoric gradient without direction gets no stiffness: only its multiplier is given up.
        let strained = strain.c2.gt(1e-30);
        let c_d = strain.c2.sqrt();
        let per_c = strained.select(R::splat(1.0) / c_d, R::zero());
        let k_d = strained.select(strain.mu * (step.h * step.h), R::zero());
        let k_h = strain.lambda * (step.h * step.h);

        let d = nodal(&scale(&strain.p, per_c), &b);
        let h = nodal(&strain.cof, &b);
        let (mut a_dd, mut a_dh, mut a_hh) = (weighted(w, &d, &d), weighted(w, &d, &h), weighted(w, &h, &h));
        let mut r_d = k_d * c_d + multipliers[0];
        let mut r_h = k_h * strain.j + multipliers[1];
        if let Some(moved) = moved {
            let gamma = R::load(&block.damping, lane) * (1.0 / step.h);
            r_d = r_d + k_d * gamma * along(&d, moved);
            r_h = r_h + k_h * gamma * along(&h, moved);
            a_dd = a_dd * (gamma + 1.0);
            a_dh = a_dh * (gamma + 1.0);
            a_hh = a_hh * (gamma + 1.0);
        }
        let (m_dd, m_dh, m_hd, m_hh) = (k_d * a_dd, k_d * a_dh, k_h * a_dh, k_h * a_hh);
        let per_h = R::splat(1.0) / (m_hh + 1.0);
        let schur = (m_dd - m_dh * (m_hd * per_h)).max(0.0) + 1.0;
        let delta_d = (m_dh * (r_h * per_h) - r_d) / schur;
        let delta_h = -(r_h + m_hd * delta_d) * per_h;

        multipliers[0] = multipliers[0] + delta_d;
        multipliers[1] = multipliers[1] + delta_h;
        for k in 0..4 {
            x[k] = x[k] + d[k] * (w[k] * delta_d) + h[k] * (w[k] * delta_h);
        }
    }

    #[inline(always)]
    fn energy<R: Real>(block: &TetBlock, lane: usize, x: &[V3<R>; 4]) -> R {
        let strain = strain::<R, false>(block, lane, [x[1] - x[0], x[2] - x[0], x[3] - x[0]]);
        (strain.mu * strain.c2 + strain.lambda * strain.j * strain.j) * 0.5
    }
}

/// Gradients at the four particles of a function of F whose gradient is `p`.
#[inline(always)]
pub(super) fn nodal<R: Real>(p: &M3<R>, b: &M3<R>) -> [V3<R>; 4] {
    let [g1, g2, g3] = product(p, b);
    [-(g1 + g2 + g3), g1, g2, g3]
}
