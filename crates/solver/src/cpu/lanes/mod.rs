//! Lanes: several constraints computed side by side, written once and compiled for each instruction set.
//!
//! A [`Real`] behaves like one number; it is one or several. Products are never contracted with sums, so every lane has
//! the bits of the same expression in plain `f32`: results depend neither on the number of lanes nor on the
//! instruction set.

use std::ops::{Add, Div, Mul, Neg, Sub};

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(crate) use portable::Portable;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{F32x4, F32x8};

/// Position and inverse mass.
pub(crate) type Particle = [f32; 4];

/// Lanes of single-precision numbers.
pub(crate) trait Real:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Add<f32, Output = Self>
    + Sub<f32, Output = Self>
    + Mul<f32, Output = Self>
{
    /// Number of lanes.
    const LANES: usize;
    /// A truth value a lane.
    type Mask: Mask<Self>;

    /// The same number in every lane.
    fn splat(a: f32) -> Self;
    /// Lanes of a field, from `lane` on.
    fn load(field: &[f32], lane: usize) -> Self;
    /// Writes lanes of a field, from `lane` on.
    fn store(self, field: &mut [f32], lane: usize);
    /// Square root, correctly rounded.
    fn sqrt(self) -> Self;
    /// Magnitude.
    fn abs(self) -> Self;
    /// The larger of both; `b` where `self` is no number.
    fn max(self, b: f32) -> Self;
    /// `self < b`.
    fn lt(self, b: Self) -> Self::Mask;

    /// The particles of these ranks: x, y, z and inverse mass.
    ///
    /// # Safety
    /// `ranks` has a rank a lane; each is in bounds of `particles`, and nobody writes that particle meanwhile.
    unsafe fn gather(particles: *const Particle, ranks: &[u32]) -> [Self; 4];
    /// Writes the particles of these ranks.
    ///
    /// # Safety
    /// `ranks` has a rank a lane; each is in bounds of `particles`, and nobody accesses that particle meanwhile.
    unsafe fn scatter(fields: [Self; 4], particles: *mut Particle, ranks: &[u32]);

    /// `self > b`.
    #[inline(always)]
    fn gt(self, b: f32) -> Self::Mask {
        Self::splat(b).lt(self)
    }
    /// Zero in every lane.
    #[inline(always)]
    fn zero() -> Self {
        Self::splat(0.0)
    }
}

/// A truth value a lane.
pub(crate) trait Mask<R>: Copy {
    /// `yes` where true, `no` elsewhere.
    fn select(self, yes: R, no: R) -> R;
    /// Both.
    fn and(self, b: Self) -> Self;
    /// Whether any lane is true.
    fn any(self) -> bool;
    /// Whether all lanes are true.
    fn all(self) -> bool;
}

/// Vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct V3<R> {
    pub x: R,
    pub y: R,
    pub z: R,
}

/// Matrices, by columns unless it says otherwise.
pub(crate) type M3<R> = [V3<R>; 3];

impl<R: Real> V3<R> {
    /// Zero in every lane.
    #[inline(always)]
    pub fn zero() -> Self {
        V3 { x: R::zero(), y: R::zero(), z: R::zero() }
    }

    /// Inner product.
    #[inline(always)]
    pub fn dot(self, b: Self) -> R {
        self.x * b.x + self.y * b.y + self.z * b.z
    }

    /// Vector product.
    #[inline(always)]
    pub fn cross(self, b: Self) -> Self {
        V3 { x: self.y * b.z - self.z * b.y, y: self.z * b.x - self.x * b.z, z: self.x * b.y - self.y * b.x }
    }
}

impl<R: Real> Add for V3<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        V3 { x: self.x + b.x, y: self.y + b.y, z: self.z + b.z }
    }
}

impl<R: Real> Sub for V3<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        V3 { x: self.x - b.x, y: self.y - b.y, z: self.z - b.z }
    }
}

impl<R: Real> Neg for V3<R> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        V3 { x: -self.x, y: -self.y, z: -self.z }
    }
}

impl<R: Real> Mul<R> for V3<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: R) -> Self {
        V3 { x: self.x * s, y: self.y * s, z: self.z * s }
    }
}

/// Vectors `yes` where the mask is true, `no` elsewhere.
#[inline(always)]
pub(crate) fn select3<R: Real>(mask: R::Mask, yes: &V3<R>, no: &V3<R>) -> V3<R> {
    V3 { x: mask.select(yes.x, no.x), y: mask.select(yes.y, no.y), z: mask.select(yes.z, no.z) }
}

/// Matrices `yes` where the mask is true, `no` elsewhere.
#[inline(always)]
pub(crate) fn select9<R: Real>(mask: R::Mask, yes: &M3<R>, no: &M3<R>) -> M3<R> {
    [select3(mask, &yes[0], &no[0]), select3(mask, &yes[1], &no[1]), select3(mask, &yes[2], &no[2])]
}

/// Nine consecutive fields as three vectors.
#[inline(always)]
pub(crate) fn load9<R: Real, const L: usize>(fields: &[[f32; L]; 9], lane: usize) -> M3<R> {
    let [a, b, c, d, e, f, g, h, i] = fields;
    [
        V3 { x: R::load(a, lane), y: R::load(b, lane), z: R::load(c, lane) },
        V3 { x: R::load(d, lane), y: R::load(e, lane), z: R::load(f, lane) },
        V3 { x: R::load(g, lane), y: R::load(h, lane), z: R::load(i, lane) },
    ]
}

/// `Σ_k columns[k] * weights[k]`.
#[inline(always)]
pub(crate) fn combine<R: Real>(columns: &M3<R>, weights: V3<R>) -> V3<R> {
    columns[0] * weights.x + columns[1] * weights.y + columns[2] * weights.z
}

/// `a b`.
#[inline(always)]
pub(crate) fn product<R: Real>(a: &M3<R>, b: &M3<R>) -> M3<R> {
    [combine(a, b[0]), combine(a, b[1]), combine(a, b[2])]
}

/// `Mᵀ`.
#[inline(always)]
pub(crate) fn transpose<R: Real>(m: &M3<R>) -> M3<R> {
    let [a, b, c] = *m;
    [V3 { x: a.x, y: b.x, z: c.x }, V3 { x: a.y, y: b.y, z: c.y }, V3 { x: a.z, y: b.z, z: c.z }]
}

/// cof M, the gradient of det M.
#[inline(always)]
pub(crate) fn cofactor<R: Real>(m: &M3<R>) -> M3<R> {
    [m[1].cross(m[2]), m[2].cross(m[0]), m[0].cross(m[1])]
}

/// Each entry times a number.
#[inline(always)]
pub(crate) fn scale<R: Real>(m: &M3<R>, s: R) -> M3<R> {
    [m[0] * s, m[1] * s, m[2] * s]
}

/// `a - b`.
#[inline(always)]
pub(crate) fn minus<R: Real>(a: &M3<R>, b: &M3<R>) -> M3<R> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Sum of the squares of all entries.
#[inline(always)]
pub(crate) fn square<R: Real>(m: &M3<R>) -> R {
    along(m, m)
}

/// Sum of inner products.
#[inline(always)]
pub(crate) fn along<R: Real, const K: usize>(a: &[V3<R>; K], b: &[V3<R>; K]) -> R {
    let mut sum = a[0].dot(b[0]);
    for k in 1..K {
        sum = sum + a[k].dot(b[k]);
    }
    sum
}

/// Weighted sum of inner products.
#[inline(always)]
pub(crate) fn weighted<R: Real, const K: usize>(w: &[R; K], a: &[V3<R>; K], b: &[V3<R>; K]) -> R {
    let mut sum = w[0] * a[0].dot(b[0]);
    for k in 1..K {
        sum = sum + w[k] * a[k].dot(b[k]);
    }
    sum
}

/// Angle of the vector `(x, y)` in (-π, π], accurate to 3e-7; 0 at the origin.
///
/// Source: Cephes `atanf` (S. Moshier): range reduction at tan(π/8) and a polynomial in the square.
#[inline(always)]
pub(crate) fn atan2<R: Real>(y: R, x: R) -> R {
    use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};
    let (ax, ay) = (x.abs(), y.abs());
    let steep = ax.lt(ay);
    let (low, high) = (steep.select(ax, ay), steep.select(ay, ax));
    let t = low / high.max(f32::MIN_POSITIVE);
    let reduce = t.gt(0.414_213_56);
    let u = reduce.select((t - 1.0) / (t + 1.0), t);
    let z = u * u;
    let p = ((z * 8.053_744_5e-2 - 1.387_768_6e-1) * z + 1.997_771_1e-1) * z - 3.333_295e-1;
    let a = p * z * u + u;
    let a = reduce.select(a + FRAC_PI_4, a);
    let a = steep.select(-a + FRAC_PI_2, a);
    let a = x.lt(R::zero()).select(-a + PI, a);
    y.lt(R::zero()).select(-a, a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atan2_agrees_with_double_precision_all_the_way_round() {
        for i in -2000..=2000 {
            let a = i as f64 / 2000.0 * std::f64::consts::PI;
            for r in [1e-12, 1.0, 1e12] {
                let (y, x) = ((r * a.sin()) as f32, (r * a.cos()) as f32);
                let got = atan2(Portable([y; 4]), Portable([x; 4])).0[2] as f64;
                let want = (y as f64).atan2(x as f64);
                assert!((got - want).abs() < 3e-7, "{y} {x}: {got} instead of {want}");
            }
        }
        assert_eq!(atan2(Portable([0.0; 1]), Portable([0.0; 1])).0, [0.0]);
    }

    /// Everything that [`Real`] and [`Mask`] promise, compared with plain numbers, on awkward ones too.
    fn check<R: Real>() {
        let values = [0.0, -0.0, 1.0, -1.5, 3e-39, 1e30, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 0.7];
        let n = values.len();
        let out = |r: R| {
            let mut lanes = [0.0; 16];
            r.store(&mut lanes, 0);
            lanes[..R::LANES].to_vec()
        };
        for i in 0..n {
            let a: [f32; 16] = std::array::from_fn(|l| values[(i + l) % n]);
            let b: [f32; 16] = std::array::from_fn(|l| values[(i + 3 * l + 1) % n]);
            let (x, y) = (R::load(&a, 0), R::load(&b, 0));
            let same = |got: R, what: &str, want: &dyn Fn(f32, f32) -> f32| {
                for (l, got) in out(got).into_iter().enumerate() {
                    let want = want(a[l], b[l]);
                    let equal = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
                    assert!(equal, "{what} {} {}: {got} instead of {want}", a[l], b[l]);
                }
            };
            same(x + y, "+", &|a, b| a + b);
            same(x - y, "-", &|a, b| a - b);
            same(x * y, "*", &|a, b| a * b);
            same(x / y, "/", &|a, b| a / b);
            same(x + 2.0, "+", &|a, _| a + 2.0);
            same(x - 2.0, "-", &|a, _| a - 2.0);
            same(x * 2.0, "*", &|a, _| a * 2.0);
            same(-x, "negative", &|a, _| -a);
            same(x.sqrt(), "sqrt", &|a, _| a.sqrt());
            same(x.abs(), "abs", &|a, _| a.abs());
            same(x.max(0.5), "max", &|a, _| if a > 0.5 { a } else { 0.5 });
            same(x.lt(y).select(x, y), "lt", &|a, b| if a < b { a } else { b });
            same(x.gt(0.5).select(y, x), "gt", &|a, b| if a > 0.5 { b } else { a });
            same(x.gt(0.0).and(y.gt(0.0)).select(x, -x), "and", &|a, b| {
                if a > 0.0 && b > 0.0 { a } else { -a }
            });
            let less: Vec<bool> = (0..R::LANES).map(|l| a[l] < b[l]).collect();
            assert_eq!(x.lt(y).any(), less.contains(&true));
            assert_eq!(x.lt(y).all(), !less.contains(&false));
        }
        assert!(R::zero().lt(R::splat(1.0)).all());
        let mut particles: Vec<Particle> = (0..40).map(|i| [i as f32, 0.5, -(i as f32), 7.0]).collect();
        let ranks: Vec<u32> = (0..R::LANES as u32).map(|l| (l * 7 + 3) % 40).collect();
        // SAFETY: the ranks are below 40.
        let [x, y, z, w] = unsafe { R::gather(particles.as_ptr(), &ranks) };
        for l in 0..R::LANES {
            assert_eq!(particles[ranks[l] as usize], [out(x)[l], out(y)[l], out(z)[l], out(w)[l]]);
        }
        // SAFETY: as above; the ranks differ.
        unsafe { R::scatter([x + 1.0, y, z, w], particles.as_mut_ptr(), &ranks) };
        for (i, p) in particles.iter().enumerate() {
            let moved = ranks.contains(&(i as u32)) as u32 as f32;
            assert_eq!(*p, [i as f32 + moved, 0.5, -(i as f32), 7.0]);
        }
    }

    #[test]
    fn lanes_compute_what_plain_numbers_do() {
        check::<Portable<1>>();
        check::<Portable<4>>();
        #[cfg(target_arch = "x86_64")]
        {
            check::<F32x4>();
            if is_x86_feature_detected!("avx2") {
                check::<F32x8>();
            }
        }
    }
}
