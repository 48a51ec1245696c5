//! How a kernel walks over its constraints: colour by colour, the blocks of a colour shared among threads.
//!
//! Constraints of one colour share no movable particle, and a particle of zero inverse mass is never written: whatever
//! thread solves a block, it reads and writes the same numbers. Results do not depend on the number of threads.

use std::marker::PhantomData;

use bytemuck::Pod;
use rayon::prelude::*;

use crate::plan::{Batches, Colour, LANES, Lane};

use super::lanes::{F, V3};

/// Blocks that a thread takes at a time; a colour of up to this many is not shared.
const BLOCKS_AT_A_TIME: usize = 32;

/// Position and inverse mass.
pub(crate) type Particle = [f32; 4];

/// What constraints need to know of the substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// Substep, seconds.
    pub h: f32,
    /// Whether multipliers are to be taken as zero: the first iteration of a substep.
    pub fresh: bool,
}

/// One kind of constraint over `K` particles with `M` multipliers.
pub(crate) trait Kernel<const K: usize, const M: usize> {
    /// Its data.
    type Block: Pod + Sync;

    /// Ranks of the particles.
    fn particles(block: &Self::Block) -> &[Lane<u32>; K];

    /// Solves `N` constraints from `lane` on: `x` and `multipliers` are brought up to date. `w`: inverse masses;
    /// `moved`: `x - x_prev`, zero unless `DAMPED`.
    fn project<const N: usize, const DAMPED: bool>(
        block: &Self::Block,
        lane: usize,
        step: Step,
        x: &mut [V3<N>; K],
        w: &[F<N>; K],
        moved: &[V3<N>; K],
        multipliers: &mut [F<N>; M],
    );

    /// Energy of `N` constraints, joule.
    fn energy<const N: usize>(block: &Self::Block, lane: usize, x: &[V3<N>; K]) -> F<N>;
}

/// One constraint with one multiplier, in compliance form (XPBD, equations 18 and 26):
/// `Δλ = -(C + α̃ λ + γ ∇C·moved) / ((1+γ) Σ w |∇C|² + α̃)`; nothing where the denominator is zero.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "the terms of the equation")]
pub(crate) fn solve_one<const N: usize, const K: usize>(
    c: F<N>,
    gradients: &[V3<N>; K],
    compliance: F<N>,
    damping: Option<F<N>>,
    x: &mut [V3<N>; K],
    w: &[F<N>; K],
    moved: &[V3<N>; K],
    multipliers: &mut [F<N>; 1],
) {
    let mut a = F::ZERO;
    for k in 0..K {
        a = a + w[k] * gradients[k].dot(gradients[k]);
    }
    let mut r = c + compliance * multipliers[0];
    if let Some(gamma) = damping {
        let mut along = F::ZERO;
        for k in 0..K {
            along = along + gradients[k].dot(moved[k]);
        }
        r = r + gamma * along;
        a = a * (gamma + 1.0);
    }
    let denominator = a + compliance;
    let delta = denominator.gt(0.0).select(-r / denominator, F::ZERO);
    multipliers[0] = multipliers[0] + delta;
    for k in 0..K {
        x[k] = x[k] + gradients[k] * (w[k] * delta);
    }
}

/// Particles that several threads write at once, each to its own.
struct Shared<'a> {
    particles: *mut Particle,
    #[cfg(debug_assertions)]
    len: usize,
    borrowed: PhantomData<&'a mut [Particle]>,
}

// SAFETY: `load` and `store` leave it to their callers that no particle is written by one thread while another
// accesses it; the pointer itself may be sent anywhere for as long as the particles are borrowed.
unsafe impl Sync for Shared<'_> {}

impl<'a> Shared<'a> {
    fn new(particles: &'a mut [Particle]) -> Self {
        Shared {
            particles: particles.as_mut_ptr(),
            #[cfg(debug_assertions)]
            len: particles.len(),
            borrowed: PhantomData,
        }
    }

    /// # Safety
    /// `rank` is below the number of particles, and no other thread writes that particle meanwhile.
    #[inline(always)]
    unsafe fn load(&self, rank: u32) -> Particle {
        #[cfg(debug_assertions)]
        assert!((rank as usize) < self.len);
        // SAFETY: in bounds and not written meanwhile, by the contract.
        unsafe { *self.particles.add(rank as usize) }
    }

    /// # Safety
    /// `rank` is below the number of particles, and no other thread accesses that particle meanwhile.
    #[inline(always)]
    unsafe fn store(&self, rank: u32, particle: Particle) {
        #[cfg(debug_assertions)]
        assert!((rank as usize) < self.len);
        // SAFETY: in bounds and not accessed meanwhile, by the contract.
        unsafe { *self.particles.add(rank as usize) = particle }
    }
}

/// Instruction sets that kernels are compiled for; all of them give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// What every machine of the architecture has, 4 lanes.
    Base,
    /// AVX2, 8 lanes.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX-512, 16 lanes.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Width {
    /// All that this machine can run, the widest last.
    pub(crate) fn available() -> Vec<Width> {
        let mut widths = vec![Width::Base];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                widths.push(Width::Avx2);
            }
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
                widths.push(Width::Avx512);
            }
        }
        widths
    }

    /// Name for people.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Width::Base => "4 lanes",
            #[cfg(target_arch = "x86_64")]
            Width::Avx2 => "AVX2, 8 lanes",
            #[cfg(target_arch = "x86_64")]
            Width::Avx512 => "AVX-512, 16 lanes",
        }
    }
}

/// Successive blocks of one colour, and their multipliers.
struct Chunk<'a, B, const M: usize> {
    blocks: &'a [B],
    multipliers: &'a mut [[Lane<f32>; M]],
    /// Constraints in these blocks, unused lanes not counted.
    len: usize,
}

/// Solves all constraints of one kind once. `multipliers`: one entry a block. `previous`: positions before the
/// substep, needed when `damped`.
///
/// # Safety
/// `batches` belongs to a [`Plan`](crate::Plan) over exactly these particles, and this machine has `width`.
pub(crate) unsafe fn sweep<const K: usize, const M: usize, C: Kernel<K, M>>(
    batches: &Batches<C::Block>,
    multipliers: &mut [[Lane<f32>; M]],
    particles: &mut [Particle],
    previous: Option<&[Particle]>,
    step: Step,
    width: Width,
) {
    // SAFETY: that `solve` runs on this machine, and may use the ranks in the blocks, is this function's contract.
    let solve = |chunk: Chunk<'_, C::Block, M>, shared: &Shared<'_>| unsafe {
        match (width, previous) {
            (Width::Base, None) => solve_chunk::<4, false, K, M, C>(chunk, shared, &[], step),
            (Width::Base, Some(p)) => solve_chunk::<4, true, K, M, C>(chunk, shared, p, step),
            #[cfg(target_arch = "x86_64")]
            (Width::Avx2, None) => solve_avx2::<false, K, M, C>(chunk, shared, &[], step),
            #[cfg(target_arch = "x86_64")]
            (Width::Avx2, Some(p)) => solve_avx2::<true, K, M, C>(chunk, shared, p, step),
            #[cfg(target_arch = "x86_64")]
            (Width::Avx512, None) => solve_avx512::<false, K, M, C>(chunk, shared, &[], step),
            #[cfg(target_arch = "x86_64")]
            (Width::Avx512, Some(p)) => solve_avx512::<true, K, M, C>(chunk, shared, p, step),
        }
    };
    let shared = Shared::new(particles);
    let range = |c: &Colour| c.first as usize / LANES..(c.first + c.len).div_ceil(LANES as u32) as usize;
    for colour in &batches.colours {
        let len = colour.len as usize;
        let blocks = &batches.blocks[range(colour)];
        let multipliers = &mut multipliers[range(colour)];
        if blocks.len() <= BLOCKS_AT_A_TIME {
            solve(Chunk { blocks, multipliers, len }, &shared);
            continue;
        }
        blocks
            .par_chunks(BLOCKS_AT_A_TIME)
            .zip(multipliers.par_chunks_mut(BLOCKS_AT_A_TIME))
            .enumerate()
            .for_each(|(i, (blocks, multipliers))| {
                let len = (len - i * BLOCKS_AT_A_TIME * LANES).min(BLOCKS_AT_A_TIME * LANES);
                solve(Chunk { blocks, multipliers, len }, &shared);
            });
    }
    let serial = Chunk {
        blocks: &batches.blocks[range(&batches.serial)],
        multipliers: &mut multipliers[range(&batches.serial)],
        len: batches.serial.len as usize,
    };
    // SAFETY: as above; one lane at a time, in slot order.
    unsafe {
        match previous {
            None => solve_chunk::<1, false, K, M, C>(serial, &shared, &[], step),
            Some(p) => solve_chunk::<1, true, K, M, C>(serial, &shared, p, step),
        }
    }
}

/// [`solve_chunk`] for AVX2.
///
/// # Safety
/// As [`solve_chunk`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn solve_avx2<const DAMPED: bool, const K: usize, const M: usize, C: Kernel<K, M>>(
    chunk: Chunk<'_, C::Block, M>,
    particles: &Shared<'_>,
    previous: &[Particle],
    step: Step,
) {
    // SAFETY: the caller's.
    unsafe { solve_chunk::<8, DAMPED, K, M, C>(chunk, particles, previous, step) }
}

/// [`solve_chunk`] for AVX-512.
///
/// # Safety
/// As [`solve_chunk`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl")]
unsafe fn solve_avx512<const DAMPED: bool, const K: usize, const M: usize, C: Kernel<K, M>>(
    chunk: Chunk<'_, C::Block, M>,
    particles: &Shared<'_>,
    previous: &[Particle],
    step: Step,
) {
    // SAFETY: the caller's.
    unsafe { solve_chunk::<16, DAMPED, K, M, C>(chunk, particles, previous, step) }
}

/// Solves the constraints of a chunk, `N` at a time.
///
/// # Safety
/// All ranks in the blocks are below the number of particles, no two of `N` successive constraints share a particle of
/// positive inverse mass, and no other thread accesses such particles meanwhile.
#[inline(always)]
unsafe fn solve_chunk<const N: usize, const DAMPED: bool, const K: usize, const M: usize, C: Kernel<K, M>>(
    chunk: Chunk<'_, C::Block, M>,
    particles: &Shared<'_>,
    previous: &[Particle],
    step: Step,
) {
    for (i, (block, multipliers)) in chunk.blocks.iter().zip(chunk.multipliers).enumerate() {
        for lane in (0..LANES).step_by(N) {
            let before = i * LANES + lane;
            if before >= chunk.len {
                break;
            }
            let ranks: [[u32; N]; K] = std::array::from_fn(|k| {
                let of = &C::particles(block)[k];
                std::array::from_fn(|l| of[lane + l])
            });
            let mut x = [V3::<N>::ZERO; K];
            let mut w = [F::<N>::ZERO; K];
            for k in 0..K {
                // SAFETY: ranks in bounds, by the contract.
                let at: [Particle; N] = std::array::from_fn(|l| unsafe { particles.load(ranks[k][l]) });
                (x[k], w[k]) = split(&at);
            }
            let mut moved = [V3::<N>::ZERO; K];
            if DAMPED {
                for k in 0..K {
                    moved[k] = x[k] - split(&std::array::from_fn(|l| previous[ranks[k][l] as usize])).0;
                }
            }
            let mut lambda: [F<N>; M] =
                std::array::from_fn(|m| if step.fresh { F::ZERO } else { F::load(&multipliers[m], lane) });
            C::project::<N, DAMPED>(block, lane, step, &mut x, &w, &moved, &mut lambda);
            for m in 0..M {
                multipliers[m][lane..lane + N].copy_from_slice(&lambda[m].0);
            }
            let all_move = w.iter().all(|w| w.gt(0.0).all());
            if all_move && chunk.len - before >= N {
                for k in 0..K {
                    let to = join(x[k], w[k]);
                    for l in 0..N {
                        // SAFETY: in bounds, and only this thread accesses the particle, by the contract.
                        unsafe { particles.store(ranks[k][l], to[l]) };
                    }
                }
            } else {
                for k in 0..K {
                    let to = join(x[k], w[k]);
                    for l in 0..N.min(chunk.len - before) {
                        if w[k].0[l] > 0.0 {
                            // SAFETY: as above; particles that several constraints share are not written.
                            unsafe { particles.store(ranks[k][l], to[l]) };
                        }
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn split<const N: usize>(particles: &[Particle; N]) -> (V3<N>, F<N>) {
    let field = |i: usize| F(std::array::from_fn(|l| particles[l][i]));
    (V3 { x: field(0), y: field(1), z: field(2) }, field(3))
}

#[inline(always)]
fn join<const N: usize>(x: V3<N>, w: F<N>) -> [Particle; N] {
    std::array::from_fn(|l| [x.x.0[l], x.y.0[l], x.z.0[l], w.0[l]])
}

/// Energy of all constraints of one kind, joule: a sum in double precision, in slot order.
pub(crate) fn energy<const K: usize, const M: usize, C: Kernel<K, M>>(
    batches: &Batches<C::Block>,
    particles: &[Particle],
) -> f64 {
    const BLOCKS: usize = 256;
    let mut lens = vec![0usize; batches.blocks.len()];
    for c in batches.colours.iter().chain([&batches.serial]) {
        for i in 0..c.len.div_ceil(LANES as u32) as usize {
            lens[c.first as usize / LANES + i] = (c.len as usize - i * LANES).min(LANES);
        }
    }
    let chunk = |(blocks, lens): (&[C::Block], &[usize])| {
        let mut sum = 0.0;
        for (block, &len) in blocks.iter().zip(lens) {
            for lane in (0..LANES).step_by(4) {
                let x: [V3<4>; K] = std::array::from_fn(|k| {
                    let of = &C::particles(block)[k];
                    split(&std::array::from_fn(|l| particles[of[lane + l] as usize])).0
                });
                let energy = C::energy::<4>(block, lane, &x);
                for l in 0..4.min(len.saturating_sub(lane)) {
                    sum += energy.0[l] as f64;
                }
            }
        }
        sum
    };
    let parts: Vec<f64> = batches.blocks.par_chunks(BLOCKS).zip(lens.par_chunks(BLOCKS)).map(chunk).collect();
    parts.iter().sum()
}
