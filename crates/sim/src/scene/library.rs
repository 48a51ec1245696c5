//! Scenes that come with the program: the files of `scenes/`, so that `gordian run NAME` works from anywhere.

use super::{Scene, SceneError, SceneErrorKind, did_you_mean};

/// A scene file that shows every key with its unit and default; it is not meant to be run.
pub const EVERY_KEY: &str = include_str!("full.toml");

/// A scene that comes with the program.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn {
    /// Its name: that of its file.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// Calls a macro with the names of all scenes that come with the program, in order: the one list of them.
#[macro_export]
macro_rules! built_in_scenes {
    ($with:ident) => {
        $with![
            "ball_pile",
            "ball_recovered",
            "balls_by_closest_point",
            "cloth_on_ball",
            "cube_by_rest_shape",
            "cube_on_bend",
            "culled_ball",
            "drop",
            "dropped_cloth",
            "eight_octopi",
            "flattened_ball",
            "large_cloth",
            "nested_knots",
            "noodle_bowl",
            "noodle_recovered",
            "octopus_drop",
            "octopus_pile",
            "pressed_ball",
            "tangled_cloth",
            "tangled_noodle",
            "ten_sheets",
            "thin_beam",
            "twist_by_rest_shape",
            "twisted_beam",
            "twisted_rods",
            "two_balls",
            "two_sheets",
            "two_spheres",
        ]
    };
}

macro_rules! scenes {
    ($($name:literal),+ $(,)?) => {
        &[$(BuiltIn {
            name: $name,
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/", $name, ".toml")),
        }),+]
    };
}

/// All of them, by name.
pub const SCENES: &[BuiltIn] = crate::built_in_scenes!(scenes);

impl BuiltIn {
    /// Reads it, with overrides; see [`Scene::parse_with`].
    pub fn scene(&self, overrides: &[String]) -> Result<Scene, SceneError> {
        Scene::parse_with(self.text, self.name, overrides)
    }
}

impl Scene {
    /// [`Scene::open`] in another of its sizes: the overrides of that size, then those given.
    pub fn open_size(name: &str, size: &str, overrides: &[String]) -> Result<Self, SceneError> {
        let plain = Self::open(name, &[])?;
        let Some(of_size) = plain.sizes.get(size) else {
            let known = plain.sizes.keys().map(String::as_str);
            let hint = did_you_mean(size, known).unwrap_or_else(|| match plain.sizes.is_empty() {
                true => "it has one size only".to_owned(),
                false => {
                    format!("known here: {}", plain.sizes.keys().cloned().collect::<Vec<_>>().join(", "))
                }
            });
            let message = format!("the scene has no size `{size}`");
            return Err(plain.error_at(SceneErrorKind::Override, "sizes", message).with_hint(hint));
        };
        Self::open(name, &[of_size.as_slice(), overrides].concat())
    }

    /// A scene file, or where there is no such file, the built-in scene of this name.
    pub fn open(name: &str, overrides: &[String]) -> Result<Self, SceneError> {
        let path = std::path::Path::new(name);
        if path.is_file() {
            return match is_mesh(path) {
                true => Err(SceneError::without_source(
                    SceneErrorKind::File,
                    name,
                    "",
                    "is a mesh, not a scene".to_owned(),
                )
                .with_hint(format!("to drop it on the ground: `run drop --set body.mesh={name}`"))),
                false => Self::load_with(path, overrides),
            };
        }
        if let Some(scene) = SCENES.iter().find(|s| s.name == name) {
            return scene.scene(overrides);
        }
        let mut error = match Self::load_with(path, overrides) {
            Ok(scene) => return Ok(scene),
            Err(error) => error,
        };
        if error.kind == SceneErrorKind::File {
            error.message =
                format!("there is no such scene file, and no built-in scene of this name: {}", error.message);
            let names = SCENES.iter().map(|s| s.name);
            let known =
                || format!("built in are {}", SCENES.iter().map(|s| s.name).collect::<Vec<_>>().join(", "));
            error.hint = did_you_mean(name, names).or(error.hint).or_else(|| Some(known()));
        }
        Err(error)
    }
}

/// Whether the ending of a file is that of a mesh format.
fn is_mesh(path: &std::path::Path) -> bool {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    gordian_mesh::io::extensions().any(|known| known == ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scene_of_the_folder_is_listed_described_and_placed() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().path())
            .filter(|p| p.extension().is_some_and(|e| e == "toml"))
            .map(|p| p.file_stem().unwrap().to_string_lossy().into_owned())
            .collect();
        files.sort();
        assert_eq!(files, SCENES.iter().map(|s| s.name).collect::<Vec<_>>());
        for built_in in SCENES {
            let scene = built_in.scene(&[]).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(scene.simulation.name, built_in.name);
            assert!(!scene.simulation.description.is_empty(), "{}", built_in.name);
            let placed = scene.place().unwrap_or_else(|e| panic!("{e}"));
            assert!(placed.warnings.is_empty(), "{}: {:?}", built_in.name, placed.warnings);
            for size in scene.sizes.keys() {
                Scene::open_size(built_in.name, size, &[]).unwrap_or_else(|e| panic!("{e}"));
            }
        }
    }

    #[test]
    fn a_mesh_is_not_taken_for_a_scene() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bunny.MSH");
        std::fs::write(&path, "$MeshFormat\n4.1 0 8\n").unwrap();
        let error = Scene::open(path.to_str().unwrap(), &[]).unwrap_err().to_string();
        assert!(error.contains("is a mesh, not a scene; to drop it"), "{error}");
    }

    #[test]
    fn names_that_are_nearly_right_are_suggested() {
        let error = Scene::open("octopus_dorp", &[]).unwrap_err().to_string();
        assert!(error.ends_with("did you mean `octopus_drop`?"), "{error}");
        assert_eq!(Scene::open("drop", &["body.fit_m=2".into()]).unwrap().body[0].fit_m, Some(2.0));
    }
}
