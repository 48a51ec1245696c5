//! By the type of the contour: borders are pulled out, creases follow the gradient, loops shrink.
//!
//! A contour with an end at a border (**boundary** contour): the hit edges of that layer cut its mesh; the smaller part moves, within
//! three rings of the end and fading with the distance, along the mean normal of the pierced triangles, to the side from which
//! it came; the pierced triangles move the other way. A contour without border end (**crease**) moves by `h0 D/|D|`, D the summed
//! gradient; a **loop** as in [`Icm`](super::Icm).
//!
//! Ours to choose: parts of equal size, and a cut that does not separate, are decided within the three rings, where the part with the
//! lower first vertex is taken if they are equal there too. A frame moves everything so that the centre of mass stays.
//!
//! Source: J. Ye et al., "A Unified Cloth Untangling Framework Through Discrete Collision Detection", Computer Graphics
//! Forum 36 (2017).

use std::collections::VecDeque;

use glam::DVec3;

use super::icm::{contour_gradient, loop_step, separate};
use super::{Displacement, Response, Tangle};
use crate::cloth::{Contour, End};

/// Rings round the end of a contour that move.
const RINGS: u32 = 3;

/// The response; see the module documentation.
#[derive(Clone, Debug, Default)]
pub struct Ye {
    /// Distance in rings of each vertex from where a flood began; [`FAR`] where it did not come.
    ring: Vec<u32>,
    reached: Vec<u32>,
}

const FAR: u32 = u32::MAX;

impl Ye {
    /// The response.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Response for Ye {
    fn name(&self) -> &'static str {
        "ye"
    }

    fn displace(&mut self, tangle: &Tangle, out: &mut Displacement) {
        self.ring.resize(tangle.mesh.vertex_count, FAR);
        for (c, contour) in tangle.contours.all.iter().enumerate() {
            let step = f64::from(tangle.step);
            match contour.ends {
                Some(ends) => match ends.iter().position(|e| matches!(e, End::Border(_))) {
                    Some(which) => self.boundary(tangle, c as u32, contour, which, out),
                    None => {
                        let d = contour_gradient(tangle, contour).normalize_or_zero();
                        separate(tangle, c as u32, step * d, out);
                    }
                },
                None => separate(tangle, c as u32, loop_step(tangle, contour), out),
            }
        }
    }
}

impl Ye {
    /// Pulls the end `which` of a contour out of what it pierces.
    fn boundary(&mut self, tangle: &Tangle, c: u32, contour: &Contour, which: usize, out: &mut Displacement) {
        let Some([first, last]) = contour.ends else { return };
        let End::Border(side) = [first, last][which] else { return };
        let mesh = tangle.mesh;
        let at = |v: u32| tangle.x[v as usize].as_dvec3();
        let (run, sides) = (tangle.contours.hits(contour), tangle.contours.sides(contour));
        let cut: Vec<u32> = run.iter().zip(sides).filter(|(_, s)| **s == side).map(|(&h, _)| h).collect();
        let end = &tangle.hits[if which == 0 { run[0] } else { run[run.len() - 1] } as usize];
        let mut cut_edges: Vec<u32> = cut.iter().map(|&h| tangle.hits[h as usize].edge).collect();
        cut_edges.sort_unstable();

        let [p, q] = mesh.edges[end.edge as usize].vertices;
        let (whole_p, meets) = self.flood(tangle, p, q, &cut_edges, FAR);
        let (whole_q, _) = self.flood(tangle, q, p, &cut_edges, FAR);
        let take_p = if meets || whole_p == whole_q {
            let (near_p, _) = self.flood(tangle, p, q, &cut_edges, RINGS);
            let (near_q, _) = self.flood(tangle, q, p, &cut_edges, RINGS);
            near_p <= near_q
        } else {
            whole_p < whole_q
        };
        let (from, other) = if take_p { (p, q) } else { (q, p) };

        // The side from which the smaller part came is that of the other end of the edge.
        let normal = |h: &u32| {
            let [a, b, c] = mesh.triangles[tangle.hits[*h as usize].triangle as usize].map(at);
            let n = (b - a).cross(c - a).normalize_or_zero();
            if n.dot(at(other) - at(from)) < 0.0 { -n } else { n }
        };
        let direction = cut.iter().map(normal).sum::<DVec3>().normalize_or_zero();
        let by = f64::from(tangle.step) * direction;
        self.flood(tangle, from, other, &cut_edges, RINGS);
        for &v in &self.reached {
            let fade = 1.0 - f64::from(self.ring[v as usize]) / f64::from(RINGS);
            out.push(v, by * fade);
        }
        for (&h, &s) in run.iter().zip(sides) {
            let hit = &tangle.hits[h as usize];
            let corners = mesh.triangles[hit.triangle as usize];
            if s == side {
                corners.iter().for_each(|&v| out.push(v, -by));
            }
            mesh.edges[hit.edge as usize].vertices.iter().for_each(|&v| out.mark(v, c, s));
            corners.iter().for_each(|&v| out.mark(v, c, -s));
        }
        out.finish(tangle.inv_mass);
    }

    /// Vertices within `rings` of `from` that are reached without a cut edge: how many, and whether `other` is among them.
    fn flood(&mut self, tangle: &Tangle, from: u32, other: u32, cut: &[u32], rings: u32) -> (usize, bool) {
        let mesh = tangle.mesh;
        self.reached.iter().for_each(|&v| self.ring[v as usize] = FAR);
        self.reached.clear();
        let is_cut = |a: u32, b: u32| {
            let key = [a.min(b), a.max(b)];
            mesh.edges
                .binary_search_by_key(&key, |e| e.vertices)
                .is_ok_and(|e| cut.binary_search(&(e as u32)).is_ok())
        };
        let mut queue = VecDeque::from([from]);
        self.ring[from as usize] = 0;
        self.reached.push(from);
        while let Some(v) = queue.pop_front() {
            let next = self.ring[v as usize] + 1;
            if next >= rings {
                continue;
            }
            for &n in mesh.neighbours(v) {
                if self.ring[n as usize] == FAR && !is_cut(v, n) {
                    self.ring[n as usize] = next;
                    self.reached.push(n);
                    queue.push_back(n);
                }
            }
        }
        (self.reached.len(), self.ring[other as usize] != FAR)
    }
}
