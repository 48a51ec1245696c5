//! How long cloth takes to come apart depends on its shape, and not on how finely it is divided.

use glam::DVec3;
use gordian_mesh::TriMesh;
use gordian_sim::cloth::untangle::{Untangled, untangle};
use gordian_sim::scene::ClothResponse;

/// `n` × `n/2` quads over the unit square, bent by `bend`.
fn sheet(n: u32, bend: impl Fn(f64, f64) -> DVec3) -> TriMesh {
    let (side, m) = (n + 1, n / 2);
    let at = |k: u32| bend(f64::from(k % side) / f64::from(n), f64::from(k / side) / f64::from(m));
    let quad = |q: u32| {
        let a = q / n * side + q % n;
        [[a, a + 1, a + side + 1], [a, a + side + 1, a + side]]
    };
    TriMesh {
        positions: (0..side * (m + 1)).map(at).collect(),
        triangles: (0..n * m).flat_map(quad).collect(),
    }
}

/// A flap folded over, whose end dips through what it lies on: a contour from border to border.
fn dipping(u: f64, v: f64) -> DVec3 {
    if u <= 0.5 {
        return DVec3::new(u, 0.5 * v, 0.02 * (9.0 * v).sin() * (7.0 * u).cos());
    }
    let w = u - 0.5;
    DVec3::new(0.5 - 0.97 * w, 0.5 * v + 0.011 * w, (0.05 - 0.15 * w).min(0.85 * w))
}

/// Two halves of a fold that change places along a straight line from the border to the fold.
fn scissors(u: f64, v: f64) -> DVec3 {
    let s = 2.0 * u - 1.0;
    DVec3::new(s.abs(), v, 0.05 * (10.0 * s).clamp(-1.0, 1.0) * (1.0 - v / 0.6))
}

fn taken_apart(name: &str, n: u32, bend: impl Fn(f64, f64) -> DVec3) -> Untangled {
    let done = untangle(&sheet(n, bend), ClothResponse::Icm, 30, |_| true).unwrap();
    assert!(done.is_clean(), "{name}, {n} quads: {:?} after {} frames", done.crossings, done.frames);
    assert!(done.crossings[0] > u64::from(n), "{name}, {n} quads: {:?}", done.crossings);
    // The layers are some twentieths apart where they have changed places.
    assert!(done.largest.0 < 0.15, "{name}, {n} quads: moved {}", done.largest.0);
    done
}

#[test]
fn straight_contours_of_fine_cloth_come_apart_as_those_of_coarse_cloth() {
    for (name, bend) in [("dipping", dipping as fn(f64, f64) -> DVec3), ("scissors", scissors)] {
        let frames = [20, 40, 80].map(|n| taken_apart(name, n, bend).frames);
        assert!(frames[2] <= 2 * frames[0] + 5, "{name}: {frames:?}");
    }
}
