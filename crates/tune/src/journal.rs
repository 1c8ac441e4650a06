//! The journal of a run: every measurement, as JSON lines that other programs can read (`docs/files.md`).
//!
//! The first line has everything that all measurements depend on. A `candidate` line gives a number to a set of values. A `tuning` or
//! `holdout` line holds the positions that a worker searched with one candidate, a `pairs` line the pairs of games that it played. Each line is
//! written before the run goes on, so a process that is killed loses no more than the tasks it was working on.

use super::error::TuneError;
use super::fault::GameFault;
use super::plan::{self, TuningPlan};
use super::space::{Candidate, Dimension};
use super::units::{CandidateTask, FinishedTask, Measurement, SuiteRole, TaskResults, WorkUnit};
use quarterply_files::journal::{self, Existing, JournalHeader, JournalTerms};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

/// The file in a run's folder. A large one is compressed as `journal.jsonl.zst` when it is not being written.
pub const FILE: &str = "journal.jsonl";
/// The version of the format.
const VERSION: u32 = 1;

/// Two wins.
const HALF_POINTS_MAX: u8 = 4;

const TERMS: JournalTerms = JournalTerms {
    whole: "tuning run",
    line: "measurement",
    again: "what it held is measured again",
    existing: "continue with `quarterply tune resume`",
    writer: "tune",
    elsewhere: "begin a new run",
};

/// The first line: everything that all measurements depend on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuningHeader {
    /// The version of the format.
    tune: u32,
    /// Fingerprint of the search, its limits and its suites.
    identity: String,
    /// The parameters that are tuned, with their bounds.
    parameters: Vec<Dimension>,
}

impl TuningHeader {
    /// The first line of a journal of measurements with this identity.
    pub fn new(identity: &str, parameters: Vec<Dimension>) -> TuningHeader {
        TuningHeader { tune: VERSION, identity: identity.to_owned(), parameters }
    }

    /// The first line of the journal of this run.
    pub fn of(plan: &TuningPlan) -> TuningHeader {
        TuningHeader::new(&plan.identity(), plan.space.dimensions.clone())
    }
}

impl JournalHeader for TuningHeader {
    const TERMS: &'static JournalTerms = &TERMS;
    const PREFIX: &'static [u8] = b"{\"tune\":";

    fn known(&self) -> Result<(), String> {
        if self.tune == VERSION { Ok(()) } else { Err(format!("version {}, not {VERSION}", self.tune)) }
    }

    fn binding(&self) -> Map<String, Value> {
        let parameter = |d: &Dimension| format!("{}: {} to {} by {}, start {}", d.name, d.min, d.max, d.step, d.start);
        let parameters = self.parameters.iter().map(parameter).map(Value::String).collect();
        Map::from_iter([("identity".into(), self.identity.clone().into()), ("bounds".into(), parameters)])
    }

    fn flag(name: &str) -> String {
        format!("{name} of {}", plan::FILE)
    }
}

/// A further line.
#[derive(Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "kebab-case")]
enum TuningLine {
    /// A set of values gets a number.
    Candidate { candidate: u32, values: BTreeMap<String, i32> },
    /// Searches of positions that are tuned on.
    Tuning(Positions),
    /// Searches of positions of the hold-out.
    Holdout(Positions),
    /// Pairs of games.
    Pairs(Pairs),
}

/// Searches of one candidate; each list has one element for each position.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Positions {
    candidate: u32,
    /// Places in the suite, from 0.
    position: Vec<u32>,
    solved: Vec<bool>,
    first: Vec<u64>,
    stable: Vec<u64>,
    nodes: Vec<u64>,
}

/// Pairs of games of one candidate; each list has one element for each pair.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pairs {
    candidate: u32,
    opponent: u32,
    opening: Vec<u32>,
    half_points: Vec<u8>,
    nodes: Vec<u64>,
    /// Games that were lost by faults; they count in `half_points` as what they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    faults: Vec<FaultRow>,
}

/// A fault in a pair of games.
#[derive(Serialize, Deserialize)]
struct FaultRow {
    /// The opening of the pair.
    opening: u32,
    #[serde(flatten)]
    fault: GameFault,
}

/// An open journal.
pub struct Journal {
    /// The file; none if it is only read.
    file: Option<journal::Journal>,
    numbers: HashMap<Candidate, u32>,
    content: Content,
    notes: Vec<String>,
}

/// The content of a journal.
struct Content {
    /// Names of the values of a candidate.
    names: Vec<String>,
    candidates: BTreeMap<u32, Candidate>,
    known: Vec<FinishedTask>,
}

impl Journal {
    /// Opens the journal of a run to resume it. It is made if there is none.
    pub fn open(folder: &Path, header: &TuningHeader) -> Result<Journal, TuneError> {
        let path = folder.join(FILE);
        journal::unpack(&path)?;
        let mut content = Content::of(header);
        let opened = journal::Journal::open_each(&path, Existing::Resume, header, &mut |line| content.take(line))?;
        Ok(Journal::new(content, Some(opened.journal), opened.notes))
    }

    /// Reads the journal of a run, also while another process writes it.
    pub fn open_read_only(folder: &Path, header: &TuningHeader) -> Result<Journal, TuneError> {
        let mut content = Content::of(header);
        journal::read_only(&folder.join(FILE), header, &mut |line| content.take(line))?;
        Ok(Journal::new(content, None, Vec::new()))
    }

    fn new(content: Content, file: Option<journal::Journal>, notes: Vec<String>) -> Journal {
        let numbers = content.candidates.iter().map(|(number, candidate)| (candidate.clone(), *number)).collect();
        Journal { file, numbers, content, notes }
    }

    /// Returns true if the folder has no journal, or an empty one of a process that was killed before its first write.
    pub fn is_missing(folder: &Path) -> bool {
        let path = folder.join(FILE);
        let is_empty = fs::metadata(&path).map_or(true, |data| data.len() == 0);
        is_empty && !journal::packed_path(&path).exists()
    }

    /// Removes and returns what was known when it was opened.
    pub fn take_known(&mut self) -> Vec<FinishedTask> {
        std::mem::take(&mut self.content.known)
    }

    /// Messages for the user.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The names of the values of a candidate, in their order.
    pub fn names(&self) -> &[String] {
        &self.content.names
    }

    /// Adds a finished task.
    pub fn add(&mut self, outcome: &FinishedTask) -> Result<(), TuneError> {
        let candidate = self.number_of(&outcome.task.candidate)?;
        let mut lines: Vec<TuningLine> = Vec::new();
        for (place, (unit, measure)) in outcome.task.units.iter().zip(&outcome.results.measures).enumerate() {
            let opponent = match unit {
                WorkUnit::Pair { opponent, .. } => self.number_of(opponent)?,
                WorkUnit::Position { .. } => 0,
            };
            let faults = outcome.results.faults.iter().filter(|(at, _)| *at == place);
            let faults: Vec<&GameFault> = faults.map(|(_, fault)| fault).collect();
            if !lines.iter_mut().any(|line| line.push(opponent, unit, measure, &faults)) {
                let mut line = TuningLine::empty(candidate, opponent, unit);
                line.push(opponent, unit, measure, &faults);
                lines.push(line);
            }
        }
        lines.iter().try_for_each(|line| self.append(line))
    }

    /// Ends the journal.
    pub fn close(self) -> Result<(), TuneError> {
        self.file.map_or(Ok(()), |file| Ok(file.pack()?))
    }

    /// The number of a candidate, given to it when it is first met.
    fn number_of(&mut self, candidate: &Candidate) -> Result<u32, TuneError> {
        if let Some(number) = self.numbers.get(candidate) {
            return Ok(*number);
        }
        let Content { names, candidates, .. } = &mut self.content;
        let number = candidates.last_key_value().map_or(0, |(last, _)| last + 1);
        candidates.insert(number, candidate.clone());
        let values = names.iter().cloned().zip(candidate.iter().copied()).collect();
        self.append(&TuningLine::Candidate { candidate: number, values })?;
        self.numbers.insert(candidate.clone(), number);
        Ok(number)
    }

    fn append(&mut self, line: &TuningLine) -> Result<(), TuneError> {
        self.file.as_mut().map_or(Ok(()), |file| Ok(file.append(line)?))
    }
}

impl TuningLine {
    /// A line for measurements like this one.
    fn empty(candidate: u32, opponent: u32, unit: &WorkUnit) -> TuningLine {
        let positions = Positions { candidate, ..Positions::default() };
        match unit {
            WorkUnit::Position { set: SuiteRole::Tuning, .. } => TuningLine::Tuning(positions),
            WorkUnit::Position { set: SuiteRole::Holdout, .. } => TuningLine::Holdout(positions),
            WorkUnit::Pair { .. } => TuningLine::Pairs(Pairs { candidate, opponent, ..Pairs::default() }),
        }
    }

    /// Adds a measurement with the faults in its games. Returns false if it belongs into another line.
    fn push(&mut self, against: u32, unit: &WorkUnit, measure: &Measurement, faults: &[&GameFault]) -> bool {
        match (self, unit, *measure) {
            (
                TuningLine::Tuning(row),
                WorkUnit::Position { set: SuiteRole::Tuning, index },
                Measurement::Position { solved, first, stable, nodes },
            )
            | (
                TuningLine::Holdout(row),
                WorkUnit::Position { set: SuiteRole::Holdout, index },
                Measurement::Position { solved, first, stable, nodes },
            ) => {
                row.position.push(*index);
                row.solved.push(solved);
                row.first.push(first);
                row.stable.push(stable);
                row.nodes.push(nodes);
            }
            (TuningLine::Pairs(row), WorkUnit::Pair { opening, .. }, Measurement::Pair { points, nodes })
                if row.opponent == against =>
            {
                row.opening.push(*opening);
                row.half_points.push(points);
                row.nodes.push(nodes);
                let row_of = |fault: &&GameFault| FaultRow { opening: *opening, fault: (*fault).clone() };
                row.faults.extend(faults.iter().map(row_of));
            }
            _ => return false,
        }
        true
    }
}

impl Content {
    fn of(header: &TuningHeader) -> Content {
        let names = header.parameters.iter().map(|dimension| dimension.name.clone()).collect();
        Content { names, candidates: BTreeMap::new(), known: Vec::new() }
    }

    /// Takes the next line; the error is what is wrong with it.
    fn take(&mut self, line: TuningLine) -> Result<(), String> {
        let outcome = match line {
            TuningLine::Candidate { candidate, values } => return self.number(candidate, &values),
            TuningLine::Tuning(row) => self.searches(SuiteRole::Tuning, &row)?,
            TuningLine::Holdout(row) => self.searches(SuiteRole::Holdout, &row)?,
            TuningLine::Pairs(row) => self.games(&row)?,
        };
        self.known.push(outcome);
        Ok(())
    }

    fn number(&mut self, number: u32, values: &BTreeMap<String, i32>) -> Result<(), String> {
        let missing = |name: &String| format!("no value of {name}");
        let value = |name| values.get(name).copied().ok_or_else(|| missing(name));
        let candidate = self.names.iter().map(value).collect::<Result<_, _>>()?;
        if values.len() != self.names.len() {
            return Err(format!("{} values for {} parameters", values.len(), self.names.len()));
        }
        match self.candidates.insert(number, candidate) {
            None => Ok(()),
            Some(_) => Err(format!("there is a candidate {number} already")),
        }
    }

    fn candidate(&self, number: u32) -> Result<Candidate, String> {
        self.candidates.get(&number).cloned().ok_or_else(|| format!("no line before it holds candidate {number}"))
    }

    fn searches(&self, set: SuiteRole, row: &Positions) -> Result<FinishedTask, String> {
        let Positions { candidate, position, solved, first, stable, nodes } = row;
        let count = position.len();
        same_length(count, &[solved.len(), first.len(), stable.len(), nodes.len()])?;
        let units = position.iter().map(|index| WorkUnit::Position { set, index: *index }).collect();
        let measure = |at: usize| Measurement::Position {
            solved: solved[at],
            first: first[at],
            stable: stable[at],
            nodes: nodes[at],
        };
        let task = CandidateTask { candidate: self.candidate(*candidate)?, units };
        let measures = (0..count).map(measure).collect();
        Ok(FinishedTask { task, results: TaskResults { measures, faults: Vec::new() } })
    }

    fn games(&self, row: &Pairs) -> Result<FinishedTask, String> {
        let Pairs { candidate, opponent, opening, half_points, nodes, faults } = row;
        same_length(opening.len(), &[half_points.len(), nodes.len()])?;
        if let Some(points) = half_points.iter().find(|points| **points > HALF_POINTS_MAX) {
            return Err(format!("{points} half points of a pair of games, which has {HALF_POINTS_MAX}"));
        }
        let opponent = self.candidate(*opponent)?;
        let unit = |opening: &u32| WorkUnit::Pair { opponent: opponent.clone(), opening: *opening };
        let task = CandidateTask { candidate: self.candidate(*candidate)?, units: opening.iter().map(unit).collect() };
        let measure = |(points, nodes): (&u8, &u64)| Measurement::Pair { points: *points, nodes: *nodes };
        let place = |fault: &FaultRow| {
            let found = opening.iter().position(|number| *number == fault.opening);
            let missing = || format!("a fault in opening {}, which is not in the line", fault.opening);
            Ok::<_, String>((found.ok_or_else(missing)?, fault.fault.clone()))
        };
        let faults = faults.iter().map(place).collect::<Result<_, _>>()?;
        let measures = half_points.iter().zip(nodes).map(measure).collect();
        Ok(FinishedTask { task, results: TaskResults { measures, faults } })
    }
}

fn same_length(count: usize, others: &[usize]) -> Result<(), String> {
    match others.iter().find(|other| **other != count) {
        None => Ok(()),
        Some(other) => Err(format!("one of its lists has {count} elements and another {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::PairPlayer;
    use proptest::prelude::*;
    use tempfile::TempDir;

    fn header() -> TuningHeader {
        let dimension =
            |name: &str| Dimension { name: name.to_owned(), min: 0, max: 9, step: 1, start: 2, switch: false };
        TuningHeader::new("x", vec![dimension("null_move.base"), dimension("check.quarters")])
    }

    fn results(measures: Vec<Measurement>) -> TaskResults {
        TaskResults { measures, faults: Vec::new() }
    }

    fn any_candidate() -> impl Strategy<Value = Candidate> {
        prop::collection::vec(0..3i32, 2)
    }

    fn any_measured() -> impl Strategy<Value = (WorkUnit, Measurement)> {
        let position = (any::<bool>(), any::<u32>(), any::<bool>(), any::<[u64; 3]>()).prop_map(
            |(holdout, index, solved, [first, stable, nodes])| {
                let set = if holdout { SuiteRole::Holdout } else { SuiteRole::Tuning };
                (WorkUnit::Position { set, index }, Measurement::Position { solved, first, stable, nodes })
            },
        );
        let pair =
            (any::<u32>(), any_candidate(), 0..5u8, any::<u64>()).prop_map(|(opening, opponent, points, nodes)| {
                (WorkUnit::Pair { opponent, opening }, Measurement::Pair { points, nodes })
            });
        prop_oneof![position, pair]
    }

    /// All measurements in the order of their units.
    fn sorted(outcomes: &[FinishedTask]) -> Vec<(Candidate, WorkUnit, u64, String)> {
        let rows = |outcome: &FinishedTask| {
            let FinishedTask { task: CandidateTask { candidate, units }, results } = outcome.clone();
            let row = move |(unit, measure): (WorkUnit, Measurement)| {
                (candidate.clone(), unit, measure.nodes(), format!("{measure:?}"))
            };
            units.into_iter().zip(results.measures).map(row).collect::<Vec<_>>()
        };
        let mut all: Vec<_> = outcomes.iter().flat_map(rows).collect();
        all.sort();
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20))]
        #[test]
        fn written_journals_are_read_back(
            tasks in prop::collection::vec((any_candidate(), prop::collection::vec(any_measured(), 0..12)), 0..5),
        ) {
            let home = TempDir::new().expect("a folder");
            let outcome = |(candidate, measured): (Candidate, Vec<(WorkUnit, Measurement)>)| {
                let (units, measures) = measured.into_iter().unzip();
                FinishedTask { task: CandidateTask { candidate, units }, results: results(measures) }
            };
            let outcomes: Vec<FinishedTask> = tasks.into_iter().map(outcome).collect();
            let (first, second) = outcomes.split_at(outcomes.len() / 2);
            for part in [first, second] {
                let mut journal = Journal::open(home.path(), &header()).expect("a journal");
                part.iter().for_each(|outcome| journal.add(outcome).expect("written"));
            }
            let known = Journal::open_read_only(home.path(), &header()).expect("a journal").take_known();
            prop_assert_eq!(sorted(&known), sorted(&outcomes));
        }
    }

    const WRITTEN: &str = concat!(
        r#"{"tune":1,"identity":"x","parameters":[{"name":"null_move.base","min":0,"max":9,"step":1,"start":2},"#,
        r#"{"name":"check.quarters","min":0,"max":9,"step":1,"start":2}]}"#,
        "\n",
        r#"{"record":"candidate","candidate":0,"values":{"check.quarters":7,"null_move.base":3}}"#,
        "\n",
        r#"{"record":"candidate","candidate":1,"values":{"check.quarters":2,"null_move.base":2}}"#,
        "\n",
        r#"{"record":"tuning","candidate":0,"position":[4,9],"solved":[true,false],"first":[50,400],"stable":[60,400],"nodes":[70,400]}"#,
        "\n",
        r#"{"record":"pairs","candidate":0,"opponent":1,"opening":[11],"half_points":[3],"nodes":[9000]}"#,
        "\n",
    );

    #[test]
    fn lines_can_be_read_by_people() {
        let home = TempDir::new().expect("a folder");
        let mut journal = Journal::open(home.path(), &header()).expect("a journal");
        let position = |index| WorkUnit::Position { set: SuiteRole::Tuning, index };
        let units = vec![position(4), position(9), WorkUnit::Pair { opponent: vec![2, 2], opening: 11 }];
        let measures = vec![
            Measurement::Position { solved: true, first: 50, stable: 60, nodes: 70 },
            Measurement::Position { solved: false, first: 400, stable: 400, nodes: 400 },
            Measurement::Pair { points: 3, nodes: 9000 },
        ];
        let task = CandidateTask { candidate: vec![3, 7], units };
        journal.add(&FinishedTask { task, results: results(measures) }).expect("written");
        assert_eq!(fs::read_to_string(home.path().join(FILE)).expect("a journal"), WRITTEN);
    }

    #[test]
    fn faults_are_kept_with_their_games() {
        let home = TempDir::new().expect("a folder");
        let mut journal = Journal::open(home.path(), &header()).expect("a journal");
        let pair = |opponent, opening| WorkUnit::Pair { opponent, opening };
        let units = vec![pair(vec![2, 2], 11), pair(vec![1, 1], 11), pair(vec![2, 2], 12)];
        let fault = |by, kind: &str| GameFault { by, kind: kind.into(), what: "why".into(), position: "FEN".into() };
        let faults = vec![
            (1, fault(PairPlayer::Opponent, "time-loss")),
            (2, fault(PairPlayer::Candidate, "crash")),
            (2, fault(PairPlayer::Candidate, "illegal-move")),
        ];
        let measures = vec![Measurement::Pair { points: 0, nodes: 5 }; 3];
        let task = CandidateTask { candidate: vec![3, 7], units };
        let outcome = FinishedTask { task, results: TaskResults { measures, faults } };
        journal.add(&outcome).expect("written");
        let known = Journal::open_read_only(home.path(), &header()).expect("a journal").take_known();
        let found: Vec<_> = known.iter().flat_map(FinishedTask::faults).collect();
        let mut expected: Vec<_> = outcome.faults().collect();
        expected.sort_by_key(|report| report.opponent == vec![1, 1]);
        assert_eq!(found, expected);
        assert_eq!(found.iter().map(|report| report.opening).collect::<Vec<_>>(), [12, 12, 11]);
    }

    #[test]
    fn inconsistent_lines_are_refused_with_their_number() {
        for (from, to, needle) in [
            ("\"candidate\":1,", "\"candidate\":0,", ":3: `{\"record\":\"candidate\""),
            ("\"candidate\":1,", "\"candidate\":0,", "there is a candidate 0 already"),
            ("\"opponent\":1", "\"opponent\":2", "no line before it holds candidate 2"),
            ("\"check.quarters\":7,", "", "no value of check.quarters"),
            ("\"check.quarters\":7,", "\"check.quarters\":7,\"x.y\":1,", "3 values for 2 parameters"),
            ("[60,400]", "[60]", "one of its lists has 2 elements and another 1"),
            (
                "[9000]",
                r#"[9000],"faults":[{"opening":4,"by":"candidate","kind":"crash","what":"","position":""}]"#,
                "a fault in opening 4, which is not in the line",
            ),
            ("\"half_points\":[3]", "\"half_points\":[5]", "5 half points of a pair of games, which has 4"),
            ("[9000]", "[]", "one of its lists has 1 elements and another 0"),
            ("\"first\"", "\"fist\"", "unknown field `fist`"),
            ("\"tune\":1", "\"tune\":2", "version 2, not 1"),
        ] {
            let home = TempDir::new().expect("a folder");
            let text = WRITTEN.replace(from, to);
            fs::write(home.path().join(FILE), &text).expect("written");
            for journal in [Journal::open_read_only(home.path(), &header()), Journal::open(home.path(), &header())] {
                let message = journal.map(drop).expect_err(to).to_string();
                assert!(message.contains(needle), "{needle}: {message}");
            }
            assert_eq!(fs::read_to_string(home.path().join(FILE)).expect("a journal"), text);
        }
    }
}
