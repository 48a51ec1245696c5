//! Holds a run to the checks of its scene.

use glam::{DMat3, DVec3, Vec3};
use nalgebra::Matrix3;
use serde::{Deserialize, Serialize};

use crate::scene::{Check, Figure, Over, Scene};
use crate::{BodyInfo, FrameReport, World};

/// Whether a check holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The check.
    pub check: Check,
    /// The figure that came out; `null` where no frame fell into its span of time.
    pub value: Option<f64>,
    /// Whether it is within its bounds. Without a value it does not hold: nothing was shown.
    pub holds: bool,
}

/// A check of which a part of a run shows nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unjudged {
    /// The check.
    pub check: Check,
    /// The first and the last of the frames that it takes; `null` where the whole run has none for it.
    pub frames: Option<[u32; 2]>,
}

/// Follows a run, or a part of it, frame by frame.
///
/// Of a part (the first frames, or those after a checkpoint) only the checks are judged whose frames it holds: of [`Over::End`] the last one
/// in the check's span of time, else all in it; of [`Figure::KineticEnergyOfPeak`] also all before.
pub struct Checks {
    checks: Vec<Check>,
    /// Frames of the whole run, and how long each is, seconds.
    whole: u32,
    frame_s: f64,
    /// The first and the last frame that were seen.
    seen: Option<[u32; 2]>,
    /// For each check, what has come together so far.
    gathered: Vec<Gathered>,
    /// Highest kinetic energy so far, joule.
    peak: f64,
    up: DVec3,
}

#[derive(Clone, Default)]
struct Gathered {
    last: Option<f64>,
    max: f64,
    min: f64,
    sum: f64,
    count: u32,
}

impl Checks {
    /// The checks of `scene`, whose number of frames is that of the whole run.
    pub fn of(scene: &Scene) -> Self {
        let none = Gathered { max: f64::NEG_INFINITY, min: f64::INFINITY, ..Gathered::default() };
        Checks {
            gathered: vec![none; scene.check.len()],
            checks: scene.check.clone(),
            whole: scene.simulation.frames,
            frame_s: scene.simulation.frame_s,
            seen: None,
            peak: 0.0,
            up: scene.up(),
        }
    }

    /// Takes note of a frame, at its end; each follows on the one before.
    pub fn observe(&mut self, world: &World, frame: &FrameReport) {
        self.seen = Some([self.seen.map_or(frame.frame, |[first, _]| first), frame.frame]);
        self.peak = self.peak.max(frame.kinetic_energy_j);
        let slack = SLACK * frame.time_s;
        for (check, gathered) in self.checks.iter().zip(&mut self.gathered) {
            let within = frame.time_s >= check.start_s - slack
                && check.end_s.is_none_or(|end| frame.time_s <= end + slack);
            if within {
                let value = figure(check, world, frame, self.peak, self.up);
                gathered.last = Some(value);
                gathered.max = gathered.max.max(value);
                gathered.min = gathered.min.min(value);
                gathered.sum += value;
                gathered.count += 1;
            }
        }
    }

    /// What came out, a verdict for each check that can be judged, in the order of the scene.
    pub fn verdicts(&self) -> Vec<Verdict> {
        let judged = |&(check, _): &(&Check, &Gathered)| self.can_judge(check);
        let one = |(check, gathered): (&Check, &Gathered)| {
            let value = gathered.last.map(|last| match check.over {
                Over::End => last,
                Over::Max => gathered.max,
                Over::Min => gathered.min,
                Over::Mean => gathered.sum / f64::from(gathered.count),
            });
            let holds = value.is_some_and(|v| {
                check.at_most.is_none_or(|most| v <= most) && check.at_least.is_none_or(|least| v >= least)
            });
            Verdict { check: check.clone(), value, holds }
        };
        self.checks.iter().zip(&self.gathered).filter(judged).map(one).collect()
    }

    /// The other checks, with the frames that they take.
    pub fn unjudged(&self) -> Vec<Unjudged> {
        let others = self.checks.iter().filter(|c| !self.can_judge(c));
        others.map(|c| Unjudged { check: c.clone(), frames: self.frames_of(c) }).collect()
    }

    /// Whether what was seen is all that a check is about.
    fn can_judge(&self, check: &Check) -> bool {
        match (self.frames_of(check), self.seen) {
            (Some([first, last]), Some([from, to])) => from <= first && last <= to,
            // No frame is in its span: that is so once all of them are there.
            (None, Some([from, to])) => from == 1 && to >= self.whole,
            (_, None) => self.whole == 0,
        }
    }

    /// The first and the last frame that a check takes.
    fn frames_of(&self, check: &Check) -> Option<[u32; 2]> {
        let end = self.seen.map_or(self.whole, |[_, last]| last.max(self.whole));
        // Saturates: before frame 1 is none, and after `u32::MAX`.
        let first = (check.start_s / (self.frame_s * (1.0 + SLACK))).ceil().max(1.0) as u32;
        let last =
            check.end_s.map_or(end, |at| end.min((at / (self.frame_s * (1.0 - SLACK))).floor() as u32));
        let needed = match check.over {
            _ if check.what == Figure::KineticEnergyOfPeak => 1,
            Over::End => last,
            Over::Max | Over::Min | Over::Mean => first,
        };
        (first <= last).then_some([needed, last])
    }
}

/// The last frame of a span ends at it, but for rounding: a part of the time.
const SLACK: f64 = 1e-9;

fn figure(check: &Check, world: &World, frame: &FrameReport, peak: f64, up: DVec3) -> f64 {
    let bodies = || world.bodies().iter().filter(|b| check.body.is_empty() || is_of(b, &check.body));
    let first = |of: &dyn Fn(&BodyInfo) -> f64| bodies().next().map_or(0.0, of);
    let largest = |of: &dyn Fn(&BodyInfo) -> f64| bodies().map(of).fold(0.0, f64::max);
    let positions = |b: &BodyInfo| &world.positions()[range(b)];
    match check.what {
        Figure::PenetratingVertices => frame.penetrating_vertices as f64,
        Figure::IntersectingTrianglePairs => frame.intersecting_triangle_pairs.unwrap_or(0) as f64,
        Figure::InvertedTetrahedra => frame.inverted_tetrahedra as f64,
        Figure::UnresolvedQueries => frame.unresolved_queries as f64,
        Figure::Contacts => (frame.contacts.ccd + frame.contacts.dcd + frame.contacts.proximity) as f64,
        Figure::ColliderContacts => frame.contacts.collider as f64,
        Figure::KineticEnergyOfPeak if peak > 0.0 => frame.kinetic_energy_j / peak,
        Figure::KineticEnergyOfPeak => 0.0,
        Figure::KineticEnergyJ => frame.kinetic_energy_j,
        Figure::ShapeError => largest(&|b| shape_error(&world.rest_positions()[range(b)], positions(b))),
        Figure::HeightM => first(&|b| up.dot(mean(positions(b)))),
        Figure::RisingSpeedMS => first(&|b| up.dot(mean(&world.velocities()[range(b)]))),
        Figure::ThicknessM => first(&|b| extent(positions(b), up)),
        Figure::FastestVertexMS => largest(&|b| {
            world.velocities()[range(b)].iter().map(|v| v.as_dvec3().length()).fold(0.0, f64::max)
        }),
    }
}

/// Whether `body` is the one of this name, or a copy of it.
fn is_of(body: &BodyInfo, name: &str) -> bool {
    body.name.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn range(body: &BodyInfo) -> std::ops::Range<usize> {
    body.particles.start as usize..body.particles.end as usize
}

fn mean(points: &[Vec3]) -> DVec3 {
    points.iter().map(|p| p.as_dvec3()).sum::<DVec3>() / points.len().max(1) as f64
}

fn extent(points: &[Vec3], up: DVec3) -> f64 {
    let heights = points.iter().map(|p| up.dot(p.as_dvec3()));
    let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
    (high - low).max(0.0)
}

/// Root mean square distance of `shape` from `rest` under the best rigid motion (Kabsch 1976), as a part of the diagonal of the
/// bounding box of `rest`.
fn shape_error(rest: &[Vec3], shape: &[Vec3]) -> f64 {
    let (from, to) = (mean(rest), mean(shape));
    let pairs = || rest.iter().zip(shape).map(|(r, s)| (r.as_dvec3() - from, s.as_dvec3() - to));
    let covariance: DMat3 =
        pairs().fold(DMat3::ZERO, |sum, (r, s)| sum + DMat3::from_cols(s * r.x, s * r.y, s * r.z));
    let svd = Matrix3::from_column_slice(&covariance.to_cols_array()).svd(true, true);
    let (u, v_t) = (svd.u.expect("asked for"), svd.v_t.expect("asked for"));
    let mut turn = u * v_t;
    if turn.determinant() < 0.0 {
        // A reflection is no motion: the weakest direction turns back (singular values fall).
        let mut u = u;
        u.column_mut(2).neg_mut();
        turn = u * v_t;
    }
    let turn = DMat3::from_cols_slice(turn.as_slice());
    let square: f64 = pairs().map(|(r, s)| (turn * r - s).length_squared()).sum();
    let (low, high) = rest
        .iter()
        .map(|p| p.as_dvec3())
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), p| (l.min(p), h.max(p)));
    let diagonal = (high - low).length();
    if diagonal > 0.0 { (square / rest.len() as f64).sqrt() / diagonal } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::AdapterChoice;

    #[test]
    fn a_rigid_motion_is_no_change_of_shape_and_a_stretch_is_measured() {
        let rest: Vec<Vec3> =
            (0..27).map(|i| Vec3::new((i % 3) as f32, (i / 3 % 3) as f32, (i / 9) as f32)).collect();
        let turn = Quat::from_euler(glam::EulerRot::XYZ, 2.0, -0.7, 3.0);
        let moved: Vec<Vec3> = rest.iter().map(|&p| turn * p + Vec3::new(5.0, -2.0, 9.0)).collect();
        assert!(shape_error(&rest, &moved) < 1e-6);
        // x is stretched by 1 + e about the middle: displacements e (x - 1), whose mean square over x in {0, 1, 2} is 2/3 e².
        let stretched: Vec<Vec3> = rest.iter().map(|&p| turn * (p * Vec3::new(1.01, 1.0, 1.0))).collect();
        let expected = 0.01 * (2.0f64 / 3.0).sqrt() / 12f64.sqrt();
        assert!((shape_error(&rest, &stretched) - expected).abs() < 0.01 * expected);
        let mirrored: Vec<Vec3> = rest.iter().map(|&p| p * Vec3::new(-1.0, 1.0, 1.0)).collect();
        // Each vertex is known by its number, so that even a symmetric shape is not its mirror image; a proper motion can at best
        // flatten one axis: displacements 2 x with mean square 4 * 2/3 against it.
        let expected = (4.0f64 * 2.0 / 3.0).sqrt() / 12f64.sqrt();
        assert!((shape_error(&rest, &mirrored) - expected).abs() < 1e-6, "a reflection is no motion");
    }

    /// Each check with the frames that it takes of 60 of a tenth of a second, and which of them parts of the run can judge.
    #[test]
    fn a_part_of_a_run_is_held_to_what_it_covers() {
        let text = "[simulation]\nframes = 60\nframe_s = 0.1\n";
        let parts = [[1, 60], [1, 30], [31, 60], [31, 59], [11, 20]];
        let checks = [
            ("what = \"height_m\"", [60, 60], [true, false, true, false, false]),
            ("what = \"height_m\", over = \"end\", end_s = 2.0", [20, 20], [true, true, false, false, true]),
            ("what = \"height_m\", over = \"max\"", [1, 60], [true, false, false, false, false]),
            ("what = \"contacts\", over = \"min\", end_s = 3.0", [1, 30], [true, true, false, false, false]),
            (
                "what = \"contacts\", over = \"mean\", start_s = 3.1",
                [31, 60],
                [true, false, true, false, false],
            ),
            (
                "what = \"contacts\", over = \"max\", start_s = 1.1, end_s = 2.0",
                [11, 20],
                [true, true, false, false, true],
            ),
            ("what = \"kinetic_energy_of_peak\"", [1, 60], [true, false, false, false, false]),
            ("what = \"kinetic_energy_of_peak\", end_s = 3", [1, 30], [true, true, false, false, false]),
        ];
        for (check, frames, judged) in checks {
            let text = format!("{text}[[check]]\nat_most = 0\n{}\n", check.replace(", ", "\n"));
            let scene = Scene::parse(&text, "part").unwrap_or_else(|e| panic!("{e}"));
            let mut checks = Checks::of(&scene);
            assert_eq!(checks.unjudged()[0].frames, Some(frames), "{check}: nothing is seen yet");
            for (part, judged) in parts.into_iter().zip(judged) {
                checks.seen = Some(part);
                assert_eq!(checks.verdicts().len() == 1, judged, "{check} of {part:?}");
                assert_eq!(checks.unjudged().is_empty(), judged, "{check} of {part:?}");
            }
        }
        // A span behind the end is found empty by the whole run alone, and a longer run has a later end.
        let scene = Scene::parse(
            &format!("{text}[[check]]\nwhat = \"contacts\"\nstart_s = 7\nat_most = 0\n"),
            "late",
        );
        let mut checks = Checks::of(&scene.unwrap());
        for (part, judged) in
            [([1, 60], true), ([1, 59], false), ([2, 60], false), ([1, 80], true), ([80, 80], true)]
        {
            checks.seen = Some(part);
            assert_eq!(checks.unjudged().is_empty(), judged, "{part:?}");
        }
    }

    #[test]
    fn a_falling_box_is_held_to_its_bounds() {
        let text = "[simulation]\nframes = 6\nsubsteps = 2\n[[body]]\ngenerator = { kind = \"box\", nx = 1, ny = 1, nz = 1 }\n";
        // Free fall from rest: after t the mean has sunk by g t² / 2, and falls with g t.
        let checks = [
            ("what = \"rising_speed_m_s\", at_most = -0.98, at_least = -0.982", true),
            ("what = \"height_m\", over = \"min\", at_most = -0.04", true),
            ("what = \"height_m\", over = \"max\", at_most = -0.04", false),
            ("what = \"height_m\", over = \"max\", start_s = 0.1, at_most = -0.04", true),
            ("what = \"contacts\", over = \"mean\", at_most = 0", true),
            ("what = \"thickness_m\", at_least = 0.999, at_most = 1.001", true),
            ("what = \"shape_error\", over = \"max\", at_most = 1e-5", true),
            ("what = \"kinetic_energy_of_peak\", at_least = 1", true),
            ("what = \"contacts\", start_s = 7, at_most = 0", false),
        ];
        let sections: String =
            checks.iter().map(|(c, _)| format!("[[check]]\n{}\n", c.replace(", ", "\n"))).collect();
        let scene = Scene::parse(&format!("{text}{sections}"), "fall").unwrap_or_else(|e| panic!("{e}"));
        let mut world = World::new(&scene, &AdapterChoice::Cpu).unwrap();
        let mut checked = Checks::of(&scene);
        for _ in 0..scene.simulation.frames {
            let frame = world.step_frame().unwrap();
            checked.observe(&world, &frame);
        }
        for (verdict, (text, holds)) in checked.verdicts().iter().zip(checks) {
            assert_eq!(verdict.holds, holds, "{text}: {:?}", verdict.value);
        }
    }
}
