//! The mesh doctor: everything about a mesh that may disturb a simulation, typed and with element numbers.
//!
//! [`examine_tets`] and [`examine_surface`] look, and change and print nothing. A **finding** is one
//! [`Problem`] with all elements that have it; how grave it is and what to do about it is the same for each
//! kind of problem.

use glam::DVec3;
use rayon::prelude::*;

use crate::elements::{is_flat_tet, is_flat_triangle, repeated, unused};
use crate::manifold::{nonmanifold_edges, nonmanifold_vertices};
use crate::quality::{TetQuality, TriQuality, dihedral_angles, radius_ratio};
use crate::tri_topology::{Across, TriTopology};
use crate::{TetMesh, TetTopology, TopologyDefect, TriMesh, signed_volume};

/// A tetrahedron with a dihedral angle under this, or over 180 minus this, in degrees, is a sliver.
pub const SLIVER_DEGREES: f64 = 2.0;
/// A tetrahedron with a radius ratio under this is a sliver: a needle or a cap whose angles may be fair.
pub const SLIVER_RADIUS_RATIO: f64 = 0.01;

/// How grave a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Simulates as meant; good to know.
    Note,
    /// Simulates, but not well there.
    Warning,
    /// The simulation is wrong there, or the element is left out.
    Error,
}

/// What can be wrong with a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Problem {
    /// Vertices whose position is not finite.
    NotFinite,
    /// Elements that name a vertex twice.
    RepeatedVertex,
    /// Tetrahedra of negative volume.
    Negative,
    /// Tetrahedra without volume, triangles without area, up to the rounding of their computation.
    Flat,
    /// Tetrahedra with extreme angles ([`SLIVER_DEGREES`], [`SLIVER_RADIUS_RATIO`]).
    Sliver,
    /// Elements whose vertices are those of an earlier one, in any order.
    Duplicate,
    /// Tetrahedra that share one face with two others or more.
    FaceShared,
    /// Tetrahedra that lie on the same side of the face between them.
    FaceOrientation,
    /// Edges where the boundary touches itself, or with three triangles and more.
    NonmanifoldEdge,
    /// Vertices where the boundary touches itself, or where fans of triangles meet in a point.
    NonmanifoldVertex,
    /// Vertices that no element uses.
    Unreferenced,
    /// Vertices in the very place of an earlier one.
    Coincident,
    /// Triangles that are turned over against their neighbours.
    TurnedOver,
    /// A surface that has only one side, as a Möbius strip.
    OneSided,
    /// A closed surface whose triangles face inwards.
    InsideOut,
}

impl Problem {
    /// How grave it is.
    pub fn severity(self) -> Severity {
        use Problem::*;
        match self {
            NotFinite | RepeatedVertex | Negative | Flat | Duplicate | FaceShared | FaceOrientation => {
                Severity::Error
            }
            Sliver | NonmanifoldEdge | NonmanifoldVertex | TurnedOver | OneSided | InsideOut => {
                Severity::Warning
            }
            Unreferenced | Coincident => Severity::Note,
        }
    }

    /// A short name in snake case, for machines.
    pub fn name(self) -> &'static str {
        use Problem::*;
        match self {
            NotFinite => "not_finite",
            RepeatedVertex => "repeated_vertex",
            Negative => "negative",
            Flat => "flat",
            Sliver => "sliver",
            Duplicate => "duplicate",
            FaceShared => "face_shared",
            FaceOrientation => "face_orientation",
            NonmanifoldEdge => "nonmanifold_edge",
            NonmanifoldVertex => "nonmanifold_vertex",
            Unreferenced => "unreferenced",
            Coincident => "coincident",
            TurnedOver => "turned_over",
            OneSided => "one_sided",
            InsideOut => "inside_out",
        }
    }

    /// What it means and what to do, for people.
    pub fn about(self) -> &'static str {
        use Problem::*;
        match self {
            NotFinite => "position is not a number or infinite; repair the mesh",
            RepeatedVertex => "names a vertex twice; remove it",
            Negative => "negative volume; loading turns it round",
            Flat => "no extent; remove it or move its vertices apart",
            Sliver => "nearly flat; improve the mesh, or expect stiff and unstable elements",
            Duplicate => "there before; remove it",
            FaceShared => "more than two tetrahedra on one face; all of them get a boundary there",
            FaceOrientation => {
                "two tetrahedra on the same side of a face; one of them is turned or misplaced"
            }
            NonmanifoldEdge => "several sheets meet along the edge; bending is not defined there",
            NonmanifoldVertex => "several sheets meet in the vertex; they can swing round it",
            Unreferenced => "no element uses it; it stays where it is",
            Coincident => {
                "in the place of an earlier vertex and not joined with it: a crack, unless it is meant"
            }
            TurnedOver => "turned over against its neighbours; turn it round",
            OneSided => "the surface has only one side; cut it open",
            InsideOut => "the closed surface faces inwards; turn all triangles round",
        }
    }
}

/// What a finding points to, numbered from 0 as in the mesh.
#[derive(Clone, Debug, PartialEq)]
pub enum Elements {
    /// Vertices.
    Vertices(Vec<u32>),
    /// Edges, as two vertices in ascending order.
    Edges(Vec<[u32; 2]>),
    /// Triangles.
    Triangles(Vec<u32>),
    /// Tetrahedra.
    Tets(Vec<u32>),
    /// The mesh as a whole.
    Mesh,
}

impl Elements {
    /// How many there are; 1 for the mesh as a whole.
    pub fn count(&self) -> usize {
        match self {
            Elements::Vertices(v) | Elements::Triangles(v) | Elements::Tets(v) => v.len(),
            Elements::Edges(e) => e.len(),
            Elements::Mesh => 1,
        }
    }
}

/// A problem and where it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What is wrong.
    pub problem: Problem,
    /// Which elements have it: never none, ascending.
    pub elements: Elements,
}

/// What there is to say about a tetrahedral mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct TetReport {
    /// Number of vertices.
    pub vertices: usize,
    /// Number of tetrahedra.
    pub tets: usize,
    /// Number of boundary faces.
    pub boundary_faces: usize,
    /// Number of boundary vertices.
    pub boundary_vertices: usize,
    /// Number of parts that share no vertex, vertices without a tetrahedron left out.
    pub components: usize,
    /// Euler characteristic of the boundary: 2 for each closed surface without handles.
    pub boundary_euler: i64,
    /// Shape of the elements.
    pub quality: TetQuality,
    /// What is wrong, the gravest first.
    pub findings: Vec<Finding>,
}

/// What there is to say about a triangle mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceReport {
    /// Number of vertices.
    pub vertices: usize,
    /// Number of triangles.
    pub triangles: usize,
    /// Number of edges.
    pub edges: usize,
    /// Number of parts connected across edges.
    pub components: usize,
    /// Whether every edge has exactly two triangles: the surface encloses a volume.
    pub closed: bool,
    /// Whether all neighbours have the same orientation.
    pub oriented: bool,
    /// The border as loops of vertices.
    pub border_loops: Vec<Vec<u32>>,
    /// Vertices in use minus edges plus triangles.
    pub euler: i64,
    /// The enclosed volume, in cubic metres, if the surface is closed and oriented.
    pub volume: Option<f64>,
    /// Shape of the triangles.
    pub quality: TriQuality,
    /// What is wrong, the gravest first.
    pub findings: Vec<Finding>,
}

/// Examines a volume. Every vertex index must exist, as after loading.
pub fn examine_tets(mesh: &TetMesh) -> TetReport {
    let topology = TetTopology::new(mesh.positions.len(), &mesh.tets);
    let mut findings = Findings::default();
    let tets = |condition: &(dyn Fn(u32) -> bool + Sync)| {
        Elements::Tets((0..mesh.tets.len() as u32).into_par_iter().filter(|&t| condition(t)).collect())
    };
    let corners = |t: u32| mesh.corners(t as usize);
    let repeats = |t: u32| repeats_vertex(&mesh.tets[t as usize]);
    let flat = |t: u32| !repeats(t) && is_flat_tet(corners(t));

    findings.vertices_of(&mesh.positions, unused(mesh.positions.len(), &mesh.tets));
    findings.add(Problem::RepeatedVertex, tets(&repeats));
    findings.add(Problem::Flat, tets(&flat));
    findings.add(Problem::Negative, tets(&|t| !repeats(t) && !flat(t) && signed_volume(corners(t)) < 0.0));
    findings.add(Problem::Sliver, tets(&|t| !repeats(t) && !flat(t) && is_sliver(corners(t))));
    findings.add(Problem::Duplicate, Elements::Tets(narrow(repeated(&mesh.tets))));
    let (mut shared, mut oriented) = (Vec::new(), Vec::new());
    for defect in &topology.defects {
        match defect {
            TopologyDefect::FaceShared { tets, .. } => shared.extend(tets),
            TopologyDefect::FaceOrientation { tets, .. } => oriented.extend(tets),
        }
    }
    findings.add(Problem::FaceShared, Elements::Tets(sorted(shared)));
    findings.add(Problem::FaceOrientation, Elements::Tets(sorted(oriented)));
    let edges = nonmanifold_edges(&topology);
    // The ends of such an edge are pinched as well; that need not be said twice.
    let ends = sorted(edges.as_flattened().to_vec());
    let pinched =
        nonmanifold_vertices(&topology).into_iter().filter(|v| ends.binary_search(v).is_err()).collect();
    findings.add(Problem::NonmanifoldEdge, Elements::Edges(edges));
    findings.add(Problem::NonmanifoldVertex, Elements::Vertices(pinched));

    TetReport {
        vertices: mesh.positions.len(),
        tets: mesh.tets.len(),
        boundary_faces: topology.faces.len(),
        boundary_vertices: topology.boundary_vertices.len(),
        components: topology.component_count as usize - topology.unreferenced_vertices().count(),
        boundary_euler: euler(topology.boundary_vertices.len(), topology.edges.len(), topology.faces.len()),
        quality: TetQuality::measure(mesh),
        findings: findings.into_sorted(),
    }
}

/// Examines a surface. Every vertex index must exist, as after loading.
pub fn examine_surface(mesh: &TriMesh) -> SurfaceReport {
    let topology = TriTopology::new(mesh.positions.len(), &mesh.triangles);
    let mut findings = Findings::default();
    let triangles = |condition: &dyn Fn(&[u32; 3]) -> bool| {
        let count = mesh.triangles.len() as u32;
        Elements::Triangles((0..count).filter(|&t| condition(&mesh.triangles[t as usize])).collect())
    };
    let flat = |t: &[u32; 3]| is_flat_triangle(t.map(|v| mesh.positions[v as usize]));
    let unused = unused(mesh.positions.len(), &mesh.triangles);
    let used = mesh.positions.len() - unused.len();

    findings.vertices_of(&mesh.positions, unused);
    findings.add(Problem::RepeatedVertex, triangles(&|t| repeats_vertex(t)));
    findings.add(Problem::Flat, triangles(&|t| !repeats_vertex(t) && flat(t)));
    findings.add(Problem::Duplicate, Elements::Triangles(narrow(repeated(&mesh.triangles))));
    findings.add(Problem::NonmanifoldEdge, Elements::Edges(topology.nonmanifold_edges.clone()));
    findings.add(Problem::NonmanifoldVertex, Elements::Vertices(topology.nonmanifold_vertices.clone()));
    let closed = topology.is_closed();
    let oriented = !topology.across.as_flattened().iter().any(|a| matches!(a, Across::Turned(_)));
    let volume = (closed && oriented).then(|| enclosed_volume(mesh));
    if !topology.orientable {
        findings.add(Problem::OneSided, Elements::Mesh);
    } else {
        findings.add(Problem::TurnedOver, Elements::Triangles(topology.to_turn.clone()));
    }
    if volume.is_some_and(|v| v < 0.0) {
        findings.add(Problem::InsideOut, Elements::Mesh);
    }

    SurfaceReport {
        vertices: mesh.positions.len(),
        triangles: mesh.triangles.len(),
        edges: topology.edge_count,
        components: topology.component_count as usize,
        closed,
        oriented,
        euler: euler(used, topology.edge_count, mesh.triangles.len()),
        border_loops: topology.border_loops,
        volume,
        quality: TriQuality::measure(mesh),
        findings: findings.into_sorted(),
    }
}

/// The findings while they are gathered.
#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, problem: Problem, elements: Elements) {
        if elements.count() > 0 {
            self.0.push(Finding { problem, elements });
        }
    }

    /// What both kinds of mesh are asked about their vertices.
    fn vertices_of(&mut self, positions: &[DVec3], unused: Vec<usize>) {
        let broken = (0..positions.len()).filter(|&v| !positions[v].is_finite()).collect();
        self.add(Problem::NotFinite, Elements::Vertices(narrow(broken)));
        self.add(Problem::Unreferenced, Elements::Vertices(narrow(unused)));
        self.add(Problem::Coincident, Elements::Vertices(coincident(positions)));
    }

    /// The gravest first; among equals in the order in which they were added.
    fn into_sorted(self) -> Vec<Finding> {
        let mut findings = self.0;
        findings.sort_by_key(|f| std::cmp::Reverse(f.problem.severity()));
        findings
    }
}

fn is_sliver(corners: [DVec3; 4]) -> bool {
    let extreme = |&angle: &f64| !(SLIVER_DEGREES..=180.0 - SLIVER_DEGREES).contains(&angle);
    dihedral_angles(corners).iter().any(extreme) || radius_ratio(corners).abs() < SLIVER_RADIUS_RATIO
}

fn repeats_vertex<const K: usize>(element: &[u32; K]) -> bool {
    (1..K).any(|k| element[..k].contains(&element[k]))
}

/// Vertices with exactly the coordinates of an earlier one; ascending.
fn coincident(positions: &[DVec3]) -> Vec<u32> {
    // Adding zero turns -0 into 0; then equal numbers have equal bits.
    let key = |(v, p): (usize, &DVec3)| (p.to_array().map(|x| (x + 0.0).to_bits()), v as u32);
    let mut keys: Vec<([u64; 3], u32)> = positions.par_iter().enumerate().map(key).collect();
    keys.par_sort_unstable();
    sorted(keys.windows(2).filter(|w| w[0].0 == w[1].0).map(|w| w[1].1).collect())
}

fn sorted(mut ids: Vec<u32>) -> Vec<u32> {
    ids.sort_unstable();
    ids.dedup();
    ids
}

fn narrow(ids: Vec<usize>) -> Vec<u32> {
    ids.into_iter().map(|id| id as u32).collect()
}

fn euler(vertices: usize, edges: usize, faces: usize) -> i64 {
    vertices as i64 - edges as i64 + faces as i64
}

/// Sum of the signed volumes between the triangles and a point amid them.
fn enclosed_volume(mesh: &TriMesh) -> f64 {
    let Some(origin) = mesh.triangles.first().map(|t| mesh.positions[t[0] as usize]) else { return 0.0 };
    let volume = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
        signed_volume([origin, a, b, c])
    };
    mesh.triangles.iter().map(volume).sum()
}
