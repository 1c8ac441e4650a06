//! Origins of table entries: a second table of fixed size next to the transposition table, which overwrites old entries.

/// Slots: two million, 32 MiB.
const SLOT_BITS: u32 = 21;
const KEY_BITS: u32 = 64;

#[derive(Clone, Copy, Default)]
struct Slot {
    key: u64,
    iteration: u32,
    /// One more than the number of the node; 0 for a node that was not recorded.
    node: u32,
}

/// The nodes that stored table entries.
#[derive(Default)]
pub(super) struct Origins(Vec<Slot>);

impl Origins {
    /// Notes the node that stored under `key`. A number that does not fit into a slot counts as not recorded.
    pub fn note(&mut self, key: u64, iteration: u32, node: u64) {
        if self.0.is_empty() {
            self.0 = vec![Slot::default(); 1 << SLOT_BITS];
        }
        self.0[slot(key)] = Slot { key, iteration: iteration + 1, node: u32::try_from(node).unwrap_or(0) };
    }

    /// The node that stored last under `key`: its iteration, and its number plus one.
    pub fn find(&self, key: u64) -> Option<(u32, u64)> {
        let found = self.0.get(slot(key))?;
        (found.key == key && found.iteration > 0).then(|| (found.iteration - 1, u64::from(found.node)))
    }
}

fn slot(key: u64) -> usize {
    (key >> (KEY_BITS - SLOT_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_writer_is_known_until_its_slot_is_overwritten() {
        let mut origins = Origins::default();
        assert_eq!(origins.find(0), None);
        origins.note(7, 0, 5);
        origins.note(7, 3, 9);
        assert_eq!(origins.find(7), Some((3, 9)));
        assert_eq!(origins.find(6), None, "another key in the same slot");
        origins.note(6, 4, u64::MAX);
        assert_eq!((origins.find(7), origins.find(6)), (None, Some((4, 0))));
    }
}
