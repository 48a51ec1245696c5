//! Shapes against their definition, and particles against colliders.

use super::*;
use crate::contact::{ContactMaterial, Projection, VelocityPass};
use glam::DQuat;
use proptest::prelude::*;
use std::sync::{Arc, OnceLock};

/// A closed surface of revolution-free, lumpy shape: an icosahedron subdivided twice with displaced vertices.
fn lump(seed: u64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let g = 0.5 + 0.5 * 5f64.sqrt();
    let mut p: Vec<DVec3> = [-1.0, 1.0]
        .iter()
        .flat_map(|&s| [-g, g].map(|t| [DVec3::new(0.0, s, t), DVec3::new(s, t, 0.0), DVec3::new(t, 0.0, s)]))
        .flatten()
        .collect();
    // Faces: all triples at edge length 2, outward.
    let mut t = Vec::new();
    for a in 0..12u32 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                let [u, v, w] = [a, b, c].map(|i| p[i as usize]);
                if [u - v, v - w, w - u].iter().all(|e| (e.length() - 2.0).abs() < 1e-9) {
                    t.push(if (v - u).cross(w - u).dot(u) > 0.0 { [a, b, c] } else { [a, c, b] });
                }
            }
        }
    }
    assert_eq!(t.len(), 20);
    for _ in 0..2 {
        let mut middle = std::collections::BTreeMap::new();
        let mut next = Vec::new();
        for [a, b, c] in t {
            let mut mid = |u: u32, v: u32| {
                *middle.entry((u.min(v), u.max(v))).or_insert_with(|| {
                    p.push((p[u as usize] + p[v as usize]) * 0.5);
                    p.len() as u32 - 1
                })
            };
            let (d, e, f) = (mid(a, b), mid(b, c), mid(c, a));
            next.extend([[a, d, f], [d, b, e], [f, e, c], [d, e, f]]);
        }
        t = next;
    }
    let mut r = seed | 1;
    for q in &mut p {
        r = r.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        *q = (q.normalize() * (0.6 + 0.5 * ((r >> 40) as f64 / (1 << 24) as f64))).as_vec3().as_dvec3();
    }
    (p, t)
}

/// Twelve triangles of a box.
fn box_mesh(half: DVec3) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let p = Shape::Box { half }.corners();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    (p, quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect())
}

fn mesh((p, t): (Vec<DVec3>, Vec<[u32; 3]>)) -> Shape {
    Shape::Mesh(Arc::new(MeshCollider::new(&p, &t).unwrap()))
}

/// Shapes to test, each with the definition of its inside.
type Inside = Box<dyn Fn(DVec3) -> bool + Send + Sync>;

fn shapes() -> &'static [(&'static str, Shape, Inside)] {
    static LIST: OnceLock<Vec<(&'static str, Shape, Inside)>> = OnceLock::new();
    LIST.get_or_init(build_shapes)
}

fn build_shapes() -> Vec<(&'static str, Shape, Inside)> {
    let n = DVec3::new(1.0, 2.0, -2.0) / 3.0;
    let ends = [DVec3::new(-0.5, 0.1, 0.0), DVec3::new(0.6, 0.2, 0.3)];
    let half = DVec3::new(0.7, 0.3, 0.5);
    let mut list: Vec<(&'static str, Shape, Inside)> = vec![
        ("plane", Shape::Plane { normal: n }, Box::new(move |p| p.dot(n) < 0.0)),
        ("sphere", Shape::Sphere { radius: 0.8 }, Box::new(|p| p.length() < 0.8)),
        (
            "capsule",
            Shape::Capsule { ends, radius: 0.3 },
            Box::new(move |p| {
                let d = ends[1] - ends[0];
                let t = ((p - ends[0]).dot(d) / d.length_squared()).clamp(0.0, 1.0);
                (p - ends[0] - d * t).length() < 0.3
            }),
        ),
        ("box", Shape::Box { half }, Box::new(move |p| p.abs().cmplt(half).all())),
    ];
    for (name, rim) in [("half bowl", 0.0), ("deep bowl", 0.5), ("flat bowl", -0.5), ("closed bowl", 0.9)] {
        let bowl = Shape::Bowl { radius: 0.9, axis: n, rim };
        list.push((
            name,
            bowl,
            Box::new(move |p: DVec3| p.length() > 0.9 && (rim >= 0.9 || p.dot(n) <= rim)),
        ));
    }
    for (name, surface) in [("lump", lump(5)), ("box mesh", box_mesh(half))] {
        let (p, t) = surface.clone();
        // Winding number: the sum of the solid angles (Van Oosterom & Strackee 1983).
        let winding = move |q: DVec3| {
            let total: f64 = t
                .iter()
                .map(|t| {
                    let [a, b, c] = t.map(|v| p[v as usize].as_vec3().as_dvec3() - q);
                    let (x, y, z) = (a.length(), b.length(), c.length());
                    let below = x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y;
                    2.0 * a.dot(b.cross(c)).atan2(below)
                })
                .sum();
            total > 2.0 * std::f64::consts::PI
        };
        list.push((name, mesh(surface), Box::new(winding)));
    }
    list
}

fn point(size: f64) -> impl Strategy<Value = DVec3> {
    (-size..size, -size..size, -size..size).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

/// Deterministic directions.
fn directions(n: usize) -> impl Iterator<Item = DVec3> {
    (0..n).map(move |i| {
        let z = 1.0 - (2.0 * i as f64 + 1.0) / n as f64;
        let (sin, cos) = (i as f64 * 2.399963229728653).sin_cos();
        DVec3::new(cos * (1.0 - z * z).sqrt(), sin * (1.0 - z * z).sqrt(), z)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    /// The distance is that to the boundary of the inside: right sign, the foot lies on the boundary, and no point
    /// nearer than the foot is on the other side.
    #[test]
    fn signed_distance_is_what_it_says(p in point(1.5)) {
        let mut scratch = Scratch::default();
        for (name, shape, inside) in shapes() {
            let s = shape.surface(p, &mut scratch);
            prop_assert!((s.normal.length() - 1.0).abs() < 1e-12, "{name}");
            if s.distance.abs() < 1e-9 {
                continue;
            }
            prop_assert_eq!(s.distance < 0.0, inside(p), "{} at {}", name, p);
            let foot = p - s.normal * s.distance;
            prop_assert!(shape.surface(foot, &mut scratch).distance.abs() < 1e-9, "{name}");
            let beyond = p - s.normal * s.distance * (1.0 + 1e-6) - s.normal * 1e-9 * s.distance.signum();
            // Beyond the tip of a spike, or of a sharp lip, lies air again.
            let sharp = ["lump", "deep bowl", "half bowl"].contains(name);
            prop_assert!(inside(beyond) != inside(p) || sharp, "{name}: the foot is no boundary");
            for d in directions(60) {
                for part in [0.999, 0.7] {
                    let q = p + d * s.distance.abs() * part;
                    prop_assert_eq!(inside(q), inside(p), "{}: a nearer boundary", name);
                }
            }
        }
    }

    /// The normal is the gradient of the distance, by central differences.
    #[test]
    fn normal_is_the_gradient(p in point(1.5)) {
        let mut scratch = Scratch::default();
        let e = 1e-6;
        for (name, shape, _) in shapes() {
            let mut at = |p: DVec3| shape.surface(p, &mut scratch);
            let s = at(p);
            let difference = DVec3::from_array([DVec3::X, DVec3::Y, DVec3::Z].map(|k| {
                (at(p + k * e).distance - at(p - k * e).distance) / (2.0 * e)
            }));
            // Where the closest point jumps (medial axis) the distance has no gradient: skip where normals differ nearby.
            let smooth = [DVec3::X, DVec3::Y, DVec3::Z].iter().all(|&k| {
                at(p + k * e).normal.dot(s.normal) > 0.999 && at(p - k * e).normal.dot(s.normal) > 0.999
            });
            if smooth {
                prop_assert!((difference - s.normal).length() < 1e-3, "{name}: {difference} and {}", s.normal);
            }
        }
    }

    /// A segment enters where its points begin to be inside.
    #[test]
    fn entry_is_the_first_point_inside(a in point(1.5), b in point(1.5)) {
        let mut scratch = Scratch::default();
        for (name, shape, inside) in shapes() {
            if inside(a) || matches!(shape, Shape::Plane { .. }) {
                continue;
            }
            let n = 400;
            let first = (0..=n).map(|k| k as f64 / n as f64).find(|&t| inside(a.lerp(b, t)));
            match (shape.cast(a, b, &mut scratch), first) {
                (None, None) => {}
                (Some(e), first) => {
                    prop_assert!((e.point - a.lerp(b, e.at)).length() < 1e-12);
                    prop_assert!(shape.surface(e.point, &mut scratch).distance.abs() < 1e-9, "{name}");
                    prop_assert!(e.normal.dot(b - a) <= 1e-12, "{name}: comes from behind");
                    let until = first.unwrap_or(1.0);
                    prop_assert!(e.at <= until + 1e-9, "{name}: late");
                    // A grazing entry may leave again between two samples.
                    if let Some(first) = first && e.at < first - 1.0 / n as f64 {
                        prop_assert!(shape.surface(a.lerp(b, e.at + 0.5 / n as f64), &mut scratch).distance.abs() < 1e-2);
                    }
                }
                (None, Some(t)) => prop_assert!(false, "{name}: misses the entry at {t}"),
            }
        }
    }
}

#[test]
fn degenerate_places_have_a_direction() {
    let mut scratch = Scratch::default();
    for (name, shape, _) in shapes() {
        for p in [DVec3::ZERO, DVec3::new(0.0, 0.0, 1e-300)] {
            let s = shape.surface(p, &mut scratch);
            assert!(s.distance.is_finite() && (s.normal.length() - 1.0).abs() < 1e-12, "{name}");
        }
    }
    assert!(Shape::Sphere { radius: 0.0 }.validated().is_err());
    assert!(Shape::Plane { normal: DVec3::ZERO }.validated().is_err());
    assert!(Shape::Box { half: DVec3::new(1.0, f64::NAN, 1.0) }.validated().is_err());
    assert!(matches!(
        Shape::Plane { normal: DVec3::X * 5.0 }.validated(),
        Ok(Shape::Plane { normal: DVec3::X })
    ));
}

#[test]
fn meshes_that_are_no_closed_surface_are_refused() {
    let (p, t) = box_mesh(DVec3::ONE);
    let build = |t: &[[u32; 3]]| MeshCollider::new(&p, t).err();
    assert_eq!(build(&t), None);
    // One triangle missing: its three edges, in the direction of the triangles that are left.
    let Some(MeshColliderError::Open { edges }) = build(&t[1..]) else { panic!("not refused") };
    let [a, b, c] = t[0];
    let mut expected = [[b, a], [c, b], [a, c]];
    expected.sort_unstable();
    assert_eq!(edges, expected);
    let mut one_turned = t.clone();
    one_turned[3].swap(0, 1);
    assert!(matches!(build(&one_turned), Some(MeshColliderError::Winding { edges }) if edges.len() == 3));
    let mut twice = t.clone();
    twice.push(t[0]);
    assert!(matches!(build(&twice), Some(MeshColliderError::Overused { edges }) if edges.len() == 3));
    assert_eq!(build(&[]), Some(MeshColliderError::Empty));
    assert_eq!(build(&[[0, 1, 9]]), Some(MeshColliderError::Index { triangle: 0, vertex: 9, count: 8 }));
    let mut bad = p.clone();
    bad[2].y = f64::NAN;
    assert_eq!(MeshCollider::new(&bad, &t).err(), Some(MeshColliderError::NonFinite { vertex: 2 }));
    // Inside out: turned. As a soup of triangles with a point triangle: welded, and the point dropped.
    let inside_out: Vec<[u32; 3]> = t.iter().map(|&[a, b, c]| [a, c, b]).collect();
    let mesh = MeshCollider::new(&p, &inside_out).unwrap();
    assert!(mesh.turned() && mesh.surface(DVec3::ZERO, &mut Scratch::default()).distance == -1.0);
    let mut soup: Vec<DVec3> = t.iter().flatten().map(|&v| p[v as usize]).collect();
    soup.extend([DVec3::ONE; 3]);
    let triangles: Vec<[u32; 3]> =
        (0..soup.len() as u32 / 3).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    let mesh = MeshCollider::new(&soup, &triangles).unwrap();
    assert_eq!((mesh.dropped(), mesh.vertices().count()), (1, 8));
    // A container.
    let room = mesh.inverted();
    assert_eq!(room.surface(DVec3::ZERO, &mut Scratch::default()).distance, 1.0);
    let hit = room.cast(DVec3::ZERO, DVec3::new(0.1, 3.0, 0.2), &mut Vec::new()).unwrap();
    assert_eq!(hit.normal, DVec3::NEG_Y);
}

/// Explicit steps of free particles against colliders that move by `pose(step)`.
struct World {
    set: ColliderSet,
    materials: Vec<ContactMaterial>,
    x: Vec<Vec3>,
    v: Vec<Vec3>,
    gravity: Vec3,
    h: f32,
    max_push: f32,
}

impl World {
    fn new(colliders: Vec<Collider>, x: Vec<Vec3>) -> Self {
        let v = vec![Vec3::ZERO; x.len()];
        World {
            set: ColliderSet::new(colliders),
            materials: vec![ContactMaterial::friction(0.5)],
            x,
            v,
            gravity: Vec3::new(0.0, 0.0, -10.0),
            h: 1.0 / 256.0,
            max_push: f32::INFINITY,
        }
    }

    fn step(&mut self) {
        let n = self.x.len();
        let inv_mass = vec![1.0; n];
        let (x_prev, before) = (self.x.clone(), self.v.clone());
        for i in 0..n {
            self.v[i] += self.gravity * self.h;
            self.x[i] += self.v[i] * self.h;
        }
        let all: Vec<u32> = (0..n as u32).collect();
        self.set.detect(&all, &x_prev, &self.x, &inv_mass, 0.01 * self.h);
        let mut shift = vec![Vec3::ZERO; n];
        for _ in 0..3 {
            let ctx = Projection {
                x_prev: &x_prev,
                inv_mass: &inv_mass,
                materials: &self.materials,
                max_push: self.max_push,
                max_shift: f32::INFINITY,
                hold_depth: 0.0,
            };
            self.set.project(&mut self.x, &mut shift, &ctx);
        }
        for i in 0..n {
            self.v[i] = (self.x[i] - x_prev[i] - shift[i]) / self.h;
        }
        let pass = VelocityPass {
            x: &self.x,
            before: &before,
            inv_mass: &inv_mass,
            materials: &self.materials,
            h: self.h,
            bounce_above: 2.0 * self.h * self.gravity.length(),
        };
        self.set.project_velocities(&mut self.v, &pass);
    }
}

fn plate(half: DVec3) -> [Shape; 2] {
    [Shape::Box { half }, mesh(box_mesh(half))]
}

/// A plate of 1 mm against particles at 200 m/s (0.8 m a substep): each is caught on its side.
#[test]
fn fast_particles_do_not_tunnel() {
    for shape in plate(DVec3::new(1.0, 1.0, 0.0005)) {
        let x: Vec<Vec3> = directions(50).map(|d| (d * DVec3::new(0.5, 0.5, 0.4)).as_vec3()).collect();
        let side: Vec<f32> = x.iter().map(|x| x.z.signum()).collect();
        let mut world = World::new(vec![Collider::new(shape, Pose::IDENTITY)], x);
        world.gravity = Vec3::ZERO;
        for i in 0..50 {
            world.v[i] = Vec3::new(3.0, 0.0, -200.0 * side[i]);
        }
        for _ in 0..3 {
            world.step();
            for i in 0..50 {
                assert!(world.x[i].z * side[i] >= 0.0005 - 1e-7, "particle {i} at {}", world.x[i]);
                assert!(world.v[i].z.abs() < 201.0);
            }
        }
        for i in 0..50 {
            assert!(world.v[i].z.abs() < 1e-3, "still moves: {}", world.v[i]);
        }
    }
}

/// The same plate, moving: it sweeps resting particles along, and its edge does not catch those beside it.
#[test]
fn a_fast_plate_carries_what_it_meets() {
    for shape in plate(DVec3::new(1.0, 1.0, 0.0005)) {
        let x = vec![Vec3::new(0.0, 0.0, 0.3), Vec3::new(1.2, 0.0, 0.3), Vec3::new(-0.5, 0.9, 2.0)];
        let mut world = World::new(vec![Collider::new(shape, Pose::IDENTITY)], x.clone());
        world.gravity = Vec3::ZERO;
        for k in 1..=6 {
            let at = DVec3::Z * (0.5 * k as f64);
            world.set.colliders[0].advance(Pose::at(at));
            world.step();
            if k == 4 {
                // It now passes 2.0, where the third particle waited.
                assert!((world.x[2].z - 2.0005).abs() < 1e-5, "{}", world.x[2]);
            }
        }
        assert!((world.x[0].z - 3.0005).abs() < 1e-5, "{}", world.x[0]);
        assert_eq!(world.x[1], x[1]);
    }
}

/// A particle on the very surface of a plate that slides over its edge falls down beside it.
#[test]
fn the_edge_of_a_box_lets_go() {
    for shape in plate(DVec3::new(1.0, 1.0, 0.1)) {
        let mut world =
            World::new(vec![Collider::new(shape, Pose::IDENTITY)], vec![Vec3::new(0.9, 0.0, 0.1)]);
        world.materials[0] = ContactMaterial::SMOOTH;
        world.v[0] = Vec3::X;
        for _ in 0..256 {
            world.step();
        }
        assert!((world.x[0].x - 1.9).abs() < 1e-3 && world.x[0].z < -3.0, "{}", world.x[0]);
    }
}

/// Friction on a slope: sticks below the friction angle, slides above it with g (sin - μ cos). Plane, box, mesh.
#[test]
fn friction_on_a_slope() {
    let half = DVec3::new(20.0, 20.0, 1.0);
    let under = Pose::at(DVec3::new(0.0, 0.0, -1.0));
    let [cuboid, mesh] = plate(half);
    for (shape, pose) in [(Shape::Plane { normal: DVec3::Z }, Pose::IDENTITY), (cuboid, under), (mesh, under)]
    {
        for (tilt, slides) in [(-0.02, false), (0.02, true)] {
            let angle = 0.5f32.atan() + tilt;
            let mut world = World::new(
                vec![Collider { thickness: 0.01, ..Collider::new(shape.clone(), pose) }],
                vec![Vec3::new(0.0, 0.0, 0.01)],
            );
            world.materials[0] =
                ContactMaterial { static_friction: 0.5, kinetic_friction: 0.3, restitution: 0.0 };
            world.gravity = Vec3::new(angle.sin(), 0.0, -angle.cos()) * 10.0;
            for _ in 0..256 {
                world.step();
            }
            let a = 10.0 * (angle.sin() - 0.3 * angle.cos());
            let expected = if slides { 0.5 * a * (1.0 + 1.0 / 256.0) } else { 0.0 };
            assert!((world.x[0].x - expected).abs() < 2e-3, "{} against {expected}", world.x[0].x);
            assert!((world.x[0].z - 0.01).abs() < 1e-5);
        }
    }
}

/// A conveyor: the particle takes on the speed of the moving box by kinetic friction, then rides on it.
#[test]
fn moving_colliders_carry_particles() {
    let half = DVec3::new(50.0, 5.0, 1.0);
    for shape in plate(half) {
        let mut world = World::new(
            vec![Collider { thickness: 0.01, ..Collider::new(shape, Pose::at(-DVec3::Z)) }],
            vec![Vec3::new(0.0, 0.0, 0.01)],
        );
        for k in 1..=256 {
            world.set.colliders[0].advance(Pose::at(DVec3::new(2.0 * k as f64 / 256.0, 0.0, -1.0)));
            world.step();
        }
        // Reaches 2 m/s after v / (μ g) = 0.4 s, on the way by v²/(2 μ g) = 0.4 m; then 0.6 s at 2 m/s.
        assert!((world.v[0].x - 2.0).abs() < 1e-3, "{}", world.v[0]);
        assert!((world.x[0].x - 1.6).abs() < 0.02, "{}", world.x[0]);
    }
    // A turntable: a particle at radius 0.2 goes round with it (centripetal force below the friction limit).
    let mut world = World::new(
        vec![Collider {
            thickness: 0.01,
            ..Collider::new(Shape::Plane { normal: DVec3::Z }, Pose::IDENTITY)
        }],
        vec![Vec3::new(0.2, 0.0, 0.01)],
    );
    world.v[0] = Vec3::Y * 0.4;
    for k in 1..=256 {
        let rotation = DQuat::from_rotation_z(2.0 * k as f64 / 256.0);
        world.set.colliders[0].advance(Pose { rotation, position: DVec3::ZERO });
        world.step();
    }
    let (sin, cos) = 2f32.sin_cos();
    assert!((world.x[0] - Vec3::new(0.2 * cos, 0.2 * sin, 0.01)).length() < 2e-3, "{}", world.x[0]);
}

/// A bowl collects what falls into it; what falls beside lies on its rim.
#[test]
fn a_bowl_holds() {
    let bowl = Shape::Bowl { radius: 1.0, axis: DVec3::Z, rim: 0.0 };
    let x: Vec<Vec3> = directions(40).map(|d| (d * 0.9).as_vec3() + Vec3::Z * 1.5).collect();
    let beside = Vec3::new(1.3, 0.0, 0.5);
    let mut world = World::new(
        vec![Collider { thickness: 0.01, ..Collider::new(bowl, Pose::IDENTITY) }],
        x.into_iter().chain([beside]).collect(),
    );
    for _ in 0..1500 {
        world.step();
    }
    for x in &world.x[..40] {
        assert!(x.length() <= 0.991 && x.z < -0.7, "{x}");
    }
    assert!((world.x[40] - Vec3::new(1.3, 0.0, 0.01)).length() < 1e-4, "{}", world.x[40]);
}

/// What starts deep inside comes out by at most `max_push` a substep, and without speed.
#[test]
fn a_start_inside_is_freed_gently() {
    for shape in plate(DVec3::ONE) {
        let mut world =
            World::new(vec![Collider::new(shape, Pose::IDENTITY)], vec![Vec3::new(0.2, 0.3, 0.6)]);
        world.gravity = Vec3::ZERO;
        world.max_push = 0.125;
        for k in 1..=6 {
            world.step();
            let expected = (0.6 + 0.125 * k as f32).min(1.0);
            assert!((world.x[0] - Vec3::new(0.2, 0.3, expected)).length() < 1e-5, "{}", world.x[0]);
            assert_eq!(world.v[0], Vec3::ZERO);
        }
    }
}

#[test]
fn a_ball_bounces_by_its_restitution() {
    let mut world =
        World::new(vec![Collider::new(Shape::Plane { normal: DVec3::Z }, Pose::IDENTITY)], vec![Vec3::Z]);
    world.materials[0].restitution = 0.5;
    let (mut fell, mut high) = (false, 0f32);
    for _ in 0..256 {
        world.step();
        fell |= world.x[0].z < 1e-6;
        high = if fell { high.max(world.x[0].z) } else { high };
    }
    assert!((high - 0.25).abs() < 0.02, "{high}");
}

/// A crowd among all shapes, scaled by a power of two (lengths, speeds and gravity): the same bits after rescaling;
/// and the same bits for any number of threads and any order of particles.
#[test]
fn scales_exactly_and_does_not_depend_on_threads() {
    let run = |scale: f64, threads: usize, reversed: bool| {
        let s = scale as f32;
        let place = |k: usize| Pose {
            rotation: DQuat::from_rotation_x(0.3 * k as f64),
            position: DVec3::new(k as f64 * 1.5, 0.0, 0.0) * scale,
        };
        let (mut p, t) = lump(9);
        p.iter_mut().for_each(|p| *p *= scale);
        let list = [
            Shape::Plane { normal: DVec3::new(0.0, 0.6, 0.8) },
            Shape::Sphere { radius: 0.5 * scale },
            Shape::Capsule { ends: [DVec3::ZERO, DVec3::X * scale], radius: 0.3 * scale },
            Shape::Box { half: DVec3::new(0.5, 0.4, 0.3) * scale },
            mesh((p, t)),
            Shape::Bowl { radius: scale, axis: DVec3::Z, rim: 0.0 },
        ];
        let colliders = list
            .into_iter()
            .enumerate()
            .map(|(k, shape)| Collider { thickness: 0.01 * s, ..Collider::new(shape, place(k)) })
            .collect();
        let x: Vec<Vec3> = (0..1200)
            .map(|i| {
                let (a, b) = (i as f32 * 0.618_034, i as f32 * 0.754_878);
                Vec3::new(a.fract() * 9.0 - 1.0, b.fract() * 2.0 - 1.0, 0.5 + (a + b).fract() * 2.0) * s
            })
            .collect();
        let mut world = World::new(colliders, x);
        world.gravity *= s;
        world.max_push = 0.25 * s;
        if reversed {
            world.x.reverse();
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            for k in 0..60 {
                for (c, collider) in world.set.colliders.iter_mut().enumerate() {
                    let mut pose = place(c);
                    pose.position.z += 0.001 * k as f64 * scale;
                    collider.advance(pose);
                }
                // The margin must scale, too.
                world.step();
            }
        });
        if reversed {
            world.x.reverse();
        }
        let max_depth = world.set.max_depth(&world.x, &world.x);
        assert!(max_depth < 0.5 * s && world.set.touched() <= world.set.candidates());
        world.x.iter().flat_map(|x| (*x / s).to_array().map(f32::to_bits)).collect::<Vec<u32>>()
    };
    let reference = run(1.0, 1, false);
    assert_eq!(run(1.0, 2, false), reference);
    assert_eq!(run(1.0, 3, true), reference);
    assert_eq!(run(1024.0, 2, false), reference);
    assert_eq!(run(1.0 / 1024.0, 2, false), reference);
}

#[test]
fn corners_and_their_motion() {
    let mut collider = Collider::new(Shape::Box { half: DVec3::ONE }, Pose::IDENTITY);
    collider
        .advance(Pose { rotation: DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2), position: DVec3::X });
    let corners = collider.corners();
    assert_eq!(corners.len(), 8);
    let [from, to] = collider.point(DVec3::ONE);
    assert!(from == Vec3::ONE && (to - Vec3::new(0.0, 1.0, 1.0)).length() < 1e-6);
    assert!(Collider::new(Shape::Sphere { radius: 1.0 }, Pose::IDENTITY).corners().is_empty());
}

/// The reverse contact: a corner of a box that moves through a free face carries the face along, and leaves it the
/// speed of the corner.
#[test]
fn a_corner_pushes_a_face() {
    use crate::contact::{Contact, ContactSet};
    let mut collider = Collider::new(Shape::Box { half: DVec3::splat(0.5) }, Pose::IDENTITY);
    collider.advance(Pose::at(DVec3::new(0.0, 0.0, 0.125)));
    let corner = collider.corners()[7];
    let [start, end] = collider.point(corner);
    // A face that looks down at the corner, whose way ends 0.0625 behind it: the corner is inside at the end.
    let z = 0.5625;
    let mut x = vec![Vec3::new(0.0, 0.0, z), Vec3::new(0.5, 1.5, z), Vec3::new(1.5, 0.5, z)];
    let (x_prev, inv_mass) = (x.clone(), [1.0; 3]);
    let mut set = ContactSet::new();
    let point = set.add_point(start, end);
    set.push(Contact::path_of_point(point, [0, 1, 2], -Vec3::Z));
    set.prepare(&inv_mass);
    let mut shift = vec![Vec3::ZERO; 3];
    let materials = [ContactMaterial::SMOOTH];
    let ctx = Projection {
        x_prev: &x_prev,
        inv_mass: &inv_mass,
        materials: &materials,
        max_push: f32::INFINITY,
        max_shift: f32::INFINITY,
        hold_depth: 0.0,
    };
    set.project(&mut x, &mut shift, &ctx);
    assert!(set.max_depth(&x) < 1e-6);
    let h = 0.25;
    let mut v: Vec<Vec3> = (0..3).map(|i| (x[i] - x_prev[i] - shift[i]) / h).collect();
    assert!(v.iter().all(|v| v.length() < 1e-6), "depenetration is no velocity");
    let pass =
        VelocityPass { x: &x, before: &[], inv_mass: &inv_mass, materials: &materials, h, bounce_above: 0.0 };
    set.project_velocities(&mut v, &pass);
    // Along the normal (the push tilts the face a little) the point of the face at the corner moves with it.
    let tri = [0, 1, 2].map(|i: usize| x[i].as_dvec3());
    let w = crate::contact::closest::closest_on_triangle(end.as_dvec3(), tri).weights;
    let n = (tri[1] - tri[0]).cross(tri[2] - tri[0]).normalize();
    let speed: f64 = (0..3).map(|i| v[i].as_dvec3().dot(n) * w[i]).sum();
    assert!((speed - 0.5 * n.z).abs() < 1e-6, "{speed} against {}", 0.5 * n.z);
    assert!(n.z < -0.99);
}
