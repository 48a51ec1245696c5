//! Lanes as plain arrays, for every machine; one lane of them is the serial solver.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::{Mask, Particle, Real};

/// `N` numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Portable<const N: usize>(pub [f32; N]);

/// `N` truth values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Truths<const N: usize>([bool; N]);

/// A value for each lane. A loop and no closure: it must become part of the function that it is written in.
macro_rules! each {
    ($zero:expr, $l:ident => $value:expr) => {{
        let mut lanes = [$zero; N];
        for $l in 0..N {
            lanes[$l] = $value;
        }
        lanes
    }};
}

macro_rules! operator {
    ($trait:ident, $method:ident, $op:tt) => {
        impl<const N: usize> $trait for Portable<N> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, b: Self) -> Self {
                Portable(each!(0.0, l => self.0[l] $op b.0[l]))
            }
        }
        impl<const N: usize> $trait<f32> for Portable<N> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, b: f32) -> Self {
                Portable(each!(0.0, l => self.0[l] $op b))
            }
        }
    };
}
operator!(Add, add, +);
operator!(Sub, sub, -);
operator!(Mul, mul, *);
operator!(Div, div, /);

impl<const N: usize> Neg for Portable<N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Portable(each!(0.0, l => -self.0[l]))
    }
}

impl<const N: usize> Real for Portable<N> {
    const LANES: usize = N;
    type Mask = Truths<N>;

    #[inline(always)]
    fn splat(a: f32) -> Self {
        Portable([a; N])
    }
    #[inline(always)]
    fn load(field: &[f32], lane: usize) -> Self {
        let part = &field[lane..lane + N];
        Portable(each!(0.0, l => part[l]))
    }
    #[inline(always)]
    fn store(self, field: &mut [f32], lane: usize) {
        field[lane..lane + N].copy_from_slice(&self.0);
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Portable(each!(0.0, l => self.0[l].sqrt()))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Portable(each!(0.0, l => self.0[l].abs()))
    }
    #[inline(always)]
    fn max(self, b: f32) -> Self {
        Portable(each!(0.0, l => if self.0[l] > b { self.0[l] } else { b }))
    }
    #[inline(always)]
    fn lt(self, b: Self) -> Truths<N> {
        Truths(each!(false, l => self.0[l] < b.0[l]))
    }

    #[inline(always)]
    unsafe fn gather(particles: *const Particle, ranks: &[u32]) -> [Self; 4] {
        let mut fields = [Portable([0.0; N]); 4];
        for l in 0..N {
            // SAFETY: in bounds and not written meanwhile, by the contract.
            let particle = unsafe { *particles.add(ranks[l] as usize) };
            for i in 0..4 {
                fields[i].0[l] = particle[i];
            }
        }
        fields
    }
    #[inline(always)]
    unsafe fn scatter(fields: [Self; 4], particles: *mut Particle, ranks: &[u32]) {
        let [x, y, z, w] = fields;
        for l in 0..N {
            // SAFETY: in bounds and not accessed meanwhile, by the contract.
            unsafe { *particles.add(ranks[l] as usize) = [x.0[l], y.0[l], z.0[l], w.0[l]] };
        }
    }
}

impl<const N: usize> Mask<Portable<N>> for Truths<N> {
    #[inline(always)]
    fn select(self, yes: Portable<N>, no: Portable<N>) -> Portable<N> {
        Portable(each!(0.0, l => if self.0[l] { yes.0[l] } else { no.0[l] }))
    }
    #[inline(always)]
    fn and(self, b: Self) -> Self {
        Truths(each!(false, l => self.0[l] & b.0[l]))
    }
    #[inline(always)]
    fn any(self) -> bool {
        let mut any = false;
        for l in 0..N {
            any |= self.0[l];
        }
        any
    }
    #[inline(always)]
    fn all(self) -> bool {
        let mut all = true;
        for l in 0..N {
            all &= self.0[l];
        }
        all
    }
}
