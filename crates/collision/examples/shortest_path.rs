//! Loads a mesh, refits to a pose, and asks for the shortest way out of a point:
//! `cargo run --release -p gordian-collision --example shortest_path -- MESH [POSE]`.

use std::error::Error;

use glam::Vec3;
use gordian_collision::{DcdOptions, Detector, PathOptions, PathScratch, PointSet};
use gordian_mesh::{TetTopology, io};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args_os().skip(1);
    let file = args.next().ok_or("name a file of tetrahedra")?;
    let mesh = io::load_tets(&file)?.mesh;
    let pose = match args.next() {
        Some(pose) => io::load_pose(pose, mesh.positions.len())?,
        None => mesh.positions.clone(),
    };
    let single = |x: &[glam::DVec3]| -> Vec<Vec3> { x.iter().map(|p| p.as_vec3()).collect() };

    // Once for a mesh; then a refit whenever its vertices have moved.
    let topology = TetTopology::try_new(mesh.positions.len(), &mesh.tets)?;
    let mut detector = Detector::try_new(&topology, &single(&mesh.positions))?;
    detector.try_refit(&single(&pose))?;

    // Which boundary vertices are inside a tetrahedron that is not theirs, and how each of them gets out.
    let (mut inside, mut scratch) = (Vec::new(), PathScratch::default());
    detector.penetrations(PointSet::BoundaryVertices, DcdOptions::default(), &mut inside);
    for penetration in inside.iter().take(10) {
        let answer =
            detector.boundary_point(&detector.query(penetration), &PathOptions::default(), &mut scratch);
        println!("{:?} in {}: {:?}", penetration.point, penetration.tet, answer.end);
    }
    println!("{} pairs in all", inside.len());
    Ok(())
}
