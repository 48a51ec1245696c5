//! Runs a scene and prints a line a frame. Usage: probe SCENE FRAMES [path=value]...
use gordian_collision::bvh::{Aabb, Tree};
use gordian_collision::crossing::{Meeting, SelfCrossings};
use gordian_sim::*;
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let frames: u32 = args[1].parse().unwrap();
    let scene = match Scene::load_with(&args[0], &args[2..]) {
        Ok(s) => s,
        Err(e) => {
            eprintln!("{e}");
            return;
        }
    };
    let mut world = match World::new(&scene, &AdapterChoice::Cpu) {
        Ok(w) => w,
        Err(e) => {
            eprintln!("{e}");
            return;
        }
    };
    for w in world.warnings() {
        eprintln!("{w}");
    }
    let cross = |world: &World| {
        let x = world.positions();
        let faces = &world.topology().faces;
        let boxes: Vec<Aabb> = faces.iter().map(|f| Aabb::of_simplex(x, f)).collect();
        let tree = Tree::build(&boxes);
        let mut c = SelfCrossings::default();
        c.find(faces, x, &tree);
        c.count(Meeting::Crossing)
    };
    println!("start crossings {} edge {}", cross(&world), world.bodies()[0].mean_edge);
    for _ in 0..frames {
        let before = world.positions().to_vec();
        match world.step_frame() {
            Ok(r) => {
                let edge = world.bodies()[0].mean_edge as f32;
                let fastest =
                    world.positions().iter().zip(&before).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
                        / edge;
                println!(
                    "{:4} pen {:5} inv {:5} cross {:5} q {:6} unres {:4} ccd {:5} dcd {:6} col {:5} move {:6.2} ke {:.3e} el {:.3e} ms {:.0} solve {:.0} tr {:.0} refit {:.0} dcd {:.0} ccd {:.0} sp {:.0} resp {:.0}",
                    r.frame,
                    r.penetrating_vertices,
                    r.inverted_tetrahedra,
                    cross(&world),
                    r.queries,
                    r.unresolved_queries,
                    r.contacts.ccd,
                    r.contacts.dcd,
                    r.contacts.collider,
                    fastest,
                    r.kinetic_energy_j,
                    r.elastic_energy_j,
                    r.ms.total,
                    r.ms.solve,
                    r.ms.transfer,
                    r.ms.refit,
                    r.ms.dcd,
                    r.ms.ccd,
                    r.ms.shortest_path,
                    r.ms.response
                );
            }
            Err(e) => {
                eprintln!("{e}");
                break;
            }
        }
    }
}
