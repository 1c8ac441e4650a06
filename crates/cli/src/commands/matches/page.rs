//! A match as one page that needs nothing else: results, their course, endings of games, and workers.

use maud::{Markup, html};
use quarterply_files::pages::document;
use quarterply_files::pages::number::Scale;
use quarterply_files::pages::plot::{
    Axes, BAND, HEIGHT, Interval, Mark, POPULATION, PlotError, QUIET, WIDTH, band, chart, forest, legend, level, line,
    on_paper, range_of,
};
use quarterply_files::pages::report::{facts, figure};
use quarterply_games::matches::line::PairLine;
use quarterply_games::matches::standing::{FaultLoss, PairingResult};
use quarterply_games::matches::{End, MatchOutcome, MatchPlan, Standing};
use quarterply_stats::sprt::Decision;
use quarterply_stats::{Pentanomial, Sprt};
use quarterply_work::workers::{self, WorkerShare};

use super::report::{self, Rows};

/// Points of a curve.
const POINTS: usize = 300;
/// The scale of a curve ignores the first of this number of parts: intervals from a few pairs are too wide.
const UNSETTLED: usize = 4;
/// Faults that are listed one by one.
const FAULTS_SHOWN: usize = 200;

/// The counted pairs of a match, in the order of the schedule.
#[derive(Clone, Debug, Default)]
pub struct MatchProgress {
    /// By pairing: half points of the first player in each pair.
    pairs: Vec<Vec<u8>>,
}

impl MatchProgress {
    /// Adds a pair that counts now. Half pairs are skipped: the pentanomial statistics use complete pairs only.
    pub fn add(&mut self, standing: &Standing, line: &PairLine) {
        let of =
            |result: &PairingResult| result.players.map(|player| &standing.names[player]) == line.players.each_ref();
        let Some(pairing) = standing.pairings.iter().position(of) else { return };
        self.pairs.resize(standing.pairings.len(), Vec::new());
        if let [_, _] = line.games[..] {
            self.pairs[pairing].push(line.half_points().iter().sum::<usize>() as u8);
        }
    }

    /// The results of the only pairing after some of its pairs, the last of them included; nothing with several pairings.
    fn stages(&self) -> Vec<Pentanomial> {
        let [pairs] = self.pairs.as_slice() else { return Vec::new() };
        let mut so_far = Pentanomial::default();
        let stages = pairs.iter().enumerate().filter_map(|(index, half_points)| {
            so_far.add(usize::from(*half_points));
            let (stage, next) = (index * POINTS / pairs.len(), (index + 1) * POINTS / pairs.len());
            (stage != next).then_some(so_far)
        });
        stages.collect()
    }
}

/// A match as a page, with the counted pairs, the shares of workers on other machines, and the command that repeats it.
pub fn page(
    plan: &MatchPlan,
    outcome: &MatchOutcome,
    progress: &MatchProgress,
    workers: &[WorkerShare],
    command: &str,
) -> Result<String, PlotError> {
    let standing = &outcome.standing;
    let title = format!("Match {}", plan.names().join(" - "));
    let body = html! {
        p .kind { (title) }
        (verdict(outcome))
        (table(&report::players(standing)))
        @if let Some(remark) = report::draws_added(standing) { p .note { (remark) } }
        @if let [pairing] = standing.pairings.as_slice() {
            @for line in report::details(standing, pairing).lines() { p { (line) } }
            (curves(pairing, progress)?)
        } @else {
            h2 { "Pairings" }
            (table(&report::pairings(standing, &standing.pairings)))
            p .note { "Pairs: numbers of pairs with 0, ½, 1, 1½ and 2 points for the first player. " (report::bounds(&standing.pairings)) }
            (pairings(standing)?)
        }
        h2 { "How games ended" }
        (table(&endings(standing)))
        (faults(&standing.fault_losses))
        @if !workers.is_empty() {
            h2 { "Workers" }
            (table(&Rows { heads: workers::WORKER_COLUMNS.to_vec(), rows: workers::rows(workers) }))
        }
        h2 { "The players" }
        @for entrant in &plan.entrants {
            details {
                summary { (entrant.name) }
                pre {
                    (entrant.spec) "\n"
                    @for detail in &entrant.details { (detail) "\n" }
                    @if let Some(program) = &entrant.program { "SHA-256 of the program " (program) "\n" }
                }
            }
        }
        h2 { "To repeat this match" }
        pre { (command) }
        (conditions(plan))
    };
    Ok(document(&title, &body))
}

/// The result in one line, and how the match ended.
fn verdict(outcome: &MatchOutcome) -> Markup {
    let standing = &outcome.standing;
    let decisions: Vec<Decision> = match standing.pairings.as_slice() {
        [PairingResult { test: Some(test), .. }] => vec![test.decision],
        _ => Vec::new(),
    };
    let class = match decisions[..] {
        [Decision::H1] => "verdict better",
        [Decision::H0] => "verdict worse",
        _ => "verdict",
    };
    let end = match outcome.end {
        End::Complete => "All games were played.",
        End::Decided => "The sequential test was decided.",
        End::Stopped => "Interrupted; the same command with --resume continues it.",
    };
    let result = report::brief(standing).replace("  ", ", ");
    html! { div class=(class) { h1 { (result) } p { (standing.games) " games. " (end) } } }
}

fn table(rows: &Rows) -> Markup {
    quarterply_files::pages::report::table(&rows.heads, &rows.rows)
}

/// How the figures of the only pairing moved; nothing before two points of a curve are known.
fn curves(pairing: &PairingResult, progress: &MatchProgress) -> Result<Markup, PlotError> {
    let stages = progress.stages();
    if stages.len() < 2 {
        return Ok(html! {});
    }
    let test = pairing.test.map(|test| likelihood(&stages, &test.sprt)).transpose()?;
    Ok(html! {
        h2 { "From the first pair to the last" }
        (figure(&elo(&stages)?, "Elo by the number of game pairs; the band is the 95 % confidence interval, the dashed line no difference."))
        @if let Some(svg) = test {
            (figure(&svg, "The sequential test: below the lower dashed line H0 is accepted, above the upper one H1."))
        }
    })
}

fn elo(stages: &[Pentanomial]) -> Result<String, PlotError> {
    let estimates = || stages.iter().map(|pairs| (pairs.pairs() as f64, pairs.elo()));
    let settled = estimates().skip(stages.len() / UNSETTLED);
    let y = range_of(settled.flat_map(|(_, elo)| [elo.low, elo.value, elo.high]).chain([0.0]));
    let inside = |value: f64| value.clamp(y.start, y.end);
    let edges: Vec<_> = estimates().map(|(pairs, elo)| (pairs, inside(elo.low), inside(elo.high))).collect();
    let points: Vec<_> = estimates().map(|(pairs, elo)| (pairs, inside(elo.value))).collect();
    let axes = axes(stages, y.clone(), "Elo");
    on_paper((WIDTH, HEIGHT), "Elo over the pairs of games", |area| {
        let entries = [("Elo", POPULATION, Mark::Line), ("95 % interval", POPULATION, Mark::Band)];
        let rest = legend(area, &entries)?;
        let mut chart = chart(&rest, &axes)?;
        band(&mut chart, &edges, POPULATION, BAND)?;
        level(&mut chart, 0.0, &QUIET)?;
        line(&mut chart, &points, POPULATION)
    })
}

fn likelihood(stages: &[Pentanomial], sprt: &Sprt) -> Result<String, PlotError> {
    let (low, high) = sprt.bounds();
    let points: Vec<_> = stages.iter().map(|pairs| (pairs.pairs() as f64, sprt.llr(pairs))).collect();
    let y = range_of(points.iter().map(|(_, llr)| *llr).chain([low, high]));
    let axes = axes(stages, y, "log-likelihood ratio");
    on_paper((WIDTH, HEIGHT), "The sequential test over the pairs of games", |area| {
        let mut chart = chart(area, &axes)?;
        level(&mut chart, low, &QUIET)?;
        level(&mut chart, high, &QUIET)?;
        line(&mut chart, &points, POPULATION)
    })
}

fn axes<'a>(stages: &[Pentanomial], y: std::ops::Range<f64>, y_name: &'a str) -> Axes<'a> {
    let pairs = |stage: Option<&Pentanomial>| stage.map_or(0.0, |stage| stage.pairs() as f64);
    let x = pairs(stages.first())..pairs(stages.last());
    Axes { x, y, x_scale: Scale::WHOLE, y_scale: Scale::ONES, x_name: "pairs of games", y_name }
}

/// All pairings below each other.
fn pairings(standing: &Standing) -> Result<Markup, PlotError> {
    let row = |pairing: &PairingResult| {
        let (elo, few) = (pairing.tally.pairs.elo(), !pairing.tally.pairs.is_conclusive());
        let name = report::between(standing, pairing);
        let row = Interval { name, low: elo.low, value: elo.value, high: elo.high, few };
        (pairing.tally.pairs.pairs() > 0).then_some(row)
    };
    let rows: Vec<Interval> = standing.pairings.iter().filter_map(row).collect();
    if rows.is_empty() {
        return Ok(html! {});
    }
    let svg = forest("Elo of each pairing", &rows, 0.0, "Elo", |value| format!("{value:+.0}"))?;
    Ok(figure(
        &svg,
        "Elo of the first player against the second with 95 % intervals. Grey: the interval contains 0, or there are fewer than 20 pairs.",
    ))
}

fn endings(standing: &Standing) -> Rows {
    let row = |(ending, count): (&str, u64)| {
        let share = report::percent(count as f64 / standing.games.max(1) as f64);
        vec![ending.to_owned(), count.to_string(), share]
    };
    Rows { heads: vec!["ending", "games", "share"], rows: report::ends(standing).into_iter().map(row).collect() }
}

fn faults(fault_losses: &[FaultLoss]) -> Markup {
    if fault_losses.is_empty() {
        return html! { p { "No game was lost by a fault." } };
    }
    let row = |mishap: &FaultLoss| vec![mishap.game.to_string(), mishap.by.clone(), mishap.what.clone()];
    let rows = fault_losses.iter().take(FAULTS_SHOWN).map(row).collect();
    html! {
        h2 { "Games lost by a fault" }
        (table(&Rows { heads: vec!["game", "by", "what"], rows }))
        @if fault_losses.len() > FAULTS_SHOWN { p { "and " (fault_losses.len() - FAULTS_SHOWN) " more" } }
    }
}

/// The other settings, as in the journal.
fn conditions(plan: &MatchPlan) -> Markup {
    let header = plan.header();
    let settings = header.settings.iter().filter(|(_, value)| !value.is_null());
    let text = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    facts(settings.map(|(name, value)| (name, text(value))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_games::game::Pace;
    use quarterply_games::matches::journal::Entrant;
    use quarterply_games::matches::line::{GameLine, GameResult, PlayerFault};
    use quarterply_games::matches::schedule::ScheduledPair;
    use quarterply_games::matches::{Speed, TournamentFormat};
    use quarterply_stats::Trinomial;
    use quarterply_work::WorkerIdentity;

    fn entrant(name: &str) -> Entrant {
        let details = vec![format!("{name}.depth = 1")];
        Entrant { name: name.to_owned(), spec: format!("<{name}>"), details, ..Entrant::default() }
    }

    fn game(number: usize, result: GameResult, fault: Option<PlayerFault>) -> GameLine {
        GameLine {
            game: number,
            white: String::new(),
            black: String::new(),
            result,
            ending: if fault.is_some() { "hang" } else { "checkmate" }.to_owned(),
            fault,
            plies: 10,
            nodes: 1000,
            search_us: 2000,
            least_left_ms: None,
            least_left_by: None,
            pgn: String::new(),
        }
    }

    /// Plays a match in which the first of two players wins the first game of a pair and draws the other, with one fault.
    fn played(players: &[&str], rounds: usize, sprt: Option<&str>) -> (MatchPlan, MatchOutcome, MatchProgress) {
        let entrants = players.iter().map(|name| entrant(name)).collect();
        let mut plan = MatchPlan::new(entrants, 2 * rounds, Pace::Nodes(10));
        plan.format = TournamentFormat::RoundRobin;
        plan.sprt = sprt.map(|text| text.parse().expect("a test"));
        let schedule = plan.schedule();
        let mut standing = Standing::new(plan.names(), &schedule, plan.sprt);
        let mut progress = MatchProgress::default();
        for index in 0..schedule.len() {
            let unit: ScheduledPair = schedule.unit(index).expect("a unit");
            let fault = (index == 0).then(|| PlayerFault { by: players[1].to_owned(), what: "no <answer>".to_owned() });
            let games = vec![game(1, GameResult::White, fault), game(2, GameResult::Draw, None)];
            let line =
                PairLine::new(unit.index, unit.players.map(|player| players[player].to_owned()), String::new(), games);
            standing.add(&unit, &line);
            progress.add(&standing, &line);
        }
        let outcome = MatchOutcome { standing, end: End::Complete, waiting: 0, speed: Speed::default() };
        (plan, outcome, progress)
    }

    fn rendered(
        (plan, outcome, progress): &(MatchPlan, MatchOutcome, MatchProgress),
        workers: &[WorkerShare],
    ) -> String {
        page(plan, outcome, progress, workers, "quarterply match <x>").expect("a page")
    }

    #[test]
    fn a_page_shows_result_progress_and_faults() {
        let page = rendered(&played(&["A", "B"], 40, Some("elo0=0 elo1=100")), &[]);
        for needle in [
            "A 60 - 20 B",
            "verdict better",
            "Elo over the pairs of games",
            "The sequential test over the pairs of games",
            "no &lt;answer&gt;",
            "quarterply match &lt;x&gt;",
            "&lt;A&gt;",
            "nodes=10",
        ] {
            assert!(page.contains(needle), "{needle}: {page}");
        }
        assert!(!page.contains("Workers") && !page.contains("Pairings"));
    }

    #[test]
    fn several_pairings_have_a_table_and_a_plot() {
        let page = rendered(&played(&["A", "B", "C"], 3, None), &[]);
        assert!(page.contains("Pairings") && page.contains("Elo of each pairing") && page.contains("B - C"), "{page}");
        assert!(!page.contains("From the first pair") && !page.contains("one drawn game was added"), "{page}");
    }

    #[test]
    fn a_page_says_that_games_were_added_for_the_ratings() {
        let (plan, mut outcome, progress) = played(&["A", "B", "C"], 3, None);
        // A won all games.
        outcome.standing.pairings[..2].iter_mut().for_each(|pairing| pairing.tally.games = Trinomial::new(6, 0, 0));
        let page = rendered(&(plan, outcome, progress), &[]);
        assert!(page.contains("one drawn game was added to each pairing"), "{page}");
    }

    #[test]
    fn remote_workers_are_listed() {
        let identity = WorkerIdentity {
            name: "far <away>".into(),
            program: "p".into(),
            processor: "fast".into(),
            speed: 400_000,
            workers: 2,
        };
        let page = rendered(&played(&["A", "B"], 2, None), &[WorkerShare { identity, tasks: 2, seconds: 1.5 }]);
        assert!(page.contains("Workers") && page.contains("far &lt;away&gt;") && page.contains("400000"), "{page}");
    }

    #[test]
    fn a_match_without_a_game_has_a_page() {
        let (plan, mut outcome, _) = played(&["A", "B"], 2, None);
        outcome.standing = Standing::new(plan.names(), &plan.schedule(), None);
        let page = rendered(&(plan, outcome, MatchProgress::default()), &[]);
        assert!(page.contains("No game was lost by a fault") && !page.contains("<svg"), "{page}");
    }

    #[test]
    fn a_curve_ends_with_all_pairs_however_many_there_are() {
        for (rounds, points) in [(1, 1), (2, 2), (POINTS, POINTS), (2 * POINTS + 1, POINTS)] {
            let (_, outcome, progress) = played(&["A", "B"], rounds, None);
            let stages = progress.stages();
            assert_eq!(stages.len(), points);
            assert_eq!(stages.last(), Some(&outcome.standing.pairings[0].tally.pairs), "{rounds}");
            assert!(stages.is_sorted_by(|one, next| one.pairs() < next.pairs()), "{rounds}");
        }
    }
}
