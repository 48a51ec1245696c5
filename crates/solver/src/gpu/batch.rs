//! The constraints of one kind on the device: their data, and the dispatches that solve them.

use bytemuck::Pod;
use wgpu::BufferUsages;

use super::device::{Gpu, GpuOptions};
use super::kernels::{Constants, Kernel, Layouts, bind, slice};
use super::spans::{Fit, Piece, Span};
use crate::SolverError;
use crate::plan::{Batches, LANES};

/// A dispatch: what it binds as group 1, and its grid of workgroups.
#[derive(Debug)]
struct Dispatch {
    group: wgpu::BindGroup,
    grid: [u32; 2],
}

/// All constraints of one kind.
#[derive(Debug)]
pub(super) struct Batch {
    project: wgpu::ComputePipeline,
    walk: wgpu::ComputePipeline,
    energy: wgpu::ComputePipeline,
    /// All colours, then the serial range; the first `long` of them are solved by a dispatch each.
    pieces: Vec<Dispatch>,
    long: usize,
    /// Short colours and the serial range.
    walks: Vec<Dispatch>,
    /// One energy a workgroup.
    partials: wgpu::Buffer,
    partial_count: u32,
    /// Bytes on the device.
    bytes: u64,
}

/// Buffers that the bind groups of a batch are made of.
struct Parts<'a> {
    gpu: &'a Gpu,
    layouts: &'a Layouts,
    block_bytes: u64,
    lambda_bytes: u64,
    span_stride: u64,
    blocks: wgpu::Buffer,
    lambdas: wgpu::Buffer,
    spans: wgpu::Buffer,
    partials: wgpu::Buffer,
}

impl Parts<'_> {
    /// Binds what a piece needs; `at` is its place among all pieces.
    fn dispatch(&self, at: usize, piece: &Piece) -> Dispatch {
        let part =
            |buffer, bytes: u64| slice(buffer, piece.first_block as u64 * bytes, piece.blocks as u64 * bytes);
        let spans = (piece.spans.len() * size_of::<Span>()) as u64;
        let slices = [
            part(&self.blocks, self.block_bytes),
            part(&self.lambdas, self.lambda_bytes),
            slice(&self.spans, at as u64 * self.span_stride, spans),
            self.partials.as_entire_buffer_binding(),
        ];
        Dispatch { group: bind(self.gpu, &self.layouts.constraints, &slices), grid: piece.grid }
    }
}

impl Batch {
    /// Uploads the constraints of a plan; `None` when there are none. `multipliers`: how many a constraint has.
    pub fn new<B: Pod>(
        gpu: &Gpu,
        layouts: &Layouts,
        options: &GpuOptions,
        constants: Constants,
        kernel: Kernel,
        batches: &Batches<B>,
        multipliers: usize,
    ) -> Result<Option<Self>, SolverError> {
        if batches.is_empty() {
            return Ok(None);
        }
        let block_bytes = size_of::<B>() as u64;
        let lambda_bytes = (size_of::<f32>() * LANES * multipliers) as u64;
        let limits = &gpu.limits;
        let alignment = limits.min_storage_buffer_offset_alignment;
        let fit = Fit::new(
            &[block_bytes, lambda_bytes],
            alignment,
            limits.max_storage_buffer_binding_size,
            options.workgroup,
            limits.max_compute_workgroups_per_dimension,
        );
        let fit = match fit {
            Some(fit) => fit,
            None => {
                let least = alignment as u64 * block_bytes;
                return Err(gpu.too_large(kernel.name, least, limits.max_storage_buffer_binding_size));
            }
        };

        let long = batches.colours_of_at_least(options.short_colour);
        let (long_colours, short_colours) = batches.colours.split_at(long);
        let mut partial_count = 0;
        let mut pieces = fit.parallel(long_colours, &mut partial_count);
        let long = pieces.len();
        pieces.extend(fit.parallel(short_colours, &mut partial_count));
        pieces.extend(fit.parallel(&[batches.serial], &mut partial_count));
        let walks = fit.walk(short_colours, batches.serial);

        let most_spans = pieces.iter().chain(&walks).map(|p| p.spans.len()).max().unwrap_or(1);
        let span_stride = ((most_spans * size_of::<Span>()) as u64).next_multiple_of(alignment as u64);
        let per_piece = span_stride as usize / size_of::<Span>();
        let mut spans = vec![Span::default(); per_piece * (pieces.len() + walks.len())];
        for (at, piece) in pieces.iter().chain(&walks).enumerate() {
            spans[at * per_piece..][..piece.spans.len()].copy_from_slice(&piece.spans);
        }

        let blocks = batches.blocks.len() as u64;
        let storage = BufferUsages::STORAGE;
        let parts = Parts {
            gpu,
            layouts,
            block_bytes,
            lambda_bytes,
            span_stride,
            blocks: gpu.buffer_with(kernel.name, &batches.blocks, storage)?,
            lambdas: gpu.buffer("multipliers", blocks * lambda_bytes, storage)?,
            spans: gpu.buffer_with("spans", &spans, storage)?,
            partials: gpu.buffer("energies", 4 * partial_count as u64, storage | BufferUsages::COPY_SRC)?,
        };
        let [project, walk, energy] =
            layouts.pipelines(gpu, kernel, ["project", "walk", "energy"], constants)?;
        let batch = Batch {
            project,
            walk,
            energy,
            walks: (pieces.len()..).zip(&walks).map(|(at, p)| parts.dispatch(at, p)).collect(),
            pieces: (0..).zip(&pieces).map(|(at, p)| parts.dispatch(at, p)).collect(),
            long,
            partial_count,
            bytes: blocks * (block_bytes + lambda_bytes),
            partials: parts.partials,
        };
        gpu.check()?;
        Ok(Some(batch))
    }

    /// Records one sweep over the constraints.
    pub fn record_project(&self, pass: &mut wgpu::ComputePass<'_>) {
        record(pass, &self.project, &self.pieces[..self.long]);
        record(pass, &self.walk, &self.walks);
    }

    /// Records the computation of the partial energies.
    pub fn record_energy(&self, pass: &mut wgpu::ComputePass<'_>) {
        record(pass, &self.energy, &self.pieces);
    }

    /// Partial energies, joule, one `f32` a workgroup, and how many there are.
    pub fn partials(&self) -> (&wgpu::Buffer, u32) {
        (&self.partials, self.partial_count)
    }

    /// Number of dispatches of a sweep.
    pub fn dispatches(&self) -> usize {
        self.long + self.walks.len()
    }

    /// Bytes on the device.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

fn record(pass: &mut wgpu::ComputePass<'_>, pipeline: &wgpu::ComputePipeline, dispatches: &[Dispatch]) {
    if dispatches.is_empty() {
        return;
    }
    pass.set_pipeline(pipeline);
    for dispatch in dispatches {
        pass.set_bind_group(1, &dispatch.group, &[]);
        pass.dispatch_workgroups(dispatch.grid[0], dispatch.grid[1], 1);
    }
}
