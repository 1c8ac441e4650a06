//! `quarterply window bets`: pruned and reduced moves that the same search later found to matter.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use quarterply_engine::position::Game;
use quarterply_engine::rules::Rule;
use quarterply_engine::rules::worth::{RuleGain, Worths};
use quarterply_engine::score::Score;
use quarterply_engine::search::pool::TABLE_DEFAULT;
use quarterply_engine::words::grouped;
use quarterply_window::bets::{self, BetKind, BetSum, LostBet};
use quarterply_window::trace::record::RecordSetup;
use quarterply_window::trace::{Filter, Trace};
use quarterply_window::words;
use serde_json::{Value, json};

use super::support::{self, show_failure};
use super::why::paragraph;
use crate::common::Common;
use crate::export::JsonLines;
use crate::failure::{CommandResult, Failure};
use crate::limits::{HASH_MAX, SearchLimits};
use crate::listing::Listing;
use crate::numbers::count;
use crate::positions::read_suites;
use crate::{interrupt, progress};

/// Where to look for bets.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Search the positions of these EPD files [default: those of the bench].
    #[arg(value_name = "SUITE")]
    pub suites: Vec<PathBuf>,
    /// Search this position instead.
    #[arg(long, value_name = "FEN", conflicts_with = "suites")]
    pub fen: Option<String>,
    #[command(flatten)]
    pub limits: SearchLimits,
    /// Size of the transposition table, in MiB.
    #[arg(long, value_name = "MB", default_value_t = TABLE_DEFAULT, value_parser = count::<usize>(1..=HASH_MAX))]
    pub hash: usize,
    /// List the N lost bets with the largest errors.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = count::<usize>(0..))]
    pub list: usize,
}

/// The bets of all positions.
#[derive(Default)]
struct BetTotals {
    positions: usize,
    sums: BTreeMap<(&'static str, BetKind), BetSum>,
    /// The most expensive, with what the rule said.
    most_expensive: Vec<(LostBet, String)>,
}

/// Searches every position and prints the lost bets.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    common.refuse_workers_and_seed()?;
    let (games, skipped) = games(arguments)?;
    let (profile, parameters) = support::parameters(common)?;
    let limits = arguments.limits.get();
    let (control, stop) = interrupt::control("stopping: the bets so far follow (press Ctrl-C again to end at once)")?;
    let mut json = JsonLines::open(common, &arguments.suites)?;
    let bar = progress::bar(common, games.len(), "positions");
    let mut all = BetTotals::default();
    for game in &games {
        let (filter, hash) = (Filter::default(), arguments.hash);
        let setup = RecordSetup { game, parameters: &parameters, profile: &profile, limits: &limits, hash, filter };
        // A mate ends the search of its position only.
        let (trace, _) = support::record_aside(&setup, &control.child())?;
        all.add(&trace, arguments.list, &mut |bet| json.write(&as_json(bet)))?;
        bar.inc(1);
        if stop.is_set() {
            break;
        }
    }
    bar.finish_and_clear();
    if !stop.is_set() {
        json.write(&summary(&all))?;
    }
    let mut out = json.out();
    let measured = |worths: &&Worths| common.set.is_empty() && worths.source().is_some_and(|(of, ..)| of == profile);
    let worths = Some(Worths::builtin()).filter(measured);
    print(&mut out, &all, games.len(), worths)?;
    out.flush()?;
    if stop.is_set() {
        return Ok(interrupt::code());
    }
    json.close()?;
    Ok(if skipped > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The positions, and how many lines were of no use.
fn games(arguments: &Arguments) -> Result<(Vec<Game>, usize), Failure> {
    if let Some(fen) = &arguments.fen {
        let place = support::StartPosition::of(fen, arguments.hash);
        return Ok((vec![place.game()?], 0));
    }
    let (records, skipped) = read_suites(&arguments.suites)?;
    let games = records.into_iter().map(|record| Game::from_chess(record.position, record.mode));
    Ok((games.filter(|game| !game.position().legal_moves().is_empty()).collect(), skipped))
}

impl BetTotals {
    fn add(
        &mut self,
        trace: &Trace,
        most: usize,
        write: &mut dyn FnMut(&LostBet) -> std::io::Result<()>,
    ) -> Result<(), Failure> {
        let found = bets::find(trace).map_err(show_failure)?;
        self.positions += 1;
        for (key, sum) in found.sums {
            self.sums.entry(key).or_default().add(sum);
        }
        for bet in &found.lost {
            write(bet)?;
        }
        let words = |bet: LostBet| {
            let reason = words::rule_and_reason(&bet.by, trace.labels(bet.rule));
            (bet, reason)
        };
        self.most_expensive.extend(found.lost.into_iter().take(most).map(words));
        self.most_expensive.sort_by_key(|(bet, _)| (std::cmp::Reverse(bet.cost), std::cmp::Reverse(bet.delay)));
        self.most_expensive.truncate(most);
        Ok(())
    }

    /// Rules by what their lost bets cost together.
    fn ranking(&self) -> Vec<((&'static str, BetKind), BetSum)> {
        let mut list: Vec<_> = self.sums.iter().map(|(key, sum)| (*key, *sum)).collect();
        list.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.cost));
        list
    }
}

/// The meanings of the columns of the ranking.
const COLUMNS: &str = "placed, lost: number of bets; permille: lost bets per thousand; positions: those with a lost \
    bet; pawns: sum of the errors, each counted as at most 10; each: mean error; nodes until: mean number of nodes \
    from a bet to its loss";

/// Prints the ranking, with what the rules are worth in games if that was measured in this profile, and the most expensive bets.
fn print(out: &mut dyn Write, all: &BetTotals, requested: usize, worths: Option<&Worths>) -> Result<(), Failure> {
    let positions = words::several(all.positions as u64, "position");
    let of = if all.positions < requested { format!(" of {requested}") } else { String::new() };
    let introduction = format!(
        "{positions}{of}. A rule places a bet when it skips a move, reduces a move whose reduced search is accepted, \
         or ends a node. The bet is lost if the same search later finds that the rule was wrong. Rules are ranked by \
         the sum of the errors of their lost bets, in pawns:"
    );
    paragraph(out, &introduction)?;
    let ranking = all.ranking();
    writeln!(out, "\n{}", table(&ranking, worths))?;
    paragraph(out, COLUMNS)?;
    let known = worths.and_then(|worths| ranking.iter().find_map(|((rule, _), _)| gain(worths, rule)));
    if let (Some(RuleGain { nodes, .. }), Some((_, date, bench))) = (known, worths.and_then(Worths::source)) {
        let nodes = grouped(nodes);
        let conditions =
            format!("games at {nodes} nodes a move, {date}, bench {bench}; intervals: docs/results/rules.md");
        paragraph(out, &format!("worth: Elo with the rule minus Elo without it ({conditions})"))?;
    }
    print_most_expensive(out, &all.most_expensive)
}

/// The ranking as a table.
fn table(ranking: &[((&'static str, BetKind), BetSum)], worths: Option<&Worths>) -> Listing {
    const PERMILLE: f64 = 1000.0;
    let heads =
        ["rule", "action", "placed", "lost", "permille", "positions", "pawns", "each", "nodes until", "worth (Elo)"];
    let heads = &heads[..heads.len() - usize::from(worths.is_none())];
    let mut listing = Listing::new(heads, 2..heads.len());
    for ((rule, action), sum) in ranking {
        let each = |sum_of: u64| sum_of.checked_div(sum.lost);
        let cost = sum.cost.unsigned_abs();
        let elo = |worths| gain(worths, rule).map_or_else(|| "-".to_owned(), |gain| format!("{:+.0}", gain.elo));
        let figures = [
            (*rule).to_owned(),
            action.name().to_owned(),
            grouped(sum.placed),
            grouped(sum.lost),
            format!("{:.1}", sum.lost as f64 * PERMILLE / sum.placed.max(1) as f64),
            grouped(sum.searches),
            pawns(cost),
            each(cost).map_or("-".to_owned(), pawns),
            each(sum.delay).map_or("-".to_owned(), grouped),
        ];
        listing.add_row(figures.into_iter().chain(worths.map(elo)));
    }
    listing
}

/// Prints the most expensive bets, each with its position.
fn print_most_expensive(out: &mut dyn Write, bets: &[(LostBet, String)]) -> Result<(), Failure> {
    if bets.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nThe lost bets with the largest errors:")?;
    for (bet, reason) in bets {
        writeln!(out, "\n{}", bet.fen)?;
        let [before, after] = bet.values.map(words::score);
        let [from, to] = bet.depths.map(words::plies);
        let mv = bet.mv.as_deref().unwrap_or_default();
        let what = match bet.kind {
            BetKind::Skipped => format!("{mv} skipped"),
            BetKind::Reduced => format!("{mv} reduced"),
            BetKind::Ended => "the node ended".to_owned(),
        };
        let later = words::several(bet.delay, "node");
        let result = match &bet.mv {
            Some(mv) => format!("{mv} gives {after}"),
            None => format!("no move gives more than {after}"), // all failed low
        };
        let difference = difference(bet.values, bet.cost);
        let text = format!(
            "{what} at depth {from} by {reason}. Assumed value: {before}; {later} later at depth {to} {result}: {difference}."
        );
        paragraph(out, &text)?;
    }
    Ok(())
}

/// The difference of the later value from the assumed one, and the counted cost if that is another; for a mate only the counted cost.
fn difference([before, after]: [Score; 2], cost: i32) -> String {
    let (change, cost) = (i64::from(after.0) - i64::from(before.0), u64::from(cost.unsigned_abs()));
    if [before, after].iter().any(|value| value.mate_moves().is_some()) {
        return format!("counted as {} pawns", pawns(cost));
    }
    let direction = if change < 0 { "less" } else { "more" };
    let text = format!("{} pawns {direction}", pawns(change.unsigned_abs()));
    if change.unsigned_abs() == cost { text } else { format!("{text}, counted as {}", pawns(cost)) }
}

/// The worth in games of the rule with this name; `None` if it was not measured.
fn gain(worths: &Worths, name: &str) -> Option<RuleGain> {
    Rule::ALL.iter().find(|rule| rule.name() == name).and_then(|rule| worths.gain(rule.module()))
}

/// Hundredths of a pawn as pawns.
fn pawns(hundredths: u64) -> String {
    const PAWN: u64 = 100;
    format!("{}.{:02}", grouped(hundredths / PAWN), hundredths % PAWN)
}

fn as_json(bet: &LostBet) -> Value {
    json!({
        "fen": bet.fen, "move": bet.mv, "rule": bet.rule.name(), "action": bet.kind.name(), "cost": bet.cost, "delay": bet.delay,
        "depths": bet.depths.map(|depth| depth.0), "values": bet.values.map(|value| value.0), "nodes": bet.nodes,
    })
}

fn summary(all: &BetTotals) -> Value {
    let rows = all.ranking().into_iter().map(|((rule, action), sum)| {
        json!({"rule": rule, "action": action.name(), "placed": sum.placed, "lost": sum.lost, "cost": sum.cost, "delay": sum.delay, "positions": sum.searches})
    });
    json!({"summary": true, "positions": all.positions, "rules": rows.collect::<Vec<_>>()})
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::score::Ply;

    #[test]
    fn the_difference_is_that_of_the_two_values() {
        let mate = Score::mate_in(Ply(3));
        for (values, cost, expected) in [
            ([Score(-50), Score(25)], 75, "0.75 pawns more"),
            ([Score(-1067), Score(-35)], 1000, "10.32 pawns more, counted as 10.00"),
            ([Score(120), Score(30)], 50, "0.90 pawns less, counted as 0.50"),
            ([Score(10), mate], 1000, "counted as 10.00 pawns"),
        ] {
            assert_eq!(difference(values, cost), expected, "{values:?}");
        }
    }
}
