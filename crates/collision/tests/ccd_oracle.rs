//! The CCD queries against an independent decision in exact arithmetic, on random, nearly degenerate and
//! grid-aligned input.
//!
//! `GORDIAN_CCD_QUERIES=1000000` asks for all of them; the normal run asks the first few thousand.

use glam::DVec3;
use gordian_collision::ccd::{edge_edge, vertex_face};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use rayon::prelude::*;

/// A polynomial in `t` with integer coefficients, lowest power first, without leading zeros.
#[derive(Clone, Debug)]
struct Poly(Vec<BigInt>);

/// A time `n / 2^k`.
#[derive(Clone, Debug)]
struct Dyadic(BigInt, u32);

impl Dyadic {
    fn middle(a: &Dyadic, b: &Dyadic) -> Dyadic {
        let k = a.1.max(b.1);
        Dyadic((&a.0 << (k - a.1)) + (&b.0 << (k - b.1)), k + 1)
    }
    fn to_f64(&self) -> f64 {
        BigRational::new(self.0.clone(), BigInt::one() << self.1).to_f64().unwrap()
    }
}

impl Poly {
    fn new(mut c: Vec<BigInt>) -> Self {
        while c.last().is_some_and(Zero::is_zero) {
            c.pop();
        }
        Poly(c)
    }
    /// From `a` at 0 to `b` at 1.
    fn line(a: BigInt, b: BigInt) -> Self {
        Poly::new(vec![a.clone(), b - a])
    }
    fn add(&self, o: &Self) -> Self {
        let zero = BigInt::zero();
        let at = |p: &Poly, i| p.0.get(i).unwrap_or(&zero).clone();
        Poly::new((0..self.0.len().max(o.0.len())).map(|i| at(self, i) + at(o, i)).collect())
    }
    fn negate(&self) -> Self {
        Poly(self.0.iter().map(|c| -c).collect())
    }
    fn sub(&self, o: &Self) -> Self {
        self.add(&o.negate())
    }
    fn mul(&self, o: &Self) -> Self {
        let mut c = vec![BigInt::zero(); (self.0.len() + o.0.len()).saturating_sub(1)];
        for (i, x) in self.0.iter().enumerate() {
            for (j, y) in o.0.iter().enumerate() {
                c[i + j] += x * y;
            }
        }
        Poly::new(c)
    }
    fn is_zero(&self) -> bool {
        self.0.is_empty()
    }
    /// The sign at a time.
    fn sign(&self, t: &Dyadic) -> i32 {
        let mut value = BigInt::zero();
        for (i, c) in self.0.iter().rev().enumerate() {
            value = value * &t.0 + (c << (t.1 as usize * i));
        }
        i32::from(value.is_positive()) - i32::from(value.is_negative())
    }
    fn derivative(&self) -> Self {
        Poly(self.0.iter().enumerate().skip(1).map(|(i, c)| c * i).collect())
    }
    /// Quotient and remainder of a positive multiple.
    fn divide(&self, o: &Self) -> (Self, Self) {
        let (mut rest, mut quotient) = (self.0.clone(), vec![]);
        let lead = o.0.last().unwrap();
        while rest.len() >= o.0.len() {
            let offset = rest.len() - o.0.len();
            let top = rest.last().unwrap() * lead.signum();
            rest.iter_mut().chain(&mut quotient).for_each(|c: &mut BigInt| *c *= lead.abs());
            for (i, c) in o.0.iter().enumerate() {
                rest[offset + i] -= &top * c;
            }
            rest.pop();
            quotient.insert(0, top);
        }
        (Poly::new(quotient), Poly::new(rest))
    }
}

/// Sum of the signs of `g` over the distinct roots of `f` in the open interval (a, b), whose ends are no roots
/// (Tarski; Sturm's count for g = 1).
fn tarski(f: &Poly, g: &Poly, a: &Dyadic, b: &Dyadic) -> i32 {
    let (mut p, mut q) = (f.clone(), f.derivative().mul(g));
    let (mut changes, mut last) = (0, [p.sign(a), p.sign(b)]);
    while !q.is_zero() {
        for (k, t) in [a, b].into_iter().enumerate() {
            let s = q.sign(t);
            if s != 0 {
                changes += if s != last[k] { [1, -1][k] } else { 0 };
                last[k] = s;
            }
        }
        let r = p.divide(&q).1.negate();
        p = std::mem::replace(&mut q, r);
    }
    changes
}

/// A root of a polynomial: exactly known, or the only one in an open interval whose ends are none.
#[derive(Clone, Debug)]
struct Root {
    f: Poly,
    low: Dyadic,
    high: Dyadic,
    exact: bool,
}

impl Root {
    fn exact(t: Dyadic) -> Self {
        Root { f: Poly::new(vec![]), low: t.clone(), high: t, exact: true }
    }
    fn sign(&self, g: &Poly) -> i32 {
        if self.exact { g.sign(&self.low) } else { tarski(&self.f, g, &self.low, &self.high) }
    }
    /// Halves the interval until it is `2^-40` of a step, at most.
    fn narrow(&mut self) {
        let one = Poly::new(vec![BigInt::one()]);
        let (at_low, at_high) = (self.f.sign(&self.low), self.f.sign(&self.high));
        for _ in 0..40 {
            if self.exact {
                return;
            }
            let middle = Dyadic::middle(&self.low, &self.high);
            let s = self.f.sign(&middle);
            let before =
                if at_low != at_high { s != at_low } else { tarski(&self.f, &one, &self.low, &middle) == 1 };
            if s == 0 {
                *self = Root::exact(middle);
            } else if before {
                self.high = middle;
            } else {
                self.low = middle;
            }
        }
    }
}

/// The roots of `f` in [0, 1].
fn roots(f: &Poly) -> Vec<Root> {
    let one = Poly::new(vec![BigInt::one()]);
    let (mut f, mut found) = (f.clone(), Vec::new());
    // Divides out a root; afterwards it is none of `f`.
    let deflate = |f: &mut Poly, t: &Dyadic, found: &mut Vec<Root>| {
        if f.sign(t) == 0 {
            found.push(Root::exact(t.clone()));
            while f.sign(t) == 0 {
                *f = f.divide(&Poly::new(vec![-t.0.clone(), BigInt::one() << t.1])).0;
            }
        }
    };
    let (zero, end) = (Dyadic(BigInt::zero(), 0), Dyadic(BigInt::one(), 0));
    deflate(&mut f, &zero, &mut found);
    deflate(&mut f, &end, &mut found);
    let mut open = vec![(zero, end)];
    while let Some((low, high)) = open.pop() {
        match tarski(&f, &one, &low, &high) {
            0 => {}
            1 => found.push(Root { f: f.clone(), low, high, exact: false }),
            _ => {
                let middle = Dyadic::middle(&low, &high);
                deflate(&mut f, &middle, &mut found);
                open.push((low, middle.clone()));
                open.push((middle, high));
            }
        }
    }
    found
}

type Vector = [Poly; 3];

fn sub(a: &Vector, b: &Vector) -> Vector {
    [0, 1, 2].map(|k| a[k].sub(&b[k]))
}
fn cross(a: &Vector, b: &Vector) -> Vector {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| a[i].mul(&b[j]).sub(&a[j].mul(&b[i])))
}
fn dot(a: &Vector, b: &Vector) -> Poly {
    (0..3).map(|k| a[k].mul(&b[k])).reduce(|x, y| x.add(&y)).unwrap()
}

/// A query as paths, with what can be asked about one time.
struct Oracle {
    x: [Vector; 4],
    edges: bool,
}

impl Oracle {
    fn new(start: &[DVec3; 4], end: &[DVec3; 4], edges: bool) -> Self {
        let exact = |x: f64| BigRational::from_float(x).unwrap();
        // One power of two makes all coordinates integers.
        let coordinates = start.iter().chain(end).flat_map(|p| p.to_array());
        let scale = coordinates.map(|x| exact(x).denom().clone()).max().unwrap();
        let integer = |x: f64| (exact(x) * &scale).to_integer();
        let x =
            std::array::from_fn(|i| [0, 1, 2].map(|k| Poly::line(integer(start[i][k]), integer(end[i][k]))));
        Oracle { x, edges }
    }

    fn coplanarity(&self) -> Poly {
        let [a, b, c, d] = &self.x;
        dot(&cross(&sub(b, a), &sub(c, a)), &sub(d, a))
    }

    /// Point `p` on the closed segment `ab`.
    fn on_segment(&self, p: usize, a: usize, b: usize, t: &Root) -> bool {
        let (u, v) = (sub(&self.x[a], &self.x[p]), sub(&self.x[b], &self.x[p]));
        cross(&u, &v).iter().all(|c| t.sign(c) == 0) && t.sign(&dot(&u, &v)) <= 0
    }

    /// Whether the features meet at a time at which they are coplanar.
    fn contact(&self, t: &Root) -> bool {
        let [a, b, c, d] = &self.x;
        if self.edges {
            // p = a + s (b - a), q = c + r (d - c); Cramer's rule along n.
            let (u, v, w) = (sub(b, a), sub(d, c), sub(c, a));
            let n = cross(&u, &v);
            if n.iter().all(|k| t.sign(k) == 0) {
                return [(0, 2, 3), (1, 2, 3), (2, 0, 1), (3, 0, 1)]
                    .iter()
                    .any(|&(p, a, b)| self.on_segment(p, a, b, t));
            }
            let whole = dot(&n, &n);
            [dot(&cross(&w, &v), &n), dot(&cross(&w, &u), &n)]
                .iter()
                .all(|part| t.sign(part) >= 0 && t.sign(&whole.sub(part)) >= 0)
        } else {
            let n = cross(&sub(c, b), &sub(d, b));
            if n.iter().all(|k| t.sign(k) == 0) {
                return [(1, 2), (2, 3), (3, 1)].iter().any(|&(e, f)| self.on_segment(0, e, f, t));
            }
            [(b, c), (c, d), (d, b)]
                .iter()
                .all(|(e, f)| t.sign(&dot(&cross(&sub(e, a), &sub(f, a)), &n)) >= 0)
        }
    }

    /// Polynomials at whose roots contact can begin while everything stays coplanar.
    fn events(&self) -> Vec<Poly> {
        let mut events = Vec::new();
        for i in 0..4 {
            for j in 0..i {
                let d = sub(&self.x[i], &self.x[j]);
                events.extend(d.clone());
                for k in 0..j {
                    let e = sub(&self.x[k], &self.x[j]);
                    events.extend(cross(&d, &e));
                    events.push(dot(&d, &e));
                }
            }
        }
        events
    }

    /// The first contact, as an interval of time less than 2^-40 wide.
    fn first_contact(&self) -> Option<(f64, f64)> {
        let f = self.coplanarity();
        let candidates = if f.is_zero() {
            let mut all = vec![Root::exact(Dyadic(BigInt::zero(), 0))];
            all.extend(self.events().iter().filter(|e| !e.is_zero()).flat_map(roots));
            all
        } else {
            roots(&f)
        };
        candidates
            .into_iter()
            .filter(|t| self.contact(t))
            .map(|mut t| {
                t.narrow();
                (t.low.to_f64(), t.high.to_f64())
            })
            .min_by(|a, b| a.0.total_cmp(&b.0))
    }
}

/// Splitmix64.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
    fn below(&mut self, n: u64) -> u64 {
        self.bits() % n
    }
    /// In [-1, 1), as an `f32` would be.
    fn unit(&mut self) -> f64 {
        (self.bits() >> 40) as f64 / (1u64 << 23) as f64 - 1.0
    }
    fn point(&mut self) -> DVec3 {
        DVec3::new(self.unit(), self.unit(), self.unit())
    }
    fn grid(&mut self, n: u64) -> DVec3 {
        DVec3::from_array([0; 3].map(|_| self.below(2 * n + 1) as f64 - n as f64))
    }
    /// Moves coordinates by a few units in the last place, sometimes.
    fn nudge(&mut self, p: DVec3) -> DVec3 {
        DVec3::from_array(p.to_array().map(|x| match self.below(6) {
            0 => x.next_up(),
            1 => x.next_down(),
            2 => f64::from(x as f32),
            _ => x,
        }))
    }

    fn query(&mut self, edges: bool) -> ([DVec3; 4], [DVec3; 4]) {
        let all = |f: &mut dyn FnMut() -> DVec3| [0; 4].map(|_| f());
        match self.below(8) {
            0 => (all(&mut || self.point()), all(&mut || self.point())),
            1 => (all(&mut || self.grid(1)), all(&mut || self.grid(1))),
            2 => (all(&mut || self.grid(2)), all(&mut || self.grid(2))),
            3 => {
                // Small motion on a grid: resting and sliding contact.
                let start = all(&mut || self.grid(1));
                (start, start.map(|p| p + self.grid(1) * 0.25))
            }
            4 => {
                // Everything in one plane, which may be tilted and may move.
                let (u, v) = (self.grid(2), self.grid(2));
                let shift = self.grid(1);
                let plane = |r: &mut Random| {
                    let g = if r.below(2) == 0 { r.grid(2) } else { (r.point() * 16.0).round() / 8.0 };
                    u * g.x + v * g.y
                };
                let start = [0; 4].map(|_| plane(self));
                (start, [0; 4].map(|_| plane(self) + shift))
            }
            5 => {
                // Coincident points: edges of zero length, triangles without area, on a grid.
                let (mut s, mut e) = (all(&mut || self.grid(1)), all(&mut || self.grid(1)));
                let (i, j) = (self.below(4) as usize, self.below(4) as usize);
                (s[i], e[i]) = (s[j], e[j]);
                (s, e)
            }
            _ => self.near_contact(edges),
        }
    }

    /// Paths that meet, up to rounding, at a chosen time in a chosen point, often on a border.
    fn near_contact(&mut self, edges: bool) -> ([DVec3; 4], [DVec3; 4]) {
        let mut at = [0; 4].map(|_| self.point());
        let weight = |r: &mut Random| match r.below(4) {
            0 => 0.0,
            1 => 1.0,
            _ => 0.5 + 0.5 * r.unit(),
        };
        let (s, r) = (weight(self), weight(self));
        if edges {
            let target = at[2].lerp(at[3], r);
            // Moves the first edge so that its point at `s` is the target.
            let offset = target - at[0].lerp(at[1], s);
            at[0] += offset;
            at[1] += offset;
        } else {
            at[0] = at[1] + (at[2] - at[1]) * s + (at[3] - at[1]) * (r * (1.0 - s));
        }
        let t = [0.0, 1.0, 0.5, 0.25, 0.3][self.below(5) as usize];
        let shared = self.point();
        let free = self.below(3);
        let velocity = [0; 4].map(|_| match free {
            0 => self.point(),
            // Nearly tangential: everything moves alike but for a little.
            1 => shared + self.point() * 1e-6,
            _ => self.grid(1) * 0.5,
        });
        let start: [DVec3; 4] = std::array::from_fn(|i| self.nudge(at[i] - velocity[i] * t));
        (start, std::array::from_fn(|i| self.nudge(at[i] + velocity[i] * (1.0 - t))))
    }
}

fn ask(start: &[DVec3; 4], end: &[DVec3; 4], edges: bool) -> Option<f64> {
    if edges { edge_edge(start, end).map(|h| h.toi) } else { vertex_face(start, end).map(|h| h.toi) }
}

/// Checks one query and returns whether it is a hit.
fn check(seed: u64, edges: bool) -> bool {
    let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let (start, end) = random.query(edges);
    let toi = ask(&start, &end, edges);
    let truth = Oracle::new(&start, &end, edges).first_contact();
    let told = || format!("seed {seed}, edges {edges}, {start:?} to {end:?}");
    assert_eq!(toi.is_some(), truth.is_some(), "{}", told());
    if let (Some(toi), Some((low, high))) = (toi, truth) {
        assert!((0.0..=1.0).contains(&toi) && toi <= high, "{toi} after {high}: {}", told());
        // A triple root is known no better than to the cube root of the rounding error.
        assert!(toi >= low - 1e-4, "{toi} long before {low}: {}", told());
    }
    // Other names for the same query.
    let orders: &[[usize; 4]] = if edges {
        &[[1, 0, 2, 3], [0, 1, 3, 2], [2, 3, 0, 1]]
    } else {
        &[[0, 2, 3, 1], [0, 2, 1, 3], [0, 3, 2, 1]]
    };
    for order in orders {
        let other = ask(&order.map(|i| start[i]), &order.map(|i| end[i]), edges);
        assert_eq!(other.is_some(), toi.is_some(), "{order:?}: {}", told());
        let apart = (other.unwrap_or(0.0) - toi.unwrap_or(0.0)).abs();
        assert!(apart < 1e-4, "{order:?}, {apart}: {}", told());
    }
    // Scaling by a power of two changes no bit.
    for scale in [2f64.powi(-60), 2f64.powi(40)] {
        assert_eq!(ask(&start.map(|p| p * scale), &end.map(|p| p * scale), edges), toi, "{}", told());
    }
    toi.is_some()
}

#[test]
fn queries_agree_with_exact_arithmetic() {
    let queries = std::env::var("GORDIAN_CCD_QUERIES").ok().map_or(8000, |n| n.parse().expect("a number"));
    let hits: u64 = (0..queries).into_par_iter().map(|i: u64| u64::from(check(i / 2, i % 2 == 1))).sum();
    println!("{hits} hits of {queries} queries");
    assert!(hits * 5 > queries && hits * 5 < queries * 4, "{hits} hits of {queries} queries test little");
}
