//! The camera: it looks at a point and is moved round it.

use std::str::FromStr;

use glam::camera::rh::{proj::directx, view};
use glam::{Mat3, Mat4, Vec2, Vec3};

/// A camera that looks at `target` from `distance` away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// What is in the middle of the picture.
    pub target: Vec3,
    /// Turn about the vertical, radians; positive moves the camera to the right.
    pub yaw: f32,
    /// Height over the horizon, radians, between -π/2 and π/2.
    pub pitch: f32,
    /// From the target to the eye, metres.
    pub distance: f32,
    /// Vertical field of view, radians.
    pub field_of_view: f32,
    /// The vertical; unit length.
    pub up: Vec3,
}

/// A half line; `direction` has unit length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it starts.
    pub origin: Vec3,
    /// Where it goes.
    pub direction: Vec3,
}

/// Short of straight up and down, where left and right are lost.
const STEEPEST: f32 = 1.55;

impl Camera {
    /// Looks at the origin from the front right and a little above.
    pub fn new(up: Vec3) -> Self {
        Camera {
            target: Vec3::ZERO,
            yaw: 35f32.to_radians(),
            pitch: 22f32.to_radians(),
            distance: 5.0,
            field_of_view: 32f32.to_radians(),
            up: up.try_normalize().unwrap_or(Vec3::Y),
        }
    }

    /// Axes of the world as the camera counts its angles: right, up, and towards a camera whose angles are zero.
    pub fn world_axes(up: Vec3) -> Mat3 {
        let front = if up.z.abs() < 0.9 { Vec3::Z } else { -Vec3::Y };
        let right = up.cross(front).normalize();
        Mat3::from_cols(right, up, right.cross(up))
    }

    /// From the target to the eye; unit length.
    pub fn direction(&self) -> Vec3 {
        let (sin, cos) = self.pitch.sin_cos();
        Self::world_axes(self.up) * Vec3::new(self.yaw.sin() * cos, sin, self.yaw.cos() * cos)
    }

    /// Where the camera is.
    pub fn eye(&self) -> Vec3 {
        self.target + self.direction() * self.distance
    }

    /// Right, up and back, as the camera sees them.
    pub fn axes(&self) -> Mat3 {
        let back = self.direction();
        let right = self.up.cross(back).normalize();
        Mat3::from_cols(right, back.cross(right), back)
    }

    /// World to camera.
    pub fn view(&self) -> Mat4 {
        view::look_at_mat4(self.eye(), self.target, self.up)
    }

    /// World to clip space, depth from 0 to 1. `reach`: distance from the target to the farthest thing, metres.
    pub fn view_projection(&self, aspect: f32, reach: f32) -> Mat4 {
        let far = self.distance + reach.max(self.distance * 0.1);
        let near = (self.distance - reach).max(far * 5e-4);
        directx::perspective(self.field_of_view, aspect, near, far) * self.view()
    }

    /// Puts all `points` in view, with a margin, and what they take up in the middle. Without points nothing changes.
    ///
    /// A plane through the eye bounds the view on each side: how far out the points reach along its normal says where the eye is.
    pub fn frame(&mut self, points: impl Iterator<Item = Vec3> + Clone, aspect: f32) {
        let Some((low, high)) = bounds(points.clone()) else { return };
        let (middle, size) = ((low + high) / 2.0, (high - low).length());
        (self.target, self.distance) = (middle, 1.0);
        if size == 0.0 {
            return;
        }
        let axes = self.axes();
        let tangent = (self.field_of_view / 2.0).tan() / 1.25;
        let slopes = Vec2::new(tangent * aspect, tangent);
        let (mut right, mut left) = (Vec2::NEG_INFINITY, Vec2::NEG_INFINITY);
        let mut nearest = f32::NEG_INFINITY;
        for p in points.clone().filter(|p| p.is_finite()) {
            let q = axes.transpose() * (p - middle);
            right = right.max(q.truncate() + slopes * q.z);
            left = left.max(-q.truncate() + slopes * q.z);
            nearest = nearest.max(q.z);
        }
        let back = ((right + left) / (2.0 * slopes)).max_element();
        self.distance = back.max(nearest + 0.1 * size).max(0.3 * size);
        // Where there is room to spare, equally far from both planes is not yet in the middle of the picture.
        let mut eye = (right - left) / 2.0;
        for _ in 0..4 {
            let (mut least, mut most) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
            for p in points.clone().filter(|p| p.is_finite()) {
                let q = axes.transpose() * (p - middle);
                let slope = (q.truncate() - eye) / (self.distance - q.z);
                (least, most) = (least.min(slope), most.max(slope));
            }
            eye += (least + most) / 2.0 * self.distance;
        }
        self.target += axes * eye.extend(0.0);
    }

    /// Moves round the target by a drag of the pointer, in heights of the picture.
    pub fn orbit(&mut self, drag: Vec2) {
        self.yaw = (self.yaw - drag.x * 4.0).rem_euclid(std::f32::consts::TAU);
        self.pitch = (self.pitch + drag.y * 4.0).clamp(-STEEPEST, STEEPEST);
    }

    /// Moves the target so that what is at its depth follows a drag of the pointer, in heights of the picture.
    pub fn pan(&mut self, drag: Vec2) {
        let height = 2.0 * self.distance * (self.field_of_view / 2.0).tan();
        self.target += self.axes() * Vec3::new(-drag.x, drag.y, 0.0) * height;
    }

    /// Comes nearer by a factor.
    pub fn zoom(&mut self, factor: f32) {
        if factor.is_finite() && factor > 0.0 {
            self.distance = (self.distance / factor).clamp(1e-12, 1e12);
        }
    }

    /// Comes nearer by a factor to what is seen at a place and as far away as the target: it stays there. `place`: from the middle of
    /// the picture to the right and down, in heights of the picture.
    pub fn zoom_at(&mut self, factor: f32, place: Vec2) {
        let before = self.distance;
        self.zoom(factor);
        // As far as the target would be dragged from one distance, and back from the other.
        self.pan(place);
        let now = std::mem::replace(&mut self.distance, before);
        self.pan(-place);
        self.distance = now;
    }

    /// The half line behind a place of the picture: (-1, -1) bottom left, (1, 1) top right.
    pub fn ray(&self, place: Vec2, aspect: f32) -> Ray {
        let tangent = (self.field_of_view / 2.0).tan();
        let local = Vec3::new(place.x * tangent * aspect, place.y * tangent, -1.0);
        Ray { origin: self.eye(), direction: (self.axes() * local).normalize() }
    }
}

/// Corners of the box round points; `None` without any.
pub fn bounds(points: impl Iterator<Item = Vec3>) -> Option<(Vec3, Vec3)> {
    points.filter(|p| p.is_finite()).fold(None, |b: Option<(Vec3, Vec3)>, p| {
        Some(b.map_or((p, p), |(low, high)| (low.min(p), high.max(p))))
    })
}

/// A camera as people write it: `YAW,PITCH[,ZOOM][@X,Y,Z]`, degrees, zoom in units of "all in view", and what it looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CameraChoice {
    /// Turn and height, degrees; `None` for the default.
    pub angles_deg: Option<[f32; 2]>,
    /// How much nearer than where all is in view.
    pub zoom: Option<f32>,
    /// What it looks at, metres.
    pub target: Option<Vec3>,
}

impl CameraChoice {
    /// A camera that has `points` in view, seen as chosen.
    pub fn camera(&self, up: Vec3, points: impl Iterator<Item = Vec3> + Clone, aspect: f32) -> Camera {
        let mut camera = Camera::new(up);
        if let Some([yaw, pitch]) = self.angles_deg {
            camera.yaw = yaw.to_radians();
            camera.pitch = pitch.to_radians().clamp(-STEEPEST, STEEPEST);
        }
        camera.frame(points, aspect);
        camera.zoom(self.zoom.unwrap_or(1.0));
        camera.target = self.target.unwrap_or(camera.target);
        camera
    }
}

impl FromStr for CameraChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fault = || {
            format!(
                "`{text}` is no camera; write YAW,PITCH[,ZOOM][@X,Y,Z] (degrees, factor, metres), such as 30,20,1.5"
            )
        };
        let numbers = |part: &str| -> Result<Vec<f32>, String> {
            let parsed = part.split(',').map(|n| n.trim().parse::<f32>().ok().filter(|n| n.is_finite()));
            parsed.collect::<Option<_>>().ok_or_else(fault)
        };
        let (angles, target) = match text.split_once('@') {
            Some((angles, target)) => (angles, Some(numbers(target)?)),
            None => (text, None),
        };
        let target = match target.as_deref() {
            None => None,
            Some(&[x, y, z]) => Some(Vec3::new(x, y, z)),
            Some(_) => return Err(fault()),
        };
        let (angles_deg, zoom) = match numbers(angles)?[..] {
            [yaw, pitch] => (Some([yaw, pitch]), None),
            [yaw, pitch, zoom] if zoom > 0.0 => (Some([yaw, pitch]), Some(zoom)),
            _ => return Err(fault()),
        };
        Ok(CameraChoice { angles_deg, zoom, target })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ball() -> impl Iterator<Item = Vec3> + Clone {
        (0..2000).map(|i| {
            let z = (i as f32 + 0.5) / 1000.0 - 1.0;
            let r = (1.0 - z * z).sqrt();
            let a = i as f32 * 2.3999632;
            Vec3::new(3.0 + r * a.cos(), r * a.sin() - 1.0, 2.0 + z)
        })
    }

    #[test]
    fn framing_puts_every_point_in_view_and_the_middle_in_the_middle() {
        for aspect in [0.5, 1.0, 1.8] {
            for up in [Vec3::Y, Vec3::Z, Vec3::new(1.0, 2.0, 0.5).normalize()] {
                let mut camera = Camera::new(up);
                camera.frame(ball(), aspect);
                let m = camera.view_projection(aspect, 10.0);
                let most =
                    ball().map(|p| m.project_point3(p).truncate().abs().max_element()).fold(0.0, f32::max);
                assert!(most < 1.0 && most > 0.75, "{aspect} {up}: {most}");
                let middle = m.project_point3(Vec3::new(3.0, -1.0, 2.0));
                assert!(middle.truncate().length() < 0.05, "{middle}");
            }
        }
    }

    #[test]
    fn framing_leaves_the_same_room_on_opposite_sides() {
        // Long, low and far from the origin, as what has fallen over.
        let points = || ball().map(|p| p * Vec3::new(3.0, 0.2, 0.7) + Vec3::new(40.0, -7.0, 0.0));
        for (yaw, pitch, aspect) in [(0.6f32, 0.4f32, 1.8f32), (2.0, 1.2, 0.7), (-1.0, -0.3, 1.0)] {
            let mut camera = Camera { yaw, pitch, ..Camera::new(Vec3::Y) };
            camera.frame(points(), aspect);
            let m = camera.view_projection(aspect, 20.0);
            let seen = || points().map(|p| m.project_point3(p).truncate());
            let (low, high) = (seen().fold(Vec2::MAX, Vec2::min), seen().fold(Vec2::MIN, Vec2::max));
            assert!(low.min_element() > -1.0 && high.max_element() < 1.0, "{low} {high}");
            assert!((high - low).max_element() > 1.5, "it fills the picture: {low} {high}");
            assert!((high + low).abs().max_element() < 0.25, "in the middle: {low} {high}");
        }
    }

    #[test]
    fn a_ray_goes_through_the_point_that_is_seen_there() {
        let mut camera = Camera::new(Vec3::Z);
        camera.frame(ball(), 1.6);
        let m = camera.view_projection(1.6, 10.0);
        for p in ball().step_by(100) {
            let ray = camera.ray(m.project_point3(p).truncate(), 1.6);
            let to = p - ray.origin;
            assert!(to.cross(ray.direction).length() < 1e-4 * to.length(), "{p}");
            assert!(to.dot(ray.direction) > 0.0);
        }
    }

    #[test]
    fn a_pan_carries_the_target_with_the_pointer() {
        let mut camera = Camera::new(Vec3::Y);
        let before = camera.target;
        camera.pan(Vec2::new(0.25, -0.1));
        let seen = camera.view_projection(1.0, 10.0).project_point3(before);
        // A quarter of the height to the right is half of the range from -1 to 1; down is negative.
        assert!((seen.truncate() - Vec2::new(0.5, 0.2)).length() < 1e-4, "{seen}");
    }

    #[test]
    fn zooming_keeps_what_is_seen_under_the_pointer() {
        let mut camera = Camera::new(Vec3::Y);
        let place = Vec2::new(0.3, -0.2);
        let (before, distance) = (camera.target, camera.distance);
        camera.zoom_at(1.0, place);
        assert_eq!((camera.target.distance(before) < 1e-5, camera.distance), (true, distance));
        // A place is drawn 2 · place away from the middle, up positive.
        let aspect = 1.0;
        let ray = camera.ray(Vec2::new(0.6, 0.4), aspect);
        let back = camera.direction();
        let point =
            ray.origin + ray.direction * (camera.target - ray.origin).dot(back) / ray.direction.dot(back);
        for factor in [2.5, 0.3] {
            camera.zoom_at(factor, place);
            let seen = camera.view_projection(aspect, 10.0).project_point3(point);
            assert!((seen.truncate() - Vec2::new(0.6, 0.4)).length() < 1e-4, "{seen}");
        }
        assert!((camera.distance - distance / 0.75).abs() < 1e-5);
    }

    #[test]
    fn cameras_are_read_and_nonsense_is_explained() {
        let camera: CameraChoice = "30,-20,1.5@1,2,3".parse().unwrap();
        assert_eq!(camera.angles_deg, Some([30.0, -20.0]));
        assert_eq!((camera.zoom, camera.target), (Some(1.5), Some(Vec3::new(1.0, 2.0, 3.0))));
        for bad in ["", "30", "a,b", "1,2,0", "1,2@3", "nan,0"] {
            assert!(bad.parse::<CameraChoice>().unwrap_err().contains("YAW,PITCH"), "{bad}");
        }
    }
}
