//! Every shader is valid, and the structs that it shares with us have our layout.

use std::mem::{offset_of, size_of};

use naga::valid::{Capabilities, ValidationFlags, Validator};

use super::kernels::{self, Kernel};
use super::layout::{Goal, Params};
use super::spans::Span;
use crate::plan::{BendBlock, DistanceBlock, TetBlock, VolumeBlock};

fn parse(kernel: Kernel) -> naga::Module {
    let source = kernel.source();
    naga::front::wgsl::parse_str(&source)
        .unwrap_or_else(|e| panic!("{}: {}", kernel.name, e.emit_to_string(&source)))
}

#[test]
fn every_shader_is_valid_without_optional_capabilities() {
    for kernel in kernels::ALL {
        let module = parse(kernel);
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
        if let Err(error) = validator.validate(&module) {
            panic!("{}: {}", kernel.name, error.emit_to_string(&kernel.source()));
        }
        assert!(!module.entry_points.is_empty(), "{}", kernel.name);
    }
}

/// Size of a struct of a shader, and name and offset of its members.
fn layout_of(kernel: Kernel, name: &str) -> (u32, Vec<(String, u32)>) {
    let module = parse(kernel);
    let (_, ty) = module
        .types
        .iter()
        .find(|(_, ty)| ty.name.as_deref() == Some(name))
        .unwrap_or_else(|| panic!("{} has no struct {name}", kernel.name));
    let naga::TypeInner::Struct { members, span } = &ty.inner else { panic!("{name} is no struct") };
    let members = members.iter().map(|m| (m.name.clone().unwrap_or_default(), m.offset));
    (*span, members.collect())
}

/// Compares a struct of ours with one of a shader, field by field in order.
macro_rules! same_layout {
    ($kernel:expr, $name:literal, $ours:ty { $($field:ident),* }) => {{
        let ours: Vec<(String, u32)> =
            vec![$((stringify!($field).to_owned(), offset_of!($ours, $field) as u32)),*];
        assert_eq!(layout_of($kernel, $name), (size_of::<$ours>() as u32, ours), "{}", $name);
    }};
}

#[test]
fn shared_structs_have_the_layout_that_the_shaders_see() {
    same_layout!(
        kernels::PREDICT,
        "Params",
        Params { gravity, h, keep, first, particles, targets, particle_row, target_row, padding }
    );
    same_layout!(kernels::PREDICT, "Goal", Goal { position, particle });
    same_layout!(kernels::DISTANCE, "Span", Span { first, len, row, partial });
    same_layout!(kernels::DISTANCE, "DistanceBlock", DistanceBlock { particles, rest, compliance });
    same_layout!(kernels::BEND, "BendBlock", BendBlock { particles, rest, compliance });
    same_layout!(kernels::VOLUME, "VolumeBlock", VolumeBlock { particles, rest, compliance, damping });
    for kernel in [kernels::NEO_HOOKEAN, kernels::NEO_HOOKEAN_PAIR] {
        same_layout!(
            kernel,
            "TetBlock",
            TetBlock { particles, rest_edges, rest_inverse, mu_volume, lambda_volume, damping }
        );
    }
}
