//! A long rod laid in nested coils that do not touch: a noodle before it falls.

use std::f64::consts::TAU;

use glam::DVec3;

use super::{GenerateError, at_least, fits, positive};

/// Samples of the path in each turn, to measure its length.
const SAMPLES: u32 = 128;

/// A curve of `length` metres for a rod of `radius`: coils inside each other round the y axis, of `turns`
/// turns each, up and down by turns, the outermost of `coil_radius`; neighbouring passes of the rod leave
/// `gap` of its diameter free, a third less where the path changes from coil to coil.
///
/// Errors: `Parameter`, also where the coils do not hold the length.
pub fn noodle(
    length: f64,
    radius: f64,
    coil_radius: f64,
    turns: u32,
    gap: f64,
) -> Result<impl Fn(f64) -> DVec3 + Copy, GenerateError> {
    positive("length", length)?;
    positive("radius", radius)?;
    positive("coil_radius", coil_radius)?;
    at_least("turns", turns, 1, "at least 1")?;
    if !(0.5..1e3).contains(&gap) {
        return Err(GenerateError::Parameter {
            name: "gap",
            value: gap,
            rule: "at least 0.5 and under 1000",
        });
    }
    let path = Path { apart: 2.0 * radius * (1.0 + gap), coil_radius, turns: f64::from(turns) };
    // The innermost coil bends no tighter than three radii of the rod.
    let coils = ((coil_radius - 3.0 * radius) / path.apart).floor() + 1.0;
    if coils < 1.0 {
        let rule = "at least 3 times the rod's radius";
        return Err(GenerateError::Parameter { name: "coil_radius", value: coil_radius, rule });
    }
    // Far more samples than anyone's rod has sections are refused before they are taken.
    fits("samples of the curve", coils * (path.turns + 1.0) * f64::from(SAMPLES))?;
    let last = (coils * (path.turns + 1.0) - 1.0) as u32 * SAMPLES;
    let at = |i: u32| path.at(f64::from(i) / f64::from(SAMPLES));
    let (mut done, mut point) = (0.0, at(0));
    for i in 1..=last {
        let next = at(i);
        let step = (next - point).length();
        if done + step >= length {
            let end = (f64::from(i - 1) + (length - done) / step) / f64::from(SAMPLES);
            return Ok(move |t: f64| path.at(end * t));
        }
        (done, point) = (done + step, next);
    }
    let rule = "no more than the coils hold; a larger `coil_radius` or more `turns` hold more";
    Err(GenerateError::Parameter { name: "length", value: length, rule })
}

#[derive(Clone, Copy)]
struct Path {
    /// Between neighbouring passes, axis to axis.
    apart: f64,
    coil_radius: f64,
    turns: f64,
}

impl Path {
    /// The point after `turn` turns: each coil, then a turn in which the radius shrinks to the next one's.
    fn at(&self, turn: f64) -> DVec3 {
        let coil = (turn / (self.turns + 1.0)).floor();
        let along = turn - coil * (self.turns + 1.0);
        let inwards = (along - self.turns).max(0.0);
        let radius = self.coil_radius - self.apart * (coil + inwards * inwards * (3.0 - 2.0 * inwards));
        let rise = along.min(self.turns) - 0.5 * self.turns;
        let height = self.apart * if coil % 2.0 == 0.0 { rise } else { -rise };
        let (sin, cos) = (TAU * turn).sin_cos();
        DVec3::new(radius * cos, height, radius * sin)
    }
}
