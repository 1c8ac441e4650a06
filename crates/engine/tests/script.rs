//! Searches of model trees: only their moves exist, and only their scores count.

use std::sync::Arc;

use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::{Game, Position};
use quarterply_engine::profile;
use quarterply_engine::report::SearchOutcome;
use quarterply_engine::rules::Rule;
use quarterply_engine::score::Score;
use quarterply_engine::search::Searcher;
use quarterply_engine::search::watch::{ConsideredMove, EventNode, RuleAction, SearchEvent, Valuation, Watch, Watched};
use quarterply_engine::shakmaty::Move;
use quarterply_engine::table::Table;
use quarterply_engine::tree::{Script, ScriptedPosition};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Up to ten pawns for either side, in steps of half a pawn.
fn score(random: &mut ChaCha8Rng) -> Score {
    Score(random.random_range(-20..=20) * 50)
}

fn position(moves: Vec<(Move, usize)>, value: Score, leaf_value: Score) -> ScriptedPosition {
    ScriptedPosition { moves, value, leaf_value }
}

/// A tree of legal moves with random scores: up to `width` moves at each position, here and there a line that ends early.
fn grow(random: &mut ChaCha8Rng, root: &Position, plies: u16, width: usize) -> Vec<ScriptedPosition> {
    let mut positions = vec![position(Vec::new(), score(random), score(random))];
    let mut open = vec![(0, root.clone(), plies)];
    while let Some((place, here, left)) = open.pop() {
        let early = place > 0 && random.random_range(0..8) == 0;
        let mut moves: Vec<Move> = if left == 0 || early { Vec::new() } else { here.legal_moves().to_vec() };
        while moves.len() > width.min(1 + random.random_range(0..width)) {
            moves.swap_remove(random.random_range(0..moves.len()));
        }
        for mv in moves {
            let next = positions.len();
            positions.push(position(Vec::new(), score(random), score(random)));
            positions[place].moves.push((mv, next));
            open.push((next, here.play(mv), left - 1));
        }
    }
    positions
}

/// The minimax value of the tree.
fn minimax(positions: &[ScriptedPosition], place: usize) -> Score {
    let position = &positions[place];
    position.moves.iter().map(|&(_, next)| -minimax(positions, next)).max().unwrap_or(position.leaf_value)
}

/// Positions after random moves, with random trees of this depth.
fn trees(count: u64, plies: u16, width: usize) -> impl Iterator<Item = (Game, Vec<ScriptedPosition>)> {
    (0..count).filter_map(move |seed| {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut game = Game::new();
        for _ in 0..random.random_range(0..60) {
            let moves = game.position().legal_moves();
            if moves.is_empty() {
                break;
            }
            game.play(moves[random.random_range(0..moves.len())]);
        }
        let positions = grow(&mut random, game.position(), plies, width);
        (!positions[0].moves.is_empty()).then_some((game, positions))
    })
}

fn search(
    parameters: &Parameters,
    game: &Game,
    plies: u16,
    positions: &[ScriptedPosition],
    watch: &mut dyn Watch,
) -> SearchOutcome {
    let table = Arc::new(Table::new(1).expect("one MiB"));
    let script = Some(Script::new(positions.to_vec()));
    let mut searcher = Searcher::watched(parameters.clone(), table, Watched::by(watch), script);
    searcher.search_within(game, &Limits::depth(plies.into()))
}

fn value(parameters: &Parameters, game: &Game, plies: u16, positions: &[ScriptedPosition]) -> Score {
    search(parameters, game, plies, positions, &mut ()).report.score
}

#[test]
fn with_every_rule_off_the_value_is_that_of_the_leaves() {
    let classic = profile::builtin("classic").expect("built in");
    let mut values = std::collections::HashSet::new();
    for plies in 1..=4 {
        for (game, positions) in trees(150, plies, 4) {
            let found = value(&classic, &game, plies, &positions);
            assert_eq!(found, minimax(&positions, 0), "{} at {plies} plies: {positions:?}", game.fen());
            values.insert(found);
        }
    }
    assert!(values.len() > 20, "the trees differ: {values:?}");
}

/// Two orders of the same moves come to one position, which the tree values once as won and once as lost: it has two nodes.
#[test]
fn a_position_that_two_lines_come_to_has_two_values() {
    let game = Game::new();
    let line = |moves: &[&str]| -> Vec<Move> {
        let mut game = game.clone();
        moves.iter().map(|uci| game.play_uci(uci).expect("a legal move")).collect()
    };
    let (one, other) = (line(&["g1f3", "g8f6", "b1c3"]), line(&["b1c3", "g8f6", "g1f3"]));
    let position = |moves, leaf_value| position(moves, Score(0), Score(leaf_value));
    let positions = vec![
        position(vec![(one[0], 1), (other[0], 4)], 0),
        position(vec![(one[1], 2)], 0),
        position(vec![(one[2], 3)], 0),
        position(Vec::new(), 900),
        position(vec![(other[1], 5)], 0),
        position(vec![(other[2], 6)], 0),
        position(Vec::new(), -900),
    ];
    for name in ["classic", "default"] {
        let found = value(&profile::builtin(name).expect("built in"), &game, 3, &positions);
        assert_eq!(found, Score(900), "{name}");
    }
}

/// Follows the tree independently and compares the received events with it.
#[derive(Default)]
struct Follower {
    positions: Vec<ScriptedPosition>,
    /// The places that lead to the node being searched; `None` after a pass.
    line: Vec<Option<usize>>,
    next: Option<Move>,
    same_position: bool,
    nodes: u64,
    acted: std::collections::HashSet<&'static str>,
}

impl Watch for Follower {
    fn event(&mut self, event: SearchEvent<'_>) {
        match event {
            SearchEvent::Searching(_, sub_search) => {
                (self.next, self.same_position) = (sub_search.mv, sub_search.purpose.same_position())
            }
            SearchEvent::Entered(at, _) => self.entered(at),
            SearchEvent::Valued(_, valuation) => self.valued(valuation),
            SearchEvent::Considered(at, considered) => self.considered(at, considered),
            SearchEvent::Ruled(_, rule, verdict) => self.ruled(rule, verdict),
            SearchEvent::Left(_, score) => {
                assert!(!score.is_decisive(), "no tree mates: {score:?}");
                self.line.pop();
                self.same_position = false;
            }
            _ => {}
        }
    }
}

impl Follower {
    fn entered(&mut self, at: EventNode) {
        self.nodes += 1;
        let place = match self.line.last() {
            None => Some(0),
            Some(&here) if self.same_position => here,
            Some(&here) => {
                let steps = here.map(|place| &self.positions[place].moves);
                self.next.map(|mv| {
                    let step = steps.and_then(|steps| steps.iter().find(|&&(step, _)| step == mv));
                    step.unwrap_or_else(|| panic!("{mv:?} is not in the tree, ply {:?}", at.ply)).1
                })
            }
        };
        self.line.push(place);
    }

    fn valued(&mut self, valuation: Valuation) {
        let place = self.line.last().copied().flatten().expect("only positions of the tree are valued");
        if let Some(raw) = valuation.raw {
            assert_eq!(raw, self.positions[place].value);
        }
        assert!(!self.positions[place].moves.is_empty(), "leaves are worth what they are worth");
    }

    fn considered(&mut self, at: EventNode, considered: &ConsideredMove) {
        let place = self.line.last().copied().flatten().expect("after a pass nobody moves");
        let listed = self.positions[place].moves.iter().any(|&(mv, _)| mv == considered.mv);
        assert!(listed, "{:?} is not in the tree, ply {:?}", considered.mv, at.ply);
    }

    fn ruled(&mut self, rule: Rule, verdict: RuleAction) {
        self.acted.insert(rule.name());
        assert!(!matches!(rule, Rule::Draw | Rule::Horizon | Rule::Tablebase));
        let leaf = match self.line.last() {
            Some(&Some(place)) => self.positions[place].moves.is_empty().then_some(self.positions[place].leaf_value),
            _ => {
                let before = self.line.iter().rev().copied().flatten().next().expect("a node before the pass");
                Some(-self.positions[before].value)
            }
        };
        assert_eq!(rule == Rule::Leaf, leaf.is_some());
        if let (Rule::Leaf, RuleAction::Cut(score)) = (rule, verdict) {
            assert_eq!(Some(score), leaf);
        }
    }
}

/// The profiles together switch every rule on; each of them uses the tree's moves, static values and leaves. A search without an
/// observer gives the same result.
#[test]
fn whatever_rules_are_on_the_search_keeps_to_the_tree() {
    let mut acted = std::collections::HashSet::new();
    for name in profile::BUILTIN {
        let parameters = profile::builtin(name).expect("built in");
        for (game, positions) in trees(12, 7, 3) {
            let mut follower = Follower { positions: positions.clone(), ..Follower::default() };
            let watched = search(&parameters, &game, 9, &positions, &mut follower);
            let plain = search(&parameters, &game, 9, &positions, &mut ());
            let result = |outcome: SearchOutcome| (outcome.report.score, outcome.nodes);
            assert_eq!(result(watched), result(plain), "{name} {}", game.fen());
            assert!(follower.nodes > 0 && follower.line.is_empty());
            acted.extend(follower.acted);
        }
    }
    for rule in ["null move", "futility", "late move reduction", "singular", "reverse futility", "table", "model leaf"]
    {
        assert!(acted.contains(rule), "{rule} never acted: {acted:?}");
    }
}

/// The position on the board is a mate or a draw, but the tree has a different value or goes on.
#[test]
fn neither_mate_nor_the_clock_nor_material_count_for_more_than_the_tree() {
    for (fen, mv, name) in [
        ("7k/R7/6K1/8/8/8/8/8 w - - 0 1", "a7a8", "mate"),
        ("7k/8/6K1/8/8/8/R7/8 w - - 99 90", "a2a1", "fifty moves"),
        ("7k/8/6K1/8/8/8/8/n7 w - - 0 1", "g6f5", "bare kings, nearly"),
        ("k7/2Q5/8/1K6/8/8/8/8 w - - 0 1", "b5b6", "stalemate"),
    ] {
        let game = Game::standard(fen).expect(fen);
        let mv = game.parse_uci(mv).expect("legal");
        let leaf = position(Vec::new(), Score(5), Score(-325));
        let positions = vec![position(vec![(mv, 1)], Score(0), Score(0)), leaf];
        for profile in ["classic", "default"] {
            let parameters = profile::builtin(profile).expect("built in");
            assert_eq!(value(&parameters, &game, 3, &positions), Score(325), "{name}, {profile}");
        }
    }
}

/// Moves with equal order keep the order of the tree.
#[test]
fn moves_that_nothing_orders_keep_the_order_of_the_tree() {
    struct Listener(Vec<Move>);
    impl Watch for Listener {
        fn event(&mut self, event: SearchEvent<'_>) {
            if let SearchEvent::Considered(at, considered) = event
                && at.ply.0 == 1
            {
                self.0.push(considered.mv);
            }
        }
    }
    let game = Game::new();
    let first = game.parse_uci("e2e4").expect("legal");
    let after = game.position().play(first);
    for turn in 0..3 {
        let mut replies: Vec<Move> =
            after.legal_moves().into_iter().filter(|mv| mv.role() == quarterply_engine::shakmaty::Role::Pawn).collect();
        replies.rotate_left(turn * 3);
        let position = |moves| position(moves, Score(0), Score(0));
        let steps = replies.iter().enumerate().map(|(at, &mv)| (mv, at + 2)).collect();
        let mut positions = vec![position(vec![(first, 1)]), position(steps)];
        positions.extend(replies.iter().map(|_| position(Vec::new())));
        let parameters = profile::builtin("classic").expect("built in");
        let mut listener = Listener(Vec::new());
        search(&parameters, &game, 2, &positions, &mut listener);
        assert!(listener.0.ends_with(&replies), "{:?}", listener.0);
    }
}
