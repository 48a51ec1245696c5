//! Conservation, colouring, invariance and friction of the contact projection.

use super::*;
use proptest::prelude::*;

/// A small deterministic generator, so that large sets need no strategy tree.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }
    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.unit(), self.unit(), self.unit()) * 2.0 - Vec3::ONE
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

/// Positions, start positions, inverse masses and contacts at random; contacts of every kind.
struct Cloud {
    x: Vec<Vec3>,
    x_prev: Vec<Vec3>,
    inv_mass: Vec<f32>,
    contacts: Vec<Contact>,
    points: Vec<[Vec3; 2]>,
}

fn cloud(seed: u64, particles: usize, contacts: usize, kinematic: bool) -> Cloud {
    let mut r = Random(seed);
    let x: Vec<Vec3> = (0..particles).map(|_| r.vector()).collect();
    let x_prev = x.iter().map(|x| *x + r.vector() * 0.1).collect();
    let inv_mass = (0..particles)
        .map(|_| if kinematic && r.below(5) == 0 { 0.0 } else { 0.2 + 3.0 * r.unit() })
        .collect();
    let points = (0..8).map(|_| [r.vector(), r.vector()]).collect();
    let contacts = (0..contacts)
        .map(|_| {
            // Eight different particles.
            let mut p = [0u32; 8];
            for k in 0..8 {
                loop {
                    p[k] = r.below(particles) as u32;
                    if !p[..k].contains(&p[k]) {
                        break;
                    }
                }
            }
            let direction = r.vector();
            let thickness = 0.1 * r.unit();
            let face = [p[4], p[5], p[6]];
            let contact = match r.below(7) {
                0 => Contact::path(p[0], face, direction),
                1 => Contact::path_of_face_centroid([p[0], p[1], p[2]], face, direction),
                2 => Contact::path_of_tet_centroid([p[0], p[1], p[2], p[3]], face, direction),
                3 => {
                    let side = if r.below(2) == 0 { FaceSide::Front } else { FaceSide::Back };
                    Contact::vertex_face(p[0], face, side, direction, thickness)
                }
                4 => Contact::edge_edge([p[0], p[1]], [p[4], p[5]], direction, thickness),
                5 => Contact::path_of_edge_point([p[0], p[1]], r.unit(), face, direction),
                _ if kinematic => Contact::path_of_point(r.below(8) as u32, face, direction),
                _ => Contact::edge_edge([p[0], p[1]], [p[4], p[5]], direction, thickness)
                    .with_response(Response::Depenetrate),
            };
            contact.with_material(r.below(2) as u8)
        })
        .collect();
    Cloud { x, x_prev, inv_mass, contacts, points }
}

const MATERIALS: [ContactMaterial; 2] = [
    ContactMaterial { static_friction: 0.5, kinetic_friction: 0.3, restitution: 0.4 },
    ContactMaterial::SMOOTH,
];

/// Runs `iterations` and the velocity pass; returns positions, shifts and velocities.
fn run(cloud: &Cloud, order: &[usize], iterations: usize) -> [Vec<Vec3>; 3] {
    run_scaled(cloud, order, iterations, 1.0)
}

fn run_scaled(cloud: &Cloud, order: &[usize], iterations: usize, scale: f32) -> [Vec<Vec3>; 3] {
    let mut set = ContactSet::new();
    for p in &cloud.points {
        set.add_point(p[0], p[1]);
    }
    for &i in order {
        set.push(cloud.contacts[i]);
    }
    set.prepare(&cloud.inv_mass);
    set.validate(&cloud.inv_mass).unwrap();
    let (mut x, mut shift) = (cloud.x.clone(), vec![Vec3::ZERO; cloud.x.len()]);
    for _ in 0..iterations {
        let limits = projection(cloud);
        let limits =
            Projection { max_push: limits.max_push * scale, max_shift: limits.max_shift * scale, ..limits };
        set.project(&mut x, &mut shift, &limits);
    }
    let h = 1.0 / 64.0;
    let mut v: Vec<Vec3> = (0..x.len()).map(|i| (x[i] - cloud.x_prev[i] - shift[i]) / h).collect();
    let before = v.clone();
    let pass = VelocityPass {
        x: &x,
        before: &before,
        inv_mass: &cloud.inv_mass,
        materials: &MATERIALS,
        h,
        bounce_above: 0.125 * scale,
    };
    set.project_velocities(&mut v, &pass);
    [x, shift, v]
}

fn projection(cloud: &Cloud) -> Projection<'_> {
    Projection {
        x_prev: &cloud.x_prev,
        inv_mass: &cloud.inv_mass,
        materials: &MATERIALS,
        max_push: 0.2,
        max_shift: 0.3,
        hold_depth: 0.0,
    }
}

fn bits(arrays: &[Vec<Vec3>; 3]) -> Vec<u32> {
    arrays.iter().flatten().flat_map(|v| v.to_array().map(f32::to_bits)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Linear momentum for any set of contacts, friction included: Σ m Δx = 0 and Σ m Δv = 0.
    #[test]
    fn linear_momentum(seed in any::<u64>(), n in 1..12usize) {
        let c = cloud(seed, 24, n, false);
        let order: Vec<usize> = (0..n).collect();
        let [x, _, v] = run(&c, &order, 3);
        let start: Vec<Vec3> = {
            let mut set = ContactSet::new();
            c.contacts.iter().for_each(|&k| set.push(k));
            set.prepare(&c.inv_mass);
            let (mut x, mut shift) = (c.x.clone(), vec![Vec3::ZERO; c.x.len()]);
            for _ in 0..3 {
                set.project(&mut x, &mut shift, &projection(&c));
            }
            (0..x.len()).map(|i| (x[i] - c.x_prev[i] - shift[i]) * 64.0).collect()
        };
        let mass = |i: usize| 1.0 / c.inv_mass[i] as f64;
        let drift: DVec3 = (0..24).map(|i| (x[i].as_dvec3() - c.x[i].as_dvec3()) * mass(i)).sum();
        // Each of at most 3·n·8 writes rounds a position of size 1 to f32.
        prop_assert!(drift.length() < 3.0 * n as f64 * 8.0 * 5.0 * f32::EPSILON as f64, "{drift}");
        let kick: DVec3 = (0..24).map(|i| (v[i].as_dvec3() - start[i].as_dvec3()) * mass(i)).sum();
        let speed = v.iter().chain(&start).fold(1.0, |m: f32, v| m.max(v.length())) as f64;
        prop_assert!(kick.length() < speed * n as f64 * 8.0 * 5.0 * f32::EPSILON as f64, "{kick}");
    }
}

/// Kinetic energy of the displacements that become velocity, and Σ m a × b.
fn energy(c: &Cloud, x: &[Vec3], shift: &[Vec3]) -> f64 {
    let u = |i: usize| x[i].as_dvec3() - c.x_prev[i].as_dvec3() - shift[i].as_dvec3();
    (0..x.len()).filter(|&i| c.inv_mass[i] > 0.0).map(|i| u(i).length_squared() / c.inv_mass[i] as f64).sum()
}

fn torque(c: &Cloud, at: &[Vec3], from: &[Vec3], to: &[Vec3]) -> DVec3 {
    let one = |i: usize| at[i].as_dvec3().cross(to[i].as_dvec3() - from[i].as_dvec3()) / c.inv_mass[i] as f64;
    (0..at.len()).map(one).sum()
}

/// One contact between well-shaped features that are near each other: eight particles, all dynamic. The reference
/// direction is that of a fresh detection.
fn near_contact(seed: u64) -> Cloud {
    let mut r = Random(seed);
    let mut c = cloud(seed ^ 0x55, 8, 0, false);
    let face = [Vec3::new(0.0, 1.0, 0.0), Vec3::new(-0.9, -0.5, 0.0), Vec3::new(0.9, -0.5, 0.0)];
    for k in 0..3 {
        c.x[4 + k] = face[k] + r.vector() * 0.2;
    }
    // The first side: a tetrahedron whose centroid (or first corner, or first edge) is near the face.
    let kind = r.below(5);
    let target = r.vector() * Vec3::new(0.9, 0.9, 0.3);
    let corners = [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::ONE];
    for k in 0..4 {
        c.x[k] = target + corners[k] * 0.6 + r.vector() * 0.1;
    }
    let old = c.x[0];
    let normal = (c.x[5] - c.x[4]).cross(c.x[6] - c.x[4]).normalize();
    let tri = [4, 5, 6].map(|k: usize| c.x[k].as_dvec3());
    let fresh = |p: Vec3| {
        let q = closest::closest_on_triangle(p.as_dvec3(), tri);
        (gap::blend(&q.weights, &tri) - p.as_dvec3()).as_vec3()
    };
    let contact = match kind {
        0 => {
            c.x[0] = target;
            let d = fresh(target);
            Contact::path(0, [4, 5, 6], if d.dot(normal) >= 0.0 { d } else { normal })
        }
        1 => Contact::path_of_tet_centroid([0, 1, 2, 3], [4, 5, 6], normal),
        4 => {
            (c.x[0], c.x[1]) = (target + Vec3::X * 0.5, target - Vec3::X * 0.5);
            Contact::path_of_edge_point([0, 1], 0.5, [4, 5, 6], normal)
        }
        2 => {
            c.x[0] = target;
            Contact::vertex_face(0, [4, 5, 6], FaceSide::Front, normal, 0.1)
        }
        _ => {
            c.x[0] = old;
            c.x[1] = c.x[0] + r.vector();
            Contact::edge_edge([0, 1], [4, 5], normal, 0.1)
        }
    };
    c.x_prev = c.x.iter().map(|x| *x + r.vector() * 0.3).collect();
    c.contacts = vec![contact];
    c
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Angular momentum of one contact, at the positions of the projection: Σ m x × Δx = 0 for the normal push,
    /// for friction with its couple, and Σ m x × Δv = 0 in the velocity pass.
    #[test]
    fn angular_momentum(seed in any::<u64>()) {
        let c = near_contact(seed);
        let project = |material: u8| {
            let mut set = ContactSet::new();
            set.push(c.contacts[0].with_material(material));
            set.prepare(&c.inv_mass);
            let (mut x, mut shift) = (c.x.clone(), vec![Vec3::ZERO; 8]);
            set.project(&mut x, &mut shift, &projection(&c));
            (set, x, shift)
        };
        let (set, smooth, _) = project(1);
        let contact = set.contacts()[0];
        let at = |list: &[u32]| list.iter().map(|&k| c.x[k as usize].as_dvec3()).collect::<Vec<_>>();
        // The stated exceptions: past the rim (the direction is the reference), and a gap larger than the features.
        let (a, b) = (at(contact.first()), at(contact.second()));
        let joined = if b.len() == 3 {
            let p = a.iter().sum::<DVec3>() / a.len() as f64;
            let w = closest::closest_on_triangle(p, [b[0], b[1], b[2]]);
            let r = p - gap::blend(&w.weights, &[b[0], b[1], b[2]]);
            let foot = closest::foot_on_plane(p, [b[0], b[1], b[2]]).unwrap();
            w.interior || r.dot(contact.direction().as_dvec3()).abs() > 0.51 * r.length()
                || foot.iter().all(|&w| w >= -0.3)
        } else {
            let q = closest::closest_on_segments([a[0], a[1]], [b[0], b[1]]);
            let r = a[0].lerp(a[1], q.parameters[0]) - b[0].lerp(b[1], q.parameters[1]);
            q.interior || r.dot(contact.direction().as_dvec3()).abs() > 0.51 * r.length()
        };
        let noise = 8.0 * 5.0 * 2.0 * f32::EPSILON as f64;
        if joined {
            let t = torque(&c, &c.x, &c.x, &smooth);
            prop_assert!(t.length() < noise, "push: {t} {contact:?}");
            let (set, rough, _) = project(0);
            let t = torque(&c, &smooth, &smooth, &rough);
            // Stated exception: features that are nearly collinear seen along the direction.
            let d = set.contacts()[0].direction().as_dvec3();
            let mut spread = glam::DMat3::ZERO;
            for side in [contact.first(), contact.second()] {
                let y: Vec<DVec3> = side.iter().map(|&k| smooth[k as usize].as_dvec3().reject_from(d)).collect();
                let mean = y.iter().sum::<DVec3>() / y.len() as f64;
                for y in y {
                    spread += glam::DMat3::from_cols((y - mean) * (y - mean).x, (y - mean) * (y - mean).y, (y - mean) * (y - mean).z);
                }
            }
            let trace = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
            // det of the plane part: the determinant with d dᵀ added, which has eigenvalue one along d.
            let along = glam::DMat3::from_cols(d * d.x, d * d.y, d * d.z);
            let collinear = (spread + along).determinant() < 1.01e-3 * trace * trace;
            let bare = set.contacts()[0].rubbed;
            prop_assert!(t.length() < noise || collinear, "friction: {t} of {bare}");
            let mut v: Vec<Vec3> = (0..8).map(|i| (c.x[i] - c.x_prev[i]) * 0.5).collect();
            let before = v.clone();
            let pass = VelocityPass {
                x: &smooth, before: &before, inv_mass: &c.inv_mass, materials: &MATERIALS, h: 2.0, bounce_above: 0.1,
            };
            set.project_velocities(&mut v, &pass);
            let t = torque(&c, &smooth, &before, &v);
            // Positions moved since the push, so the exceptions may have come up meanwhile.
            let still = (0..8).all(|i| smooth[i] == c.x[i]);
            prop_assert!(t.length() < noise || !still, "velocity: {t}");
        }
    }

    /// Neither the push nor friction adds kinetic energy, at any iteration.
    #[test]
    fn energy_is_never_created(seed in any::<u64>(), near in any::<bool>()) {
        let c = if near { near_contact(seed) } else { cloud(seed, 12, 1, false) };
        let mut set = ContactSet::new();
        set.push(c.contacts[0].with_material(0));
        set.prepare(&c.inv_mass);
        let (mut x, mut shift) = (c.x.clone(), vec![Vec3::ZERO; c.x.len()]);
        let mut r = Random(seed);
        for _ in 0..4 {
            let start = energy(&c, &x, &shift);
            set.project(&mut x, &mut shift, &projection(&c));
            let end = energy(&c, &x, &shift);
            prop_assert!(end <= start * (1.0 + 1e-5), "{start} -> {end}");
            // What an elastic iteration does in between.
            x.iter_mut().for_each(|x| *x += r.vector() * 0.05);
        }
        let mut v: Vec<Vec3> = (0..x.len()).map(|i| x[i] - c.x_prev[i] - shift[i]).collect();
        let before = v.clone();
        let kinetic = |v: &[Vec3]| (0..v.len()).map(|i| v[i].as_dvec3().length_squared() / c.inv_mass[i] as f64).sum::<f64>();
        let pass = VelocityPass { x: &x, before: &before, inv_mass: &c.inv_mass, materials: &MATERIALS, h: 1.0, bounce_above: 0.0 };
        let start = kinetic(&v);
        set.project_velocities(&mut v, &pass);
        prop_assert!(kinetic(&v) <= start * (1.0 + 1e-5));
    }

    /// Scaling every length by a power of two scales every result, bit for bit.
    #[test]
    fn scales_exactly(seed in any::<u64>(), power in -12..12i32) {
        let s = 2f32.powi(power);
        let c = cloud(seed, 24, 12, true);
        let scaled = Cloud {
            x: c.x.iter().map(|x| *x * s).collect(),
            x_prev: c.x_prev.iter().map(|x| *x * s).collect(),
            inv_mass: c.inv_mass.clone(),
            contacts: c.contacts.iter().map(|k| k.with_thickness(k.thickness * s)).collect(),
            points: c.points.iter().map(|p| p.map(|x| x * s)).collect(),
        };
        let order: Vec<usize> = (0..12).collect();
        let plain = run_scaled(&c, &order, 3, 1.0).map(|a| a.iter().map(|x| *x * s).collect());
        prop_assert_eq!(bits(&run_scaled(&scaled, &order, 3, s)), bits(&plain));
    }

    /// One contact removes at most `max_push`, all together shift a particle by at most `max_shift`; kinematic
    /// particles never move.
    #[test]
    fn limits_hold(seed in any::<u64>(), n in 1..40usize) {
        let c = cloud(seed, 24, n, true);
        let mut set = ContactSet::new();
        c.points.iter().for_each(|p| { set.add_point(p[0], p[1]); });
        // Impacts have shifts of their own (their thickness); these are about shortest paths.
        c.contacts.iter().for_each(|&k| set.push(k.with_response(Response::Depenetrate)));
        set.prepare(&c.inv_mass);
        let (mut x, mut shift) = (c.x.clone(), vec![Vec3::ZERO; 24]);
        for _ in 0..5 {
            set.project(&mut x, &mut shift, &projection(&c));
        }
        prop_assert!(set.contacts().iter().all(|k| k.pushed() <= 0.2 * 1.0001));
        prop_assert!(shift.iter().all(|s| s.length() <= 0.3 * 1.0001));
        for i in 0..24 {
            prop_assert!(c.inv_mass[i] > 0.0 || (x[i] == c.x[i] && shift[i] == Vec3::ZERO));
        }
    }
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

/// The same bits for 1, 2 and 5 threads, and for any order of `push`.
#[test]
fn same_bits_for_any_threads_and_any_order() {
    let c = cloud(7, 3000, 4000, true);
    let mut order: Vec<usize> = (0..4000).collect();
    let reference = bits(&pool(1).install(|| run(&c, &order, 3)));
    for threads in [2, 5] {
        assert_eq!(bits(&pool(threads).install(|| run(&c, &order, 3))), reference, "{threads} threads");
    }
    let mut r = Random(3);
    for i in (1..order.len()).rev() {
        order.swap(i, r.below(i + 1));
    }
    assert_eq!(bits(&run(&c, &order, 3)), reference, "shuffled");
}

/// Explicit steps of one dynamic particle on the kinematic triangle `face`; returns its track.
fn on_slope(angle: f32, material: ContactMaterial, start: Vec3, velocity: Vec3, steps: usize) -> Vec<Vec3> {
    let (sin, cos) = angle.sin_cos();
    let g = Vec3::new(9.81 * sin, 0.0, -9.81 * cos); // in the frame of the slope
    let h = 1.0 / 500.0;
    let corners = [Vec3::new(-9.0, -9.0, 0.0), Vec3::new(30.0, -9.0, 0.0), Vec3::new(0.0, 9.0, 0.0)];
    let mut x = vec![start, corners[0], corners[1], corners[2]];
    let mut v = vec![velocity, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO];
    let inv_mass = [0.5, 0.0, 0.0, 0.0];
    let mut track = vec![start];
    let mut set = ContactSet::new();
    for _ in 0..steps {
        let before = v.clone();
        let x_prev = x.clone();
        v[0] += g * h;
        x[0] += v[0] * h;
        set.clear();
        set.push(Contact::vertex_face(0, [1, 2, 3], FaceSide::Front, Vec3::Z, 0.01));
        set.prepare(&inv_mass);
        let mut shift = vec![Vec3::ZERO; 4];
        for _ in 0..3 {
            let ctx = Projection {
                x_prev: &x_prev,
                inv_mass: &inv_mass,
                materials: &[material],
                max_push: f32::INFINITY,
                max_shift: f32::INFINITY,
                hold_depth: 0.0,
            };
            set.project(&mut x, &mut shift, &ctx);
        }
        v[0] = (x[0] - x_prev[0] - shift[0]) / h;
        let pass = VelocityPass {
            x: &x,
            before: &before,
            inv_mass: &inv_mass,
            materials: &[material],
            h,
            bounce_above: 2.0 * 9.81 * h,
        };
        set.project_velocities(&mut v, &pass);
        track.push(x[0]);
    }
    track
}

#[test]
fn a_block_sticks_below_the_friction_angle_and_slides_above() {
    let rough = ContactMaterial { static_friction: 0.5, kinetic_friction: 0.3, restitution: 0.0 };
    let start = Vec3::new(0.0, 0.0, 0.01);
    let limit = 0.5f32.atan();
    let stuck = on_slope(limit - 0.02, rough, start, Vec3::ZERO, 500);
    assert!((stuck[500] - start).length() < 1e-5, "{}", stuck[500]);
    // Above the limit: x = a t² / 2 with a = g (sin - μ_k cos); symplectic Euler adds a t h / 2.
    let angle = limit + 0.02;
    let slid = on_slope(angle, rough, start, Vec3::ZERO, 500);
    let a = 9.81 * (angle.sin() - 0.3 * angle.cos());
    let expected = 0.5 * a * (1.0 + 1.0 / 500.0);
    assert!((slid[500].x / expected - 1.0).abs() < 2e-3, "{} against {expected}", slid[500].x);
    assert!((slid[500].z - 0.01).abs() < 1e-5);
    // On the level with a start speed: stops after v² / (2 μ g), and stays.
    let stop = on_slope(0.0, rough, start, Vec3::X, 500);
    let expected = 1.0 / (2.0 * 0.3 * 9.81);
    assert!((stop[500].x / expected - 1.0).abs() < 2e-2, "{} against {expected}", stop[500].x);
    assert_eq!(stop[450], stop[500]);
    // No friction: uniform motion.
    let free = on_slope(0.0, ContactMaterial::SMOOTH, start, Vec3::X, 500);
    assert!((free[500].x - 1.0).abs() < 1e-4);
}

#[test]
fn restitution_reverses_the_fall() {
    let bouncy = ContactMaterial { static_friction: 0.0, kinetic_friction: 0.0, restitution: 0.5 };
    let track = on_slope(0.0, bouncy, Vec3::new(0.0, 0.0, 1.01), Vec3::ZERO, 500);
    let low = track.iter().position(|x| x.z < 0.0101).unwrap();
    let high = track[low..].iter().fold(0.0, |m: f32, x| m.max(x.z)) - 0.01;
    assert!((high - 0.25).abs() < 0.01, "rises to {high} of 1");
    let dead = on_slope(0.0, ContactMaterial::SMOOTH, Vec3::new(0.0, 0.0, 1.01), Vec3::ZERO, 500);
    let low = dead.iter().position(|x| x.z < 0.0101).unwrap();
    assert!(dead[low..].iter().all(|x| x.z < 0.0101));
}

/// A start at distance zero is opened to the thickness without any velocity (case C20).
#[test]
fn a_touching_start_does_not_explode() {
    let mut x = vec![Vec3::new(0.2, 0.2, 0.0), Vec3::ZERO, Vec3::X, Vec3::Y];
    let (x_prev, mut shift) = (x.clone(), vec![Vec3::ZERO; 4]);
    let mut set = ContactSet::new();
    set.push(Contact::vertex_face(0, [1, 2, 3], FaceSide::of(&x, 0, [1, 2, 3]), Vec3::Z, 0.01));
    let inv_mass = [1.0; 4];
    set.prepare(&inv_mass);
    for _ in 0..3 {
        let ctx = Projection {
            x_prev: &x_prev,
            inv_mass: &inv_mass,
            materials: &MATERIALS,
            max_push: 1.0,
            max_shift: 1.0,
            hold_depth: 0.0,
        };
        set.project(&mut x, &mut shift, &ctx);
    }
    assert!(set.max_depth(&x) < 1e-7);
    assert!((x[0].z - x[1].z) > 0.009);
    for i in 0..4 {
        assert!((x[i] - x_prev[i] - shift[i]).length() < 1e-7);
    }
}

/// Shortest path: full depth in one substep if allowed, by parts if limited, and never velocity.
#[test]
fn depenetration_is_limited_and_leaves_no_velocity() {
    let start = vec![Vec3::new(0.3, 0.3, -0.5), Vec3::ZERO, Vec3::X * 2.0, Vec3::Y * 2.0];
    let inv_mass = [1.0, 0.0, 0.0, 0.0];
    for (limit, expected) in [(1.0, 0.0), (0.2, -0.3)] {
        let (mut x, mut shift) = (start.clone(), vec![Vec3::ZERO; 4]);
        let mut set = ContactSet::new();
        set.push(Contact::path(0, [1, 2, 3], Vec3::Z));
        set.prepare(&inv_mass);
        for _ in 0..4 {
            let ctx = Projection {
                x_prev: &start,
                inv_mass: &inv_mass,
                materials: &MATERIALS,
                max_push: limit,
                max_shift: f32::INFINITY,
                hold_depth: 0.0,
            };
            set.project(&mut x, &mut shift, &ctx);
        }
        assert!((x[0].z - expected).abs() < 1e-6);
        assert_eq!(x[0] - shift[0], start[0]);
    }
}

/// A pair that turns as a rigid body does not slide, although its points are a gap apart.
#[test]
fn a_rigid_rotation_is_no_slide() {
    let x_prev = vec![Vec3::new(0.2, 0.2, -0.1), Vec3::ZERO, Vec3::X, Vec3::Y];
    let turn = glam::Quat::from_rotation_y(1e-3);
    let mut x: Vec<Vec3> = x_prev.iter().map(|x| turn * *x).collect();
    let turned = x.clone();
    let mut set = ContactSet::new();
    let inv_mass = [1.0; 4];
    let mut contact = Contact::path(0, [1, 2, 3], Vec3::Z);
    contact.pressed = 1.0; // friction would hold anything
    set.push(contact);
    set.prepare(&inv_mass);
    let mut shift = vec![Vec3::ZERO; 4];
    let ctx = Projection {
        x_prev: &x_prev,
        inv_mass: &inv_mass,
        materials: &MATERIALS,
        max_push: 0.0,
        max_shift: 1.0,
        hold_depth: 0.0,
    };
    set.project(&mut x, &mut shift, &ctx);
    // Left over: second order in the angle; a plain slide would be 0.1 · 1e-3.
    for i in 0..4 {
        assert!((x[i] - turned[i]).length() < 1e-6, "{}", x[i] - turned[i]);
    }
}

#[test]
fn colours_stay_few_and_never_clash() {
    // One particle in 150 contacts: 150 colours, more than one round of 64.
    let mut set = ContactSet::new();
    for k in 0..150u32 {
        set.push(Contact::path(0, [3 * k + 1, 3 * k + 2, 3 * k + 3], Vec3::Z));
    }
    let inv_mass = vec![1.0; 451];
    set.prepare(&inv_mass);
    assert_eq!((set.validate(&inv_mass), set.counts().colours), (Ok(()), 150));
    // The same particle, kinematic: one colour.
    let mut fixed = inv_mass.clone();
    fixed[0] = 0.0;
    set.prepare(&fixed);
    assert_eq!((set.validate(&fixed), set.counts().colours), (Ok(()), 1));
    // At random: greedy needs at most one more than the contacts that a contact meets.
    let c = cloud(11, 500, 3000, true);
    let mut set = ContactSet::new();
    c.points.iter().for_each(|p| {
        set.add_point(p[0], p[1]);
    });
    c.contacts.iter().for_each(|&k| set.push(k));
    set.prepare(&c.inv_mass);
    assert_eq!(set.validate(&c.inv_mass), Ok(()));
    let mut degree = vec![0; 500];
    c.contacts.iter().flat_map(|k| k.particles().collect::<Vec<_>>()).for_each(|p| degree[p as usize] += 1);
    let most = degree.iter().max().unwrap() * 7;
    assert!(set.counts().colours <= most + 1);
    assert_eq!(set.len(), 3000);
}

/// A particle that is not finite disturbs nobody.
#[test]
fn a_nan_does_not_spread() {
    let mut c = cloud(5, 24, 10, false);
    c.x[3] = Vec3::NAN;
    let order: Vec<usize> = (0..10).collect();
    let [x, shift, _] = run(&c, &order, 3);
    for i in (0..24).filter(|&i| i != 3) {
        assert!(x[i].is_finite() && shift[i].is_finite(), "particle {i}");
    }
}
