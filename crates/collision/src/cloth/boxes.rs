//! Boxes of what belongs to a leaf, laid out in lanes: one comparison tells which of them are near.

use glam::Vec3;
use wide::{f32x4, f32x8, u32x4, u32x8};

use super::mesh::ClothMesh;
use super::tree::{Leaf, NONE};

/// Edges in lanes: lowest and highest corners of their boxes by axis, and their ends; unused lanes are never near anything.
#[derive(Clone, Copy, Debug)]
struct Edges {
    low: [f32x8; 3],
    high: [f32x8; 3],
    ends: [u32x8; 2],
}

/// The edges, vertices and triangles of a leaf.
#[derive(Clone, Copy, Debug)]
pub(super) struct LeafBoxes {
    edges: Edges,
    /// The vertices by axis, and which they are.
    vertices: [f32x4; 3],
    vertex_ids: u32x4,
    /// Lowest and highest corner of each triangle, and its vertices.
    triangles: [[Vec3; 2]; 2],
    pub corners: [[u32; 3]; 2],
}

impl LeafBoxes {
    /// Near nothing.
    pub const NONE: LeafBoxes = LeafBoxes {
        edges: Edges {
            low: [f32x8::new([f32::INFINITY; 8]); 3],
            high: [f32x8::new([f32::NEG_INFINITY; 8]); 3],
            ends: [u32x8::new([NONE; 8]); 2],
        },
        vertices: [f32x4::new([f32::NAN; 4]); 3],
        vertex_ids: u32x4::new([NONE; 4]),
        triangles: [[Vec3::INFINITY, Vec3::NEG_INFINITY]; 2],
        corners: [[NONE; 3]; 2],
    };

    /// Those of `leaf` at the positions `x`.
    pub fn of(mesh: &ClothMesh, leaf: &Leaf, x: &[Vec3]) -> Self {
        let (mut low, mut high) = ([[f32::INFINITY; 8]; 3], [[f32::NEG_INFINITY; 8]; 3]);
        let mut ends = [[NONE; 8]; 2];
        for (lane, &e) in leaf.edges.iter().take_while(|&&e| e != NONE).enumerate() {
            let [a, b] = mesh.edges[e as usize].vertices;
            (ends[0][lane], ends[1][lane]) = (a, b);
            let (p, q) = (x[a as usize], x[b as usize]);
            let (l, h) = (p.min(q), p.max(q));
            for axis in 0..3 {
                low[axis][lane] = l[axis];
                high[axis][lane] = h[axis];
            }
        }
        let mut vertices = [[f32::NAN; 4]; 3];
        for (lane, &v) in leaf.vertices.iter().take_while(|&&v| v != NONE).enumerate() {
            (0..3).for_each(|axis| vertices[axis][lane] = x[v as usize][axis]);
        }
        let mut boxes = LeafBoxes {
            edges: Edges { low: low.map(f32x8::new), high: high.map(f32x8::new), ends: ends.map(u32x8::new) },
            vertices: vertices.map(f32x4::new),
            vertex_ids: u32x4::new(leaf.vertices),
            ..LeafBoxes::NONE
        };
        for (k, &t) in leaf.triangles.iter().enumerate().filter(|&(_, &t)| t != NONE) {
            boxes.corners[k] = mesh.triangles[t as usize];
            let [a, b, c] = boxes.corners[k].map(|v| x[v as usize]);
            boxes.triangles[k] = [a.min(b).min(c), a.max(b).max(c)];
        }
        boxes
    }

    /// The edges within `reach` of an edge of `other` along every axis that have no vertex in common with it: a bit for each.
    #[inline]
    pub fn edges_near_edge(&self, other: &LeafBoxes, edge: usize, reach: f32) -> u32 {
        let near = self.edges.near(|axis| {
            [other.edges.low[axis].as_array()[edge] - reach, other.edges.high[axis].as_array()[edge] + reach]
        });
        if near == 0 {
            return 0;
        }
        near & !self.edges.have(other.edges.ends.map(|lanes| lanes.as_array()[edge]))
    }

    /// The edges whose boxes come within `reach` of that of a triangle of `other` along every axis and that have no vertex in common with it.
    #[inline]
    pub fn edges_near_triangle(&self, other: &LeafBoxes, triangle: usize, reach: f32) -> u32 {
        let [low, high] = &other.triangles[triangle];
        let near = self.edges.near(|axis| [low[axis] - reach, high[axis] + reach]);
        if near == 0 {
            return 0;
        }
        near & !self.edges.have(other.corners[triangle])
    }

    /// The vertices within `reach` of the box of a triangle of `other` that are none of its own.
    #[inline]
    pub fn vertices_near_triangle(&self, other: &LeafBoxes, triangle: usize, reach: f32) -> u32 {
        let [low, high] = other.triangles[triangle];
        let near = |axis: usize| {
            let p = self.vertices[axis];
            p.simd_ge(f32x4::splat(low[axis] - reach)) & p.simd_le(f32x4::splat(high[axis] + reach))
        };
        let near = (near(0) & near(1) & near(2)).to_bitmask();
        if near == 0 {
            return 0;
        }
        let [a, b, c] = other.corners[triangle].map(|v| self.vertex_ids.simd_eq(u32x4::splat(v)));
        near & !(a | b | c).to_bitmask()
    }
}

impl Edges {
    #[inline]
    fn near(&self, of: impl Fn(usize) -> [f32; 2]) -> u32 {
        let near = |axis: usize| {
            let [low, high] = of(axis);
            self.low[axis].simd_le(f32x8::splat(high)) & self.high[axis].simd_ge(f32x8::splat(low))
        };
        (near(0) & near(1) & near(2)).to_bitmask()
    }

    /// The edges that end at one of these vertices.
    #[inline]
    fn have<const N: usize>(&self, vertices: [u32; N]) -> u32 {
        let ends_at = |v: u32| {
            let v = u32x8::splat(v);
            self.ends[0].simd_eq(v) | self.ends[1].simd_eq(v)
        };
        vertices.map(ends_at).into_iter().fold(u32x8::ZERO, |all, one| all | one).to_bitmask()
    }
}

/// The positions of the bits of a mask, ascending.
#[inline]
pub(super) fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let lane = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        Some(lane)
    })
}
