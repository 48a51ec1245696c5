//! Small models, one for each kind of constraint, and the adapter that the tests run on.

use glam::Vec3;
use gordian_solver::gpu::{self, Adapter, AdapterChoice};
use gordian_solver::{Bend, Distance, Elasticity, Material, Model, Tet, Volume};

/// The adapter to test on: software, so that results do not depend on the machine, else any.
///
/// `None` where there is none, which is said on stderr; with `CI` set that is a failure.
pub fn adapter(test: &str) -> Option<Adapter> {
    let found = gpu::choose(&AdapterChoice::Software).or_else(|_| gpu::choose(&AdapterChoice::Auto));
    match found {
        Ok(adapter) => Some(adapter),
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "{test}: {error}");
            eprintln!("NOT TESTED: {test}: {error}");
            None
        }
    }
}

/// Pseudo-random numbers in [-1, 1), always the same.
pub fn noise(seed: u32) -> impl FnMut() -> f32 {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(1);
    move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    }
}

/// A grid of vertices with unit spacing; x runs fastest.
fn grid(cells: [u32; 3]) -> Vec<Vec3> {
    let [nx, ny, nz] = cells.map(|n| n + 1);
    (0..nx * ny * nz)
        .map(|i| Vec3::new((i % nx) as f32, (i / nx % ny) as f32, (i / (nx * ny)) as f32))
        .collect()
}

/// Six positive tetrahedra for each cube of that grid (Kuhn).
fn kuhn(cells: [u32; 3]) -> Vec<[u32; 4]> {
    let id = |at: [u32; 3]| at[0] + (cells[0] + 1) * (at[1] + (cells[1] + 1) * at[2]);
    let mut tets = Vec::new();
    for c in 0..cells[0] * cells[1] * cells[2] {
        let corner = [c % cells[0], c / cells[0] % cells[1], c / (cells[0] * cells[1])];
        // Odd permutations of the axes are mirror images.
        for (axes, odd) in [
            ([0, 1, 2], false),
            ([0, 2, 1], true),
            ([1, 0, 2], true),
            ([1, 2, 0], false),
            ([2, 0, 1], false),
            ([2, 1, 0], true),
        ] {
            let mut at = corner;
            let mut tet = [id(at); 4];
            for k in 0..3 {
                at[axes[k]] += 1;
                tet[k + 1] = id(at);
            }
            if odd {
                tet.swap(2, 3);
            }
            tets.push(tet);
        }
    }
    tets
}

/// A block of tetrahedra with edges of about 1 cm, held on the side x = 0, at rest.
pub fn block(cells: [u32; 3], elasticity: Elasticity) -> Model {
    let mut random = noise(7);
    let rest: Vec<Vec3> =
        grid(cells).into_iter().map(|p| 0.01 * (p + 0.1 * Vec3::new(random(), random(), random()))).collect();
    let fixed = |i: usize| (i as u32).is_multiple_of(cells[0] + 1);
    Model {
        velocities: vec![Vec3::ZERO; rest.len()],
        inverse_masses: (0..rest.len()).map(|i| if fixed(i) { 0.0 } else { 1000.0 }).collect(),
        materials: vec![
            Material { elasticity, young_pa: 1e5, poisson: 0.4, damping_s: 0.0 },
            Material { elasticity, young_pa: 3e4, poisson: 0.3, damping_s: 0.0 },
        ],
        tets: (0..).zip(kuhn(cells)).map(|(i, particles)| Tet { particles, material: i % 2 }).collect(),
        positions: rest.clone(),
        rest_positions: rest,
        damping_per_s: 0.5,
        ..Model::default()
    }
}

/// Moves every free particle by up to this much of a 1 cm edge, and gives it a velocity of that size a millisecond.
pub fn disturb(model: &mut Model, amount: f32) {
    let mut random = noise(11);
    for i in 0..model.positions.len() {
        let by = 0.01 * amount * Vec3::new(random(), random(), random());
        if model.inverse_masses[i] > 0.0 {
            model.positions[i] += by;
            model.velocities[i] = by * 10.0;
        }
    }
}

/// The block as a mass-spring body: edges, and volumes both as a material and as constraints of their own.
pub fn springs(cells: [u32; 3]) -> Model {
    let mut model = block(cells, Elasticity::Volume);
    let mut edges: Vec<[u32; 2]> = Vec::new();
    for tet in &model.tets {
        let p = tet.particles;
        for (a, b) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
            edges.push([p[a].min(p[b]), p[a].max(p[b])]);
        }
    }
    edges.sort_unstable();
    edges.dedup();
    let x = |i: u32| model.rest_positions[i as usize];
    model.distances = edges
        .into_iter()
        .map(|particles| Distance {
            particles,
            rest_m: x(particles[0]).distance(x(particles[1])),
            compliance: 1e-3,
        })
        .collect();
    model.volumes = model
        .tets
        .split_off(model.tets.len() / 2)
        .into_iter()
        .map(|tet| {
            let [a, b, c, d] = tet.particles.map(x);
            let rest_m3 = (b - a).cross(c - a).dot(d - a) / 6.0;
            Volume { particles: tet.particles, rest_m3, compliance: 1e-9 }
        })
        .collect();
    model
}

/// A cloth of `n` × `n` squares of 1 cm, two corners held, in the xy plane.
pub fn cloth(n: u32) -> Model {
    let rest: Vec<Vec3> = grid([n, n, 0]).into_iter().map(|p| 0.01 * p).collect();
    let id = |x: u32, y: u32| x + (n + 1) * y;
    let mut distances = Vec::new();
    let mut bends = Vec::new();
    let mut edge = |a: u32, b: u32| {
        let rest_m = rest[a as usize].distance(rest[b as usize]);
        distances.push(Distance { particles: [a, b], rest_m, compliance: 1e-4 });
    };
    for y in 0..=n {
        for x in 0..=n {
            if x < n {
                edge(id(x, y), id(x + 1, y));
            }
            if y < n {
                edge(id(x, y), id(x, y + 1));
            }
            if x < n && y < n {
                edge(id(x, y), id(x + 1, y + 1));
                let mut bend = |p: [u32; 4]| {
                    bends.push(Bend { particles: p, rest_rad: 0.1, compliance: 10.0 });
                };
                bend([id(x + 1, y + 1), id(x, y), id(x + 1, y), id(x, y + 1)]);
                if x > 0 {
                    bend([id(x, y), id(x, y + 1), id(x - 1, y), id(x + 1, y + 1)]);
                }
            }
        }
    }
    let corner = |i: usize| i as u32 == id(0, n) || i as u32 == id(n, n);
    Model {
        velocities: vec![Vec3::ZERO; rest.len()],
        inverse_masses: (0..rest.len()).map(|i| if corner(i) { 0.0 } else { 1e4 }).collect(),
        distances,
        bends,
        positions: rest.clone(),
        rest_positions: rest,
        ..Model::default()
    }
}

/// One disturbed model for each kind of constraint, by name.
pub fn every_kind() -> Vec<(&'static str, Model)> {
    let cells = [7, 5, 6];
    let mut models = vec![
        ("neo_hookean", block(cells, Elasticity::NeoHookean)),
        ("neo_hookean_pair", block(cells, Elasticity::NeoHookeanPair)),
        ("springs", springs(cells)),
        ("cloth", cloth(16)),
    ];
    let mut damped = block(cells, Elasticity::NeoHookean);
    damped.materials[0].damping_s = 0.002;
    models.push(("neo_hookean, damped", damped));
    let mut damped = block(cells, Elasticity::NeoHookeanPair);
    damped.materials[1].damping_s = 0.002;
    models.push(("neo_hookean_pair, damped", damped));
    let mut damped = springs(cells);
    damped.materials[0].damping_s = 0.002;
    models.push(("springs, damped", damped));
    for (_, model) in &mut models {
        disturb(model, 0.2);
    }
    models
}
