//! **Normal cones** beside the boxes of a tree over triangles: from which side a subtree may be looked at.
//!
//! A point s of a surface can be the closest one to p, seen from inside, only if p - s lies in the convex hull of the inward
//! normals at s. A cone round the inward normals of a subtree and a ball round its box tell, without looking at a
//! single triangle, that no point of it can be. Cones wider than a right angle to their axis are no longer convex; they are
//! full, and rule nothing out.
//! Source: D. Johnson and E. Cohen, "Spatialized Normal Cone Hierarchies", Symposium on Interactive 3D Graphics 2001.

use glam::{Vec3, Vec4};
use rayon::prelude::*;

use super::{ChildKind, Node, Tree, WIDTH, lanes};

/// By how much a cone is opened, so that rounding never shuts out what lies on its rim; far above single precision.
const SLACK: f32 = 2e-3;

/// A convex cone of directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    /// Unit vector.
    axis: Vec3,
    /// Cosine and sine of the angle between the axis and the rim; `-2` and `2` when the cone is full.
    cos: f32,
    sin: f32,
}

impl Cone {
    /// All directions.
    pub const FULL: Cone = Cone { axis: Vec3::ZERO, cos: -2.0, sin: 2.0 };

    /// A cone that holds these unit vectors; their sum, or another vector near their middle, is its axis.
    #[inline]
    pub fn of(sum: Vec3, rays: impl Iterator<Item = Vec3>) -> Cone {
        let Some(axis) = sum.try_normalize() else { return Cone::FULL };
        let cos = rays.map(|r| r.dot(axis)).fold(1.0, f32::min);
        if cos > 0.0 { Cone { axis, cos, sin: (1.0 - cos * cos).sqrt() } } else { Cone::FULL }
    }

    /// A cone that holds these; round the mean of their axes.
    #[inline]
    pub fn around(cones: &[Cone]) -> Cone {
        let sum: Vec3 = cones.iter().map(|c| c.axis).sum();
        let Some(axis) = sum.try_normalize() else { return Cone::FULL };
        let (mut cos, mut sin) = (1.0, 0.0);
        for c in cones {
            let d = axis.dot(c.axis).min(1.0);
            let e = (1.0 - d * d).sqrt();
            // The sum of the two angles. A negative cosine is that of one beyond a right angle.
            let (x, y) = (d * c.cos - e * c.sin, d * c.sin + e * c.cos);
            if !(x > 0.0 && d > 0.0) {
                return Cone::FULL;
            }
            if x < cos {
                (cos, sin) = (x, y);
            }
        }
        Cone { axis, cos, sin }
    }
}

/// Cones of a node's children, as structure of arrays.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
struct NodeCones {
    axis: [Vec4; 3],
    cos: Vec4,
    sin: Vec4,
}

impl NodeCones {
    const FULL: NodeCones =
        NodeCones { axis: [Vec4::ZERO; 3], cos: Vec4::splat(-2.0), sin: Vec4::splat(2.0) };

    #[inline]
    fn set(&mut self, lane: usize, cone: &Cone) {
        for k in 0..3 {
            self.axis[k][lane] = cone.axis[k];
        }
        self.cos[lane] = cone.cos;
        self.sin[lane] = cone.sin;
    }

    #[inline]
    fn get(&self, lane: usize) -> Cone {
        let axis = Vec3::new(self.axis[0][lane], self.axis[1][lane], self.axis[2][lane]);
        Cone { axis, cos: self.cos[lane], sin: self.sin[lane] }
    }

    /// Bit `i` is set unless p - s lies outside of cone `i` for every s in the box of child `i`.
    #[inline]
    fn facing(&self, node: &Node, p: Vec3) -> u32 {
        let (mut dot, mut distance, mut radius, mut size) = (Vec4::ZERO, Vec4::ZERO, Vec4::ZERO, Vec4::ZERO);
        for k in 0..3 {
            let half = (node.max[k] - node.min[k]) * 0.5;
            let d = Vec4::splat(p[k]) - (node.min[k] + half);
            dot += d * self.axis[k];
            distance += d * d;
            radius += half * half;
            size = size.max(d.abs() + half);
        }
        // What the rounding of coordinates may move the centre.
        let error = (size + Vec4::splat(p.abs().max_element())) * (4.0 * f32::EPSILON);
        let radius = sqrt(radius) + error;
        let ahead = distance - radius * radius;
        let tangent = sqrt(ahead.max(Vec4::ZERO));
        // The cosine of the sum of two angles, the cone's and that under which the ball is seen, times the distance.
        let rim = self.cos * tangent - self.sin * radius - sqrt(distance) * SLACK;
        // What is not a number is not ruled out.
        (!(dot.cmplt(rim) & ahead.cmpgt(Vec4::ZERO)).bitmask()) & 15
    }
}

#[inline]
fn sqrt(v: Vec4) -> Vec4 {
    Vec4::new(v.x.sqrt(), v.y.sqrt(), v.z.sqrt(), v.w.sqrt())
}

/// Normal cones of a tree; belongs to the tree that it was last refit to.
#[derive(Clone, Debug, Default)]
pub struct Cones {
    nodes: Vec<NodeCones>,
}

impl Cones {
    /// Bit `i` is set unless nothing in child `i` of that node can be closest to `p`.
    #[inline]
    pub(super) fn facing(&self, index: usize, node: &Node, p: Vec3) -> u32 {
        self.nodes[index].facing(node, p)
    }

    /// Recomputes every cone, `cone(i)` being that of primitive `i`. In parallel; the result does not depend on the number
    /// of threads.
    pub fn refit(&mut self, tree: &Tree, cone: impl Fn(u32) -> Cone + Sync) {
        self.nodes.resize(tree.nodes.len(), NodeCones::FULL);
        let mut rest = self.nodes.as_mut_slice();
        let mut base = 0;
        let mut parts = Vec::with_capacity(tree.blocks.len());
        for block in &tree.blocks {
            let (_, tail) = rest.split_at_mut(block.start as usize - base);
            let (part, tail) = tail.split_at_mut(block.len());
            parts.push((block.start, part));
            (rest, base) = (tail, block.end as usize);
        }
        parts.into_par_iter().with_min_len(2).with_max_len(8).for_each(|(start, part)| {
            for i in (0..part.len()).rev() {
                let mut cones = NodeCones::FULL;
                for (lane, child) in tree.nodes[start as usize + i].children.into_iter().enumerate() {
                    match child.get() {
                        ChildKind::Node(c) => {
                            cones.set(lane, &around(&part[(c - start) as usize], &tree.nodes[c as usize]))
                        }
                        ChildKind::Primitive(id) => cones.set(lane, &cone(id)),
                        ChildKind::None => {}
                    }
                }
                part[i] = cones;
            }
        });
        for &i in tree.spine.iter().rev() {
            for (lane, child) in tree.nodes[i as usize].children.into_iter().enumerate() {
                let c = match child.get() {
                    ChildKind::Node(c) => around(&self.nodes[c as usize], &tree.nodes[c as usize]),
                    ChildKind::Primitive(id) => cone(id),
                    ChildKind::None => continue,
                };
                self.nodes[i as usize].set(lane, &c);
            }
        }
    }
}

/// A cone round those of a node's children.
#[inline]
fn around(cones: &NodeCones, node: &Node) -> Cone {
    let (mut all, mut count) = ([Cone::FULL; WIDTH], 0);
    for lane in lanes(15).filter(|&lane| !matches!(node.children[lane].get(), ChildKind::None)) {
        all[count] = cones.get(lane);
        count += 1;
    }
    Cone::around(&all[..count])
}

#[cfg(test)]
mod tests {
    use super::super::Aabb;
    use super::*;
    use proptest::prelude::*;

    fn direction() -> impl Strategy<Value = Vec3> {
        [-1.0f32..1.0, -1.0f32..1.0, -1.0f32..1.0]
            .prop_map(Vec3::from_array)
            .prop_filter_map("long enough", |v| (v.length() > 0.1).then(|| v.normalize()))
    }

    fn holds(cone: &Cone, d: Vec3) -> bool {
        d.dot(cone.axis) >= cone.cos - 1e-5
    }

    /// Records what a search asks for.
    struct Asked(Vec<u32>, f64);

    impl crate::bvh::NearestVisitor for Asked {
        fn distance_squared(&mut self, id: u32) -> f64 {
            self.0.push(id);
            f64::INFINITY
        }

        fn visit(&mut self, _: u32, _: f64) -> std::ops::ControlFlow<()> {
            std::ops::ControlFlow::Continue(())
        }

        fn radius_squared(&self) -> f64 {
            self.1 * self.1
        }
    }

    /// Small boxes on a sphere that face outward, seen from outside: near the point every box is asked for or passed over.
    #[test]
    fn what_is_passed_over_is_what_is_not_asked_for() {
        let at = |i: u32| {
            let (y, turn) = (1.0 - (i as f32 + 0.5) / 250.0, i as f32 * 2.4);
            let side = (1.0 - y * y).sqrt();
            Vec3::new(side * turn.cos(), y, side * turn.sin())
        };
        let boxes: Vec<Aabb> = (0..500).map(|i| Aabb { min: at(i) - 0.01, max: at(i) + 0.01 }).collect();
        let tree = Tree::build(&boxes);
        let mut cones = Cones::default();
        cones.refit(&tree, |i| Cone::of(at(i), [at(i)].into_iter()));
        // Straight in front of one of them: a cone of a single direction is as narrow as its box is small.
        let (p, radius) = ((at(137) * 1.4).as_dvec3(), 2.0);
        let mut asked = Asked(Vec::new(), radius);
        tree.nearest_facing(p, &cones, &mut Default::default(), &mut asked);
        let passed = tree.passed_over(p, &cones, radius);
        assert!(!passed.is_empty() && !asked.0.is_empty());
        for i in 0..500 {
            let b = &boxes[i as usize];
            let near = p.as_vec3().distance(p.as_vec3().clamp(b.min, b.max)) < radius as f32;
            let inside = passed.iter().any(|o| o.min.cmple(b.min).all() && o.max.cmpge(b.max).all());
            assert!(!near || asked.0.contains(&i) || inside, "box {i} is neither");
            // Its outward side is turned to the point: it must not be passed over.
            let faces = (p.as_vec3() - at(i)).normalize().dot(at(i)) > 0.9999;
            assert!(!faces || asked.0.contains(&i), "box {i} faces the point");
        }
    }

    proptest! {
        #[test]
        fn a_cone_holds_what_it_was_made_of(d in prop::collection::vec(direction(), 1..9), spread in 0.0f32..1.0) {
            let rays: Vec<Vec3> = d.iter().map(|v| (d[0] + *v * spread).normalize_or(d[0])).collect();
            let cones: Vec<Cone> = rays.iter().map(|&r| Cone::of(r, [r].into_iter())).collect();
            let at_once = Cone::of(rays.iter().sum(), rays.iter().copied());
            let all = Cone::around(&cones);
            let halves = cones.chunks(3).map(Cone::around).collect::<Vec<_>>();
            let nested = Cone::around(&halves);
            for r in rays {
                prop_assert!(holds(&all, r) && holds(&nested, r) && holds(&at_once, r), "{r} {all:?} {nested:?} {at_once:?}");
            }
            prop_assert!(all == Cone::FULL || (all.cos - (1.0 - all.sin * all.sin).sqrt()).abs() < 1e-3);
        }

        /// Points of the box looked at along directions of the cone are never ruled out.
        #[test]
        fn what_faces_the_point_is_kept(
            a in direction(), b in direction(), spread in 0.0f32..0.8, mix in 0.0f32..1.0,
            s in [0.0f32..1.0, 0.0f32..1.0, 0.0f32..1.0], size in [0.0f32..1.0, 0.0f32..2.0, 0.0f32..0.1],
            reach in 0.0f32..4.0, offset in prop_oneof![Just(0.0f32), Just(100.0), Just(-4000.0)],
        ) {
            let rays = [a, (a + b * spread).normalize_or(a)];
            let cone = Cone::of(rays.iter().sum(), rays.into_iter());
            let min = Vec3::splat(offset);
            let max = min + Vec3::from_array(size);
            let mut node = Node::EMPTY;
            node.set_box(0, &Aabb { min, max });
            let mut cones = NodeCones::FULL;
            cones.set(0, &cone);
            let seen = (rays[0] * mix + rays[1] * (1.0 - mix)).normalize();
            let p = min + Vec3::from_array(s) * (max - min) + seen * reach;
            prop_assert!(cones.facing(&node, p) & 1 == 1);
            // From behind, out of reach of the ball, it is ruled out.
            if cone != Cone::FULL {
                let behind = (min + max) * 0.5 - cone.axis * (3.0 * (max - min).length() + 1.0);
                prop_assert!(cones.facing(&node, behind) & 1 == 0);
            }
        }
    }
}
