//! Deterministic greedy colouring of contacts, in linear time.

use super::Contact;
use rayon::prelude::*;

/// Two contacts of one colour share a dynamic particle: a bug of the colouring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("contacts {contacts:?} of colour {colour} share particle {particle}")]
pub struct ColourConflict {
    /// The colour.
    pub colour: usize,
    /// The particle.
    pub particle: u32,
    /// The two contacts, as indices into [`super::ContactSet::contacts`].
    pub contacts: [usize; 2],
}

/// Buffers of the colouring, kept from one detection to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Colouring {
    /// Colours in use around each particle, 64 at a time.
    masks: Vec<u64>,
    colour_of: Vec<u32>,
    left: Vec<u32>,
    sorted: Vec<Contact>,
    /// First contact of each colour, and the end of the last.
    pub start: Vec<usize>,
}

impl Colouring {
    /// Sorts `contacts` by their features, gives each the lowest colour that is free at all its dynamic
    /// particles, and groups them by colour; within a colour the sorted order stays.
    ///
    /// Linear in the contacts when they are pushed in sorted order, else as fast as a sort.
    pub fn group(&mut self, contacts: &mut Vec<Contact>, inv_mass: &[f32]) {
        let key = |c: &Contact| (c.features, c.particles, c.response);
        if !contacts.is_sorted_by_key(key) {
            contacts.par_sort_by_key(key);
        }
        if self.masks.len() < inv_mass.len() {
            self.masks.resize(inv_mass.len(), 0);
        }
        let dynamic = |c: &Contact| {
            let all = *c;
            (0..8).filter_map(move |k| all.dynamic_particle(k, inv_mass))
        };
        self.colour_of.clear();
        self.colour_of.resize(contacts.len(), 0);
        self.left.clear();
        self.left.extend(0..contacts.len() as u32);
        let (mut base, mut colours) = (0, 0);
        // Each round hands out 64 colours; what finds none free waits for the next.
        while !self.left.is_empty() {
            let round = std::mem::take(&mut self.left);
            let mut waiting = 0;
            let mut list = round;
            for k in 0..list.len() {
                let i = list[k] as usize;
                let used = dynamic(&contacts[i]).fold(0u64, |m, p| m | self.masks[p]);
                let free = (!used).trailing_zeros();
                if free == 64 {
                    list[waiting] = i as u32;
                    waiting += 1;
                    continue;
                }
                for p in dynamic(&contacts[i]) {
                    self.masks[p] |= 1 << free;
                }
                self.colour_of[i] = base + free;
                colours = colours.max(base + free + 1);
            }
            for c in contacts.iter() {
                for p in dynamic(c) {
                    self.masks[p] = 0;
                }
            }
            list.truncate(waiting);
            self.left = list;
            base += 64;
        }

        // Counting sort, stable.
        self.start.clear();
        self.start.resize(colours as usize + 1, 0);
        for &c in &self.colour_of {
            self.start[c as usize + 1] += 1;
        }
        for c in 0..colours as usize {
            self.start[c + 1] += self.start[c];
        }
        self.sorted.clear();
        self.sorted.extend_from_slice(contacts);
        let mut next = self.start.clone();
        for (contact, &c) in contacts.iter().zip(&self.colour_of) {
            self.sorted[next[c as usize]] = *contact;
            next[c as usize] += 1;
        }
        std::mem::swap(contacts, &mut self.sorted);
    }

    /// Checks that no two contacts of a colour share a dynamic particle.
    pub fn validate(&self, contacts: &[Contact], inv_mass: &[f32]) -> Result<(), ColourConflict> {
        // (colour + 1, contact) that was last seen at each particle.
        let mut seen = vec![(0, 0); inv_mass.len()];
        for colour in 0..self.start.len().saturating_sub(1) {
            for i in self.start[colour]..self.start[colour + 1] {
                for p in (0..8).filter_map(|k| contacts[i].dynamic_particle(k, inv_mass)) {
                    if seen[p].0 == colour + 1 && seen[p].1 != i {
                        let contacts = [seen[p].1, i];
                        return Err(ColourConflict { colour, particle: p as u32, contacts });
                    }
                    seen[p] = (colour + 1, i);
                }
            }
        }
        Ok(())
    }
}

impl Contact {
    /// The particle at place `k` (first side, then second), if there is one and it can move.
    #[inline]
    pub(super) fn dynamic_particle(&self, k: usize, inv_mass: &[f32]) -> Option<usize> {
        let particles = match self.features {
            super::Features::PointFace => 1..4,
            super::Features::EdgePointFace => 0..5,
            _ => 0..8,
        };
        let p = self.particles[k];
        (particles.contains(&k) && p != u32::MAX && inv_mass[p as usize] > 0.0).then_some(p as usize)
    }
}
