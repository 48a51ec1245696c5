//! Random bodies for boundary queries: boxes that are folded, twisted, coiled and pushed through themselves, in many dresses.

use std::f64::consts::TAU;

use glam::{DVec3, Vec3};
use gordian_mesh::generate::box_mesh;

use super::bodies::{Body, Coil, coil};
use super::random::Random;

/// The body of that seed.
pub fn tangle(seed: u64) -> Body {
    let mut random = Random::new(seed);
    let mut body = match random.below(4) {
        0 => coiled(&mut random),
        1 | 2 => looped(&mut random),
        _ => blocks(&mut random),
    };
    if random.once_in(4) {
        flatten(&mut body, &mut random);
    }
    if random.once_in(4) {
        invert_inside(&mut body, &mut random);
    }
    dress(&mut body, &mut random);
    body
}

/// A bar or a sheet wound up.
fn coiled(random: &mut Random) -> Body {
    coil(Coil {
        cells: [12 + random.below(16) as u32, 1 + random.below(3) as u32, 1 + random.below(3) as u32],
        radius: random.between(1.2, 2.5),
        turns: random.between(1.1, 2.5),
        pitch: random.between(0.2, 0.9),
        jitter: if random.once_in(3) { 0.0 } else { random.between(0.0, 0.35) },
        seed: random.bits(),
    })
}

/// A twisted bar along a random closed curve, which it passes more than once.
fn looped(random: &mut Random) -> Body {
    let cells = [16 + random.below(16) as u32, 1 + random.below(3) as u32, 1 + random.below(3) as u32];
    let [n, w, h] = cells.map(f64::from);
    let mesh = box_mesh(DVec3::new(n, w, h), cells).expect("a valid box");
    let waves: Vec<(DVec3, DVec3, f64)> =
        (1..3).map(|k| (random.offset(), random.offset(), TAU * k as f64)).collect();
    let (length, twist) = (random.between(0.6, 1.3) * n, random.between(-2.0, 2.0) * TAU);
    let jitter = random.between(0.0, 0.25);
    let centre = |t: f64| {
        waves.iter().map(|&(a, b, k)| (a * (k * t).cos() + b * (k * t).sin()) * (length / k)).sum::<DVec3>()
    };
    let pose = mesh.positions.iter().map(|&p| {
        let p = p + random.offset() * jitter;
        let t = p.x / n + 0.5;
        let tangent = (centre(t + 1e-4) - centre(t - 1e-4)).normalize_or(DVec3::X);
        let (u, v) = tangent.any_orthonormal_pair();
        let (s, c) = (twist * t).sin_cos();
        let at = centre(t) + (u * c + v * s) * p.y + (v * c - u * s) * p.z;
        ((at * 4096.0).round() / 4096.0).as_vec3()
    });
    let pose = pose.collect();
    Body { tets: mesh.tets, rest: mesh.positions.iter().map(|p| p.as_vec3()).collect(), pose }
}

/// Two blocks on one lattice, pushed into each other by multiples of an eighth: lines run along edges and through vertices.
fn blocks(random: &mut Random) -> Body {
    let mut block = || [0; 3].map(|_| 2 + random.below(3) as u32);
    let sizes = [block(), block()];
    let offset = DVec3::from_array([0; 3].map(|_| random.below(24) as f64 / 8.0 - 1.5));
    let mut body = Body { tets: Vec::new(), rest: Vec::new(), pose: Vec::new() };
    for (i, cells) in sizes.into_iter().enumerate() {
        let mesh = box_mesh(DVec3::from_array(cells.map(f64::from)), cells).expect("a valid box");
        let base = body.rest.len() as u32;
        body.tets.extend(mesh.tets.iter().map(|t| t.map(|v| v + base)));
        body.rest.extend(mesh.positions.iter().map(|&p| (p + DVec3::X * (10 * i) as f64).as_vec3()));
        body.pose.extend(mesh.positions.iter().map(|&p| (p + offset * i as f64).as_vec3()));
    }
    body
}

/// Slivers and flat elements: everything thin along an axis.
fn flatten(body: &mut Body, random: &mut Random) {
    let mut thin = Vec3::ONE;
    thin[random.below(3)] = [0.25, 0.03125, 0.001][random.below(3)];
    body.rest.iter_mut().chain(&mut body.pose).for_each(|p| *p *= thin);
}

/// Moves a few vertices of the pose far enough to turn elements inside out.
fn invert_inside(body: &mut Body, random: &mut Random) {
    let topology = body.topology();
    let inside: Vec<u32> =
        (0..topology.vertex_count).filter(|&v| topology.vertex_faces(v).is_empty()).collect();
    for _ in 0..inside.len().min(3) {
        let v = inside[random.below(inside.len())] as usize;
        body.pose[v] += (random.offset() * 2.0).as_vec3();
    }
}

/// Other axes, another size, another place.
fn dress(body: &mut Body, random: &mut Random) {
    let turn = random.below(6);
    let scale = [1.0, 1.0, 1e-3, 1e3, 0.000_976_562_5][random.below(5)];
    let shift = [Vec3::ZERO, Vec3::ZERO, Vec3::new(64.0, -128.0, 32.0)][random.below(3)];
    for p in body.rest.iter_mut().chain(&mut body.pose) {
        let [x, y, z] = (*p + shift).to_array();
        // The odd permutations mirror one axis too, so that elements stay positive.
        let turned = match turn {
            0 => [x, y, z],
            1 => [y, z, x],
            2 => [z, x, y],
            3 => [y, x, -z],
            4 => [x, -z, y],
            _ => [-z, y, x],
        };
        *p = Vec3::from_array(turned) * scale;
    }
}
