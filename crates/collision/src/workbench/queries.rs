//! Boundary queries of a workload: agreement with the stored answers, work and times.

use glam::{DVec3, Vec3};
use gordian_mesh::TetTopology;
use gordian_mesh::io::npz::{Workload, WorkloadQuery};
use rayon::prelude::*;

use super::WorkbenchError;
use super::clock::{Spread, fastest, once, sweep_caches};
use super::oracle::{Candidate, Oracle};
use crate::{
    DcdOptions, Detector, PathAnswer, PathCounters, PathOptions, PathScratch, Penetration, PointId, PointSet,
};

/// How far two lengths may differ, relatively, and still be the same answer.
const SAME: f64 = 1e-6;

/// Queries that are timed as one: short enough for other processes not to come in between.
const BATCH: usize = 128;

/// The figures of a workload.
#[derive(Clone, Debug, Default)]
pub struct QueryFigures {
    /// Number of queries.
    pub queries: usize,
    /// Answers as long as the stored ones.
    pub equal: usize,
    /// Shorter answers whose path the oracle confirms.
    pub shorter_valid: usize,
    /// Longer answers.
    pub longer: usize,
    /// No answer, or a shorter one without a valid path.
    pub missing: usize,
    /// Each query that is not equal, with the reason.
    pub differences: Vec<Difference>,
    /// With culling, caches warm: what the figures of the same names in a report are.
    pub culled: Cost,
    /// Without culling, caches warm.
    pub unculled: Cost,
    /// Microseconds a query with culling, right after the caches were swept, with scratch memory never used before.
    pub cold_us_mean: f64,
    /// Detection, microseconds a boundary vertex, all tetrahedra that contain it.
    pub dcd_us_per_vertex: f64,
    /// Everything that follows new positions, milliseconds.
    pub refit_ms: f64,
    /// Sorting the mesh and building the trees, milliseconds.
    pub rebuild_ms: f64,
    /// Threads that were at work.
    pub threads: usize,
}

/// What a way to search costs, a query.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Microseconds. The mean is that of whole batches, the others are of single queries, each the fastest of several rounds.
    pub us: Spread,
    /// Distances to boundary faces, mean.
    pub triangles: f64,
    /// Walks, mean.
    pub traversals: f64,
    /// Elements entered, mean.
    pub elements: f64,
    /// Work of all queries.
    pub total: PathCounters,
}

/// A query that is not answered as stored.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The query point is this vertex.
    pub vertex: u32,
    /// The tetrahedron that contains it.
    pub tet: u32,
    /// The stored length; `None` when none was found.
    pub stored: Option<f64>,
    /// The length found here.
    pub found: Option<f64>,
    /// Why they differ.
    pub reason: &'static str,
}

/// Measures the workload, with the threads of the pool that this is called in. Times are the fastest of `rounds`.
///
/// Errors: [`WorkbenchError::Content`] when arrays do not fit each other.
pub fn measure(workload: &Workload, rounds: u32) -> Result<QueryFigures, WorkbenchError> {
    validate(workload)?;
    let topology = TetTopology::new(workload.rest.len(), &workload.tets);
    let mut built = None;
    let rebuild = fastest(rounds.min(3), || built = Some(Detector::new(&topology, &workload.rest)));
    let mut detector = built.expect("at least one round");
    let refit = fastest(rounds, || {
        detector.refit(&workload.deformed);
    });
    let (mut found, mut points) = (Vec::new(), 0);
    let dcd = fastest(rounds, || {
        points = detector.penetrations(PointSet::BoundaryVertices, DcdOptions::default(), &mut found).points;
    });

    let pairs: Vec<Penetration> = workload
        .queries
        .iter()
        .map(|q| Penetration { point: PointId::Vertex(q.vertex), tet: q.tet })
        .collect();
    let options = PathOptions::default();
    let mut answers = Vec::new();
    sweep_caches();
    let cold = once(|| {
        let mut scratch = PathScratch::default();
        answers.extend(
            pairs.iter().map(|p| detector.boundary_point(&detector.query(p), &options, &mut scratch)),
        );
    });
    let mut figures = QueryFigures {
        queries: pairs.len(),
        culled: cost(&detector, &pairs, &options, rounds),
        unculled: cost(&detector, &pairs, &PathOptions { culling: false, ..options }, rounds),
        cold_us_mean: per(cold * 1e6, pairs.len()),
        dcd_us_per_vertex: per(dcd * 1e6, points as usize),
        refit_ms: refit * 1e3,
        rebuild_ms: rebuild * 1e3,
        threads: rayon::current_num_threads(),
        ..QueryFigures::default()
    };
    let judge = Judge { workload, topology: &topology, oracle: Oracle::new(&topology, &workload.deformed) };
    for (query, answer) in workload.queries.iter().zip(&answers) {
        judge.count(query, answer, &mut figures);
    }
    Ok(figures)
}

fn per(total: f64, count: usize) -> f64 {
    total / count.max(1) as f64
}

fn validate(workload: &Workload) -> Result<(), WorkbenchError> {
    let content = |message: String| WorkbenchError::Content { place: "workload".into(), message };
    let finite = |p: &Vec3| p.is_finite();
    if workload.deformed.len() != workload.rest.len() {
        return Err(content("`rest` and `deformed` differ in length".into()));
    }
    for (name, points) in [("rest", &workload.rest), ("deformed", &workload.deformed)] {
        if let Some(v) = points.iter().position(|p| !finite(p)) {
            return Err(content(format!("`{name}`: vertex {v} is not finite")));
        }
    }
    let limits = [workload.rest.len(), workload.tets.len(), workload.faces.len()];
    for (i, q) in workload.queries.iter().enumerate() {
        let faces = if q.found { limits[2] } else { usize::MAX };
        if q.vertex as usize >= limits[0] || q.tet as usize >= limits[1] || q.face as usize >= faces {
            return Err(content(format!("query {i} names a vertex, tetrahedron or face that is not there")));
        }
    }
    Ok(())
}

/// Times and work of all queries, in the order that [`Detector::boundary_points`] takes: along the curve.
fn cost(detector: &Detector, pairs: &[Penetration], options: &PathOptions, rounds: u32) -> Cost {
    let mut answers: Vec<PathAnswer> = Vec::new();
    let total = detector.boundary_points(pairs, options, &mut answers);
    let mean = if rayon::current_num_threads() > 1 {
        fastest(rounds, || {
            detector.boundary_points(pairs, options, &mut answers);
        })
    } else {
        let batch = |part: &[Penetration]| {
            fastest(rounds, || {
                detector.boundary_points(part, options, &mut answers);
            })
        };
        detector.in_order(pairs).chunks(BATCH).map(batch).sum()
    };
    let single = |scratch: &mut PathScratch, pair: &Penetration| {
        let query = detector.query(pair);
        fastest(rounds, || {
            std::hint::black_box(detector.boundary_point(std::hint::black_box(&query), options, scratch));
        }) * 1e6
    };
    let times = pairs.par_iter().map_init(PathScratch::default, single).collect();
    let n = pairs.len();
    Cost {
        us: Spread { mean: per(mean * 1e6, n), ..Spread::of(times) },
        triangles: per(total.triangles as f64, n),
        traversals: per(total.traversals as f64, n),
        elements: per(total.elements as f64, n),
        total,
    }
}

/// Compares answers with the stored ones.
struct Judge<'a> {
    workload: &'a Workload,
    topology: &'a TetTopology,
    oracle: Oracle<'a>,
}

impl Judge<'_> {
    fn count(&self, query: &WorkloadQuery, answer: &PathAnswer, figures: &mut QueryFigures) {
        let stored = query.found.then_some(query.distance);
        let found = answer.end.map(|e| e.distance);
        let reason = match (found, stored) {
            (None, None) => {
                figures.equal += 1;
                return;
            }
            (Some(a), Some(b)) if (a - b).abs() <= SAME * b => {
                figures.equal += 1;
                return;
            }
            (None, Some(_)) => {
                figures.missing += 1;
                "no path was found"
            }
            (Some(a), Some(b)) if a > b => {
                figures.longer += 1;
                if self.stored_is_valid(query) {
                    "the stored path is valid"
                } else {
                    "no chain of elements holds the stored path"
                }
            }
            (Some(_), _) if self.is_valid(query, answer) => {
                figures.shorter_valid += 1;
                "a chain of elements holds the shorter path"
            }
            (Some(_), _) => {
                figures.missing += 1;
                "no chain of elements holds the shorter path"
            }
        };
        let (vertex, tet) = (query.vertex, query.tet);
        figures.differences.push(Difference { vertex, tet, stored, found, reason });
    }

    fn is_valid(&self, query: &WorkloadQuery, answer: &PathAnswer) -> bool {
        answer.end.is_some_and(|end| self.holds(query, end.face, end.position, end.distance, 1e-12))
    }

    fn stored_is_valid(&self, query: &WorkloadQuery) -> bool {
        let wanted = sorted(self.workload.faces[query.face as usize]);
        let face = self.topology.faces.iter().position(|&f| sorted(f) == wanted);
        // What is stored is rounded: its line may miss an edge that the exact one meets.
        face.is_some_and(|f| self.holds(query, f as u32, query.closest, query.distance, SAME))
    }

    /// Whether that point is the face's closest one, and a chain of elements holds the way there.
    fn holds(&self, query: &WorkloadQuery, face: u32, point: DVec3, distance: f64, tolerance: f64) -> bool {
        let p = self.oracle.positions[query.vertex as usize];
        let near = self.oracle.candidates(p, &[query.vertex], distance * (1.0 + SAME));
        let same = |c: &&Candidate| c.face == face && (c.point - point).length() <= SAME * distance;
        near.iter().find(same).is_some_and(|c| self.oracle.valid(p, query.tet, c, tolerance))
    }
}

fn sorted(mut face: [u32; 3]) -> [u32; 3] {
    face.sort_unstable();
    face
}
