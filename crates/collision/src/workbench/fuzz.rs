//! Boundary queries on random bodies against the oracle, and how a failure is made small.

use std::fmt::Write;

use super::bodies::{Body, every_option};
use super::oracle::Oracle;
use super::random::Random;
use super::tangles::tangle;
use crate::{DcdOptions, Detector, Own, PathOptions, PathQuery, PathScratch, PointSet};

/// Most queries of a body.
const QUERIES: usize = 600;

/// How far lengths may differ, relative to themselves and to coordinates: what rounding does to the same point found another
/// way.
const CLOSE: [f64; 2] = [1e-9, 1e-14];

/// An answer that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The query.
    pub query: PathQuery,
    /// How it was searched.
    pub options: PathOptions,
    /// The length found.
    pub found: Option<f64>,
    /// The length that is right.
    pub right: Option<f64>,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Failure { query, options, found, right } = self;
        write!(f, "{query:?}\n{options:?}\nfound {found:?}, right is {right:?}")
    }
}

/// Checks every kind of query on the body of `seed`. Returns their number.
///
/// # Errors
/// The body and the first answer that is wrong.
pub fn run(seed: u64) -> Result<usize, Box<(Body, Failure)>> {
    let body = tangle(seed);
    let topology = body.topology();
    let oracle = Oracle::new(&topology, &body.pose);
    let detector = body.detector();
    let queries = queries(&body, &detector, seed);
    for query in &queries {
        if let Err(failure) = compare(&oracle, &detector, query) {
            return Err(Box::new((body, failure)));
        }
    }
    Ok(queries.len())
}

/// Points of the body inside elements that are not theirs, and random points of elements, some on lattice lines, and some that
/// belong to an element nearby.
fn queries(body: &Body, detector: &Detector, seed: u64) -> Vec<PathQuery> {
    let mut random = Random::new(!seed);
    let mut found = Vec::new();
    detector.penetrations(PointSet::AllVerticesAndCentroids, DcdOptions::default(), &mut found);
    let stride = found.len().div_ceil(QUERIES / 2).max(1);
    let mut queries: Vec<PathQuery> = found.iter().step_by(stride).map(|p| detector.query(p)).collect();
    while queries.len() < QUERIES {
        let tet = random.below(body.tets.len()) as u32;
        let corners = body.tets[tet as usize].map(|v| body.pose[v as usize].as_dvec3());
        let weights = if random.once_in(2) {
            [0.25, 0.5, 0.125, 0.125]
        } else {
            let w = [0; 4].map(|_| random.between(0.01, 1.0));
            w.map(|x| x / w.iter().sum::<f64>())
        };
        let point = (0..4).map(|k| corners[k] * weights[(k + tet as usize) % 4]).sum();
        if crate::dcd::strictly_contains(corners, point) {
            // Elements that follow each other are near each other.
            let near = (tet as usize + random.below(12)) % body.tets.len();
            let own = match random.below(6) {
                0 | 1 => Own::Tet(near as u32),
                2 => Own::Edge([body.tets[near][0], body.tets[near][1]]),
                _ => Own::Nothing,
            };
            queries.push(PathQuery { point, tet, own });
        } else if found.is_empty() && detector.inverted_count() == body.tets.len() {
            break;
        }
    }
    queries
}

/// Checks one query on a body in every way that it can be searched.
///
/// # Errors
/// The first answer that is wrong.
pub fn check_query(body: &Body, query: &PathQuery) -> Result<(), Failure> {
    let topology = body.topology();
    compare(&Oracle::new(&topology, &body.pose), &body.detector(), query)
}

fn compare(oracle: &Oracle, detector: &Detector, query: &PathQuery) -> Result<(), Failure> {
    let own = match query.own {
        Own::Nothing => Vec::new(),
        Own::Vertex(v) => vec![v],
        Own::Edge(e) => e.to_vec(),
        Own::Tet(t) => oracle.topology.tets[t as usize].to_vec(),
    };
    let close = |a: f64, b: f64| (a - b).abs() <= CLOSE[0] * b + CLOSE[1] * query.point.abs().max_element();
    let immersed = detector.inverted_count() == 0;
    let (p, tet) = (query.point, query.tet);
    let mut scratch = PathScratch::default();
    for options in every_option() {
        let end = detector.boundary_point(query, &options, &mut scratch).end;
        let found = end.map(|end| end.distance);
        let radius = found.map_or(f64::INFINITY, |d| d * 1.001);
        let near = oracle.candidates(p, &own, radius);
        // An inverted tetrahedron may lead a line back from past its ends, to a candidate that is nearer. Such a path may be
        // an answer, but need not be found.
        let right = match immersed {
            true => near.iter().find(|c| oracle.valid(p, tet, c, 1e-12)),
            false => near.iter().find(|c| oracle.forward(p, tet, c)),
        };
        let right = right.map(|c| c.distance);
        let agree = match (found, right) {
            (Some(a), Some(b)) if close(a, b) => true,
            (None, b) => b.is_none(),
            (Some(a), b) => {
                let shorter = b.is_none_or(|b| a < b);
                !immersed
                    && shorter
                    && near.iter().any(|c| close(c.distance, a) && oracle.valid(p, tet, c, 1e-12))
            }
        };
        if !agree {
            return Err(Failure { query: *query, options, found, right });
        }
    }
    Ok(())
}

/// Takes away tetrahedra as long as the query still fails, halves first, then single ones.
pub fn shrink(body: &Body, failure: &Failure) -> (Body, Failure) {
    let (mut body, mut failure) = (body.clone(), failure.clone());
    let mut part = body.tets.len() / 2;
    while part > 0 {
        let mut start = 0;
        let before = body.tets.len();
        while start < body.tets.len() {
            let end = (start + part).min(body.tets.len());
            match without(&body, &failure.query, start..end) {
                Some((smaller, query)) if let Err(smaller_failure) = check_query(&smaller, &query) => {
                    (body, failure) = (smaller, smaller_failure);
                }
                _ => start = end,
            }
        }
        if part > 1 || body.tets.len() == before {
            part /= 2;
        }
    }
    (body, failure)
}

/// The body without some tetrahedra and without the vertices that only they use, and the query on it; `None` if it needs them.
fn without(body: &Body, query: &PathQuery, gone: std::ops::Range<usize>) -> Option<(Body, PathQuery)> {
    let tet_rank = |t: u32| match t as usize {
        t if gone.contains(&t) => None,
        t if t < gone.start => Some(t as u32),
        t => Some((t - gone.len()) as u32),
    };
    let tet = tet_rank(query.tet)?;
    let mut tets = body.tets.clone();
    tets.drain(gone.clone());
    let mut rank = vec![u32::MAX; body.rest.len()];
    tets.iter().flatten().for_each(|&v| rank[v as usize] = 0);
    let kept: Vec<usize> = (0..rank.len()).filter(|&v| rank[v] == 0).collect();
    kept.iter().enumerate().for_each(|(i, &v)| rank[v] = i as u32);
    tets.iter_mut().for_each(|t| *t = t.map(|v| rank[v as usize]));
    let own = match query.own {
        Own::Nothing => Own::Nothing,
        Own::Vertex(v) => Own::Vertex(Some(rank[v as usize]).filter(|&v| v != u32::MAX)?),
        Own::Edge(e) => {
            let [a, b] = e.map(|v| Some(rank[v as usize]).filter(|&v| v != u32::MAX));
            Own::Edge([a?, b?])
        }
        Own::Tet(t) => Own::Tet(tet_rank(t)?),
    };
    let of = |x: &[glam::Vec3]| kept.iter().map(|&v| x[v]).collect();
    let smaller = Body { rest: of(&body.rest), pose: of(&body.pose), tets };
    Some((smaller, PathQuery { point: query.point, tet, own }))
}

/// The failure as a test file.
pub fn test_file(name: &str, body: &Body, failure: &Failure) -> String {
    let points = |points: &[glam::Vec3]| {
        points.iter().fold(String::new(), |mut text, p| {
            let _ = writeln!(text, "            Vec3::new({:?}, {:?}, {:?}),", p.x, p.y, p.z);
            text
        })
    };
    let PathQuery { point, tet, own } = failure.query;
    format!(
        "//! Found by `gordian fuzz boundary`: found {:?} for {:?}, searched with\n//! {:?}\n\n\
         use glam::{{DVec3, Vec3}};\n\
         use gordian_collision::workbench::bodies::Body;\n\
         use gordian_collision::workbench::fuzz::check_query;\n\
         use gordian_collision::{{Own, PathQuery}};\n\n\
         #[test]\nfn {name}() {{\n    let body = Body {{\n        tets: vec!{:?},\n        rest: vec![\n{}        ],\n        \
         pose: vec![\n{}        ],\n    }};\n    \
         let query = PathQuery {{ point: DVec3::new({:?}, {:?}, {:?}), tet: {tet}, own: Own::{own:?} }};\n    \
         assert_eq!(check_query(&body, &query), Ok(()));\n}}\n",
        failure.found,
        failure.right,
        failure.options,
        body.tets,
        points(&body.rest),
        points(&body.pose),
        point.x,
        point.y,
        point.z,
    )
}
