//! Ranges of values, and values that do not go together.

use std::borrow::Cow;

use gordian_mesh::generate::{GenerateError, Kind};

use super::error::did_you_mean;
use super::{
    Body, Check, Cloth, Collider, Collision, Copies, Fabric, Friction, Generator, Material, MaterialModel,
    Motion, Region, Rest, Scene, SceneError, SceneErrorKind, Shape, place,
};

/// Checks every value of a scene; the error names the first fault in the order of the format.
pub(super) fn validate(scene: &Scene) -> Result<(), SceneError> {
    check(scene).map_err(|fault| {
        let mut error = scene.error_at(fault.kind, &fault.key, fault.message);
        error.hint = fault.hint;
        error
    })
}

struct Fault {
    kind: SceneErrorKind,
    key: String,
    message: String,
    hint: Option<String>,
}

type Checked = Result<(), Fault>;

fn fault(key: impl Into<String>, message: impl Into<String>) -> Fault {
    Fault { kind: SceneErrorKind::Range, key: key.into(), message: message.into(), hint: None }
}

fn check(scene: &Scene) -> Checked {
    let s = &scene.simulation;
    positive("simulation.frame_s", s.frame_s)?;
    at_least_one("simulation.substeps", s.substeps)?;
    at_least_one("simulation.iterations", s.iterations)?;
    finite3("simulation.gravity_m_s2", s.gravity_m_s2)?;
    not_negative("simulation.damping_per_s", s.damping_per_s)?;
    if s.seed > i64::MAX as u64 {
        return Err(fault("simulation.seed", format!("is {}, above the largest integer of TOML", s.seed)));
    }
    collision(&scene.collision)?;
    cloth(&scene.cloth)?;
    at_least_one("output.every", scene.output.every)?;
    for (i, b) in scene.body.iter().enumerate() {
        body(&format!("body[{i}]"), b)?;
    }
    for (i, c) in scene.collider.iter().enumerate() {
        collider(&format!("collider[{i}]"), c)?;
    }
    for (i, c) in scene.check.iter().enumerate() {
        one_check(&format!("check[{i}]"), c, scene)?;
    }
    names("body", scene.body.iter().enumerate().map(|(i, b)| place::name_of(i, &b.name)))?;
    names("collider", scene.collider.iter().map(|c| c.name.as_str().into()))
}

fn one_check(at: &str, c: &Check, scene: &Scene) -> Checked {
    finite(&format!("{at}.start_s"), c.start_s)?;
    optional(&format!("{at}.end_s"), c.end_s, finite)?;
    optional(&format!("{at}.at_most"), c.at_most, finite)?;
    optional(&format!("{at}.at_least"), c.at_least, finite)?;
    if c.at_most.is_none() && c.at_least.is_none() {
        return Err(fault(at, "has neither `at_most` nor `at_least`: it would always hold"));
    }
    if let Some(end) = c.end_s.filter(|&end| end < c.start_s) {
        let message = format!("is {end}, before the start at {}: no frame would count", c.start_s);
        return Err(fault(format!("{at}.end_s"), message));
    }
    if let (Some(least), Some(most)) = (c.at_least, c.at_most)
        && least > most
    {
        return Err(fault(
            format!("{at}.at_most"),
            format!("is {most}, less than `at_least`: it never holds"),
        ));
    }
    let names = || scene.body.iter().enumerate().map(|(i, b)| place::name_of(i, &b.name));
    if !c.body.is_empty() && !names().any(|name| name == c.body) {
        let names: Vec<_> = names().collect();
        let hint = did_you_mean(&c.body, names.iter().map(|name| name.as_ref()));
        let message = format!("there is no body named `{}`", c.body);
        return Err(Fault { hint, ..fault(format!("{at}.body"), message) });
    }
    Ok(())
}

fn collision(c: &Collision) -> Checked {
    not_negative("collision.start_s", c.start_s)?;
    edges("collision.thickness_edges", c.thickness_edges)?;
    positive("collision.max_depenetration_edges", c.max_depenetration_edges)?;
    positive("collision.max_shift_ratio", c.max_shift_ratio)?;
    fraction("collision.penetrating_damping", c.penetrating_damping)?;
    fraction("collision.restitution", c.restitution)?;
    c.later.as_ref().map_or(Ok(()), |l| finite("collision.later.start_s", l.start_s))
}

fn cloth(c: &Cloth) -> Checked {
    edges("cloth.strength", c.strength)?;
    edges("cloth.thickness_edges", c.thickness_edges)?;
    at_least_one("cloth.searches", c.searches)?;
    fraction("cloth.smoothing", c.smoothing)?;
    not_negative("cloth.speed_limit_edges", c.speed_limit_edges)
}

fn fabric(at: &str, f: &Fabric) -> Checked {
    let key = |name: &str| format!("{at}.{name}");
    positive(&key("density_kg_m2"), f.density_kg_m2)?;
    positive(&key("warp_n_m"), f.warp_n_m)?;
    positive(&key("weft_n_m"), f.weft_n_m)?;
    not_negative(&key("shear_n_m"), f.shear_n_m)?;
    not_negative(&key("bend_n_m"), f.bend_n_m)?;
    direction(&key("warp"), f.warp)?;
    let Some(fold) = &f.fold else { return Ok(()) };
    positive(&key("fold.at_m"), fold.at_m)?;
    not_negative(&key("fold.gap_m"), fold.gap_m)?;
    finite(&key("fold.height_m"), fold.height_m)?;
    finite(&key("fold.ridge_at_m"), fold.ridge_at_m)?;
    positive(&key("fold.width_m"), fold.width_m)
}

fn body(at: &str, b: &Body) -> Checked {
    let key = |name: &str| format!("{at}.{name}");
    match (&b.mesh, &b.generator) {
        (None, None) => {
            return Err(Fault {
                kind: SceneErrorKind::MissingKey,
                key: at.into(),
                message: "a body needs a mesh".into(),
                hint: Some("give `mesh = \"FILE\"` or `generator = { kind = \"sphere\" }`".into()),
            });
        }
        (Some(_), Some(_)) => {
            return Err(fault(
                key("generator"),
                "a body comes from `mesh` or from `generator`, not from both",
            ));
        }
        (None, Some(g)) => generator(&key("generator"), g)?,
        (Some(_), None) => {}
    }
    if let Some(g) = &b.pose_generator {
        generator(&key("pose_generator"), g)?;
    }
    both(&key("pose_generator"), "pose", b.pose.is_some(), b.pose_generator.is_some())?;
    if b.rest == Rest::Pose && b.pose.is_none() && b.pose_generator.is_none() {
        return Err(fault(key("rest"), "is `pose`, but no `pose` is given"));
    }
    both(&key("fit_m"), "scale", b.scale.is_some(), b.fit_m.is_some())?;
    both(&key("clearance_heights"), "clearance_m", b.clearance_m.is_some(), b.clearance_heights.is_some())?;
    optional(&key("scale"), b.scale, positive)?;
    optional(&key("fit_m"), b.fit_m, positive)?;
    optional(&key("clearance_m"), b.clearance_m, finite)?;
    optional(&key("clearance_heights"), b.clearance_heights, finite)?;
    finite3(&key("rotate_deg"), b.rotate_deg)?;
    finite3(&key("translate_m"), b.translate_m)?;
    finite3(&key("velocity_m_s"), b.velocity_m_s)?;
    finite3(&key("angular_velocity_deg_s"), b.angular_velocity_deg_s)?;
    material(&key("material"), &b.material)?;
    if let Some(f) = &b.fabric {
        fabric(&key("fabric"), f)?;
        if b.material != Material::default() {
            return Err(Fault {
                hint: Some("`fabric` alone says what cloth is made of; leave out one of them".into()),
                ..fault(key("material"), "is of a volume, but `fabric` makes this body cloth")
            });
        }
        both(&key("fabric.fold"), "pose", b.pose.is_some(), f.fold.is_some())?;
        both(&key("fabric.fold"), "pose_generator", b.pose_generator.is_some(), f.fold.is_some())?;
    }
    friction(&key("friction"), &b.friction)?;
    for (i, pin) in b.pin.iter().enumerate() {
        region(&format!("{at}.pin[{i}].at"), &pin.at)?;
        motions(&format!("{at}.pin[{i}].motion"), &pin.motion)?;
    }
    match &b.copies {
        Some(c) => copies(&key("copies"), c),
        None => Ok(()),
    }
}

fn generator(at: &str, g: &Generator) -> Checked {
    g.parameters.iter().try_for_each(|(name, &value)| finite(&format!("{at}.{name}"), value))?;
    let Err((inner, error)) = place::generator(g) else { return Ok(()) };
    let key = format!("{at}.{inner}");
    let (kind, message, hint) = match &error {
        GenerateError::UnknownKind { name, known } => {
            let hint = did_you_mean(name, Kind::ALL.map(Kind::name));
            (
                SceneErrorKind::Value,
                format!("unknown word `{name}`"),
                hint.unwrap_or(format!("known here: {known}")),
            )
        }
        GenerateError::UnknownParameter { kind, name, known } => {
            let names =
                Kind::from_name(kind).map(Kind::parameters).unwrap_or_default().iter().map(|p| p.name);
            let hint = did_you_mean(name, names).unwrap_or(format!("known here: {known}"));
            (SceneErrorKind::UnknownKey, format!("unknown key `{name}`"), hint)
        }
        GenerateError::Parameter { value, rule, .. } => {
            return Err(fault(key, format!("is {}; it must be {rule}", shown(*value))));
        }
        other => return Err(fault(key, other.to_string())),
    };
    Err(Fault { kind, key, message, hint: Some(hint) })
}

fn material(at: &str, m: &Material) -> Checked {
    positive(&format!("{at}.young_pa"), m.young_pa)?;
    positive(&format!("{at}.density_kg_m3"), m.density_kg_m3)?;
    not_negative(&format!("{at}.damping_s"), m.damping_s)?;
    let poisson = format!("{at}.poisson");
    if !(0.0..0.5).contains(&m.poisson) {
        return Err(fault(poisson, format!("is {}; Poisson's ratio is from 0 to below 0.5", m.poisson)));
    }
    if m.poisson as f32 >= 0.5 {
        let message = format!("is {}, which is 0.5 in single precision; it must be below", m.poisson);
        return Err(Fault {
            hint: Some("0.4999 is as incompressible as can be solved".into()),
            ..fault(poisson, message)
        });
    }
    // The split energy divides by λ - μ, which is positive only above a quarter.
    if m.model == MaterialModel::NeoHookean && m.poisson <= 0.25 {
        return Err(Fault {
            hint: Some("take `model = \"neo_hookean_pair\"` for such a material".into()),
            ..fault(poisson, format!("is {}; the model `neo_hookean` needs more than 0.25", m.poisson))
        });
    }
    Ok(())
}

fn friction(at: &str, f: &Friction) -> Checked {
    not_negative(&format!("{at}.static"), f.static_)?;
    not_negative(&format!("{at}.dynamic"), f.dynamic)?;
    if f.dynamic > f.static_ {
        return Err(fault(
            format!("{at}.dynamic"),
            format!("is {}, above the static coefficient {}", f.dynamic, f.static_),
        ));
    }
    Ok(())
}

fn region(at: &str, r: &Region) -> Checked {
    match r {
        Region::All(_) => Ok(()),
        Region::Vertices(r) if r.indices.is_empty() => Err(fault(format!("{at}.indices"), "is empty")),
        Region::Vertices(_) => Ok(()),
        Region::Box(r) => ordered(at, "min_m", "max_m", r.min_m, r.max_m),
        Region::Fraction(r) => ordered(at, "min", "max", r.min, r.max),
        Region::Sphere(r) => {
            finite3(&format!("{at}.center_m"), r.center_m)?;
            positive(&format!("{at}.radius_m"), r.radius_m)
        }
    }
}

fn motions(at: &str, motions: &[Motion]) -> Checked {
    for (i, motion) in motions.iter().enumerate() {
        let key = |name: &str| format!("{at}[{i}].{name}");
        let times = |start: f64, end: Option<f64>| {
            finite(&key("start_s"), start)?;
            match end {
                Some(end) if end.is_nan() || end < start => {
                    Err(fault(key("end_s"), format!("is {end}, before the start at {start}")))
                }
                _ => Ok(()),
            }
        };
        match motion {
            Motion::Translate(m) => {
                finite3(&key("velocity_m_s"), m.velocity_m_s)?;
                times(m.start_s, m.end_s)?;
            }
            Motion::Rotate(m) => {
                direction(&key("axis"), m.axis)?;
                finite3(&key("center_m"), m.center_m)?;
                finite(&key("speed_deg_s"), m.speed_deg_s)?;
                times(m.start_s, m.end_s)?;
            }
            Motion::Keyframes(m) => {
                finite3(&key("center_m"), m.center_m)?;
                if m.keys.is_empty() {
                    return Err(fault(key("keys"), "is empty"));
                }
                for (k, frame) in m.keys.iter().enumerate() {
                    let key = |name: &str| format!("{at}[{i}].keys[{k}].{name}");
                    finite(&key("time_s"), frame.time_s)?;
                    finite3(&key("translate_m"), frame.translate_m)?;
                    finite3(&key("rotate_deg"), frame.rotate_deg)?;
                    if k > 0 && frame.time_s <= m.keys[k - 1].time_s {
                        return Err(fault(key("time_s"), "is not after the key before it"));
                    }
                }
            }
        }
    }
    Ok(())
}

fn copies(at: &str, c: &Copies) -> Checked {
    at_least_one3(&format!("{at}.count"), c.count)?;
    finite3(&format!("{at}.spacing_m"), c.spacing_m)?;
    not_negative(&format!("{at}.jitter_m"), c.jitter_m)
}

fn collider(at: &str, c: &Collider) -> Checked {
    let key = |name: &str| format!("{at}.shape.{name}");
    match &c.shape {
        Shape::Plane(s) => {
            direction(&key("normal"), s.normal)?;
            finite3(&key("point_m"), s.point_m)?;
        }
        Shape::Sphere(s) => {
            finite3(&key("center_m"), s.center_m)?;
            positive(&key("radius_m"), s.radius_m)?;
        }
        Shape::Capsule(s) => {
            finite3(&key("start_m"), s.start_m)?;
            finite3(&key("end_m"), s.end_m)?;
            positive(&key("radius_m"), s.radius_m)?;
        }
        Shape::Box(s) => {
            finite3(&key("center_m"), s.center_m)?;
            positive3(&key("size_m"), s.size_m)?;
            finite3(&key("rotate_deg"), s.rotate_deg)?;
        }
        Shape::Bowl(s) => {
            finite3(&key("center_m"), s.center_m)?;
            positive(&key("radius_m"), s.radius_m)?;
        }
        Shape::Mesh(s) => {
            positive(&key("scale"), s.scale)?;
            finite3(&key("rotate_deg"), s.rotate_deg)?;
            finite3(&key("translate_m"), s.translate_m)?;
        }
    }
    if let Some(f) = &c.friction {
        friction(&format!("{at}.friction"), f)?;
    }
    motions(&format!("{at}.motion"), &c.motion)
}

/// Names are addresses: of several entries no two may share one, nor may one look like a number. The name of an entry that gives
/// none counts, too.
fn names<'a>(list: &str, all: impl Iterator<Item = Cow<'a, str>>) -> Checked {
    let mut seen = std::collections::BTreeMap::new();
    for (i, name) in all.enumerate().filter(|(_, name)| !name.is_empty()) {
        let key = format!("{list}[{i}].name");
        if name.parse::<usize>().is_ok() {
            return Err(fault(key, format!("`{name}` is a number; numbers mean places in the list")));
        }
        if let Some(first) = seen.insert(name.clone(), i) {
            return Err(fault(key, format!("`{name}` is the name of {list}[{first}] already")));
        }
    }
    Ok(())
}

/// The solver works in single precision: what that cannot hold is refused here, where its key is known.
fn finite(key: &str, x: f64) -> Checked {
    match (x as f32).is_finite() {
        true => Ok(()),
        false if x.is_finite() => {
            Err(fault(key, format!("is {x:e}; its size must be below {:e} (single precision)", f32::MAX)))
        }
        false => Err(fault(key, format!("is {x}, not a finite number"))),
    }
}

fn positive(key: &str, x: f64) -> Checked {
    finite(key, x)?;
    match x {
        _ if x <= 0.0 => Err(fault(key, format!("is {}; it must be above 0", shown(x)))),
        _ if x < f32::MIN_POSITIVE as f64 => Err(fault(
            key,
            format!("is {x:e}; it must be at least {:e} (single precision)", f32::MIN_POSITIVE),
        )),
        _ => Ok(()),
    }
}

fn not_negative(key: &str, x: f64) -> Checked {
    finite(key, x)?;
    if x >= 0.0 { Ok(()) } else { Err(fault(key, format!("is {}; it must not be negative", shown(x)))) }
}

/// A distance in mean edges: such that an edge beside it is more than rounding.
fn edges(key: &str, x: f64) -> Checked {
    not_negative(key, x)?;
    match x <= 1e6 {
        true => Ok(()),
        false => Err(fault(key, format!("is {} mean edges; single precision holds at most 1e6", shown(x)))),
    }
}

fn fraction(key: &str, x: f64) -> Checked {
    if (0.0..=1.0).contains(&x) {
        Ok(())
    } else {
        Err(fault(key, format!("is {}; it must be from 0 to 1", shown(x))))
    }
}

/// A number as people read it: not with hundreds of digits.
fn shown(x: f64) -> String {
    if x != 0.0 && !(1e-6..1e15).contains(&x.abs()) { format!("{x:e}") } else { x.to_string() }
}

fn at_least_one(key: &str, n: u32) -> Checked {
    if n > 0 { Ok(()) } else { Err(fault(key, "is 0; it must be at least 1")) }
}

fn optional(key: &str, x: Option<f64>, check: fn(&str, f64) -> Checked) -> Checked {
    x.map_or(Ok(()), |x| check(key, x))
}

fn both(key: &str, other: &str, first: bool, second: bool) -> Checked {
    if first && second {
        Err(fault(key, format!("is given beside `{other}`; give one of them")))
    } else {
        Ok(())
    }
}

fn finite3(key: &str, v: [f64; 3]) -> Checked {
    (0..3).try_for_each(|i| finite(&format!("{key}[{i}]"), v[i]))
}

fn positive3(key: &str, v: [f64; 3]) -> Checked {
    (0..3).try_for_each(|i| positive(&format!("{key}[{i}]"), v[i]))
}

fn at_least_one3(key: &str, v: [u32; 3]) -> Checked {
    (0..3).try_for_each(|i| at_least_one(&format!("{key}[{i}]"), v[i]))
}

fn direction(key: &str, v: [f64; 3]) -> Checked {
    finite3(key, v)?;
    if v == [0.0; 3] { Err(fault(key, "is zero, which is no direction")) } else { Ok(()) }
}

fn ordered(at: &str, low: &str, high: &str, min: [f64; 3], max: [f64; 3]) -> Checked {
    finite3(&format!("{at}.{low}"), min)?;
    finite3(&format!("{at}.{high}"), max)?;
    match (0..3).find(|&i| min[i] > max[i]) {
        Some(i) => {
            Err(fault(format!("{at}.{high}[{i}]"), format!("is {}, below {} of `{low}`", max[i], min[i])))
        }
        None => Ok(()),
    }
}
