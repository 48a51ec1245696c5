//! Colliders of a scene: shapes and the motions that carry them.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use gordian_collision::collider::{Collider, MeshCollider, Pose, Shape};

use crate::SimError;
use crate::body::Friction;
use crate::build::range_error;
use crate::scene::{self, Motion, Scene, rotation, transform_at};

/// A collider and its motion.
pub(crate) struct Obstacle {
    /// Shape, and pose at the start and the end of the present substep.
    pub collider: Collider,
    /// Its own friction; `None` to take that of the body that touches it.
    pub friction: Option<Friction>,
    placed: Pose,
    motion: Vec<Motion>,
}

impl Obstacle {
    /// The colliders of a scene, in order.
    pub fn all(scene: &Scene) -> Result<Vec<Self>, SimError> {
        scene.collider.iter().enumerate().map(|(i, c)| Self::new(scene, i, c)).collect()
    }

    fn new(scene: &Scene, index: usize, collider: &scene::Collider) -> Result<Self, SimError> {
        let key = format!("collider[{index}].shape");
        let (shape, placed) = match &collider.shape {
            scene::Shape::Plane(p) => (Shape::Plane { normal: p.normal.into() }, Pose::at(p.point_m.into())),
            scene::Shape::Sphere(s) => (Shape::Sphere { radius: s.radius_m }, Pose::at(s.center_m.into())),
            scene::Shape::Capsule(c) => {
                let (a, b) = (DVec3::from(c.start_m), DVec3::from(c.end_m));
                let middle = (a + b) / 2.0;
                (Shape::Capsule { ends: [a - middle, b - middle], radius: c.radius_m }, Pose::at(middle))
            }
            scene::Shape::Box(b) => {
                let pose = Pose { rotation: rotation(b.rotate_deg), position: b.center_m.into() };
                (Shape::Box { half: DVec3::from(b.size_m) / 2.0 }, pose)
            }
            scene::Shape::Bowl(b) => {
                let axis = scene.up();
                (Shape::Bowl { radius: b.radius_m, axis, rim: 0.0 }, Pose::at(b.center_m.into()))
            }
            scene::Shape::Mesh(m) => {
                let surface = scene.collider_mesh(index, m)?;
                let mesh = MeshCollider::new(&surface.positions, &surface.triangles)
                    .map_err(|e| range_error(scene, &format!("{key}.mesh"), e.to_string()))?;
                let pose = Pose { rotation: rotation(m.rotate_deg), position: m.translate_m.into() };
                (Shape::Mesh(Arc::new(mesh)), pose)
            }
        };
        let shape = shape.validated().map_err(|e| range_error(scene, &key, e.to_string()))?;
        Ok(Obstacle {
            collider: Collider::new(shape, placed),
            friction: collider.friction.as_ref().map(Friction::from),
            placed,
            motion: collider.motion.clone(),
        })
    }

    /// Puts it where it is at `start_s` and at `end_s`.
    pub fn advance(&mut self, start_s: f64, end_s: f64) {
        self.collider.start = self.pose(start_s);
        self.collider.end = self.pose(end_s);
    }

    fn pose(&self, time_s: f64) -> Pose {
        let transform = transform_at(&self.motion, time_s);
        let turn = DQuat::from_mat3(&transform.matrix3).normalize();
        Pose {
            rotation: turn * self.placed.rotation,
            position: transform.transform_point3(self.placed.position),
        }
    }
}
