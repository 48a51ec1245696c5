//! Pictures in memory, and as PNG files.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

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

    /// Writes a PNG file; its folder is made where it is missing.
    pub fn write_png(&self, path: impl AsRef<Path>) -> std::io::Result<()> {
        let path = path.as_ref();
        if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)?;
        }
        self.encode(BufWriter::new(File::create(path)?))
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
