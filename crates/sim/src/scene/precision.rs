//! Whether a placed body keeps its shape in the single precision of the solver.

use glam::{DVec3, Vec3};

use super::limits::{self, Measure, short};
use super::{Body, Scene, SceneError, SceneErrorKind};

/// Heights of tetrahedra that the solver's gradients hold, metres.
const LEAST_HEIGHT: f64 = 1e-18;

/// Largest body, metres: its cube is a number of single precision.
const LARGEST: f64 = 6e12;

/// A placed body, before it is rounded.
pub(super) struct Rounded<'a> {
    pub section: usize,
    /// Its mesh in words: a file, or a generator.
    pub mesh: String,
    pub rest: &'a [DVec3],
    pub start: &'a [DVec3],
    pub tets: &'a [[u32; 4]],
    pub triangles: &'a [[u32; 3]],
    pub measure: Measure,
}

impl Rounded<'_> {
    /// Refuses coordinates that single precision cannot hold, and elements that it makes flat.
    ///
    /// The error names the key that is to blame: what puts the body far away or makes it small, or else its mesh.
    pub fn check(&self, scene: &Scene) -> Result<(), SceneError> {
        let body = &scene.body[self.section];
        for points in [self.rest, self.start] {
            if let Some(v) = points.iter().position(|p| !p.as_vec3().is_finite()) {
                let message = format!(
                    "vertex {v} of {} lies at {}: beyond single precision, which ends at {:e}",
                    self.mesh,
                    self.point(points[v]),
                    f32::MAX
                );
                return Err(self.error(scene, self.far(body), message));
            }
        }
        let (size, far) = (self.size(), self.reach());
        if size > LARGEST {
            let message = format!(
                "{} is {} m large; single precision holds the volume of {} m",
                self.mesh,
                short(size),
                short(LARGEST)
            );
            let key = match (body.scale, body.fit_m) {
                (Some(_), _) => "scale",
                (_, Some(_)) => "fit_m",
                _ => self.mesh_key(body),
            };
            return Err(self.error(scene, key, message));
        }
        if size <= 16.0 * f64::from(f32::EPSILON) * far && size > 0.0 {
            return Err(self.lost(scene, body, "its shape is lost"));
        }
        let edge = self.measure.edge;
        if limits::spacing(far) > limits::ROUNDING * edge && edge > 0.0 {
            return Err(self.lost(scene, body, &format!("its edges of {} m are lost", short(edge))));
        }
        for (t, tet) in self.tets.iter().enumerate() {
            self.tet(scene, body, t, tet.map(|v| self.rest[v as usize]))?;
        }
        for (t, triangle) in self.triangles.iter().enumerate() {
            let p = triangle.map(|v| self.rest[v as usize]);
            let lost = (0..3).any(|k| {
                let [a, b] = [p[k], p[(k + 1) % 3]];
                a != b && a.as_vec3() == b.as_vec3()
            });
            if lost {
                return Err(self.lost(scene, body, &format!("the shape of triangle {t} is lost")));
            }
        }
        Ok(())
    }

    fn tet(&self, scene: &Scene, body: &Body, t: usize, p: [DVec3; 4]) -> Result<(), SceneError> {
        let [a, b, c] = edges(p.map(DVec3::as_vec3));
        let six = a.cross(b).dot(c);
        if six > 0.0 && steepest_of([a, b, c]) * LEAST_HEIGHT < six {
            return Ok(());
        }
        let [a, b, c] = [1, 2, 3].map(|i| p[i] - p[0]);
        let exact = a.cross(b).dot(c);
        let longest = a.length().max(b.length()).max(c.length());
        // So flat that rounding decides its sign wherever it is.
        let flat = exact <= 8.0 * f64::from(f32::EPSILON) * longest.powi(3);
        if flat {
            let what = if exact < 0.0 { "is turned inside out" } else { "is flat: its volume is 0" };
            let message =
                format!("tetrahedron {t} of {} {what} at rest, so that it cannot be solved", self.mesh);
            let hint = match &body.mesh {
                Some(file) => {
                    format!("remove it; `gordian check {}` lists all of them", scene.resolve(file).display())
                }
                None => "take other parameters".into(),
            };
            return Err(self.error(scene, self.mesh_key(body), message).with_hint(hint));
        }
        let height = exact / steepest_of([a, b, c]);
        if height <= LEAST_HEIGHT {
            let message = format!(
                "tetrahedron {t} of {} is {} m high at rest, too small for single precision",
                self.mesh,
                short(height)
            );
            let (key, hint) = match (body.scale, body.fit_m) {
                (Some(_), _) => ("scale", "is it right?"),
                (_, Some(_)) => ("fit_m", "is it right?"),
                _ => (self.mesh_key(body), "`scale` or `fit_m` make it larger"),
            };
            return Err(self.error(scene, key, message).with_hint(hint));
        }
        Err(self.lost(scene, body, &format!("the shape of tetrahedron {t} is lost")))
    }

    /// So far from the origin that a shape is lost.
    fn lost(&self, scene: &Scene, body: &Body, what: &str) -> SceneError {
        let far = self.reach();
        let step = limits::spacing(far);
        let message = format!(
            "{} lies {} m from the origin, where single precision holds places {} m apart: {what}",
            self.mesh,
            short(far),
            short(step)
        );
        let key = self.far(body);
        let hint = match key {
            "mesh" | "generator" => "`center = true` moves it to the origin",
            _ => "keep the scene near the origin",
        };
        self.error(scene, key, message).with_hint(hint)
    }

    /// The key that puts it farthest away.
    fn far(&self, body: &Body) -> &'static str {
        let size = self.size();
        let copies = body.copies.as_ref().map_or(0.0, |c| {
            let reach = |k: usize| f64::from(c.count[k].saturating_sub(1)) * c.spacing_m[k].abs();
            (0..3).map(reach).fold(c.jitter_m, f64::max)
        });
        let shift = body.translate_m.map(f64::abs).into_iter().fold(0.0, f64::max);
        let clearance = body.clearance_m.map_or(body.clearance_heights.unwrap_or(0.0) * size, |c| c).abs();
        let lifted = if body.clearance_m.is_some() { "clearance_m" } else { "clearance_heights" };
        let reasons = [("translate_m", shift), (lifted, clearance), ("copies.spacing_m", copies)];
        let (key, way) = reasons.into_iter().fold(("", 0.0), |a, b| if b.1 > a.1 { b } else { a });
        let reach =
            self.rest.iter().chain(self.start).fold(0.0, |far: f64, p| far.max(p.abs().max_element()));
        let of = |points: &[DVec3]| points.iter().fold(0.0, |far: f64, p| far.max(p.abs().max_element()));
        let posed = of(self.start) > 4.0 * of(self.rest);
        match (body.scale, body.fit_m) {
            _ if way >= 0.25 * reach => key,
            _ if posed && body.fabric.as_ref().is_some_and(|f| f.fold.is_some()) => "fabric.fold",
            _ if posed && body.pose.is_some() => "pose",
            _ if posed && body.pose_generator.is_some() => "pose_generator",
            (Some(scale), _) if scale > 1.0 => "scale",
            (_, Some(_)) => "fit_m",
            _ => self.mesh_key(body),
        }
    }

    /// Largest coordinate.
    fn reach(&self) -> f64 {
        self.rest.iter().chain(self.start).fold(0.0, |far: f64, p| far.max(p.abs().max_element()))
    }

    /// Largest side of the bounding box of the rest pose, metres.
    fn size(&self) -> f64 {
        let (low, high) = self
            .rest
            .iter()
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| (low.min(*p), high.max(*p)));
        (high - low).max_element()
    }

    fn mesh_key(&self, body: &Body) -> &'static str {
        if body.mesh.is_some() { "mesh" } else { "generator" }
    }

    fn point(&self, p: DVec3) -> String {
        format!("({:e}, {:e}, {:e})", p.x, p.y, p.z)
    }

    fn error(&self, scene: &Scene, key: &str, message: String) -> SceneError {
        scene.error_at(SceneErrorKind::Content, &format!("body[{}].{key}", self.section), message)
    }
}

fn edges(p: [Vec3; 4]) -> [DVec3; 3] {
    [1, 2, 3].map(|i| (p[i] - p[0]).as_dvec3())
}

/// Twice the area of the largest face at the first vertex.
fn steepest_of([a, b, c]: [DVec3; 3]) -> f64 {
    [a.cross(b), b.cross(c), c.cross(a)].map(|n| n.length()).into_iter().fold(0.0, f64::max)
}
