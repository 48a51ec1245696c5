//! ParaView's index of a series of files over time.

use std::io::Write;
use std::path::Path;

use super::vtu::escape;
use crate::io::{MeshError, write_atomically};

/// Writes a `.pvd` that gives each file its time in seconds. `file` is relative to the folder of `path`, with `/`
/// between folders; files of the same time are parts of one frame.
///
/// Errors: [`MeshError::Io`].
pub fn write_pvd<'a>(
    path: impl AsRef<Path>,
    frames: impl IntoIterator<Item = (f64, &'a str)>,
) -> Result<(), MeshError> {
    write_atomically(path.as_ref(), |out| {
        writeln!(out, "<?xml version=\"1.0\"?>")?;
        writeln!(out, "<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">")?;
        writeln!(out, "  <Collection>")?;
        let mut last = f64::NAN;
        let mut part = 0;
        for (time, file) in frames {
            part = if time == last { part + 1 } else { 0 };
            last = time;
            let file = escape(file);
            writeln!(out, "    <DataSet timestep=\"{time}\" part=\"{part}\" file=\"{file}\"/>")?;
        }
        writeln!(out, "  </Collection>\n</VTKFile>")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_have_their_time_and_parts_their_number() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.pvd");
        write_pvd(&path, [(0.0, "a&b/0.vtu"), (0.5, "1.vtu"), (0.5, "cloth 1.vtu")]).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(r#"timestep="0" part="0" file="a&amp;b/0.vtu""#), "{text}");
        assert!(text.contains(r#"timestep="0.5" part="1" file="cloth 1.vtu""#), "{text}");
    }
}
