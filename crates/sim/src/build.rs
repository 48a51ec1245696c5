//! From a scene to the bodies and obstacles of a world: files are read, meshes made, scaled, turned and placed.

use glam::{DAffine3, DMat3, DQuat, DVec3, Vec3};
use gordian_mesh::TetMesh;
use gordian_mesh::generate::{Generated, Generator, Kind};
use gordian_mesh::io::{self, MeshError};
use gordian_solver::Elasticity;

use crate::SimError;
use crate::body::{Body, Friction, PinGroup};
use crate::scene::{self, MaterialModel, Region, Rest, Scene, SceneErrorKind};

/// The bodies of `scene`, copies included, in order; and what there is to say about their meshes.
pub fn bodies(scene: &Scene) -> Result<(Vec<Body>, Vec<String>), SimError> {
    let mut warnings = Vec::new();
    let mut all = Vec::new();
    let mut random = SplitMix(scene.simulation.seed);
    for (index, body) in scene.body.iter().enumerate() {
        let source = load(scene, body, index, &mut warnings)?;
        for placement in copies(body, &mut random) {
            all.push(place(scene, body, index, &source, placement, all.len())?);
        }
    }
    Ok((all, warnings))
}

/// A volume from a generator.
fn generate(wanted: &scene::Generator) -> Result<TetMesh, String> {
    let kind = Kind::from_name(&wanted.kind).map_err(|e| e.to_string())?;
    let mut generator = Generator::new(kind);
    for (name, &value) in &wanted.parameters {
        generator.set(name, value).map_err(|e| e.to_string())?;
    }
    match generator.build().map_err(|e| e.to_string())? {
        Generated::Tets(mesh) => Ok(mesh),
        Generated::Triangles(_) => {
            Err(format!("`{}` makes a surface, but a body needs tetrahedra", kind.name()))
        }
    }
}

/// The value at `key` makes no sense.
pub(crate) fn range_error(scene: &Scene, key: &str, message: impl Into<String>) -> SimError {
    SimError::Scene(scene.error_at(SceneErrorKind::Range, key, message))
}

/// The file named at `key` cannot be used.
pub(crate) fn file_error(scene: &Scene, key: &str, error: MeshError) -> SimError {
    SimError::Scene(scene.error_at(SceneErrorKind::File, key, error.to_string()))
}

/// Against gravity; +y where there is none.
pub(crate) fn up(scene: &Scene) -> DVec3 {
    (-DVec3::from(scene.simulation.gravity_m_s2)).try_normalize().unwrap_or(DVec3::Y)
}

/// The mesh of a body before it is placed.
struct Source {
    tets: Vec<[u32; 4]>,
    rest: Vec<DVec3>,
    pose: Vec<DVec3>,
}

fn load(
    scene: &Scene,
    body: &scene::Body,
    index: usize,
    warnings: &mut Vec<String>,
) -> Result<Source, SimError> {
    let mesh = match (&body.mesh, &body.generator) {
        (Some(file), _) => {
            let path = scene.resolve(file);
            let loaded =
                io::load_tets(&path).map_err(|e| file_error(scene, &format!("body[{index}].mesh"), e))?;
            warnings.extend(loaded.warnings.into_iter().map(|w| format!("{}: {w}", path.display())));
            loaded.mesh
        }
        (None, Some(generator)) => generate(generator)
            .map_err(|message| range_error(scene, &format!("body[{index}].generator"), message))?,
        (None, None) => unreachable!("validated scenes give each body a mesh or a generator"),
    };
    let mut tets = mesh.tets;
    let mut rest = mesh.positions;
    let pose = match &body.pose {
        Some(file) => io::load_pose(&scene.resolve(file), rest.len())
            .map_err(|e| file_error(scene, &format!("body[{index}].pose"), e))?,
        None => rest.clone(),
    };
    if body.rest == Rest::Pose {
        rest = pose.clone();
        let mut posed = gordian_mesh::TetMesh { positions: rest, tets };
        let flipped = posed.orient();
        if let Some(first) = flipped.first() {
            let message = format!(
                "{} tetrahedra are inverted in this pose (the first is {first}), so it cannot be the rest shape",
                flipped.len()
            );
            return Err(range_error(scene, &format!("body[{index}].pose"), message));
        }
        (rest, tets) = (posed.positions, posed.tets);
    }
    Ok(Source { tets, rest, pose })
}

/// Displacement and turn of each copy of a body.
fn copies(body: &scene::Body, random: &mut SplitMix) -> Vec<(DVec3, DQuat)> {
    let Some(c) = &body.copies else { return vec![(DVec3::ZERO, DQuat::IDENTITY)] };
    let mut placements = Vec::new();
    for y in 0..c.count[1] {
        for z in 0..c.count[2] {
            for x in 0..c.count[0] {
                let grid = DVec3::new(x as f64, y as f64, z as f64) * DVec3::from(c.spacing_m);
                let jitter = DVec3::from_array(std::array::from_fn(|_| random.symmetric())) * c.jitter_m;
                let turn = if c.random_turn { random.turn() } else { DQuat::IDENTITY };
                placements.push((grid + jitter, turn));
            }
        }
    }
    placements
}

/// Smallest and largest coordinates.
fn bounds(points: &[DVec3]) -> (DVec3, DVec3) {
    points.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), &p| (l.min(p), h.max(p)))
}

fn place(
    scene: &Scene,
    body: &scene::Body,
    index: usize,
    source: &Source,
    (displacement, turn): (DVec3, DQuat),
    number: usize,
) -> Result<Body, SimError> {
    let (low, high) = bounds(&source.rest);
    let scale = match (body.fit_m, body.scale) {
        (Some(size), _) => size / (high - low).max_element(),
        (None, Some(scale)) => scale,
        (None, None) => 1.0,
    };
    let origin = if body.center { (low + high) / 2.0 } else { DVec3::ZERO };
    let rotation = scene::rotation(body.rotate_deg);
    let linear = DMat3::from_quat(rotation) * scale;
    let placed = DAffine3 { matrix3: linear, translation: -(linear * origin) };
    // A copy's own turn goes about the centre of the placed body.
    let start: Vec<DVec3> = source.pose.iter().map(|&p| placed.transform_point3(p)).collect();
    let (l, h) = bounds(&start);
    let middle = (l + h) / 2.0;
    let turned = DAffine3::from_mat3_translation(DMat3::from_quat(turn), middle - turn * middle) * placed;

    let start: Vec<DVec3> = source.pose.iter().map(|&p| turned.transform_point3(p)).collect();
    let up = up(scene);
    let lowest = start.iter().map(|p| p.dot(up)).fold(f64::INFINITY, f64::min);
    let highest = start.iter().map(|p| p.dot(up)).fold(f64::NEG_INFINITY, f64::max);
    let clearance = body.clearance_m.or(body.clearance_heights.map(|k| k * (highest - lowest)));
    let lift = clearance.map_or(DVec3::ZERO, |c| up * (c - lowest));
    let shift = lift + DVec3::from(body.translate_m) + displacement;

    let positions: Vec<DVec3> = start.iter().map(|&p| p + shift).collect();
    let rest: Vec<DVec3> = source.rest.iter().map(|&p| turned.transform_point3(p) + shift).collect();
    let (l, h) = bounds(&positions);
    let center = (l + h) / 2.0;
    let spin = DVec3::from(body.angular_velocity_deg_s.map(f64::to_radians));
    let velocity = DVec3::from(body.velocity_m_s);
    let velocities = positions.iter().map(|&p| (velocity + spin.cross(p - center)).as_vec3()).collect();
    let pins = body
        .pin
        .iter()
        .enumerate()
        .map(|(k, pin)| {
            let vertices = select(&pin.at, &positions, &source.rest)
                .map_err(|m| range_error(scene, &format!("body[{index}].pin[{k}].at"), m))?;
            Ok(PinGroup { vertices, motion: pin.motion.clone() })
        })
        .collect::<Result<_, SimError>>()?;
    let name = match (&*body.name, &body.copies) {
        ("", _) => format!("body{number}"),
        (name, Some(_)) => format!("{name}{number}"),
        (name, None) => name.to_owned(),
    };
    Ok(Body {
        name,
        rest: rest.iter().map(|p| p.as_vec3()).collect(),
        positions: positions.iter().map(|p| p.as_vec3()).collect(),
        velocities,
        tets: source.tets.clone(),
        material: gordian_solver::Material {
            elasticity: match body.material.model {
                MaterialModel::NeoHookean => Elasticity::NeoHookean,
                MaterialModel::NeoHookeanPair => Elasticity::NeoHookeanPair,
                MaterialModel::MassSpring => Elasticity::Volume,
            },
            young_pa: body.material.young_pa as f32,
            poisson: body.material.poisson as f32,
            damping_s: body.material.damping_s as f32,
        },
        density: body.material.density_kg_m3 as f32,
        friction: Friction { fixed: body.friction.static_ as f32, kinetic: body.friction.dynamic as f32 },
        pins,
    })
}

/// The vertices of a region, ascending; an error if there are none or one does not exist.
fn select(region: &Region, positions: &[DVec3], rest: &[DVec3]) -> Result<Vec<u32>, String> {
    let all = 0..positions.len() as u32;
    let inside = |low: DVec3, high: DVec3, p: DVec3| p.cmpge(low).all() && p.cmple(high).all();
    let chosen: Vec<u32> = match region {
        Region::All(_) => all.collect(),
        Region::Vertices(v) => {
            if let Some(&bad) = v.indices.iter().find(|&&i| i as usize >= positions.len()) {
                return Err(format!(
                    "vertex {bad} does not exist; the body has {} vertices, from 0",
                    positions.len()
                ));
            }
            let mut indices = v.indices.clone();
            indices.sort_unstable();
            indices.dedup();
            indices
        }
        Region::Box(b) => {
            let (low, high) = (DVec3::from(b.min_m), DVec3::from(b.max_m));
            all.filter(|&v| inside(low, high, positions[v as usize])).collect()
        }
        Region::Sphere(s) => {
            let center = DVec3::from(s.center_m);
            all.filter(|&v| positions[v as usize].distance(center) <= s.radius_m).collect()
        }
        Region::Fraction(f) => {
            let (low, high) = bounds(rest);
            let size = high - low;
            let (from, to) = (low + size * DVec3::from(f.min), low + size * DVec3::from(f.max));
            // The border counts as inside whatever the rounding of the products above.
            let slack = DVec3::splat(1e-9 * size.max_element());
            all.filter(|&v| inside(from - slack, to + slack, rest[v as usize])).collect()
        }
    };
    if chosen.is_empty() { Err("no vertex of the body lies here".into()) } else { Ok(chosen) }
}

/// SplitMix64 (Steele, Lea & Flood 2014): the scene's own random numbers, the same on every machine.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in `[0, 1)`.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in `[-1, 1)`.
    fn symmetric(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// A uniform rotation (Shoemake 1992).
    fn turn(&mut self) -> DQuat {
        let (u, a, b) =
            (self.unit(), self.unit() * std::f64::consts::TAU, self.unit() * std::f64::consts::TAU);
        let (s, c) = ((1.0 - u).sqrt(), u.sqrt());
        DQuat::from_xyzw(s * a.sin(), s * a.cos(), c * b.sin(), c * b.cos())
    }
}

/// Mean length of the surface edges of a body in its rest pose, metres: the unit of relative lengths.
pub(crate) fn mean_surface_edge(rest: &[Vec3], edges: &[[u32; 2]]) -> f64 {
    let total: f64 = edges
        .iter()
        .map(|&[a, b]| (rest[a as usize].as_dvec3() - rest[b as usize].as_dvec3()).length())
        .sum();
    total / edges.len().max(1) as f64
}
