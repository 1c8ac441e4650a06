//! The chances of the moves of a node and their features, the same for the search and for the fit.

use super::Searcher;
use super::watch::Mode;
use crate::budget::Budget;
use crate::chance::Chances;
use crate::clock::Limits;
use crate::history::{MoveIndex, PieceTo};
use crate::node::{Node, NodeType, Place};
use crate::ordering::{PickedMove, QuietFacts, Stage, stage_of};
use crate::position::{CheckInfo, Game, Position, is_quiet, pack};
use crate::rules::realization::features::{EarlierSearch, FeatureContext, MoveFacts};
use crate::rules::realization::{self, FeatureVector};
use crate::rules::search::Search as _;
use crate::rules::sex::{self, Category};
use crate::score::{Depth, Ply, Score, Window};
use crate::see;
use shakmaty::{Move, MoveList, Position as _};

/// A legal move with its features.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveFeatures {
    /// The move.
    pub mv: Move,
    /// Its features.
    pub features: FeatureVector,
}

/// The moves of a position two plies from a root, as training data.
#[derive(Clone, Debug)]
pub struct PositionFeatures {
    /// Each legal move with its features.
    pub moves: Vec<MoveFeatures>,
    /// The kind of each move.
    pub kinds: Vec<Category>,
}

/// The gain of the side to move by its best capture (pawns/100) by static exchange, rounded down to one of these levels.
fn threatened(position: &Position) -> i32 {
    const LEVELS: [i32; 5] = [0, 90, 290, 450, 850];
    let mut captures: Vec<Move> = position.chess().capture_moves().into_iter().collect();
    captures.sort_unstable_by_key(|mv| std::cmp::Reverse(see::gain(*mv)));
    let mut level = 0;
    for mv in captures {
        while let Some(&next) = LEVELS.get(level + 1)
            && see::gain(mv) >= next
            && position.see_ge(mv, Score(next))
        {
            level += 1;
        }
    }
    LEVELS[level]
}

/// Own moves alternate with the opponent's.
const OWN_LAST: usize = 2;

impl<M: Mode> Searcher<M> {
    /// Computes the chance of every legal move of a node if the depth is large enough; for chances by kind, only the features of kinds.
    pub(crate) fn compute_chances(&mut self, n: &mut Node<'_>) {
        let p = &self.params().realization;
        if !realization::reaches(p, n.depth) {
            return;
        }
        if !p.softmax {
            self.test_mate_at_a_glance(n);
            return;
        }
        let learned = self.learned.realization;
        let moves = self.move_features(n, &self.moves_at(n.position));
        n.chances = Some(Box::new(Chances::new(moves.iter().map(|s| (s.mv, learned.sum(&s.features))))));
    }

    /// The features of every legal move.
    fn move_features(&mut self, n: &Node<'_>, legal: &MoveList) -> Vec<MoveFeatures> {
        let context = FeatureContext::new(n, legal, self.earlier(n.ply, OWN_LAST).last);
        let known = self.all_move_facts(n, legal, &context);
        legal
            .iter()
            .zip(&known)
            .map(|(&mv, known)| MoveFeatures { mv, features: context.features(mv, known) })
            .collect()
    }

    /// The facts of each legal move from histories and evaluation.
    fn all_move_facts(&mut self, n: &Node<'_>, legal: &MoveList, context: &FeatureContext<'_>) -> Vec<MoveFacts> {
        let facts = self.quiet_facts(n);
        let mut known: Vec<MoveFacts> = legal.iter().map(|&mv| self.move_facts(n, mv, &facts, context)).collect();
        let mut quiets: Vec<i32> =
            legal.iter().zip(&known).filter(|(mv, _)| is_quiet(**mv)).map(|(_, k)| k.history).collect();
        quiets.sort_unstable_by(|a, b| b.cmp(a));
        let mut values: Vec<Score> = known.iter().map(|k| k.value).collect();
        values.sort_unstable_by(|a, b| b.cmp(a));
        let best_value = values.first().copied().unwrap_or_default();
        let second_value = values.get(1).copied().unwrap_or(best_value);
        for one in &mut known {
            one.better_histories = quiets.partition_point(|&history| history > one.history) as i32;
            one.better_values = values.partition_point(|&value| value > one.value) as i32;
            one.best_value = best_value;
            one.second_value = second_value;
        }
        known
    }

    fn move_facts(&mut self, n: &Node<'_>, mv: Move, facts: &QuietFacts, shared: &FeatureContext<'_>) -> MoveFacts {
        let context = &facts.context;
        let history = if is_quiet(mv) {
            self.histories.rows(context).history(&self.orders.weights.quiet, MoveIndex::of(context.turn, mv))
        } else {
            self.histories.captures.count(context.turn, mv)
        };
        MoveFacts {
            history,
            counter: pack(mv) == facts.counter,
            from_table: n
                .entry
                .filter(|_| n.table_move == Some(mv))
                .map(|entry| EarlierSearch { depth: entry.depth, bound: entry.bound }),
            ..self.after(n, mv, shared.gives_check(mv))
        }
    }

    /// The facts of the position after a move: from the table, or else from the evaluation and the opponent's best capture.
    fn after(&mut self, n: &Node<'_>, mv: Move, gives_check: bool) -> MoveFacts {
        let mut child = n.position.play_with(mv, gives_check, |_| {});
        child.salt_key(self.key_salt(mv));
        self.keys.push(n.position.key());
        let drawn = self.is_draw(&child, n.ply.next());
        self.keys.pop();
        if drawn {
            return MoveFacts::default();
        }
        self.frame_mut(n.ply).piece_to = PieceTo::of(n.position.turn(), mv);
        self.advance(n.position.turn(), mv);
        let entry = self.probe_table(self.table_key(&child, -n.window, n.budget), n.ply.next());
        let estimate = self.estimate(&child, entry, n.ply.next());
        self.retreat();
        match entry {
            Some(entry) => {
                let decides = entry.bound.decides(entry.score, Window::above(estimate.corrected));
                let value = if decides { -entry.score } else { -estimate.best };
                let search = EarlierSearch { depth: entry.depth, bound: entry.bound.flipped() };
                MoveFacts { value, found: (entry.depth >= Depth::ONE_PLY).then_some(search), ..MoveFacts::default() }
            }
            None => {
                let threatened = threatened(&child);
                MoveFacts { value: -estimate.raw - Score(threatened), threatened, ..MoveFacts::default() }
            }
        }
    }

    fn kind_of(&self, n: &Node<'_>, mv: Move, facts: &QuietFacts, checks: &CheckInfo) -> Category {
        let stage = if is_quiet(mv) { Stage::Quiet } else { stage_of(self.sources(n.position, checks, n.ply), mv) };
        let picked = PickedMove::plain(mv, stage, n.position.gives_check(checks, mv));
        sex::category(&self.params().sex, n, &self.candidate(n, facts, picked, 1, 0))
    }
}

/// For training. Not generic, so that callers do not compile the search again.
impl Searcher<()> {
    /// Clears all state of earlier searches, with the table: later searches are the same as with a new searcher.
    pub fn forget(&mut self) {
        self.new_game();
        self.table.clear(1);
    }

    /// Searches a position for `nodes` nodes, makes the next two moves of the game, and returns the features of that node as a
    /// search would compute them. `None` if the position after them has fewer than two moves.
    ///
    /// Nothing is cleared before: histories are those of the game so far, see [`Searcher::new_game`].
    pub fn look_ahead(&mut self, game: &Game, moves: [Move; OWN_LAST], nodes: u64) -> Option<PositionFeatures> {
        self.search_within(game, &Limits::nodes(nodes));
        self.two_further(game, moves, |s, n| {
            let legal = n.position.legal_moves();
            s.test_mate_at_a_glance(n);
            (legal.len() > 1).then(|| {
                let moves = s.move_features(n, &legal);
                let facts = s.quiet_facts(n);
                let checks = n.position.check_info();
                let kinds = legal.iter().map(|&mv| s.kind_of(n, mv, &facts, &checks)).collect();
                PositionFeatures { moves, kinds }
            })
        })
    }

    /// Makes two moves and passes the node that is reached to a function.
    fn two_further<T>(
        &mut self,
        game: &Game,
        moves: [Move; OWN_LAST],
        show: impl FnOnce(&mut Self, &mut Node<'_>) -> T,
    ) -> T {
        self.evaluator.begin(game.position());
        let between = self.make(game.position(), Ply::ROOT, moves[0], true);
        let position = self.make(&between, Ply::ROOT.next(), moves[1], true);
        let depth = Budget::even(Depth::plies(self.params().realization.depth_min));
        let mut n = self.facts(&position, Place::new(Window::FULL, depth, Ply(OWN_LAST as u16), NodeType::Pv));
        self.evaluate_node(&mut n);
        let shown = show(self, &mut n);
        self.unmake();
        self.unmake();
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::BIT;
    use crate::network::EvalFile;
    use crate::params::Parameters;
    use crate::position::NO_MOVE;
    use crate::profile;
    use crate::rules::realization::Feature;
    use crate::score::Bound;
    use crate::search::cost::CostModel;
    use crate::table::Entry;
    use crate::testing::{self, searcher};

    fn line(moves: &str) -> Game {
        testing::after("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", moves)
    }

    fn has(sight: &PositionFeatures, mv: Move, feature: Feature) -> bool {
        let seen = sight.moves.iter().find(|seen| seen.mv == mv).expect("a legal move");
        seen.features.as_slice().iter().any(|(other, _)| *other == feature)
    }

    #[test]
    fn learned_features_include_the_path_to_the_node() {
        let game = line("e2e4 d7d5");
        let moves = ["b1c3", "d5e4"];
        let after = line("e2e4 d7d5 b1c3 d5e4");
        let two = [game.parse_uci(moves[0]).expect("legal"), after.moves()[3]];
        let sight = searcher(Parameters::default()).look_ahead(&game, two, 200).expect("many moves");
        assert_eq!(sight.moves.len(), after.position().legal_moves().len());
        assert_eq!(sight.kinds.len(), sight.moves.len());
        let [back, other] = ["c3e4", "g1f3"].map(|uci| after.parse_uci(uci).expect(uci));
        assert!(has(&sight, back, Feature::Recaptures) && has(&sight, back, Feature::SamePiece));
        assert!(!has(&sight, other, Feature::Recaptures) && !has(&sight, other, Feature::SamePiece));
        let kind = |mv| sight.kinds[sight.moves.iter().position(|seen| seen.mv == mv).expect("legal")];
        assert_eq!((kind(back), kind(other)), (Category::Recapture, Category::Forward));
    }

    #[test]
    fn looking_ahead_fills_histories_and_forgetting_empties_them() {
        let game = line("e2e4 e7e5");
        let two = [game.parse_uci("g1f3").expect("legal"), line("e2e4 e7e5 g1f3 b8c6").moves()[3]];
        let mut s = searcher(Parameters::default());
        let known = |sight: &PositionFeatures| {
            sight.moves.iter().flat_map(|seen| seen.features.as_slice()).filter(|(f, _)| *f == Feature::History).count()
        };
        let first = s.look_ahead(&game, two, 3000).expect("many moves");
        assert!(known(&first) > 0, "the search has rewarded something");
        assert_ne!(s.look_ahead(&game, two, 3000).expect("many moves").moves, first.moves, "histories go on");
        s.forget();
        assert_eq!(s.look_ahead(&game, two, 3000).expect("many moves").moves, first.moves, "as with a new searcher");
        s.forget();
        assert_eq!(known(&s.look_ahead(&game, two, 1).expect("many moves")), 0, "nothing searched, nothing known");
    }

    #[test]
    fn the_chances_of_a_node_add_up_to_one_and_the_best_capture_is_likely() {
        let fen = "r1b1kbnr/ppp2ppp/2np4/4p1q1/2B1P1Q1/8/PPPP1PPP/RNB1K1NR w KQkq - 0 4";
        let game = testing::game(fen);
        let mut s = searcher(profile::builtin("realization").expect("built in"));
        let depth = Depth::plies(s.params().realization.depth_min);
        for (depth, by_chances) in [(depth, true), (depth - Depth(1), false)] {
            let place = Place::new(Window::FULL, Budget::even(depth), Ply(1), NodeType::Cut);
            let mut n = testing::node(&mut s, &game, place);
            s.prepare_costs(&mut n);
            assert_eq!(n.chances.is_some(), by_chances, "{depth:?}");
            let way = if by_chances { CostModel::Realization } else { CostModel::Uniform };
            assert_eq!(s.cost_model_at(&n), way, "{depth:?}");
            let Some(chances) = n.chances.as_deref() else { continue };
            let bits = |mv| chances.of(mv).expect("a legal move").1;
            let total: f64 =
                n.position.legal_moves().into_iter().map(|mv| (-f64::from(bits(mv)) / f64::from(BIT)).exp2()).sum();
            assert!((total - 1.0).abs() < 0.01, "{total}");
            let [queen, blunder] = ["g4g5", "g4c8"].map(|uci| bits(game.parse_uci(uci).expect(uci)));
            assert!(queen + 3 * BIT < blunder, "{queen} {blunder}");
        }
    }

    #[test]
    fn table_values_after_a_move_are_negated() {
        let game = line("e2e4 e7e5");
        let mv = game.parse_uci("g1f3").expect("legal");
        let entry = |mv, bound| Entry { mv, ..testing::entry(Score(-30), bound, Depth::plies(4)) };
        let marks = [Feature::Refuted, Feature::Held, Feature::HeldExact, Feature::TableMove, Feature::TableUnsure];
        for (bound, seen) in [
            (Bound::Lower, [true, false, false, true, false]),
            (Bound::Upper, [false, true, false, true, true]),
            (Bound::Exact, [false, true, true, true, false]),
        ] {
            let mut s = searcher(profile::builtin("realization").expect("built in"));
            let here = testing::place(Window::FULL, 6, 1, NodeType::Cut);
            let key = s.table_key(game.position(), here.window, here.budget);
            s.table.store(key, Ply(1), entry(pack(mv), bound));
            let child = game.position().play_with(mv, false, |_| {});
            let key = s.table_key(&child, -here.window, here.budget);
            s.table.store(key, Ply(2), entry(NO_MOVE, bound));
            let n = testing::node(&mut s, &game, here);
            let moves = s.move_features(&n, &n.position.legal_moves());
            let sight = PositionFeatures { moves, kinds: Vec::new() };
            assert_eq!(marks.map(|feature| has(&sight, mv, feature)), seen, "{bound:?}");
        }
    }

    /// Positions that are searched, with two moves after each: every feature occurs after one of them.
    const VARIED: [(&str, [&str; OWN_LAST]); 12] = [
        ("r1b1kbnr/pppp1ppp/2n5/4p1q1/2B1P1Q1/8/PPPP1PPP/RNB1K1NR w KQkq - 0 4", ["d2d3", "d7d6"]),
        ("r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 6 5", ["d2d3", "h7h6"]),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", ["c3d1", "b4b3"]),
        ("r2q1rk1/1b2bppp/p2ppn2/1p6/3QP3/1BN1B3/PPP2PPP/R4RK1 w - - 2 13", ["f2f4", "d6d5"]),
        ("8/5pk1/6p1/3R4/5P2/r5P1/5K2/8 b - - 4 45", ["a3b3", "d5d7"]),
        ("8/P5k1/1p6/n3p3/8/8/3B1K2/8 w - - 0 1", ["f2e3", "g7f6"]),
        ("3r2k1/5ppp/8/1n2q3/8/2P1N3/1P3PPP/R3Q1K1 w - - 0 1", ["e1b1", "e5h2"]),
        ("8/8/4kpp1/3p4/3P1PP1/4K3/8/8 w - - 3 40", ["f4f5", "g6f5"]),
        ("r3r1k1/5ppp/8/3N4/1n6/8/5PPP/R2R1BK1 w - - 0 1", ["h2h3", "b4c2"]),
        ("r3r1k1/5ppp/8/3N4/1n6/8/5PPP/R2R1BK1 w - - 0 1", ["d5c3", "a8a1"]),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", ["e2a6", "b4c3"]),
        ("8/5pk1/6p1/3R4/5P2/r5P1/5K2/8 b - - 4 45", ["a3a1", "f2f3"]),
    ];

    /// The profile with the classical evaluation, for which the positions were chosen.
    fn by_chance() -> Parameters {
        Parameters { eval_file: EvalFile::Classical, ..profile::builtin("realization").expect("built in") }
    }

    /// The bits of every move two plies on, with the weights as they are and with each of them at either end.
    fn bits_with_weights(fen: &str, moves: [&str; OWN_LAST]) -> (Vec<i32>, Vec<(Feature, Vec<i32>)>) {
        const NODES: u64 = 2000;
        let plain = by_chance();
        let game = testing::game(fen);
        let mut further = game.clone();
        let moves = moves.map(|uci| {
            further.play_uci(uci).unwrap_or_else(|error| panic!("{fen} {uci}: {error}"));
            *further.moves().last().expect("just played")
        });
        // Not by these costs, so that new weights leave the searches as they are.
        let mut s = searcher(Parameters::classical());
        testing::search(&mut s, &game, &Limits::nodes(NODES));
        s.two_further(&game, moves, |s, n| {
            let mut bits = |parameters: &Parameters| -> Vec<i32> {
                s.set_parameters(parameters.clone());
                s.prepare_costs(n);
                let chances = n.chances.as_deref().expect("depth enough");
                n.position.legal_moves().into_iter().map(|mv| chances.of(mv).expect("a legal move").1).collect()
            };
            let usual = bits(&plain);
            let mut changed = Vec::new();
            for &feature in Feature::ALL {
                for end in [realization::WEIGHTS.min, realization::WEIGHTS.max] {
                    let mut moved = plain.clone();
                    moved.restore(&format!("realization.{}", feature.name()), end).expect("an end of the range");
                    changed.push((feature, bits(&moved)));
                }
            }
            (usual, changed)
        })
    }

    /// Each weight must show that it is read.
    #[test]
    fn every_weight_changes_a_chance() {
        let seen: Vec<_> = VARIED.into_iter().map(|(fen, moves)| bits_with_weights(fen, moves)).collect();
        let is_noticeable = |feature: Feature| {
            seen.iter().any(|(usual, changed)| changed.iter().any(|(other, bits)| *other == feature && bits != usual))
        };
        let deaf: Vec<_> = Feature::ALL.iter().copied().filter(|feature| !is_noticeable(*feature)).collect();
        assert!(deaf.is_empty(), "no chance changes when these are moved to their ends: {deaf:?}");
    }

    /// Positions in which every kind of move turns up within a few plies.
    const KINDS: [&str; 7] = [
        "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 6 5",
        "2q3k1/5p1p/5P2/8/8/8/6PQ/6K1 w - - 0 1",
        "8/1P4k1/1P6/8/7p/8/6K1/3n4 w - - 0 1",
        "8/2p5/1P6/7k/8/1P3p2/5K2/8 w - - 0 1",
        "k7/2p5/3r4/8/8/4P3/3Q4/4K3 w - - 0 1",
        "1k2r3/8/8/8/8/8/R7/4K3 w - - 0 1",
        "6k1/6pp/8/8/8/1r5P/5PP1/R5K1 w - - 0 1",
    ];

    /// The nodes of a search of a position with these parameters.
    fn nodes_by_kind(parameters: &Parameters, fen: &str) -> u64 {
        const DEPTH: u32 = 6;
        testing::search(&mut searcher(parameters.clone()), &testing::game(fen), &Limits::depth(DEPTH)).nodes
    }

    /// So must each chance of a kind.
    #[test]
    fn every_chance_of_a_kind_changes_a_search() {
        let mut usual = by_chance();
        for (name, value) in [("realization.softmax", 0), ("sex.promise", 1)] {
            usual.set(name, value).expect("a switch");
        }
        let visited = KINDS.map(|fen| nodes_by_kind(&usual, fen));
        let is_noticeable = |kind: Category| {
            let name = format!("realization.{}", realization::chance_name(kind));
            [realization::CHANCES.min, realization::CHANCES.max].into_iter().any(|end| {
                let mut moved = usual.clone();
                moved.restore(&name, end).expect("an end of the range");
                KINDS.iter().zip(visited).any(|(fen, nodes)| nodes_by_kind(&moved, fen) != nodes)
            })
        };
        let deaf: Vec<_> = Category::ALL.iter().copied().filter(|kind| !is_noticeable(*kind)).collect();
        assert!(deaf.is_empty(), "no search changes when these are moved to their ends: {deaf:?}");
    }
}
