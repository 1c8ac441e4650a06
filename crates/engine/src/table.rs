//! Transposition table: results of searches of positions, shared by all threads without locks.
//!
//! A cluster fills one cache line with four entries of two words. The first word is the upper 56 bits of the key and the
//! entry's age, bound and flags, exclusive-or the second word: an entry torn by two writers fails the test of its key and reads as
//! empty (Hyatt & Mann 2002). The memory is mapped with large pages where the system has them, so a fresh table costs nothing
//! until it is used or touched.

mod memory;

use crate::position::NO_MOVE;
use crate::prefetch::prefetch;
use crate::score::{Bound, Depth, Ply, Score};
use memory::Memory;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};
use std::thread::Builder;
use thiserror::Error;

const ENTRIES: usize = 4;
/// The smallest page of memory on any system (bytes).
const PAGE: usize = 4096;
/// Under Miri, which takes a thousand times as long, a table is a thousandth of the size.
const MEBIBYTE: usize = if cfg!(miri) { 1 << 12 } else { 1 << 20 };

const KEY_MASK: u64 = !0xff;
const BOUND_MASK: u64 = 0b11;
const PV_FLAG: u64 = 0b100;
const THREAT_FLAG: u64 = 0b1000;
const AGE_SHIFT: u32 = 4;
const AGE_MASK: u8 = 0b1111;

/// Depths are stored in 1/64 ply, so that fractions of a ply fit 16 bits.
const DEPTH_UNIT: i32 = 16;
const SCORE_SHIFT: u32 = 16;
const EVAL_SHIFT: u32 = 32;
const DEPTH_SHIFT: u32 = 48;

/// The stored value of a missing static evaluation.
const NO_EVAL: i16 = i16::MIN;

#[derive(Default)]
struct Slot {
    key: AtomicU64,
    data: AtomicU64,
}

/// Four entries in one cache line.
#[repr(align(64))]
#[derive(Default)]
struct Cluster([Slot; ENTRIES]);

/// The entry of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The best move or the cutoff move in packed form, or [`NO_MOVE`].
    pub mv: u16,
    /// The score; mates count from the node that reads the entry.
    pub score: Score,
    /// The uncorrected static evaluation, if it was computed.
    pub eval: Option<Score>,
    /// Depth of the search that found it, rounded down to 1/64 ply.
    pub depth: Depth,
    /// The relation of the score to the true value.
    pub bound: Bound,
    /// True if the node was on a principal variation.
    pub pv: bool,
    /// True if the null move was refuted by mate.
    pub threat: bool,
}

/// A table of the requested size cannot be allocated.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("cannot allocate a table of {mebibytes} MiB: {reason}; choose a smaller Hash")]
pub struct TableError {
    /// The requested size.
    pub mebibytes: usize,
    /// The system's reason.
    pub reason: String,
}

/// The shared table.
pub struct Table {
    memory: Memory,
    age: AtomicU8,
    /// True if anything was stored since the memory was last zeroed.
    used: AtomicBool,
    /// True if the system has allocated every page.
    touched: AtomicBool,
}

impl Table {
    /// An empty table of `mebibytes` MiB, at least one.
    ///
    /// # Errors
    /// [`TableError`] if the system refuses the memory.
    pub fn new(mebibytes: usize) -> Result<Table, TableError> {
        let refuse = |reason: String| TableError { mebibytes, reason };
        let bytes =
            mebibytes.max(1).checked_mul(MEBIBYTE).ok_or_else(|| refuse("more than can be addressed".into()))?;
        let memory = Memory::zeroed(bytes / size_of::<Cluster>()).map_err(refuse)?;
        Ok(Table { memory, age: AtomicU8::new(0), used: AtomicBool::new(false), touched: AtomicBool::new(false) })
    }

    /// Size in MiB.
    pub fn mebibytes(&self) -> usize {
        size_of_val(self.clusters()) / MEBIBYTE
    }

    #[inline(always)]
    fn clusters(&self) -> &[Cluster] {
        self.memory.clusters()
    }

    #[inline(always)]
    fn cluster(&self, key: u64) -> &Cluster {
        let clusters = self.clusters();
        let index = (u128::from(key) * clusters.len() as u128) >> 64;
        &clusters[index as usize]
    }

    /// Prefetches the cluster of `key` into the cache.
    #[inline(always)]
    pub fn prefetch(&self, key: u64) {
        prefetch(self.cluster(key));
    }

    /// The entry of `key`; mate scores count from `ply`.
    #[inline]
    pub fn probe(&self, key: u64, ply: Ply) -> Option<Entry> {
        for slot in &self.cluster(key).0 {
            let data = slot.data.load(Relaxed);
            let head = slot.key.load(Relaxed) ^ data;
            if (head ^ key) & KEY_MASK == 0 && head & BOUND_MASK != 0 {
                return Some(decode(head, data, ply));
            }
        }
        None
    }

    /// Writes an entry. It replaces the entry of the same position, unless that is of this search and at least four plies
    /// deeper and the new score is not exact. Without such an entry, it takes an empty slot of the cluster or replaces
    /// the least valuable entry.
    #[inline]
    pub fn store(&self, key: u64, ply: Ply, entry: Entry) {
        let age = self.age.load(Relaxed);
        if !self.used.load(Relaxed) {
            self.used.store(true, Relaxed);
        }
        let (slot, old) = self.victim(key, age);
        let depth = depth_code(entry.depth);
        let mut mv = entry.mv;
        if let Some((head, data)) = old {
            if mv == NO_MOVE {
                mv = data as u16;
            }
            const DEEPER_KEPT: i32 = 4 * 64;
            let old_depth = i32::from((data >> DEPTH_SHIFT) as i16);
            let same_age = head_age(head) == age;
            if entry.bound != Bound::Exact && same_age && i32::from(depth) + DEEPER_KEPT <= old_depth {
                return;
            }
        }
        let eval = entry.eval.map_or(NO_EVAL, |s| s.0 as i16);
        let data = u64::from(mv)
            | u64::from(entry.score.to_table(ply).0 as i16 as u16) << SCORE_SHIFT
            | u64::from(eval as u16) << EVAL_SHIFT
            | u64::from(depth as u16) << DEPTH_SHIFT;
        let flags = if entry.pv { PV_FLAG } else { 0 } | if entry.threat { THREAT_FLAG } else { 0 };
        let head = key & KEY_MASK | u64::from(age) << AGE_SHIFT | flags | bound_code(entry.bound);
        slot.key.store(head ^ data, Relaxed);
        slot.data.store(data, Relaxed);
    }

    /// The slot to write: that of the position with its old words, or the least valuable one.
    fn victim(&self, key: u64, age: u8) -> (&Slot, Option<(u64, u64)>) {
        const AGE_COST: i32 = 2 * 64;
        let mut worst = (i32::MAX, 0);
        let cluster = &self.cluster(key).0;
        for (index, slot) in cluster.iter().enumerate() {
            let data = slot.data.load(Relaxed);
            let head = slot.key.load(Relaxed) ^ data;
            if head & BOUND_MASK == 0 {
                return (slot, None);
            }
            if (head ^ key) & KEY_MASK == 0 {
                return (slot, Some((head, data)));
            }
            let years = i32::from(age.wrapping_sub(head_age(head)) & AGE_MASK);
            let worth = i32::from((data >> DEPTH_SHIFT) as i16) - years * AGE_COST;
            if worth < worst.0 {
                worst = (worth, index);
            }
        }
        (&cluster[worst.1], None)
    }

    /// Begins a new search: all entries become older. For replacement, an entry counts as two plies shallower for each
    /// search that began after it was written.
    pub fn new_search(&self) {
        let next = (self.age.load(Relaxed) + 1) & AGE_MASK;
        self.age.store(next, Relaxed);
    }

    /// Clears the table with up to `threads` threads, including this one. A table in which nothing was stored is not
    /// touched, because clearing a large one takes seconds and makes the system allocate its memory. Returns true if
    /// the table was cleared.
    pub fn clear(&self, threads: usize) -> bool {
        self.age.store(0, Relaxed);
        let was_used = self.used.swap(false, Relaxed);
        if was_used {
            self.share_out(threads, Builder::new, clear_clusters);
            self.touched.store(true, Relaxed);
        }
        was_used
    }

    /// Touches every page of a table in which nothing was stored, with up to `threads` threads, including this one:
    /// otherwise its first search waits for the system to allocate the memory. Returns true if pages were touched.
    pub fn touch(&self, threads: usize) -> bool {
        let is_needed = !self.used.load(Relaxed) && !self.touched.swap(true, Relaxed);
        if is_needed {
            self.share_out(threads, Builder::new, touch_clusters);
        }
        is_needed
    }

    /// Applies `work` to all clusters, in equal parts on up to `threads` threads. This thread does one part, and the parts of threads that
    /// cannot be started; `thread` makes the others.
    fn share_out(&self, threads: usize, thread: impl Fn() -> Builder, work: fn(&[Cluster])) {
        let clusters = self.clusters();
        let share = clusters.len().div_ceil(threads.max(1)).max(1);
        let (own, others) = clusters.split_at(share.min(clusters.len()));
        std::thread::scope(|scope| {
            for part in others.chunks(share) {
                if thread().spawn_scoped(scope, move || work(part)).is_err() {
                    work(part);
                }
            }
            work(own);
        });
    }

    /// The share of a sample of the table that holds entries of the current search (permille).
    pub fn hashfull(&self) -> u32 {
        const SAMPLE: usize = 250;
        let age = self.age.load(Relaxed);
        let sample = &self.clusters()[..SAMPLE.min(self.clusters().len())];
        let used = sample
            .iter()
            .flat_map(|cluster| &cluster.0)
            .filter(|slot| {
                let head = slot.key.load(Relaxed) ^ slot.data.load(Relaxed);
                head & BOUND_MASK != 0 && head_age(head) == age
            })
            .count();
        (used * 1000 / (sample.len() * ENTRIES)) as u32
    }
}

fn clear_clusters(clusters: &[Cluster]) {
    for cluster in clusters {
        for slot in &cluster.0 {
            slot.key.store(0, Relaxed);
            slot.data.store(0, Relaxed);
        }
    }
}

/// Writes a word of each page; all of them are zero.
fn touch_clusters(clusters: &[Cluster]) {
    for cluster in clusters.iter().step_by(PAGE / size_of::<Cluster>()) {
        cluster.0[0].key.store(0, Relaxed);
    }
}

fn head_age(head: u64) -> u8 {
    (head as u8) >> AGE_SHIFT
}

fn depth_code(depth: Depth) -> i16 {
    depth.0.div_euclid(DEPTH_UNIT).clamp(i16::MIN.into(), i16::MAX.into()) as i16
}

fn bound_code(bound: Bound) -> u64 {
    match bound {
        Bound::Upper => 1,
        Bound::Lower => 2,
        Bound::Exact => BOUND_MASK,
    }
}

#[inline(always)]
fn decode(head: u64, data: u64, ply: Ply) -> Entry {
    let eval = (data >> EVAL_SHIFT) as i16;
    Entry {
        mv: data as u16,
        score: Score(((data >> SCORE_SHIFT) as i16).into()).from_table(ply),
        eval: (eval != NO_EVAL).then_some(Score(eval.into())),
        depth: Depth(i32::from((data >> DEPTH_SHIFT) as i16) * DEPTH_UNIT),
        bound: match head & BOUND_MASK {
            1 => Bound::Upper,
            2 => Bound::Lower,
            _ => Bound::Exact,
        },
        pv: head & PV_FLAG != 0,
        threat: head & THREAT_FLAG != 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(mv: u16, score: i32, depth: i32, bound: Bound) -> Entry {
        let (pv, threat) = (depth % 2048 == 0, score % 2 == 0);
        Entry { mv, score: Score(score), eval: Some(Score(-7)), depth: Depth(depth), bound, pv, threat }
    }

    #[test]
    fn an_entry_comes_back_as_it_went_in() {
        let table = Table::new(1).unwrap();
        for (i, e) in [
            entry(77, 123, 4096, Bound::Exact),
            entry(0xfedc, -31_990, 1008, Bound::Upper),
            entry(1, 31_985, 0, Bound::Lower),
            Entry { eval: None, ..entry(9, 0, -1024, Bound::Lower) },
        ]
        .into_iter()
        .enumerate()
        {
            let key = 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(i as u64 + 1);
            table.store(key, Ply(5), e);
            assert_eq!(table.probe(key, Ply(5)), Some(e));
            assert_eq!(table.probe(key ^ 0x100, Ply(5)), None, "another position in the same cluster");
        }
    }

    #[test]
    fn mates_are_counted_from_the_node() {
        let table = Table::new(1).unwrap();
        table.store(42 << 40, Ply(6), entry(3, Score::mate_in(Ply(9)).0, 2048, Bound::Exact));
        assert_eq!(table.probe(42 << 40, Ply(2)).unwrap().score, Score::mate_in(Ply(5)));
    }

    #[test]
    fn the_move_survives_a_store_without_one() {
        let table = Table::new(1).unwrap();
        table.store(7 << 50, Ply(0), entry(99, 10, 2048, Bound::Lower));
        table.store(7 << 50, Ply(0), entry(NO_MOVE, -10, 4096, Bound::Upper));
        let found = table.probe(7 << 50, Ply(0)).unwrap();
        assert_eq!((found.mv, found.score), (99, Score(-10)));
    }

    #[test]
    fn the_shallow_and_old_give_way() {
        let table = Table::new(1).unwrap();
        let key = |i: u64| i << 8; // all in the first cluster
        for i in 1..=4 {
            table.store(key(i), Ply(0), entry(1, 0, i as i32 * 1024, Bound::Lower));
        }
        table.store(key(5), Ply(0), entry(1, 0, 2048, Bound::Lower));
        assert!(table.probe(key(1), Ply(0)).is_none() && table.probe(key(4), Ply(0)).is_some());
        for _ in 0..4 {
            table.new_search();
        }
        table.store(key(2), Ply(0), entry(1, 0, 2048, Bound::Lower));
        table.store(key(6), Ply(0), entry(1, 0, 1024, Bound::Lower));
        assert!(table.probe(key(2), Ply(0)).is_some(), "refreshed in this search");
    }

    #[test]
    fn clearing_and_fullness() {
        let table = Table::new(2).unwrap();
        let mut key = 1u64;
        for _ in 0..if cfg!(miri) { 100 } else { 200_000 } {
            key = key.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            table.store(key, Ply(0), entry(1, 0, 1024, Bound::Lower));
        }
        assert!(cfg!(miri) || (700..=1000).contains(&table.hashfull()), "{}", table.hashfull());
        table.new_search();
        assert_eq!(table.hashfull(), 0, "entries of earlier searches do not count");
        table.clear(3);
        assert!(table.probe(key, Ply(0)).is_none());
    }

    #[test]
    fn a_table_that_is_zero_is_not_cleared_again() {
        let table = Table::new(1).unwrap();
        table.new_search();
        assert!(!table.clear(1), "fresh memory is zero");
        table.store(7 << 50, Ply(0), entry(99, 10, 2048, Bound::Lower));
        assert!(table.clear(2) && table.probe(7 << 50, Ply(0)).is_none());
        assert!(!table.clear(1));
        table.store(8 << 50, Ply(0), entry(99, 10, 2048, Bound::Lower));
        assert!(table.clear(1) && table.probe(8 << 50, Ply(0)).is_none());
    }

    #[test]
    fn an_impossible_size_is_an_error() {
        let error = Table::new(usize::MAX / 2).err().unwrap();
        assert!(error.to_string().contains("smaller Hash"));
    }

    #[test]
    fn of_a_full_cluster_the_entry_worth_least_gives_way() {
        // Depth in plies and how many searches ago; a search is worth two plies.
        for (name, entries, replaced) in [
            ("the shallowest", [(5, 0), (4, 0), (2, 0), (7, 0)], 2),
            ("the oldest, though deeper", [(5, 3), (4, 0), (2, 0), (7, 0)], 0),
            ("an old one that is deep lives on", [(9, 2), (4, 0), (3, 0), (7, 0)], 2),
            ("of equals the first", [(4, 0), (4, 0), (4, 0), (4, 0)], 0),
        ] {
            let table = Table::new(1).unwrap();
            let key = |i: usize| (i as u64 + 1) << 8; // all in the first cluster
            const SEARCHES: i32 = 4;
            for ago in (0..SEARCHES).rev() {
                for (i, (depth, _)) in entries.iter().enumerate().filter(|(_, (_, age))| *age == ago) {
                    table.store(key(i), Ply(0), entry(1, 0, depth * 1024, Bound::Lower));
                }
                if ago > 0 {
                    table.new_search();
                }
            }
            table.store(key(4), Ply(0), entry(2, 0, 1024, Bound::Lower));
            for i in 0..=ENTRIES {
                assert_eq!(table.probe(key(i), Ply(0)).is_none(), i == replaced, "{name}: {i}");
            }
        }
    }

    #[test]
    fn what_is_known_of_a_position_is_kept_from_much_less() {
        for (name, old, searches, new, kept) in [
            ("a bound four plies shallower", (8, Bound::Lower), 0, (4, Bound::Upper), true),
            ("a bound a little shallower", (8, Bound::Lower), 0, (5, Bound::Upper), false),
            ("an exact value", (8, Bound::Lower), 0, (2, Bound::Exact), false),
            ("exact ones, too, are kept from bounds", (8, Bound::Exact), 0, (2, Bound::Lower), true),
            ("a bound of another search", (8, Bound::Lower), 1, (2, Bound::Upper), false),
            ("a deeper bound", (8, Bound::Exact), 0, (9, Bound::Lower), false),
        ] {
            let table = Table::new(1).unwrap();
            table.store(7 << 50, Ply(0), entry(99, 10, old.0 * 1024, old.1));
            (0..searches).for_each(|_| table.new_search());
            table.store(7 << 50, Ply(0), entry(98, -10, new.0 * 1024, new.1));
            assert_eq!(table.probe(7 << 50, Ply(0)).unwrap().mv == 99, kept, "{name}");
        }
    }

    const KEYS: u64 = 64;

    /// Keys that are spread over the whole table.
    fn key(i: u64) -> u64 {
        i << 58 | 1 << 9
    }

    fn fill(table: &Table) {
        (0..KEYS).for_each(|i| table.store(key(i), Ply(0), entry(1, 0, 1024, Bound::Lower)));
    }

    fn known(table: &Table) -> usize {
        (0..KEYS).filter(|&i| table.probe(key(i), Ply(0)).is_some()).count()
    }

    #[test]
    fn every_thread_clears_its_part() {
        for threads in 1..=5 {
            let table = Table::new(1).unwrap();
            fill(&table);
            assert_eq!(known(&table), KEYS as usize);
            table.clear(threads);
            assert_eq!(known(&table), 0, "{threads} threads");
        }
    }

    /// The system had no thread for a part, and the program panicked.
    #[test]
    #[cfg_attr(miri, ignore = "Miri has a thread of any size")]
    fn parts_without_a_thread_are_cleared_by_this_one() {
        let table = Table::new(1).unwrap();
        fill(&table);
        table.share_out(4, crate::testing::impossible_thread, clear_clusters);
        assert_eq!(known(&table), 0);
    }

    /// A large table delayed its first search, on the clock of the game.
    #[test]
    fn a_fresh_table_is_touched_once_and_keeps_stored_entries() {
        let table = Table::new(1).unwrap();
        assert!(table.touch(3) && !table.touch(3));
        fill(&table);
        assert!(!table.touch(1) && known(&table) == KEYS as usize);
        let used = Table::new(1).unwrap();
        fill(&used);
        assert!(!used.touch(2) && known(&used) == KEYS as usize, "only zeroes may be written over");
        assert!(used.clear(1) && !used.touch(1), "clearing has touched every page");
    }

    /// Every page has a word that is written, in parts that begin anywhere.
    #[test]
    fn a_word_of_every_page_is_written() {
        let table = Table::new(1).unwrap();
        let clusters = table.clusters();
        let each = PAGE / size_of::<Cluster>();
        clusters.iter().for_each(|cluster| cluster.0[0].key.store(1, Relaxed));
        table.share_out(5, Builder::new, touch_clusters);
        let is_written = |page: &[Cluster]| page.iter().any(|cluster| cluster.0[0].key.load(Relaxed) == 0);
        assert!(clusters.chunks(each).all(is_written));
    }
}
