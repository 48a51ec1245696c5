//! The shaders, each with what it shares in front, and the struct that all of them read.

use bytemuck::{Pod, Zeroable};
use glam::{Mat4, Vec4};

macro_rules! shader {
    ($($file:literal),+) => {
        concat!($(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shaders/render/", $file)), "\n"),+)
    };
}

pub(crate) const MESH: &str = shader!("common.wgsl", "lighting.wgsl", "mesh.wgsl");
pub(crate) const GROUND: &str = shader!("common.wgsl", "lighting.wgsl", "ground.wgsl");
pub(crate) const BACKDROP: &str = shader!("common.wgsl", "backdrop.wgsl");
pub(crate) const DEPTH: &str = shader!("common.wgsl", "depth.wgsl");
pub(crate) const OCCLUSION: &str = shader!("common.wgsl", "occlusion.wgsl");
pub(crate) const LINE: &str = shader!("common.wgsl", "line.wgsl");
pub(crate) const DOT: &str = shader!("common.wgsl", "dot.wgsl");

/// `Frame` of `common.wgsl`, where each member is explained.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Frame {
    pub view_proj: Mat4,
    pub inverse_view_proj: Mat4,
    pub light_proj: Mat4,
    pub eye: Vec4,
    pub light: Vec4,
    pub up: Vec4,
    pub clip: Vec4,
    pub viewport: Vec4,
    pub key: Vec4,
    pub sky: Vec4,
    pub bounce: Vec4,
    pub backdrop_top: Vec4,
    pub backdrop_bottom: Vec4,
    pub ground: Vec4,
    pub grid: Vec4,
    pub centre: Vec4,
}

#[cfg(test)]
mod tests {
    use super::*;
    use naga::valid::{Capabilities, ValidationFlags, Validator};
    use std::mem::offset_of;

    #[test]
    fn every_shader_is_valid() {
        for source in [MESH, GROUND, BACKDROP, DEPTH, OCCLUSION, LINE, DOT] {
            let module = naga::front::wgsl::parse_str(source)
                .unwrap_or_else(|e| panic!("{}", e.emit_to_string(source)));
            let checked = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module);
            if let Err(e) = checked {
                panic!("{}", e.emit_to_string(source));
            }
        }
    }

    #[test]
    fn the_shared_struct_has_the_layout_that_shaders_see() {
        let module = naga::front::wgsl::parse_str(MESH).unwrap();
        let (_, ty) = module.types.iter().find(|(_, t)| t.name.as_deref() == Some("Frame")).unwrap();
        let naga::TypeInner::Struct { members, span } = &ty.inner else { panic!("no struct") };
        let theirs: Vec<(String, usize)> =
            members.iter().map(|m| (m.name.clone().unwrap(), m.offset as usize)).collect();
        macro_rules! ours {
            ($($field:ident),*) => { vec![$((stringify!($field).to_owned(), offset_of!(Frame, $field))),*] };
        }
        let ours = ours!(
            view_proj,
            inverse_view_proj,
            light_proj,
            eye,
            light,
            up,
            clip,
            viewport,
            key,
            sky,
            bounce,
            backdrop_top,
            backdrop_bottom,
            ground,
            grid,
            centre
        );
        assert_eq!((theirs, *span as usize), (ours, size_of::<Frame>()));
    }
}
