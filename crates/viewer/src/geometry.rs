//! What the renderer takes: triangles, lines and dots, ready to be uploaded.

use bytemuck::{Pod, Zeroable};
use glam::{Vec2, Vec3};

use crate::theme::Colour;

/// A corner of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Vertex {
    /// Metres.
    pub position: Vec3,
    /// Outward; need not be of unit length.
    pub normal: Vec3,
    /// sRGB and opacity.
    pub colour: Colour,
}

/// A corner of a plane that bodies stand on.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct GroundVertex {
    /// Metres.
    pub position: Vec3,
    /// Out of the solid half.
    pub normal: Vec3,
    /// Place in the grid: lines are drawn at whole numbers.
    pub cell: Vec2,
}

/// A line.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Line {
    /// One end, metres.
    pub from: Vec3,
    /// Its colour.
    pub from_colour: Colour,
    /// The other end, metres.
    pub to: Vec3,
    /// Its colour.
    pub to_colour: Colour,
    /// Width, points (pixels where the display is not dense).
    pub width: f32,
    /// What cloth the ends lie on: its normals in 127ths, and 127; all zero where it is none.
    pub cloth: [[i8; 4]; 2],
}

impl Line {
    /// A line of one colour.
    pub fn new(from: Vec3, to: Vec3, colour: Colour, width: f32) -> Self {
        Line { from, from_colour: colour, to, to_colour: colour, width, cloth: [[0; 4]; 2] }
    }

    /// The same line on cloth with these unit normals at its ends: it is drawn nearer to the eye as the cloth is. Zero for
    /// normals that are not known: it is drawn nearer than cloth of any.
    pub fn on_cloth(self, normals: [Vec3; 2]) -> Self {
        let packed = |n: Vec3| [n.x, n.y, n.z, 1.0].map(|c| (c * 127.0).round() as i8);
        Line { cloth: normals.map(packed), ..self }
    }
}

/// A round mark.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Dot {
    /// Metres.
    pub position: Vec3,
    /// Its colour.
    pub colour: Colour,
    /// Radius, points.
    pub radius: f32,
    /// 1 on cloth, which is drawn nearer to the eye, else 0.
    pub cloth: f32,
}

impl Dot {
    /// A dot.
    pub fn new(position: Vec3, colour: Colour, radius: f32) -> Self {
        Dot { position, colour, radius, cloth: 0.0 }
    }

    /// The same dot where it lies on cloth: it is drawn nearer to the eye than cloth of any normal.
    pub fn on_cloth(self, is: bool) -> Self {
        Dot { cloth: is.into(), ..self }
    }
}

/// Triangles with shared corners.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// The corners.
    pub vertices: Vec<Vertex>,
    /// Three for each triangle.
    pub indices: Vec<u32>,
}

impl Mesh {
    /// Adds a flat triangle, counter-clockwise from outside.
    pub fn triangle(&mut self, corners: [Vec3; 3], colour: Colour) {
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
        let first = self.vertices.len() as u32;
        self.vertices.extend(corners.map(|position| Vertex { position, normal, colour }));
        self.indices.extend([first, first + 1, first + 2]);
    }
}

/// All there is to draw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Geometry {
    /// Surfaces of bodies; a clip plane cuts them.
    pub bodies: Mesh,
    /// Cloth, seen from both sides; a clip plane cuts it.
    pub sheets: Mesh,
    /// The cuts, flat.
    pub sections: Mesh,
    /// Colliders.
    pub solids: Mesh,
    /// Containers, seen from inside only.
    pub shells: Mesh,
    /// What is seen through: planes that nothing stands on, faces of inverted tetrahedra.
    pub glass: Mesh,
    /// Planes to stand on, triangles.
    pub ground: Vec<GroundVertex>,
    /// Lines that hide behind surfaces: wires.
    pub wires: Vec<Line>,
    /// Lines that shine through surfaces faintly: contours, paths, edges of what is inverted.
    pub lines: Vec<Line>,
    /// Dots that shine through surfaces.
    pub dots: Vec<Dot>,
    /// Lines that shine through bodies, which touch where nobody sees, but not through cloth: contacts.
    pub touches: Vec<Line>,
    /// Their dots.
    pub touch_dots: Vec<Dot>,
    /// Middle and radius of what is looked at: bodies and colliders of finite size, metres.
    pub centre: Vec3,
    /// See `centre`; positive.
    pub radius: f32,
    /// Distance of the lines of the ground, metres.
    pub grid: f32,
    /// By how much cloth is drawn nearer to the eye than it is, metres.
    pub lift: f32,
    /// What lies beyond is cut away.
    pub clip: Option<ClipPlane>,
}

/// A plane: what lies where `normal · p > offset` is cut away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClipPlane {
    /// Towards what is cut away; unit length.
    pub normal: Vec3,
    /// Distance of the plane from the origin along the normal, metres.
    pub offset: f32,
}

impl ClipPlane {
    /// How far `p` is on the side that is cut away, metres.
    pub fn beyond(&self, p: Vec3) -> f32 {
        self.normal.dot(p) - self.offset
    }
}
