//! `gordian mesh`: generated meshes as files.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use gordian::mesh::generate::{GenerateError, Generated, Generator, Kind};
use gordian::mesh::io::{self, MshEncoding, Vtu};
use gordian::mesh::quality::TetQuality;
use gordian::mesh::{TetMesh, TetTopology, TriMesh};
use gordian::sim::scene::did_you_mean;
use miette::{Report, miette};

use super::{Outcome, fault};

/// Makes a mesh: a block, a rod, a ball, cloth and more; or fills a closed surface with tetrahedra (`tet`).
///
/// The format is that of the file's name: vtu and msh hold volumes, ply and obj surfaces (of a volume its boundary).
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// What is made; `gordian mesh --help` lists the kinds and their parameters.
    #[arg(required = true)]
    kind: Option<String>,
    /// Parameters, as name=value.
    #[arg(value_name = "NAME=VALUE")]
    parameters: Vec<String>,
    /// About how many vertices, instead of the parameters that say how fine the mesh is.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    vertices: Option<u32>,
    /// The file to write.
    #[arg(short, long, value_name = "FILE", required = true)]
    output: Option<PathBuf>,
}

#[derive(clap::Subcommand)]
enum Command {
    Tet(super::mesh_tet::Args),
}

pub fn generate(args: &Args) -> miette::Result<Outcome> {
    if let Some(Command::Tet(args)) = &args.command {
        return super::mesh_tet::fill(args);
    }
    let (Some(kind), Some(path)) = (&args.kind, &args.output) else {
        unreachable!("both are required where there is no subcommand");
    };
    let kind = Kind::from_name(kind).map_err(explain)?;
    let mut generator = Generator::new(kind);
    let mut given = std::collections::BTreeSet::new();
    for parameter in &args.parameters {
        let parsed =
            parameter.split_once('=').and_then(|(name, value)| Some((name, value.trim().parse().ok()?)));
        let Some((name, value)) = parsed else {
            return Err(miette!(
                "`{parameter}` is not a parameter; write name=number, such as {}",
                example(kind)
            ));
        };
        let name = name.trim();
        if !given.insert(name) {
            return Err(miette!("`{name}` is given twice; give it once"));
        }
        generator.set(name, value).map_err(explain)?;
    }
    if let Some(vertices) = args.vertices {
        if given.contains("vertices") {
            return Err(miette!("`vertices=` is given beside `--vertices`; give one of them"));
        }
        generator.set("vertices", f64::from(vertices)).map_err(explain)?;
    }
    check_name(path)?;
    match generator.build().map_err(explain)? {
        Generated::Tets(mesh) => write_volume(path, &mesh)?,
        Generated::Triangles(mesh) => {
            write(path, &mesh, &[])?;
            let (v, f) = (mesh.positions.len(), mesh.triangles.len());
            say!("{}: {v} vertices, 0 tetrahedra, {f} surface triangles", path.display());
        }
    }
    Ok(Outcome::Clean)
}

/// Writes a volume, and says how large and how good it is.
pub(super) fn write_volume(path: &Path, mesh: &TetMesh) -> miette::Result<()> {
    let triangles = TetTopology::new(mesh.positions.len(), &mesh.tets).faces;
    let surface = TriMesh { positions: mesh.positions.clone(), triangles };
    write(path, &surface, &mesh.tets)?;
    let (v, t, f) = (mesh.positions.len(), mesh.tets.len(), surface.triangles.len());
    say!("{}: {v} vertices, {t} tetrahedra, {f} surface triangles", path.display());
    let quality = TetQuality::measure(mesh);
    say!(
        "dihedral angles {:.1} to {:.1} degrees, smallest radius ratio {:.3}, edges {:.3e} to {:.3e} m (mean {:.3e})",
        quality.min_dihedral.0,
        quality.max_dihedral.0,
        quality.min_radius_ratio.0,
        quality.min_edge,
        quality.max_edge,
        quality.mean_edge,
    );
    Ok(())
}

/// What a file is written as.
#[derive(Clone, Copy)]
enum Format {
    Vtu,
    Msh,
    Ply,
    Obj,
}

/// The format that the file's name asks for; refused before the work is done.
pub(super) fn check_name(path: &Path) -> miette::Result<()> {
    format(path).map(|_| ())
}

fn format(path: &Path) -> miette::Result<Format> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    match extension.as_str() {
        "vtu" => Ok(Format::Vtu),
        "msh" => Ok(Format::Msh),
        "ply" => Ok(Format::Ply),
        "obj" => Ok(Format::Obj),
        _ => {
            let advice = "name the file .vtu or .msh for a volume, .ply or .obj for a surface";
            Err(miette!(help = advice, "{}: no format of this name is written", path.display()))
        }
    }
}

fn write(path: &Path, surface: &TriMesh, tets: &[[u32; 4]]) -> miette::Result<()> {
    // A volume's file holds its tetrahedra alone: the boundary follows from them.
    let triangles: &[[u32; 3]] = if tets.is_empty() { &surface.triangles } else { &[] };
    match format(path)? {
        Format::Vtu => io::write_vtu(path, &Vtu { triangles, ..Vtu::volume(&surface.positions, tets) }),
        Format::Msh => io::write_msh41(path, &surface.positions, tets, triangles, MshEncoding::Binary),
        Format::Ply => io::write_ply(path, &surface.positions, &surface.triangles),
        Format::Obj => io::write_obj(path, &surface.positions, &surface.triangles),
    }
    .map_err(fault::mesh)
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
