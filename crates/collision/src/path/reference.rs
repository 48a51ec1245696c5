//! The two usual ways to choose a boundary point, for comparison: closest in space, and closest in the rest pose.

use std::ops::ControlFlow;

use glam::{DMat3, DVec3};

use super::closest::closest_to_origin;
use super::{Found, PathCounters, PathScratch, Pose, Query};
use crate::bvh::NearestVisitor;

/// The closest boundary point of the query's component, the query's own faces left out.
pub(crate) fn euclidean(
    pose: &Pose,
    query: &Query,
    scratch: &mut PathScratch,
    counters: &mut PathCounters,
) -> Option<Found> {
    let component = pose.mesh.element_component[query.element as usize];
    let mut nearest = Nearest { pose, query, component, counters, found: None };
    pose.faces.nearest(query.point, &mut scratch.queue, &mut nearest);
    nearest.found
}

struct Nearest<'a, 'p> {
    pose: &'a Pose<'p>,
    query: &'a Query,
    component: u32,
    counters: &'a mut PathCounters,
    found: Option<Found>,
}

impl NearestVisitor for Nearest<'_, '_> {
    fn distance_squared(&mut self, face: u32) -> f64 {
        let f = &self.pose.mesh.faces[face as usize];
        if self.query.own.touch(&f.vertices)
            || self.pose.mesh.element_component[f.element as usize] != self.component
        {
            return f64::INFINITY;
        }
        self.counters.triangles += 1;
        let closest = closest_to_origin(self.pose.triangle_from(self.query.point, &f.vertices));
        let d = closest.distance_squared;
        if self.found.is_none_or(|b| (d, face) < (b.closest.distance_squared, b.face)) {
            self.found = Some(Found { face, closest });
        }
        d
    }

    fn visit(&mut self, _: u32, _: f64) -> ControlFlow<()> {
        ControlFlow::Break(())
    }

    fn radius_squared(&self) -> f64 {
        self.found.map_or(f64::INFINITY, |f| f.closest.distance_squared.next_up())
    }
}

/// The query carried to the rest pose by its barycentric coordinates in its element, and the closest boundary point of its
/// component there. `None` also where the element is flat and has no such coordinates.
pub(crate) fn rest_shape(
    pose: &Pose,
    rest: &Pose,
    query: &Query,
    scratch: &mut PathScratch,
    counters: &mut PathCounters,
) -> Option<Found> {
    let vertices = pose.mesh.elements[query.element as usize].vertices;
    let [a, b, c, d] = vertices.map(|v| pose.from(query.point, v));
    let frame = DMat3::from_cols(b - a, c - a, d - a);
    let inverse = frame.inverse();
    let weights = inverse * (-a);
    if !weights.is_finite() {
        return None;
    }
    let [ra, rb, rc, rd] = vertices.map(|v| rest.from(DVec3::ZERO, v));
    let point = ra + (rb - ra) * weights.x + (rc - ra) * weights.y + (rd - ra) * weights.z;
    euclidean(rest, &Query { point, ..*query }, scratch, counters)
}
