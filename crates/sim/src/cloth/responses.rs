//! The response that a scene names.

use glam::Vec3;
use gordian_collision::cloth::ClothMesh;
use gordian_collision::cloth::response::{Buffet, Icm, Kikuchi, Off, Response, Ye};

use crate::scene::ClothResponse;

/// Builds a response for cloth that starts at `start`.
pub(super) fn response(kind: ClothResponse, mesh: &ClothMesh, start: &[Vec3]) -> Box<dyn Response> {
    match kind {
        ClothResponse::Off => Box::new(Off),
        ClothResponse::Icm => Box::new(Icm::new()),
        ClothResponse::Kikuchi => Box::new(Kikuchi::new(mesh, start)),
        ClothResponse::Ye => Box::new(Ye::new()),
        ClothResponse::Buffet => Box::new(Buffet::new(mesh, start)),
    }
}
