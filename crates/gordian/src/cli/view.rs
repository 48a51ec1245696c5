//! `gordian view`: a window to play with scenes, and pictures of them in files.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use gordian::sim::{Checkpoint, World};
use gordian::viewer::{
    CameraChoice, ClipChoice, DrawWith, Gpu, Image, Look, Model, Overlays, Shot, Snapshot, Theme, camera,
    compose,
};
use miette::miette;

use super::files::{Role, check_outputs};
use super::progress::Progress;
use super::run::Compute;
use super::{Outcome, fault};

/// Opens a window to see and touch scenes; with `--screenshot` it draws a picture into a file, which needs no display.
#[derive(clap::Args)]
pub struct Args {
    /// Scene file, name of a built-in scene, or a mesh: it is dropped on the ground, a surface as cloth.
    scene: Option<PathBuf>,
    #[command(flatten)]
    compute: Compute,
    /// Replaces a value of the scene, such as collision.recovery=true or body.mesh=FILE; may be given again.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Writes a picture; no display is needed.
    #[arg(long, value_name = "FILE.png")]
    screenshot: Option<PathBuf>,
    /// The frame that the picture shows; by default the last one of a scene, that of a checkpoint, and 0 for a mesh.
    #[arg(long, value_name = "N")]
    frame: Option<u32>,
    /// Draws from a checkpoint of `gordian run` on, instead of from the start.
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Width and height of the picture, pixels.
    #[arg(long, value_name = "WxH", default_value = "1280x720")]
    size: Size,
    /// YAW,PITCH[,ZOOM][@X,Y,Z]: degrees, a factor on "all in view, at the start and now", and what is looked at in metres.
    /// Without it, what there is at the frame is in view.
    #[arg(long, value_name = "CAMERA", allow_hyphen_values = true)]
    camera: Option<CameraChoice>,
    /// light or dark.
    #[arg(long, value_name = "THEME", default_value = "light")]
    theme: Theme,
    /// Cuts the bodies open: x, y or z (-x: the other side), x=POSITION, or NX,NY,NZ[,OFFSET].
    #[arg(long, value_name = "PLANE", allow_hyphen_values = true)]
    clip: Option<ClipChoice>,
    /// penetrating, inverted, contacts, paths, wireframe, contours, colouring, culled, joined by commas; none or all.
    #[arg(long, value_name = "NAMES", default_value = "penetrating,inverted,contours")]
    overlay: Overlays,
    /// What draws: auto (a GPU, else a software adapter), software, or part of an adapter's name.
    #[arg(long, value_name = "NAME", default_value = "auto")]
    draw_with: String,
}

/// What no adapter draws more of, pixels.
const LARGEST_SIDE: u32 = 16384;

/// Width and height.
#[derive(Clone, Copy)]
struct Size([u32; 2]);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let sides = text.split_once('x').and_then(|(w, h)| Some([w.parse().ok()?, h.parse().ok()?]));
        match sides {
            Some(sides) if sides.iter().all(|n| (1..=LARGEST_SIDE).contains(n)) => Ok(Size(sides)),
            Some(_) => Err(format!("a picture has from 1 to {LARGEST_SIDE} pixels a side, such as 1280x720")),
            None => Err(format!("`{text}` is no size; write WIDTHxHEIGHT in pixels, such as 1280x720")),
        }
    }
}

pub fn view(args: &Args) -> miette::Result<Outcome> {
    args.compute.start()?;
    match &args.screenshot {
        Some(path) => screenshot(args, path),
        None => window(args),
    }
}

#[cfg(feature = "window")]
fn window(args: &Args) -> miette::Result<Outcome> {
    if !args.set.is_empty() || args.frame.is_some() || args.resume.is_some() {
        return Err(miette!(
            "--set, --frame and --resume are for --screenshot; in the window the scene is tuned by hand"
        ));
    }
    let name = args.scene.as_deref().map(utf8).transpose()?;
    gordian::viewer::window::open(name, args.compute.adapter.clone()).map_err(|e| miette!("{e}"))?;
    Ok(Outcome::Clean)
}

#[cfg(not(feature = "window"))]
fn window(_: &Args) -> miette::Result<Outcome> {
    Err(miette!(
        "this program was built without its window (its feature `window`, which is on unless --no-default-features is given); draw a picture with --screenshot FILE.png"
    ))
}

/// The list of the window and its titles hold text.
fn utf8(name: &Path) -> miette::Result<&str> {
    name.to_str()
        .ok_or_else(|| miette!("{}: this path is not UTF-8; rename the file to view it", name.display()))
}

fn screenshot(args: &Args, path: &Path) -> miette::Result<Outcome> {
    if !path.extension().is_some_and(|e| e.eq_ignore_ascii_case("png")) {
        return Err(miette!(
            "{}: pictures are written as PNG; name a file that ends in .png",
            path.display()
        ));
    }
    let Some(name) = &args.scene else {
        return Err(miette!("name the scene to draw; `gordian scenes` lists those that there are"));
    };
    let mut inputs = vec![Role("the scene", name)];
    inputs.extend(args.resume.as_deref().map(|checkpoint| Role("the checkpoint", checkpoint)));
    check_outputs(&inputs, &[Role("the picture", path)])?;
    gordian::mesh::io::check_writable(path).map_err(fault::mesh)?;
    let checkpoint = args.resume.as_ref().map(Checkpoint::read).transpose().map_err(fault::checkpoint)?;
    let scene = gordian::viewer::open(utf8(name)?, &args.set).map_err(fault::scene)?;
    // Before the simulation: an adapter that is not there should not take a minute to be told.
    let with = match args.draw_with.as_str() {
        "auto" => DrawWith::Auto,
        "software" => DrawWith::Software,
        name => DrawWith::Named(name.to_owned()),
    };
    let gpu = Gpu::offscreen(&with).map_err(|e| miette!("{e}"))?;
    let [width, height] = args.size.0;
    if width.max(height) > gpu.largest_side() {
        return Err(miette!("{} draws pictures of up to {} pixels a side", gpu.name, gpu.largest_side()));
    }
    let mut shot = Shot::new(&gpu).map_err(|e| miette!("{e}"))?;
    let mut world = World::new(&scene, &args.compute.adapter).map_err(fault::sim)?;
    for warning in world.warnings() {
        tell!("warning: {warning}");
    }
    let model = Model::of(&world, scene.up().as_vec3());
    let mut snapshot = Snapshot::inspect(&mut world, args.overlay).map_err(fault::sim)?;
    let start = compose::in_view(&model, &snapshot);
    if let Some(checkpoint) = &checkpoint {
        world.resume(&scene, checkpoint).map_err(fault::sim)?;
        snapshot = Snapshot::inspect(&mut world, args.overlay).map_err(fault::sim)?;
    }
    let first = world.frame();
    let last = args.frame.unwrap_or(match checkpoint.is_some() {
        true => first,
        false if gordian::viewer::is_mesh(name) => 0,
        false => scene.simulation.frames,
    });
    if last < first {
        return Err(miette!("the checkpoint is of frame {first}; it leads to no frame {last} before"));
    }
    let mut progress = Progress::new(first, last);
    for _ in first..last {
        let report = world.step_frame().map_err(fault::sim)?;
        progress.reach(report.frame, String::new());
        if report.frame == last {
            snapshot = Snapshot::of(&world, report, args.overlay);
        }
    }
    progress.finish();
    let middle = camera::bounds(compose::extent(&model, &snapshot).into_iter());
    let mut points = compose::in_view(&model, &snapshot);
    // Where the camera is chosen, start and end are in view, so that pictures of several frames can be compared.
    if args.camera.is_some() {
        points.extend(start);
    }
    let centre = middle.map_or(glam::Vec3::ZERO, |(low, high)| (low + high) / 2.0);
    let clip = args.clip.map(|c| c.plane(centre));
    let look = Look { theme: args.theme, overlays: args.overlay, clip, selected: None };
    let aspect = width as f32 / height as f32;
    let camera = args.camera.unwrap_or_default().camera(model.up, points.into_iter(), aspect);
    let image: Image =
        shot.take_from(&model, &snapshot, &look, &camera, args.size.0).map_err(|e| miette!("{e}"))?;
    image.write_png(path).map_err(fault::mesh)?;
    say!("written    {} (frame {last}, drawn with {})", path.display(), gpu.name);
    Ok(Outcome::Clean)
}
