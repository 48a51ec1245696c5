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
//! Its determinant is at least 1.
//!
//! **Collapse.** The energy has a local minimum at F = 0; uniform scaling by less than t = μ/(2μ+λ) falls into
//! it. There (|F| < 2t) the deviatoric constraint is C_D = |F - R|, α_D = 1/(2μV), R the rotation nearest to F.

use crate::plan::{Lane, TetBlock};

use super::lanes::{F, M3, Mask, V3, combine};
use super::rotation::nearest_rotation;
use super::sweep::{Kernel, Step};

/// The kernel; see the module documentation.
pub(crate) struct NeoHookean;

/// What the constraints need to know of F.
struct Strain<const N: usize> {
    /// cof F.
    cof: M3<N>,
    /// C_D ∇_F C_D.
    p: M3<N>,
    /// C_D².
    c2: F<N>,
    /// J - 1.
    j: F<N>,
    /// μV, twice where the element has collapsed.
    mu: F<N>,
}

/// The strain of elements with edges `d`. With `RECOVER`, collapsed elements get the constraint that restores them.
#[inline(always)]
fn strain<const N: usize, const RECOVER: bool>(block: &TetBlock, lane: usize, d: M3<N>) -> Strain<N> {
    let b: M3<N> = [0, 3, 6].map(|k| V3::load(&block.rest_inverse[k..k + 3], lane));
    let u: M3<N> = std::array::from_fn(|k| d[k] - V3::load(&block.rest_edges[3 * k..3 * k + 3], lane));
    let mu = F::load(&block.mu_volume, lane);

    let e = [
        combine(&u, V3 { x: b[0].x, y: b[1].x, z: b[2].x }),
        combine(&u, V3 { x: b[0].y, y: b[1].y, z: b[2].y }),
        combine(&u, V3 { x: b[0].z, y: b[1].z, z: b[2].z }),
    ];
    let mut f = e;
    f[0].x = f[0].x + 1.0;
    f[1].y = f[1].y + 1.0;
    f[2].z = f[2].z + 1.0;
    let cof = [f[1].cross(f[2]), f[2].cross(f[0]), f[0].cross(f[1])];
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
    let per_det = F::splat(1.0) / det;
    let mut strain = Strain {
        cof,
        p: s.map(|column| combine(&cof, column) * per_det),
        c2: (jj + (j * trace - higher) * 2.0 / (j + 2.0)).max(0.0),
        j,
        mu,
    };
    let near = det.gt(0.5).and(trace.lt(F::splat(4.5)));
    if !near.all() {
        far_from_rest::<N, RECOVER>(&mut strain, near, &f, det, F::load(&block.lambda_volume, lane));
    }
    strain
}

/// The direct formulas, and recovery, for the lanes that are not `near`.
#[inline(always)]
fn far_from_rest<const N: usize, const RECOVER: bool>(
    strain: &mut Strain<N>,
    near: Mask<N>,
    f: &M3<N>,
    det: F<N>,
    lambda: F<N>,
) {
    let square = f[0].dot(f[0]) + f[1].dot(f[1]) + f[2].dot(f[2]);
    let mut p: M3<N> = std::array::from_fn(|k| f[k] + strain.cof[k] * (det - 2.0));
    let mut c2 = (square + (det - 4.0) * det).max(0.0);
    if RECOVER {
        let t = strain.mu * 2.0 / (strain.mu * 2.0 + lambda);
        let collapsed = square.lt(t * t);
        if collapsed.any() {
            let r = nearest_rotation(f);
            let away: M3<N> = std::array::from_fn(|k| f[k] - r[k]);
            let away2 = away[0].dot(away[0]) + away[1].dot(away[1]) + away[2].dot(away[2]);
            p = std::array::from_fn(|k| collapsed.select3(away[k], p[k]));
            c2 = collapsed.select(away2, c2);
            strain.mu = collapsed.select(strain.mu * 2.0, strain.mu);
        }
    }
    strain.p = std::array::from_fn(|k| near.select3(strain.p[k], p[k]));
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
    fn project<const N: usize, const DAMPED: bool>(
        block: &TetBlock,
        lane: usize,
        step: Step,
        x: &mut [V3<N>; 4],
        w: &[F<N>; 4],
        moved: &[V3<N>; 4],
        multipliers: &mut [F<N>; 2],
    ) {
        let strain = strain::<N, true>(block, lane, [x[1] - x[0], x[2] - x[0], x[3] - x[0]]);
        let b: M3<N> = [0, 3, 6].map(|k| V3::load(&block.rest_inverse[k..k + 3], lane));

        // A deviatoric gradient without direction gets no stiffness: only its multiplier is given up.
        let strained = strain.c2.gt(1e-30);
        let c_d = strain.c2.sqrt();
        let per_c = strained.select(F::splat(1.0) / c_d, F::ZERO);
        let k_d = strained.select(strain.mu * (step.h * step.h), F::ZERO);
        let k_h = F::load(&block.lambda_volume, lane) * (step.h * step.h);

        let p = strain.p.map(|column| column * per_c);
        let d = nodal(&p, &b);
        let h = nodal(&strain.cof, &b);
        let sum = |a: &[V3<N>; 4], b: &[V3<N>; 4]| {
            w[0] * a[0].dot(b[0]) + w[1] * a[1].dot(b[1]) + w[2] * a[2].dot(b[2]) + w[3] * a[3].dot(b[3])
        };
        let (mut a_dd, mut a_dh, mut a_hh) = (sum(&d, &d), sum(&d, &h), sum(&h, &h));
        let mut r_d = k_d * c_d + multipliers[0];
        let mut r_h = k_h * strain.j + multipliers[1];
        if DAMPED {
            let gamma = F::load(&block.damping, lane) / step.h;
            let along = |g: &[V3<N>; 4]| {
                g[0].dot(moved[0]) + g[1].dot(moved[1]) + g[2].dot(moved[2]) + g[3].dot(moved[3])
            };
            r_d = r_d + k_d * gamma * along(&d);
            r_h = r_h + k_h * gamma * along(&h);
            a_dd = a_dd * (gamma + 1.0);
            a_dh = a_dh * (gamma + 1.0);
            a_hh = a_hh * (gamma + 1.0);
        }
        let (m_dd, m_dh, m_hd, m_hh) = (k_d * a_dd, k_d * a_dh, k_h * a_dh, k_h * a_hh);
        let det = (m_dd * m_hh - m_dh * m_hd).max(0.0) + m_dd + m_hh + 1.0;
        let per_det = F::splat(-1.0) / det;
        let delta_d = ((m_hh + 1.0) * r_d - m_dh * r_h) * per_det;
        let delta_h = ((m_dd + 1.0) * r_h - m_hd * r_d) * per_det;

        multipliers[0] = multipliers[0] + delta_d;
        multipliers[1] = multipliers[1] + delta_h;
        for k in 0..4 {
            x[k] = x[k] + d[k] * (w[k] * delta_d) + h[k] * (w[k] * delta_h);
        }
    }

    #[inline(always)]
    fn energy<const N: usize>(block: &TetBlock, lane: usize, x: &[V3<N>; 4]) -> F<N> {
        let strain = strain::<N, false>(block, lane, [x[1] - x[0], x[2] - x[0], x[3] - x[0]]);
        (strain.mu * strain.c2 + F::load(&block.lambda_volume, lane) * strain.j * strain.j) * 0.5
    }
}

/// Gradients at the four particles of a function of F whose gradient is `p`.
#[inline(always)]
pub(super) fn nodal<const N: usize>(p: &M3<N>, b: &M3<N>) -> [V3<N>; 4] {
    let [g1, g2, g3] = b.map(|row| combine(p, row));
    [-(g1 + g2 + g3), g1, g2, g3]
}
