//! Recording from the window: pictures, frames and the report, each frame of the simulation once.

use std::path::{Path, PathBuf};

use gordian_sim::{FrameReport, Layout, Recorder, Report, Scene, World};

use crate::camera::Camera;
use crate::compose::Look;
use crate::gpu::{DrawWith, Gpu};
use crate::shot::Shot;
use crate::snapshot::{Model, Snapshot};

/// What is recorded.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Where to.
    pub folder: PathBuf,
    /// Pictures: from where, how they look, and their size in pixels.
    pub pictures: Option<(Camera, Look, [u32; 2])>,
    /// Frames in the format of the scene.
    pub frames: bool,
}

/// A recording under way.
pub struct Recording {
    wanted: Wanted,
    shot: Option<Shot>,
    recorder: Option<Recorder>,
    report: Report,
    pictures: u32,
}

impl Recording {
    /// Starts to record. Errors are messages for people.
    pub fn start(wanted: Wanted, world: &World, scene: &Scene) -> Result<Self, String> {
        let io = |e: std::io::Error| format!("{}: {e}", wanted.folder.display());
        std::fs::create_dir_all(&wanted.folder).map_err(io)?;
        let shot = match wanted.pictures {
            Some(_) => {
                let shot = Gpu::offscreen(&DrawWith::Auto).and_then(|gpu| Shot::new(&gpu));
                Some(shot.map_err(|e| e.to_string())?)
            }
            None => None,
        };
        let recorder = wanted
            .frames
            .then(|| Recorder::new(&wanted.folder, scene, Layout::of(world).into(), None))
            .transpose()
            .map_err(|e| e.to_string())?;
        let report = Report::of(world, scene);
        Ok(Recording { wanted, shot, recorder, report, pictures: 0 })
    }

    /// Where to.
    pub fn folder(&self) -> &Path {
        &self.wanted.folder
    }

    /// Takes a frame that is done.
    pub fn frame(
        &mut self,
        world: &World,
        model: &Model,
        snapshot: &Snapshot,
        report: &FrameReport,
    ) -> Result<(), String> {
        self.report.frames.push(report.clone());
        if let Some(recorder) = &mut self.recorder {
            recorder
                .record(report.frame, world.positions(), world.velocities())
                .map_err(|e| e.to_string())?;
        }
        if let (Some(shot), Some((camera, look, size))) = (&mut self.shot, &self.wanted.pictures) {
            let image = shot.take_from(model, snapshot, look, camera, *size).map_err(|e| e.to_string())?;
            let path = self.wanted.folder.join(format!("frame_{:06}.png", report.frame));
            image.write_png(&path).map_err(|e| e.to_string())?;
            self.pictures += 1;
        }
        Ok(())
    }

    /// Writes the report; returns what there is to say.
    pub fn finish(self) -> Result<String, String> {
        let path = self.wanted.folder.join("report.json");
        self.report.write(&path).map_err(|e| e.to_string())?;
        Ok(format!(
            "{} frames recorded, {} pictures; the report is {}",
            self.report.frames.len(),
            self.pictures,
            path.display()
        ))
    }
}
