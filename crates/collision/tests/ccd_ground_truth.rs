//! Agreement with the published CCD queries, whose answers come from exact symbolic computation.

use std::path::Path;

use glam::DVec3;
use gordian_collision::ccd::{edge_edge, vertex_face};

/// Eight rows a query: four points at the start, then at the end; a row is three fractions and the answer.
fn queries(file: &Path) -> Vec<([DVec3; 4], [DVec3; 4], bool)> {
    let rows: Vec<(DVec3, bool)> = std::fs::read_to_string(file)
        .unwrap()
        .lines()
        .map(|line| {
            let f: Vec<&str> = line.split(',').collect();
            let fraction = |k: usize| f[k].parse::<f64>().unwrap() / f[k + 1].parse::<f64>().unwrap();
            (DVec3::new(fraction(0), fraction(2), fraction(4)), f[6] == "1")
        })
        .collect();
    rows.chunks_exact(8)
        .map(|q| (std::array::from_fn(|i| q[i].0), std::array::from_fn(|i| q[4 + i].0), q[0].1))
        .collect()
}

#[test]
fn every_published_query_is_answered_exactly() {
    let Some(root) = gordian_mesh::testdata::path("ccd") else { return };
    let (mut asked, mut hits) = (0, 0);
    for set in std::fs::read_dir(root).unwrap() {
        for (kind, vf) in [("vertex-face", true), ("edge-edge", false)] {
            for file in std::fs::read_dir(set.as_ref().unwrap().path().join(kind)).unwrap() {
                let file = file.unwrap().path();
                for (i, (start, end, truth)) in queries(&file).iter().enumerate() {
                    let toi = if vf {
                        vertex_face(start, end).map(|h| h.toi)
                    } else {
                        edge_edge(start, end).map(|h| h.toi)
                    };
                    assert_eq!(toi.is_some(), *truth, "{} query {i}", file.display());
                    assert!(toi.is_none_or(|t| (0.0..=1.0).contains(&t)));
                    asked += 1;
                    hits += usize::from(*truth);
                }
            }
        }
    }
    assert_eq!((asked, hits), (2324, 279));
}
