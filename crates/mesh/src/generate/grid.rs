//! Regular grids: blocks of tetrahedra and sheets of cloth, both split so that no direction is preferred.

use glam::DVec3;

use super::{GenerateError, at_least, fits, positive};
use crate::{TetMesh, TriMesh};

/// A block of `size` (metres) around the origin, cut into `cells` cubes of five tetrahedra each.
///
/// Vertex `(i, j, k)` of the grid, x fastest, has index `i + (nx+1) (j + (ny+1) k)`. Neighbouring cubes are
/// mirror images, so diagonals meet and none is preferred. With cubic cells all dihedral angles are
/// 54.7, 70.5 or 90 degrees.
pub fn box_mesh(size: DVec3, cells: [u32; 3]) -> Result<TetMesh, GenerateError> {
    for (name, value) in [("size.x", size.x), ("size.y", size.y), ("size.z", size.z)] {
        positive(name, value)?;
    }
    for n in cells {
        at_least("cells", n, 1, "at least 1 along each axis")?;
    }
    let [nx, ny, nz] = cells;
    fits("tetrahedra", 5.0 * f64::from(nx) * f64::from(ny) * f64::from(nz))?;
    let axis = |n: u32, length: f64| move |i: u32| length * (f64::from(i) / f64::from(n) - 0.5);
    let (x, y, z) = (axis(nx, size.x), axis(ny, size.y), axis(nz, size.z));
    let mut positions = Vec::with_capacity((nx as usize + 1) * (ny as usize + 1) * (nz as usize + 1));
    for k in 0..=nz {
        for j in 0..=ny {
            positions.extend((0..=nx).map(|i| DVec3::new(x(i), y(j), z(k))));
        }
    }
    let id = |i: u32, j: u32, k: u32| i + (nx + 1) * (j + (ny + 1) * k);
    // Corners of a cube by bits (x, y, z): four corner tetrahedra and the one between them; the second
    // row is the first mirrored in x.
    const EVEN: [[u32; 4]; 5] = [[0, 1, 2, 4], [3, 2, 1, 7], [5, 4, 7, 1], [6, 7, 4, 2], [1, 2, 4, 7]];
    let mut tets = Vec::with_capacity(5 * nx as usize * ny as usize * nz as usize);
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                let corner = |bits: u32| id(i + (bits & 1), j + (bits >> 1 & 1), k + (bits >> 2));
                let odd = (i + j + k) & 1;
                tets.extend(EVEN.map(|tet| {
                    let [a, b, c, d] = tet.map(|bits| corner(bits ^ odd));
                    // A mirror image needs two vertices swapped to stay positive.
                    if odd == 0 { [a, b, c, d] } else { [a, b, d, c] }
                }));
            }
        }
    }
    Ok(TetMesh { positions, tets })
}

/// A block of `size` (metres) around the origin, with `across` cells over its smallest side and as many along
/// the others as keep the cells nearly cubic.
pub fn beam(size: DVec3, across: u32) -> Result<TetMesh, GenerateError> {
    for (name, value) in [("size.x", size.x), ("size.y", size.y), ("size.z", size.z)] {
        positive(name, value)?;
    }
    at_least("across", across, 1, "at least 1")?;
    let cell = size.min_element() / f64::from(across);
    let cells = size.to_array().map(|s| (s / cell).round().max(1.0));
    fits("tetrahedra", 5.0 * cells.iter().product::<f64>())?;
    box_mesh(size, cells.map(|n| n as u32))
}

/// A block of `size` (metres) with about `vertices` vertices and nearly cubic cells.
///
/// The cells across the smallest side are a whole number; the others' size then follows from the number of
/// vertices. Among the possible numbers the one with the most nearly cubic cells is taken.
///
/// Errors: `Vertices` when none comes within 5 %.
pub(super) fn box_of(size: DVec3, vertices: u32) -> Result<TetMesh, GenerateError> {
    for (name, value) in [("size.x", size.x), ("size.y", size.y), ("size.z", size.z)] {
        positive(name, value)?;
    }
    let (wanted, least) = (f64::from(vertices), size.min_element());
    let smallest = size.to_array().map(|s| s == least).iter().position(|&s| s).expect("one is the least");
    let cells = |cell: f64, across: f64| {
        let mut n = (size / cell).round().max(DVec3::ONE);
        n[smallest] = across;
        n
    };
    let count = |n: DVec3| (n + 1.0).element_product();
    let (mut best, mut nearest) = ((f64::INFINITY, None), (f64::INFINITY, 0.0));
    for across in 1..=256 {
        let across = f64::from(across);
        // The number falls with the size of the cells.
        let (mut low, mut high) = (least / (64.0 * across), 64.0 * least / across);
        for _ in 0..60 {
            let middle = (low * high).sqrt();
            if count(cells(middle, across)) > wanted { low = middle } else { high = middle }
        }
        for cell in [low, high] {
            let n = cells(cell, across);
            let error = (count(n) / wanted - 1.0).abs();
            if error < nearest.0 {
                nearest = (error, count(n));
            }
            let score = (least / across / cell).ln().abs() + error;
            if error <= 0.05 && score < best.0 {
                best = (score, Some(n));
            }
        }
    }
    let Some(n) = best.1 else {
        return Err(GenerateError::Vertices { wanted: vertices.into(), nearest: nearest.1 as u64 });
    };
    fits("tetrahedra", 5.0 * n.element_product())?;
    box_mesh(size, n.to_array().map(|n| n as u32))
}

/// A sheet as [`cloth_grid`] with about `vertices` vertices and nearly square quads.
///
/// Errors: `Vertices` when none comes within 5 %.
pub(super) fn cloth_of(width: f64, height: f64, vertices: u32) -> Result<TriMesh, GenerateError> {
    positive("width", width)?;
    positive("height", height)?;
    let wanted = f64::from(vertices);
    // (nx + 1) (ny + 1) vertices in the ratio of the sides.
    let rows = (wanted * height / width).sqrt().round().max(2.0);
    let columns = (wanted / rows).round().max(2.0);
    let error = (rows * columns / wanted - 1.0).abs();
    fits("vertices", rows * columns)?;
    if error > 0.05 {
        return Err(GenerateError::Vertices { wanted: vertices.into(), nearest: (rows * columns) as u64 });
    }
    cloth_grid(width, height, columns as u32 - 1, rows as u32 - 1)
}

/// A flat sheet in the xy plane around the origin, `width` (x) times `height` (y) metres, of `nx` times `ny`
/// quads that are each two triangles; normals point along +z.
///
/// Vertex `(i, j)` has index `i + (nx+1) j`, from the corner (-x, -y). Neighbouring quads are split along
/// opposite diagonals, so that no direction is stiffer.
pub fn cloth_grid(width: f64, height: f64, nx: u32, ny: u32) -> Result<TriMesh, GenerateError> {
    positive("width", width)?;
    positive("height", height)?;
    at_least("nx", nx, 1, "at least 1")?;
    at_least("ny", ny, 1, "at least 1")?;
    fits("triangles", 2.0 * f64::from(nx) * f64::from(ny))?;
    let mut positions = Vec::with_capacity((nx as usize + 1) * (ny as usize + 1));
    for j in 0..=ny {
        let y = height * (f64::from(j) / f64::from(ny) - 0.5);
        positions.extend((0..=nx).map(|i| DVec3::new(width * (f64::from(i) / f64::from(nx) - 0.5), y, 0.0)));
    }
    let mut triangles = Vec::with_capacity(2 * nx as usize * ny as usize);
    for j in 0..ny {
        for i in 0..nx {
            let a = i + (nx + 1) * j;
            let (b, c, d) = (a + 1, a + nx + 2, a + nx + 1);
            if (i + j) & 1 == 0 {
                triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                triangles.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    Ok(TriMesh { positions, triangles })
}
