//! Lanes as vector registers of x86: 4 with SSE2, which every x86-64 has, and 8 with AVX.
//!
//! Values of [`F32x8`] are made and used only in functions compiled for AVX2, which are called only where the machine has it
//! (and in tests that ask first): that is the SAFETY of every intrinsic in this file.

use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Neg, Sub};

use super::{Mask, Particle, Real};

macro_rules! operator {
    ($lanes:ident, $set:ident, $trait:ident, $method:ident, $intrinsic:ident) => {
        impl $trait for $lanes {
            type Output = Self;
            #[inline(always)]
            fn $method(self, b: Self) -> Self {
                // SAFETY: see the module documentation.
                $lanes(unsafe { $intrinsic(self.0, b.0) })
            }
        }
        impl $trait<f32> for $lanes {
            type Output = Self;
            #[inline(always)]
            fn $method(self, b: f32) -> Self {
                // SAFETY: see the module documentation.
                $lanes(unsafe { $intrinsic(self.0, $set(b)) })
            }
        }
    };
}

macro_rules! lanes {
    (
        $(#[$doc:meta])* $lanes:ident, $truths:ident, $register:ident, $n:literal, set: $set:ident,
        add: $add:ident, sub: $sub:ident, mul: $mul:ident, div: $div:ident, sqrt: $sqrt:ident, max: $max:ident,
        load: $load:ident, store: $store:ident, xor: $xor:ident, andnot: $andnot:ident, and: $and:ident,
        movemask: $movemask:ident, lt: $lt:expr, select: $select:expr, gather: $gather:ident, scatter: $scatter:ident
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $lanes($register);

        /// All bits of a lane set where it is true.
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $truths($register);

        operator!($lanes, $set, Add, add, $add);
        operator!($lanes, $set, Sub, sub, $sub);
        operator!($lanes, $set, Mul, mul, $mul);
        operator!($lanes, $set, Div, div, $div);

        impl Neg for $lanes {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                // SAFETY: see the module documentation.
                $lanes(unsafe { $xor(self.0, $set(-0.0)) })
            }
        }

        impl Real for $lanes {
            const LANES: usize = $n;
            type Mask = $truths;

            #[inline(always)]
            fn splat(a: f32) -> Self {
                // SAFETY: see the module documentation.
                $lanes(unsafe { $set(a) })
            }
            #[inline(always)]
            fn load(field: &[f32], lane: usize) -> Self {
                let part = &field[lane..lane + $n];
                // SAFETY: `part` is that long.
                $lanes(unsafe { $load(part.as_ptr()) })
            }
            #[inline(always)]
            fn store(self, field: &mut [f32], lane: usize) {
                let part = &mut field[lane..lane + $n];
                // SAFETY: `part` is that long.
                unsafe { $store(part.as_mut_ptr(), self.0) }
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                // SAFETY: see the module documentation.
                $lanes(unsafe { $sqrt(self.0) })
            }
            #[inline(always)]
            fn abs(self) -> Self {
                // SAFETY: see the module documentation.
                $lanes(unsafe { $andnot($set(-0.0), self.0) })
            }
            #[inline(always)]
            fn max(self, b: f32) -> Self {
                // SAFETY: see the module documentation.
                $lanes(unsafe { $max(self.0, $set(b)) })
            }
            #[inline(always)]
            fn lt(self, b: Self) -> $truths {
                // SAFETY: see the module documentation.
                $truths(unsafe { $lt(self.0, b.0) })
            }
            #[inline(always)]
            unsafe fn gather(particles: *const Particle, ranks: &[u32]) -> [Self; 4] {
                assert!(ranks.len() == $n);
                // SAFETY: the ranks are in bounds and not written meanwhile, by the contract.
                unsafe { $gather(particles, ranks) }
            }
            #[inline(always)]
            unsafe fn scatter(fields: [Self; 4], particles: *mut Particle, ranks: &[u32]) {
                assert!(ranks.len() == $n);
                // SAFETY: the ranks are in bounds and not accessed meanwhile, by the contract.
                unsafe { $scatter(fields, particles, ranks) }
            }
        }

        impl Mask<$lanes> for $truths {
            #[inline(always)]
            fn select(self, yes: $lanes, no: $lanes) -> $lanes {
                $lanes($select(self.0, yes.0, no.0))
            }
            #[inline(always)]
            fn and(self, b: Self) -> Self {
                // SAFETY: see the module documentation.
                $truths(unsafe { $and(self.0, b.0) })
            }
            #[inline(always)]
            fn any(self) -> bool {
                // SAFETY: see the module documentation.
                unsafe { $movemask(self.0) != 0 }
            }
            #[inline(always)]
            fn all(self) -> bool {
                // SAFETY: see the module documentation.
                unsafe { $movemask(self.0) == (1 << $n) - 1 }
            }
        }
    };
}

lanes! {
    /// Four numbers.
    F32x4, Truth4, __m128, 4, set: _mm_set1_ps,
    add: _mm_add_ps, sub: _mm_sub_ps, mul: _mm_mul_ps, div: _mm_div_ps, sqrt: _mm_sqrt_ps, max: _mm_max_ps,
    load: _mm_loadu_ps, store: _mm_storeu_ps, xor: _mm_xor_ps, andnot: _mm_andnot_ps, and: _mm_and_ps,
    movemask: _mm_movemask_ps, lt: _mm_cmplt_ps, select: select4, gather: gather4, scatter: scatter4
}

lanes! {
    /// Eight numbers.
    F32x8, Truth8, __m256, 8, set: _mm256_set1_ps,
    add: _mm256_add_ps, sub: _mm256_sub_ps, mul: _mm256_mul_ps, div: _mm256_div_ps, sqrt: _mm256_sqrt_ps,
    max: _mm256_max_ps, load: _mm256_loadu_ps, store: _mm256_storeu_ps, xor: _mm256_xor_ps,
    andnot: _mm256_andnot_ps, and: _mm256_and_ps, movemask: _mm256_movemask_ps,
    lt: _mm256_cmp_ps::<_CMP_LT_OQ>, select: select8, gather: gather8, scatter: scatter8
}

#[inline(always)]
fn select4(mask: __m128, yes: __m128, no: __m128) -> __m128 {
    // SAFETY: see the module documentation.
    unsafe { _mm_or_ps(_mm_and_ps(mask, yes), _mm_andnot_ps(mask, no)) }
}

#[inline(always)]
fn select8(mask: __m256, yes: __m256, no: __m256) -> __m256 {
    // SAFETY: see the module documentation.
    unsafe { _mm256_blendv_ps(no, yes, mask) }
}

/// Four rows to four columns; also its own inverse.
#[inline(always)]
fn transpose4([a, b, c, d]: [__m128; 4]) -> [__m128; 4] {
    // SAFETY: see the module documentation.
    unsafe {
        let (ab, cd) = (_mm_unpacklo_ps(a, b), _mm_unpacklo_ps(c, d));
        let (ef, gh) = (_mm_unpackhi_ps(a, b), _mm_unpackhi_ps(c, d));
        [
            _mm_shuffle_ps::<0x44>(ab, cd),
            _mm_shuffle_ps::<0xEE>(ab, cd),
            _mm_shuffle_ps::<0x44>(ef, gh),
            _mm_shuffle_ps::<0xEE>(ef, gh),
        ]
    }
}

/// As [`transpose4`], in both halves.
#[inline(always)]
fn transpose8([a, b, c, d]: [__m256; 4]) -> [__m256; 4] {
    // SAFETY: see the module documentation.
    unsafe {
        let (ab, cd) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d));
        let (ef, gh) = (_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d));
        [
            _mm256_shuffle_ps::<0x44>(ab, cd),
            _mm256_shuffle_ps::<0xEE>(ab, cd),
            _mm256_shuffle_ps::<0x44>(ef, gh),
            _mm256_shuffle_ps::<0xEE>(ef, gh),
        ]
    }
}

/// The particle of that rank.
///
/// # Safety
/// As [`Real::gather`].
#[inline(always)]
unsafe fn row(particles: *const Particle, rank: u32) -> __m128 {
    // SAFETY: by the contract.
    unsafe { _mm_loadu_ps(particles.add(rank as usize).cast()) }
}

/// Writes the particle of that rank.
///
/// # Safety
/// As [`Real::scatter`].
#[inline(always)]
unsafe fn store_row(particles: *mut Particle, rank: u32, row: __m128) {
    // SAFETY: by the contract.
    unsafe { _mm_storeu_ps(particles.add(rank as usize).cast(), row) }
}

/// # Safety
/// As [`Real::gather`].
#[inline(always)]
unsafe fn gather4(p: *const Particle, r: &[u32]) -> [F32x4; 4] {
    // SAFETY: by the contract.
    let rows = unsafe { [row(p, r[0]), row(p, r[1]), row(p, r[2]), row(p, r[3])] };
    let [x, y, z, w] = transpose4(rows);
    [F32x4(x), F32x4(y), F32x4(z), F32x4(w)]
}

/// # Safety
/// As [`Real::scatter`].
#[inline(always)]
unsafe fn scatter4([x, y, z, w]: [F32x4; 4], p: *mut Particle, r: &[u32]) {
    let rows = transpose4([x.0, y.0, z.0, w.0]);
    for l in 0..4 {
        // SAFETY: by the contract.
        unsafe { store_row(p, r[l], rows[l]) };
    }
}

/// # Safety
/// As [`Real::gather`].
#[inline(always)]
unsafe fn gather8(p: *const Particle, r: &[u32]) -> [F32x8; 4] {
    let mut pairs = [F32x8::zero().0; 4];
    for l in 0..4 {
        // SAFETY: by the contract, and see the module documentation.
        pairs[l] =
            unsafe { _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(row(p, r[l])), row(p, r[l + 4])) };
    }
    let [x, y, z, w] = transpose8(pairs);
    [F32x8(x), F32x8(y), F32x8(z), F32x8(w)]
}

/// # Safety
/// As [`Real::scatter`].
#[inline(always)]
unsafe fn scatter8([x, y, z, w]: [F32x8; 4], p: *mut Particle, r: &[u32]) {
    let rows = transpose8([x.0, y.0, z.0, w.0]);
    for l in 0..4 {
        // SAFETY: by the contract, and see the module documentation.
        unsafe {
            store_row(p, r[l], _mm256_castps256_ps128(rows[l]));
            store_row(p, r[l + 4], _mm256_extractf128_ps::<1>(rows[l]));
        }
    }
}
