//! USD as text: one mesh with a time sample a frame.
//!
//! Time codes are frames. A sample is one line, `            FRAME: [(x, y, z), …],`, and the samples are the last thing in the file,
//! so that a frame is appended by writing over the closing lines. There is room for one such attribute: positions.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::PathBuf;

use glam::Vec3;
use gordian_mesh::io::MeshError;

use super::io_error;

const END_TIME: &str = "    endTimeCode = ";
const SAMPLES: &str = "        point3f[] points.timeSamples = {\n";
const CLOSING: &str = "        }\n    }\n}\n";

/// What stands in the head of the file.
pub(super) struct Stage<'a> {
    pub name: &'a str,
    pub up_is_z: bool,
    pub frames_per_s: f64,
    pub triangles: &'a [[u32; 3]],
}

/// An open file.
pub(super) struct Usda {
    path: PathBuf,
    file: File,
    /// Where the number of the last frame stands.
    end_time_at: u64,
    /// Where the closing lines begin.
    closing_at: u64,
}

impl Usda {
    /// Begins a file, or goes on with the one that is there behind frame `after`.
    pub fn open(path: PathBuf, stage: &Stage, after: Option<u32>) -> Result<Self, MeshError> {
        let head = stage.head();
        let end_time_at = (head.find(END_TIME).expect("it is in the head") + END_TIME.len()) as u64;
        let result = (|| {
            let mut file =
                OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path)?;
            let (kept, last) = match after {
                Some(after) => kept_samples(&mut file, head.len() as u64, after)?,
                None => (0, 0),
            };
            file.seek(SeekFrom::Start(0))?;
            file.write_all(head.as_bytes())?;
            file.seek(SeekFrom::Start(end_time_at))?;
            file.write_all(end_time(last).as_bytes())?;
            let closing_at = head.len() as u64 + kept;
            file.set_len(closing_at)?;
            file.seek(SeekFrom::Start(closing_at))?;
            file.write_all(CLOSING.as_bytes())?;
            Ok((file, closing_at))
        })();
        let (file, closing_at) = result.map_err(io_error(&path))?;
        Ok(Self { path, file, end_time_at, closing_at })
    }

    /// Appends a frame.
    pub fn append(&mut self, frame: u32, positions: &[Vec3]) -> Result<(), MeshError> {
        let mut line = String::with_capacity(40 * positions.len() + 32);
        let _ = write!(line, "            {frame}: [");
        for (i, p) in positions.iter().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            let _ = write!(line, "{comma}({}, {}, {})", p.x, p.y, p.z);
        }
        line.push_str("],\n");
        let closing_at = self.closing_at + line.len() as u64;
        line.push_str(CLOSING);
        let mut write = || -> io::Result<()> {
            self.file.seek(SeekFrom::Start(self.closing_at))?;
            self.file.write_all(line.as_bytes())?;
            self.file.seek(SeekFrom::Start(self.end_time_at))?;
            self.file.write_all(end_time(frame).as_bytes())
        };
        if let Err(error) = write() {
            // The frame is taken back, so that the file holds all frames before it, whole. There is room: it was there before.
            let _ = self.file.set_len(self.closing_at + CLOSING.len() as u64);
            let _ = self.file.seek(SeekFrom::Start(self.closing_at));
            let _ = self.file.write_all(CLOSING.as_bytes());
            return Err(io_error(&self.path)(error));
        }
        self.closing_at = closing_at;
        Ok(())
    }
}

impl Stage<'_> {
    fn head(&self) -> String {
        // A prim's name is an identifier.
        let mut prim: String =
            self.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if prim.starts_with(|c: char| c.is_ascii_digit()) {
            prim.insert(0, '_');
        }
        let counts = vec!["3"; self.triangles.len()].join(", ");
        let indices: Vec<String> = self.triangles.as_flattened().iter().map(u32::to_string).collect();
        let up = if self.up_is_z { "Z" } else { "Y" };
        let mut head = format!(
            "#usda 1.0\n(\n    defaultPrim = \"{prim}\"\n    metersPerUnit = 1\n    upAxis = \"{up}\"\n"
        );
        let _ = write!(head, "    startTimeCode = 0\n{END_TIME}{}\n", end_time(0));
        let _ = write!(head, "    timeCodesPerSecond = {}\n)\n\n", self.frames_per_s);
        let _ = write!(head, "def Xform \"{prim}\"\n{{\n    def Mesh \"surface\"\n    {{\n");
        let _ = writeln!(head, "        int[] faceVertexCounts = [{counts}]");
        let _ = writeln!(head, "        int[] faceVertexIndices = [{}]", indices.join(", "));
        let _ = writeln!(head, "        uniform token subdivisionScheme = \"none\"");
        head.push_str(SAMPLES);
        head
    }
}

/// The number of the last frame, as wide as any may become.
fn end_time(frame: u32) -> String {
    format!("{frame:<10}")
}

/// Bytes of the samples behind the head that belong to frames up to `after`, and the last of these; none where the head
/// is another.
fn kept_samples(file: &mut File, head: u64, after: u32) -> io::Result<(u64, u32)> {
    let (mut kept, mut last) = (0, 0);
    if file.metadata()?.len() < head {
        return Ok((kept, last));
    }
    file.seek(SeekFrom::Start(head - SAMPLES.len() as u64))?;
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    reader.read_until(b'\n', &mut line)?;
    if line != SAMPLES.as_bytes() {
        return Ok((kept, last));
    }
    loop {
        line.clear();
        let count = reader.read_until(b'\n', &mut line)?;
        let frame = std::str::from_utf8(&line)
            .ok()
            .and_then(|l| l.trim_start().split_once(": [")?.0.parse::<u32>().ok());
        match frame {
            Some(frame) if frame <= after && line.ends_with(b"],\n") => {
                kept += count as u64;
                last = frame;
            }
            _ => return Ok((kept, last)),
        }
    }
}
