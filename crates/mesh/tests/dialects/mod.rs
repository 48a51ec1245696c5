//! Small meshes in the dialects of file formats, written byte by byte: what the readers are tested on.
#![allow(dead_code, reason = "each test binary uses a part")]

pub mod msh;
pub mod vtk;
