//! A priority queue of ids by distance.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Smallest key first; equal keys in ascending order of their ids.
#[derive(Clone, Debug, Default)]
pub(crate) struct MinQueue {
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

    /// What [`MinQueue::pop`] would give.
    #[inline]
    pub fn peek(&self) -> Option<(f64, u32)> {
        self.heap.peek().map(|Reverse(entry)| unpack(*entry))
    }
}

/// A node and how near its box is, in one word: single precision is enough for a bound, and half as wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NodeKey(u64);

impl NodeKey {
    /// The distance must not be negative or NaN.
    #[inline]
    pub fn new(distance: f32, index: u32) -> Self {
        debug_assert!(distance >= 0.0);
        NodeKey(((distance + 0.0).to_bits() as u64) << 32 | index as u64)
    }

    #[inline]
    pub fn distance(self) -> f64 {
        f32::from_bits((self.0 >> 32) as u32) as f64
    }

    #[inline]
    pub fn index(self) -> usize {
        self.0 as u32 as usize
    }
}

/// Nodes, nearest first; equally near ones in ascending order.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeQueue {
    heap: BinaryHeap<Reverse<NodeKey>>,
}

impl NodeQueue {
    pub fn clear(&mut self) {
        self.heap.clear();
    }

    #[inline]
    pub fn push(&mut self, key: NodeKey) {
        self.heap.push(Reverse(key));
    }

    #[inline]
    pub fn pop(&mut self) -> Option<NodeKey> {
        self.heap.pop().map(|Reverse(key)| key)
    }

    /// What [`NodeQueue::pop`] gives after a push of `key`, in one step.
    #[inline]
    pub fn push_pop(&mut self, mut key: NodeKey) -> NodeKey {
        if let Some(mut first) = self.heap.peek_mut()
            && first.0 < key
        {
            std::mem::swap(&mut first.0, &mut key);
        }
        key
    }
}

/// A key, not negative, and an id in one word that sorts like them.
#[inline]
pub(super) fn pack(key: f64, id: u32) -> u128 {
    debug_assert!(key >= 0.0);
    // The bits of the key stand above those of the id: keys are not negative, so their bits sort as they do.
    // Adding zero makes a positive zero of a negative one.
    ((key + 0.0).to_bits() as u128) << 32 | id as u128
}

#[inline]
pub(super) fn unpack(entry: u128) -> (f64, u32) {
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
            for wanted in sorted {
                prop_assert_eq!(queue.peek(), Some(wanted));
                prop_assert_eq!(queue.pop(), Some(wanted));
            }
            prop_assert_eq!(queue.pop(), None);
        }

        #[test]
        fn it_sorts_nodes(items in prop::collection::vec((prop_oneof![Just(0.0f32), Just(-0.0), 0.0..1e30f32], 0u32..5), 1..50)) {
            let mut queue = NodeQueue::default();
            let keys: Vec<NodeKey> = items.iter().map(|&(d, i)| NodeKey::new(d, i)).collect();
            prop_assert!(keys.iter().zip(&items).all(|(k, &(d, i))| k.distance() == d as f64 && k.index() == i as usize));
            keys[1..].iter().for_each(|&key| queue.push(key));
            let mut sorted = items.clone();
            sorted.iter_mut().for_each(|(d, _)| *d += 0.0);
            sorted.sort_by(|a, b| a.partial_cmp(b).unwrap());
            let mut popped = vec![queue.push_pop(keys[0])];
            popped.extend(std::iter::from_fn(|| queue.pop()));
            let popped: Vec<(f32, u32)> = popped.iter().map(|k| (k.distance() as f32, k.index() as u32)).collect();
            prop_assert_eq!(popped, sorted);
        }
    }
}
