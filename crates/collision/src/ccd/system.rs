//! The polynomial system behind both kinds of continuous collision query.
//!
//! Let four points move linearly over `t` in \[0, 1\]. A vertex meets a triangle, or an edge an edge, at time `t`
//! exactly when
//!
//! 1. the four points are **coplanar**: the cubic `f(t)` vanishes,
//! 2. the projections along every coordinate axis meet: in each axis the `N` quadratics `e_i(t)` (orientations of
//!    a point against an edge) have weakly the same sign, and
//! 3. the bounding boxes meet: in each axis the `N` linear coordinate differences `d_i(t)` are neither all
//!    positive nor all negative.
//!
//! No case is special: where the points span a plane, some axis projects it one to one, and the planar test
//! is exact; where they are collinear all quadratics vanish and the boxes decide. Degenerate triangles and edges
//! of zero length are therefore covered, and contact counts as a hit.
//!
//! Everything is built from `N` difference vectors: `f_i - v` (N = 3) for a vertex against a face, `q_j - p_i`
//! (N = 4) for two edges. Polynomials are in the Bernstein basis over the whole step, whose coefficients bound
//! them, scaled by small integers so that the same formulas serve floating point and exact integers.

use super::number::Number;

/// A vector polynomial's coefficients are stored per coefficient: `[[x, y, z]; degree + 1]`.
pub(super) type Vector<T> = [T; 3];

/// How the quadratics and the cubic are formed from the difference vectors `d`.
#[derive(Clone, Copy)]
pub(super) struct Shape<const N: usize> {
    /// `e_i = d[factors[i].0] × d[factors[i].1]`.
    pub factors: [(usize, usize); N],
    /// `f = ± d[cubic] · e[cubic]`.
    pub cubic: usize,
    /// Two directions in the plane, as differences `d[i] - d[j]`.
    pub sides: [(usize, usize); 2],
}

/// Vertex against face, `d = [a - v, b - v, c - v]`.
pub(super) const VERTEX_FACE: Shape<3> =
    Shape { factors: [(1, 2), (2, 0), (0, 1)], cubic: 0, sides: [(1, 0), (2, 0)] };

/// Edge `p` against edge `q`, `d = [q0 - p0, q1 - p0, q0 - p1, q1 - p1]`: the orientations of `q0`, `q1` against
/// `p` and of `p0`, `p1` against `q`, the second and third with the opposite sign.
pub(super) const EDGE_EDGE: Shape<4> =
    Shape { factors: [(0, 2), (3, 1), (1, 0), (2, 3)], cubic: 2, sides: [(0, 2), (1, 0)] };

/// The difference vectors at the start and at the end of the step.
#[derive(Clone, Debug)]
pub(super) struct Differences<T, const N: usize>(pub [[Vector<T>; 2]; N]);

fn minus<T: Number>(a: &Vector<T>, b: &Vector<T>) -> Vector<T> {
    [a[0].sub(&b[0]), a[1].sub(&b[1]), a[2].sub(&b[2])]
}

/// `v, a, b, c` at the start and at the end.
pub(super) fn vertex_face<T: Number>(start: &[Vector<T>; 4], end: &[Vector<T>; 4]) -> Differences<T, 3> {
    Differences([1, 2, 3].map(|i| [minus(&start[i], &start[0]), minus(&end[i], &end[0])]))
}

/// `p0, p1, q0, q1` at the start and at the end.
pub(super) fn edge_edge<T: Number>(start: &[Vector<T>; 4], end: &[Vector<T>; 4]) -> Differences<T, 4> {
    Differences(
        [(2, 0), (3, 0), (2, 1), (3, 1)].map(|(q, p)| [minus(&start[q], &start[p]), minus(&end[q], &end[p])]),
    )
}

/// Bernstein coefficients of one component of the cross product of two moving vectors, times 2.
#[inline]
fn cross<T: Number>(u: &[Vector<T>; 2], v: &[Vector<T>; 2], axis: usize) -> [T; 3] {
    let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
    let minor = |a: usize, b: usize| u[a][j].mul(&v[b][k]).sub(&u[a][k].mul(&v[b][j]));
    [minor(0, 0).times(2), minor(0, 1).add(&minor(1, 0)), minor(1, 1).times(2)]
}

impl<const N: usize> Differences<f64, N> {
    /// Whether no coordinate is infinite or not a number.
    pub fn is_finite(&self) -> bool {
        self.0.iter().flatten().flatten().all(|x| x.is_finite())
    }
}

impl<T: Number, const N: usize> Differences<T, N> {
    /// Bernstein coefficients of the quadratic `e_i` in one axis, times 2.
    #[inline]
    pub fn quadratic(&self, shape: &Shape<N>, i: usize, axis: usize) -> [T; 3] {
        cross(&self.0[shape.factors[i].0], &self.0[shape.factors[i].1], axis)
    }

    /// Bernstein coefficients of a component of the normal of the plane in which the points lie, times 2.
    pub fn normal(&self, shape: &Shape<N>, axis: usize) -> [T; 3] {
        let [u, v] = shape
            .sides
            .map(|(i, j)| [minus(&self.0[i][0], &self.0[j][0]), minus(&self.0[i][1], &self.0[j][1])]);
        cross(&u, &v, axis)
    }

    /// Bernstein coefficients of the cubic, times 6 and up to sign.
    #[inline]
    pub fn cubic(&self, shape: &Shape<N>) -> [T; 4] {
        let e = [0, 1, 2].map(|axis| self.quadratic(shape, shape.cubic, axis));
        let [d0, d1] = &self.0[shape.cubic];
        let dot =
            |d: &Vector<T>, c: usize| d[0].mul(&e[0][c]).add(&d[1].mul(&e[1][c])).add(&d[2].mul(&e[2][c]));
        [
            dot(d0, 0).times(3),
            dot(d1, 0).add(&dot(d0, 1).times(2)),
            dot(d0, 2).add(&dot(d1, 1).times(2)),
            dot(d1, 2).times(3),
        ]
    }
}
