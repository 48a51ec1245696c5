//! What a person names to look at: a scene, or a mesh by itself.

use std::path::Path;

use gordian_mesh::io;
use gordian_sim::scene::SceneErrorKind;
use gordian_sim::{Scene, SceneError};

/// A scene file, or a built-in scene by its name, see [`Scene::open`]; or a mesh file, which falls on the ground as in the built-in
/// scene `drop`, a surface as cloth. `overrides` as for [`Scene::parse_with`].
pub fn open(name: &str, overrides: &[String]) -> Result<Scene, SceneError> {
    let path = Path::new(name);
    if !is_mesh(path) {
        let ending = ending(path);
        return Scene::open(name, overrides).map_err(|mut error| {
            let unread = matches!(error.kind, SceneErrorKind::File | SceneErrorKind::Syntax);
            if unread && path.is_file() && ending != "toml" {
                error.hint =
                    Some(format!("scenes are TOML; meshes that can be read are {}", io::format_list()));
            }
            error
        });
    }
    let mut all = vec![format!("body.mesh={name}")];
    // What cannot be read is told where the body is built, with the file and its line.
    if io::read_raw(path).is_ok_and(|raw| raw.tets.is_empty() && !raw.triangles.is_empty()) {
        all.push("body.fabric={}".to_owned());
    }
    all.extend_from_slice(overrides);
    let mut scene = Scene::open("drop", &all)?;
    scene.simulation.name = path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
    scene.simulation.description = format!("{name}, dropped on the ground");
    Ok(scene)
}

/// Whether [`open`] takes this for a mesh: a file with the ending of a known format.
pub fn is_mesh(path: &Path) -> bool {
    let ending = ending(path);
    path.is_file() && io::extensions().any(|known| known == ending)
}

fn ending(path: &Path) -> String {
    path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gordian_sim::{AdapterChoice, World};

    fn opened(name: &str, text: &str) -> Scene {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let scene = open(&path.display().to_string(), &["simulation.frames=7".into()]).unwrap();
        assert_eq!((scene.simulation.name.as_str(), scene.simulation.frames), ("thing", 7));
        // It can be built.
        World::new(&scene, &AdapterChoice::Cpu).unwrap();
        scene
    }

    #[test]
    fn a_volume_is_dropped_as_a_body_and_a_surface_as_cloth() {
        let tet = "MeshVersionFormatted 2\nDimension 3\nVertices 4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\nTetrahedra 1\n1 2 3 4 0\nEnd\n";
        assert!(opened("thing.mesh", tet).body[0].fabric.is_none());
        let square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n";
        assert!(opened("thing.obj", square).body[0].fabric.is_some());
    }

    #[test]
    fn a_scene_is_opened_as_it_is() {
        assert_eq!(open("drop", &[]).unwrap(), Scene::open("drop", &[]).unwrap());
        assert!(open("no_such_scene.obj", &[]).is_err());
    }
}
