//! Motions over time: of pins and of colliders.

use glam::{DAffine3, DMat3, DQuat, DVec3, EulerRot};
use serde::{Deserialize, Serialize};

use super::tagged::tagged;

tagged! {
    /// One motion; a list of them is carried out in its order, each on the result of the one before.
    pub enum Motion {
        /// A straight line at constant speed.
        "translate" => Translate(Translate),
        /// A turn about an axis at constant speed.
        "rotate" => Rotate(Rotate),
        /// Displacements at given times, with straight lines in between.
        "keyframes" => Keyframes(Keyframes),
    }
}

/// A straight line at constant speed, between two times; before and after, the thing stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Translate {
    /// Velocity, metres per second.
    pub velocity_m_s: [f64; 3],
    /// Time at which it begins, seconds.
    #[serde(default)]
    pub start_s: f64,
    /// Time at which it ends, seconds; without it, it never does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_s: Option<f64>,
}

/// A turn about an axis at constant speed, between two times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rotate {
    /// Direction of the axis; its length does not matter.
    pub axis: [f64; 3],
    /// A point of the axis, metres.
    #[serde(default)]
    pub center_m: [f64; 3],
    /// Angular speed, degrees per second, by the right-hand rule.
    pub speed_deg_s: f64,
    /// Time at which it begins, seconds.
    #[serde(default)]
    pub start_s: f64,
    /// Time at which it ends, seconds; without it, it never does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_s: Option<f64>,
}

/// Displacements at given times; in between they are interpolated, before the first and after the last they hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keyframes {
    /// The keys, in increasing order of time.
    pub keys: Vec<Key>,
    /// The point about which the keys turn, metres.
    #[serde(default)]
    pub center_m: [f64; 3],
}

/// One key of [`Keyframes`]: where the thing is at a time, relative to where it was placed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// Time, seconds.
    pub time_s: f64,
    /// Displacement, metres.
    #[serde(default)]
    pub translate_m: [f64; 3],
    /// Turn about x, then y, then z, degrees.
    #[serde(default)]
    pub rotate_deg: [f64; 3],
}

/// Turn about x, then y, then z (fixed axes), degrees.
pub fn rotation(deg: [f64; 3]) -> DQuat {
    let [x, y, z] = deg.map(f64::to_radians);
    DQuat::from_euler(EulerRot::ZYX, z, y, x)
}

/// Where a list of motions has taken a thing at time `time_s`, relative to where it was placed.
pub fn transform_at(motions: &[Motion], time_s: f64) -> DAffine3 {
    motions.iter().fold(DAffine3::IDENTITY, |before, motion| motion.transform_at(time_s) * before)
}

impl Motion {
    /// Where this motion alone has taken a thing at time `time_s`.
    pub fn transform_at(&self, time_s: f64) -> DAffine3 {
        match self {
            Motion::Translate(m) => {
                let t = elapsed(time_s, m.start_s, m.end_s);
                DAffine3::from_translation(DVec3::from(m.velocity_m_s) * t)
            }
            Motion::Rotate(m) => {
                let t = elapsed(time_s, m.start_s, m.end_s);
                let axis = DVec3::from(m.axis).normalize_or(DVec3::Y);
                about(m.center_m, DQuat::from_axis_angle(axis, (m.speed_deg_s * t).to_radians()))
            }
            Motion::Keyframes(m) => m.transform_at(time_s),
        }
    }
}

impl Keyframes {
    fn transform_at(&self, time_s: f64) -> DAffine3 {
        let after = self.keys.partition_point(|k| k.time_s <= time_s);
        let (translate, turn) = match (self.keys.get(after.wrapping_sub(1)), self.keys.get(after)) {
            (None, None) => return DAffine3::IDENTITY,
            (Some(k), None) | (None, Some(k)) => (DVec3::from(k.translate_m), rotation(k.rotate_deg)),
            (Some(a), Some(b)) => {
                let s = (time_s - a.time_s) / (b.time_s - a.time_s);
                // Angles are interpolated, not the turns, so that a key may ask for several rounds.
                let deg = std::array::from_fn(|i| a.rotate_deg[i] + s * (b.rotate_deg[i] - a.rotate_deg[i]));
                (DVec3::from(a.translate_m).lerp(DVec3::from(b.translate_m), s), rotation(deg))
            }
        };
        DAffine3::from_translation(translate) * about(self.center_m, turn)
    }
}

/// Seconds of `[start, end]` that have passed at `time_s`.
fn elapsed(time_s: f64, start_s: f64, end_s: Option<f64>) -> f64 {
    (time_s.min(end_s.unwrap_or(f64::INFINITY)) - start_s).max(0.0)
}

fn about(center: [f64; 3], turn: DQuat) -> DAffine3 {
    let center = DVec3::from(center);
    let matrix = DMat3::from_quat(turn);
    DAffine3::from_mat3_translation(matrix, center - matrix * center)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_goes_round_its_center_and_stops_at_its_end() {
        let motion = Motion::Rotate(Rotate {
            axis: [0.0, 0.0, 2.0],
            center_m: [1.0, 0.0, 0.0],
            speed_deg_s: 90.0,
            start_s: 1.0,
            end_s: Some(2.0),
        });
        let p = DVec3::new(2.0, 0.0, 0.0);
        assert_eq!(motion.transform_at(0.5).transform_point3(p), p);
        for t in [2.0, 7.0] {
            let q = motion.transform_at(t).transform_point3(p);
            assert!(q.distance(DVec3::new(1.0, 1.0, 0.0)) < 1e-14, "{q}");
        }
    }

    #[test]
    fn motions_are_carried_out_in_their_order() {
        let step =
            Motion::Translate(Translate { velocity_m_s: [1.0, 0.0, 0.0], start_s: 0.0, end_s: Some(1.0) });
        let turn = Motion::Rotate(Rotate {
            axis: [0.0, 0.0, 1.0],
            center_m: [0.0; 3],
            speed_deg_s: 90.0,
            start_s: 0.0,
            end_s: Some(1.0),
        });
        let p = transform_at(&[step.clone(), turn.clone()], 1.0).transform_point3(DVec3::ZERO);
        assert!(p.distance(DVec3::Y) < 1e-14, "stepped, then turned: {p}");
        let p = transform_at(&[turn, step], 1.0).transform_point3(DVec3::ZERO);
        assert!(p.distance(DVec3::X) < 1e-14, "turned, then stepped: {p}");
    }

    #[test]
    fn keys_are_met_exactly_and_joined_by_straight_lines() {
        let key = |time_s, x, deg| Key { time_s, translate_m: [x, 0.0, 0.0], rotate_deg: [0.0, 0.0, deg] };
        let motion = Keyframes {
            keys: vec![key(1.0, 0.0, 0.0), key(2.0, 4.0, 720.0), key(3.0, 2.0, 720.0)],
            center_m: [0.0; 3],
        };
        let at = |t| motion.transform_at(t).transform_point3(DVec3::X);
        assert_eq!(at(0.0), DVec3::X);
        assert!(at(1.25).distance(DVec3::new(0.0, 0.0, 0.0)) < 1e-12, "half a turn and one metre");
        assert!(at(2.0).distance(DVec3::new(5.0, 0.0, 0.0)) < 1e-12);
        assert!(at(9.0).distance(DVec3::new(3.0, 0.0, 0.0)) < 1e-12);
    }

    #[test]
    fn rotations_go_about_x_first_and_z_last() {
        let p = rotation([90.0, 0.0, 90.0]) * DVec3::Y;
        assert!(p.distance(DVec3::Z) < 1e-14, "{p}");
        let p = rotation([0.0, 90.0, 90.0]) * DVec3::Z;
        assert!(p.distance(DVec3::Y) < 1e-14, "{p}");
    }
}
