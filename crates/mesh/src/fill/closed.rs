//! Whether a surface has an inside, and which way its parts face.

use glam::DVec3;
use rayon::prelude::*;

use super::tree::TriangleTree;
use super::winding::solid_angle;
use super::{FillError, Remark};
use crate::tri_topology::TriTopology;
use crate::{TetMesh, TriMesh, signed_volume};

/// A surface that is closed and faces outwards.
pub(super) struct Closed {
    pub surface: TriMesh,
    pub remarks: Vec<Remark>,
    /// The enclosed volume.
    pub volume: f64,
    pub area: f64,
}

/// Refuses open surfaces; turns triangles and parts that face the wrong way.
pub(super) fn close(surface: &TriMesh) -> Result<Closed, FillError> {
    let mut surface = surface.clone();
    // Triangles that name a vertex twice enclose nothing, but would count as borders.
    surface.triangles.retain(|[a, b, c]| a != b && b != c && c != a);
    let area = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| surface.positions[v as usize]);
        0.5 * (b - a).cross(c - a).length()
    };
    let total_area: f64 = surface.triangles.iter().map(area).sum();
    if !(total_area > 0.0 && total_area.is_finite()) {
        return Err(FillError::Empty);
    }
    let topology = TriTopology::new(surface.positions.len(), &surface.triangles);
    if !topology.border_loops.is_empty() {
        return Err(open(&surface, &topology.border_loops));
    }
    let mut remarks = Vec::new();
    if !topology.orientable {
        return Err(FillError::OneSided);
    }
    for &t in &topology.to_turn {
        surface.triangles[t as usize].swap(1, 2);
    }
    if !topology.to_turn.is_empty() {
        remarks.push(Remark::TurnedOver(topology.to_turn.len()));
    }
    check_sheets(&surface)?;
    let turned = face_outwards(&mut surface, &topology);
    if turned > 0 {
        remarks.push(Remark::InsideOut(turned));
    }
    let volume = volumes(&surface, &vec![0; surface.triangles.len()], 1)[0].abs();
    Ok(Closed { surface, remarks, volume, area: total_area })
}

/// The error for borders: where the longest is.
fn open(surface: &TriMesh, loops: &[Vec<u32>]) -> FillError {
    let place = |v: u32| surface.positions[v as usize];
    let length = |l: &Vec<u32>| -> f64 {
        (0..l.len()).map(|i| place(l[i]).distance(place(l[(i + 1) % l.len()]))).sum()
    };
    let longest = loops.iter().max_by(|a, b| length(a).total_cmp(&length(b))).expect("there are borders");
    FillError::Open {
        borders: loops.len(),
        edges: longest.len(),
        length: length(longest),
        at: longest.iter().map(|&v| place(v)).sum::<DVec3>() / longest.len() as f64,
        vertex: longest[0],
    }
}

/// Refuses edges through which more triangles run one way than the other.
fn check_sheets(surface: &TriMesh) -> Result<(), FillError> {
    let mut edges: Vec<([u32; 2], i32)> = surface
        .triangles
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[a, b]| if a < b { ([a, b], 1) } else { ([b, a], -1) })
        .collect();
    edges.par_sort_unstable();
    let sum = |group: &[([u32; 2], i32)]| group.iter().map(|e| e.1).sum::<i32>();
    let mut fins = edges.chunk_by(|x, y| x.0 == y.0).filter(|g| sum(g) != 0).map(|g| g[0].0);
    match fins.next() {
        None => Ok(()),
        Some(vertices) => Err(FillError::Fins { vertices, count: 1 + fins.count() }),
    }
}

/// Turns over parts that face inwards though they lie in no other part. Returns how many.
fn face_outwards(surface: &mut TriMesh, topology: &TriTopology) -> usize {
    let count = topology.component_count as usize;
    let turn = |surface: &mut TriMesh, part: Option<u32>| {
        for (triangle, &component) in surface.triangles.iter_mut().zip(&topology.component) {
            if part.is_none_or(|p| p == component) {
                triangle.swap(1, 2);
            }
        }
    };
    let mut turned = 0;
    if volumes(surface, &topology.component, count).iter().sum::<f64>() < 0.0 {
        turn(surface, None);
        turned = count;
    }
    for (part, volume) in volumes(surface, &topology.component, count).into_iter().enumerate() {
        let part = part as u32;
        if volume >= 0.0 || count == 1 {
            continue;
        }
        let first = topology.component.iter().position(|&c| c == part).expect("a part has triangles");
        let at = surface.positions[surface.triangles[first][0] as usize];
        // How often the other parts surround it: a cavity lies in one.
        let angle: f64 = surface
            .triangles
            .iter()
            .zip(&topology.component)
            .filter(|&(_, &c)| c != part)
            .map(|(t, _)| solid_angle(at, t.map(|v| surface.positions[v as usize])))
            .sum();
        if angle < std::f64::consts::TAU {
            turn(surface, Some(part));
            turned += 1;
        }
    }
    turned
}

/// The signed volume of each part.
fn volumes(surface: &TriMesh, component: &[u32], count: usize) -> Vec<f64> {
    let origin = surface.positions[surface.triangles[0][0] as usize];
    let mut volumes = vec![0.0; count];
    for (t, &c) in surface.triangles.iter().zip(component) {
        let [p, q, r] = t.map(|v| surface.positions[v as usize]);
        volumes[c as usize] += signed_volume([origin, p, q, r]);
    }
    volumes
}

/// Whether parts of the surface overlap or are inside out: four points of each triangle must have nothing on
/// one side and one body on the other, and points of the body must be surrounded once.
pub(super) fn crossings(surface: &TriMesh, tree: &TriangleTree, mesh: &TetMesh) -> Vec<Remark> {
    /// Points of the body that are looked at.
    const POINTS: usize = 4096;
    let beside = |t: usize| {
        let [a, b, c] = surface.triangles[t].map(|v| surface.positions[v as usize]);
        let center = (a + b + c) / 3.0;
        [center, center.lerp(a, 0.7), center.lerp(b, 0.7), center.lerp(c, 0.7)]
            .map(|p| (tree.winding_beside(p, t as u32), p))
    };
    // The numbers on both sides of the triangle, by rounding.
    let of_surface = (0..surface.triangles.len()).into_par_iter().flat_map_iter(beside).map(|(w, p)| {
        let outside = (w - 0.5).round() as i32;
        (outside, outside + 1, p)
    });
    let stride = mesh.tets.len().div_ceil(POINTS).max(1);
    let of_body = (0..mesh.tets.len().div_ceil(stride)).into_par_iter().map(|i| {
        let p = mesh.corners(i * stride).iter().sum::<DVec3>() / 4.0;
        let winding = tree.winding(p).round() as i32;
        (winding, winding, p)
    });
    let all: Vec<(i32, i32, DVec3)> = of_surface.chain(of_body).collect();
    let mut remarks = Vec::new();
    let most = all.iter().map(|w| w.1).max().unwrap_or(1);
    if most > 1 {
        let at = all.iter().find(|w| w.1 == most).expect("the largest is among them").2;
        remarks.push(Remark::Overlaps { winding: most, at });
    }
    if let Some(&(.., at)) = all.iter().find(|w| w.0 < 0) {
        remarks.push(Remark::Inverted { at });
    }
    remarks
}
