//! Pictures in memory, and as PNG files.

use std::path::Path;

use gordian_mesh::io::{MeshError, write_atomically};

/// A picture: rows from the top, four bytes a pixel (sRGB and opacity).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// `4 * width * height` bytes.
    pub rgba: Vec<u8>,
}

impl Image {
    /// The pixel in column `x` and row `y`.
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 4] {
        let i = 4 * (y as usize * self.width as usize + x as usize);
        self.rgba[i..i + 4].try_into().expect("four bytes")
    }

    /// The picture as a PNG file in memory.
    pub fn to_png(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.encode(&mut bytes).expect("memory takes everything");
        bytes
    }

    /// Writes a PNG file, whole or not at all: where it fails, an older file of this name stays. Its folder is made where it is
    /// missing. Errors: [`MeshError::Io`] with `path`.
    pub fn write_png(&self, path: impl AsRef<Path>) -> Result<(), MeshError> {
        write_atomically(path.as_ref(), |out| self.encode(out))
    }

    fn encode(&self, out: impl std::io::Write) -> std::io::Result<()> {
        let mut encoder = png::Encoder::new(out, self.width, self.height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.rgba)?;
        Ok(writer.finish()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_that_cannot_be_written_leaves_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/picture.png");
        let image = Image { width: 2, height: 1, rgba: vec![1, 2, 3, 255, 4, 5, 6, 255] };
        image.write_png(&path).unwrap();
        let old = std::fs::read(&path).unwrap();
        assert_eq!(old, image.to_png());
        // It fails after the header has been written.
        let broken = Image { rgba: vec![0; 3], ..image };
        let error = broken.write_png(&path).unwrap_err();
        assert!(error.to_string().contains("picture.png"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), old);
        assert_eq!(
            std::fs::read_dir(path.parent().unwrap()).unwrap().count(),
            1,
            "nothing is left beside it"
        );
    }
}
