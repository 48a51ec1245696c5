//! How fast, how stiff and how heavy bodies may be so that single precision holds what becomes of them.
//!
//! The bounds are far beyond everything that is: a bullet, steel in thin sheets, a thousand times the gravity of a planet are within
//! them. What is refused is a number that cannot be meant, such as 1e30.

use glam::DVec3;

use super::{Body, Motion, Scene, SceneError, SceneErrorKind};

/// How many times its own size a body may move in a substep: there its size is about a hundred roundings.
const SIZES: f64 = 1e6;

/// How many times more a change of shape may resist than the inertia of a substep: single precision, which holds a ratio of 1e7, cannot
/// tell a hundredth part of it from rigid even squared.
const STIFFNESS: f64 = 1e16;

/// Part of an edge that rounding may take.
pub(super) const ROUNDING: f64 = 0.1;

/// After so many frames of free fall a body shall still have its shape.
const FALL_FRAMES: f64 = 2.0;

/// A frame longer than this, seconds, is to blame itself for what becomes too large in it.
const LONG_FRAME_S: f64 = 1e3;

/// How large and how fine a body is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measure {
    /// Largest side of its bounding box at rest, metres.
    pub size: f64,
    /// Mean edge of its elements at rest, metres; 0 without elements.
    pub edge: f64,
}

impl Measure {
    pub fn of(rest: &[DVec3], tets: &[[u32; 4]], triangles: &[[u32; 3]]) -> Self {
        let length = |a: u32, b: u32| (rest[a as usize] - rest[b as usize]).length();
        let of_tets = tets.iter().flat_map(|&[a, b, c, d]| [[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]]);
        let of_triangles = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let total: f64 = of_tets.chain(of_triangles).map(|[a, b]| length(a, b)).sum();
        let edges = 6 * tets.len() + 3 * triangles.len();
        let used = tets.as_flattened().iter().chain(triangles.as_flattened()).map(|&v| rest[v as usize]);
        let (low, high) =
            used.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
        Measure { size: (high - low).max_element().max(0.0), edge: total / edges.max(1) as f64 }
    }
}

/// Distance of a number of this size to the next that single precision holds; infinite beyond the last.
pub(super) fn spacing(x: f64) -> f64 {
    let x = x.abs() as f32;
    if x.is_finite() { f64::from(x.next_up()) - f64::from(x) } else { f64::INFINITY }
}

/// Checks the section `index` of the bodies.
pub(super) fn check_body(scene: &Scene, index: usize, measure: Measure) -> Result<(), SceneError> {
    if measure.size <= 0.0 {
        return Ok(());
    }
    let body = &scene.body[index];
    let limits = Limits { scene, at: format!("body[{index}]"), measure };
    limits.speed("velocity_m_s", body.velocity_m_s, "m/s", 1.0)?;
    // The surface is half a size away from the middle.
    let radians = 0.5 * measure.size * 1f64.to_radians();
    limits.speed("angular_velocity_deg_s", body.angular_velocity_deg_s, "degrees/s", radians)?;
    limits.stiffness(body)?;
    for (i, pin) in body.pin.iter().enumerate() {
        limits.motions(&format!("pin[{i}].motion"), &pin.motion)?;
        limits.keys(&format!("pin[{i}].motion"), &pin.motion)?;
    }
    Ok(())
}

/// Checks what all bodies, each with its name and measure, have in common.
pub(super) fn check_all(scene: &Scene, bodies: &[(&str, Measure)]) -> Result<(), SceneError> {
    let solid = bodies.iter().filter(|(_, m)| m.size > 0.0);
    let Some(&(name, finest)) = solid.clone().min_by(|a, b| a.1.edge.total_cmp(&b.1.edge)) else {
        return Ok(());
    };
    let largest = solid.map(|(_, m)| m).max_by(|a, b| a.size.total_cmp(&b.size)).expect("there is one");
    for (i, collider) in scene.collider.iter().enumerate() {
        let limits = Limits { scene, at: format!("collider[{i}]"), measure: *largest };
        limits.motions("motion", &collider.motion)?;
    }
    let s = &scene.simulation;
    let fall = 0.5 * DVec3::from(s.gravity_m_s2).length() * (FALL_FRAMES * s.frame_s).powi(2);
    if spacing(fall) > ROUNDING * finest.edge {
        let message = format!(
            "{} lets a body fall {} m in two frames of {} s: single precision holds places {} m apart there, too far for the edges of \
             `{name}` ({} m)",
            vector(s.gravity_m_s2, "m/s²"),
            short(fall),
            short(s.frame_s),
            short(spacing(fall)),
            short(finest.edge)
        );
        return Err(refused(scene, "simulation.gravity_m_s2", message));
    }
    Ok(())
}

/// The bounds of one thing of a scene.
struct Limits<'a> {
    scene: &'a Scene,
    at: String,
    measure: Measure,
}

impl Limits<'_> {
    fn substep_s(&self) -> f64 {
        self.scene.simulation.frame_s / f64::from(self.scene.simulation.substeps)
    }

    fn refused(&self, key: &str, message: String) -> SceneError {
        refused(self.scene, &format!("{}.{key}", self.at), message)
    }

    /// A velocity, of which a unit is `metres` a second.
    fn speed(&self, key: &str, velocity: [f64; 3], unit: &str, metres: f64) -> Result<(), SceneError> {
        let way = DVec3::from(velocity).length() * metres * self.substep_s();
        if way <= SIZES * self.measure.size {
            return Ok(());
        }
        let message = format!(
            "{} moves it {} m in a substep of {} s, more than a million times the {} m of a body: single precision holds places {} m \
             apart there",
            vector(velocity, unit),
            short(way),
            short(self.substep_s()),
            short(self.measure.size),
            short(spacing(way))
        );
        Err(self.refused(key, message))
    }

    fn motions(&self, at: &str, motions: &[Motion]) -> Result<(), SceneError> {
        for (i, motion) in motions.iter().enumerate() {
            let key = |name: &str| format!("{at}[{i}].{name}");
            match motion {
                Motion::Translate(m) => self.speed(&key("velocity_m_s"), m.velocity_m_s, "m/s", 1.0)?,
                Motion::Rotate(m) => {
                    let radians = 0.5 * self.measure.size * 1f64.to_radians();
                    self.speed(&key("speed_deg_s"), [m.speed_deg_s, 0.0, 0.0], "degrees/s", radians)?;
                }
                Motion::Keyframes(_) => {}
            }
        }
        Ok(())
    }

    /// Keys that carry a body to where its edges are lost.
    fn keys(&self, at: &str, motions: &[Motion]) -> Result<(), SceneError> {
        for (i, motion) in motions.iter().enumerate() {
            let Motion::Keyframes(frames) = motion else { continue };
            for (k, frame) in frames.keys.iter().enumerate() {
                let far = DVec3::from(frame.translate_m).abs().max_element();
                if spacing(far) > ROUNDING * self.measure.edge {
                    let message = format!(
                        "carries the body {} m away, where single precision holds places {} m apart: too far for its edges ({} m)",
                        short(far),
                        short(spacing(far)),
                        short(self.measure.edge)
                    );
                    return Err(self.refused(&format!("{at}[{i}].keys[{k}].translate_m"), message));
                }
            }
        }
        Ok(())
    }

    /// Stiffness and damping against the inertia of a substep.
    fn stiffness(&self, body: &Body) -> Result<(), SceneError> {
        let (h, edge) = (self.substep_s(), self.measure.edge);
        let per_area = edge * edge / (h * h);
        let (m, density) = match &body.fabric {
            None => (&body.material, Value("material.density_kg_m3", body.material.density_kg_m3, 1e3)),
            Some(f) => (&body.material, Value("fabric.density_kg_m2", f.density_kg_m2, 0.2)),
        };
        // Each with the mass that resists it in the same unit, of a density of 1.
        let values = match &body.fabric {
            None => vec![(Value("material.young_pa", m.young_pa, 1e5), per_area)],
            Some(f) => vec![
                (Value("fabric.warp_n_m", f.warp_n_m, 1e4), per_area),
                (Value("fabric.weft_n_m", f.weft_n_m, 1e4), per_area),
                (Value("fabric.shear_n_m", f.shear_n_m, 5e3), per_area),
                (Value("fabric.bend_n_m", f.bend_n_m, 1e-2), per_area * edge * edge),
            ],
        };
        for (value, inertia) in values {
            if value.1 > STIFFNESS * density.1 * inertia {
                return Err(self
                    .too_stiff(body, value, Some(density))
                    .with_hint("what is rigid can be a collider"));
            }
        }
        match body.fabric.is_none() && m.damping_s > STIFFNESS * h {
            true => Err(self.too_stiff(body, Value("material.damping_s", m.damping_s, 1e-3), None)),
            false => Ok(()),
        }
    }

    /// The error lies with the key whose value is furthest from what is usual.
    fn too_stiff(&self, body: &Body, value: Value, density: Option<Value>) -> SceneError {
        let (h, edge) = (self.substep_s(), self.measure.edge);
        let heavy = density.map_or(String::new(), |d| format!("at a density of {}, ", short(d.1)));
        let message = format!(
            "`{}` = {} is too stiff for single precision: {heavy}with edges of {} m and substeps of {} s it cannot be told from rigid",
            value.0,
            short(value.1),
            short(edge),
            short(h)
        );
        let size = match body {
            b if b.scale.is_some() => "scale",
            b if b.fit_m.is_some() => "fit_m",
            b if b.mesh.is_some() => "mesh",
            _ => "generator",
        };
        let all = [Some(value), density, Some(Value(size, edge, 1e-2)), Some(Value("frame_s", h, 1e-3))];
        let unusual = |v: &Value| (v.1 / v.2).log10().abs();
        let blamed = all.into_iter().flatten().max_by(|a, b| unusual(a).total_cmp(&unusual(b)));
        match blamed.expect("the first is there").0 {
            "frame_s" => self.scene.error_at(SceneErrorKind::Range, "simulation.frame_s", message),
            key => self.scene.error_at(SceneErrorKind::Range, &format!("{}.{key}", self.at), message),
        }
    }
}

/// A key with its value, and with one that is usual there.
#[derive(Clone, Copy)]
struct Value(&'static str, f64, f64);

/// A vector by its size.
fn vector(v: [f64; 3], unit: &str) -> String {
    format!("is {} {unit}, which", short(DVec3::from(v).length()))
}

/// A number for people, to three digits.
pub(super) fn short(x: f64) -> String {
    match x.abs() {
        0.0 => "0".into(),
        a if (1e-3..1e6).contains(&a) => {
            let digits = (2 - a.log10().floor() as i32).max(0) as usize;
            let text = format!("{x:.digits$}");
            match text.contains('.') {
                true => text.trim_end_matches('0').trim_end_matches('.').into(),
                false => text,
            }
        }
        _ => format!("{x:.1e}").replace(".0e", "e"),
    }
}

fn refused(scene: &Scene, key: &str, message: String) -> SceneError {
    if scene.simulation.frame_s > LONG_FRAME_S {
        let message =
            format!("is {} s, too long a frame: `{key}` {message}", short(scene.simulation.frame_s));
        return scene.error_at(SceneErrorKind::Range, "simulation.frame_s", message);
    }
    scene.error_at(SceneErrorKind::Range, key, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block with edges of a quarter of its size.
    fn block(size: f64, body: &str, head: &str, tail: &str) -> Result<(), SceneError> {
        let text = format!(
            "{head}\n[[body]]\ngenerator = {{ kind = \"box\", nx = 4, ny = 4, nz = 4 }}\nfit_m = {size:e}\n{body}\n{tail}\n"
        );
        Scene::parse(&text, "s").unwrap_or_else(|e| panic!("{e}")).place().map(drop)
    }

    #[test]
    fn what_cannot_be_meant_is_refused_by_its_key() {
        let pin =
            |motion: &str| format!("[[body.pin]]\nat = {{ kind = \"all\" }}\nmotion = [{{ {motion} }}]");
        let keyframes = "kind = \"keyframes\", keys = [{ time_s = 1, translate_m = [0, 1e9, 0] }]";
        let collider = |motion: &str| {
            format!("[[collider]]\nshape = {{ kind = \"plane\" }}\nmotion = [{{ kind = {motion} }}]")
        };
        for (head, body, tail, key) in [
            ("", "velocity_m_s = [0, 1e30, 0]", "", "body[0].velocity_m_s"),
            ("", "angular_velocity_deg_s = [1e30, 0, 0]", "", "body[0].angular_velocity_deg_s"),
            ("", "material.young_pa = 1e30", "", "body[0].material.young_pa"),
            ("", "material.damping_s = 1e30", "", "body[0].material.damping_s"),
            // The same stiffness, and something else to blame.
            ("", "material.density_kg_m3 = 1e-30", "", "body[0].material.density_kg_m3"),
            ("[simulation]\nframe_s = 1e-30", "material.damping_s = 1e-3", "", "simulation.frame_s"),
            ("[simulation]\ngravity_m_s2 = [0, -1e9, 0]", "", "", "simulation.gravity_m_s2"),
            ("[simulation]\nframe_s = 1e30", "", "", "simulation.frame_s"),
            (
                "",
                &pin("kind = \"translate\", velocity_m_s = [1e30, 0, 0]"),
                "",
                "body[0].pin[0].motion[0].velocity_m_s",
            ),
            (
                "",
                &pin("kind = \"rotate\", axis = [1, 0, 0], speed_deg_s = -1e30"),
                "",
                "body[0].pin[0].motion[0].speed_deg_s",
            ),
            ("", &pin(keyframes), "", "body[0].pin[0].motion[0].keys[0].translate_m"),
            (
                "",
                "",
                &collider("\"translate\", velocity_m_s = [0, 0, 1e30]"),
                "collider[0].motion[0].velocity_m_s",
            ),
            ("", "translate_m = [1e6, 0, 0]", "", "body[0].translate_m"),
        ] {
            let error = block(1.0, body, head, tail).unwrap_err();
            assert_eq!(error.key, key, "{error}");
            assert!(error.message.contains("single precision"), "{error}");
        }
        let cloth = |key: &str| {
            let text = format!("[[body]]\ngenerator = {{ kind = \"cloth\" }}\nfabric = {{ {key} = 1e30 }}\n");
            Scene::parse(&text, "s").unwrap().place().unwrap_err()
        };
        for key in ["warp_n_m", "weft_n_m", "shear_n_m", "bend_n_m"] {
            assert_eq!(cloth(key).key, format!("body[0].fabric.{key}"));
        }
    }

    #[test]
    fn what_is_extreme_but_real_is_taken() {
        let one_substep = "[simulation]\nsubsteps = 1";
        for (size, body, head) in [
            // A bullet, and a grain at orbital speed.
            (0.01, "velocity_m_s = [1000, 0, 0]", one_substep),
            (1e-3, "velocity_m_s = [8000, 0, 0]", ""),
            // A turbine, a dental drill.
            (1.0, "angular_velocity_deg_s = [6e4, 0, 0]", ""),
            (1e-3, "angular_velocity_deg_s = [3e6, 0, 0]", ""),
            // Steel foil, diamond dust, foam, aerogel.
            (1e-4, "material = { young_pa = 2e11, density_kg_m3 = 7800 }", one_substep),
            (1e-4, "material = { young_pa = 1.2e12, density_kg_m3 = 3500 }", one_substep),
            (1.0, "material = { young_pa = 1e3, density_kg_m3 = 20 }", ""),
            (0.01, "material = { young_pa = 1e2, density_kg_m3 = 1 }", one_substep),
            // A thousand times Jupiter, a centrifuge, a cell, a mountain.
            (1.0, "", "[simulation]\ngravity_m_s2 = [0, -24800, 0]"),
            (0.1, "", "[simulation]\ngravity_m_s2 = [0, -1e5, 0]"),
            (1e-5, "material.young_pa = 1e3", ""),
            (1e4, "material.young_pa = 1e10", "[simulation]\nframe_s = 0.1"),
            // Ten kilometres away.
            (1.0, "translate_m = [1e4, 0, 0]", ""),
        ] {
            block(size, body, head, "").unwrap_or_else(|e| panic!("{size} {body} {head}: {e}"));
        }
    }

    #[test]
    fn a_body_of_no_size_that_is_held_is_refused_by_what_makes_it_so() {
        for (size, word) in [(1e-12, "too stiff"), (1e14, "single precision")] {
            let error = block(size, "", "[simulation]\ngravity_m_s2 = [0, 0, 0]", "").unwrap_err();
            assert!(error.key == "body[0].fit_m" && error.message.contains(word), "{error}");
        }
    }

    #[test]
    fn numbers_are_short_and_read_back_to_three_digits() {
        for x in [0.0625, 4.1666e-3, 1.0, 123456.0, 999.7, 1e-3, 1e30, -2.5e-7, 17.0, 0.1] {
            let text = short(x);
            let read: f64 = text.parse().unwrap();
            assert!((read - x).abs() <= 0.05 * x.abs() && text.len() <= 8, "{x} is {text}");
        }
        assert_eq!(
            (short(0.0).as_str(), short(1e30).as_str(), short(0.0625).as_str()),
            ("0", "1e30", "0.0625")
        );
    }

    /// Bounds are relative: they grow with the body, whatever the unit.
    #[test]
    fn the_bounds_scale_with_the_body() {
        for size in [1e-3, 1.0, 1e3] {
            // A million sizes in the substep of a millisecond.
            let head = "[simulation]\nframe_s = 0.02\nsubsteps = 20\ngravity_m_s2 = [0, 0, 0]";
            let fastest = 1e6 * size / 1e-3;
            for (part, holds) in [(0.99, true), (1.01, false)] {
                let body = format!("velocity_m_s = [{:e}, 0, 0]", part * fastest);
                assert_eq!(block(size, &body, head, "").is_ok(), holds, "{size} {part}");
            }
        }
    }
}
