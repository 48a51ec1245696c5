//! Graph colouring: constraints of one colour share no movable particle, so that they can be solved at once.
//!
//! **Iterated greedy** (J. Culberson, "Iterated greedy graph coloring and the difficulty landscape", 1992): first fit in
//! the given (spatial) order; then the classes are recoloured smallest class first, which never needs more
//! colours and often fewer; at last constraints move from large classes to the smallest one that admits them.
//! Everything runs in a fixed order, so the same input gives the same colours.

/// Colours beyond this many are not kept apart; see [`colour`].
pub(crate) const MAX_COLOURS: usize = 64;
/// Class of the constraints that fit none of [`MAX_COLOURS`] colours: they are solved one after the other.
pub(crate) const UNCOLOURED: u8 = MAX_COLOURS as u8;

/// Colours constraints over `K` particles each; `movable(p)` is false for particles that cannot conflict.
///
/// Returns one colour a constraint, below [`MAX_COLOURS`], or [`UNCOLOURED`] where a particle has more constraints
/// than there are colours.
pub(crate) fn colour<const K: usize>(
    constraints: &[[u32; K]],
    particles: usize,
    movable: impl Fn(u32) -> bool,
) -> Vec<u8> {
    let mut graph = Graph { constraints, used: vec![0; particles], movable };
    let mut colours = vec![UNCOLOURED; constraints.len()];
    for i in 0..constraints.len() {
        colours[i] = graph.place(i, |free| free.trailing_zeros() as u8);
    }
    for _ in 0..3 {
        graph.recolour(&mut colours);
    }
    graph.balance(&mut colours);
    colours
}

struct Graph<'a, const K: usize, M> {
    constraints: &'a [[u32; K]],
    /// One bit a colour that a constraint on the particle has.
    used: Vec<u64>,
    movable: M,
}

impl<const K: usize, M: Fn(u32) -> bool> Graph<'_, K, M> {
    fn taken(&self, i: usize) -> u64 {
        self.constraints[i].iter().fold(0, |m, &p| m | self.used[p as usize])
    }

    fn toggle(&mut self, i: usize, colour: u8) {
        for &p in &self.constraints[i] {
            if (self.movable)(p) {
                self.used[p as usize] ^= 1 << colour;
            }
        }
    }

    /// Gives constraint `i` one of its free colours, if there is any.
    fn place(&mut self, i: usize, choose: impl Fn(u64) -> u8) -> u8 {
        let free = !self.taken(i);
        if free == 0 {
            return UNCOLOURED;
        }
        let colour = choose(free);
        self.toggle(i, colour);
        colour
    }

    /// First fit again, class by class, the smallest class first.
    fn recolour(&mut self, colours: &mut [u8]) {
        let (order, _) = by_class(colours, |sizes, c| (sizes[c], c));
        self.used.fill(0);
        for i in order {
            colours[i as usize] = self.place(i as usize, |free| free.trailing_zeros() as u8);
        }
    }

    /// Moves constraints out of classes that are larger than the mean, into the smallest class that admits them.
    fn balance(&mut self, colours: &mut [u8]) {
        let mut sizes = class_sizes(colours);
        let count = sizes[..MAX_COLOURS].iter().filter(|&&n| n > 0).count();
        if count == 0 {
            return;
        }
        let in_use = if count == MAX_COLOURS { u64::MAX } else { (1 << count) - 1 };
        debug_assert!(sizes[..count].iter().all(|&n| n > 0), "first fit leaves no gaps");
        let mean = (colours.len() as u32 - sizes[MAX_COLOURS]).div_ceil(count as u32);
        for i in 0..colours.len() {
            let from = colours[i];
            if from == UNCOLOURED || sizes[from as usize] <= mean {
                continue;
            }
            let mut free = !self.taken(i) & in_use;
            let mut best = from;
            while free != 0 {
                let c = free.trailing_zeros() as u8;
                free &= free - 1;
                if sizes[c as usize] + 1 < sizes[best as usize] {
                    best = c;
                }
            }
            if best != from {
                self.toggle(i, from);
                self.toggle(i, best);
                sizes[from as usize] -= 1;
                sizes[best as usize] += 1;
                colours[i] = best;
            }
        }
    }
}

fn class_sizes(colours: &[u8]) -> [u32; MAX_COLOURS + 1] {
    let mut sizes = [0; MAX_COLOURS + 1];
    for &c in colours {
        sizes[c as usize] += 1;
    }
    sizes
}

/// Constraints class by class, classes in ascending order of `key`, and inside a class in the given order.
/// The second result holds the classes in that order, each with its number of constraints; empty ones are left out.
pub(crate) fn by_class<T: Ord>(
    colours: &[u8],
    key: impl Fn(&[u32], usize) -> T,
) -> (Vec<u32>, Vec<(u8, usize)>) {
    let sizes = class_sizes(colours);
    let mut classes: Vec<usize> = (0..sizes.len()).filter(|&c| sizes[c] > 0).collect();
    classes.sort_by_key(|&c| key(&sizes, c));
    let mut next = [0usize; MAX_COLOURS + 1];
    let mut total = 0;
    for &c in &classes {
        next[c] = total;
        total += sizes[c] as usize;
    }
    let mut order = vec![0; colours.len()];
    for (i, &c) in colours.iter().enumerate() {
        order[next[c as usize]] = i as u32;
        next[c as usize] += 1;
    }
    (order, classes.into_iter().map(|c| (c as u8, sizes[c] as usize)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tetrahedra of an n × n × n grid of cubes, five or six a cube does not matter here: six (Kuhn).
    fn kuhn(n: u32) -> (Vec<[u32; 4]>, usize) {
        let id = |x: u32, y: u32, z: u32| x + (n + 1) * (y + (n + 1) * z);
        let mut tets = Vec::new();
        for c in 0..n * n * n {
            let o = [c % n, c / n % n, c / (n * n)];
            for p in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
                let mut at = o;
                let mut tet = [id(at[0], at[1], at[2]); 4];
                for k in 0..3 {
                    at[p[k]] += 1;
                    tet[k + 1] = id(at[0], at[1], at[2]);
                }
                tets.push(tet);
            }
        }
        (tets, ((n + 1) * (n + 1) * (n + 1)) as usize)
    }

    #[test]
    fn no_two_of_a_colour_share_a_movable_particle_and_the_classes_are_balanced() {
        let (tets, n) = kuhn(12);
        let movable = |p: u32| !p.is_multiple_of(7);
        let colours = colour(&tets, n, movable);
        let mut seen = vec![0u64; n];
        for (t, &c) in tets.iter().zip(&colours) {
            assert!(c < UNCOLOURED);
            for &p in t.iter().filter(|&&p| movable(p)) {
                assert_eq!(seen[p as usize] >> c & 1, 0);
                seen[p as usize] |= 1 << c;
            }
        }
        let sizes = class_sizes(&colours);
        let used: Vec<u32> = sizes.into_iter().filter(|&n| n > 0).collect();
        // 24 tetrahedra meet at an inner vertex, so fewer colours are impossible when all particles are movable.
        assert!(used.len() <= 40, "{} colours", used.len());
    }

    #[test]
    fn a_hub_of_many_constraints_overflows_into_the_serial_class() {
        let spokes: Vec<[u32; 2]> = (1..200).map(|i| [0, i]).collect();
        let colours = colour(&spokes, 200, |_| true);
        assert_eq!(colours.iter().filter(|&&c| c == UNCOLOURED).count(), 199 - MAX_COLOURS);
        let one = colour(&spokes, 200, |p| p != 0);
        assert!(one.iter().all(|&c| c == 0));
    }
}
