//! Frames on disk.
//!
//! All bodies of a scene are one mesh here: their vertices one after the other, each in its file order. Series of files (`vtu`,
//! `ply`) are written whole or not at all, frame by frame; the formats that keep all frames in one file (`usda`, `pc2`)
//! grow in place and can be opened after every frame.

mod lock;
mod pc2;
mod usda;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::Vec3;
use gordian_mesh::io::{DataArray, MeshError, Values, Vtu, write_obj, write_ply, write_pvd, write_vtu};

pub use lock::{FolderLock, FolderLockError};

use crate::scene::{Output, OutputFormat, Scene};
use crate::{BodyInfo, World};

/// Which particles are which: the topology of all bodies together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The bodies, in the order of their particles.
    pub bodies: Vec<BodySpan>,
    /// Tetrahedra over all particles, in the order of the bodies and their files.
    pub tets: Vec<[u32; 4]>,
    /// Triangles of the surfaces, outward, then those of cloth.
    pub surface: Vec<[u32; 3]>,
    /// How many of those are cloth.
    pub cloth: usize,
}

/// The particles of one body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodySpan {
    /// Name of the body.
    pub name: String,
    /// Its particles.
    pub particles: std::ops::Range<u32>,
}

impl Layout {
    /// The layout of a world.
    pub fn of(world: &World) -> Self {
        let span = |b: &BodyInfo| BodySpan { name: b.name.clone(), particles: b.particles.clone() };
        let topology = world.topology();
        Self {
            bodies: world.bodies().iter().map(span).collect(),
            tets: topology.tets.clone(),
            surface: [topology.faces.as_slice(), world.cloth().triangles()].concat(),
            cloth: world.cloth().triangles().len(),
        }
    }

    /// Number of particles.
    pub fn particles(&self) -> usize {
        self.bodies.last().map_or(0, |b| b.particles.end as usize)
    }

    /// The body of a particle and the number of its vertex there.
    pub fn locate(&self, particle: u32) -> Option<(&BodySpan, u32)> {
        let index = self.bodies.partition_point(|b| b.particles.end <= particle);
        let body = self.bodies.get(index)?;
        Some((body, particle - body.particles.start))
    }
}

/// Frames of an earlier run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOver {
    /// How many files.
    pub files: usize,
    /// The lowest of their frames.
    pub first: u32,
}

/// Writes frames to a folder.
pub struct Recorder {
    folder: PathBuf,
    name: String,
    output: Output,
    frame_s: f64,
    /// The frame that a resumed run goes on from.
    after: Option<u32>,
    layout: Arc<Layout>,
    /// Body of each particle, for the files.
    body: Vec<u32>,
    frames: Frames,
}

/// What is kept between frames.
enum Frames {
    /// The frames written, with their times.
    Vtu(Vec<(f64, String)>),
    Ply,
    Usda(usda::Usda),
    Pc2(pc2::Pc2),
    None,
}

impl Recorder {
    /// Begins the recording of a scene in a folder, which is created. `after` is the frame that a resumed run goes on from:
    /// what was recorded up to it stays.
    pub fn new(
        folder: impl Into<PathBuf>,
        scene: &Scene,
        layout: Arc<Layout>,
        after: Option<u32>,
    ) -> Result<Self, MeshError> {
        let folder = folder.into();
        if scene.output.format != OutputFormat::None {
            std::fs::create_dir_all(&folder).map_err(io_error(&folder))?;
        }
        let name = file_name(&scene.simulation.name);
        let output = scene.output.clone();
        let frame_s = scene.simulation.frame_s;
        let points = layout.particles();
        let body = layout
            .bodies
            .iter()
            .enumerate()
            .flat_map(|(i, b)| std::iter::repeat_n(i as u32, b.particles.len()))
            .collect();
        let file = |extension: &str| folder.join(format!("{name}.{extension}"));
        let frames = match output.format {
            OutputFormat::Vtu => Frames::Vtu(match after {
                Some(after) => recorded(&folder, &name, after, frame_s),
                None => Vec::new(),
            }),
            OutputFormat::Ply => Frames::Ply,
            OutputFormat::None => Frames::None,
            OutputFormat::Usda => {
                let stage = usda::Stage {
                    name: &name,
                    up_is_z: scene.up().abs().max_position() == 2,
                    frames_per_s: 1.0 / frame_s,
                    triangles: &layout.surface,
                };
                Frames::Usda(usda::Usda::open(file("usda"), &stage, after)?)
            }
            OutputFormat::Pc2 => Frames::Pc2(pc2::Pc2::open(file("pc2"), points, output.every, after)?),
        };
        Ok(Self { folder, name, output, frame_s, after, layout, body, frames })
    }

    /// Whether a frame is to be recorded; `last` says that none follows.
    pub fn wants(&self, frame: u32, last: bool) -> bool {
        match self.output.format {
            OutputFormat::None => false,
            // Its samples are evenly spaced.
            OutputFormat::Pc2 => frame.is_multiple_of(self.output.every),
            _ => last || frame.is_multiple_of(self.output.every),
        }
    }

    /// Files of frames that an earlier run left in the folder and that this one, up to frame `last`, does not write over.
    pub fn left_over(&self, last: u32) -> Option<LeftOver> {
        let extension = match self.output.format {
            OutputFormat::Vtu => "vtu",
            OutputFormat::Ply => "ply",
            // One file, which is begun anew.
            OutputFormat::Usda | OutputFormat::Pc2 | OutputFormat::None => return None,
        };
        let stays = |file: std::ffi::OsString| {
            let frame = frame_of(&self.name, file.to_str()?, extension)?;
            let kept = self.after.is_some_and(|after| frame <= after);
            (!kept && (frame > last || !self.wants(frame, frame == last))).then_some(frame)
        };
        let there = std::fs::read_dir(&self.folder).ok()?;
        let frames: Vec<u32> = there.filter_map(|entry| stays(entry.ok()?.file_name())).collect();
        Some(LeftOver { files: frames.len(), first: *frames.iter().min()? })
    }

    /// What a viewer opens; none without frames.
    pub fn entry(&self) -> Option<PathBuf> {
        let extension = match self.output.format {
            OutputFormat::Vtu => "pvd",
            OutputFormat::Ply => return Some(self.folder.clone()),
            OutputFormat::None => return None,
            OutputFormat::Usda => "usda",
            OutputFormat::Pc2 => "pc2",
        };
        Some(self.folder.join(format!("{}.{extension}", self.name)))
    }

    /// Where the checkpoint after a frame goes.
    pub fn checkpoint_path(&self, frame: u32) -> PathBuf {
        self.folder.join(frame_file(&self.name, frame, "checkpoint"))
    }

    /// Writes a frame; frame 0 is the start. Positions in metres and velocities in metres per second, one for each particle.
    pub fn record(&mut self, frame: u32, positions: &[Vec3], velocities: &[Vec3]) -> Result<(), MeshError> {
        assert_eq!(positions.len(), self.body.len());
        match &mut self.frames {
            Frames::None => Ok(()),
            Frames::Vtu(frames) => {
                let time = f64::from(frame) * self.frame_s;
                let name = frame_file(&self.name, frame, "vtu");
                let mut grid = Vtu::volume(positions, &self.layout.tets);
                grid.triangles = &self.layout.surface[self.layout.surface.len() - self.layout.cloth..];
                grid.time = Some(time);
                if self.output.velocities {
                    grid.point_data.push(DataArray::vectors("velocity", velocities));
                }
                grid.point_data.push(DataArray::scalars("body", Values::U32(&self.body)));
                write_vtu(self.folder.join(&name), &grid)?;
                if frames.last().is_none_or(|(_, last)| *last != name) {
                    frames.push((time, name));
                }
                let listed = frames.iter().map(|(time, file)| (*time, file.as_str()));
                write_pvd(self.folder.join(format!("{}.pvd", self.name)), listed)
            }
            Frames::Ply => {
                let path = self.folder.join(frame_file(&self.name, frame, "ply"));
                write_ply(path, positions, &self.layout.surface)
            }
            Frames::Usda(file) => file.append(frame, positions),
            Frames::Pc2(file) => {
                // The mesh that the cache moves; the first sample gives its shape.
                if file.samples() == 0 {
                    write_obj(
                        self.folder.join(format!("{}.obj", self.name)),
                        positions,
                        &self.layout.surface,
                    )?;
                }
                file.append(positions)
            }
        }
    }
}

/// The frames of a series up to `after` that are there, with their times.
fn recorded(folder: &Path, name: &str, after: u32, frame_s: f64) -> Vec<(f64, String)> {
    (0..=after)
        .map(|frame| (f64::from(frame) * frame_s, frame_file(name, frame, "vtu")))
        .filter(|(_, file)| folder.join(file).is_file())
        .collect()
}

fn frame_file(name: &str, frame: u32, extension: &str) -> String {
    format!("{name}_{frame:06}.{extension}")
}

/// The frame of a file that [`frame_file`] named.
fn frame_of(name: &str, file: &str, extension: &str) -> Option<u32> {
    let frame = file.strip_prefix(name)?.strip_prefix('_')?.strip_suffix(extension)?.strip_suffix('.')?;
    let frame = frame.parse().ok()?;
    (frame_file(name, frame, extension) == file).then_some(frame)
}

/// A name as a file name: what is no letter, digit, dash, dot or underscore becomes an underscore.
pub fn file_name(name: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' };
    let name: String = name.chars().map(safe).collect();
    match name.trim_start_matches('.') {
        "" => "scene".into(),
        name => name.into(),
    }
}

fn io_error(path: &Path) -> impl Fn(std::io::Error) -> MeshError + '_ {
    move |source| MeshError::Io { path: path.to_path_buf(), source }
}

#[cfg(test)]
mod tests;
