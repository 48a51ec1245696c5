//! Rods with overhand knots, and knots of knotted rods.
//!
//! The knot is a cubic B-spline, relaxed so that it is as wide as it can be: a rod of radius 1 just touches
//! itself or bends as tightly as its own radius somewhere. Its ends lie on the x axis and run along it.

use glam::DVec3;

use super::{GenerateError, at_least, positive};

/// Control points of the second half of the knot, from its middle; the first half is the same turned half
/// round y. It was found by letting a polynomial long trefoil repel itself, with stiffness against bending,
/// at a constant length.
const KNOT: [[f64; 3]; 13] = [
    [0.0000, 1.7541, 0.0000],
    [-0.5929, 1.6102, 1.2980],
    [-1.3365, 0.8541, 2.3383],
    [-1.9961, -0.4572, 2.6357],
    [-2.2883, -1.8109, 2.0412],
    [-2.0564, -2.6046, 0.7805],
    [-1.3568, -2.5654, -0.5290],
    [-0.3514, -1.6398, -1.3173],
    [0.6264, -0.6328, -0.8144],
    [1.8176, -0.1840, -0.0826],
    [3.2633, -0.0513, -0.0031],
    [4.6739, 0.0000, 0.0000],
    [6.0896, 0.0000, 0.0000],
];

/// Samples of the knot's curve.
const SAMPLES: usize = 512;

/// A curve for a rod of `radius` and `length` metres along x, centred at the origin, with an overhand knot in
/// its middle, `loose` times as large as the knot in which the rod touches itself.
///
/// Errors: `Parameter`, also for a rod that is too short for its knot.
pub fn overhand(
    length: f64,
    radius: f64,
    loose: f64,
) -> Result<impl Fn(f64) -> DVec3 + use<>, GenerateError> {
    positive("length", length)?;
    positive("radius", radius)?;
    check_loose(loose)?;
    let mut points: Vec<DVec3> = knot().iter().map(|p| loose * p).collect();
    let tail = 0.5 * (length / radius - arc(&points));
    if tail.is_nan() || tail <= 0.0 {
        let rule = "longer than its knot; a longer or thinner rod or a less loose knot is";
        return Err(GenerateError::Parameter { name: "length", value: length, rule });
    }
    add_tails(&mut points, tail);
    Ok(along(points, radius))
}

/// A curve for a rod of `radius` metres: an overhand knot (1 of `levels`); at each further level `knots` of
/// what there is are tied into a rod, which is itself tied to an overhand knot. Each knot is `loose` times as
/// large as the one in which what it is tied of touches itself.
///
/// Errors: `Parameter`, also where so many knots do not fit on the next level's.
pub fn nested_knots(
    levels: u32,
    knots: u32,
    radius: f64,
    loose: f64,
) -> Result<impl Fn(f64) -> DVec3 + use<>, GenerateError> {
    positive("radius", radius)?;
    check_loose(loose)?;
    at_least("knots", knots, 1, "at least 1")?;
    if !(1..=4).contains(&levels) {
        return Err(GenerateError::Parameter { name: "levels", value: levels.into(), rule: "in 1..=4" });
    }
    let unit = knot();
    let lateral = unit.iter().map(|p| p.y.hypot(p.z)).fold(0.0, f64::max);
    // In radii of the rod: what is tied, how far it reaches from its axis, and its end.
    let mut points: Vec<DVec3> = unit.iter().map(|p| loose * p).collect();
    let mut reach = loose * lateral + 1.0;
    for _ in 1..levels {
        let axis: Vec<DVec3> = unit.iter().map(|p| loose * reach * p).collect();
        let room = arc(&axis) / f64::from(knots);
        let half = points[points.len() - 1].x;
        if room < 2.0 * half {
            let rule = "what fits on the next level's knot; fewer or looser knots do";
            return Err(GenerateError::Parameter { name: "knots", value: knots.into(), rule });
        }
        let chain: Vec<DVec3> = (0..knots)
            .flat_map(|i| points.iter().map(move |p| p + room * (f64::from(i) + 0.5) * DVec3::X))
            .collect();
        reach += loose * reach * lateral;
        points = bend(&chain, &axis);
    }
    add_tails(&mut points, reach);
    Ok(along(points, radius))
}

fn check_loose(loose: f64) -> Result<(), GenerateError> {
    if (1.2..=100.0).contains(&loose) {
        return Ok(());
    }
    Err(GenerateError::Parameter { name: "loose", value: loose, rule: "in 1.2..=100" })
}

/// The knot of a rod of radius 1 that touches itself.
fn knot() -> Vec<DVec3> {
    let half = KNOT.map(DVec3::from_array);
    // Half a turn round y maps the knot onto itself. Beyond its ends it goes on straight.
    let other = |p: DVec3| DVec3::new(-p.x, p.y, -p.z);
    let mut control: Vec<DVec3> = half[1..].iter().rev().map(|&p| other(p)).chain(half).collect();
    let end = control[control.len() - 1];
    let next = DVec3::new(2.0 * end.x - control[control.len() - 2].x, 0.0, 0.0);
    control.push(next);
    control.insert(0, other(next));
    let spans = control.len() - 3;
    (0..=SAMPLES)
        .map(|i| {
            let at = spans as f64 * i as f64 / SAMPLES as f64;
            let span = (at as usize).min(spans - 1);
            let t = at - span as f64;
            let s = 1.0 - t;
            let weights =
                [s * s * s, 4.0 - 3.0 * t * t * (2.0 - t), 4.0 - 3.0 * s * s * (2.0 - s), t * t * t];
            (0..4).map(|k| control[span + k] * weights[k] / 6.0).sum()
        })
        .collect()
}

/// The length of a polyline.
fn arc(points: &[DVec3]) -> f64 {
    points.windows(2).map(|w| (w[1] - w[0]).length()).sum()
}

/// Straight pieces along x before and behind.
fn add_tails(points: &mut Vec<DVec3>, length: f64) {
    let n = points.len();
    // As dense as the rest.
    let pieces = (length / (points[n - 1] - points[n - 2]).length()).ceil().clamp(1.0, 1e5) as usize;
    let (first, last) = (points[0], points[n - 1]);
    let tail = |i: usize| length * i as f64 / pieces as f64 * DVec3::X;
    let before: Vec<DVec3> = (1..=pieces).rev().map(|i| first - tail(i)).collect();
    points.splice(0..0, before);
    points.extend((1..=pieces).map(|i| last + tail(i)));
}

/// The points of `chain`, which runs along x from 0 on, with the x axis bent to the polyline `axis`.
fn bend(chain: &[DVec3], axis: &[DVec3]) -> Vec<DVec3> {
    let frames = super::rod::frames(axis).expect("the knot bends gently");
    let mut done = vec![0.0];
    for w in axis.windows(2) {
        done.push(done[done.len() - 1] + (w[1] - w[0]).length());
    }
    let on_axis = |p: &DVec3| {
        let i = done.partition_point(|&d| d <= p.x).clamp(1, axis.len() - 1) - 1;
        let t = (p.x - done[i]) / (done[i + 1] - done[i]);
        let across = |k: usize| frames[i][k].lerp(frames[i + 1][k], t).normalize();
        axis[i].lerp(axis[i + 1], t) + p.y * across(0) + p.z * across(1)
    };
    // The ends of the axis, which the chain's knots need not reach.
    let mut bent = vec![axis[0]];
    let mut last = DVec3::ZERO;
    let step = done[1];
    for p in chain {
        // Between two knots, and before the first, the chain is straight: follow the axis densely.
        let pieces = ((*p - last).length() / step).ceil().max(1.0) as usize;
        bent.extend((1..=pieces).map(|i| on_axis(&last.lerp(*p, i as f64 / pieces as f64))));
        last = *p;
    }
    let end = DVec3::new(done[done.len() - 1], 0.0, 0.0);
    let pieces = ((end - last).length() / step).ceil().max(1.0) as usize;
    bent.extend((1..=pieces).map(|i| on_axis(&last.lerp(end, i as f64 / pieces as f64))));
    bent
}

/// The polyline, times `scale`, as a function of 0..=1.
fn along(points: Vec<DVec3>, scale: f64) -> impl Fn(f64) -> DVec3 {
    let spans = points.len() - 1;
    move |t| {
        let at = t * spans as f64;
        let i = (at as usize).min(spans - 1);
        scale * points[i].lerp(points[i + 1], at - i as f64)
    }
}
