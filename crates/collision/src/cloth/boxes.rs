//! Boxes of what belongs to a leaf, laid out in lanes: one comparison tells which of them are near.

use glam::Vec3;
use wide::{f32x4, f32x8};

use super::mesh::ClothMesh;
use super::tree::{Leaf, NONE};

/// Boxes in lanes, their lowest and highest corners by axis; unused lanes are never near anything.
#[derive(Clone, Copy, Debug)]
struct Lanes {
    low: [f32x8; 3],
    high: [f32x8; 3],
}

/// The edges, vertices and triangles of a leaf.
#[derive(Clone, Copy, Debug)]
pub(super) struct LeafBoxes {
    edges: Lanes,
    /// The vertices by axis.
    vertices: [f32x4; 3],
    /// Lowest and highest corner of each triangle.
    triangles: [[Vec3; 2]; 2],
}

impl LeafBoxes {
    /// Near nothing.
    pub const NONE: LeafBoxes = LeafBoxes {
        edges: Lanes {
            low: [f32x8::new([f32::INFINITY; 8]); 3],
            high: [f32x8::new([f32::NEG_INFINITY; 8]); 3],
        },
        vertices: [f32x4::new([f32::NAN; 4]); 3],
        triangles: [[Vec3::INFINITY, Vec3::NEG_INFINITY]; 2],
    };

    /// Those of `leaf` at the positions `x`.
    pub fn of(mesh: &ClothMesh, leaf: &Leaf, x: &[Vec3]) -> Self {
        let (mut low, mut high) = ([[f32::INFINITY; 8]; 3], [[f32::NEG_INFINITY; 8]; 3]);
        for (lane, &e) in leaf.edges.iter().take_while(|&&e| e != NONE).enumerate() {
            let [p, q] = mesh.edges[e as usize].vertices.map(|v| x[v as usize]);
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
        let triangles = leaf.triangles.map(|t| {
            if t == NONE {
                return [Vec3::INFINITY, Vec3::NEG_INFINITY];
            }
            let [a, b, c] = mesh.triangles[t as usize].map(|v| x[v as usize]);
            [a.min(b).min(c), a.max(b).max(c)]
        });
        LeafBoxes {
            edges: Lanes { low: low.map(f32x8::new), high: high.map(f32x8::new) },
            vertices: vertices.map(f32x4::new),
            triangles,
        }
    }

    /// The edges within `reach` of an edge of `other` along every axis: a bit for each.
    #[inline]
    pub fn edges_near_edge(&self, other: &LeafBoxes, edge: usize, reach: f32) -> u32 {
        let at = |of: &[f32x8; 3]| Vec3::from_array(of.map(|lanes| lanes.as_array()[edge]));
        self.edges.near([at(&other.edges.low) - reach, at(&other.edges.high) + reach])
    }

    /// The edges whose boxes meet that of a triangle of `other`.
    #[inline]
    pub fn edges_near_triangle(&self, other: &LeafBoxes, triangle: usize) -> u32 {
        self.edges.near(other.triangles[triangle])
    }

    /// The vertices within `reach` of the box of a triangle of `other`.
    #[inline]
    pub fn vertices_near_triangle(&self, other: &LeafBoxes, triangle: usize, reach: f32) -> u32 {
        let [low, high] = other.triangles[triangle];
        let (low, high) = (low - reach, high + reach);
        let near = |axis: usize| {
            let p = self.vertices[axis];
            p.simd_ge(f32x4::splat(low[axis])) & p.simd_le(f32x4::splat(high[axis]))
        };
        (near(0) & near(1) & near(2)).to_bitmask()
    }
}

impl Lanes {
    #[inline]
    fn near(&self, [low, high]: [Vec3; 2]) -> u32 {
        let near = |axis: usize| {
            self.low[axis].simd_le(f32x8::splat(high[axis]))
                & self.high[axis].simd_ge(f32x8::splat(low[axis]))
        };
        (near(0) & near(1) & near(2)).to_bitmask()
    }
}

/// The positions of the bits of a mask, ascending.
#[inline]
pub(super) fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (lane < 32).then_some(lane)
    })
}
