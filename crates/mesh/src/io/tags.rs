//! From node tags to vertex indices.

/// Finds the vertex of a tag: by a table where tags are dense, else by bisection.
#[derive(Default)]
pub(crate) struct TagMap {
    first: u64,
    /// Vertex of `first + i`, [`NONE`] where there is none.
    table: Vec<u32>,
    /// Tags ascending with their vertices, when a table would be mostly empty.
    sorted: Vec<(u64, u32)>,
}

const NONE: u32 = u32::MAX;

impl TagMap {
    /// Numbers the nodes in the order of `tags`; the error says which tag is there twice.
    pub(crate) fn new(tags: &[u64]) -> Result<Self, String> {
        let (Some(&first), Some(&last)) = (tags.iter().min(), tags.iter().max()) else {
            return Ok(TagMap::default());
        };
        if tags.len() >= NONE as usize {
            return Err(format!("{} nodes are more than can be numbered", tags.len()));
        }
        let twice = |tag: u64| format!("node {tag} is defined twice");
        let mut map = TagMap { first, ..TagMap::default() };
        // At most 16 bytes a node, as the sorted list.
        if last - first < 4 * tags.len() as u64 {
            map.table = vec![NONE; (last - first) as usize + 1];
            for (vertex, &tag) in tags.iter().enumerate() {
                let slot = &mut map.table[(tag - first) as usize];
                if *slot != NONE {
                    return Err(twice(tag));
                }
                *slot = vertex as u32;
            }
        } else {
            map.sorted = tags.iter().enumerate().map(|(vertex, &tag)| (tag, vertex as u32)).collect();
            map.sorted.sort_unstable();
            if let Some(pair) = map.sorted.windows(2).find(|w| w[0].0 == w[1].0) {
                return Err(twice(pair[0].0));
            }
        }
        Ok(map)
    }

    /// The vertex of `tag`.
    #[inline]
    pub(crate) fn get(&self, tag: u64) -> Option<u32> {
        if self.sorted.is_empty() {
            let slot = usize::try_from(tag.checked_sub(self.first)?).ok()?;
            self.table.get(slot).copied().filter(|&v| v != NONE)
        } else {
            let found = self.sorted.binary_search_by_key(&tag, |&(tag, _)| tag).ok()?;
            Some(self.sorted[found].1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_and_sparse_tags_are_found_and_others_are_not() {
        for tags in [vec![7, 5, 6, 9], vec![10, u64::MAX, 0, 3_000_000_000_000], vec![1], vec![]] {
            let map = TagMap::new(&tags).unwrap();
            for (vertex, &tag) in tags.iter().enumerate() {
                assert_eq!(map.get(tag), Some(vertex as u32));
            }
            for other in [8, 11, u64::MAX - 1, 4] {
                assert_eq!(map.get(other), None);
            }
        }
    }

    #[test]
    fn a_tag_that_is_there_twice_is_told() {
        for tags in [vec![1, 2, 2], vec![1, 1 << 40, 3, 1 << 40]] {
            assert!(TagMap::new(&tags).err().unwrap().contains("defined twice"));
        }
    }
}
