//! Pictures of the scenes that come with the program.
//!
//! They are files, made once by `scripts/thumbnails`: a scene tells what it is by a late frame, which takes up to minutes to
//! compute, and they are a few kilobytes each.

use egui::{ColorImage, TextureHandle, TextureOptions};

macro_rules! pictures {
    ($($name:literal),+ $(,)?) => {
        &[$((
            $name,
            include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/thumbnails/", $name, ".png")),
        )),+]
    };
}

/// Name of a scene, and a PNG of [`SIZE`] pixels.
const PICTURES: &[(&str, &[u8])] = gordian_sim::built_in_scenes!(pictures);

/// Pixels. They are shown at half of that in points: sharp on a dense display.
pub(super) const SIZE: [usize; 2] = [160, 100];

/// Pictures that are on the device already.
#[derive(Default)]
pub(super) struct Thumbnails(Vec<(&'static str, TextureHandle)>);

impl Thumbnails {
    /// The picture of a scene, if there is one.
    pub fn of(&mut self, ctx: &egui::Context, name: &str) -> Option<&TextureHandle> {
        if let Some(i) = self.0.iter().position(|t| t.0 == name) {
            return Some(&self.0[i].1);
        }
        let (name, png) = PICTURES.iter().find(|p| p.0 == name)?;
        let texture = ctx.load_texture(*name, decode(png), TextureOptions::LINEAR);
        self.0.push((*name, texture));
        self.0.last().map(|t| &t.1)
    }
}

/// A picture that belongs to the program.
fn decode(png: &[u8]) -> ColorImage {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(png));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().expect("it is a PNG");
    let mut bytes = vec![0; reader.output_buffer_size().expect("it is small")];
    let info = reader.next_frame(&mut bytes).expect("it is a PNG");
    let size = [info.width as usize, info.height as usize];
    match info.color_type {
        png::ColorType::Rgba => ColorImage::from_rgba_unmultiplied(size, &bytes),
        _ => ColorImage::from_rgb(size, &bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gordian_sim::scene::SCENES;

    #[test]
    fn every_scene_has_a_small_picture_that_shows_something() {
        let scenes: Vec<&str> = SCENES.iter().map(|s| s.name).collect();
        let pictures: Vec<&str> = PICTURES.iter().map(|p| p.0).collect();
        assert_eq!(pictures, scenes, "made by scripts/thumbnails");
        for (name, png) in PICTURES {
            assert!(png.len() < 10_000, "{name}: {} bytes", png.len());
            let image = decode(png);
            assert_eq!(image.size, SIZE, "{name}");
            let colourful = |c: &&egui::Color32| {
                let [r, g, b, _] = c.to_array();
                r.max(g).max(b) - r.min(g).min(b) > 50
            };
            let body = image.pixels.iter().filter(colourful).count();
            assert!(body > 400, "{name}: {body} pixels of a body");
        }
    }
}
