//! A recorded search is the same search, and its trace can be trusted.

mod common;

use common::{README, START, depth, game, nodes, view};
use proptest::prelude::*;
use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::{Game, Position};
use quarterply_engine::profile;
use quarterply_engine::rules::Rule;
use quarterply_engine::score::Depth;
use quarterply_engine::search::Searcher;
use quarterply_engine::search::pool::{Control, TABLE_DEFAULT};
use quarterply_engine::shakmaty::CastlingMode;
use quarterply_engine::table::Table;
use quarterply_window::bets::{self, BetKind, LostBet};
use quarterply_window::diff::common_roots;
use quarterply_window::last_iteration::LastIteration;
use quarterply_window::move_sources::MoveSources;
use quarterply_window::show::position_of;
use quarterply_window::trace::record::{self, RecordSetup, Recording};
use quarterply_window::trace::{
    Decision, IterationInfo, MoveCode, MoveOutcome, MoveRecord, NodeRecord, NodeStep, PartialTraces, Trace, TraceError,
    TraceSummary, assemble,
};
use quarterply_window::{View, moves};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

const POSITIONS: [&str; 4] = [
    START,
    "r2q1rk1/1b2bppp/p1n1pn2/1pp5/3P4/P1N1PN2/1PQ1BPPP/R1B2RK1 w - - 0 11",
    "8/5k2/3p2p1/p2Pp2p/P3P2P/4K1P1/8/8 b - - 0 40",
    "2r3k1/5ppp/p3q3/1p1b4/3Q4/P3P3/1P3PPP/2R3K1 b - - 0 25",
];

fn record(fen: &str, parameters: &Parameters, limits: &Limits, filter: &str) -> Recording<Vec<u8>> {
    let game = game(fen);
    common::record(&game, parameters, limits, common::filter(filter, &game))
}

fn trace(fen: &str, limits: &Limits, filter: &str) -> Trace {
    Trace::from_bytes(record(fen, &Parameters::default(), limits, filter).out).expect("a whole trace")
}

fn all(trace: &Trace) -> Vec<NodeRecord> {
    (0..trace.len()).map(|id| trace.node(id).expect("a node")).collect()
}

#[test]
fn a_recorded_search_is_the_same_search() {
    for name in profile::BUILTIN {
        let parameters = profile::builtin(name).expect(name);
        for fen in POSITIONS {
            let limits = nodes(20_000);
            let table = Arc::new(Table::new(TABLE_DEFAULT).expect("memory"));
            let mut searcher = Searcher::new(parameters.clone(), table);
            let control = Control::default();
            // A confirmed mate ends a recording, so it ends this search too.
            let mut finished = LastIteration::default();
            let plain = searcher.search_alone(&game(fen), &limits, &control, &mut |event| finished.listen(event));
            for filter in ["", "plies=2", "nodes=50", "quiescence=no"] {
                let recorded = record(fen, &parameters, &limits, filter).outcome;
                let same = (recorded.nodes, &recorded.best, &recorded.report.line, recorded.report.score)
                    == (plain.nodes, &plain.best, &plain.report.line, plain.report.score);
                assert!(same, "{name} {fen} {filter}");
            }
        }
    }
}

#[test]
fn iterations_of_a_consultation_are_those_of_its_voters() {
    let mut parameters = Parameters::default();
    (parameters.consultation.on, parameters.consultation.after) = (true, 0);
    for fen in &POSITIONS[..3] {
        // the last has a mate, which ends a recording
        let recording = record(fen, &parameters, &Limits::depth(7), "plies=2");
        let trace = Trace::from_bytes(recording.out).expect("a whole trace");
        let summary = trace.summary();
        let depths = |voter: u32| {
            let finished = summary.iterations.iter().filter(|i| i.voter == voter && i.score.is_some());
            finished.map(|i| Depth(i.depth).whole()).max().unwrap_or(0)
        };
        assert_eq!([depths(0), depths(1), depths(2)], [7, 7, 0], "{fen}");
        let root = trace.node(trace.last_root().expect("recorded")).expect("a root");
        assert_eq!(root.score.map(|score| score.0), Some(recording.outcome.report.score.0), "{fen}");
        let ([compared, _], _) = common_roots([&trace, &trace]).expect("finished iterations");
        let compared = trace.node(compared).expect("a root");
        assert_eq!(compared.score.map(|score| score.0), Some(summary.score), "{fen}: the voter of the answer");
        let view = View::of_trace(&trace, 1000).expect("whole");
        let text = view.strings.join("\n");
        assert!(text.contains("depth 4, voter 2") && !text.contains("voter 3"), "{fen}");
    }
}

/// Every node: subtree sizes, node counts, plies, the path to it, legal moves, breakdowns.
#[test]
fn the_parts_of_a_trace_fit_together() {
    for fen in POSITIONS {
        let trace = trace(fen, &nodes(15_000), "");
        let summary = trace.summary();
        let counted: u64 = summary.iterations.iter().map(|iteration| iteration.nodes).sum();
        assert!(counted <= summary.nodes && counted + 2 >= summary.nodes, "{fen}: {counted} of {}", summary.nodes);
        assert_eq!(summary.unrecorded, 0, "{fen}");
        let sizes: u64 = trace.roots().map(|root| trace.node(root).expect("a root").size).sum();
        assert_eq!(sizes, trace.len(), "{fen}");
        for node in all(&trace) {
            check_node(&trace, &node, fen);
        }
    }
}

fn check_node(trace: &Trace, node: &NodeRecord, fen: &str) {
    let mut below = 1;
    let mut counted = 0;
    for (mv, search) in node.searches() {
        let child = trace.node(search.child.expect("everything was recorded")).expect("a child");
        assert_eq!((child.size, child.nodes), (search.size, search.nodes), "{fen}: {node:?}");
        assert_eq!(child.ply, node.ply + u16::from(!search.purpose.same_position()), "{fen}: {node:?}");
        assert_eq!((child.purpose, child.mv), (Some(search.purpose), mv), "{fen}: {node:?}");
        let value = child.score.map(|score| if search.purpose.same_position() { score } else { -score });
        assert_eq!(value, search.score, "{fen}: {node:?}");
        below += child.size;
        counted += child.nodes;
    }
    assert_eq!(below, node.size, "{fen}: {node:?}");
    assert!(counted <= node.nodes, "{fen}: {node:?}");
    for mv in node.moves().filter_map(|mv| mv.searched()) {
        assert!(mv.adds_up(), "{fen}: {mv:?}");
    }
    if let Some(origin) = node.table.and_then(|entry| entry.origin).and_then(|origin| origin.node) {
        assert!(trace.node(origin).expect("an origin").stored, "{fen}: {node:?}");
    }
}

/// `classic_singular` searches the other moves of a node after a move of it, and then perhaps the move again.
#[test]
fn a_move_may_be_decided_after_a_separate_search_of_a_rule() {
    let (fen, mut parameters) = (POSITIONS[0], Parameters::default());
    parameters.set("classic_singular.on", 1).expect("a switch");
    let trace = Trace::from_bytes(record(fen, &parameters, &nodes(5_000), "").out).expect("a whole trace");
    let mut between = 0;
    for node in all(&trace) {
        check_node(&trace, &node, fen);
        assert_eq!(trace.path(node.id).expect("a path").last(), Some(&node));
        let follows = |pair: &&[NodeStep]| matches!(pair, [NodeStep::Move(_), NodeStep::Probe { .. }]);
        between += node.steps.windows(2).filter(follows).count();
    }
    assert!(between > 0, "no rule searched between two events of a move");
    assert_eq!(view(&trace).about.nodes, trace.summary().nodes);
}

#[test]
fn paths_lead_to_their_nodes_by_legal_moves() {
    let fen = POSITIONS[1];
    let trace = trace(fen, &nodes(8_000), "");
    for id in (0..trace.len()).step_by(7) {
        let path = trace.path(id).expect("a path");
        assert_eq!(path.last().map(|node| node.id), Some(id));
        let mut position = trace.game().expect("a game").position().clone();
        for node in path {
            position = position_of(&node, &position).expect("legal");
            assert_eq!(position.in_check(), node.in_check, "node {id}");
            assert!(node.moves().all(|mv| mv.mv.in_position(&position).is_some()), "node {id}");
        }
    }
}

#[test]
fn nodes_left_out_by_filters_are_counted() {
    let fen = POSITIONS[1];
    let limits = nodes(12_000);
    let whole = trace(fen, &limits, "");
    let all_nodes = whole.len();
    let key = {
        let mut game = game(fen);
        game.play_line(["d4c5", "e7c5"]).expect("legal");
        game.position().key()
    };
    for filter in [
        "plies=1",
        "plies=3",
        "nodes=100",
        "quiescence=no",
        "sample=4",
        "iteration=2..4",
        "line=d4c5 e7c5",
        "line=d4c5,plies=4",
        &format!("key={key:x}"),
    ] {
        let part = trace(fen, &limits, filter);
        assert!(!part.is_empty() && part.len() < all_nodes, "{filter}: {}", part.len());
        assert_eq!(part.len() + part.summary().unrecorded, all_nodes, "{filter}");
        for node in all(&part) {
            let counted: u64 = node.searches().map(|(_, search)| search.unrecorded).sum();
            assert_eq!(counted, node.unrecorded, "{filter}: {node:?}");
        }
    }
    let line = trace(fen, &limits, "line=d4c5 e7c5");
    let deepest = all(&line).into_iter().map(|node| node.ply).max();
    assert!(deepest > Some(4), "what follows the line is recorded");
    let limited = trace(fen, &limits, "nodes=100");
    assert!((100..140).contains(&limited.len()), "{}", limited.len());
}

/// A node that was never left has its entry depth, and the changes by rules up to then are recorded as a step.
#[test]
fn nodes_of_a_stopped_search_have_a_depth() {
    let trace = trace(POSITIONS[1], &nodes(7_001), "");
    let stopped: Vec<NodeRecord> = all(&trace).into_iter().filter(|node| node.score.is_none()).collect();
    assert!(stopped.len() > 2 && stopped.iter().any(|node| node.depth > Depth::ZERO), "{stopped:?}");
    for node in stopped {
        assert_eq!(node.depth_out, node.depth, "{node:?}");
    }
}

/// A recording and its parts, each completed by its end.
fn parts(setup: &RecordSetup<'_>) -> (Trace, Vec<Trace>) {
    let sent = Arc::new(Mutex::new((Vec::new(), Vec::new())));
    let kept = sent.clone();
    let parts = PartialTraces::new(Duration::ZERO, move |fresh, end| {
        let (bytes, parts) = &mut *kept.lock().expect("no panic");
        bytes.extend_from_slice(fresh);
        parts.push([bytes.as_slice(), end].concat());
    });
    let whole = record::in_memory(setup, None, &Control::default(), Some(parts)).expect("memory");
    let (_, parts) = std::mem::take(&mut *sent.lock().expect("no panic"));
    (whole, parts.into_iter().map(|part| Trace::from_bytes(part).expect("a whole trace")).collect())
}

/// The parts sent by a search that is killed form the trace of a search that was stopped there.
#[test]
fn every_part_of_a_recording_is_a_trace() {
    for (fen, filter) in POSITIONS.into_iter().zip(["", "quiescence=no", "plies=12"]) {
        let (game, parameters, limits) = (game(fen), Parameters::default(), nodes(20_000));
        let (game, parameters, limits) = (&game, &parameters, &limits);
        let kept = common::filter(filter, game);
        let setup = RecordSetup { game, parameters, profile: "default", limits, hash: TABLE_DEFAULT, filter: kept };
        let (whole, parts) = parts(&setup);
        assert_eq!(whole.bytes().expect("memory"), record(fen, parameters, limits, filter).out, "{fen}");
        assert!(parts.len() > 3, "{fen}: {} parts", parts.len());
        let depths: Vec<u32> = parts.iter().map(|part| part.summary().depth).collect();
        assert!(depths.is_sorted() && depths[0] < whole.summary().depth, "{fen}: {depths:?}");
        for part in &parts {
            check_part(part, &whole, fen);
        }
    }
}

fn check_part(part: &Trace, whole: &Trace, fen: &str) {
    let (summary, nodes) = (part.summary(), all(part));
    for node in nodes.iter().filter(|_| part.header().filter.is_empty()) {
        check_node(part, node, fen);
    }
    let counted: u64 = summary.iterations.iter().map(|iteration| iteration.nodes).sum();
    assert_eq!(counted, summary.nodes, "{fen}");
    let finished = nodes.iter().take_while(|node| node.score.is_some());
    let same = finished.filter(|node| whole.node(node.id).is_ok_and(|other| other == **node)).count();
    let open = nodes.len() - same;
    assert!(open < 100 && nodes[same..].iter().all(|node| node.score.is_none()), "{fen}: {open} open nodes");
    let is_it = |info: &IterationInfo| info.is_exact() && info.score == Some(summary.score);
    let deepest = summary.iterations.iter().filter(|info| is_it(info)).map(|info| Depth(info.depth).whole()).max();
    assert_eq!(deepest.unwrap_or(0), summary.depth as i32, "{fen}");
    assert_eq!(summary.line.is_empty(), summary.depth == 0, "{fen}");
    let view = View::of_trace(part, usize::MAX).expect("whole");
    assert_eq!(view.about.nodes, summary.nodes, "{fen}");
}

#[test]
fn rules_report_their_numbers() {
    let trace = trace(POSITIONS[1], &nodes(40_000), "");
    let mut reporting = std::collections::BTreeSet::new();
    for node in all(&trace) {
        for by in node.reasons() {
            assert!(by.numbers.len() <= trace.labels(by.rule).len(), "{by:?}");
            assert!(!by.numbers.is_empty() || quiet_rule(by.rule.name()), "{by:?}");
            reporting.insert(by.rule.name());
        }
    }
    for rule in [
        "table",
        "reverse futility",
        "null move",
        "futility",
        "late move reduction",
        "stand pat",
        "delta",
        "see pruning",
    ] {
        assert!(reporting.contains(rule), "{rule} reported nothing, only {reporting:?}");
    }
}

/// Rules that give no numbers.
fn quiet_rule(name: &str) -> bool {
    matches!(
        name,
        "draw" | "horizon" | "check" | "one reply" | "recapture" | "passed pawn" | "mate threat" | "singular"
    )
}

fn sample() -> &'static [u8] {
    static SAMPLE: OnceLock<Vec<u8>> = OnceLock::new();
    SAMPLE.get_or_init(|| record(POSITIONS[2], &Parameters::default(), &nodes(1_000), "").out)
}

/// Reads everything there is; errors are fine, panics are not.
fn read_all(bytes: &[u8]) -> Result<u64, TraceError> {
    let trace = Trace::from_bytes(bytes.to_vec())?;
    for id in 0..trace.len().min(10_000) {
        trace.node(id)?;
        trace.path(id)?;
    }
    trace.game()?;
    Ok(trace.len())
}

#[test]
fn damaged_files_are_refused_with_the_reason() {
    let whole = sample();
    assert!(read_all(whole).is_ok());
    let newer = {
        let mut bytes = whole.to_vec();
        bytes[8] = 99;
        bytes
    };
    for (name, bytes, expected) in [
        ("empty", &[][..], "not a trace"),
        ("text", b"hello, world, this is not a trace", "not a trace (it begins with \"hello, w\")"),
        ("newer", &newer, "trace version 99, this program reads version 2"),
        ("three bytes", &whole[..3], "ends too early"),
        ("header only", &whole[..200], "ends too early"),
        ("half", &whole[..whole.len() / 2], "ends too early"),
        ("one byte short", &whole[..whole.len() - 1], "ends too early"),
    ] {
        let error = read_all(bytes).expect_err(name).to_string();
        assert!(error.contains(expected), "{name}: {error}");
    }
    let missing = Trace::open(std::path::Path::new("no-such.trace")).err().expect("no file").to_string();
    assert!(missing.contains("no-such.trace"), "{missing}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_flipped_byte_is_noticed_or_harmless(place in any::<prop::sample::Index>(), flip in 1u8..) {
        let mut bytes = sample().to_vec();
        let at = place.index(bytes.len());
        bytes[at] ^= flip;
        // A few bits of a zstd frame are unused or padding: then the contents are the same.
        if read_all(&bytes).is_ok() {
            prop_assert!(plain_frames(&bytes) == plain_frames(sample()), "byte {} of {}", at, bytes.len());
        }
    }

    #[test]
    fn any_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..300), whole in any::<bool>()) {
        let mut file = if whole { sample()[..12].to_vec() } else { Vec::new() };
        file.extend(bytes);
        prop_assert!(read_all(&file).is_err());
    }

    /// Whole frames with wrong contents: the checksums fit, so the numbers themselves have to be checked.
    #[test]
    fn damaged_frames_are_no_panic(
        frame in 0usize..3,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut frames = plain_frames(sample());
        for (place, byte) in changes {
            let at = place.index(frames[frame].len());
            frames[frame][at] = byte;
        }
        if let Some(cut) = cut {
            let length = cut.index(frames[frame].len());
            frames[frame].truncate(length);
        }
        let slices: Vec<&[u8]> = frames.iter().map(Vec::as_slice).collect();
        let _ = read_all(&assemble(&slices));
    }
}

/// The frames of a trace of one block, decompressed.
fn plain_frames(file: &[u8]) -> Vec<Vec<u8>> {
    let mut frames = Vec::new();
    let mut at = 12;
    while at + 16 < file.len() {
        let length = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().expect("four bytes")) as usize;
        let (packed, plain) = (length(at), length(at + 4));
        frames.push(zstd::bulk::decompress(&file[at + 8..at + 8 + packed], plain).expect("a frame"));
        at += 8 + packed;
    }
    frames
}

#[test]
fn a_trace_is_made_of_its_frames() {
    let frames = plain_frames(sample());
    assert_eq!(frames.len(), 3, "the sample has one block");
    let slices: Vec<&[u8]> = frames.iter().map(Vec::as_slice).collect();
    assert_eq!(assemble(&slices), sample());
}

/// A view has a place for each recorded node, so their number must be possible.
#[test]
fn more_nodes_than_the_blocks_can_hold_are_refused() {
    let mut frames = plain_frames(sample());
    let (summary, blocks): (TraceSummary, Vec<(u64, u64)>) = postcard::from_bytes(&frames[2]).expect("an index");
    let summary = TraceSummary { recorded: u64::MAX, ..summary };
    frames[2] = postcard::to_stdvec(&(summary, blocks)).expect("a form");
    let slices: Vec<&[u8]> = frames.iter().map(Vec::as_slice).collect();
    let error = read_all(&assemble(&slices)).expect_err("too many nodes").to_string();
    assert!(error.contains("damaged at the index: its parts do not fit together"), "{error}");
}

/// The counts of rules include nodes that the page does not show.
#[test]
fn a_page_that_is_cut_counts_the_whole_search() {
    let trace = trace(POSITIONS[1], &nodes(8_000), "");
    let whole = view(&trace).about;
    let cut = View::of_trace(&trace, 500).expect("a good trace").about;
    assert_eq!((whole.cut, whole.unrecorded, cut.unrecorded), (0, 0, 0));
    assert!(cut.cut > 5_000 && cut.rows < whole.rows / 2, "{} of {}", cut.cut, trace.len());
    assert_eq!(whole.rules, cut.rules);
    assert!(whole.rules.iter().any(|rule| rule.count > 100));
}

/// Value and line of a page are those of the last finished iteration, also where the next one was stopped after it had found another
/// value: that is a remark.
#[test]
fn a_value_of_an_unfinished_iteration_is_a_remark() {
    let mut unfinished = 0;
    for count in (2_000..8_000).step_by(500) {
        let trace = trace(README, &nodes(count), "");
        let (view, summary) = (view(&trace), trace.summary());
        let finished = summary.iterations.iter().rfind(|info| info.line == 0 && info.is_exact()).expect("an iteration");
        assert_eq!((Some(view.about.value), view.about.bound), (finished.score, 0), "{count} nodes");
        assert_eq!(view.rows[0].value.map(i32::from), finished.score, "{count} nodes");
        let root = trace.node(finished.root.expect("recorded")).expect("a good trace");
        let game = trace.game().expect("a game");
        let best = root.best().and_then(|best| best.mv.in_position(game.position()));
        let first = view.about.line.split(' ').next().and_then(|text| moves::read(game.position(), text));
        let is_reported = view.about.remarks.iter().any(|remark| remark.contains(" was not finished: so far "));
        assert!(!is_reported || first == best, "{count} nodes: {}", view.about.line);
        assert_eq!(is_reported, finished.score != Some(summary.score), "{count} nodes: {:?}", view.about.remarks);
        unfinished += usize::from(is_reported);
    }
    assert!(unfinished > 0, "some of these limits stop a search after it left a window");
}

/// Every lost bet is looked up in the trace: the rule decided there, and the later node has the other value.
#[test]
fn lost_bets_were_placed_and_lost() {
    let mut kinds = std::collections::BTreeSet::new();
    for fen in POSITIONS {
        let trace = trace(fen, &nodes(15_000), "");
        let found = bets::find(&trace).expect("a good trace");
        let lost: u64 = found.sums.values().map(|sum| sum.lost).sum();
        assert_eq!(lost, found.lost.len() as u64, "{fen}");
        assert!(found.lost.is_sorted_by_key(|bet| std::cmp::Reverse(bet.cost)), "{fen}");
        for bet in &found.lost {
            check_bet(&trace, bet);
            kinds.insert(bet.kind.name());
        }
    }
    assert!(kinds.len() > 1, "{kinds:?}");
}

fn position_at(trace: &Trace, id: u64) -> Position {
    let root = trace.game().expect("a game").position().clone();
    let path = trace.path(id).expect("a path");
    path.iter().fold(root, |position, node| position_of(node, &position).expect("legal"))
}

fn check_bet(trace: &Trace, bet: &LostBet) {
    let [placed, lost] = bet.nodes.map(|id| (trace.node(id).expect("a node"), position_at(trace, id)));
    assert_eq!(placed.1.key(), lost.1.key(), "{bet:?}");
    assert_eq!(lost.1.fen(), bet.fen);
    assert!(bet.cost > 0, "{bet:?}");
    let same = bet.mv.as_ref().and_then(|mv| moves::read(&lost.1, mv)).map(MoveCode::of);
    let before = placed.0.moves().find(|record| Some(record.mv) == same);
    let by = match (bet.kind, before.map(|record| &record.outcome)) {
        (BetKind::Ended, _) => placed.0.ended.clone(),
        (BetKind::Skipped, Some(MoveOutcome::Skipped { by, .. })) => Some(by.clone()),
        // It went with another: whichever rule skips the rest of a node's moves.
        (BetKind::Skipped, None) => Some(bet.by.clone()),
        (BetKind::Reduced, Some(MoveOutcome::Searched(searched))) if searched.tries.len() == 1 => {
            searched.breakdown.iter().map(|line| line.by.clone()).find(|by| *by == bet.by)
        }
        other => panic!("{bet:?}: {other:?}"),
    };
    assert_eq!(by.as_ref(), Some(&bet.by), "{bet:?}");
    let value = match bet.kind {
        BetKind::Ended => lost.0.score,
        _ => lost
            .0
            .moves()
            .find(|record| Some(record.mv) == same)
            .and_then(|record| record.searched()?.value)
            .map(|value| value.score),
    };
    assert_eq!(value, Some(bet.values[1]), "{bet:?}");
}

/// Every node of the main search that a move decided counts once, for the source of that move; the page has the same figures.
#[test]
fn places_count_the_moves_that_decided() {
    let trace = trace(POSITIONS[1], &nodes(8_000), "");
    let places = MoveSources::of(&trace).expect("a good trace");
    let decided = all(&trace).iter().filter(|node| !node.is_quiescence() && node.best().is_some()).count();
    assert_eq!(places.decided(), decided as u64);
    let tallies = places.tallies();
    let named = |name: &str| tallies.iter().find(|tally| tally.source == name).expect(name);
    let table = named("table move");
    assert_eq!((table.first, table.places), (table.decided(), table.decided()), "it is always searched first");
    assert!(
        named("killer or countermove").cutoffs > 0
            && named("quiet by history").first < named("quiet by history").decided()
    );
    assert_eq!(tallies.last().map(|all| (all.source, all.decided())), Some(("all", decided as u64)));
    for most in [usize::MAX, 100] {
        let view = View::of_trace(&trace, most).expect("a good trace");
        assert_eq!(view.about.places, tallies, "whatever part of it is shown");
    }
}

/// A recording ends at the event of its filter, which is the last recorded one.
#[test]
fn a_recording_ends_at_an_event() {
    let whole = trace(POSITIONS[1], &nodes(8_000), "");
    let key = position_at(&whole, whole.len() / 2).key();
    for filter in [
        "until=alpha".to_owned(),
        "until=alpha@2..3".to_owned(),
        "until=null_move".to_owned(),
        format!("until={key:#x}"),
        "until=b5b4".to_owned(),
    ] {
        // Where alpha rises twice at the root.
        let position = if filter == "until=alpha" { POSITIONS[0] } else { POSITIONS[1] };
        let recording = record(position, &Parameters::default(), &nodes(8_000), &filter);
        let trace = Trace::from_bytes(recording.out).expect("a whole trace");
        let most = crate::trace(position, &nodes(8_000), "").len();
        assert!(trace.len() > 1 && trace.len() < most, "{filter}: {} of {most}", trace.len());
        let nodes = all(&trace);
        let last = nodes.iter().max_by_key(|node| (node.iteration, node.id)).expect("nodes");
        let is_at_event = match filter.as_str() {
            "until=alpha" => {
                last.ply == 0 && last.moves().filter(|mv| mv.decision() == Some(Decision::Best)).count() > 1
            }
            "until=alpha@2..3" => {
                let rises = |node: &&NodeRecord| {
                    let better = |mv: &&MoveRecord| matches!(mv.decision(), Some(Decision::Best | Decision::Cutoff));
                    !node.is_quiescence() && node.moves().filter(better).count() > 1
                };
                let plies: Vec<u16> = nodes.iter().filter(rises).map(|node| node.ply).filter(|ply| *ply > 0).collect();
                plies.iter().filter(|ply| (2..=3).contains(*ply)).count() == 1
            }
            "until=null_move" => {
                nodes.iter().flat_map(|node| &node.ended).filter(|by| by.rule == Rule::NullMove).count() == 1
            }
            "until=b5b4" => nodes.iter().all(|node| node.mv.is_none_or(|mv| mv.uci(false) != "b5b4")),
            _ => nodes.iter().filter(|node| position_at(&trace, node.id).key() == key).count() == 1,
        };
        assert!(is_at_event, "{filter}: {last:?}");
    }
}

/// An event in an iteration before the recorded ones does not end the search.
#[test]
fn an_event_of_an_iteration_that_is_not_recorded_ends_nothing() {
    let trace = trace(START, &depth(5), "iteration=4,until=g1f3");
    let depths: Vec<i32> = trace.summary().iterations.iter().map(|info| Depth(info.depth).whole()).collect();
    assert!(trace.roots().count() > 0 && depths.last() == Some(&4), "{depths:?}");
}

/// In Chess960 castling is written as the king taking its rook.
#[test]
fn castling_of_chess960_ends_a_recording() {
    let game = Game::from_fen("4k3/8/8/8/8/8/5PPP/5K1R w K - 0 1", CastlingMode::Chess960).expect("a position");
    let [whole, part] = ["", "until=f1h1"].map(|text| {
        common::record(&game, &Parameters::default(), &depth(4), common::filter(text, &game)).summary.recorded
    });
    assert!(part < whole, "{part} of {whole} nodes");
}
