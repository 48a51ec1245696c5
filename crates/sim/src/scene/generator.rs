//! `generator` of a body: meshes made on the spot.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use toml::de::ValueDeserializer;

use super::tagged::Tagged;

/// A mesh made on the spot: `{ kind = "sphere", radius = 0.5, resolution = 16 }`.
///
/// The kinds and their parameters are those of `gordian_mesh::generate`, shown by `gordian mesh --help`; lengths in
/// metres. A parameter that is not given has its default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Generator {
    /// What is made: the name of a kind, such as `sphere` or `squishy_ball`.
    pub kind: String,
    /// Its parameters.
    #[serde(flatten)]
    pub parameters: BTreeMap<String, f64>,
}

impl Tagged for Generator {
    fn probe(_: &str, keys: ValueDeserializer<'_>) -> Option<serde_path_to_error::Error<toml::de::Error>> {
        serde_path_to_error::deserialize::<_, BTreeMap<String, f64>>(keys).err()
    }
}
