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
            let contact = match r.below(6) {
                0 => Contact::path(p[0], face, direction),
                1 => Contact::path_of_face_centroid([p[0], p[1], p[2]], face, direction),
                2 => Contact::path_of_tet_centroid([p[0], p[1], p[2], p[3]], face, direction),
                3 => {
                    let side = if r.below(2) == 0 { FaceSide::Front } else { FaceSide::Back };
                    Contact::vertex_face(p[0], face, side, direction, thickness)
                }
                4 => Contact::edge_edge([p[0], p[1]], [p[4], p[5]], direction, thickness),
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
        set.project(&mut x, &mut shift, &projection(cloud));
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
        bounce_above: 0.1,
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
