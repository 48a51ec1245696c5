//! A layout for cloth whose rest pose is not known: positions made from distances along the cloth.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::Vec3;

use super::mesh::ClothMesh;

/// One position a vertex, such that neighbours in the cloth are neighbours in space and folds that lie on each other are not.
///
/// Of each sheet four vertices far from each other are taken; differences of the distances to them, along the edges of the
/// cloth at the positions `x`, are the first two coordinates. Sheets lie beside each other along the third.
pub fn layout_of(mesh: &ClothMesh, x: &[Vec3]) -> Vec<Vec3> {
    assert_eq!(x.len(), mesh.vertex_count, "one position a vertex");
    let mut layout = vec![Vec3::ZERO; mesh.vertex_count];
    let mut members = vec![Vec::new(); mesh.sheet_count as usize];
    for (v, &sheet) in mesh.sheet.iter().enumerate().filter(|(_, s)| **s != u32::MAX) {
        members[sheet as usize].push(v as u32);
    }
    let mut distance = [0; 5].map(|_| vec![f32::INFINITY; mesh.vertex_count]);
    let mut extent = 0.0f32;
    for vertices in &members {
        let farthest = |d: &dyn Fn(u32) -> f32| {
            let best = vertices.iter().copied().reduce(|a, b| if d(b) > d(a) { b } else { a });
            best.expect("a sheet has vertices")
        };
        distances(mesh, x, vertices[0], &mut distance[4]);
        for k in 0..4 {
            let landmark = match k {
                0 => farthest(&|v| distance[4][v as usize]),
                1 => farthest(&|v| distance[0][v as usize]),
                2 => farthest(&|v| distance[0][v as usize].min(distance[1][v as usize])),
                _ => farthest(&|v| {
                    distance[2][v as usize].min(distance[0][v as usize]).min(distance[1][v as usize])
                }),
            };
            distances(mesh, x, landmark, &mut distance[k]);
        }
        for &v in vertices {
            let d = |k: usize| distance[k][v as usize];
            layout[v as usize] = Vec3::new(d(0) - d(1), d(2) - d(3), 0.0);
            extent = extent.max(layout[v as usize].abs().max_element());
        }
    }
    for (sheet, vertices) in members.iter().enumerate() {
        vertices.iter().for_each(|&v| layout[v as usize].z = 4.0 * extent * sheet as f32);
    }
    layout
}

/// Distances along edges from one vertex to its sheet (Dijkstra); other sheets keep what they have.
fn distances(mesh: &ClothMesh, x: &[Vec3], from: u32, out: &mut [f32]) {
    let sheet = mesh.sheet[from as usize];
    out.iter_mut().zip(&mesh.sheet).filter(|(_, s)| **s == sheet).for_each(|(d, _)| *d = f32::INFINITY);
    // Distances are not negative, so their bits are in order.
    let mut heap = BinaryHeap::from([Reverse((0u32, from))]);
    out[from as usize] = 0.0;
    while let Some(Reverse((bits, v))) = heap.pop() {
        let d = f32::from_bits(bits);
        if d > out[v as usize] {
            continue;
        }
        for &n in mesh.neighbours(v) {
            let longer = d + x[v as usize].distance(x[n as usize]);
            if longer < out[n as usize] {
                out[n as usize] = longer;
                heap.push(Reverse((longer.to_bits(), n)));
            }
        }
    }
}
