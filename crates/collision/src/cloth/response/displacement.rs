//! What a response gives: displacements of vertices, and which vertices lie beside which contour.

use glam::{DVec3, Vec3};

/// Beside no contour.
const NONE: u32 = u32::MAX;

/// Displacements of a frame, metres; keeps its memory between frames.
#[derive(Clone, Debug, Default)]
pub struct Displacement {
    by: Vec<Vec3>,
    /// The contour that a vertex lies beside, and on which side of it; side 0 for both.
    beside: Vec<(u32, i8)>,
    touched: Vec<u32>,
    seen: Vec<bool>,
    /// Of the contour in work: sums and counts by vertex, and the vertices in the order in which they came.
    sum: Vec<DVec3>,
    count: Vec<u32>,
    members: Vec<u32>,
}

impl Displacement {
    /// Forgets everything; for `n` vertices.
    pub fn clear(&mut self, n: usize) {
        if self.by.len() != n {
            self.by = vec![Vec3::ZERO; n];
            self.beside = vec![(NONE, 0); n];
            self.seen = vec![false; n];
            self.sum = vec![DVec3::ZERO; n];
            self.count = vec![0; n];
            self.touched.clear();
        }
        for &v in &self.touched {
            self.by[v as usize] = Vec3::ZERO;
            self.beside[v as usize] = (NONE, 0);
            self.seen[v as usize] = false;
        }
        self.touched.clear();
    }

    /// Displacement of each vertex, metres.
    pub fn by(&self) -> &[Vec3] {
        &self.by
    }

    /// The vertices that move or lie beside a contour, each once.
    pub fn vertices(&self) -> &[u32] {
        &self.touched
    }

    /// Largest displacement, metres.
    pub fn largest(&self) -> f32 {
        self.touched.iter().map(|&v| self.by[v as usize].length()).fold(0.0, f32::max)
    }

    /// Whether two vertices lie on opposite sides of one contour.
    pub fn opposite(&self, a: u32, b: u32) -> bool {
        let ((c, side), (d, other)) = (self.beside[a as usize], self.beside[b as usize]);
        c != NONE && c == d && (side != other || side == 0)
    }

    /// Says that a vertex lies beside a contour, on this side.
    pub fn mark(&mut self, vertex: u32, contour: u32, side: i8) {
        self.touch(vertex);
        let slot = &mut self.beside[vertex as usize];
        *slot = match *slot {
            (c, s) if c == contour && s != side => (c, 0),
            _ => (contour, side),
        };
    }

    /// Moves a vertex, as part of what [`finish`](Self::finish) closes.
    pub fn push(&mut self, vertex: u32, by: DVec3) {
        let i = vertex as usize;
        if self.count[i] == 0 {
            self.members.push(vertex);
        }
        self.sum[i] += by;
        self.count[i] += 1;
    }

    /// Closes a group of pushes: each vertex moves by the mean of what it was told, and all are shifted together so that their
    /// centre of mass stays, unless one of them is held.
    pub fn finish(&mut self, inv_mass: &[f32]) {
        let (mut momentum, mut mass, mut held) = (DVec3::ZERO, 0.0, false);
        for &v in &self.members {
            let i = v as usize;
            self.sum[i] /= f64::from(self.count[i]);
            match f64::from(inv_mass[i]) {
                0.0 => held = true,
                w => {
                    momentum += self.sum[i] / w;
                    mass += 1.0 / w;
                }
            }
        }
        let drift = if held || mass == 0.0 { DVec3::ZERO } else { momentum / mass };
        let members = std::mem::take(&mut self.members);
        for &v in &members {
            let i = v as usize;
            let by = std::mem::take(&mut self.sum[i]);
            self.count[i] = 0;
            if inv_mass[i] > 0.0 {
                self.touch(v);
                self.by[i] += (by - drift).as_vec3();
            }
        }
        self.members = members;
        self.members.clear();
    }

    /// Says by how much a vertex moves, whatever it was told before.
    pub fn set(&mut self, vertex: u32, by: Vec3) {
        self.touch(vertex);
        self.by[vertex as usize] = by;
    }

    fn touch(&mut self, vertex: u32) {
        if !std::mem::replace(&mut self.seen[vertex as usize], true) {
            self.touched.push(vertex);
        }
    }
}
