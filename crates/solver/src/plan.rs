//! What both solvers are built from: particle order, constraint colours, and constraint data in blocks of lanes.
//!
//! **Order.** Particles lie along a Hilbert curve of the rest pose; [`Plan::order`] and [`Plan::rank`] translate.
//! Constraint data name particles by their place in this order (**rank**).
//!
//! **Blocks.** [`LANES`] constraints of one kind form one plain-data block, field by field, so that a CPU loads a
//! field of several constraints as one vector and a GPU reads it coalesced; WGSL declares the same struct with
//! `array<f32, 16>`. Constraint `slot` is lane `slot % LANES` of block `slot / LANES`.
//!
//! **Colours.** A [`Colour`] is a range of slots whose constraints share no movable particle. Colours come largest
//! first, each at the start of a block and along the Hilbert curve. What belongs to no worthwhile colour is the
//! **serial** range, whose constraints are solved one after the other in slot order. Unused lanes repeat the
//! last constraint of their range: safe to read and compute, never to be written back.
//!
//! **Sweep.** One iteration solves, in this order: `neo_hookean`, `neo_hookean_pair`, `volume`, `distance`, `bend`;
//! in each, colour after colour, then the serial range. CPU and GPU follow the same order.

use bytemuck::{Pod, Zeroable};
use glam::{DMat3, DVec3, Vec3};
use gordian_mesh::order::{hilbert_order, inverse};

use crate::colour::{UNCOLOURED, by_class, colour};
use crate::model::{Elasticity, Model, ModelError};

/// Constraints a block.
pub const LANES: usize = 16;

/// Values of one field, one a lane.
pub type Lane<T> = [T; LANES];

/// A tetrahedral element of either Neo-Hookean kind.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct TetBlock {
    /// Ranks of the four particles.
    pub particles: [Lane<u32>; 4],
    /// Rest edges `X1-X0, X2-X0, X3-X0` (the columns of D_m), three components each, metres; differences of the
    /// rest positions in single precision, so that `D_s - D_m` is exactly zero in the rest pose.
    pub rest_edges: [Lane<f32>; 9],
    /// D_m⁻¹, row by row, per metre: row `k` is the rest gradient of the barycentric coordinate of particle `k+1`.
    pub rest_inverse: [Lane<f32>; 9],
    /// `μ V`, joule.
    pub mu_volume: Lane<f32>,
    /// `λ V`, joule (the first Lamé parameter, `E ν / ((1+ν)(1-2ν))`).
    pub lambda_volume: Lane<f32>,
    /// Damping time, seconds; `γ = damping / h`.
    pub damping: Lane<f32>,
}

/// `C = 6 V - rest`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct VolumeBlock {
    /// Ranks of the four particles.
    pub particles: [Lane<u32>; 4],
    /// Six times the rest volume, cubic metres.
    pub rest: Lane<f32>,
    /// Compliance of `C`, m⁶/J.
    pub compliance: Lane<f32>,
    /// Damping time, seconds; `γ = damping / h`.
    pub damping: Lane<f32>,
}

/// `C = |x0 - x1| - rest`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct DistanceBlock {
    /// Ranks of the two particles.
    pub particles: [Lane<u32>; 2],
    /// Rest length, metres.
    pub rest: Lane<f32>,
    /// Compliance, m/N.
    pub compliance: Lane<f32>,
}

/// `C = angle - rest`, as in [`Bend`](crate::Bend).
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct BendBlock {
    /// Ranks of the four particles: the two of the edge, then the two opposite it.
    pub particles: [Lane<u32>; 4],
    /// Rest angle, radians.
    pub rest: Lane<f32>,
    /// Compliance, rad/(N m).
    pub compliance: Lane<f32>,
}

/// A range of slots; see the module documentation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Colour {
    /// First slot, a multiple of [`LANES`].
    pub first: u32,
    /// Number of constraints.
    pub len: u32,
}

/// All constraints of one kind.
#[derive(Clone, Debug)]
pub struct Batches<B> {
    /// Constraint data.
    pub blocks: Vec<B>,
    /// Colours, largest first; each has at least [`LANES`] constraints.
    pub colours: Vec<Colour>,
    /// Constraints to be solved one after the other, in slot order, after the colours; often empty.
    pub serial: Colour,
    /// Index in the model's list of each slot's constraint (repeated in unused lanes).
    pub origin: Vec<u32>,
}

impl<B> Batches<B> {
    /// Number of constraints, unused lanes not counted.
    pub fn len(&self) -> usize {
        self.colours.iter().map(|c| c.len as usize).sum::<usize>() + self.serial.len as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Number of leading colours with at least `len` constraints. The others are short: a GPU walks all of them,
    /// and the serial range, in one workgroup with barriers in between.
    pub fn colours_of_at_least(&self, len: u32) -> usize {
        self.colours.partition_point(|c| c.len >= len)
    }
}

/// The colours of a [`Model`]'s constraints, in the model's order: each kind of constraint is coloured for itself, largest colour
/// first. [`Colouring::SERIAL`] for those that are solved one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Colouring {
    /// One a tetrahedron.
    pub tets: Vec<u8>,
    /// One a distance constraint, and its particles.
    pub distances: Vec<([u32; 2], u8)>,
}

impl Colouring {
    /// No colour.
    pub const SERIAL: u8 = u8::MAX;

    /// Calls `take` with each constraint that has a colour, and its colour.
    fn each<B>(batches: &Batches<B>, mut take: impl FnMut(usize, u8)) {
        for (c, colour) in batches.colours.iter().enumerate() {
            for slot in colour.first..colour.first + colour.len {
                take(batches.origin[slot as usize] as usize, u8::try_from(c).unwrap_or(Self::SERIAL));
            }
        }
    }
}

/// Order, colours and data of a [`Model`]; see the module documentation.
#[derive(Clone, Debug)]
pub struct Plan {
    /// `order[rank]` is the user's index of a particle.
    pub order: Vec<u32>,
    /// `rank[index]` is a particle's place in the solver's arrays.
    pub rank: Vec<u32>,
    /// Elements of [`Elasticity::NeoHookean`].
    pub neo_hookean: Batches<TetBlock>,
    /// Elements of [`Elasticity::NeoHookeanPair`].
    pub neo_hookean_pair: Batches<TetBlock>,
    /// Elements of [`Elasticity::Volume`], then volume constraints: an origin beyond the model's elements is
    /// `tets.len()` plus the index of the volume constraint.
    pub volume: Batches<VolumeBlock>,
    /// Distance constraints.
    pub distance: Batches<DistanceBlock>,
    /// Bending constraints.
    pub bend: Batches<BendBlock>,
    /// Whether any constraint has a damping time: only then need `x_prev` be read while constraints are solved.
    pub damped: bool,
}

impl Plan {
    /// Checks the model and lays it out. The same model gives the same plan on every machine.
    pub fn new(model: &Model) -> Result<Self, ModelError> {
        model.check()?;
        let points: Vec<DVec3> = model.rest_positions.iter().map(|p| p.as_dvec3()).collect();
        let order = hilbert_order(&points);
        let rank = inverse(&order);
        let layout = Layout { model, points: &points, rank: &rank };

        let of_kind = |kind| {
            let tets = model.tets.iter().enumerate();
            tets.filter(move |(_, t)| model.materials[t.material as usize].elasticity == kind)
                .map(|(i, t)| (i as u32, t.particles))
        };
        let beyond = model.tets.len() as u32;
        let volumes = (beyond..).zip(&model.volumes).map(|(i, v)| (i, v.particles));
        Ok(Plan {
            neo_hookean: layout.batch(of_kind(Elasticity::NeoHookean).collect()),
            neo_hookean_pair: layout.batch(of_kind(Elasticity::NeoHookeanPair).collect()),
            volume: layout.batch(of_kind(Elasticity::Volume).chain(volumes).collect()),
            distance: layout.batch((0..).zip(model.distances.iter().map(|d| d.particles)).collect()),
            bend: layout.batch((0..).zip(model.bends.iter().map(|b| b.particles)).collect()),
            damped: model.tets.iter().any(|t| model.materials[t.material as usize].damping_s > 0.0),
            order,
            rank,
        })
    }

    /// The colours of the model's constraints.
    pub fn colouring(&self, model: &Model) -> Colouring {
        let mut tets = vec![Colouring::SERIAL; model.tets.len()];
        let mut distances: Vec<_> =
            model.distances.iter().map(|d| (d.particles, Colouring::SERIAL)).collect();
        Colouring::each(&self.neo_hookean, |t, c| tets[t] = c);
        Colouring::each(&self.neo_hookean_pair, |t, c| tets[t] = c);
        // Volume constraints that are no tetrahedra come behind those that are.
        Colouring::each(&self.volume, |t, c| tets.iter_mut().skip(t).take(1).for_each(|of| *of = c));
        Colouring::each(&self.distance, |d, c| distances[d].1 = c);
        Colouring { tets, distances }
    }

    /// Number of particles.
    pub fn particles(&self) -> usize {
        self.order.len()
    }

    /// Reorders an array over particles from the user's order to the solver's.
    pub fn to_ranks<T: Copy>(&self, user: &[T]) -> Vec<T> {
        self.order.iter().map(|&i| user[i as usize]).collect()
    }

    /// Positions and inverse masses `[x, y, z, w]` in the solver's order.
    pub fn particle_state(&self, model: &Model) -> Vec<[f32; 4]> {
        let state = |&i: &u32| {
            let Vec3 { x, y, z } = model.positions[i as usize];
            [x, y, z, model.inverse_masses[i as usize]]
        };
        self.order.iter().map(state).collect()
    }

    /// Bytes that the plan holds.
    pub fn bytes(&self) -> usize {
        fn batch<B>(b: &Batches<B>) -> usize {
            std::mem::size_of_val(&b.blocks[..]) + std::mem::size_of_val(&b.origin[..])
        }
        8 * self.particles()
            + batch(&self.neo_hookean)
            + batch(&self.neo_hookean_pair)
            + batch(&self.volume)
            + batch(&self.distance)
            + batch(&self.bend)
    }

    /// Checks the permutation, the colouring and that every constraint is there exactly once. For tests and debug
    /// builds; the message says what is wrong.
    pub fn validate(&self, model: &Model) -> Result<(), String> {
        let n = model.positions.len();
        if self.order.len() != n || self.rank.len() != n {
            return Err(format!("{} ranks for {n} particles", self.order.len()));
        }
        for (rank, &index) in self.order.iter().enumerate() {
            if self.rank.get(index as usize) != Some(&(rank as u32)) {
                return Err(format!("particle {index} does not have rank {rank}"));
            }
        }
        validate_batches("neo_hookean", &self.neo_hookean, self, model)?;
        validate_batches("neo_hookean_pair", &self.neo_hookean_pair, self, model)?;
        validate_batches("volume", &self.volume, self, model)?;
        validate_batches("distance", &self.distance, self, model)?;
        validate_batches("bend", &self.bend, self, model)?;
        let tets = self.neo_hookean.len() + self.neo_hookean_pair.len() + self.volume.len();
        let there = (tets, self.distance.len(), self.bend.len());
        let wanted = (model.tets.len() + model.volumes.len(), model.distances.len(), model.bends.len());
        if there != wanted {
            return Err(format!("{there:?} constraints instead of {wanted:?}"));
        }
        Ok(())
    }
}

fn validate_batches<const K: usize, B: Block<K>>(
    kind: &str,
    batches: &Batches<B>,
    plan: &Plan,
    model: &Model,
) -> Result<(), String> {
    let mut seen = std::collections::HashSet::new();
    let mut last = vec![u32::MAX; model.positions.len()];
    let serial = (batches.serial.len > 0).then_some(batches.serial);
    let mut next = 0;
    for (c, colour) in batches.colours.iter().copied().chain(serial).enumerate() {
        let parallel = c < batches.colours.len();
        if colour.first != next || (parallel && (colour.len as usize) < LANES) {
            return Err(format!("{kind}: colour {c} is {colour:?}, expected to start at {next}"));
        }
        next = (colour.first + colour.len).next_multiple_of(LANES as u32);
        for slot in colour.first..next {
            let origin = batches.origin[slot as usize];
            let particles = batches.blocks[slot as usize / LANES].particles(slot as usize % LANES);
            if slot >= colour.first + colour.len {
                if origin != batches.origin[slot as usize - 1] {
                    return Err(format!("{kind}: unused slot {slot} does not repeat the last constraint"));
                }
                continue;
            }
            if !seen.insert(origin) {
                return Err(format!("{kind} {origin} is there twice"));
            }
            if B::of(model, origin) != particles.map(|p| plan.order[p as usize]) {
                return Err(format!("{kind} {origin}: other particles than in the model"));
            }
            for p in particles {
                let index = plan.order[p as usize] as usize;
                if parallel && model.inverse_masses[index] > 0.0 && last[p as usize] == c as u32 {
                    return Err(format!("{kind} {origin}: particle {index} is in colour {c} twice"));
                }
                last[p as usize] = c as u32;
            }
        }
    }
    if next as usize != batches.origin.len() || batches.blocks.len() * LANES != batches.origin.len() {
        return Err(format!("{kind}: {next} slots, {} origins", batches.origin.len()));
    }
    Ok(())
}

struct Layout<'a> {
    model: &'a Model,
    points: &'a [DVec3],
    rank: &'a [u32],
}

impl Layout<'_> {
    /// Sorts constraints along the curve, colours them, and writes the blocks.
    fn batch<const K: usize, B: Block<K>>(&self, constraints: Vec<(u32, [u32; K])>) -> Batches<B> {
        let centres: Vec<DVec3> = constraints
            .iter()
            .map(|(_, p)| p.iter().map(|&i| self.points[i as usize]).sum::<DVec3>() / K as f64)
            .collect();
        let sorted: Vec<(u32, [u32; K])> =
            hilbert_order(&centres).into_iter().map(|i| constraints[i as usize]).collect();
        drop((centres, constraints));
        let particles: Vec<[u32; K]> = sorted.iter().map(|(_, p)| *p).collect();
        let mut colours =
            colour(&particles, self.points.len(), |p| self.model.inverse_masses[p as usize] > 0.0);
        drop(particles);
        fold_small_classes(&mut colours);

        let (order, classes) =
            by_class(&colours, |sizes, c| (c == UNCOLOURED as usize, std::cmp::Reverse(sizes[c]), c));
        let slots = classes.iter().map(|&(_, len)| len.next_multiple_of(LANES)).sum::<usize>();
        let mut batches = Batches {
            blocks: vec![B::zeroed(); slots / LANES],
            colours: Vec::with_capacity(classes.len()),
            serial: Colour { first: slots as u32, len: 0 },
            origin: Vec::with_capacity(slots),
        };
        let mut taken = 0;
        for (class, len) in classes {
            let first = batches.origin.len();
            for slot in first..first + len.next_multiple_of(LANES) {
                let (origin, particles) = sorted[order[taken + (slot - first).min(len - 1)] as usize];
                let block = &mut batches.blocks[slot / LANES];
                block.set(slot % LANES, particles.map(|p| self.rank[p as usize]), origin, self.model);
                batches.origin.push(origin);
            }
            taken += len;
            let range = Colour { first: first as u32, len: len as u32 };
            if class == UNCOLOURED {
                batches.serial = range;
            } else {
                batches.colours.push(range);
            }
        }
        batches
    }
}

/// Classes that do not fill a block become part of the serial one.
fn fold_small_classes(colours: &mut [u8]) {
    let (_, classes) = by_class(colours, |_, c| c);
    let mut small = [false; UNCOLOURED as usize + 1];
    for (class, len) in classes {
        small[class as usize] = len < LANES;
    }
    for c in colours.iter_mut().filter(|c| small[**c as usize]) {
        *c = UNCOLOURED;
    }
}

/// Plain data of [`LANES`] constraints over `K` particles each.
trait Block<const K: usize>: Pod {
    /// Writes the constraint of that origin into a lane.
    fn set(&mut self, lane: usize, ranks: [u32; K], origin: u32, model: &Model);
    /// Ranks in a lane.
    fn particles(&self, lane: usize) -> [u32; K];
    /// The user's particles of the constraint of that origin.
    fn of(model: &Model, origin: u32) -> [u32; K];
}

fn fill<T: Copy, const K: usize>(field: &mut [Lane<T>; K], lane: usize, values: [T; K]) {
    for (f, v) in field.iter_mut().zip(values) {
        f[lane] = v;
    }
}

impl Block<4> for TetBlock {
    fn set(&mut self, lane: usize, ranks: [u32; 4], origin: u32, model: &Model) {
        let tet = &model.tets[origin as usize];
        let material = &model.materials[tet.material as usize];
        let rest = rest_edges(model, tet.particles);
        let [a, b, c] = rest.map(|e| e.as_dvec3());
        let dm = DMat3::from_cols(a, b, c);
        let inverse = dm.inverse().transpose();
        let volume = dm.determinant() / 6.0;
        let (mu, lambda) = material.lame();
        fill(&mut self.particles, lane, ranks);
        for k in 0..3 {
            for i in 0..3 {
                self.rest_edges[3 * k + i][lane] = rest[k][i];
                self.rest_inverse[3 * k + i][lane] = inverse.col(k)[i] as f32;
            }
        }
        self.mu_volume[lane] = (mu * volume) as f32;
        self.lambda_volume[lane] = (lambda * volume) as f32;
        self.damping[lane] = material.damping_s;
    }

    fn particles(&self, lane: usize) -> [u32; 4] {
        self.particles.map(|p| p[lane])
    }

    fn of(model: &Model, origin: u32) -> [u32; 4] {
        model.tets[origin as usize].particles
    }
}

/// Rest edges `X1-X0, X2-X0, X3-X0` in single precision.
pub(crate) fn rest_edges(model: &Model, particles: [u32; 4]) -> [Vec3; 3] {
    let [x0, x1, x2, x3] = particles.map(|p| model.rest_positions[p as usize]);
    [x1 - x0, x2 - x0, x3 - x0]
}

impl Block<4> for VolumeBlock {
    fn set(&mut self, lane: usize, ranks: [u32; 4], origin: u32, model: &Model) {
        fill(&mut self.particles, lane, ranks);
        if let Some(tet) = model.tets.get(origin as usize) {
            // Energy ½ k V0 (V/V0 - 1)², so that k is a bulk modulus: in C = 6 (V - V0) its compliance is 36 V0 / k.
            let material = &model.materials[tet.material as usize];
            let [a, b, c] = rest_edges(model, tet.particles).map(|e| e.as_dvec3());
            let six = a.cross(b).dot(c);
            self.rest[lane] = six as f32;
            self.compliance[lane] = (6.0 * six / material.young_pa as f64) as f32;
            self.damping[lane] = material.damping_s;
        } else {
            let volume = &model.volumes[origin as usize - model.tets.len()];
            self.rest[lane] = (6.0 * volume.rest_m3 as f64) as f32;
            self.compliance[lane] = volume.compliance;
            self.damping[lane] = 0.0;
        }
    }

    fn particles(&self, lane: usize) -> [u32; 4] {
        self.particles.map(|p| p[lane])
    }

    fn of(model: &Model, origin: u32) -> [u32; 4] {
        match model.tets.get(origin as usize) {
            Some(tet) => tet.particles,
            None => model.volumes[origin as usize - model.tets.len()].particles,
        }
    }
}

impl Block<2> for DistanceBlock {
    fn set(&mut self, lane: usize, ranks: [u32; 2], origin: u32, model: &Model) {
        let distance = &model.distances[origin as usize];
        fill(&mut self.particles, lane, ranks);
        self.rest[lane] = distance.rest_m;
        self.compliance[lane] = distance.compliance;
    }

    fn particles(&self, lane: usize) -> [u32; 2] {
        self.particles.map(|p| p[lane])
    }

    fn of(model: &Model, origin: u32) -> [u32; 2] {
        model.distances[origin as usize].particles
    }
}

impl Block<4> for BendBlock {
    fn set(&mut self, lane: usize, ranks: [u32; 4], origin: u32, model: &Model) {
        let bend = &model.bends[origin as usize];
        fill(&mut self.particles, lane, ranks);
        self.rest[lane] = bend.rest_rad;
        self.compliance[lane] = bend.compliance;
    }

    fn particles(&self, lane: usize) -> [u32; 4] {
        self.particles.map(|p| p[lane])
    }

    fn of(model: &Model, origin: u32) -> [u32; 4] {
        model.bends[origin as usize].particles
    }
}
