//! `gordian mesh tet`: a closed surface filled with tetrahedra.

use std::path::PathBuf;

use gordian::mesh::fill::{FillError, FillOptions, fill_surface};
use gordian::mesh::{io, memory};
use miette::miette;

use super::files::{Role, check_outputs};
use super::{Outcome, fault, mesh};

/// Fills a closed surface with tetrahedra.
///
/// The surface may be an OBJ, PLY or STL file, or any other format that is read. Open surfaces are refused;
/// of overlapping parts the union is filled. The end says how good the tetrahedra are and how far body and
/// surface are apart.
#[derive(clap::Args)]
pub struct Args {
    /// The file with the surface.
    surface: PathBuf,
    /// The mean length of the mesh's edges, in metres.
    #[arg(long, value_name = "METRES")]
    edge: f64,
    /// The file to write, .msh or .vtu (or .ply or .obj: the boundary of the volume).
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub fn fill(args: &Args) -> miette::Result<Outcome> {
    mesh::check_name(&args.output)?;
    check_outputs(&[Role("the surface", &args.surface)], &[Role("the volume", &args.output)])?;
    io::check_writable(&args.output).map_err(fault::mesh)?;
    let loaded = io::load_surface(&args.surface).map_err(fault::mesh)?;
    let name = args.surface.display();
    // Vertices that no triangle uses are in no body: nothing to warn of.
    for warning in loaded.warnings.iter().filter(|w| !w.contains("to no triangle")) {
        tell!("warning: {name}: {warning}");
    }
    let options = FillOptions { memory: memory::available(), ..FillOptions::new(args.edge) };
    let filled = fill_surface(&loaded.mesh, &options).map_err(|error| match &error {
        FillError::Open { .. } => miette!(
            help = format!("`gordian check {name}` lists all borders and vertices in the same place"),
            "{name}: {error}"
        ),
        _ => miette!("{name}: {error}"),
    })?;
    for remark in &filled.remarks {
        tell!("warning: {name}: {remark}");
    }
    mesh::write_volume(&args.output, &filled.mesh)?;
    let show = |(distance, at): (f64, glam::DVec3)| {
        format!(
            "{distance:.3e} m ({:.2} edges) at ({:.4e}, {:.4e}, {:.4e})",
            distance / args.edge,
            at.x,
            at.y,
            at.z
        )
    };
    say!("largest distance from the surface to the body's boundary: {}", show(filled.deviation.of_surface));
    say!("largest distance from the body's boundary to the surface: {}", show(filled.deviation.of_body));
    Ok(Outcome::Clean)
}
