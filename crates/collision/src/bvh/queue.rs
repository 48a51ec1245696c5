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
        debug_assert!(key >= 0.0);
        // Adding zero makes a positive zero of a negative one.
        self.heap.push(Reverse(((key + 0.0).to_bits() as u128) << 32 | id as u128));
    }

    #[inline]
    pub fn pop(&mut self) -> Option<(f64, u32)> {
        self.heap.pop().map(|Reverse(entry)| (f64::from_bits((entry >> 32) as u64), entry as u32))
    }

    /// Whether everything in the queue comes after this.
    #[inline]
    pub fn is_first(&self, key: f64, id: u32) -> bool {
        let entry = ((key + 0.0).to_bits() as u128) << 32 | id as u128;
        self.heap.peek().is_none_or(|&Reverse(first)| entry <= first)
    }
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
            for wanted in sorted {
                prop_assert!(queue.is_first(wanted.0, wanted.1));
                prop_assert!(!queue.is_first(wanted.0, wanted.1 + 1));
                prop_assert_eq!(queue.pop(), Some(wanted));
            }
            prop_assert_eq!(queue.pop(), None);
        }
    }
}
