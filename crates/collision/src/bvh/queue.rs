//! A priority queue of ids by distance.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Smallest key first; equal keys in ascending order of their ids.
#[derive(Clone, Debug, Default)]
pub(crate) struct MinQueue {
    /// The bits of the key above those of the id: keys are not negative, so their bits sort as they do.
    heap: BinaryHeap<Reverse<u128>>,
}

impl MinQueue {
    #[inline]
    pub fn clear(&mut self) {
        self.heap.clear();
    }

    /// Adds an id; the key must not be negative or NaN.
    #[inline]
    pub fn push(&mut self, key: f64, id: u32) {
        self.heap.push(Reverse(pack(key, id)));
    }

    #[inline]
    pub fn pop(&mut self) -> Option<(f64, u32)> {
        self.heap.pop().map(|Reverse(entry)| unpack(entry))
    }

    /// What [`MinQueue::pop`] gives after a push of the same, in one step.
    #[inline]
    pub fn push_pop(&mut self, key: f64, id: u32) -> (f64, u32) {
        let mut entry = pack(key, id);
        if let Some(mut first) = self.heap.peek_mut()
            && first.0 < entry
        {
            std::mem::swap(&mut first.0, &mut entry);
        }
        unpack(entry)
    }
}

#[inline]
fn pack(key: f64, id: u32) -> u128 {
    debug_assert!(key >= 0.0);
    // Adding zero makes a positive zero of a negative one.
    ((key + 0.0).to_bits() as u128) << 32 | id as u128
}

#[inline]
fn unpack(entry: u128) -> (f64, u32) {
    (f64::from_bits((entry >> 32) as u64), entry as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_sorts(items in prop::collection::vec((prop_oneof![Just(0.0), Just(-0.0), 0.0..1e300f64, 0.0..1e-300f64], 0u32..5), 0..50)) {
            let mut queue = MinQueue::default();
            items.iter().for_each(|&(key, id)| queue.push(key, id));
            let mut sorted: Vec<(f64, u32)> = items.iter().map(|&(key, id)| (key + 0.0, id)).collect();
            sorted.sort_by(|a, b| a.partial_cmp(b).unwrap());
            for (i, &wanted) in sorted.iter().enumerate() {
                if i % 2 == 0 {
                    prop_assert_eq!(queue.pop(), Some(wanted));
                } else {
                    // The one before goes in again and comes out at once.
                    prop_assert_eq!(queue.push_pop(sorted[i - 1].0, sorted[i - 1].1), sorted[i - 1]);
                    prop_assert_eq!(queue.push_pop(f64::INFINITY, 7), wanted);
                }
            }
            for _ in 0..sorted.len() / 2 {
                prop_assert_eq!(queue.pop(), Some((f64::INFINITY, 7)));
            }
            prop_assert_eq!(queue.pop(), None);
        }
    }
}
