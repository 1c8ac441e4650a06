//! Quiescence search: captures, and some checks, until the position is quiet, so that no exchange is evaluated
//! half-way.

mod audit;
mod events;

use super::estimate::Estimate;
use super::watch::{Detail, Mode, MoveResult, Purpose, RuleAction, SearchEvent, SubSearch};
use super::{Searcher, Stopped};
use crate::budget::Budget;
use crate::hint::unlikely;
use crate::history::Killers;
use crate::node::{NodeType, Place};
use crate::ordering::{PickedMove, Picker, QuietFacts};
use crate::position::{NO_MOVE, Position, is_quiet, pack};
use crate::rules::search::Search as _;
use crate::rules::{Rule, delta, evasions, explosion, see_pruning, stand_pat, table};
use crate::score::{Bound, Depth, Ply, Score, Window};
use crate::see;
use crate::table::Entry;
use shakmaty::Move;

crate::params! {
    /// skip captures that cannot raise the evaluation to alpha
    delta = true;
    /// positional allowance added to the captured piece's value (pawns/100)
    delta_margin = 270 in 0..=600 by 10, neutral 180;
    /// skip captures whose static exchange value is below `see_min`
    see = true;
    /// least static exchange value of a capture that is searched (pawns/100)
    see_min = -20 in -200..=200 by 10, neutral 0;
    /// search quiet checks that lose no material
    checks = true;
    /// first plies of quiescence, in which quiet checks are searched (plies)
    checks_plies = 2 in 1..=4 by 1, neutral 1;
    /// limit quiescence to a few captures, and later to recaptures, to prevent search explosion
    narrow = true;
    /// plies of quiescence after which only a few captures are tried (plies)
    narrow_plies = 3 in 0..=10 by 1, neutral 2;
    /// captures tried after `narrow_plies` (moves)
    narrow_max = 5 in 1..=16 by 1, neutral 4;
    /// plies of quiescence after which only recaptures are tried (plies)
    recapture_plies = 4 in 1..=20 by 1, neutral 6;
    /// skip the remaining quiet evasions after `evasions_max` evasions, unless all of them lead to mate
    evasions_limited = true;
    /// evasions searched before the remaining quiet evasions are skipped (moves)
    evasions_max = 3 in 1..=20 by 1;
    /// weight of a value above beta relative to beta in the returned value (1/8)
    blend = 3 in 0..=8 by 1, neutral 8;
}

/// One quiescence node's state.
struct Quiet<'a> {
    position: &'a Position,
    window: Window,
    ply: Ply,
    kind: NodeType,
    /// Plies of quiescence so far.
    level: i32,
    raw_eval: Option<Score>,
    stand_pat: Score,
    best: Score,
    best_move: Option<Move>,
    entry: Option<Entry>,
}

impl<M: Mode> Searcher<M> {
    /// The value of a position by quiescence search. `level` is the number of plies of quiescence so far.
    pub(crate) fn quiescence(
        &mut self,
        position: &Position,
        window: Window,
        ply: Ply,
        kind: NodeType,
        level: i32,
    ) -> Result<Score, Stopped> {
        self.seldepth = self.seldepth.max(ply.0);
        if kind == NodeType::Pv {
            self.clear_line(ply);
        }
        let place = Place { window, budget: Budget::even(Depth::ZERO), ply, kind };
        if let Some(score) = self.line_end(position, place, Some(level)) {
            return Ok(score);
        }
        let entry = self.probe_table(position.key(), ply);
        let (stand_pat, best) = (-Score::INFINITE, -Score::INFINITE);
        let mut q =
            Quiet { position, window, ply, kind, level, raw_eval: None, stand_pat, best, best_move: None, entry };
        self.quiet_entered(&q);
        self.watch_called(Rule::Table);
        if let Some(known) = self.known(&q) {
            self.report_reason(|| table::reason(&known, Depth::ZERO, Depth::ZERO, q.window));
            return Ok(self.quiet_ended(&q, Rule::Table, known.score));
        }
        if !position.in_check() && self.stand_pat(&mut q) {
            let best = q.best;
            self.report_reason(|| stand_pat::Reason { evaluation: best, beta: q.window.beta });
            return Ok(self.quiet_ended(&q, Rule::StandPat, best));
        }
        let score = self.quiet_moves(&mut q)?;
        self.frame_mut(ply).best = q.best_move;
        self.watch_left(&q, score);
        Ok(score)
    }

    /// The table's entry, if it decides the window.
    fn known(&self, q: &Quiet<'_>) -> Option<Entry> {
        let entry = q.entry?;
        let usable = self.params().table.on && q.kind != NodeType::Pv && q.position.halfmoves() < table::HALFMOVES_MAX;
        (usable && entry.bound.decides(entry.score, q.window)).then_some(entry)
    }

    /// Stands pat: raises alpha to the static evaluation. Returns true if it reaches beta.
    fn stand_pat(&mut self, q: &mut Quiet<'_>) -> bool {
        self.watch_called(Rule::StandPat);
        let Estimate { raw, corrected, best: eval, .. } = self.estimate(q.position, q.entry, q.ply);
        q.raw_eval = Some(raw);
        q.stand_pat = eval;
        q.best = eval;
        self.quiet_valued(q, raw, corrected);
        if q.window.fails_high(eval) {
            q.best = self.blended(q);
            if q.entry.is_none() {
                self.quiet_store(q, Bound::Lower);
            }
            return true;
        }
        q.window.alpha = q.window.alpha.max(eval);
        false
    }

    /// The best value, or one nearer to beta if it exceeds beta, because values from captures alone are not accurate.
    fn blended(&self, q: &Quiet<'_>) -> Score {
        const UNIT: i32 = 8;
        let weight = self.params().quiescence.blend;
        if !q.window.fails_high(q.best) || q.best.is_decisive() || q.window.beta.is_decisive() {
            return q.best;
        }
        Score((q.best.0 * weight + q.window.beta.0 * (UNIT - weight)) / UNIT).max(q.window.beta)
    }

    fn quiet_moves(&mut self, q: &mut Quiet<'_>) -> Result<Score, Stopped> {
        let p = self.params().quiescence;
        let in_check = q.position.in_check();
        let with_checks = p.checks && q.level < p.checks_plies && !in_check;
        let from_table = self.orders.weights.table_move.on;
        let table_move = q.entry.filter(|_| from_table).and_then(|e| q.position.unpack(e.mv));
        if let Some(mv) = table_move {
            self.table.prefetch(q.position.key_hint(mv));
        }
        let mut picker = self.quiet_picker(q, table_move, with_checks);
        if unlikely(self.orders.extras.is_some()) {
            self.quiet_enter_extras(q);
        }
        let checks = q.position.check_info();
        let alpha = q.window.alpha;
        let mut searched = 0;
        while let Some(picked) = picker.next(self.sources(q.position, &checks, q.ply), &self.tree) {
            let mv = picked.mv;
            self.quiet_considered(q, &picked, searched + 1);
            if in_check {
                self.watch_called(Rule::Evasions);
                if p.evasions_limited && searched >= p.evasions_max && !q.best.is_lost() && is_quiet(mv) {
                    self.report_reason(|| evasions::Reason { searched, limit: p.evasions_max });
                    self.quiet_ruled(q, Rule::Evasions, RuleAction::SkippedRest(mv));
                    self.audit_evasions(q, &picked, &picker)?;
                    picker.skip_quiets();
                    continue;
                }
            } else if self.skips_far_from_root(q, mv, searched) || self.quiet_skip(q, &picked) {
                self.audit_quiet(q, &picked)?;
                continue;
            }
            searched += 1;
            if self.quiet_try(q, mv, picked.gives_check)? {
                break;
            }
        }
        if in_check && searched == 0 {
            return Ok(Score::mated_in(q.ply));
        }
        q.best = self.blended(q);
        let bound = Window::new(alpha, q.window.beta).bound(q.best);
        let bound = if bound == Bound::Exact && q.kind != NodeType::Pv { Bound::Upper } else { bound };
        self.quiet_store(q, bound);
        Ok(q.best)
    }

    /// The moves of a node in their order: all of them in check, else captures, and quiet checks if they are searched.
    #[inline(always)]
    fn quiet_picker(&self, q: &Quiet<'_>, table_move: Option<Move>, with_checks: bool) -> Picker {
        let picker = if q.position.in_check() {
            let context = self.context(q.position, q.ply);
            Picker::all(table_move, QuietFacts { context, killers: Killers::NONE, counter: NO_MOVE })
        } else if with_checks {
            Picker::noisy_and_checks(table_move)
        } else {
            Picker::noisy(table_move)
        };
        if self.orders.weights.quiescence_order.on { picker } else { picker.without_delays() }
    }

    /// Notifies the sources of the second pass of the node that is entered.
    #[cold]
    fn quiet_enter_extras(&mut self, q: &Quiet<'_>) {
        let [previous, before] = [1, 2].map(|back| self.earlier(q.ply, back).last);
        if let Some(extras) = &mut self.orders.extras {
            extras.enter_quiescence(q.ply, q.kind, previous, before);
        }
    }

    /// Returns true if a move is skipped because quiescence is far from its root. This prevents explosions in positions with many
    /// queens.
    fn skips_far_from_root(&mut self, q: &Quiet<'_>, mv: Move, searched: i32) -> bool {
        self.watch_called(Rule::Explosion);
        let p = &self.params().quiescence;
        let few = q.level >= p.narrow_plies && searched >= p.narrow_max;
        let strict = q.level >= p.recapture_plies && self.earlier(q.ply, 1).captured_on != Some(mv.to());
        let skips = p.narrow && (few || strict);
        if skips {
            let (tried, plies) = (p.narrow_max, p.recapture_plies);
            self.report_reason(|| match few {
                true => explosion::Reason::Captures { tried: searched, limit: tried },
                false => explosion::Reason::Recaptures { plies: q.level, limit: plies },
            });
            self.quiet_ruled(q, Rule::Explosion, RuleAction::Skipped(mv));
        }
        skips
    }

    /// Returns true if a move is skipped when not in check.
    fn quiet_skip(&mut self, q: &mut Quiet<'_>, picked: &PickedMove) -> bool {
        let &PickedMove { mv, gives_check, .. } = picked;
        let p = self.params().quiescence;
        if is_quiet(mv) {
            self.watch_called(Rule::SeePruning);
            let loses = !q.position.see_ge(mv, Score::ZERO);
            if loses {
                self.report_reason(|| see_pruning::Reason { allowed: Score::ZERO });
                self.quiet_ruled(q, Rule::SeePruning, RuleAction::Skipped(mv));
            }
            return loses;
        }
        if p.delta && !gives_check && !q.window.alpha.is_decisive() {
            self.watch_called(Rule::Delta);
            let (captured, margin) = (Score(see::gain(mv)), Score(p.delta_margin));
            let reason = delta::Reason { evaluation: q.stand_pat, captured, margin, alpha: q.window.alpha };
            if q.window.fails_low(reason.upper_bound()) {
                q.best = q.best.max(reason.upper_bound());
                self.report_reason(|| reason);
                self.quiet_ruled(q, Rule::Delta, RuleAction::Skipped(mv));
                return true;
            }
        }
        self.watch_called(Rule::SeePruning);
        if p.see && !picked.see_ge(q.position, Score(p.see_min)) {
            self.report_reason(|| see_pruning::Reason { allowed: -Score(p.see_min) });
            self.quiet_ruled(q, Rule::SeePruning, RuleAction::Skipped(mv));
            return true;
        }
        false
    }

    /// Searches one move; `true` if it cuts.
    fn quiet_try(&mut self, q: &mut Quiet<'_>, mv: Move, gives_check: bool) -> Result<bool, Stopped> {
        let sub_search = SubSearch { purpose: Purpose::Quiescence, mv: Some(mv), cost: Depth::ZERO };
        self.emit_at(Detail::Everything, q, |at| SearchEvent::Searching(at, sub_search));
        self.count()?;
        let child = self.make(q.position, q.ply, mv, gives_check);
        let score = -self.quiescence(&child, -q.window, q.ply.next(), q.kind, q.level + 1)?;
        self.unmake();
        q.best = q.best.max(score);
        self.emit_at(Detail::Nodes, q, |at| SearchEvent::MoveSearched(at, MoveResult::of(mv, score, q.window)));
        if score > q.window.alpha {
            q.best_move = Some(mv);
            if q.kind == NodeType::Pv {
                self.set_line(q.ply, mv);
            }
            if q.window.fails_high(score) {
                return Ok(true);
            }
            q.window.alpha = score;
        }
        Ok(false)
    }

    fn quiet_store(&mut self, q: &Quiet<'_>, bound: Bound) {
        let entry = Entry {
            mv: q.best_move.map_or(NO_MOVE, pack),
            score: q.best,
            eval: q.raw_eval,
            depth: Depth::ZERO,
            bound,
            pv: q.entry.is_some_and(|e| e.pv),
            threat: q.entry.is_some_and(|e| e.threat),
        };
        self.store_entry(q.position.key(), q.ply, entry);
        self.watch_stored(q, q.position.key(), &entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Parameters;
    use crate::testing;

    /// The evaluation of a position, its value and what the table has of it then.
    fn value(s: &mut Searcher<()>, fen: &str, window: impl Fn(Score) -> Window) -> (Score, Score, Option<Entry>) {
        let game = testing::game(fen);
        let eval = s.evaluate(game.position());
        let value = s.quiescence(game.position(), window(eval), Ply(1), NodeType::Cut, 0).expect("nothing stops it");
        (eval, value, s.table.probe(game.position().key(), Ply(1)))
    }

    fn quiescence(fen: &str, window: impl Fn(Score) -> Window) -> (Score, Score, Option<Entry>) {
        value(&mut testing::searcher(Parameters::default()), fen, window)
    }

    const QUIET: &str = "r1bq1rk1/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 w - - 0 8";

    #[test]
    fn standing_pat_proves_at_least_and_failing_to_reach_alpha_at_most() {
        let (eval, value, entry) = quiescence(QUIET, Window::reaching);
        assert_eq!(value, eval);
        assert_eq!(entry.expect("stored").bound, Bound::Lower);
        let (eval, value, entry) = quiescence(QUIET, |eval| Window::reaching(eval + Score(1)));
        assert_eq!(value, eval);
        assert_eq!(entry.expect("stored").bound, Bound::Upper);
        let (eval, value, entry) = quiescence(QUIET, |eval| Window::reaching(eval + Score(500)));
        assert!(value >= eval && value < eval + Score(500), "{value:?} {eval:?}");
        assert_eq!(entry.expect("stored").bound, Bound::Upper);
    }

    #[test]
    fn values_above_beta_are_returned_closer_to_beta() {
        for (blend, below) in [(8, 0), (4, 40), (0, 80)] {
            let mut s = testing::searcher_with(|p| p.quiescence.blend = blend);
            let (eval, value, entry) = value(&mut s, QUIET, |eval| Window::reaching(eval - Score(80)));
            assert_eq!(value, eval - Score(below), "weight {blend}");
            assert_eq!(entry.map(|entry| (entry.bound, entry.score)), Some((Bound::Lower, value)));
        }
    }

    #[test]
    fn a_hanging_piece_is_taken_and_a_defended_one_is_not() {
        let hanging = "6k1/5ppp/8/3n4/8/8/3R1PPP/6K1 w - - 0 1";
        let (eval, value, entry) = quiescence(hanging, |eval| Window::reaching(eval + Score(150)));
        assert!(value >= eval + Score(150), "{value:?} {eval:?}");
        assert_eq!(entry.expect("stored").bound, Bound::Lower);
        let defended = "6k1/5ppp/4p3/3n4/8/8/3R1PPP/6K1 w - - 0 1";
        let (eval, value, _) = quiescence(defended, |eval| Window::reaching(eval + Score(60)));
        assert!(value < eval + Score(60), "{value:?} {eval:?}");
    }

    #[test]
    fn standing_pat_is_not_allowed_in_check() {
        let (_, value, _) = quiescence("R5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1", |_| Window::reaching(Score(0)));
        assert_eq!(value, Score::mated_in(Ply(1)));
        let (_, value, _) = quiescence("3r2k1/5ppp/8/8/8/8/q4PPP/R5K1 w - - 0 1", |_| Window::reaching(Score(0)));
        assert!(value > Score(-600), "the queen hangs: {value:?}");
    }

    #[test]
    fn a_move_that_does_not_beat_standing_pat_gives_no_new_value() {
        let game = testing::game(QUIET);
        let mut s = testing::searcher(Parameters::default());
        let eval = s.evaluate(game.position());
        let value = s.quiescence(game.position(), Window::FULL, Ply(1), NodeType::Pv, 0).expect("nothing stops it");
        let entry = s.table.probe(game.position().key(), Ply(1)).expect("stored");
        assert_eq!((value, entry.bound, entry.mv), (eval, Bound::Upper, NO_MOVE));
    }

    #[test]
    fn quiet_evasions_are_limited_once_one_saves_the_king() {
        // Four king moves, nothing to take, and no checks of Black's that quiescence looks at.
        let game = testing::game("k7/8/8/8/4r3/8/8/4K3 w - - 0 1");
        for (limited, most, searched) in [(true, 3, 3), (true, 1, 1), (false, 1, 4)] {
            let mut parameters = Parameters::default();
            parameters.quiescence.checks_plies = 1;
            parameters.quiescence.evasions_limited = limited;
            parameters.quiescence.evasions_max = most;
            let mut s = testing::searcher(parameters);
            s.evaluator.begin(game.position());
            s.quiescence(game.position(), Window::FULL, Ply(1), NodeType::Pv, 0).expect("nothing stops it");
            assert_eq!(s.nodes, searched, "{limited} {most}");
        }
    }

    #[test]
    fn captures_that_cannot_lift_the_evaluation_are_left_out_and_their_hope_is_kept() {
        let fen = "6k1/5ppp/8/8/8/p7/R4PPP/6K1 w - - 0 1";
        let p = Parameters::classical().quiescence;
        let most = 100 + p.delta_margin;
        for (above, searched) in [(most - 1, true), (most, false)] {
            let mut parameters = Parameters::classical();
            parameters.quiescence.checks = false;
            let mut s = testing::searcher(parameters);
            let (eval, value, _) = value(&mut s, fen, |eval| Window::above(eval + Score(above)));
            let alpha = eval + Score(above);
            assert_eq!(s.nodes > 0, searched, "{above}");
            assert!(value <= alpha, "{above}: {value:?} {alpha:?}");
            assert!(searched || value == alpha, "what the capture could have won at most: {value:?} {alpha:?}");
        }
    }
}
