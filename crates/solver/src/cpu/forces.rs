//! Tests that every kernel moves particles along the gradient of its own energy, in double precision.
//!
//! As the substep goes to zero, α̃ = α/h² becomes large and XPBD's displacement becomes `w h² f`, f the force: it has to
//! be minus the finite difference of the energy. This checks constraint, gradient and compliance at once.

use std::ops::{Add, Div, Mul, Neg, Sub};

use glam::Vec3;

use crate::model::{Bend, Distance, Elasticity, Material, Model, Tet, Volume};
use crate::plan::Plan;

use super::lanes::{Mask, Particle, Real, V3};
use super::sweep::{Kernel, Step};

/// One lane in double precision.
#[derive(Clone, Copy, Debug)]
struct Double(f64);

#[derive(Clone, Copy)]
struct Truth(bool);

macro_rules! operator {
    ($trait:ident, $method:ident, $op:tt) => {
        impl $trait for Double {
            type Output = Self;
            fn $method(self, b: Self) -> Self {
                Double(self.0 $op b.0)
            }
        }
        impl $trait<f32> for Double {
            type Output = Self;
            fn $method(self, b: f32) -> Self {
                Double(self.0 $op b as f64)
            }
        }
    };
}
operator!(Add, add, +);
operator!(Sub, sub, -);
operator!(Mul, mul, *);
operator!(Div, div, /);

impl Neg for Double {
    type Output = Self;
    fn neg(self) -> Self {
        Double(-self.0)
    }
}

impl Real for Double {
    const LANES: usize = 1;
    type Mask = Truth;
    fn splat(a: f32) -> Self {
        Double(a as f64)
    }
    fn load(field: &[f32], lane: usize) -> Self {
        Double(field[lane] as f64)
    }
    fn store(self, field: &mut [f32], lane: usize) {
        field[lane] = self.0 as f32;
    }
    fn sqrt(self) -> Self {
        Double(self.0.sqrt())
    }
    fn abs(self) -> Self {
        Double(self.0.abs())
    }
    fn max(self, b: f32) -> Self {
        Double(self.0.max(b as f64))
    }
    fn lt(self, b: Self) -> Truth {
        Truth(self.0 < b.0)
    }
    unsafe fn gather(_: *const Particle, _: &[u32]) -> [Self; 4] {
        unreachable!("these tests give the positions themselves")
    }
    unsafe fn scatter(_: [Self; 4], _: *mut Particle, _: &[u32]) {
        unreachable!("these tests take the positions themselves")
    }
}

impl Mask<Double> for Truth {
    fn select(self, yes: Double, no: Double) -> Double {
        if self.0 { yes } else { no }
    }
    fn and(self, b: Self) -> Self {
        Truth(self.0 && b.0)
    }
    fn any(self) -> bool {
        self.0
    }
    fn all(self) -> bool {
        self.0
    }
}

const H: f32 = 1e-4;

fn lanes<const K: usize>(x: &[[f64; 3]; K]) -> [V3<Double>; K] {
    x.map(|[x, y, z]| V3 { x: Double(x), y: Double(y), z: Double(z) })
}

/// Compares displacement with finite differences for the constraint in lane 0, at positions `x`.
fn check<const K: usize, const M: usize, C: Kernel<K, M>>(what: &str, block: &C::Block, x: [[f64; 3]; K]) {
    let energy = |x: &[[f64; 3]; K]| C::energy(block, 0, &lanes(x)).0;
    let step = Step { h: H, fresh: true };
    let weight = std::array::from_fn(|k| Double(0.5 + k as f64));
    let mut moved = lanes(&x);
    C::project(block, 0, step, &mut moved, &weight, None, &mut [Double(0.0); M]);
    let force: Vec<f64> = (0..3 * K)
        .map(|i| {
            let (k, axis) = (i / 3, i % 3);
            let to = [moved[k].x.0, moved[k].y.0, moved[k].z.0][axis];
            (to - x[k][axis]) / (weight[k].0 * (H * H) as f64)
        })
        .collect();
    let size = x.iter().flatten().fold(0.0f64, |m, a| m.max(a.abs()));
    let delta = size * 1e-5;
    let gradient: Vec<f64> = (0..3 * K)
        .map(|i| {
            let at = |by: f64| {
                let mut y = x;
                y[i / 3][i % 3] += by;
                energy(&y)
            };
            // Fourth order.
            (8.0 * (at(delta) - at(-delta)) - (at(2.0 * delta) - at(-2.0 * delta))) / (12.0 * delta)
        })
        .collect();
    let scale = gradient.iter().fold(0.0f64, |m, g| m.max(g.abs()));
    assert!(scale > 0.0, "{what}: a test without force tests nothing");
    for i in 0..3 * K {
        let error = (force[i] + gradient[i]).abs();
        assert!(error < 2e-5 * scale, "{what}: {force:?} against the gradient {gradient:?} at {x:?}");
    }
}

/// Four particles with every kind of constraint that they can have.
fn model(elasticity: Elasticity, poisson: f32) -> Model {
    let rest =
        [Vec3::ZERO, Vec3::new(0.11, 0.01, 0.0), Vec3::new(0.02, 0.1, -0.01), Vec3::new(0.0, 0.03, 0.12)];
    Model {
        rest_positions: rest.to_vec(),
        positions: rest.to_vec(),
        velocities: vec![Vec3::ZERO; 4],
        inverse_masses: vec![1.0; 4],
        materials: vec![Material { elasticity, young_pa: 1e3, poisson, damping_s: 0.0 }],
        tets: vec![Tet { particles: [0, 1, 2, 3], material: 0 }],
        distances: vec![Distance { particles: [0, 1], rest_m: 0.1, compliance: 0.01 }],
        volumes: vec![Volume { particles: [0, 1, 2, 3], rest_m3: 3e-4, compliance: 1e-6 }],
        bends: vec![Bend { particles: [0, 1, 2, 3], rest_rad: 0.3, compliance: 10.0 }],
        ..Model::default()
    }
}

/// Positions of the four particles: stretched, sheared, squeezed, inverted, near rest and rotated by a lot.
fn poses(model: &Model) -> Vec<(&'static str, [[f64; 3]; 4])> {
    let maps: [(&str, [[f64; 3]; 3]); 7] = [
        ("stretched", [[1.3, 0.0, 0.0], [0.0, 0.9, 0.1], [0.0, 0.0, 1.1]]),
        ("sheared", [[1.0, 0.6, -0.2], [0.1, 1.0, 0.0], [0.0, 0.3, 1.0]]),
        ("squeezed", [[0.9, 0.0, 0.0], [0.0, 0.4, 0.1], [0.1, 0.0, 0.8]]),
        ("nearly at rest", [[1.001, 0.0005, 0.0], [0.0, 0.999, 0.0], [0.0, 0.0, 1.0002]]),
        ("turned", [[0.05, -1.02, 0.0], [0.98, 0.0, 0.03], [0.0, 0.0, 1.0]]),
        ("inverted", [[1.0, 0.1, 0.0], [0.0, -0.8, 0.1], [0.0, 0.0, 1.1]]),
        ("flat", [[1.0, 0.1, 0.2], [0.0, 0.9, 0.0], [0.0, 0.0, 0.0]]),
    ];
    let pose = |m: [[f64; 3]; 3]| {
        std::array::from_fn(|k| {
            let p = model.rest_positions[k].as_dvec3().to_array();
            std::array::from_fn(|i| (0..3).map(|j| m[i][j] * p[j]).sum::<f64>() + [0.3, -0.2, 0.1][i])
        })
    };
    maps.into_iter().map(|(name, m)| (name, pose(m))).collect()
}

#[test]
fn neo_hookean_forces_are_gradients_of_the_energy() {
    for poisson in [0.0, 0.3, 0.45] {
        let split = model(Elasticity::NeoHookean, poisson);
        let pair = model(Elasticity::NeoHookeanPair, poisson);
        let (split_plan, pair_plan) = (Plan::new(&split).unwrap(), Plan::new(&pair).unwrap());
        for (name, x) in poses(&split) {
            check::<4, 2, super::NeoHookean>(name, &split_plan.neo_hookean.blocks[0], x);
            // Its two constraints pull against each other: near rest nothing is left of them but rounding.
            if name != "nearly at rest" && name != "turned" {
                check::<4, 2, super::NeoHookeanPair>(name, &pair_plan.neo_hookean_pair.blocks[0], x);
            }
        }
    }
}

#[test]
fn other_forces_are_gradients_of_the_energy() {
    let model = model(Elasticity::Volume, 0.3);
    let plan = Plan::new(&model).unwrap();
    for (name, x) in poses(&model) {
        check::<4, 1, super::Volume>(name, &plan.volume.blocks[0], x);
        check::<2, 1, super::Distance>(name, &plan.distance.blocks[0], [x[0], x[1]]);
        check::<4, 1, super::Bend>(name, &plan.bend.blocks[0], x);
    }
}
