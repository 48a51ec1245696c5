//! XPBD on the CPU: kernels over lanes, threads over the blocks of a colour.
//!
//! Each kernel is a file of its own with the name of its twin in `shaders/xpbd/`, in the same order of lines. Threads are
//! those of the rayon pool that the caller is in. Results are the same bits for any number of threads and for
//! any instruction set.

use glam::Vec3;
use rayon::prelude::*;

use crate::model::{Model, ModelError};
use crate::plan::{Batches, Colouring, Lane, Plan};
use crate::solver::{AdapterInfo, Solver, SolverError, Target};

mod bend;
mod distance;
#[cfg(test)]
mod forces;
mod lanes;
mod neo_hookean;
mod neo_hookean_pair;
mod predict;
mod rotation;
mod sweep;
mod velocity;
mod volume;

use bend::Bend;
use distance::Distance;
use lanes::Particle;
use neo_hookean::NeoHookean;
use neo_hookean_pair::NeoHookeanPair;
use sweep::{Step, Width, energy, sweep};
use volume::Volume;

/// Particles that a thread takes at a time.
const PARTICLES_AT_A_TIME: usize = 4096;

/// The solver on the CPU.
pub struct CpuSolver {
    plan: Plan,
    colouring: Colouring,
    width: Width,
    adapter: AdapterInfo,
    damping_per_s: f32,
    step: Step,

    particles: Vec<Particle>,
    predicted: Vec<Particle>,
    /// Positions before the substep; empty unless something is damped.
    previous: Vec<Particle>,
    velocities: Vec<Vec3>,
    multipliers: Multipliers,
}

/// Lagrange multipliers, one entry a block.
struct Multipliers {
    neo_hookean: Vec<[Lane<f32>; 2]>,
    neo_hookean_pair: Vec<[Lane<f32>; 2]>,
    volume: Vec<[Lane<f32>; 1]>,
    distance: Vec<[Lane<f32>; 1]>,
    bend: Vec<[Lane<f32>; 1]>,
}

impl CpuSolver {
    /// A solver for this model, with the widest instruction set of this machine.
    pub fn new(model: &Model) -> Result<Self, SolverError> {
        let plan = Plan::new(model)?;
        Ok(Self::with_width(plan, model, Width::available()[Width::available().len() - 1]))
    }

    fn with_width(plan: Plan, model: &Model, width: Width) -> Self {
        #[cfg(debug_assertions)]
        if let Err(message) = plan.validate(model) {
            panic!("the plan is not sound: {message}");
        }
        fn zero<B, const M: usize>(batches: &Batches<B>) -> Vec<[Lane<f32>; M]> {
            vec![[[0.0; _]; M]; batches.blocks.len()]
        }
        let particles = plan.particle_state(model);
        CpuSolver {
            width,
            adapter: AdapterInfo {
                name: format!("CPU ({})", width.name()),
                backend: "cpu".into(),
                software: false,
            },
            damping_per_s: model.damping_per_s,
            step: Step { h: 0.0, fresh: true },
            predicted: particles.clone(),
            previous: if plan.damped { particles.clone() } else { Vec::new() },
            particles,
            velocities: plan.to_ranks(&model.velocities),
            colouring: plan.colouring(model),
            multipliers: Multipliers {
                neo_hookean: zero(&plan.neo_hookean),
                neo_hookean_pair: zero(&plan.neo_hookean_pair),
                volume: zero(&plan.volume),
                distance: zero(&plan.distance),
                bend: zero(&plan.bend),
            },
            plan,
        }
    }

    /// Bytes that the solver holds.
    pub fn bytes(&self) -> usize {
        let m = &self.multipliers;
        let multipliers = 2 * (m.neo_hookean.len() + m.neo_hookean_pair.len())
            + m.volume.len()
            + m.distance.len()
            + m.bend.len();
        self.plan.bytes()
            + multipliers * std::mem::size_of::<Lane<f32>>()
            + (2 * self.particles.len() + self.previous.len()) * std::mem::size_of::<Particle>()
            + self.velocities.len() * std::mem::size_of::<Vec3>()
    }

    fn check_len(&self, array: &'static str, len: usize) -> Result<(), SolverError> {
        let particles = self.particles.len();
        if len != particles {
            return Err(ModelError::Length { array, len, particles }.into());
        }
        Ok(())
    }

    fn began(&self) -> Result<(), SolverError> {
        if self.step.h > 0.0 { Ok(()) } else { Err(SolverError::NotBegun) }
    }

    /// The rank of a kinematic particle.
    fn kinematic(&self, index: usize, target: &Target) -> Result<usize, SolverError> {
        let particle = target.particle;
        let particles = self.particles.len();
        let Some(&rank) = self.plan.rank.get(particle as usize) else {
            return Err(ModelError::Index { constraint: "target", index, particle, particles }.into());
        };
        let fault = if self.particles[rank as usize][3] > 0.0 {
            format!("particle {particle} is not kinematic: its inverse mass is not zero")
        } else if !target.position.is_finite() {
            format!("its position {} is not finite", target.position)
        } else {
            return Ok(rank as usize);
        };
        Err(ModelError::Value { what: "target", index, message: fault }.into())
    }

    fn sweep_all(&mut self) {
        let CpuSolver { plan, width, step, particles, previous, multipliers: m, .. } = self;
        let damped = plan.damped.then_some(&previous[..]);
        // SAFETY: the plan was made for exactly these particles, and `width` is one that this machine has.
        unsafe {
            sweep::<4, 2, NeoHookean>(
                &plan.neo_hookean,
                &mut m.neo_hookean,
                particles,
                damped,
                *step,
                *width,
            );
            let pair = &mut m.neo_hookean_pair;
            sweep::<4, 2, NeoHookeanPair>(&plan.neo_hookean_pair, pair, particles, damped, *step, *width);
            sweep::<4, 1, Volume>(&plan.volume, &mut m.volume, particles, damped, *step, *width);
            sweep::<2, 1, Distance>(&plan.distance, &mut m.distance, particles, None, *step, *width);
            sweep::<4, 1, Bend>(&plan.bend, &mut m.bend, particles, None, *step, *width);
        }
        step.fresh = false;
    }
}

impl Solver for CpuSolver {
    fn adapter(&self) -> &AdapterInfo {
        &self.adapter
    }

    fn colouring(&self) -> &Colouring {
        &self.colouring
    }

    fn begin_substep(&mut self, h: f32, gravity: Vec3, targets: &[Target]) -> Result<(), SolverError> {
        if !(h > 0.0 && h.is_finite() && gravity.is_finite()) {
            let message = format!("of {h} s with gravity {gravity} m/s² is not possible");
            return Err(ModelError::Value { what: "substep", index: 0, message }.into());
        }
        for (i, target) in targets.iter().enumerate() {
            self.kinematic(i, target)?;
        }
        self.step = Step { h, fresh: true };
        if self.plan.damped {
            self.previous.copy_from_slice(&self.particles);
        }
        predict::predict(&mut self.particles, &mut self.predicted, &mut self.velocities, h, gravity);
        for target in targets {
            let rank = self.plan.rank[target.particle as usize] as usize;
            let (particle, predicted) = (&mut self.particles[rank], &mut self.predicted[rank]);
            predict::aim(particle, predicted, &mut self.velocities[rank], target.position, h);
        }
        Ok(())
    }

    fn iterate(&mut self) -> Result<(), SolverError> {
        self.began()?;
        // One entry into the pool for all colours.
        rayon::scope(|_| self.sweep_all());
        Ok(())
    }

    fn read_positions(&mut self, out: &mut [Vec3]) -> Result<(), SolverError> {
        self.check_len("out", out.len())?;
        out.par_iter_mut().zip(&self.plan.rank).with_min_len(PARTICLES_AT_A_TIME).for_each(|(o, &rank)| {
            let [x, y, z, _] = self.particles[rank as usize];
            *o = Vec3::new(x, y, z);
        });
        Ok(())
    }

    fn write_positions(&mut self, positions: &[Vec3]) -> Result<(), SolverError> {
        self.check_len("positions", positions.len())?;
        let order = &self.plan.order;
        self.particles.par_iter_mut().zip(order).with_min_len(PARTICLES_AT_A_TIME).for_each(|(p, &i)| {
            let Vec3 { x, y, z } = positions[i as usize];
            *p = [x, y, z, p[3]];
        });
        Ok(())
    }

    fn end_substep(&mut self, shift: Option<&[Vec3]>) -> Result<(), SolverError> {
        self.began()?;
        let keep = (-self.damping_per_s * self.step.h).exp();
        let (x, q, v, h) = (&self.particles, &self.predicted, &mut self.velocities, self.step.h);
        match shift {
            None => velocity::velocity(x, q, v, |_| Vec3::ZERO, h, keep),
            Some(shift) => {
                self.check_len("shift", shift.len())?;
                let order = &self.plan.order;
                let shift = |rank: usize| shift[order[rank] as usize];
                velocity::velocity(x, q, &mut self.velocities, shift, h, keep);
            }
        }
        self.step.h = 0.0;
        Ok(())
    }

    fn read_velocities(&mut self, out: &mut [Vec3]) -> Result<(), SolverError> {
        self.check_len("out", out.len())?;
        let velocities = &self.velocities;
        out.par_iter_mut()
            .zip(&self.plan.rank)
            .with_min_len(PARTICLES_AT_A_TIME)
            .for_each(|(o, &rank)| *o = velocities[rank as usize]);
        Ok(())
    }

    fn write_velocities(&mut self, velocities: &[Vec3]) -> Result<(), SolverError> {
        self.check_len("velocities", velocities.len())?;
        let order = &self.plan.order;
        self.velocities
            .par_iter_mut()
            .zip(order)
            .with_min_len(PARTICLES_AT_A_TIME)
            .for_each(|(v, &i)| *v = velocities[i as usize]);
        Ok(())
    }

    fn elastic_energy(&mut self) -> Result<f64, SolverError> {
        let (plan, x) = (&self.plan, &self.particles);
        Ok(energy::<4, 2, NeoHookean>(&plan.neo_hookean, x)
            + energy::<4, 2, NeoHookeanPair>(&plan.neo_hookean_pair, x)
            + energy::<4, 1, Volume>(&plan.volume, x)
            + energy::<2, 1, Distance>(&plan.distance, x)
            + energy::<4, 1, Bend>(&plan.bend, x))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Bend, Distance, Elasticity, Material, Tet, Volume as VolumeConstraint};

    /// A strip of `n` tetrahedra, every second of another kind, with constraints of all kinds; the first is held.
    fn strip(n: u32) -> Model {
        let mut model = Model::default();
        let kinds = [Elasticity::NeoHookean, Elasticity::NeoHookeanPair, Elasticity::Volume];
        for elasticity in kinds {
            model.materials.push(Material { elasticity, young_pa: 1e4, poisson: 0.3, damping_s: 1e-3 });
        }
        for i in 0..n + 3 {
            let (angle, rise) = (2.0 * i as f32, 0.05 * i as f32);
            model.rest_positions.push(Vec3::new(0.1 * angle.cos(), 0.1 * angle.sin(), rise));
        }
        model.positions = model.rest_positions.iter().map(|p| *p * Vec3::new(1.3, 0.7, 1.05)).collect();
        model.velocities = vec![Vec3::X; n as usize + 3];
        model.inverse_masses = vec![50.0; n as usize + 3];
        model.inverse_masses[0] = 0.0;
        for i in 0..n {
            let mut particles = [i, i + 1, i + 2, i + 3];
            let [a, b, c, d] = particles.map(|p| model.rest_positions[p as usize]);
            if (b - a).cross(c - a).dot(d - a) < 0.0 {
                particles.swap(2, 3);
            }
            model.tets.push(Tet { particles, material: i % 3 });
            model.distances.push(Distance { particles: [i, i + 3], rest_m: 0.2, compliance: 1e-3 });
            model.volumes.push(VolumeConstraint { particles, rest_m3: 1e-4, compliance: 1e-6 });
            model.bends.push(Bend { particles: [i + 1, i + 2, i, i + 3], rest_rad: 0.2, compliance: 1.0 });
        }
        model
    }

    fn run(model: &Model, width: Width) -> (Vec<Vec3>, Vec<Vec3>, f64) {
        let mut solver = CpuSolver::with_width(Plan::new(model).unwrap(), model, width);
        for _ in 0..10 {
            solver.begin_substep(2e-3, Vec3::NEG_Z * 9.81, &[]).unwrap();
            solver.iterate().unwrap();
            solver.iterate().unwrap();
            solver.end_substep(None).unwrap();
        }
        let mut out = (vec![Vec3::ZERO; model.positions.len()], vec![Vec3::ZERO; model.positions.len()], 0.0);
        solver.read_positions(&mut out.0).unwrap();
        solver.read_velocities(&mut out.1).unwrap();
        out.2 = solver.elastic_energy().unwrap();
        assert!(out.0.iter().all(|p| p.is_finite()));
        out
    }

    #[test]
    fn all_instruction_sets_and_any_number_of_threads_give_the_same_bits() {
        // Long enough for colours that are shared among threads.
        let model = strip(30_000);
        let wanted = run(&model, Width::Base);
        for width in Width::available() {
            for threads in [1, 2, 3] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let got = pool.install(|| run(&model, width));
                assert!(got == wanted, "{width:?} with {threads} threads");
            }
        }
    }

    #[test]
    fn what_has_one_colour_shares_no_particle() {
        let model = strip(400);
        let solver = CpuSolver::new(&model).unwrap();
        let Colouring { tets, distances } = solver.colouring();
        assert_eq!((tets.len(), distances.len()), (400, 400));
        let mut taken = std::collections::HashSet::new();
        let mut free = |name: String, particles: &[u32]| {
            // The first is held: it may be shared.
            for &p in particles.iter().filter(|&&p| p != 0) {
                assert!(taken.insert((name.clone(), p)), "{name} has particle {p} twice");
            }
        };
        for (tet, &colour) in model.tets.iter().zip(tets).filter(|t| *t.1 != Colouring::SERIAL) {
            free(format!("colour {colour} of material {}", tet.material), &tet.particles);
        }
        for (of_model, (particles, colour)) in model.distances.iter().zip(distances) {
            assert_eq!(of_model.particles, *particles);
            if *colour != Colouring::SERIAL {
                free(format!("colour {colour} of the edges"), particles);
            }
        }
        let coloured = tets.iter().filter(|&&c| c != Colouring::SERIAL).count();
        assert!(coloured > 300, "{coloured}");
    }

    #[test]
    fn a_million_tetrahedra_fit() {
        let model = strip(3000);
        let undamped: Vec<Material> =
            model.materials.iter().map(|m| Material { damping_s: 0.0, ..*m }).collect();
        let tets_only =
            Model { materials: undamped, distances: vec![], volumes: vec![], bends: vec![], ..model };
        // Here a particle belongs to one element, in a mesh to a fifth of one.
        let solver = CpuSolver::new(&tets_only).unwrap();
        assert!(solver.bytes() / tets_only.tets.len() <= 200, "{}", solver.bytes() / tets_only.tets.len());
    }
}
