//! The scene format: TOML, one experiment a file.
//!
//! Units stand in the names of the keys: `_m` metres, `_s` seconds, `_deg` degrees, `_pa` pascal, `_edges` mean
//! surface edges of the bodies. Every key has a default but the ones that say what a thing is, so that the smallest
//! scene is a body:
//!
//! ```
//! let scene = gordian_sim::Scene::parse("[[body]]\ngenerator = { kind = \"sphere\" }", "ball").unwrap();
//! assert_eq!(scene.simulation.name, "ball");
//! assert_eq!(scene.body.len(), 1);
//! ```
//!
//! A key that the format does not have is an error that names the line and what was probably meant; so is a value out
//! of its range. See [`SceneError`].

mod body;
mod check;
mod cloth;
mod collider;
mod error;
mod generator;
mod library;
mod limits;
mod locate;
mod motion;
mod overrides;
mod parse;
mod place;
mod precision;
mod settings;
mod tagged;
mod validate;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use body::{
    AllRegion, Body, BoxRegion, Copies, FractionRegion, Friction, Material, MaterialModel, Pin, Region, Rest,
    SphereRegion, VerticesRegion,
};
pub use check::{Check, Figure, Over};
pub use cloth::{Cloth, ClothResponse, Fabric, Fold, Ridge};
pub use collider::{BowlShape, BoxShape, CapsuleShape, Collider, MeshShape, PlaneShape, Shape, SphereShape};
pub use error::{Place, SceneError, SceneErrorKind, did_you_mean};
pub use generator::Generator;
pub use library::{BuiltIn, EVERY_KEY, SCENES};
pub use motion::{Key, Keyframes, Motion, Rotate, Translate, rotation, transform_at};
pub use place::{Placed, PlacedBody, PlacedPin};
pub use settings::{Collision, Later, Output, OutputFormat, QueryMethod, QueryMode, Simulation};

use locate::Source;

/// A scene: what there is, and how it is simulated.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Scene {
    /// Time, gravity and the solver's effort.
    pub simulation: Simulation,
    /// What is detected and how it is resolved.
    pub collision: Collision,
    /// How cloth collides and is untangled.
    pub cloth: Cloth,
    /// What is written while running.
    pub output: Output,
    /// The deformable bodies, in the order of the particles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub body: Vec<Body>,
    /// The obstacles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub collider: Vec<Collider>,
    /// What a run is held to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub check: Vec<Check>,
    /// Other sizes of the same experiment: for each name the overrides that make it, `path=value`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sizes: BTreeMap<String, Vec<String>>,
    /// The text it was read from, to point into; none for a scene made in code.
    #[serde(skip)]
    source: Option<Arc<Source>>,
}

/// Equal settings; where they were read from does not matter.
impl PartialEq for Scene {
    fn eq(&self, other: &Self) -> bool {
        self.simulation == other.simulation
            && self.collision == other.collision
            && self.cloth == other.cloth
            && self.output == other.output
            && self.body == other.body
            && self.collider == other.collider
            && self.check == other.check
            && self.sizes == other.sizes
    }
}

impl Scene {
    /// Reads a scene file. Meshes in it are relative to its folder.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, SceneError> {
        Self::load_with(path, &[])
    }

    /// Reads a scene file and replaces some of its values; see [`Scene::parse_with`].
    pub fn load_with(path: impl AsRef<Path>, overrides: &[String]) -> Result<Self, SceneError> {
        let path = path.as_ref();
        let file = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|e| SceneError::unreadable(path, e))?;
        let text = String::from_utf8(bytes).map_err(|e| SceneError::not_text(path, &e))?;
        let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        parse::parse(&text, &file, &stem, folder, overrides)
    }

    /// Reads a scene from its text. Meshes in it are relative to the current directory.
    ///
    /// `name` stands for the file in messages, and is the name of a scene that does not give one.
    pub fn parse(text: &str, name: &str) -> Result<Self, SceneError> {
        Self::parse_with(text, name, &[])
    }

    /// Reads a scene from its text and replaces some of its values: each override is `path=value`.
    ///
    /// A path is keys joined by dots, `collision.recovery=true`. An entry of a list is chosen by its number from 0 or
    /// its name, `body.1.fit_m=2`, `body.left.fit_m=2`; the number may be left out where there is only one entry. A
    /// value is TOML, or else taken as text. A file in an override is relative to the current directory.
    /// A key that excludes another, such as `mesh` and `generator`, takes its place.
    pub fn parse_with(text: &str, name: &str, overrides: &[String]) -> Result<Self, SceneError> {
        parse::parse(text, name, name, PathBuf::new(), overrides)
    }

    /// The scene as TOML, all settings included; reading it gives an equal scene.
    pub fn to_toml(&self) -> String {
        toml::to_string_pretty(self).expect("every scene can be written as TOML")
    }

    /// Checks that every value is in its range; done by all the ways of reading a scene.
    pub fn validate(&self) -> Result<(), SceneError> {
        validate::validate(self)
    }

    /// The place of a file that the scene names: relative to the scene file.
    pub fn resolve(&self, file: &Path) -> PathBuf {
        match &self.source {
            Some(source) => source.folder.join(file),
            None => file.to_path_buf(),
        }
    }

    /// An error about the value at `key`, such as `body[0].mesh`, with its line where the scene came from a text.
    pub fn error_at(&self, kind: SceneErrorKind, key: &str, message: impl Into<String>) -> SceneError {
        match &self.source {
            Some(source) => source.error(kind, key, message.into()),
            None => SceneError::without_source(kind, &self.simulation.name, key, message.into()),
        }
    }

    /// What identifies a run: all settings that change the result, as TOML. Names, the number of frames, the output,
    /// checks and other sizes do not; meshes are known by their paths only.
    pub fn identity(&self) -> String {
        let mut scene = self.clone();
        scene.simulation.name.clear();
        scene.simulation.description.clear();
        scene.simulation.frames = 0;
        scene.output = Output::default();
        scene.check.clear();
        scene.sizes.clear();
        scene.to_toml()
    }

    /// xxh3 of [`Scene::identity`].
    pub fn fingerprint(&self) -> u64 {
        xxhash_rust::xxh3::xxh3_64(self.identity().as_bytes())
    }
}

#[cfg(test)]
mod tests;
