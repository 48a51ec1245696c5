//! A set of element ids that is emptied in constant time.

/// Open addressing; a slot counts only when it carries the present generation. Grows, never fails.
#[derive(Debug)]
pub(super) struct VisitedSet {
    /// Id and generation.
    slots: Vec<(u32, u32)>,
    generation: u32,
    count: usize,
}

impl Default for VisitedSet {
    fn default() -> Self {
        VisitedSet { slots: vec![(0, 0); 64], generation: 1, count: 0 }
    }
}

impl VisitedSet {
    pub fn clear(&mut self) {
        self.count = 0;
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.slots.fill((0, 0));
            self.generation = 1;
        }
    }

    #[inline]
    fn slot(&self, id: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut i = (id.wrapping_mul(0x9E37_79B1) >> 7) as usize & mask;
        while self.slots[i].1 == self.generation && self.slots[i].0 != id {
            i = (i + 1) & mask;
        }
        i
    }

    #[inline]
    pub fn contains(&self, id: u32) -> bool {
        self.slots[self.slot(id)].1 == self.generation
    }

    /// Adds `id`; whether it is new.
    #[inline]
    pub fn insert(&mut self, id: u32) -> bool {
        let i = self.slot(id);
        if self.slots[i].1 == self.generation {
            return false;
        }
        self.slots[i] = (id, self.generation);
        self.count += 1;
        if 2 * self.count > self.slots.len() {
            self.grow();
        }
        true
    }

    #[cold]
    fn grow(&mut self) {
        let larger = vec![(0, 0); 4 * self.slots.len()];
        let old = std::mem::replace(&mut self.slots, larger);
        for (id, generation) in old {
            if generation == self.generation {
                let i = self.slot(id);
                self.slots[i] = (id, generation);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_set_however_large_and_however_often_emptied() {
        let mut set = VisitedSet::default();
        for round in 0..5u32 {
            set.clear();
            for i in 0..1000 {
                assert!(set.insert(i * 7919 + round));
                assert!(!set.insert(i * 7919 + round) && set.contains(i * 7919 + round));
            }
            assert!(!set.contains(5000 + round));
        }
        set.generation = u32::MAX;
        set.clear();
        assert!(!set.contains(4) && set.insert(4) && !set.insert(4));
    }
}
