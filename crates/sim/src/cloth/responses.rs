//! The response that a scene names.

use glam::Vec3;
use gordian_collision::cloth::ClothMesh;
use gordian_collision::cloth::response::{Icm, Off, Response};

use crate::scene::ClothResponse;

/// Builds a response for cloth that starts at `start`.
pub(super) fn response(kind: ClothResponse, mesh: &ClothMesh, start: &[Vec3]) -> Box<dyn Response> {
    let _ = (mesh, start);
    match kind {
        ClothResponse::Off => Box::new(Off),
        _ => Box::new(Icm::new()),
    }
}
