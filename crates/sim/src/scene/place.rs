//! From a scene to bodies in space: meshes are loaded or made, placed, copied, and their pins found.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use glam::{DAffine3, DMat3, DQuat, DVec3};
use gordian_mesh::generate::{GenerateError, Generated, Kind};
use gordian_mesh::io::{self, MeshError};
use gordian_mesh::{TetMesh, TetTopology, TriMesh, generate, memory, signed_volume};

use super::error::similar_file;
use super::limits::{self, Measure};
use super::precision::Rounded;
use super::{Body, Generator, MeshShape, Motion, Region, Rest, Scene, SceneError, SceneErrorKind, rotation};
use crate::cloth::folded;

/// A body of a scene in its place; of copies, each is one.
#[derive(Clone, Debug)]
pub struct PlacedBody {
    /// Its name: of its section, with a number behind where there are copies; never empty.
    pub name: String,
    /// Which entry of [`Scene::body`] it comes from.
    pub section: usize,
    /// Tetrahedra, in file order; shared by copies. None of a sheet of cloth.
    pub tets: Arc<Vec<[u32; 4]>>,
    /// Triangles of a sheet of cloth, in file order; shared by copies. None of a volume.
    pub triangles: Arc<Vec<[u32; 3]>>,
    /// Direction of the warp of a sheet of cloth, as placed.
    pub warp: DVec3,
    /// The shape at rest, metres, in file order, placed as the body is.
    pub rest: Vec<DVec3>,
    /// Positions at the start, metres, in file order.
    pub start: Vec<DVec3>,
    /// Velocities at the start, metres per second, in file order.
    pub velocities: Vec<DVec3>,
    /// What holds it.
    pub pins: Vec<PlacedPin>,
}

/// Vertices that are held, or moved.
#[derive(Clone, Debug)]
pub struct PlacedPin {
    /// The vertices, in file order of the body, rising.
    pub vertices: Vec<u32>,
    /// Motions over time, from where the vertices start.
    pub motion: Vec<Motion>,
}

/// All bodies of a scene, with what there was to say about their meshes.
#[derive(Clone, Debug, Default)]
pub struct Placed {
    /// The bodies, in the order of the particles.
    pub bodies: Vec<PlacedBody>,
    /// One line each, for people.
    pub warnings: Vec<String>,
}

impl Scene {
    /// Loads, makes, places and copies the bodies.
    ///
    /// Errors name the line of the scene: a file that cannot be read, a generator that cannot make its mesh, a pose of
    /// another mesh, a rest shape with flat or negative tetrahedra, a pin without vertices.
    pub fn place(&self) -> Result<Placed, SceneError> {
        let mut placed = Placed::default();
        let mut measures = Vec::with_capacity(self.body.len());
        for (i, body) in self.body.iter().enumerate() {
            let first = placed.bodies.len();
            place_body(self, i, body, &mut placed)?;
            measures.extend(placed.bodies.get(first).map(|b| (first, b.measure())));
        }
        let named: Vec<_> =
            measures.iter().map(|&(b, measure)| (placed.bodies[b].name.as_str(), measure)).collect();
        limits::check_all(self, &named)?;
        Ok(placed)
    }

    /// The mesh of collider `index`, scaled, before it is turned and displaced. Of a volume, the boundary is taken.
    pub fn collider_mesh(&self, index: usize, shape: &MeshShape) -> Result<TriMesh, SceneError> {
        let path = self.resolve(&shape.mesh);
        let fail = |e: MeshError| self.mesh_error(&format!("collider[{index}].shape.mesh"), &path, e);
        let mut mesh = if io::read_raw(&path).map_err(fail)?.tets.is_empty() {
            io::load_surface(&path).map_err(fail)?.mesh
        } else {
            let volume = io::load_tets(&path).map_err(fail)?.mesh;
            let triangles = TetTopology::new(volume.positions.len(), &volume.tets).faces;
            TriMesh { positions: volume.positions, triangles }
        };
        mesh.positions.iter_mut().for_each(|p| *p *= shape.scale);
        Ok(mesh)
    }

    /// Which way is up: against gravity, +y without.
    pub fn up(&self) -> DVec3 {
        (-DVec3::from(self.simulation.gravity_m_s2)).normalize_or(DVec3::Y)
    }

    fn mesh_error(&self, key: &str, path: &Path, error: MeshError) -> SceneError {
        let kind = match &error {
            MeshError::Io { .. } => SceneErrorKind::File,
            _ => SceneErrorKind::Content,
        };
        let mut error = self.error_at(kind, key, error.to_string());
        error.hint = similar_file(path);
        error
    }
}

/// The generator of a section of a scene, with its parameters. The error is the key within it and what is wrong.
pub(super) fn generator(g: &Generator) -> Result<generate::Generator, (String, GenerateError)> {
    let kind = Kind::from_name(&g.kind).map_err(|e| ("kind".to_owned(), e))?;
    let mut generator = generate::Generator::new(kind);
    for (name, &value) in &g.parameters {
        generator.set(name, value).map_err(|e| (name.clone(), e))?;
    }
    Ok(generator)
}

/// The name of section `index` of the bodies: the one that it gives, else `body` and its number.
pub(super) fn name_of(index: usize, given: &str) -> Cow<'_, str> {
    if given.is_empty() { Cow::Owned(format!("body{index}")) } else { Cow::Borrowed(given) }
}

impl PlacedBody {
    fn measure(&self) -> Measure {
        Measure::of(&self.rest, &self.tets, &self.triangles)
    }
}

fn place_body(scene: &Scene, index: usize, body: &Body, placed: &mut Placed) -> Result<(), SceneError> {
    let at = format!("body[{index}]");
    let name = name_of(index, &body.name).into_owned();
    let mesh = mesh_of(scene, &at, &name, body, &mut placed.warnings)?;
    let pose = pose_of(scene, &at, body, &mesh)?;
    let used = used_vertices(&mesh);
    let starting = pose.as_deref().unwrap_or(&mesh.positions);
    let (tets, triangles) = (Arc::new(mesh.tets.clone()), Arc::new(mesh.triangles.clone()));
    let [nx, ny, nz] = body.copies.as_ref().map_or([1; 3], |c| c.count);
    check_memory(scene, &at, body, &mesh, placed)?;
    let several = [nx, ny, nz] != [1; 3];
    let cells = (0..nz).flat_map(|z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])));
    let mut random = Random::new(scene.simulation.seed, index as u64);
    for (number, cell) in cells.enumerate() {
        let place = placement(scene, body, &mesh, starting, &used, cell, &mut random);
        let apply =
            |points: &[DVec3]| -> Vec<DVec3> { points.iter().map(|&p| place.transform_point3(p)).collect() };
        let start = apply(starting);
        let rest = match body.rest {
            Rest::File => apply(&mesh.positions),
            Rest::Pose => {
                check_rest(scene, &at, &mesh.tets, &start)?;
                start.clone()
            }
        };
        let made_of = match (&body.mesh, &body.generator) {
            (Some(file), _) => file.display().to_string(),
            (None, g) => format!("`{}`", g.as_ref().map_or("", |g| &g.kind)),
        };
        let measure = Measure::of(&rest, &tets, &triangles);
        let placed_body = Rounded {
            section: index,
            mesh: made_of,
            rest: &rest,
            start: &start,
            tets: &tets,
            triangles: &triangles,
            measure,
        };
        placed_body.check(scene)?;
        if number == 0 {
            limits::check_body(scene, index, measure)?;
        }
        let spin = DVec3::from(body.angular_velocity_deg_s.map(f64::to_radians));
        let (low, high) = bounds(&start, &used);
        let velocities = start
            .iter()
            .map(|&p| DVec3::from(body.velocity_m_s) + spin.cross(p - 0.5 * (low + high)))
            .collect();
        let pins = pins_of(scene, &at, body, &mesh, &start, &used)?;
        let name = if several { format!("{name}.{number}") } else { name.clone() };
        placed.bodies.push(PlacedBody {
            name,
            section: index,
            tets: tets.clone(),
            triangles: triangles.clone(),
            warp: body.fabric.as_ref().map_or(DVec3::X, |f| place.transform_vector3(f.warp.into())),
            rest,
            start,
            velocities,
            pins,
        });
    }
    Ok(())
}

/// Bytes that a world takes at its peak for each tetrahedron or triangle, with its part of the vertices: 591 are measured for a
/// block of a million tetrahedra.
const PER_ELEMENT: f64 = 600.0;

/// Refuses bodies that do not fit into memory, before they are copied. `before`: the bodies so far.
fn check_memory(
    scene: &Scene,
    at: &str,
    body: &Body,
    mesh: &Mesh,
    before: &Placed,
) -> Result<(), SceneError> {
    let copies: f64 = body.copies.as_ref().map_or(1.0, |c| c.count.iter().map(|&n| f64::from(n)).product());
    let elements = (mesh.tets.len() + mesh.triangles.len()) as f64;
    let so_far: f64 = before.bodies.iter().map(|b| (b.tets.len() + b.triangles.len()) as f64).sum();
    let whole = so_far + copies * elements;
    // Positions of vertices that no element uses take room, too.
    let needs = PER_ELEMENT * whole + 100.0 * copies * mesh.positions.len() as f64;
    let Some(allowed) = memory::exceeded(needs) else { return Ok(()) };
    let what = if body.fabric.is_some() { "triangles" } else { "tetrahedra" };
    let of = if copies > 1.0 {
        format!("{copies:.0} copies of {elements:.0} {what}")
    } else {
        format!("{elements:.0} {what}")
    };
    let earlier = if so_far > 0.0 {
        format!(", with {so_far:.0} elements of the bodies before,")
    } else {
        String::new()
    };
    let message = format!(
        "{of}{earlier} would need about {:.1} GB; {:.1} GB are free for them",
        needs / 1e9,
        allowed / 1e9
    );
    let (key, hint) = match (copies > 1.0, &body.mesh) {
        (true, _) => ("copies.count", "take fewer copies, or a coarser mesh"),
        (_, Some(_)) => ("mesh", "take a coarser mesh"),
        _ => ("generator", "take a coarser mesh"),
    };
    Err(scene.error_at(SceneErrorKind::Content, &format!("{at}.{key}"), message).with_hint(hint))
}

fn mesh_of(
    scene: &Scene,
    at: &str,
    name: &str,
    body: &Body,
    warnings: &mut Vec<String>,
) -> Result<Mesh, SceneError> {
    match (&body.mesh, &body.generator) {
        (Some(file), _) => {
            let path = scene.resolve(file);
            let loaded = if body.fabric.is_some() {
                io::load_surface(&path).map(|l| (Mesh::from(l.mesh), l.warnings))
            } else {
                io::load_tets(&path).map(|l| (Mesh::from(l.mesh), l.warnings))
            };
            let (mesh, told) = loaded.map_err(|e| {
                let surface = body.fabric.is_none() && io::load_surface(&path).is_ok();
                let error = scene.mesh_error(&format!("{at}.mesh"), &path, e);
                if surface { error.with_hint("`fabric = {}` makes this body cloth") } else { error }
            })?;
            warnings.extend(told.into_iter().map(|w| format!("body `{name}`: {w}")));
            if body.pose.is_none()
                && body.pose_generator.is_none()
                && let Some(note) = io::beside_pose(&path)
            {
                warnings.push(format!("body `{name}`: {note}; to start in it, set `pose` to the same file"));
            }
            Ok(mesh)
        }
        (None, Some(g)) => generated(scene, &format!("{at}.generator"), g, body.fabric.is_some()),
        (None, None) => Err(scene.error_at(SceneErrorKind::MissingKey, at, "a body needs a mesh")),
    }
}

fn pose_of(scene: &Scene, at: &str, body: &Body, mesh: &Mesh) -> Result<Option<Vec<DVec3>>, SceneError> {
    if let Some(fold) = body.fabric.as_ref().and_then(|f| f.fold.as_ref()) {
        let ys = || mesh.positions.iter().map(|p| p.y);
        let height = ys().fold(f64::NEG_INFINITY, f64::max) - ys().fold(f64::INFINITY, f64::min);
        if fold.at_m >= height {
            let message = format!("is {}, but the sheet is {height} m high: it folds nowhere", fold.at_m);
            return Err(scene.error_at(SceneErrorKind::Content, &format!("{at}.fabric.fold.at_m"), message));
        }
        return Ok(Some(folded(fold, &mesh.positions)));
    }
    if let Some(g) = &body.pose_generator {
        let key = format!("{at}.pose_generator");
        let pose = generated(scene, &key, g, body.fabric.is_some())?;
        if pose.tets != mesh.tets || pose.triangles != mesh.triangles {
            let message = format!(
                "makes another mesh ({} vertices, {} tetrahedra) than the body has ({}, {})",
                pose.positions.len(),
                pose.tets.len(),
                mesh.positions.len(),
                mesh.tets.len()
            );
            return Err(scene.error_at(SceneErrorKind::Content, &key, message));
        }
        return Ok(Some(pose.positions));
    }
    let Some(file) = &body.pose else { return Ok(None) };
    let path = scene.resolve(file);
    let pose = io::load_pose(&path, mesh.positions.len());
    pose.map(Some).map_err(|e| scene.mesh_error(&format!("{at}.pose"), &path, e))
}

/// The mesh of a body: a volume or a sheet of cloth.
struct Mesh {
    positions: Vec<DVec3>,
    tets: Vec<[u32; 4]>,
    triangles: Vec<[u32; 3]>,
}

impl From<TetMesh> for Mesh {
    fn from(mesh: TetMesh) -> Self {
        Mesh { positions: mesh.positions, tets: mesh.tets, triangles: Vec::new() }
    }
}

impl From<TriMesh> for Mesh {
    fn from(mesh: TriMesh) -> Self {
        Mesh { positions: mesh.positions, tets: Vec::new(), triangles: mesh.triangles }
    }
}

fn generated(scene: &Scene, key: &str, g: &Generator, cloth: bool) -> Result<Mesh, SceneError> {
    let fail = |key: &str, message: String| scene.error_at(SceneErrorKind::Content, key, message);
    let generator = generator(g).map_err(|(inner, e)| fail(&format!("{key}.{inner}"), e.to_string()))?;
    match generator.build() {
        Ok(Generated::Tets(mesh)) if !cloth => Ok(mesh.into()),
        Ok(Generated::Triangles(mesh)) if cloth => Ok(mesh.into()),
        Ok(Generated::Tets(_)) => Err(fail(
            &format!("{key}.kind"),
            format!("`{}` makes a volume, but a `fabric` is a sheet", g.kind),
        )),
        Ok(Generated::Triangles(_)) => {
            let message = format!("`{}` makes a sheet, but a body without `fabric` is a volume", g.kind);
            Err(fail(&format!("{key}.kind"), message)
                .with_hint("give it `fabric = {}` in place of a `material` to make it cloth"))
        }
        Err(GenerateError::Parameter { name, value, rule }) => {
            Err(fail(&format!("{key}.{name}"), format!("is {value}; it must be {rule}")))
        }
        Err(e) => Err(fail(key, e.to_string())),
    }
}

/// The vertices that elements use, rising: the others have no place in a bounding box.
fn used_vertices(mesh: &Mesh) -> Vec<u32> {
    let mut used: Vec<u32> = mesh.tets.as_flattened().to_vec();
    used.extend_from_slice(mesh.triangles.as_flattened());
    used.sort_unstable();
    used.dedup();
    used
}

fn bounds(points: &[DVec3], used: &[u32]) -> (DVec3, DVec3) {
    used.iter()
        .map(|&v| points[v as usize])
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)))
}

/// Where the copy in `cell` of a body is put: scale, turn, the copy's own turn about its centre, clearance,
/// displacement, in this order.
fn placement(
    scene: &Scene,
    body: &Body,
    mesh: &Mesh,
    starting: &[DVec3],
    used: &[u32],
    cell: [u32; 3],
    random: &mut Random,
) -> DAffine3 {
    let (low, high) = bounds(&mesh.positions, used);
    let size = (high - low).max_element();
    let scale = match (body.scale, body.fit_m) {
        (Some(scale), _) => scale,
        (None, Some(fit)) if size > 0.0 => fit / size,
        _ => 1.0,
    };
    let center = if body.center { 0.5 * (low + high) } else { DVec3::ZERO };
    let mut matrix = DMat3::from_quat(rotation(body.rotate_deg)) * scale;
    let mut shift = -(matrix * center);
    let mut displacement = DVec3::from(body.translate_m);

    if let Some(copies) = &body.copies {
        displacement += DVec3::from_array(cell.map(f64::from)) * DVec3::from(copies.spacing_m);
        displacement +=
            copies.jitter_m * DVec3::from_array(std::array::from_fn(|_| 2.0 * random.unit() - 1.0));
        if copies.random_turn {
            let turn = DMat3::from_quat(random.turn());
            let placed: Vec<DVec3> = starting.iter().map(|&p| matrix * p + shift).collect();
            let (low, high) = bounds(&placed, used);
            let middle = 0.5 * (low + high);
            shift = turn * (shift - middle) + middle;
            matrix = turn * matrix;
        }
    }
    if body.clearance_m.is_some() || body.clearance_heights.is_some() {
        let up = scene.up();
        let heights = used.iter().map(|&v| up.dot(matrix * starting[v as usize] + shift));
        let (bottom, top) =
            heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), h| (low.min(h), high.max(h)));
        let clearance = body.clearance_m.unwrap_or(body.clearance_heights.unwrap_or(0.0) * (top - bottom));
        shift += up * (clearance - bottom);
    }
    DAffine3::from_mat3_translation(matrix, shift + displacement)
}

fn check_rest(scene: &Scene, at: &str, tets: &[[u32; 4]], rest: &[DVec3]) -> Result<(), SceneError> {
    let bad = tets.iter().position(|t| signed_volume(t.map(|v| rest[v as usize])) <= 0.0);
    match bad {
        Some(t) => Err(scene
            .error_at(
                SceneErrorKind::Content,
                &format!("{at}.rest"),
                format!("tetrahedron {t} is inverted in the pose, so the pose cannot be at rest"),
            )
            .with_hint("take `rest = \"file\"`")),
        None => Ok(()),
    }
}

fn pins_of(
    scene: &Scene,
    at: &str,
    body: &Body,
    mesh: &Mesh,
    start: &[DVec3],
    used: &[u32],
) -> Result<Vec<PlacedPin>, SceneError> {
    let mut pins = Vec::with_capacity(body.pin.len());
    let mut owner: Vec<Option<usize>> = vec![None; if body.pin.is_empty() { 0 } else { start.len() }];
    for (i, pin) in body.pin.iter().enumerate() {
        let key = format!("{at}.pin[{i}].at");
        let fail = |key: &str, message: String| scene.error_at(SceneErrorKind::Content, key, message);
        let among = |inside: &dyn Fn(u32) -> bool| -> Vec<u32> {
            (0..start.len() as u32).filter(|&v| inside(v)).collect()
        };
        let vertices = match &pin.at {
            Region::All(_) => among(&|_| true),
            Region::Vertices(r) => {
                if let Some(k) = r.indices.iter().position(|&v| v as usize >= start.len()) {
                    let message = format!(
                        "is {}, but the body has {} vertices (counted from 0)",
                        r.indices[k],
                        start.len()
                    );
                    return Err(fail(&format!("{key}.indices[{k}]"), message));
                }
                let mut indices = r.indices.clone();
                indices.sort_unstable();
                indices.dedup();
                indices
            }
            Region::Box(r) => among(&|v| within(start[v as usize], r.min_m.into(), r.max_m.into())),
            Region::Sphere(r) => {
                among(&|v| start[v as usize].distance_squared(r.center_m.into()) <= r.radius_m * r.radius_m)
            }
            Region::Fraction(r) => {
                let (low, high) = bounds(&mesh.positions, used);
                let size = high - low;
                // What lies on the border by construction shall not fall out by rounding.
                let slack = DVec3::splat(1e-9);
                let fraction = |p: DVec3| (p - low) / size.max(DVec3::splat(f64::MIN_POSITIVE));
                among(&|v| {
                    let f = fraction(mesh.positions[v as usize]);
                    within(f, DVec3::from(r.min) - slack, DVec3::from(r.max) + slack)
                })
            }
        };
        if vertices.is_empty() {
            let (low, high) = bounds(start, used);
            let message = format!("no vertex of the body lies in it; the body reaches from {low} to {high}");
            return Err(fail(&key, message));
        }
        for &v in &vertices {
            if let Some(first) = owner[v as usize].replace(i) {
                let message = format!("vertex {v} is held by pin[{first}] already; a vertex has one motion");
                return Err(fail(&key, message));
            }
        }
        pins.push(PlacedPin { vertices, motion: pin.motion.clone() });
    }
    Ok(pins)
}

fn within(p: DVec3, low: DVec3, high: DVec3) -> bool {
    p.cmpge(low).all() && p.cmple(high).all()
}

/// SplitMix64 (Steele, Lea & Flood 2014): small, and the same on every machine.
struct Random(u64);

impl Random {
    fn new(seed: u64, stream: u64) -> Self {
        let mut random = Random(seed);
        let seed = random.next() ^ stream.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in `[0, 1)`.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform over all turns (Shoemake 1992).
    fn turn(&mut self) -> DQuat {
        let (u, a, b) =
            (self.unit(), std::f64::consts::TAU * self.unit(), std::f64::consts::TAU * self.unit());
        let (r, s) = ((1.0 - u).sqrt(), u.sqrt());
        DQuat::from_xyzw(r * a.sin(), r * a.cos(), s * b.sin(), s * b.cos())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str) -> Placed {
        Scene::parse(text, "s.toml").and_then(|s| s.place()).unwrap_or_else(|e| panic!("{e}"))
    }

    fn fails(text: &str) -> String {
        Scene::parse(text, "s.toml").and_then(|s| s.place()).map(|_| ()).unwrap_err().to_string()
    }

    fn extent(points: &[DVec3]) -> (DVec3, DVec3) {
        let all: Vec<u32> = (0..points.len() as u32).collect();
        bounds(points, &all)
    }

    const BOX: &str =
        "[[body]]\ngenerator = { kind = \"box\", x = 1, y = 2, z = 4, nx = 1, ny = 2, nz = 4 }\n";

    #[test]
    fn a_body_is_fitted_turned_lifted_and_displaced() {
        let more = "fit_m = 1\ncenter = true\nrotate_deg = [90, 0, 0]\nclearance_heights = 0.5\ntranslate_m = [3, 0, 0]\n";
        let placed = place(&format!("{BOX}{more}"));
        let (low, high) = extent(&placed.bodies[0].start);
        // 1 x 2 x 4 becomes 0.25 x 0.5 x 1; the turn about x puts z where y was: height 1.
        assert!((low - DVec3::new(2.875, 0.5, -0.25)).length() < 1e-12, "{low}");
        assert!((high - DVec3::new(3.125, 1.5, 0.25)).length() < 1e-12, "{high}");
        assert_eq!(placed.bodies[0].start, placed.bodies[0].rest);
    }

    #[test]
    fn up_is_against_gravity() {
        let placed = place(&format!("[simulation]\ngravity_m_s2 = [0, 0, 5]\n{BOX}clearance_m = 0.25"));
        let (low, high) = extent(&placed.bodies[0].start);
        assert!((high.z + 0.25).abs() < 1e-12 && (low.z + 4.25).abs() < 1e-12, "{low} {high}");
    }

    #[test]
    fn velocities_are_those_of_a_rigid_body() {
        let placed = place(&format!(
            "{BOX}velocity_m_s = [1, 2, 3]\nangular_velocity_deg_s = [0, 0, 90]\ntranslate_m = [9, 0, 0]"
        ));
        let body = &placed.bodies[0];
        let (low, high) = extent(&body.start);
        let center = 0.5 * (low + high);
        for (p, v) in body.start.iter().zip(&body.velocities) {
            let r = *p - center;
            let expected =
                DVec3::new(1.0, 2.0, 3.0) + std::f64::consts::FRAC_PI_2 * DVec3::new(-r.y, r.x, 0.0);
            assert!((*v - expected).length() < 1e-12);
        }
    }

    #[test]
    fn copies_fill_their_box_and_share_their_tetrahedra() {
        let copies = "name = \"brick\"\ncopies = { count = [2, 1, 3], spacing_m = [2, 9, 5] }\n";
        let placed = place(&format!("{BOX}{copies}"));
        assert_eq!(placed.bodies.len(), 6);
        let first = &placed.bodies[0];
        for (k, body) in placed.bodies.iter().enumerate() {
            assert_eq!(body.name, format!("brick.{k}"));
            assert!(Arc::ptr_eq(&body.tets, &first.tets));
            let shift = DVec3::new(2.0 * (k % 2) as f64, 0.0, 5.0 * (k / 2) as f64);
            assert!(body.start.iter().zip(&first.start).all(|(a, b)| (*a - *b - shift).length() < 1e-12));
        }
    }

    #[test]
    fn random_turns_are_turns_and_follow_the_seed() {
        let text = |seed: u32| {
            let copies =
                "copies = { count = [3, 1, 1], spacing_m = [9, 0, 0], random_turn = true, jitter_m = 0.5 }";
            format!("[simulation]\nseed = {seed}\n{BOX}{copies}")
        };
        let (a, again, other) = (place(&text(1)), place(&text(1)), place(&text(2)));
        for k in 0..3 {
            assert_eq!(a.bodies[k].start, again.bodies[k].start);
            assert_ne!(a.bodies[k].start, other.bodies[k].start);
            let body = &a.bodies[k];
            let volume = |points: &[DVec3]| signed_volume(body.tets[0].map(|v| points[v as usize]));
            assert!((volume(&body.start) - volume(&place(BOX).bodies[0].start)).abs() < 1e-12);
        }
        assert_ne!(a.bodies[0].start, a.bodies[1].start);
        for body in place(&format!("{}\nclearance_m = 0.25", text(3))).bodies {
            let (low, _) = extent(&body.start);
            assert!((low.y - 0.25).abs() <= 0.5, "each copy keeps its clearance, but for the jitter");
        }
    }

    #[test]
    fn regions_choose_vertices_where_the_body_starts() {
        let pins = |at: &str| -> Vec<u32> {
            place(&format!("{BOX}translate_m = [10, 0, 0]\n[[body.pin]]\nat = {{ {at} }}")).bodies[0].pins[0]
                .vertices
                .clone()
        };
        // 2 x 3 x 5 vertices, x fastest, around the origin before it is displaced.
        assert_eq!(pins("kind = \"all\"").len(), 30);
        assert_eq!(pins("kind = \"vertices\", indices = [7, 3, 7]"), [3, 7]);
        assert_eq!(pins("kind = \"fraction\", max = [1, 1, 0]"), (0..6).collect::<Vec<_>>());
        assert_eq!(pins("kind = \"fraction\", min = [0, 0, 1]"), (24..30).collect::<Vec<_>>());
        let low = "kind = \"box\", min_m = [0, -1, -2], max_m = [9.6, 1, -2]";
        assert_eq!(pins(low), [0, 2, 4]);
        assert_eq!(pins("kind = \"sphere\", center_m = [9.5, -1, -2], radius_m = 1"), [0, 1, 2, 6]);
    }

    #[test]
    fn a_rod_may_start_as_a_coil() {
        let text = "[[body]]\ngenerator = { kind = \"rod\", length = 3, segments = 40 }\n\
            pose_generator = { kind = \"coil\", segments = 40 }\n";
        let body = &place(text).bodies[0];
        assert_ne!(body.start, body.rest);
        assert_eq!(place(&format!("{text}rest = \"pose\"")).bodies[0].rest, body.start);
        let message = fails(&text.replace("\"coil\", segments = 40", "\"coil\", segments = 39"));
        assert!(message.starts_with("s.toml:3:18: body[0].pose_generator: makes another mesh"), "{message}");
    }

    #[test]
    fn faults_of_content_are_told_with_their_line() {
        let pin = |at: &str| fails(&format!("{BOX}[[body.pin]]\nat = {{ {at} }}"));
        let message = pin("kind = \"vertices\", indices = [1, 30]");
        assert!(
            message.starts_with("s.toml:4:41: body[0].pin[0].at.indices[1]: is 30, but the body has 30"),
            "{message}"
        );
        let message = pin("kind = \"sphere\", center_m = [9, 9, 9], radius_m = 1");
        assert!(
            message.starts_with("s.toml:4:6: body[0].pin[0].at: no vertex of the body lies in it"),
            "{message}"
        );
        let message = fails(&format!(
            "{BOX}pin = [{{ at.kind = \"all\" }}, {{ at = {{ kind = \"vertices\", indices = [4] }} }}]"
        ));
        assert!(message.contains("body[0].pin[1].at: vertex 4 is held by pin[0] already"), "{message}");
        let message = fails("[[body]]\ngenerator = { kind = \"cloth\" }");
        assert!(
            message.starts_with("s.toml:2:22: body[0].generator.kind: `cloth` makes a sheet"),
            "{message}"
        );
        let message = fails("[[body]]\ngenerator = { kind = \"sphere\", radius = -1 }");
        assert!(message.starts_with("s.toml:2:41: body[0].generator.radius: is -1"), "{message}");
    }

    #[test]
    fn c22_a_mesh_that_is_not_there_is_told_with_file_line_and_key() {
        let folder = tempfile::tempdir().unwrap();
        let scene = folder.path().join("scene.toml");
        std::fs::write(folder.path().join("bunny.msh"), "").unwrap();
        std::fs::write(&scene, "\n[[body]]\nmesh = \"buny.msh\"\n").unwrap();
        let error = Scene::load(&scene).unwrap().place().unwrap_err();
        assert_eq!(error.kind, SceneErrorKind::File);
        let message = error.to_string();
        assert!(message.contains("scene.toml:3:8: body[0].mesh: "), "{message}");
        assert!(message.ends_with("did you mean `bunny.msh`?"), "{message}");

        std::fs::write(&scene, "[[body]]\nmesh = \"meshes/bunny.msh\"\n").unwrap();
        let message = Scene::load(&scene).unwrap().place().unwrap_err().to_string();
        assert!(message.contains("there is no folder"), "{message}");
    }

    #[test]
    fn poses_and_colliders_come_from_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let Ok(Generated::Tets(mesh)) = generate::Generator::new(Kind::Box).build() else { unreachable!() };
        io::write_vtu(path("a.vtu"), &io::Vtu::volume(&mesh.positions, &mesh.tets)).unwrap();
        let moved: Vec<DVec3> = mesh.positions.iter().map(|p| *p * DVec3::new(-1.0, 1.0, 1.0)).collect();
        io::write_vtu(path("b.vtu"), &io::Vtu::volume(&moved, &mesh.tets)).unwrap();
        let text = "[[body]]\nmesh = \"a.vtu\"\npose = \"b.vtu\"\nscale = 2\n\
            [[collider]]\nshape = { kind = \"mesh\", mesh = \"a.vtu\", scale = 0.5, translate_m = [1, 0, 0] }\n";
        std::fs::write(path("s.toml"), text).unwrap();
        let scene = Scene::load(path("s.toml")).unwrap();
        let placed = scene.place().unwrap();
        assert_eq!(placed.bodies[0].start, moved.iter().map(|p| *p * 2.0).collect::<Vec<_>>());
        assert_eq!(placed.bodies[0].rest, mesh.positions.iter().map(|p| *p * 2.0).collect::<Vec<_>>());
        let super::super::Shape::Mesh(shape) = &scene.collider[0].shape else { unreachable!() };
        let collider = scene.collider_mesh(0, shape).unwrap();
        assert_eq!(extent(&collider.positions), (DVec3::splat(-0.25), DVec3::splat(0.25)));
        assert_eq!(collider.triangles.len(), 6 * 8 * 8 * 2);

        std::fs::write(path("s.toml"), text.replace("scale = 2\n", "rest = \"pose\"\n")).unwrap();
        let message = Scene::load(path("s.toml")).unwrap().place().unwrap_err().to_string();
        assert!(
            message.contains("s.toml:4:8: body[0].rest: tetrahedron 0 is inverted in the pose"),
            "{message}"
        );
        std::fs::write(path("s.toml"), "[[collider]]\nshape = { kind = \"mesh\", mesh = \"b.obj\" }")
            .unwrap();
        let scene = Scene::load(path("s.toml")).unwrap();
        let super::super::Shape::Mesh(shape) = &scene.collider[0].shape else { unreachable!() };
        let message = scene.collider_mesh(0, shape).unwrap_err().to_string();
        assert!(message.contains("s.toml:2:33: collider[0].shape.mesh"), "{message}");
    }
}
