//! How a range of constraints becomes dispatches that keep within the limits of an adapter.
//!
//! A dispatch binds a slice of the block array, which starts at a multiple of the adapter's offset alignment and is no
//! larger than a binding may be; a [`Span`] says which constraints of that slice it solves. One dispatch has at
//! most `max_workgroups` workgroups in each of two dimensions.

use bytemuck::{Pod, Zeroable};

use crate::plan::{Colour, LANES};

/// Constraints that a dispatch works on; `common.wgsl` declares the same struct.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub(super) struct Span {
    /// First slot, counted from the start of the bound slice.
    pub first: u32,
    /// Number of constraints.
    pub len: u32,
    /// Threads in a row of the dispatch's grid; in the walk over short colours zero where the constraints of the
    /// span have to be solved one after the other.
    pub row: u32,
    /// Where the dispatch's partial energies start.
    pub partial: u32,
}

/// A slice of the block array with the spans that one dispatch works on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// First block of the slice.
    pub first_block: u32,
    /// Number of blocks of the slice.
    pub blocks: u32,
    /// What to solve: one span, or several that are walked in this order.
    pub spans: Vec<Span>,
    /// Workgroups of the dispatch in x and y.
    pub grid: [u32; 2],
}

/// What limits a dispatch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    /// Slices start at multiples of this many blocks.
    pub granule: u32,
    /// Slices have at most this many blocks.
    pub max_blocks: u32,
    /// Threads a workgroup.
    pub workgroup: u32,
    /// Workgroups in each dimension of the grid.
    pub max_workgroups: u32,
}

impl Fit {
    /// For arrays whose elements have these sizes, one element a block, bound side by side.
    ///
    /// `None` when not even one granule fits into a binding.
    pub fn new(
        sizes: &[u64],
        alignment: u32,
        max_binding: u64,
        workgroup: u32,
        max_workgroups: u32,
    ) -> Option<Self> {
        // The offset alignment is a power of two, so the largest of the granules is a multiple of the others.
        let granule = |size: u64| alignment as u64 >> size.trailing_zeros().min(alignment.trailing_zeros());
        let granule = sizes.iter().map(|&s| granule(s)).max()?;
        let largest = sizes.iter().copied().max()?;
        let threads = (workgroup as u64) * (max_workgroups as u64).pow(2);
        let max_blocks = (max_binding / largest).min(threads / LANES as u64).min(1 << 27);
        (max_blocks >= granule).then_some(Fit {
            granule: granule as u32,
            max_blocks: max_blocks as u32,
            workgroup,
            max_workgroups,
        })
    }

    /// A grid of workgroups with at least this many threads.
    pub fn grid(&self, threads: u32) -> [u32; 2] {
        let groups = threads.div_ceil(self.workgroup).max(1);
        let y = groups.div_ceil(self.max_workgroups);
        debug_assert!(y <= self.max_workgroups);
        [groups.div_ceil(y), y]
    }

    /// Threads in a row of that grid.
    pub fn row(&self, threads: u32) -> u32 {
        self.grid(threads)[0] * self.workgroup
    }

    /// The slice that starts at or before this slot, and the slot's place in it.
    fn place(&self, slot: u32) -> (u32, u32) {
        let block = slot / LANES as u32 / self.granule * self.granule;
        (block, slot - block * LANES as u32)
    }

    /// Cuts a range into parts that each fit a dispatch.
    fn cut(&self, range: Colour) -> impl Iterator<Item = Colour> {
        let end = range.first + range.len;
        let (mut first, fit) = (range.first, *self);
        std::iter::from_fn(move || {
            let (block, _) = fit.place(first);
            let limit = (block + fit.max_blocks) / fit.granule * fit.granule * LANES as u32;
            let stop = end.min(limit);
            let part = Colour { first, len: stop - first };
            first = stop;
            (part.len > 0).then_some(part)
        })
    }

    /// One piece for each part of each range. `partial` counts the workgroups of all of them.
    pub fn parallel(&self, ranges: &[Colour], partial: &mut u32) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for part in ranges.iter().flat_map(|&r| self.cut(r)) {
            let (first_block, first) = self.place(part.first);
            let grid = self.grid(part.len);
            let span = Span { first, len: part.len, row: grid[0] * self.workgroup, partial: *partial };
            *partial += grid[0] * grid[1];
            let blocks = (first + part.len).div_ceil(LANES as u32);
            pieces.push(Piece { first_block, blocks, spans: vec![span], grid });
        }
        pieces
    }

    /// As few pieces as possible, each for one workgroup that walks its spans in order: first the colours, then
    /// the serial range.
    pub fn walk(&self, colours: &[Colour], serial: Colour) -> Vec<Piece> {
        let parts = colours.iter().flat_map(|&c| self.cut(c).map(|part| (part, self.workgroup)));
        let parts = parts.chain(self.cut(serial).map(|part| (part, 0)));
        let mut pieces: Vec<Piece> = Vec::new();
        for (part, row) in parts {
            let end = (part.first + part.len).div_ceil(LANES as u32);
            let open = pieces.last_mut().filter(|p| end - p.first_block <= self.max_blocks);
            let piece = match open {
                Some(piece) => piece,
                None => {
                    let (first_block, _) = self.place(part.first);
                    pieces.push(Piece { first_block, blocks: 0, spans: Vec::new(), grid: [1, 1] });
                    let last = pieces.len() - 1;
                    &mut pieces[last]
                }
            };
            let first = part.first - piece.first_block * LANES as u32;
            piece.spans.push(Span { first, len: part.len, row, partial: 0 });
            piece.blocks = end - piece.first_block;
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn colours(lens: &[u32]) -> Vec<Colour> {
        let mut first = 0;
        lens.iter()
            .map(|&len| {
                let colour = Colour { first, len };
                first += len.next_multiple_of(LANES as u32);
                colour
            })
            .collect()
    }

    /// The slots that pieces cover, in order; checks the limits on the way.
    fn covered(pieces: &[Piece], fit: &Fit) -> Vec<u32> {
        let mut slots = Vec::new();
        for piece in pieces {
            assert_eq!(piece.first_block % fit.granule, 0);
            assert!(piece.blocks <= fit.max_blocks);
            assert!(piece.grid.iter().all(|&g| g > 0 && g <= fit.max_workgroups));
            for span in &piece.spans {
                assert!(span.first + span.len <= piece.blocks * LANES as u32);
                let base = piece.first_block * LANES as u32 + span.first;
                slots.extend(base..base + span.len);
            }
        }
        slots
    }

    #[test]
    fn pieces_cover_every_slot_once_in_order_and_keep_the_limits() {
        let ranges = colours(&[1000, 999, 517, 64, 33, 16]);
        let all: Vec<u32> = ranges.iter().flat_map(|c| c.first..c.first + c.len).collect();
        for (sizes, max_binding, max_workgroups) in [
            (vec![1600, 128], 128 << 20, 65_535),
            (vec![1600, 128], 6400, 65_535),
            (vec![1600, 128], 7 * 6400 + 1600, 2),
            (vec![448, 64], 448 * 4, 3),
            (vec![256, 64], 256 * 4, 65_535),
        ] {
            let fit = Fit::new(&sizes, 256, max_binding, 64, max_workgroups).unwrap();
            let mut partial = 0;
            let pieces = fit.parallel(&ranges, &mut partial);
            assert_eq!(covered(&pieces, &fit), all);
            for piece in &pieces {
                let threads = piece.grid[0] * piece.grid[1] * 64;
                assert!(threads >= piece.spans[0].len);
                assert!(sizes.iter().all(|s| (piece.first_block as u64 * s).is_multiple_of(256)));
                assert!(sizes.iter().all(|s| piece.blocks as u64 * s <= max_binding));
            }
            assert_eq!(partial, pieces.iter().map(|p| p.grid[0] * p.grid[1]).sum::<u32>());

            let (serial, short) = ranges.split_last().unwrap();
            let walk = fit.walk(short, *serial);
            assert_eq!(covered(&walk, &fit), all);
            let serial_spans = walk.iter().flat_map(|p| &p.spans).filter(|s| s.row == 0);
            assert_eq!(serial_spans.map(|s| s.len).sum::<u32>(), serial.len);
        }
        let whole = Fit::new(&[1600, 128], 256, 128 << 20, 64, 65_535).unwrap();
        assert_eq!(whole.parallel(&ranges, &mut 0).len(), ranges.len());
        assert_eq!(whole.walk(&ranges, Colour::default()).len(), 1);
    }

    #[test]
    fn a_binding_smaller_than_a_granule_is_refused() {
        assert!(Fit::new(&[1600, 128], 256, 6399, 64, 65_535).is_none());
    }

    #[test]
    fn more_groups_than_a_dimension_allows_go_into_the_second() {
        let fit = Fit::new(&[256], 256, 1 << 30, 64, 65_535).unwrap();
        assert_eq!(fit.grid(64 * 65_535), [65_535, 1]);
        let [x, y] = fit.grid(64 * 65_535 + 1);
        assert!(y == 2 && x as u64 * y as u64 * 64 > 64 * 65_535);
        assert_eq!(fit.grid(0), [1, 1]);
    }
}
