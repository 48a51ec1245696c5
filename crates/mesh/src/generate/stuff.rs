//! Isosurface stuffing: fills the inside of a function with tetrahedra of good shape.
//!
//! Source: F. Labelle, J. Shewchuk, "Isosurface stuffing: fast tetrahedral meshes with good dihedral angles",
//! SIGGRAPH 2007, with a uniform lattice. The function is sampled on a body-centred cubic **lattice**. Where
//! an edge changes sign it has a **cut point** on the surface. A lattice point with a cut point close by is
//! **warped** onto it; then each lattice tetrahedron is replaced by what of it lies inside. With the
//! published limits on "close" all dihedral angles lie between 10.7 and 164.8 degrees; a pass of local
//! improvement narrows this (see `improve`).

use glam::DVec3;
use rayon::prelude::*;

use super::improve::{Surface, improve};
use super::lattice::Lattice;
use super::prism::split_prism;
use super::{GenerateError, PER_FILLED_VERTEX, holds, positive};
use crate::manifold::{nonmanifold_edges, nonmanifold_vertices};
use crate::{TetMesh, TetTopology, signed_volume};

/// How near, as a part of the edge, a cut point warps the end of a long or a short edge (table 1 of the
/// source).
const WARP_LONG: f64 = 0.24999;
const WARP_SHORT: f64 = 0.41189;

/// Fills where `implicit` is negative, inside the box `bounds` (its low and high corner, metres), on a
/// lattice of `spacing` metres.
///
/// `implicit` is negative inside and positive outside, as a signed distance is, and continuous; it is asked
/// at points up to three spacings outside `bounds`, from several threads. Details under about two spacings
/// are lost, and parts thinner than that may fall apart. The boundary is a closed surface without pinched
/// edges or vertices, of the topology that the spacing resolves. Its vertices lie on the function's surface
/// to 1e-8 of the spacing, except where two parts come within a spacing of each other (see `pinched`).
///
/// Errors: `NotFinite` for a value that is not a number, `LeavesBounds`, `Nothing`, `TooLarge`, `Parameter`.
pub fn stuff(
    implicit: impl Fn(DVec3) -> f64 + Sync,
    bounds: [DVec3; 2],
    spacing: f64,
) -> Result<TetMesh, GenerateError> {
    Ok(Stuffing::new(&implicit, None, bounds, spacing)?.improve(&implicit))
}

/// As [`stuff`] for a function that changes by at most `slope` a metre, as signed distances and their smooth
/// unions do with a slope of 1: it is not asked where it cannot be zero, which saves most of the time where
/// much of `bounds` is empty.
pub fn stuff_distance(
    implicit: impl Fn(DVec3) -> f64 + Sync,
    slope: f64,
    bounds: [DVec3; 2],
    spacing: f64,
) -> Result<TetMesh, GenerateError> {
    positive("slope", slope)?;
    Ok(Stuffing::new(&implicit, Some(slope), bounds, spacing)?.improve(&implicit))
}

/// A filled function before its vertices are moved to improve the shapes.
pub(super) struct Stuffing {
    pub mesh: TetMesh,
    on_surface: Vec<bool>,
    spacing: f64,
}

impl Stuffing {
    /// As [`stuff`] or, with a slope, as [`stuff_distance`].
    pub fn new(
        implicit: &(impl Fn(DVec3) -> f64 + Sync),
        slope: Option<f64>,
        bounds: [DVec3; 2],
        spacing: f64,
    ) -> Result<Self, GenerateError> {
        let lattice = lattice_over(bounds, spacing)?;
        let values = sample(&lattice, implicit, slope)?;
        let filled = values.par_iter().filter(|&&v| inside(v)).count() as f64;
        holds("vertices", filled, 16.0 * values.len() as f64 + PER_FILLED_VERTEX * filled)?;
        let mut cuts = Cuts::find(&lattice, &values, implicit);
        let mut warped = warp(&lattice, &cuts);
        let (mesh, on_surface) = loop {
            let (mesh, vertices) = fill(&lattice, &values, &cuts, &warped);
            let is_warped = |v: u32| warped.binary_search_by_key(&v, |w| w.0).is_ok();
            let on_surface: Vec<bool> = vertices.par_iter().map(|&v| v >= CUT || is_warped(v)).collect();
            let pinched = pinched(&mesh, &vertices, &on_surface);
            if pinched.is_empty() {
                break (mesh, on_surface);
            }
            warped.retain(|w| pinched.binary_search(&w.0).is_err());
            cuts.keep_off(&lattice, &pinched);
        };
        if mesh.tets.is_empty() {
            return Err(GenerateError::Nothing { spacing });
        }
        Ok(Stuffing { mesh, on_surface, spacing })
    }

    /// Improves the shapes; `implicit` as before.
    pub fn improve(mut self, implicit: &(impl Fn(DVec3) -> f64 + Sync)) -> TetMesh {
        let surface = Surface { implicit, on_surface: &self.on_surface, spacing: self.spacing };
        improve(&mut self.mesh, &surface);
        self.mesh
    }
}

/// The lattice that covers `bounds` with a margin of one cube and a half on each side.
fn lattice_over([low, high]: [DVec3; 2], spacing: f64) -> Result<Lattice, GenerateError> {
    positive("spacing", spacing)?;
    for extent in (high - low).to_array() {
        positive("bounds", extent)?;
    }
    let cubes = ((high - low) / spacing).ceil() + 3.0;
    let count = (cubes + 1.0).element_product() * 2.0;
    let limit = f64::from(CUT);
    if count >= limit {
        return Err(GenerateError::TooLarge { what: "lattice points", count, limit });
    }
    // A value, a side and a number for each.
    holds("lattice points", count, 16.0 * count)?;
    Ok(Lattice::around(0.5 * (low + high), spacing, cubes.to_array().map(|n| n as u32)))
}

/// Whether a value of the function counts as inside. A lattice point on the surface does; its cut points are
/// where it lies, so that it is warped in place.
fn inside(value: f64) -> bool {
    value <= 0.0
}

/// The function at every lattice point; with a slope, far from its zeros any value of the right sign.
fn sample(
    lattice: &Lattice,
    implicit: &(impl Fn(DVec3) -> f64 + Sync),
    slope: Option<f64>,
) -> Result<Vec<f64>, GenerateError> {
    let slab_layers = BLOCKS[0][2];
    let mut values = vec![0.0; lattice.len() as usize];
    let slab_len = (lattice.layer() * slab_layers) as usize;
    values.par_chunks_mut(slab_len).enumerate().for_each(|(slab, values)| {
        let low = [0, 0, slab as u32 * slab_layers];
        let layers = values.len() as u32 / lattice.layer();
        let high = [lattice.n[0], lattice.n[1], low[2] + layers];
        let mut slab = Slab { lattice, implicit, slope, first: lattice.layer() * low[2], values };
        slab.sample([low, high], &BLOCKS);
    });
    if let Some(id) = values.par_iter().position_first(|v| v.is_nan()) {
        return Err(GenerateError::NotFinite { at: lattice.position(id as u32) });
    }
    let leaves = |&id: &u32| inside(values[id as usize]) && lattice.at_rim(id);
    if let Some(id) = (0..lattice.len()).into_par_iter().find_first(leaves) {
        return Err(GenerateError::LeavesBounds { at: lattice.position(id) });
    }
    Ok(values)
}

/// Points along x and y, and layers, of the blocks that are passed over together, and of their parts.
const BLOCKS: [[u32; 3]; 2] = [[8, 8, 16], [2, 2, 4]];

/// Some layers of the lattice while the function is sampled.
struct Slab<'a, F> {
    lattice: &'a Lattice,
    implicit: &'a F,
    slope: Option<f64>,
    /// The first point.
    first: u32,
    values: &'a mut [f64],
}

impl<F: Fn(DVec3) -> f64> Slab<'_, F> {
    /// Samples the points from `low` up to `high`, by blocks of these sizes.
    fn sample(&mut self, [low, high]: [[u32; 3]; 2], blocks: &[[u32; 3]]) {
        let Some((size, parts)) = blocks.split_first().filter(|_| self.slope.is_some()) else {
            return self.fill([low, high], |lattice, implicit, id| implicit(lattice.position(id)));
        };
        for k in (low[2]..high[2]).step_by(size[2] as usize) {
            for j in (low[1]..high[1]).step_by(size[1] as usize) {
                for i in (low[0]..high[0]).step_by(size[0] as usize) {
                    let start = [i, j, k];
                    let end = [0, 1, 2].map(|a| (start[a] + size[a]).min(high[a]));
                    match self.far_value([start, end]) {
                        Some(value) => self.fill([start, end], |_, _, _| value),
                        None => self.sample([start, end], parts),
                    }
                }
            }
        }
    }

    /// A value for all points of a block of which no edge can change sign.
    fn far_value(&self, [start, end]: [[u32; 3]; 2]) -> Option<f64> {
        let corner = |cell| self.lattice.position(self.lattice.id(cell));
        let (low, high) = (corner(start), corner(end.map(|n| n - 1)));
        // Room for the shift of every other layer, and for an edge to a point of another block.
        let reach = 0.5 * (high - low).length() + 1.8 * self.lattice.spacing;
        let value = (self.implicit)(0.5 * (low + high));
        (value.abs() > self.slope? * reach).then_some(value)
    }

    fn fill(&mut self, [low, high]: [[u32; 3]; 2], value: impl Fn(&Lattice, &F, u32) -> f64) {
        for k in low[2]..high[2] {
            for j in low[1]..high[1] {
                for i in low[0]..high[0] {
                    let id = self.lattice.id([i, j, k]);
                    self.values[(id - self.first) as usize] = value(self.lattice, self.implicit, id);
                }
            }
        }
    }
}

/// A point of the surface on an edge of the lattice that changes sign.
struct Cut {
    /// Ends, the smaller id first.
    edge: [u32; 2],
    /// Where along it, from the first end, in parts of its length.
    at: f64,
    position: DVec3,
}

/// All cut points, ordered by edge.
struct Cuts(Vec<Cut>);

impl Cuts {
    fn find(lattice: &Lattice, values: &[f64], implicit: &(impl Fn(DVec3) -> f64 + Sync)) -> Self {
        let mut cuts: Vec<Cut> = (0..lattice.len())
            .into_par_iter()
            .flat_map_iter(|a| {
                let value = values[a as usize];
                lattice.forward(a).filter_map(move |b| {
                    let other = values[b as usize];
                    if inside(value) == inside(other) {
                        return None;
                    }
                    let (p, q) = (lattice.position(a), lattice.position(b));
                    let at = root(|t| implicit(p.lerp(q, t)), value, other);
                    Some(Cut { edge: [a, b], at, position: p.lerp(q, at) })
                })
            })
            .collect();
        cuts.par_sort_unstable_by_key(|c| c.edge);
        Cuts(cuts)
    }

    /// Moves the cut points on edges of the given lattice points (ascending) out of reach of both ends.
    fn keep_off(&mut self, lattice: &Lattice, points: &[u32]) {
        self.0.par_iter_mut().for_each(|cut| {
            let [a, b] = cut.edge;
            if [a, b].iter().any(|p| points.binary_search(p).is_ok()) {
                let limit = warp_limit(lattice, a, b);
                cut.position =
                    lattice.position(a).lerp(lattice.position(b), cut.at.clamp(limit, 1.0 - limit));
            }
        });
    }

    /// The index of the cut on the edge between `a` and `b`.
    fn on(&self, a: u32, b: u32) -> u32 {
        let edge = [a.min(b), a.max(b)];
        self.0.binary_search_by_key(&edge, |c| c.edge).expect("an edge that changes sign has a cut") as u32
    }
}

/// The root in 0..=1 of a function with the values `f0` and `f1` of opposite signs at its ends, by the
/// Illinois method (Dowell & Jarratt 1971), which never leaves its bracket and needs no tolerance in units of
/// the function.
fn root(f: impl Fn(f64) -> f64, mut f0: f64, mut f1: f64) -> f64 {
    if f0 == 0.0 || f1 == 0.0 {
        return if f0 == 0.0 { 0.0 } else { 1.0 };
    }
    let (mut t0, mut t1) = (0.0, 1.0);
    let (mut t, mut last) = (0.5, f64::INFINITY);
    // Which end the last step moved: an end that stays twice has its value halved, so that it comes closer.
    let mut moved = 0;
    for step in 1..=60 {
        // Infinite values have no secant; now and then halve, for functions with a jump.
        let secant = t0 + (t1 - t0) * (f0 / (f0 - f1));
        t = if step % 10 != 0 && secant > t0 && secant < t1 { secant } else { 0.5 * (t0 + t1) };
        let value = f(t);
        // The method converges faster than linearly: after a step this short the error is far below it.
        if value == 0.0 || (t - last).abs() < 1e-8 || value.is_nan() {
            break;
        }
        last = t;
        if (value < 0.0) == (f0 < 0.0) {
            (t0, f0) = (t, value);
            f1 *= if moved == -1 { 0.5 } else { 1.0 };
            moved = -1;
        } else {
            (t1, f1) = (t, value);
            f0 *= if moved == 1 { 0.5 } else { 1.0 };
            moved = 1;
        }
    }
    t
}

/// For the lattice points that are moved onto the surface: their id and the cut that they move to, ascending.
type Warped = Vec<(u32, u32)>;

/// Moves each lattice point with a close cut point onto the nearest one.
///
/// Every point decides for itself from the same cut points, so the result does not depend on an order.
fn warp(lattice: &Lattice, cuts: &Cuts) -> Warped {
    let mut close: Vec<(u32, f64, u32)> = Vec::new();
    for (c, cut) in cuts.0.iter().enumerate() {
        let [a, b] = cut.edge;
        let limit = warp_limit(lattice, a, b);
        let length = if lattice.is_long(a, b) { 1.0 } else { 0.75f64.sqrt() };
        if cut.at < limit {
            close.push((a, cut.at * length, c as u32));
        } else if 1.0 - cut.at < limit {
            close.push((b, (1.0 - cut.at) * length, c as u32));
        }
    }
    close.par_sort_unstable_by(|x, y| x.0.cmp(&y.0).then(x.1.total_cmp(&y.1)).then(x.2.cmp(&y.2)));
    close.chunk_by(|x, y| x.0 == y.0).map(|group| (group[0].0, group[0].2)).collect()
}

fn warp_limit(lattice: &Lattice, a: u32, b: u32) -> f64 {
    if lattice.is_long(a, b) { WARP_LONG } else { WARP_SHORT }
}

/// Warped lattice points at which the boundary touches itself, ascending.
///
/// Two parts that come within a spacing of each other can meet in a warped point or in an edge between two.
/// Left at its place of the lattice, a point belongs to the inside or the outside; without any warped points
/// the boundary is a surface throughout (marching tetrahedra), so leaving more and more of them alone comes
/// to an end.
fn pinched(mesh: &TetMesh, vertices: &[u32], on_surface: &[bool]) -> Vec<u32> {
    // Tetrahedra round the vertices of the surface are enough: the faces that are open only here hold no such
    // vertex.
    let touches = |tet: &&[u32; 4]| tet.iter().any(|&v| on_surface[v as usize]);
    let skin: Vec<[u32; 4]> = mesh.tets.iter().filter(touches).copied().collect();
    let topology = TetTopology::new(mesh.positions.len(), &skin);
    let edges = nonmanifold_edges(&topology);
    let mut pinched: Vec<u32> = nonmanifold_vertices(&topology)
        .into_iter()
        .chain(edges.into_iter().flatten())
        .filter(|&v| on_surface[v as usize])
        .map(|v| vertices[v as usize])
        .filter(|&v| v < CUT)
        .collect();
    pinched.sort_unstable();
    pinched.dedup();
    pinched
}

/// Where a lattice point lies once warped. The order is the one in which a stencil lists its corners.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Inside,
    Outside,
    Surface,
}

/// A vertex of the result: a lattice point, or a cut point with the top bit set.
const CUT: u32 = 1 << 31;

/// Replaces each lattice tetrahedron by what of it lies inside. Returns the mesh, and what each vertex was: a
/// lattice point or a cut point.
fn fill(lattice: &Lattice, values: &[f64], cuts: &Cuts, warped: &Warped) -> (TetMesh, Vec<u32>) {
    let side = |&v: &f64| if inside(v) { Side::Inside } else { Side::Outside };
    let mut sides: Vec<Side> = values.par_iter().map(side).collect();
    for &(id, _) in warped {
        sides[id as usize] = Side::Surface;
    }
    let stencils = Stencils { lattice, sides: &sides, cuts };
    let mut tets: Vec<[u32; 4]> = (0..lattice.len())
        .into_par_iter()
        .flat_map_iter(|id| lattice.tets(id))
        .flat_map_iter(|tet| stencils.cut(tet))
        .collect();

    // Numbers in the order of the lattice, then of the cuts; cut points follow the lattice in the table.
    let slot = |v: u32| if v >= CUT { (lattice.len() + (v - CUT)) as usize } else { v as usize };
    let mut number = vec![u32::MAX; lattice.len() as usize + cuts.0.len()];
    tets.as_flattened().iter().for_each(|&v| number[slot(v)] = 0);
    let mut vertices = Vec::new();
    for (i, number) in number.iter_mut().enumerate().filter(|(_, n)| **n == 0) {
        *number = vertices.len() as u32;
        let i = i as u32;
        vertices.push(if i < lattice.len() { i } else { CUT | (i - lattice.len()) });
    }
    tets.par_iter_mut().for_each(|tet| *tet = tet.map(|v| number[slot(v)]));
    let position = |&v: &u32| match v {
        v if v >= CUT => cuts.0[(v - CUT) as usize].position,
        v => match warped.binary_search_by_key(&v, |w| w.0) {
            Ok(w) => cuts.0[warped[w].1 as usize].position,
            Err(_) => lattice.position(v),
        },
    };
    let positions: Vec<DVec3> = vertices.par_iter().map(position).collect();
    debug_assert!(tets.iter().all(|t| signed_volume(t.map(|v| positions[v as usize])) > 0.0));
    (TetMesh { positions, tets }, vertices)
}

/// What the stencils of the source need to know (its figure 3).
struct Stencils<'a> {
    lattice: &'a Lattice,
    sides: &'a [Side],
    cuts: &'a Cuts,
}

impl Stencils<'_> {
    /// The part of a positive lattice tetrahedron that lies inside.
    fn cut(&self, mut tet: [u32; 4]) -> impl Iterator<Item = [u32; 4]> + use<> {
        let mut out = [[0; 4]; 3];
        let count = self.stencil(&mut tet, &mut out);
        out.into_iter().take(count)
    }

    fn stencil(&self, tet: &mut [u32; 4], out: &mut [[u32; 4]; 3]) -> usize {
        let side = |v: u32| self.sides[v as usize];
        if !tet.iter().any(|&v| side(v) == Side::Inside) {
            return 0;
        }
        if !tet.iter().any(|&v| side(v) == Side::Outside) {
            out[0] = *tet;
            return 1;
        }
        // Inside corners first, then outside, then surface; an even permutation keeps the tetrahedron
        // positive.
        let mut odd = false;
        for _ in 0..3 {
            for i in 0..3 {
                if side(tet[i]) > side(tet[i + 1]) {
                    tet.swap(i, i + 1);
                    odd = !odd;
                }
            }
        }
        if odd {
            // Four corners on three sides: two neighbours in the list are alike.
            let i = (0..3).find(|&i| side(tet[i]) == side(tet[i + 1])).expect("two corners are alike");
            tet.swap(i, i + 1);
        }
        let [a, b, c, d] = *tet;
        let cut = |p: u32, q: u32| CUT | self.cuts.on(p, q);
        match (side(b), side(c), side(d)) {
            (Side::Inside, Side::Inside, Side::Outside) => {
                let diagonal = [(a, b), (b, c), (c, a)].map(|(p, q)| self.diagonal(p, q, d));
                let top = [cut(a, d), cut(b, d), cut(c, d)];
                *out = split_prism([a, b, c], top, diagonal).expect("the rule has no cycle");
                3
            }
            (Side::Inside, Side::Outside, Side::Outside) => {
                // A prism between the triangles at a and b; its third quad is on the surface, where the
                // diagonal is free.
                let (p, q) = ([a, cut(a, c), cut(a, d)], [b, cut(b, c), cut(b, d)]);
                let [c_at_a, d_at_a] = [c, d].map(|outside| self.diagonal(a, b, outside));
                *out = split_prism(p, q, [c_at_a, true, !d_at_a])
                    .or_else(|| split_prism(p, q, [c_at_a, false, !d_at_a]))
                    .expect("one of both diagonals closes no cycle");
                3
            }
            (Side::Inside, Side::Outside, Side::Surface) => {
                let (ac, bc) = (cut(a, c), cut(b, c));
                let halves = if self.diagonal(a, b, c) {
                    [[a, b, bc, d], [a, bc, ac, d]]
                } else {
                    [[a, b, ac, d], [b, bc, ac, d]]
                };
                out[..2].copy_from_slice(&halves);
                2
            }
            _ => {
                let end = |v: u32| if side(v) == Side::Outside { cut(a, v) } else { v };
                out[0] = [a, end(b), end(c), end(d)];
                1
            }
        }
    }

    /// Whether the quad of the inside corners `p`, `q` and their cuts towards `outside` is split along the
    /// diagonal from `p` (else from `q`).
    fn diagonal(&self, p: u32, q: u32, outside: u32) -> bool {
        match (self.lattice.is_long(p, outside), self.lattice.is_long(q, outside)) {
            (true, _) => false,
            (_, true) => true,
            _ => p < q,
        }
    }
}
