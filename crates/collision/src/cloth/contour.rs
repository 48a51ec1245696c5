//! Intersection contours: hits joined along the pairs of triangles that they share, and classified by their ends.
//!
//! Two triangles that cross and share no vertex have exactly two hits: the segment of the contour between them. A hit belongs to
//! the pairs of the pierced triangle with each triangle beside the edge, so that a contour runs on from segment to segment until
//! it closes, or until it **ends**: at a border, where the edge has one triangle only, or at a **loop vertex**, where the two
//! triangles share a vertex and the segment runs into it. Ties are decided symbolically, so there are no other ends, but for
//! edges of more than two triangles, where a contour branches.
//!
//! A contour lies in the cloth twice, once in each of the two layers. Along it an edge belongs now to one, now to the other layer:
//! the **side** of a hit says to which. It stays as long as the pierced triangle stays, and changes when it changes.

use glam::{DVec3, Vec3};

use super::hits::Hit;
use super::mesh::ClothMesh;

/// How a contour ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// At a border of the layer of this side (+1 or -1); inside the other.
    Border(i8),
    /// In a vertex where both layers meet.
    Loop(u32),
    /// At an edge of more than two triangles.
    Junction,
}

/// Kind of a contour: by its ends **B** (border), **I** (inside), **L** (loop vertex) in either layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Both ends at borders of the same layer: it is cut through, the other has a slit inside.
    Bbii,
    /// One end at a border of each layer.
    Bibi,
    /// From a border to a loop vertex.
    Bli,
    /// From loop vertex to loop vertex.
    Ll,
    /// A loop.
    Closed,
    /// An open contour that crosses itself or another one in a layer: three layers meet there.
    Cross,
    /// A closed contour that crosses itself or another one in a layer.
    FigureEight,
    /// It ends where more than two triangles share an edge.
    Junction,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 8] = [
        Kind::Bbii,
        Kind::Bibi,
        Kind::Bli,
        Kind::Ll,
        Kind::Closed,
        Kind::Cross,
        Kind::FigureEight,
        Kind::Junction,
    ];

    /// A short name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Bbii => "BBII",
            Kind::Bibi => "BIBI",
            Kind::Bli => "BLI",
            Kind::Ll => "LL",
            Kind::Closed => "closed",
            Kind::Cross => "cross",
            Kind::FigureEight => "figure eight",
            Kind::Junction => "junction",
        }
    }
}

/// A contour: a run of hits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contour {
    start: u32,
    len: u32,
    /// Where it begins and ends; none for a closed one.
    pub ends: Option<[End; 2]>,
    /// Its kind.
    pub kind: Kind,
    /// Its length, metres.
    pub length: f64,
}

/// A pair of triangles with a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Link {
    pair: [u32; 2],
    hit: u32,
}

/// All contours of a pose; keeps its memory between frames.
#[derive(Clone, Debug, Default)]
pub struct Contours {
    /// The contours, in the order of their first hits; open ones first.
    pub all: Vec<Contour>,
    /// Numbers of hits, contour by contour.
    order: Vec<u32>,
    /// Layer of the edge, +1 or -1, for each entry of `order`.
    sides: Vec<i8>,
    points: Vec<DVec3>,
    links: Vec<Link>,
    /// Pairs of each hit: ranges of `beside`.
    first_pair: Vec<u32>,
    beside: Vec<u32>,
    used: Vec<bool>,
    segments: Vec<Segment>,
}

/// A piece of a contour in a triangle.
#[derive(Clone, Copy, Debug)]
struct Segment {
    triangle: u32,
    contour: u32,
    place: u32,
    ends: [DVec3; 2],
}

impl Contours {
    /// Joins `hits` (by edge, then triangle, as found at the positions `x`) to contours.
    pub fn trace(&mut self, mesh: &ClothMesh, x: &[Vec3], hits: &[Hit]) {
        self.all.clear();
        self.order.clear();
        self.sides.clear();
        self.points.clear();
        self.points.extend(hits.iter().map(|h| h.point(mesh, x)));
        self.link(mesh, hits);
        self.used.clear();
        self.used.resize(hits.len(), false);
        // Open contours from their ends, then what is left is closed.
        for seed in 0..hits.len() as u32 {
            if !self.used[seed as usize] && self.degree(seed) != 2 {
                self.walk(mesh, x, hits, seed, true);
            }
        }
        for seed in 0..hits.len() as u32 {
            if !self.used[seed as usize] {
                self.walk(mesh, x, hits, seed, false);
            }
        }
        self.find_crossings(mesh, x, hits);
    }

    /// Hits of a contour, in their order along it.
    pub fn hits(&self, contour: &Contour) -> &[u32] {
        &self.order[contour.start as usize..(contour.start + contour.len) as usize]
    }

    /// For each hit of a contour the layer of its edge: +1 that of the first hit's edge, -1 the other.
    pub fn sides(&self, contour: &Contour) -> &[i8] {
        &self.sides[contour.start as usize..(contour.start + contour.len) as usize]
    }

    /// Points of the hits, metres.
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// Length of all contours, metres.
    pub fn length(&self) -> f64 {
        self.all.iter().map(|c| c.length).fold(0.0, |a, b| a + b)
    }

    /// Number of pairs of triangles that cross, with those that share a vertex and cross beyond it.
    pub fn triangle_pairs(&self) -> usize {
        self.links.chunk_by(|a, b| a.pair == b.pair).count()
    }

    /// The pairs of triangles that cross and share no vertex, ascending.
    pub fn crossing_pairs<'a>(&'a self, mesh: &'a ClothMesh) -> impl Iterator<Item = [u32; 2]> + 'a {
        let pairs = self.links.chunk_by(|a, b| a.pair == b.pair).map(|g| g[0].pair);
        pairs.filter(|p| !mesh.share_vertex(p[0], p[1]))
    }

    /// Pairs of triangles and the hits on them.
    fn link(&mut self, mesh: &ClothMesh, hits: &[Hit]) {
        self.links.clear();
        for (i, h) in hits.iter().enumerate() {
            for &s in mesh.triangles_at(h.edge) {
                let pair = [s.min(h.triangle), s.max(h.triangle)];
                self.links.push(Link { pair, hit: i as u32 });
            }
        }
        self.links.sort_unstable();
        // For each hit the hits that it shares a pair with.
        self.first_pair.clear();
        self.first_pair.resize(hits.len() + 1, 0);
        let linked = |g: &[Link]| g.len() == 2;
        for g in self.links.chunk_by(|a, b| a.pair == b.pair).filter(|g| linked(g)) {
            g.iter().for_each(|l| self.first_pair[l.hit as usize + 1] += 1);
        }
        for i in 0..hits.len() {
            self.first_pair[i + 1] += self.first_pair[i];
        }
        self.beside.clear();
        self.beside.resize(self.first_pair[hits.len()] as usize, 0);
        for g in self.links.chunk_by(|a, b| a.pair == b.pair).filter(|g| linked(g)) {
            for (l, other) in [(g[0], g[1]), (g[1], g[0])] {
                // Filled from the back; `first_pair` becomes the start again.
                let slot = &mut self.first_pair[l.hit as usize + 1];
                *slot -= 1;
                self.beside[*slot as usize] = other.hit;
            }
        }
        self.first_pair.remove(0);
        self.first_pair.push(self.beside.len() as u32);
    }

    fn beside(&self, hit: u32) -> &[u32] {
        &self.beside[self.first_pair[hit as usize] as usize..self.first_pair[hit as usize + 1] as usize]
    }

    fn degree(&self, hit: u32) -> usize {
        self.beside(hit).len()
    }

    fn walk(&mut self, mesh: &ClothMesh, x: &[Vec3], hits: &[Hit], seed: u32, open: bool) {
        let start = self.order.len();
        let (mut at, mut side, mut from) = (seed, 1i8, None);
        loop {
            self.used[at as usize] = true;
            self.order.push(at);
            self.sides.push(side);
            if from.is_some() && self.degree(at) > 2 {
                break;
            }
            let next = self.beside(at).iter().copied().find(|&n| !self.used[n as usize] && Some(n) != from);
            let Some(next) = next else { break };
            if hits[next as usize].triangle != hits[at as usize].triangle {
                side = -side;
            }
            from = Some(at);
            at = next;
        }
        let run = &self.order[start..];
        let point = |hit: u32| self.points[hit as usize];
        let mut length: f64 = run.windows(2).map(|w| point(w[0]).distance(point(w[1]))).sum();
        let (ends, kind);
        if open {
            let first = end_of(mesh, &hits[seed as usize], self.degree(seed), 1);
            let last_hit = *run.last().expect("the seed");
            let last = end_of(mesh, &hits[last_hit as usize], self.degree(last_hit), side);
            let both = if run.len() == 1 { single_ends(mesh, &hits[seed as usize]) } else { [first, last] };
            for (end, hit) in both.iter().zip([seed, last_hit]) {
                if let End::Loop(v) = end {
                    length += point(hit).distance(x[*v as usize].as_dvec3());
                }
            }
            ends = Some(both);
            kind = kind_of(both);
        } else if run.len() > 2 && !self.beside(at).contains(&seed) {
            // Both ends are at a junction that other contours have taken.
            (ends, kind) = (Some([End::Junction; 2]), Kind::Junction);
        } else {
            length += point(run[run.len() - 1]).distance(point(run[0]));
            ends = None;
            kind = Kind::Closed;
        }
        let len = run.len() as u32;
        self.all.push(Contour { start: start as u32, len, ends, kind, length });
    }

    /// Contours that cross each other in a triangle.
    fn find_crossings(&mut self, mesh: &ClothMesh, x: &[Vec3], hits: &[Hit]) {
        self.segments.clear();
        for (c, contour) in self.all.iter().enumerate() {
            let run = &self.order[contour.start as usize..(contour.start + contour.len) as usize];
            let closing = if contour.ends.is_none() { run.len() } else { run.len() - 1 };
            for k in 0..closing {
                let (h, i) = (run[k], run[(k + 1) % run.len()]);
                let ends = [self.points[h as usize], self.points[i as usize]];
                for triangle in common_pair(mesh, &hits[h as usize], &hits[i as usize]).into_iter().flatten()
                {
                    self.segments.push(Segment { triangle, contour: c as u32, place: k as u32, ends });
                }
            }
        }
        self.segments.sort_by_key(|s| (s.triangle, s.contour, s.place));
        for group in self.segments.chunk_by(|a, b| a.triangle == b.triangle) {
            let corners = mesh.triangles[group[0].triangle as usize].map(|v| x[v as usize].as_dvec3());
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            for (i, a) in group.iter().enumerate() {
                for b in &group[i + 1..] {
                    if cross(normal, a.ends, b.ends) {
                        for c in [a.contour, b.contour] {
                            let contour = &mut self.all[c as usize];
                            contour.kind = match contour.ends {
                                Some(_) => Kind::Cross,
                                None => Kind::FigureEight,
                            };
                        }
                    }
                }
            }
        }
    }
}

/// The end of a contour at a hit with fewer or more than two neighbours.
fn end_of(mesh: &ClothMesh, hit: &Hit, degree: usize, side: i8) -> End {
    if degree > 2 || mesh.triangles_at(hit.edge).len() > 2 {
        return End::Junction;
    }
    match loop_vertex(mesh, hit).next() {
        Some(v) => End::Loop(v),
        None => End::Border(side),
    }
}

/// Both ends of a contour of one hit: a border edge, or loop vertices.
fn single_ends(mesh: &ClothMesh, hit: &Hit) -> [End; 2] {
    if mesh.triangles_at(hit.edge).len() > 2 {
        return [End::Junction; 2];
    }
    let mut loops = loop_vertex(mesh, hit).map(End::Loop);
    let (first, second) = (loops.next(), loops.next());
    [first.unwrap_or(End::Border(1)), second.unwrap_or(End::Border(1))]
}

/// The vertices that triangles beside the edge share with the pierced one.
fn loop_vertex<'a>(mesh: &'a ClothMesh, hit: &'a Hit) -> impl Iterator<Item = u32> + 'a {
    let pierced = mesh.triangles[hit.triangle as usize];
    let apexes = mesh.triangles_at(hit.edge).iter().map(move |&s| mesh.opposite(s, hit.edge));
    apexes.filter(move |v| pierced.contains(v))
}

fn kind_of(ends: [End; 2]) -> Kind {
    match ends {
        [End::Junction, _] | [_, End::Junction] => Kind::Junction,
        [End::Border(a), End::Border(b)] if a == b => Kind::Bbii,
        [End::Border(_), End::Border(_)] => Kind::Bibi,
        [End::Loop(_), End::Loop(_)] => Kind::Ll,
        _ => Kind::Bli,
    }
}

/// The pair of triangles that two hits in sequence share.
fn common_pair(mesh: &ClothMesh, h: &Hit, i: &Hit) -> Option<[u32; 2]> {
    let pairs = |h: &Hit| {
        let t = h.triangle;
        mesh.triangles_at(h.edge).iter().map(move |&s| [s.min(t), s.max(t)])
    };
    pairs(h).find(|p| pairs(i).any(|q| q == *p))
}

/// Whether two segments in a plane cross each other.
fn cross(normal: DVec3, [a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> bool {
    let side = |p: DVec3, q: DVec3, r: DVec3| normal.dot((q - p).cross(r - p));
    side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0
}
