//! The bodies of journal rows: a few bytes for each measurement.

use crate::measure::{Measure, Outcome, Probe, Set};
use crate::space::Candidate;
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};

/// What the probes of a row are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Positions of the suite that is tuned on.
    Tuning,
    /// Positions of the hold-out suite.
    Holdout,
    /// Pairs of games.
    Pairs,
}

impl Kind {
    const ALL: [Kind; 3] = [Kind::Tuning, Kind::Holdout, Kind::Pairs];

    /// Its number in the journal.
    pub fn number(self) -> i64 {
        self as i64
    }

    /// The kind with this number.
    pub fn from_number(number: i64) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.number() == number)
    }
}

/// A row to be written.
pub struct Part {
    /// What it holds.
    pub kind: Kind,
    /// The opponent of the pairs.
    pub opponent: Option<Candidate>,
    /// The packed results.
    pub bytes: Vec<u8>,
}

/// A position: its place, nodes to the first solution doubled plus one if solved, and what the other counts differ by. All are
/// small numbers, which take few bytes.
#[derive(Serialize, Deserialize)]
struct PositionRow(u32, u64, i64, i64);

/// A pair: its opening, half points and nodes.
#[derive(Serialize, Deserialize)]
struct PairRow(u32, u8, u64);

/// One row for each kind and opponent among the probes; a task as the runs make them has one.
pub fn pack(outcome: &Outcome) -> Vec<Part> {
    let mut sorted: Vec<(Kind, Option<&Candidate>)> = Vec::new();
    let keys: Vec<_> = outcome.task.probes.iter().map(key).collect();
    for key in &keys {
        if !sorted.contains(key) {
            sorted.push(*key);
        }
    }
    let rows = |wanted: (Kind, Option<&Candidate>)| {
        let all = keys.iter().zip(outcome.task.probes.iter().zip(&outcome.measures));
        all.filter(move |(key, _)| **key == wanted).map(|(_, row)| row).collect::<Vec<_>>()
    };
    sorted
        .into_iter()
        .map(|(kind, opponent)| {
            let plain = match kind {
                Kind::Pairs => encoded(&rows((kind, opponent)).into_iter().filter_map(pair_row).collect::<Vec<_>>()),
                _ => encoded(&rows((kind, opponent)).into_iter().filter_map(position_row).collect::<Vec<_>>()),
            };
            Part { kind, opponent: opponent.cloned(), bytes: compressed(&plain) }
        })
        .collect()
}

fn key(probe: &Probe) -> (Kind, Option<&Candidate>) {
    match probe {
        Probe::Position { set: Set::Tuning, .. } => (Kind::Tuning, None),
        Probe::Position { set: Set::Holdout, .. } => (Kind::Holdout, None),
        Probe::Pair { opponent, .. } => (Kind::Pairs, Some(opponent)),
    }
}

fn position_row((probe, measure): (&Probe, &Measure)) -> Option<PositionRow> {
    match (probe, *measure) {
        (Probe::Position { index, .. }, Measure::Position { solved, first, stable, nodes }) => {
            let difference = |a: u64, b: u64| a as i64 - b as i64;
            Some(PositionRow(
                *index,
                2 * first + u64::from(solved),
                difference(stable, first),
                difference(nodes, first),
            ))
        }
        _ => None,
    }
}

fn pair_row((probe, measure): (&Probe, &Measure)) -> Option<PairRow> {
    match (probe, *measure) {
        (Probe::Pair { opening, .. }, Measure::Pair { points, nodes }) => Some(PairRow(*opening, points, nodes)),
        _ => None,
    }
}

/// The reverse of [`pack`] for one row; `None` if it is damaged.
pub fn unpack(kind: Kind, opponent: Option<&Candidate>, bytes: &[u8]) -> Option<Vec<(Probe, Measure)>> {
    let plain = decompressed(bytes)?;
    let set = match kind {
        Kind::Tuning => Set::Tuning,
        Kind::Holdout => Set::Holdout,
        Kind::Pairs => {
            let rows: Vec<PairRow> = postcard::from_bytes(&plain).ok()?;
            let probe = |opening| Some(Probe::Pair { opponent: opponent?.clone(), opening });
            return rows
                .into_iter()
                .map(|PairRow(opening, points, nodes)| Some((probe(opening)?, Measure::Pair { points, nodes })))
                .collect();
        }
    };
    let rows: Vec<PositionRow> = postcard::from_bytes(&plain).ok()?;
    rows.into_iter()
        .map(|PositionRow(index, doubled, stable, nodes)| {
            let first = doubled / 2;
            let measure = Measure::Position {
                solved: doubled % 2 == 1,
                first,
                stable: first.checked_add_signed(stable)?,
                nodes: first.checked_add_signed(nodes)?,
            };
            Some((Probe::Position { set, index }, measure))
        })
        .collect()
}

/// A candidate as bytes.
pub fn pack_point(candidate: &Candidate) -> Vec<u8> {
    encoded(candidate)
}

/// The reverse of [`pack_point`].
pub fn unpack_point(bytes: &[u8]) -> Option<Candidate> {
    postcard::from_bytes(bytes).ok()
}

fn encoded<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    postcard::to_stdvec(value).expect("numbers and lists can always be encoded")
}

fn compressed(plain: &[u8]) -> Vec<u8> {
    let attempt = || -> std::io::Result<Vec<u8>> {
        let mut encoder = zstd::Encoder::new(Vec::new(), zstd::DEFAULT_COMPRESSION_LEVEL)?;
        encoder.include_checksum(true)?;
        encoder.write_all(plain)?;
        encoder.finish()
    };
    attempt().expect("memory can always be written")
}

fn decompressed(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::new();
    zstd::Decoder::new(bytes).ok()?.read_to_end(&mut plain).ok()?;
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Task;
    use proptest::prelude::*;

    fn any_measured() -> impl Strategy<Value = (Probe, Measure)> {
        let position = (any::<bool>(), any::<u32>(), any::<bool>(), 0..1u64 << 50, 0..1u64 << 50, 0..1u64 << 50)
            .prop_map(|(holdout, index, solved, first, stable, nodes)| {
                let set = if holdout { Set::Holdout } else { Set::Tuning };
                (Probe::Position { set, index }, Measure::Position { solved, first, stable, nodes })
            });
        let pair = (any::<u32>(), 0..3i32, 0..5u8, any::<u64>()).prop_map(|(opening, x, points, nodes)| {
            (Probe::Pair { opponent: vec![x], opening }, Measure::Pair { points, nodes })
        });
        prop_oneof![position, pair]
    }

    proptest! {
        #[test]
        fn what_is_packed_is_unpacked(measured in prop::collection::vec(any_measured(), 0..30)) {
            let (probes, measures): (Vec<_>, Vec<_>) = measured.iter().cloned().unzip();
            let outcome = Outcome { task: Task { candidate: vec![1], probes }, measures };
            let mut back = Vec::new();
            for part in pack(&outcome) {
                back.extend(unpack(part.kind, part.opponent.as_ref(), &part.bytes).expect("a good row"));
            }
            let order = |list: &mut Vec<(Probe, Measure)>| list.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.nodes().cmp(&b.1.nodes())));
            let mut measured = measured;
            order(&mut back);
            order(&mut measured);
            prop_assert_eq!(back.len(), measured.len());
            prop_assert!(back.iter().zip(&measured).all(|(a, b)| a.0 == b.0));
        }

        #[test]
        fn damaged_bodies_are_noticed(at in 0..40usize, flip in 1..=255u8) {
            let probes: Vec<_> = (0..8).map(|index| Probe::Position { set: Set::Tuning, index }).collect();
            let measures = (0..8).map(|i| Measure::Position { solved: i % 2 == 0, first: 1000 * i, stable: 1100 * i, nodes: 5000 * i });
            let outcome = Outcome { task: Task { candidate: vec![], probes: probes.clone() }, measures: measures.collect() };
            let mut bytes = pack(&outcome).remove(0).bytes;
            let at = at % bytes.len();
            bytes[at] ^= flip;
            let whole: Vec<_> = probes.into_iter().zip(outcome.measures).collect();
            prop_assert!(unpack(Kind::Tuning, None, &bytes).is_none_or(|rows| rows == whole));
        }
    }
}
