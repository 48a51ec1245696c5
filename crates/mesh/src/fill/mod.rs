//! Fills a closed surface with tetrahedra.
//!
//! A point is **inside** where the [winding number](TriangleTree::winding) of the surface is a half or more;
//! with the distance to the nearest triangle this is a signed distance, which
//! [`stuff_distance`] fills. Sharp edges and corners of the surface are
//! rounded off by up to half an edge; how far body and surface are apart is measured ([`Deviation`]).
//!
//! ```
//! use gordian_mesh::fill::{FillOptions, fill_surface};
//! use gordian_mesh::{TetTopology, TriMesh, generate};
//!
//! let ball = generate::sphere(1.0, 8)?;
//! let triangles = TetTopology::new(ball.positions.len(), &ball.tets).faces;
//! let surface = TriMesh { positions: ball.positions, triangles };
//! let filled = fill_surface(&surface, &FillOptions::new(0.2))?;
//! assert!(filled.remarks.is_empty() && filled.deviation.largest() < 0.1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;

use glam::DVec3;

use crate::generate::{GenerateError, stuff_distance};
use crate::tri_topology::TriTopology;
use crate::{TetMesh, TetTopology, TriMesh};

mod closed;
mod deviation;
mod tree;
mod winding;

pub use deviation::Deviation;
pub use tree::{Nearest, TriangleTree};

/// What a long edge of the lattice is longer than the mean edge of the mesh, measured.
const LATTICE_EDGE: f64 = 1.08;

/// How a surface is filled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FillOptions {
    /// The mean length of an edge of the mesh, in metres.
    pub edge: f64,
    /// The most memory that may be used, in bytes.
    pub memory: u64,
}

impl FillOptions {
    /// With this edge and at most 8 GB.
    pub fn new(edge: f64) -> Self {
        FillOptions { edge, memory: 8_000_000_000 }
    }
}

/// A filled surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Filled {
    /// The body.
    pub mesh: TetMesh,
    /// What a user should know, the most important first.
    pub remarks: Vec<Remark>,
    /// How far body and surface are apart.
    pub deviation: Deviation,
}

/// Why a surface cannot be filled.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FillError {
    /// There is no triangle with an area.
    #[error("the surface has no triangles with an area")]
    Empty,
    /// The surface has borders: it has no inside.
    #[error(
        "the surface is open: it has {borders} border{}, the longest of {edges} edges and {length:.4e} m round \
         ({}, {}, {}), at vertex {vertex}; close it, or weld vertices that should be one",
        if *borders == 1 { "" } else { "s" }, at.x, at.y, at.z
    )]
    Open {
        /// How many borders there are.
        borders: usize,
        /// Edges of the longest.
        edges: usize,
        /// Its length, in metres.
        length: f64,
        /// Its middle.
        at: DVec3,
        /// One of its vertices, from 0.
        vertex: u32,
    },
    /// An uneven number of sheets meets in an edge.
    #[error(
        "the surface has no inside: the sheets at the edge of vertices {} and {} do not separate two sides; \
         {count} edge{} like it: remove the sheets in excess", vertices[0], vertices[1], if *count == 1 { " is" } else { "s are" }
    )]
    Fins {
        /// The edge.
        vertices: [u32; 2],
        /// How many there are.
        count: usize,
    },
    /// A surface without an inside and an outside.
    #[error("the surface has only one side (as a Möbius strip or a Klein bottle) and no inside")]
    OneSided,
    /// All of it lies in one plane.
    #[error("the surface lies in one plane: there is nothing inside to fill")]
    Flat,
    /// The wanted edge leaves nothing of the surface.
    #[error(
        "nothing is left of the surface at an edge of {edge} m; it is thinner than that everywhere: take a smaller edge"
    )]
    TooCoarse {
        /// What was asked for.
        edge: f64,
    },
    /// The mesh would need too much memory.
    #[error(
        "an edge of {edge} m gives about {vertices:.1e} vertices and needs about {:.1} GB; {:.1} GB are allowed: \
         {least:.3e} m is the smallest edge that fits", needs / 1e9, allowed / 1e9
    )]
    TooFine {
        /// What was asked for, in metres.
        edge: f64,
        /// Vertices that the mesh would have.
        vertices: f64,
        /// Bytes that it would take.
        needs: f64,
        /// Bytes that may be taken.
        allowed: f64,
        /// The smallest edge that fits, in metres.
        least: f64,
    },
    /// The filling failed.
    #[error(transparent)]
    Generate(#[from] GenerateError),
}

/// What a user should know about a filled surface.
#[derive(Clone, Debug, PartialEq)]
pub enum Remark {
    /// Neighbours disagreed; these triangles were turned over.
    TurnedOver(usize),
    /// Closed parts that faced inwards though they are no cavities were turned over.
    InsideOut(usize),
    /// Parts of the surface overlap; their union is filled.
    Overlaps {
        /// The largest winding number found.
        winding: i32,
        /// Where.
        at: DVec3,
    },
    /// Some space is turned inside out by a surface that crosses itself; it is left empty.
    Inverted {
        /// Where.
        at: DVec3,
    },
    /// The body's boundary is not of the surface's topology: thin parts or narrow gaps were lost.
    TopologyLost {
        /// Closed parts of the surface and of the body's boundary.
        parts: [usize; 2],
        /// Handles (holes through) of both.
        handles: [i64; 2],
    },
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |n: usize, what: &str| if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") };
        match self {
            Remark::TurnedOver(n) => {
                write!(f, "{} faced against the neighbours: turned over", count(*n, "triangle"))
            }
            Remark::InsideOut(n) => {
                write!(f, "{} of the surface faced inwards: turned over", count(*n, "closed part"))
            }
            Remark::Overlaps { winding, at } => write!(
                f,
                "the surface overlaps or crosses itself (it winds {winding} times round ({}, {}, {})): \
                 the union of its parts is filled",
                at.x, at.y, at.z
            ),
            Remark::Inverted { at } => write!(
                f,
                "the surface crosses itself so that some space is turned inside out (at ({}, {}, {})): it is left empty",
                at.x, at.y, at.z
            ),
            Remark::TopologyLost { parts, handles } => write!(
                f,
                "the surface has {} and {}, the body has {} and {}: parts or gaps thinner than about two edges \
                 are lost or joined; a smaller edge keeps them",
                count(parts[0], "closed part"),
                count(handles[0].max(0) as usize, "handle"),
                count(parts[1], "closed part"),
                count(handles[1].max(0) as usize, "handle"),
            ),
        }
    }
}

/// Fills `surface` with tetrahedra whose edges are about `options.edge` long.
///
/// The surface may have several closed parts; parts that face inwards inside others are cavities. Triangles
/// and whole parts that face the wrong way are turned over, which the remarks tell.
pub fn fill_surface(surface: &TriMesh, options: &FillOptions) -> Result<Filled, FillError> {
    if !(options.edge > 0.0 && options.edge.is_finite()) {
        let rule = "finite and greater than 0";
        return Err(GenerateError::Parameter { name: "edge", value: options.edge, rule }.into());
    }
    let closed::Closed { surface, mut remarks, volume, area } = closed::close(surface)?;
    let used = || surface.triangles.iter().flatten().map(|&v| surface.positions[v as usize]);
    let bounds = [used().fold(DVec3::INFINITY, DVec3::min), used().fold(DVec3::NEG_INFINITY, DVec3::max)];
    if (bounds[1] - bounds[0]).min_element() <= 0.0 {
        return Err(FillError::Flat);
    }
    check_memory(bounds, volume, area, options)?;
    let tree = TriangleTree::new(&surface);
    let signed = |p: DVec3| {
        let distance = tree.nearest(p).distance;
        if tree.winding(p) >= 0.5 { -distance } else { distance }
    };
    let mesh = match stuff_distance(signed, 1.0, bounds, LATTICE_EDGE * options.edge) {
        Err(GenerateError::Nothing { .. }) => return Err(FillError::TooCoarse { edge: options.edge }),
        mesh => mesh?,
    };
    let topology = TetTopology::new(mesh.positions.len(), &mesh.tets);
    let boundary = TriMesh { positions: mesh.positions.clone(), triangles: topology.faces.clone() };
    let crossings = closed::crossings(&surface, &tree, &mesh);
    if crossings.is_empty() {
        remarks.extend(compare_topology(&surface, &boundary));
    }
    remarks.extend(crossings);
    let deviation = Deviation::measure(&surface, &tree, &boundary, options.edge);
    Ok(Filled { mesh, remarks, deviation })
}

/// Refuses what does not fit into memory, before it is tried.
fn check_memory(
    [low, high]: [DVec3; 2],
    volume: f64,
    area: f64,
    options: &FillOptions,
) -> Result<(), FillError> {
    let edge = options.edge;
    let estimate = |edge: f64| {
        let spacing = LATTICE_EDGE * edge;
        let lattice = 2.0 * ((high - low) / spacing + 4.0).element_product();
        let vertices = 2.0 * volume / spacing.powi(3) + 1.5 * area / (spacing * spacing);
        // A value, a side and a number for each point of the lattice; six tetrahedra, their shapes and
        // incidences, and cut points for each vertex. A rough count, not a measurement.
        (vertices, 16.0 * lattice + 700.0 * vertices)
    };
    let allowed = options.memory as f64;
    let (vertices, needs) = estimate(edge);
    if needs <= allowed {
        return Ok(());
    }
    let (mut fits, mut fails) = (edge, edge);
    while estimate(fits).1 > allowed && fits.is_finite() {
        (fails, fits) = (fits, 2.0 * fits);
    }
    for _ in 0..20 {
        let middle = 0.5 * (fits + fails);
        if estimate(middle).1 > allowed { fails = middle } else { fits = middle }
    }
    Err(FillError::TooFine { edge, vertices, needs, allowed, least: fits })
}

/// Whether the body's boundary has as many parts and handles as the surface.
fn compare_topology(surface: &TriMesh, boundary: &TriMesh) -> Option<Remark> {
    let count = |mesh: &TriMesh| {
        let topology = TriTopology::new(mesh.positions.len(), &mesh.triangles);
        let mut used = mesh.triangles.as_flattened().to_vec();
        used.sort_unstable();
        used.dedup();
        let euler = used.len() as i64 - topology.edge_count as i64 + mesh.triangles.len() as i64;
        let parts = topology.component_count as usize;
        (parts, parts as i64 - euler.div_euclid(2))
    };
    let (of_surface, of_body) = (count(surface), count(boundary));
    (of_surface != of_body).then_some(Remark::TopologyLost {
        parts: [of_surface.0, of_body.0],
        handles: [of_surface.1, of_body.1],
    })
}
