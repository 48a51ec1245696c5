//! How deep cloth has come through a contour: the shallowest of the four regions beside it.
//!
//! A contour lies in each of its two layers and has two **banks** in each. Along it, consecutive cut edges of one layer are sides of one
//! triangle and share a vertex, which stays on its bank: so banks are told apart by topology alone. From all banks of all contours a
//! flood goes out ring by ring, over no edge that is cut, and each vertex belongs to the bank that is nearest. Of the four
//! **regions** of a contour that which ends first is the shallowest: what has come through, and what is quickest to pull back. Between
//! two contours a region ends half-way, as deep as it is.
//!
//! All contours together take one pass over the mesh at most.

use glam::{DVec3, Vec3};

use super::Tangle;
use crate::cloth::{ClothMesh, Contour};

/// No region, no vertex.
const NONE: u32 = u32::MAX;

/// A flood from the banks of all contours; keeps its memory between frames.
#[derive(Clone, Debug, Default)]
pub(super) struct Flood {
    /// Region of each vertex: four times its contour, and which of the four.
    region: Vec<u32>,
    /// What is reached, ring by ring.
    reached: Vec<Reached>,
    /// Edges that a contour cuts.
    cut: Vec<bool>,
    /// By contour.
    banks: Vec<Banks>,
}

/// A vertex that the flood has reached.
#[derive(Clone, Copy, Debug)]
struct Reached {
    vertex: u32,
    ring: u32,
    /// The next one of the same contour.
    next: u32,
}

/// What is known of a contour.
#[derive(Clone, Copy, Debug)]
struct Banks {
    /// The first and the last that it has reached.
    ends: [u32; 2],
    /// Vertices of each region, and those of the ring in work.
    count: [u32; 4],
    grown: [u32; 4],
    /// For the edges of each layer the sum of the normals of what they pierce, from the first bank to the second, and their number.
    across: [DVec3; 2],
    edges: [u32; 2],
    /// Sum of the sines of the angles between the layers, and their number.
    sines: [f64; 2],
    /// Whether the shallowest region is still looked for.
    open: bool,
    found: Option<Shallowest>,
}

/// The shallowest region beside a contour.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shallowest {
    region: u32,
    /// Its depth in rings of vertices, at least 1.
    pub rings: u32,
    /// Where the layer +1 moves against the other so that the region goes back through the contour: a mean of unit normals.
    pub way: DVec3,
    /// Mean sine of the angle between both layers.
    pub sine: f64,
}

impl Flood {
    /// Floods the cloth from all contours, until the shallowest region is known beside those that are `wanted`.
    pub fn run(&mut self, tangle: &Tangle, wanted: impl Fn(usize) -> bool) {
        let mesh = tangle.mesh;
        self.region.resize(mesh.vertex_count, NONE);
        self.reached.iter().for_each(|r| self.region[r.vertex as usize] = NONE);
        self.reached.clear();
        self.banks.clear();
        self.cut.resize(mesh.edges.len(), false);
        tangle.hits.iter().for_each(|h| self.cut[h.edge as usize] = true);
        for (c, contour) in tangle.contours.all.iter().enumerate() {
            self.banks.push(Banks::NEW);
            let plain = self.seed(tangle, c as u32, contour);
            let banks = &mut self.banks[c];
            banks.count = std::mem::take(&mut banks.grown);
            banks.open = plain && wanted(c) && !banks.count.contains(&0);
        }
        let (mut begin, mut rings) = (0, 1);
        while self.banks.iter().any(|b| b.open) {
            let end = self.reached.len();
            self.grow(mesh, begin, rings);
            self.banks.iter_mut().for_each(|b| b.close(rings));
            (begin, rings) = (end, rings + 1);
        }
        tangle.hits.iter().for_each(|h| self.cut[h.edge as usize] = false);
    }

    /// The shallowest region beside a contour; none where it is no plain curve in both layers.
    pub fn shallowest(&self, contour: u32) -> Option<Shallowest> {
        self.banks[contour as usize].found
    }

    /// The vertices that are nearest to a contour, with their layer, +1 or -1, and a weight: 1 at the contour and in its shallowest region, 0
    /// as far from it as that is deep.
    pub fn all(&self, contour: u32) -> impl Iterator<Item = (u32, i8, f64)> + '_ {
        let banks = &self.banks[contour as usize];
        let (shallow, rings) = banks.found.map_or((NONE, 1), |f| (f.region, f.rings));
        let at = |i: u32| self.reached.get(i as usize);
        let run = std::iter::successors(at(banks.ends[0]), move |r| at(r.next));
        run.filter_map(move |r| {
            let region = self.region[r.vertex as usize] % 4;
            let fade = 1.0 - f64::from(r.ring) / f64::from(rings);
            let weight = if region == shallow { 1.0 } else { fade };
            (weight > 0.0).then_some((r.vertex, if region < 2 { 1 } else { -1 }, weight))
        })
    }

    /// Starts the flood at the ends of the edges that a contour cuts; whether it is a plain curve in both layers.
    fn seed(&mut self, tangle: &Tangle, c: u32, contour: &Contour) -> bool {
        let mesh = tangle.mesh;
        let at = |v: u32| tangle.x[v as usize].as_dvec3();
        let mut last: [Option<[u32; 2]>; 2] = [None; 2];
        for (&h, &side) in tangle.contours.hits(contour).iter().zip(tangle.contours.sides(contour)) {
            let hit = &tangle.hits[h as usize];
            let layer = usize::from(side < 0);
            let [p, q] = mesh.edges[hit.edge as usize].vertices;
            let ends = match last[layer] {
                None => [p, q],
                // It turns round and comes back over the same edge.
                Some([l, r]) if [l, r] == [p, q] || [l, r] == [q, p] => [r, l],
                Some([l, r]) if l == p || r == q => [p, q],
                Some([l, r]) if l == q || r == p => [q, p],
                Some(_) => return false,
            };
            last[layer] = Some(ends);
            for (bank, v) in ends.into_iter().enumerate() {
                self.reach(v, 4 * c + (2 * layer + bank) as u32, 0);
            }
            let n = normal(mesh, tangle.x, hit.triangle);
            let towards = n.dot(at(ends[1]) - at(ends[0]));
            let banks = &mut self.banks[c as usize];
            banks.across[layer] += if towards < 0.0 { -n } else { n };
            banks.edges[layer] += 1;
            for &s in mesh.triangles_at(hit.edge) {
                banks.sines[0] += n.cross(normal(mesh, tangle.x, s)).length();
                banks.sines[1] += 1.0;
            }
        }
        true
    }

    /// Adds a vertex to a region, if it is in none.
    fn reach(&mut self, vertex: u32, region: u32, ring: u32) {
        if self.region[vertex as usize] != NONE {
            return;
        }
        self.region[vertex as usize] = region;
        let banks = &mut self.banks[region as usize / 4];
        banks.grown[region as usize % 4] += 1;
        let new = self.reached.len() as u32;
        match banks.ends {
            [NONE, _] => banks.ends = [new; 2],
            [_, last] => {
                self.reached[last as usize].next = new;
                banks.ends[1] = new;
            }
        }
        self.reached.push(Reached { vertex, ring, next: NONE });
    }

    /// Reaches the ring `ring`, from the one before, which begins at `begin`.
    fn grow(&mut self, mesh: &ClothMesh, begin: usize, ring: u32) {
        for i in begin..self.reached.len() {
            let v = self.reached[i].vertex;
            let region = self.region[v as usize];
            for &t in mesh.triangles_of(v) {
                for e in mesh.triangle_edges[t as usize] {
                    let [a, b] = mesh.edges[e as usize].vertices;
                    if !self.cut[e as usize] && (a == v || b == v) {
                        self.reach(a ^ b ^ v, region, ring);
                    }
                }
            }
        }
    }
}

impl Banks {
    const NEW: Self = Banks {
        ends: [NONE; 2],
        count: [0; 4],
        grown: [0; 4],
        across: [DVec3::ZERO; 2],
        edges: [0; 2],
        sines: [0.0; 2],
        open: false,
        found: None,
    };

    /// Ends a ring: `rings` is the depth of a region that has not grown any more.
    fn close(&mut self, rings: u32) {
        let grown = std::mem::take(&mut self.grown);
        if !self.open {
            return;
        }
        // Of several that of the fewest vertices.
        if let Some(r) = (0..4).filter(|&r| grown[r] == 0).min_by_key(|&r| self.count[r]) {
            let (layer, bank) = (r / 2, r % 2);
            let across = self.across[layer] / f64::from(self.edges[layer]);
            // The first bank of its layer goes to the second, the second to the first; the layer -1 moves against the way.
            let way = if layer == bank { across } else { -across };
            let sine = self.sines[0] / self.sines[1];
            self.found = Some(Shallowest { region: r as u32, rings, way, sine });
            self.open = false;
        }
        (0..4).for_each(|r| self.count[r] += grown[r]);
    }
}

fn normal(mesh: &ClothMesh, x: &[Vec3], triangle: u32) -> DVec3 {
    let [a, b, c] = mesh.triangles[triangle as usize].map(|v| x[v as usize].as_dvec3());
    (b - a).cross(c - a).normalize_or_zero()
}
