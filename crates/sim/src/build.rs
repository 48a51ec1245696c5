//! From the placed bodies of a scene to those of a world.

use glam::{DVec3, Vec3};

use crate::SimError;
use crate::body::{Body, Friction, PinGroup, material_of};
use crate::cloth::Fabric;
use crate::scene::{Scene, SceneErrorKind};

/// The bodies of a scene, copies included.
pub struct Bodies {
    pub bodies: Vec<Body>,
    /// The section of the scene that each comes from.
    pub sections: Vec<usize>,
    /// What there is to say about their meshes.
    pub warnings: Vec<String>,
}

/// The bodies of `scene`, in order.
pub fn bodies(scene: &Scene) -> Result<Bodies, SimError> {
    let placed = scene.place()?;
    let sections = placed.bodies.iter().map(|body| body.section).collect();
    let single = |points: &[DVec3]| -> Vec<Vec3> { points.iter().map(|p| p.as_vec3()).collect() };
    let bodies = placed.bodies.into_iter().map(|body| {
        let section = &scene.body[body.section];
        Body {
            rest: single(&body.rest),
            positions: single(&body.start),
            velocities: single(&body.velocities),
            tets: body.tets.to_vec(),
            triangles: body.triangles.to_vec(),
            fabric: section.fabric.as_ref().map(|f| Fabric { warp: body.warp, ..Fabric::from(f) }),
            material: material_of(&section.material),
            density: section.material.density_kg_m3 as f32,
            friction: Friction::from(&section.friction),
            pins: body
                .pins
                .into_iter()
                .map(|p| PinGroup { vertices: p.vertices, motion: p.motion })
                .collect(),
            name: body.name,
        }
    });
    Ok(Bodies { bodies: bodies.collect(), sections, warnings: placed.warnings })
}

/// The value at `key` makes no sense.
pub(crate) fn range_error(scene: &Scene, key: &str, message: impl Into<String>) -> SimError {
    SimError::Scene(scene.error_at(SceneErrorKind::Range, key, message))
}

/// Mean length of the surface edges of a body in its rest pose, metres: the unit of relative lengths.
pub(crate) fn mean_surface_edge(rest: &[Vec3], edges: &[[u32; 2]]) -> f64 {
    let total: f64 = edges
        .iter()
        .map(|&[a, b]| (rest[a as usize].as_dvec3() - rest[b as usize].as_dvec3()).length())
        .sum();
    total / edges.len().max(1) as f64
}
