//! A match in words and tables.

use std::fmt::{self, Write};

use indicatif::FormattedDuration;
use quarterply_games::matches::standing::{PairingResult, PlayerTally, SequentialTest};
use quarterply_games::matches::{End, MatchOutcome, MatchPlan, Speed, Standing};
use quarterply_stats::Estimate;
use quarterply_stats::sprt::Decision;

use crate::listing::Listing;

/// Percent of one.
const PERCENT: f64 = 100.0;
/// Faults that are listed one by one.
const FAULTS_SHOWN: usize = 40;

/// Rows below their headings, for the terminal and for the page; the first column is text, the others are figures.
pub struct Rows {
    /// The headings.
    pub heads: Vec<&'static str>,
    /// As many cells each.
    pub rows: Vec<Vec<String>>,
}

impl fmt::Display for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Listing::of(&self.heads, &self.rows).fmt(f)
    }
}

/// The match in one line: the score, Elo, the test.
pub fn brief(standing: &Standing) -> String {
    let [result] = standing.pairings.as_slice() else { return brief_of_many(standing) };
    let [first, second] = result.players.map(|player| &standing.names[player]);
    let games = result.tally.games;
    let mut text = format!(
        "{first} {} - {} {second}  Elo {}",
        games.points(),
        games.games() as f64 - games.points(),
        interval(result.tally.pairs.elo())
    );
    if let Some(test) = result.test {
        let (low, high) = test.sprt.bounds();
        let _ = write!(text, "  LLR {:.2} [{low:.2}, {high:.2}]", test.llr);
    }
    text
}

/// Points and games of every player, the best share of points first.
fn brief_of_many(standing: &Standing) -> String {
    let mut parts: Vec<String> = by_score(standing).into_iter().map(|player| points_of(standing, player)).collect();
    let decided = standing.pairings.iter().filter(|result| result.is_decided()).count();
    if decided > 0 {
        parts.push(format!("{decided} of {} decided", standing.pairings.len()));
    }
    parts.join("  ")
}

/// `Toga 12.5/20`: the name of a player, its points and its games.
fn points_of(standing: &Standing, player: usize) -> String {
    let games = standing.of(player).games;
    format!("{} {}/{}", standing.names[player], games.points(), games.games())
}

/// The players, the best share of points first.
fn by_score(standing: &Standing) -> Vec<usize> {
    let mut order: Vec<usize> = (0..standing.names.len()).collect();
    order.sort_by(|a, b| standing.of(*b).games.score().total_cmp(&standing.of(*a).games.score()));
    order
}

/// Points and games of every player as a table, the best share of points first.
pub fn live_table(standing: &Standing) -> String {
    let row = |player: usize| {
        let tally = standing.of(player);
        let games = tally.games;
        vec![standing.names[player].clone(), games.points().to_string(), games.games().to_string(), score(tally)]
    };
    let heads = vec!["player", "points", "games", "score"];
    let rows = Rows { heads, rows: by_score(standing).into_iter().map(row).collect() };
    rows.to_string().trim_end().to_owned()
}

/// The text at the end of a match.
pub fn report(plan: &MatchPlan, outcome: &MatchOutcome) -> String {
    let standing = &outcome.standing;
    let mut text = format!("{}\n", players(standing));
    match standing.pairings.as_slice() {
        [result] => text += &details(standing, result),
        results => {
            if let Some(remark) = draws_added(standing) {
                let _ = writeln!(text, "{remark}");
            }
            let _ = writeln!(text, "{}", pairings(standing, results));
            text += "pairs: numbers of pairs with 0, ½, 1, 1½ and 2 points for the first player\n";
            text += &bounds(results);
        }
    }
    text += &endings(standing);
    text += &faults(standing);
    text += &closing(plan, outcome);
    text
}

/// One row for each player.
pub fn players(standing: &Standing) -> Rows {
    let two = standing.names.len() == 2;
    let strength = if two { "Elo (95 %)" } else { "rating (95 %)" };
    let heads = vec!["player", "games", "won", "drawn", "lost", "score", strength, "LOS", "draws", "faults"];
    let ratings = standing.ratings();
    let order = if two { vec![0, 1] } else { by_score(standing) };
    let row = |player: usize| {
        let tally = standing.of(player);
        let (on_time, other) = standing.faults_of(player);
        let strength = if two { Some(tally.pairs.elo()) } else { ratings.as_ref().map(|all| all.players[player]) };
        vec![
            standing.names[player].clone(),
            tally.games.games().to_string(),
            tally.games.wins.to_string(),
            tally.games.draws.to_string(),
            tally.games.losses.to_string(),
            score(tally),
            strength.map_or_else(|| "-".to_owned(), interval),
            superiority(tally),
            tally.games.draw_ratio().map_or_else(|| "-".to_owned(), percent),
            match on_time {
                0 => other.to_string(),
                _ => format!("{} ({on_time} on time)", on_time + other),
            },
        ]
    };
    Rows { heads, rows: order.into_iter().map(row).collect() }
}

/// A remark on the ratings, if games were added to get finite ones.
pub fn draws_added(standing: &Standing) -> Option<&'static str> {
    const REMARK: &str =
        "ratings: some players won every game against the others, so one drawn game was added to each pairing";
    standing.ratings().filter(|ratings| ratings.draws_added).map(|_| REMARK)
}

/// One row for each pairing.
pub fn pairings(standing: &Standing, results: &[PairingResult]) -> Rows {
    let mut heads = vec!["pairing", "games", "won", "drawn", "lost", "score", "Elo (95 %)", "LOS", "pairs"];
    if results.iter().any(|result| result.test.is_some()) {
        heads.extend(["LLR", "accepted"]);
    }
    let row = |result: &PairingResult| {
        let (games, pairs) = (result.tally.games, result.tally.pairs);
        let mut row = vec![
            between(standing, result),
            games.games().to_string(),
            games.wins.to_string(),
            games.draws.to_string(),
            games.losses.to_string(),
            score(result.tally),
            interval(pairs.elo()),
            superiority(result.tally),
            pairs.to_string(),
        ];
        row.extend(result.test.map(|test| format!("{:.2}", test.llr)));
        row.extend(result.test.map(|test| accepted(test.decision).to_owned()));
        row
    };
    Rows { heads, rows: results.iter().map(row).collect() }
}

/// Names of the two players of a pairing.
pub fn between(standing: &Standing, result: &PairingResult) -> String {
    let [first, second] = result.players.map(|player| &standing.names[player]);
    format!("{first} - {second}")
}

fn accepted(decision: Decision) -> &'static str {
    match decision {
        Decision::Continue => "-",
        Decision::H0 => "H0",
        Decision::H1 => "H1",
    }
}

/// The sequential test that all pairings have.
pub fn bounds(results: &[PairingResult]) -> String {
    let Some(SequentialTest { sprt, .. }) = results.iter().find_map(|result| result.test) else {
        return String::new();
    };
    let (low, high) = sprt.bounds();
    format!("SPRT {sprt}: accepts H0 at LLR {low:.2}, H1 at {high:.2}\n")
}

/// The results of the pairs of two players.
pub fn details(standing: &Standing, result: &PairingResult) -> String {
    let first = &standing.names[result.players[0]];
    let pairs = result.tally.pairs;
    let mut text = format!("pairs with 0, ½, 1, 1½, 2 points for {first}: {pairs}");
    if let Some(even) = pairs.draw_ratio() {
        let _ = write!(text, "; {} of the pairs even", percent(even));
    }
    if let Some(ratio) = pairs.pairs_ratio().filter(|ratio| ratio.is_finite()) {
        let _ = write!(text, "; {ratio:.2} won for each lost");
    }
    let _ = writeln!(text, "\nnormalized Elo: {}", interval(pairs.normalized_elo()));
    text + &verdict(standing, result).unwrap_or_default()
}

/// The result of the sequential test.
pub fn verdict(standing: &Standing, result: &PairingResult) -> Option<String> {
    let SequentialTest { sprt, llr, decision } = result.test?;
    let (low, high) = sprt.bounds();
    let [first, second] = result.players.map(|player| &standing.names[player]);
    let (elo0, elo1, unit) = (sprt.elo0, sprt.elo1, sprt.model.unit());
    let meaning = match decision {
        Decision::Continue => "undecided".to_owned(),
        Decision::H0 => format!("H0 accepted ({elo0} {unit}): no gain of {elo1} shown for {first} over {second}"),
        Decision::H1 => format!("H1 accepted ({elo1} {unit}): gain above {elo0} shown for {first} over {second}"),
    };
    Some(format!("SPRT {sprt}: LLR {llr:.2} in [{low:.2}, {high:.2}], {meaning}\n"))
}

/// How games ended, the most frequent first.
pub fn ends(standing: &Standing) -> Vec<(&str, u64)> {
    let mut all: Vec<(&str, u64)> = standing.endings.iter().map(|(ending, count)| (ending.as_str(), *count)).collect();
    all.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    all
}

fn endings(standing: &Standing) -> String {
    let all = ends(standing);
    let all: Vec<String> = all.iter().map(|(ending, count)| format!("{ending} {count}")).collect();
    if all.is_empty() { String::new() } else { format!("endings: {}\n", all.join(", ")) }
}

fn faults(standing: &Standing) -> String {
    let mut text = String::new();
    if !standing.fault_losses.is_empty() {
        text += "games lost by a fault:\n";
    }
    for mishap in standing.fault_losses.iter().take(FAULTS_SHOWN) {
        let _ = writeln!(text, "  game {}: {}: {}", mishap.game, mishap.by, mishap.what);
    }
    let more = standing.fault_losses.len().saturating_sub(FAULTS_SHOWN);
    if more > 0 {
        let _ = writeln!(text, "  and {more} more");
    }
    text
}

/// How it ended, and how the time was used.
pub fn closing(plan: &MatchPlan, outcome: &MatchOutcome) -> String {
    let standing = &outcome.standing;
    let games = plan.schedule().games();
    let mut text = match outcome.end {
        End::Complete => format!("complete: {} games", standing.games),
        End::Decided => format!("decided after {} of {games} games", standing.games),
        End::Stopped => format!("interrupted after {} of {games} games", standing.games),
    };
    let _ = write!(text, " ({})", plan.paces_in_words());
    if let Some(least) = &standing.least_left {
        let _ = write!(text, "; {least}");
    }
    text.push('\n');
    if outcome.waiting > 0 && outcome.end == End::Stopped {
        text += &waiting(outcome.waiting);
    }
    text + &speed(&outcome.speed)
}

/// How many pairs are finished and do not count yet.
fn waiting(pairs: usize) -> String {
    match pairs {
        1 => "1 more pair is finished; it counts when all pairs before it are finished\n".to_owned(),
        _ => format!("{pairs} more pairs are finished; they count when all pairs before them are finished\n"),
    }
}

fn speed(speed: &Speed) -> String {
    let Some(per_hour) = speed.games_per_hour() else { return String::new() };
    // With clock.nodes_per_ms the times of moves are computed from nodes and cannot be compared with the elapsed time.
    let overhead = speed.overhead().filter(|overhead| *overhead >= 0.0).map_or_else(String::new, |overhead| {
        format!("; overhead {:.2} % of the time spent on moves", PERCENT * overhead)
    });
    format!("{} games in {}: {per_hour:.0} games per hour{overhead}\n", speed.games, FormattedDuration(speed.wall))
}

fn score(tally: PlayerTally) -> String {
    if tally.games.games() == 0 { "-".to_owned() } else { percent(tally.games.score()) }
}

/// The likelihood of superiority; a dash for too few pairs, because the formula gives 100 % after two wins.
fn superiority(tally: PlayerTally) -> String {
    if tally.pairs.is_conclusive() { percent(tally.pairs.los()) } else { "-".to_owned() }
}

pub fn percent(share: f64) -> String {
    format!("{:.1} %", PERCENT * share)
}

/// `+4.5 [-3.9, +12.9]`, or a bound such as `at least +100.0`; a dash where nothing is known.
pub fn interval(estimate: Estimate) -> String {
    let is_known = estimate.low.is_finite() || estimate.high.is_finite();
    if is_known { estimate.with_interval() } else { "-".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::position::Game;
    use quarterply_games::game::{Ending, GameVerdict, Record};
    use quarterply_games::matches::TournamentFormat;
    use quarterply_games::matches::line::{GameLine, GameResult, PairLine};
    use quarterply_games::matches::schedule::Schedule;
    use quarterply_stats::Pentanomial;
    use shakmaty::ByColor;

    #[test]
    fn intervals_are_shown_even_where_they_are_open() {
        let estimate = |value, low, high| interval(Estimate { value, low, high });
        assert_eq!(estimate(4.54, -3.86, 12.94), "+4.5 [-3.9, +12.9]");
        assert_eq!(estimate(f64::INFINITY, 100.0, f64::INFINITY), "at least +100.0");
        assert_eq!(interval(Estimate::UNKNOWN), "-");
        // The normalized Elo of a single pair that was won.
        assert_eq!(estimate(f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY), "-");
    }

    #[test]
    fn pairs_that_wait_are_counted() {
        assert!(waiting(1).starts_with("1 more pair is finished; it counts"));
        assert!(waiting(2).starts_with("2 more pairs are finished; they count"));
    }

    /// One pair that was won had a likelihood of superiority of 100 %.
    #[test]
    fn few_pairs_have_no_likelihood_of_superiority() {
        let tally = |counts| PlayerTally { pairs: Pentanomial::new(counts), ..PlayerTally::default() };
        assert_eq!(superiority(tally([0, 0, 0, 0, 1])), "-");
        assert_eq!(superiority(tally([0, 0, 10, 9, 0])), "-");
        assert_eq!(superiority(tally([0, 0, 0, 0, 20])), "100.0 %");
    }

    #[test]
    fn the_decision_of_a_test_is_in_the_unit_of_its_bounds() {
        let schedule = Schedule::new(2, TournamentFormat::Gauntlet, 2);
        for (test, decision, needle) in [
            ("elo0=0 elo1=5", Decision::H0, "H0 accepted (0 Elo): no gain of 5 shown for A over B"),
            ("elo0=-3 elo1=1", Decision::H1, "H1 accepted (1 Elo): gain above -3 shown for A over B"),
            ("elo0=0 elo1=5 model=normalized", Decision::H0, "H0 accepted (0 normalized Elo): no gain of 5 shown"),
            ("elo0=0 elo1=5 model=normalized", Decision::H1, "H1 accepted (5 normalized Elo): gain above 0 shown"),
        ] {
            let sprt = test.parse().expect(test);
            let mut standing = Standing::new(["A", "B"].map(str::to_owned).to_vec(), &schedule, Some(sprt));
            standing.pairings[0].test = Some(SequentialTest { sprt, llr: 0.0, decision });
            let text = verdict(&standing, &standing.pairings[0]).expect("a test");
            assert!(text.contains(needle), "{text}");
        }
    }

    /// A gauntlet of three players: A won both games against B and drew one of two against C, which won the other.
    fn gauntlet() -> Standing {
        let schedule = Schedule::new(3, TournamentFormat::Gauntlet, 2);
        let mut standing = Standing::new(["A", "B", "C"].map(str::to_owned).to_vec(), &schedule, None);
        for (index, results) in
            [(0, [GameResult::White, GameResult::Black]), (1, [GameResult::Draw, GameResult::White])]
        {
            let unit = schedule.unit(index).expect("a pair");
            let verdict = || GameVerdict { winner: None, ending: Ending::Checkmate };
            let names = || ByColor { white: String::new(), black: String::new() };
            let record = || Record { names: names(), opening: Game::new(), played: Vec::new(), verdict: verdict() };
            let game = |result| GameLine { result, ..GameLine::new(1, &record(), String::new()) };
            let line = PairLine::new(index, Default::default(), String::new(), results.map(game).to_vec());
            standing.add(&unit, &line);
        }
        standing
    }

    #[test]
    fn the_standing_has_points_and_games_the_best_first() {
        let standing = gauntlet();
        assert_eq!(brief(&standing), "C 1.5/2  A 2.5/4  B 0/2");
        let table = live_table(&standing);
        let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
        assert!(rows.contains(&vec!["C", "1.5", "2", "75.0", "%"]), "{table}");
        assert!(rows.contains(&vec!["player", "points", "games", "score"]), "{table}");
        // B lost every game.
        assert!(draws_added(&standing).is_some_and(|remark| remark.contains("some players won every game")));
    }
}
