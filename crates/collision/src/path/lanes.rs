//! Four numbers in double precision at once: as every machine has them, and as one register of AVX2. Both give the same bits.

use std::ops::{Add, Div, Mul, Sub};

use wide::f64x4;

/// Four numbers, or four truths (all bits of a lane set).
pub(super) trait Lanes:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    fn splat(x: f64) -> Self;
    /// From single precision.
    fn widen(x: [f32; 4]) -> Self;
    fn to_array(self) -> [f64; 4];
    fn less_or_equal(self, o: Self) -> Self;
    fn less(self, o: Self) -> Self;
    fn and(self, o: Self) -> Self;
    /// `yes` where this is true, else `no`.
    fn select(self, yes: Self, no: Self) -> Self;
    /// The smaller; the second where either is not a number.
    fn min(self, o: Self) -> Self;
    /// Bit `i` is that of lane `i`.
    fn bits(self) -> u8;
}

impl Lanes for f64x4 {
    #[inline(always)]
    fn splat(x: f64) -> Self {
        f64x4::splat(x)
    }

    #[inline(always)]
    fn widen([a, b, c, d]: [f32; 4]) -> Self {
        f64x4::new([a as f64, b as f64, c as f64, d as f64])
    }

    #[inline(always)]
    fn to_array(self) -> [f64; 4] {
        f64x4::to_array(self)
    }

    #[inline(always)]
    fn less_or_equal(self, o: Self) -> Self {
        self.simd_le(o)
    }

    #[inline(always)]
    fn less(self, o: Self) -> Self {
        self.simd_lt(o)
    }

    #[inline(always)]
    fn and(self, o: Self) -> Self {
        self & o
    }

    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        self.bitselect(yes, no)
    }

    #[inline(always)]
    fn min(self, o: Self) -> Self {
        self.less(o).select(self, o)
    }

    #[inline(always)]
    fn bits(self) -> u8 {
        self.to_bitmask() as u8
    }
}

/// AVX2 registers.
///
/// Values of [`Register`] are made and used only in functions compiled for AVX2, which are called only where the machine has it:
/// that is the SAFETY of every intrinsic here.
#[cfg(target_arch = "x86_64")]
pub(super) mod avx2 {
    use std::arch::x86_64::*;

    use super::*;

    /// Four numbers in a register.
    #[derive(Clone, Copy)]
    pub struct Register(__m256d);

    macro_rules! operator {
        ($trait:ident, $method:ident, $intrinsic:ident) => {
            impl $trait for Register {
                type Output = Self;
                #[inline(always)]
                fn $method(self, o: Self) -> Self {
                    // SAFETY: see the module documentation.
                    Register(unsafe { $intrinsic(self.0, o.0) })
                }
            }
        };
    }
    operator!(Add, add, _mm256_add_pd);
    operator!(Sub, sub, _mm256_sub_pd);
    operator!(Mul, mul, _mm256_mul_pd);
    operator!(Div, div, _mm256_div_pd);

    impl Lanes for Register {
        #[inline(always)]
        fn splat(x: f64) -> Self {
            // SAFETY: see the module documentation.
            Register(unsafe { _mm256_set1_pd(x) })
        }

        #[inline(always)]
        fn widen([a, b, c, d]: [f32; 4]) -> Self {
            // SAFETY: see the module documentation.
            Register(unsafe { _mm256_cvtps_pd(_mm_setr_ps(a, b, c, d)) })
        }

        #[inline(always)]
        fn to_array(self) -> [f64; 4] {
            let mut out = [0.0; 4];
            // SAFETY: see the module documentation; there is room for four.
            unsafe { _mm256_storeu_pd(out.as_mut_ptr(), self.0) };
            out
        }

        #[inline(always)]
        fn less_or_equal(self, o: Self) -> Self {
            // SAFETY: see the module documentation.
            Register(unsafe { _mm256_cmp_pd::<_CMP_LE_OQ>(self.0, o.0) })
        }

        #[inline(always)]
        fn less(self, o: Self) -> Self {
            // SAFETY: see the module documentation.
            Register(unsafe { _mm256_cmp_pd::<_CMP_LT_OQ>(self.0, o.0) })
        }

        #[inline(always)]
        fn and(self, o: Self) -> Self {
            // SAFETY: see the module documentation.
            Register(unsafe { _mm256_and_pd(self.0, o.0) })
        }

        #[inline(always)]
        fn select(self, yes: Self, no: Self) -> Self {
            // SAFETY: see the module documentation.
            Register(unsafe { _mm256_blendv_pd(no.0, yes.0, self.0) })
        }

        #[inline(always)]
        fn min(self, o: Self) -> Self {
            // SAFETY: see the module documentation.
            Register(unsafe { _mm256_min_pd(self.0, o.0) })
        }

        #[inline(always)]
        fn bits(self) -> u8 {
            // SAFETY: see the module documentation.
            unsafe { _mm256_movemask_pd(self.0) as u8 }
        }
    }
}
