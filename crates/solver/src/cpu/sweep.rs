//! How a kernel walks over its constraints: colour by colour, the blocks of a colour shared among threads.
//!
//! Constraints of one colour share no movable particle, and a particle of zero inverse mass is never written: whatever
//! thread solves a block, it reads and writes the same numbers. Results do not depend on the number of threads.

use std::marker::PhantomData;

use bytemuck::Pod;
use rayon::prelude::*;

use crate::plan::{Batches, Colour, LANES, Lane};

#[cfg(target_arch = "x86_64")]
use super::lanes::{F32x4, F32x8};
use super::lanes::{Mask, Particle, Portable, Real, V3, along, weighted};

/// Blocks that a thread takes at a time; a colour of up to this many is not shared.
const BLOCKS_AT_A_TIME: usize = 32;

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

    /// Solves constraints from `lane` on: `x` and `multipliers` are brought up to date. `w`: inverse masses;
    /// `moved`: `x - x_prev` where constraints are damped.
    fn project<R: Real>(
        block: &Self::Block,
        lane: usize,
        step: Step,
        x: &mut [V3<R>; K],
        w: &[R; K],
        moved: Option<&[V3<R>; K]>,
        multipliers: &mut [R; M],
    );

    /// Energy of constraints from `lane` on, joule.
    fn energy<R: Real>(block: &Self::Block, lane: usize, x: &[V3<R>; K]) -> R;
}

/// One constraint with one multiplier, in compliance form (XPBD, equations 18 and 26):
/// `Δλ = -(C + α̃ λ + γ ∇C·moved) / ((1+γ) Σ w |∇C|² + α̃)`; nothing where the denominator is zero. The sum is taken
/// to be at least `floor`.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "the terms of the equation")]
pub(crate) fn solve_one<R: Real, const K: usize>(
    c: R,
    gradients: &[V3<R>; K],
    floor: R,
    compliance: R,
    gamma: R,
    x: &mut [V3<R>; K],
    w: &[R; K],
    moved: Option<&[V3<R>; K]>,
    multipliers: &mut [R; 1],
) {
    let a = weighted(w, gradients, gradients);
    let mut a = a.lt(floor).select(floor, a);
    let mut r = c + compliance * multipliers[0];
    if let Some(moved) = moved {
        r = r + gamma * along(gradients, moved);
        a = a * (gamma + 1.0);
    }
    let denominator = a + compliance;
    let delta = denominator.gt(0.0).select(-r / denominator, R::zero());
    multipliers[0] = multipliers[0] + delta;
    for k in 0..K {
        x[k] = x[k] + gradients[k] * (w[k] * delta);
    }
}

/// Particles that several threads read and write, each its own.
struct Shared<'a> {
    particles: *mut Particle,
    borrowed: PhantomData<&'a mut [Particle]>,
}

// SAFETY: whoever uses the pointer sees to it that no particle is written by one thread while another accesses it; it
// may be sent anywhere for as long as the particles are borrowed.
unsafe impl Sync for Shared<'_> {}

/// Instruction sets that kernels are compiled for; all of them give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// What every machine of the architecture has, 4 lanes.
    Base,
    /// AVX2, 8 lanes.
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Width {
    /// All that this machine can run, the widest last.
    pub(crate) fn available() -> Vec<Width> {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            return vec![Width::Base, Width::Avx2];
        }
        vec![Width::Base]
    }

    /// Name for people.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Width::Base => "4 lanes",
            #[cfg(target_arch = "x86_64")]
            Width::Avx2 => "AVX2, 8 lanes",
        }
    }
}

#[cfg(target_arch = "x86_64")]
type BaseLanes = F32x4;
#[cfg(not(target_arch = "x86_64"))]
type BaseLanes = Portable<4>;

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
    let shared = Shared { particles: particles.as_mut_ptr(), borrowed: PhantomData };
    // SAFETY: that `solve` runs on this machine, and may use the ranks in the blocks, is this function's contract.
    let solve = |chunk: Chunk<'_, C::Block, M>, shared: &Shared<'_>| unsafe {
        match width {
            Width::Base => solve_chunk::<BaseLanes, K, M, C>(chunk, shared, previous, step),
            #[cfg(target_arch = "x86_64")]
            Width::Avx2 => solve_avx2::<K, M, C>(chunk, shared, previous, step),
        }
    };
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
    unsafe { solve_chunk::<Portable<1>, K, M, C>(serial, &shared, previous, step) }
}

/// [`solve_chunk`] for AVX2.
///
/// # Safety
/// As [`solve_chunk`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn solve_avx2<const K: usize, const M: usize, C: Kernel<K, M>>(
    chunk: Chunk<'_, C::Block, M>,
    shared: &Shared<'_>,
    previous: Option<&[Particle]>,
    step: Step,
) {
    // SAFETY: the caller's.
    unsafe { solve_chunk::<F32x8, K, M, C>(chunk, shared, previous, step) }
}

/// Solves the constraints of a chunk, as many at a time as `R` has lanes.
///
/// # Safety
/// All ranks in the blocks are in bounds of the particles (and of `previous`), no two constraints that are solved
/// together share a particle of positive inverse mass, and no other thread accesses such particles meanwhile.
#[inline(always)]
unsafe fn solve_chunk<R: Real, const K: usize, const M: usize, C: Kernel<K, M>>(
    chunk: Chunk<'_, C::Block, M>,
    shared: &Shared<'_>,
    previous: Option<&[Particle]>,
    step: Step,
) {
    let mut left = chunk.len;
    for (block, multipliers) in chunk.blocks.iter().zip(chunk.multipliers) {
        for lane in (0..LANES.min(left)).step_by(R::LANES) {
            let valid = (left - lane).min(R::LANES);
            // SAFETY: the caller's.
            unsafe { solve_lanes::<R, K, M, C>(block, multipliers, lane, valid, shared, previous, step) };
        }
        left = left.saturating_sub(LANES);
    }
}

/// Solves constraints from `lane` on, of which `valid` are in use.
///
/// # Safety
/// As [`solve_chunk`].
#[inline(always)]
unsafe fn solve_lanes<R: Real, const K: usize, const M: usize, C: Kernel<K, M>>(
    block: &C::Block,
    multipliers: &mut [Lane<f32>; M],
    lane: usize,
    valid: usize,
    shared: &Shared<'_>,
    previous: Option<&[Particle]>,
    step: Step,
) {
    let ranks = C::particles(block);
    let mut x = [V3::zero(); K];
    let mut w = [R::zero(); K];
    let mut all_move = true;
    for k in 0..K {
        let at = &ranks[k][lane..lane + R::LANES];
        // SAFETY: in bounds, and particles that other threads write are not among these, by the contract.
        let [px, py, pz, pw] = unsafe { R::gather(shared.particles, at) };
        x[k] = V3 { x: px, y: py, z: pz };
        w[k] = pw;
        all_move &= pw.gt(0.0).all();
    }
    let mut lambda = [R::zero(); M];
    if !step.fresh {
        for m in 0..M {
            lambda[m] = R::load(&multipliers[m], lane);
        }
    }
    if let Some(previous) = previous {
        let mut moved = x;
        for k in 0..K {
            // SAFETY: in bounds by the contract; nobody writes these.
            let [qx, qy, qz, _] = unsafe { R::gather(previous.as_ptr(), &ranks[k][lane..lane + R::LANES]) };
            moved[k] = x[k] - V3 { x: qx, y: qy, z: qz };
        }
        C::project(block, lane, step, &mut x, &w, Some(&moved), &mut lambda);
    } else {
        C::project(block, lane, step, &mut x, &w, None, &mut lambda);
    }
    for m in 0..M {
        lambda[m].store(&mut multipliers[m], lane);
    }
    for k in 0..K {
        let fields = [x[k].x, x[k].y, x[k].z, w[k]];
        let to = &ranks[k][lane..lane + R::LANES];
        if all_move && valid == R::LANES {
            // SAFETY: in bounds, and only this thread accesses these particles, by the contract.
            unsafe { R::scatter(fields, shared.particles, to) };
        } else {
            let mut lanes = [[0.0; LANES]; 4];
            for i in 0..4 {
                fields[i].store(&mut lanes[i], 0);
            }
            for l in 0..valid {
                // Particles without inverse mass may belong to several constraints at once: they are only read.
                if lanes[3][l] > 0.0 {
                    let particle = [lanes[0][l], lanes[1][l], lanes[2][l], lanes[3][l]];
                    // SAFETY: as above.
                    unsafe { *shared.particles.add(to[l] as usize) = particle };
                }
            }
        }
    }
}

/// Energy of all constraints of one kind, joule: a sum in double precision, in slot order.
pub(crate) fn energy<const K: usize, const M: usize, C: Kernel<K, M>>(
    batches: &Batches<C::Block>,
    particles: &[Particle],
) -> f64 {
    const BLOCKS: usize = 256;
    let mut used = vec![0usize; batches.blocks.len()];
    for c in batches.colours.iter().chain([&batches.serial]) {
        for i in 0..c.len.div_ceil(LANES as u32) as usize {
            used[c.first as usize / LANES + i] = (c.len as usize - i * LANES).min(LANES);
        }
    }
    let chunk = |(blocks, used): (&[C::Block], &[usize])| {
        let mut sum = 0.0;
        for (block, &used) in blocks.iter().zip(used) {
            let mut lanes = [0.0; LANES];
            for lane in (0..LANES).step_by(BaseLanes::LANES) {
                let mut x = [V3::zero(); K];
                for k in 0..K {
                    let ranks = &C::particles(block)[k][lane..lane + BaseLanes::LANES];
                    assert!(ranks.iter().all(|&r| (r as usize) < particles.len()));
                    // SAFETY: in bounds, as was just asserted.
                    let [px, py, pz, _] = unsafe { BaseLanes::gather(particles.as_ptr(), ranks) };
                    x[k] = V3 { x: px, y: py, z: pz };
                }
                C::energy(block, lane, &x).store(&mut lanes, lane);
            }
            sum += lanes[..used].iter().map(|&e| e as f64).sum::<f64>();
        }
        sum
    };
    let parts: Vec<f64> = batches.blocks.par_chunks(BLOCKS).zip(used.par_chunks(BLOCKS)).map(chunk).collect();
    parts.iter().sum()
}
