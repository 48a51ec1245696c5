//! How finely the picture is drawn while it moves.
//!
//! Where no GPU draws, a picture costs tens to hundreds of milliseconds, nearly all of it by the pixel. While something moves it has
//! fewer pixels, so that it follows the hand and the simulation; once all stands still it is drawn as finely as the display shows.

use std::time::Duration;

use crate::renderer::View;

/// What a picture may cost while it moves.
const WANTED: Duration = Duration::from_millis(40);
/// Standing still for so long, seconds, brings the fine picture.
const REST: f64 = 0.3;
/// Part of the pixels that the coarsest picture has, each way, in eighths.
const COARSEST: f32 = 3.0;

/// Decides how many pixels the next picture has.
pub(super) struct Pace {
    /// Whether pictures are coarser while they move.
    pub adapts: bool,
    /// Pixels of a moving picture, each way, in eighths of those of the display: steps, so that textures are seldom made anew.
    eighths: f32,
    /// When something moved last, seconds of the window's clock.
    moved: f64,
    /// What was to be seen last, as fine as the display; and as it was drawn.
    wanted: Option<View>,
    drawn: Option<View>,
}

impl Pace {
    pub fn new(adapts: bool) -> Self {
        Pace { adapts, eighths: 8.0, moved: f64::NEG_INFINITY, wanted: None, drawn: None }
    }

    /// How `view` is drawn now, or `None` where the picture that there is shows it already. `changed`: what there is to see has.
    /// `now`: seconds of the window's clock.
    pub fn next(&mut self, view: View, changed: bool, now: f64) -> Option<View> {
        if changed || self.wanted != Some(view) {
            self.moved = now;
        }
        self.wanted = Some(view);
        let mut next = view;
        if self.moves(now) {
            let part = self.eighths / 8.0;
            next.size = view.size.map(|s| ((s as f32 * part).round() as u32).max(1));
            next.scale = view.scale * part;
        }
        if !changed && self.drawn == Some(next) {
            return None;
        }
        self.drawn = Some(next);
        Some(next)
    }

    /// When the picture should be drawn again although nothing happens, seconds from `now`.
    pub fn again(&self, now: f64) -> Option<f64> {
        (self.drawn != self.wanted).then_some((self.moved + REST - now).max(0.0) + 0.01)
    }

    fn moves(&self, now: f64) -> bool {
        self.adapts && now - self.moved < REST
    }

    /// Takes note of what the last picture cost.
    pub fn took(&mut self, time: Duration) {
        let (Some(wanted), Some(drawn)) = (self.wanted, self.drawn) else { return };
        let part = drawn.size[1] as f32 / wanted.size[1] as f32;
        let fits = 8.0 * part * (WANTED.as_secs_f32() / time.as_secs_f32().max(1e-6)).sqrt();
        // Not to and fro for every picture that took a little more or less.
        if (fits - self.eighths).abs() > 1.2 {
            self.eighths = fits.round().clamp(COARSEST, 8.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Camera;
    use crate::renderer::Quality;
    use crate::theme::Theme;

    fn view(yaw: f32) -> View {
        let camera = Camera { yaw, ..Camera::new(glam::Vec3::Y) };
        View { camera, theme: Theme::Dark, size: [1000, 800], scale: 1.0, quality: Quality::QUICK }
    }

    #[test]
    fn a_slow_picture_is_coarse_while_it_moves_and_fine_at_rest() {
        let mut pace = Pace::new(true);
        assert_eq!(pace.next(view(0.0), false, 0.0), Some(view(0.0)), "nobody knows yet that it is slow");
        pace.took(WANTED * 4);
        let coarse = pace.next(view(0.1), false, 0.1).unwrap();
        assert_eq!((coarse.size, coarse.scale), ([500, 400], 0.5));
        pace.took(WANTED);
        assert_eq!(pace.next(view(0.1), false, 0.2), None, "it is there already");
        let again = pace.again(0.2).unwrap();
        assert!(again > 0.0 && again < 0.3, "{again}");
        assert_eq!(pace.next(view(0.1), false, 0.2 + again), Some(view(0.1)));
        pace.took(WANTED * 4);
        assert_eq!((pace.next(view(0.1), false, 1.0), pace.again(1.0)), (None, None), "no work at rest");
        assert_eq!(pace.next(view(0.1), true, 1.1).unwrap().size, [500, 400], "the bodies have moved");
        pace.took(WANTED / 16);
        assert_eq!(pace.next(view(0.2), false, 1.2), Some(view(0.2)), "it is fast enough");
    }

    #[test]
    fn however_slow_it_is_something_is_seen_and_where_it_does_not_adapt_all() {
        let mut pace = Pace::new(true);
        for i in 0..9 {
            pace.next(view(i as f32), true, 0.0);
            pace.took(Duration::from_secs(60));
        }
        assert_eq!(pace.next(view(9.0), true, 0.0).unwrap().size, [375, 300]);
        let mut pace = Pace::new(false);
        pace.next(view(0.0), true, 0.0);
        pace.took(Duration::from_secs(60));
        assert_eq!(pace.next(view(1.0), true, 0.1), Some(view(1.0)));
    }
}
