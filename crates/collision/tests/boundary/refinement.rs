//! Deep queries cost about what shallow ones do.

use gordian_collision::workbench::bodies::{Coil, coil};
use gordian_collision::{DcdOptions, PathCounters, PathMethod, PathOptions, PointSet};

/// Work a query on a coil whose cells are cut into `cut`³, for the points inside foreign elements.
fn work(cut: u32, method: PathMethod) -> f64 {
    // Shaken a little, so that vertices of one turn do not lie on faces of the next.
    let cells = [60, 6, 6].map(|n| n * cut);
    let body = coil(Coil { cells, radius: 2.5, turns: 2.47, pitch: 0.55, jitter: 0.1, seed: 1 });
    let detector = body.detector();
    let (mut found, mut answers) = (Vec::new(), Vec::new());
    detector.penetrations(PointSet::BoundaryVertices, DcdOptions::default(), &mut found);
    assert!(found.len() > 200);
    let options = PathOptions { method, ..PathOptions::default() };
    let PathCounters { triangles, elements, .. } = detector.boundary_points(&found, &options, &mut answers);
    // An element has four faces.
    (triangles + 4 * elements) as f64 / found.len() as f64
}

#[test]
fn refining_each_element_into_eight_at_most_doubles_the_work() {
    for method in [PathMethod::Auto, PathMethod::Traversal] {
        let [coarse, fine] = [1, 2].map(|cut| work(cut, method));
        println!("{method:?}: {coarse:.1} {fine:.1}");
        assert!(fine <= 2.0 * coarse, "{method:?}: {coarse} {fine}");
    }
    // A flood alone grows with the third power of the depth.
    assert!(work(2, PathMethod::Flood) > 2.0 * work(1, PathMethod::Flood));
}
