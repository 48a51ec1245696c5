//! `gordian mesh`: generated meshes as files.

use std::fmt::Write;
use std::path::PathBuf;

use gordian::mesh::generate::{GenerateError, Generated, Generator, Kind};
use gordian::mesh::io::{self, MshEncoding, Vtu};
use gordian::mesh::{TetTopology, TriMesh};
use gordian::sim::scene::did_you_mean;
use miette::{Report, miette};

use super::{Outcome, fault};

/// Makes a mesh: a block, a rod, a ball, cloth and more.
///
/// The format is that of the file's name: vtu and msh hold volumes, ply and obj surfaces (of a volume its boundary).
#[derive(clap::Args)]
pub struct Args {
    /// What is made; `gordian mesh --help` lists the kinds and their parameters.
    kind: String,
    /// Parameters, as name=value.
    #[arg(value_name = "NAME=VALUE")]
    parameters: Vec<String>,
    /// The file to write.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub fn generate(args: &Args) -> miette::Result<Outcome> {
    let kind = Kind::from_name(&args.kind).map_err(explain)?;
    let mut generator = Generator::new(kind);
    for parameter in &args.parameters {
        let parsed =
            parameter.split_once('=').and_then(|(name, value)| Some((name, value.trim().parse().ok()?)));
        let Some((name, value)) = parsed else {
            return Err(miette!(
                "`{parameter}` is not a parameter; write name=number, such as {}",
                example(kind)
            ));
        };
        generator.set(name.trim(), value).map_err(explain)?;
    }
    let (surface, vertices, tets) = match generator.build().map_err(explain)? {
        Generated::Tets(mesh) => {
            let triangles = TetTopology::new(mesh.positions.len(), &mesh.tets).faces;
            let surface = TriMesh { positions: mesh.positions, triangles };
            let vertices = surface.positions.len();
            (surface, vertices, mesh.tets)
        }
        Generated::Triangles(mesh) => {
            let vertices = mesh.positions.len();
            (mesh, vertices, Vec::new())
        }
    };
    let path = &args.output;
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    // A volume's file holds its tetrahedra alone: the boundary follows from them.
    let triangles: &[[u32; 3]] = if tets.is_empty() { &surface.triangles } else { &[] };
    match extension.as_str() {
        "vtu" => io::write_vtu(path, &Vtu { triangles, ..Vtu::volume(&surface.positions, &tets) }),
        "msh" => io::write_msh41(path, &surface.positions, &tets, triangles, MshEncoding::Binary),
        "ply" => io::write_ply(path, &surface.positions, &surface.triangles),
        "obj" => io::write_obj(path, &surface.positions, &surface.triangles),
        _ => {
            let advice = "name the file .vtu or .msh for a volume, .ply or .obj for a surface";
            return Err(miette!(help = advice, "{}: no format of this name is written", path.display()));
        }
    }
    .map_err(fault::mesh)?;
    let (t, f) = (tets.len(), surface.triangles.len());
    println!("{}: {vertices} vertices, {t} tetrahedra, {f} surface triangles", path.display());
    Ok(Outcome::Clean)
}

/// All kinds with their parameters, for the help.
pub fn kinds() -> String {
    let mut text = String::from("Kinds and their parameters, with defaults:\n");
    for kind in Kind::ALL {
        let _ = write!(text, "\n  {}: {}\n", kind.name(), kind.about());
        for p in kind.parameters() {
            let _ = writeln!(text, "    {}={}  {}", p.name, p.default, p.about);
        }
    }
    text
}

fn example(kind: Kind) -> String {
    kind.parameters().first().map_or_else(|| "n=8".into(), |p| format!("{}={}", p.name, p.default))
}

fn explain(error: GenerateError) -> Report {
    let help = match &error {
        GenerateError::UnknownKind { name, .. } => did_you_mean(name, Kind::ALL.map(Kind::name)),
        GenerateError::UnknownParameter { kind, name, .. } => {
            let kind = Kind::from_name(kind).map(Kind::parameters).unwrap_or_default();
            did_you_mean(name, kind.iter().map(|p| p.name))
        }
        _ => None,
    };
    match help {
        Some(help) => miette!(help = help, "{error}"),
        None => miette!("{error}"),
    }
}
