//! The clip plane: how people write it, and the cross-section of tetrahedra that it shows.

use std::str::FromStr;

use glam::Vec3;
use rayon::prelude::*;

use crate::geometry::{ClipPlane, Line, Mesh, Vertex};
use crate::theme::Colour;

/// A clip plane as people write it: `x`, `-y`, `z=0.2`, or `NX,NY,NZ[,OFFSET]`. Without an offset, through the middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClipChoice {
    /// Towards what is cut away; unit length.
    pub normal: Vec3,
    /// Along the normal, metres; `None` for the middle of what there is.
    pub offset: Option<f32>,
}

impl ClipChoice {
    /// The plane; `centre` is the middle of what there is.
    pub fn plane(&self, centre: Vec3) -> ClipPlane {
        ClipPlane { normal: self.normal, offset: self.offset.unwrap_or(self.normal.dot(centre)) }
    }
}

impl FromStr for ClipChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fault = || {
            format!(
                "`{text}` is no clip plane; write x, y or z (or -x: the other side), x=POSITION, or NX,NY,NZ[,OFFSET]"
            )
        };
        let number = |t: &str| t.trim().parse::<f32>().ok().filter(|n| n.is_finite()).ok_or_else(fault);
        if text.contains(',') {
            let n = text.split(',').map(number).collect::<Result<Vec<f32>, _>>()?;
            let (&[x, y, z], rest) = n.split_first_chunk::<3>().ok_or_else(fault)?;
            let length = Vec3::new(x, y, z).length();
            let normal = Vec3::new(x, y, z).try_normalize().ok_or_else(fault)?;
            return match *rest {
                [] => Ok(ClipChoice { normal, offset: None }),
                [offset] => Ok(ClipChoice { normal, offset: Some(offset / length) }),
                _ => Err(fault()),
            };
        }
        let (axis, at) = match text.split_once('=') {
            Some((axis, at)) => (axis, Some(number(at)?)),
            None => (text, None),
        };
        let (sign, axis) = match axis.trim().strip_prefix('-') {
            Some(axis) => (-1.0, axis),
            None => (1.0, axis.trim()),
        };
        let normal = match axis {
            "x" => Vec3::X,
            "y" => Vec3::Y,
            "z" => Vec3::Z,
            _ => return Err(fault()),
        };
        Ok(ClipChoice { normal: normal * sign, offset: at.map(|a| a * sign) })
    }
}

/// The cut of `plane` through tetrahedra: a polygon each, facing what is cut away, and its outline.
///
/// `colour`: of a tetrahedron. Tetrahedra that only touch the plane give nothing.
pub fn cross_section(
    positions: &[Vec3],
    tets: &[[u32; 4]],
    plane: &ClipPlane,
    colour: impl Fn(u32) -> Colour + Sync,
    outline: Colour,
) -> (Mesh, Vec<Line>) {
    let polygons: Vec<(u32, [Vec3; 4], usize)> = tets
        .par_iter()
        .enumerate()
        .filter_map(|(t, tet)| {
            polygon(tet.map(|v| positions[v as usize]), plane).map(|(p, n)| (t as u32, p, n))
        })
        .collect();
    let mut mesh = Mesh::default();
    let mut lines = Vec::with_capacity(polygons.len() * 4);
    for (t, corners, n) in polygons {
        let first = mesh.vertices.len() as u32;
        let colour = colour(t);
        mesh.vertices.extend(corners[..n].iter().map(|&position| Vertex {
            position,
            normal: plane.normal,
            colour,
        }));
        mesh.indices.extend([first, first + 1, first + 2]);
        if n == 4 {
            mesh.indices.extend([first, first + 2, first + 3]);
        }
        // Each side belongs to two tetrahedra: half of its strength from each.
        lines.extend((0..n).map(|i| Line::new(corners[i], corners[(i + 1) % n], outline, 0.8)));
    }
    (mesh, lines)
}

/// The triangle or quadrangle in which a plane cuts a tetrahedron, in order round its rim.
fn polygon(corners: [Vec3; 4], plane: &ClipPlane) -> Option<([Vec3; 4], usize)> {
    let height = corners.map(|p| plane.beyond(p));
    let beyond = height.map(|h| h > 0.0);
    let count = beyond.iter().filter(|b| **b).count();
    let crossing = |i: usize, j: usize| corners[i].lerp(corners[j], height[i] / (height[i] - height[j]));
    let (mut polygon, n) = match count {
        1 | 3 => {
            let apex = (0..4).find(|&i| beyond[i] == (count == 1))?;
            let [a, b, c] = [1, 2, 3].map(|k| crossing(apex, (apex + k) % 4));
            ([a, b, c, c], 3)
        }
        2 => {
            let [i, j] = if beyond[0] {
                [0, (1..4).find(|&k| beyond[k])?]
            } else {
                [0, (1..4).find(|&k| !beyond[k])?]
            };
            let mut others = (1..4).filter(|&k| k != j);
            let [k, l] = [others.next()?, others.next()?];
            ([crossing(i, k), crossing(k, j), crossing(j, l), crossing(l, i)], 4)
        }
        _ => return None,
    };
    if (polygon[1] - polygon[0]).cross(polygon[2] - polygon[0]).dot(plane.normal) < 0.0 {
        polygon[..n].reverse();
    }
    Some((polygon, n))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cube of side 1 about the origin, five tetrahedra.
    fn cube() -> (Vec<Vec3>, Vec<[u32; 4]>) {
        let at = |v: u32| Vec3::new((v & 1) as f32, (v >> 1 & 1) as f32, (v >> 2) as f32) - 0.5;
        let tets = vec![[0, 1, 2, 4], [3, 2, 1, 7], [5, 4, 7, 1], [6, 7, 4, 2], [1, 2, 4, 7]];
        ((0..8).map(at).collect(), tets)
    }

    fn area(mesh: &Mesh) -> Vec3 {
        let at = |i: u32| mesh.vertices[i as usize].position;
        let of = |t: &[u32]| (at(t[1]) - at(t[0])).cross(at(t[2]) - at(t[0])) / 2.0;
        mesh.indices.chunks(3).map(of).sum()
    }

    #[test]
    fn the_section_of_a_cube_has_the_area_of_the_polygon() {
        let (positions, tets) = cube();
        let mut cases = vec![(Vec3::X, 0.1, 1.0), (Vec3::Y, -0.3, 1.0), (Vec3::X, 0.6, 0.0)];
        // A regular hexagon through the centre, its corners at the middles of edges of length 1.
        cases.push((Vec3::ONE.normalize(), 0.0, 1.5 * 3f32.sqrt() / 2.0));
        // An equilateral triangle near a corner: sides s√2 at s from the corner.
        let s = 0.4f32;
        cases.push((Vec3::ONE.normalize(), (1.5 - s) / 3f32.sqrt(), 3f32.sqrt() / 2.0 * s * s));
        for (normal, offset, expected) in cases {
            let plane = ClipPlane { normal, offset };
            let (mesh, _) = cross_section(&positions, &tets, &plane, |_| [0; 4], [0; 4]);
            let found = area(&mesh);
            assert!((found - normal * expected).length() < 1e-5, "{normal} {offset}: {found} {expected}");
            assert!(mesh.vertices.iter().all(|v| plane.beyond(v.position).abs() < 1e-6));
        }
    }

    #[test]
    fn planes_are_read_and_nonsense_is_explained() {
        let read = |t: &str| t.parse::<ClipChoice>();
        assert_eq!(read("x"), Ok(ClipChoice { normal: Vec3::X, offset: None }));
        assert_eq!(read("-y=0.5"), Ok(ClipChoice { normal: -Vec3::Y, offset: Some(-0.5) }));
        let oblique = read("0,2,0,1").unwrap();
        assert_eq!((oblique.normal, oblique.offset), (Vec3::Y, Some(0.5)));
        for bad in ["", "w", "x=", "0,0,0", "1,2", "1,2,3,4,5"] {
            assert!(read(bad).unwrap_err().contains("no clip plane"), "{bad}");
        }
    }
}
