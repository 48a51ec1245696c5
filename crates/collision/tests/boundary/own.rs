//! Faces that are a query's own are no answer, and hide what lies behind them all the same.
//!
//! Where such a face is the nearest one, the answer is a face further away, and nothing that holds for the nearest boundary
//! holds for it: it need not be the closest point of its own neighbourhood, since the neighbour may be left out.

use proptest::prelude::*;

use gordian_collision::workbench::bodies::{Body, Coil, coil, lattice_blocks};
use gordian_collision::workbench::fuzz::check_query;
use gordian_collision::{Own, PathQuery};

fn bodies() -> impl Strategy<Value = Body> {
    let bar = (1u32..4, 1u32..4, 0.0f64..0.3, any::<u64>()).prop_map(|(width, height, jitter, seed)| {
        coil(Coil { cells: [16, width, height], radius: 1.6, turns: 1.3, pitch: 0.5, jitter, seed })
    });
    prop_oneof![bar, Just(lattice_blocks([1.5, 0.5, 0.25].into()))]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn faces_of_elements_nearby_are_left_out(
        body in bodies(),
        at in any::<prop::sample::Index>(),
        weights in prop_oneof![Just([0.25; 4]), Just([0.5, 0.25, 0.125, 0.125]), [0.01f64..1.0, 0.01..1.0, 0.01..1.0, 0.01..1.0]],
        // Elements that follow each other are near each other.
        further in 0usize..12,
        whole in any::<bool>(),
    ) {
        let t = at.index(body.tets.len());
        let corners = body.tets[t].map(|v| body.pose[v as usize].as_dvec3());
        let sum: f64 = weights.iter().sum();
        let point = (0..4).map(|k| corners[k] * (weights[k] / sum)).sum();
        let other = (t + further) % body.tets.len();
        let own = if whole { Own::Tet(other as u32) } else { Own::Vertex(body.tets[other][further % 4]) };
        let query = PathQuery { point, tet: t as u32, own };
        prop_assert_eq!(check_query(&body, &query), Ok(()), "{:?}", query);
    }
}
