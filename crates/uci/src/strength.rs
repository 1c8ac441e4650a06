//! Playing weaker on purpose: `UCI_LimitStrength` and `UCI_Elo`.
//!
//! The rule has two parts. First, the nodes of a move are limited. Second, a random error, uniform within a range, is added to the
//! score of each of the best moves before they are compared. Nodes, error and the number of moves follow from the rating by the table `RATED_LEVELS`, between whose rows the
//! numbers are interpolated, the nodes in powers. The draw depends on a seed, the position and the number of moves played: games
//! differ, and with the same seed a game can be repeated. With a clock, the move is sent after a time that a human player
//! might take. From the rating [`MATES_FROM`] on, a mate in at most [`MATE_MAX`] moves that was found is always played, the
//! shortest first. Lower ratings miss a share of these mates, more of the longer ones. The score of a longer mate is far greater than any error.
//!
//! The scale was fitted by games of the rungs against each other and against Stockfish 15.1 at its skill levels, whose ratings its
//! authors have published; `docs/results/strength.md` has the figures and their errors.

use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use quarterply_engine::clock::{Allotment, Limits};
use quarterply_engine::position::Game;
use quarterply_engine::report::SearchReport;

/// A weakness that was rated.
struct RatedLevel {
    elo: i64,
    nodes: f64,
    /// The greatest error of a score (pawns/100).
    error: f64,
    /// Moves that are compared.
    lines: f64,
}

const fn level(elo: i64, nodes: f64, error: f64, lines: f64) -> RatedLevel {
    RatedLevel { elo, nodes, error, lines }
}

/// What was rated, from the weakest, and at both ends what lies between two that were; the scores of the last are taken as they are.
const RATED_LEVELS: [RatedLevel; 8] = [
    level(ELO_MIN, 2375.0, 695.0, 15.0),
    level(1264, 2000.0, 500.0, 12.0),
    level(1534, 1000.0, 400.0, 6.0),
    level(1818, 700.0, 230.0, 4.0),
    level(2155, 2560.0, 133.0, 4.0),
    level(2406, 7241.0, 66.0, 4.0),
    level(2770, 20_480.0, 0.0, 4.0),
    level(ELO_MAX, 26_700.0, 0.0, 4.0),
];
/// The lowest rating.
pub const ELO_MIN: i64 = 1000;
/// The highest rating.
pub const ELO_MAX: i64 = 2800;
/// The rating from which short mates are never missed.
const MATES_FROM: i64 = 1600;
/// The longest mate that counts as short (moves).
const MATE_MAX: usize = 3;
/// How often the lowest rating plays a mate in one, two and three that it has found (percent).
const MATES_SEEN: [u32; MATE_MAX] = [90, 60, 30];
const PERCENT: u32 = 100;

/// A chosen weakness.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handicap {
    /// Nodes for a move.
    pub nodes: u64,
    /// The greatest error of a score (pawns/100).
    pub error: i32,
    /// Moves that are compared.
    pub lines: usize,
    /// How often a mate in one, two and three is played once it was found (percent).
    pub mates: [u32; MATE_MAX],
    /// Seed of the errors.
    pub seed: u64,
}

impl Handicap {
    /// The weakness that belongs to a rating, with errors drawn from `seed`.
    pub fn of(elo: i64, seed: u64) -> Handicap {
        let elo = elo.clamp(ELO_MIN, ELO_MAX);
        let above = RATED_LEVELS.iter().position(|level| level.elo >= elo).unwrap_or(RATED_LEVELS.len() - 1);
        let [lower, upper] = [&RATED_LEVELS[above.saturating_sub(1)], &RATED_LEVELS[above]];
        let share = (elo - lower.elo) as f64 / (upper.elo - lower.elo).max(1) as f64;
        let nodes = lower.nodes * (upper.nodes / lower.nodes).powf(share);
        let error = lower.error + (upper.error - lower.error) * share;
        let lines = lower.lines + (upper.lines - lower.lines) * share;
        let share = ((elo - ELO_MIN) as f64 / (MATES_FROM - ELO_MIN) as f64).min(1.0);
        let mates = MATES_SEEN.map(|least| least + (f64::from(PERCENT - least) * share).round() as u32);
        Handicap {
            nodes: nodes.round() as u64,
            error: error.round() as i32,
            lines: lines.round() as usize,
            mates,
            seed,
        }
    }

    /// For a line with a short mate: how often it is played (percent), and the moves to mate.
    fn short_mate(&self, line: &SearchReport) -> Option<(u32, i32)> {
        let moves = line.score.mate_moves().filter(|&moves| moves > 0)?;
        self.mates.get(moves as usize - 1).map(|&seen| (seen, moves))
    }

    /// The draws at this point of a game.
    fn random(self, game: &Game) -> ChaCha8Rng {
        const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
        let place = game.position().key().wrapping_add(game.moves().len() as u64);
        ChaCha8Rng::seed_from_u64(place ^ self.seed.wrapping_mul(SPREAD))
    }

    /// How long to think about a move, or to seem to, where a clock would allow so much: longer or shorter by chance, and hardly at all
    /// where there is only one move.
    pub fn pause(self, allowed: Allotment, game: &Game) -> Duration {
        const SHARE: std::ops::RangeInclusive<u32> = 20..=130;
        const FORCED: u32 = 10;
        let share = self.random(game).random_range(SHARE);
        let forced = game.position().legal_moves().len() == 1;
        (allowed.soft * if forced { share / FORCED } else { share } / PERCENT).min(allowed.hard / 2)
    }

    /// Tightens the limits of a search.
    pub fn restrict(self, limits: &mut Limits) {
        limits.nodes = Some(limits.nodes.map_or(self.nodes, |nodes| nodes.min(self.nodes)));
        limits.lines = limits.lines.max(self.lines);
    }

    /// The index of the line to play.
    pub fn choose(self, lines: &[SearchReport], game: &Game) -> Option<usize> {
        let mut random = self.random(game);
        let mates = lines.iter().enumerate().filter_map(|(index, line)| Some((index, self.short_mate(line)?)));
        let seen = mates.filter(|&(_, (seen, _))| random.random_range(0..PERCENT) < seen);
        if let Some((index, _)) = seen.min_by_key(|&(_, (_, moves))| moves) {
            return Some(index);
        }
        let all_mate = lines.iter().all(|line| self.short_mate(line).is_some());
        let mut best: Option<(i32, usize)> = None;
        for (index, line) in lines.iter().enumerate().filter(|(_, line)| all_mate || self.short_mate(line).is_none()) {
            let believed = line.score.0 + random.random_range(-self.error..=self.error);
            if best.is_none_or(|(value, _)| believed > value) {
                best = Some((believed, index));
            }
        }
        best.map(|(_, index)| index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::testing::report;
    use quarterply_engine::score::{Ply, Score};

    fn line(number: usize, score: Score) -> SearchReport {
        SearchReport { number, ..report(1, score, Vec::new()) }
    }

    /// Games of random length, for different draws.
    fn games() -> Vec<Game> {
        let mut game = Game::new();
        let mut games = Vec::new();
        for index in 0..40 {
            let moves = game.position().legal_moves();
            game.play(moves[index % moves.len()]);
            games.push(game.clone());
        }
        games
    }

    #[test]
    fn a_higher_rating_sees_more_and_errs_less() {
        let steps: Vec<Handicap> = (ELO_MIN..=ELO_MAX).step_by(200).map(|elo| Handicap::of(elo, 0)).collect();
        assert!(
            steps.is_sorted_by(
                |a, b| a.lines >= b.lines && (a.nodes < b.nodes || a.error > b.error || a.lines > b.lines)
            ),
            "{steps:?}"
        );
        assert_eq!(Handicap::of(0, 0), Handicap::of(ELO_MIN, 0));
        assert_eq!(Handicap::of(ELO_MAX, 0).error, 0);
        for level in &RATED_LEVELS {
            let found = Handicap::of(level.elo, 0);
            assert_eq!((found.nodes as f64, f64::from(found.error)), (level.nodes, level.error), "{}", level.elo);
        }
    }

    #[test]
    fn weak_play_errs_by_its_seed() {
        let close = [line(1, Score(50)), line(2, Score(20)), line(3, Score(-30))];
        let games = games();
        let picks = |elo: i64, lines: &[SearchReport]| -> Vec<usize> {
            games.iter().filter_map(|game| Handicap::of(elo, 5).choose(lines, game)).collect()
        };
        let weak = picks(ELO_MIN, &close);
        assert_eq!(weak.len(), games.len());
        assert!((0..close.len()).all(|index| weak.contains(&index)), "{weak:?}");
        assert_eq!(weak, picks(ELO_MIN, &close), "the same seed plays the same game");
        let other: Vec<usize> = games.iter().filter_map(|game| Handicap::of(ELO_MIN, 6).choose(&close, game)).collect();
        assert_ne!(weak, other, "another seed plays another game");
        assert!(picks(ELO_MAX, &close).iter().all(|index| *index == 0));
        let mate = [line(1, Score::mate_in(Ply(7))), line(2, Score(900))];
        assert!(picks(ELO_MIN, &mate).iter().all(|index| *index == 0), "a longer mate is worth more than any error");
        assert_eq!(Handicap::of(ELO_MIN, 5).choose(&[], &games[0]), None);
    }

    /// Counts how often a mate in `plies` plies is chosen, out of 400 draws, if the other lines have the score `others`.
    fn mates_played(elo: i64, plies: u16, others: Score) -> usize {
        let lines = [line(1, others), line(2, Score::mate_in(Ply(plies))), line(3, others)];
        let games = games();
        let picks = (0..10).flat_map(|seed| games.iter().map(move |game| (seed, game)));
        picks.filter(|(seed, game)| Handicap::of(elo, *seed).choose(&lines, game) == Some(1)).count()
    }

    /// A mate in one was delayed for twelve moves, because the error is greater than the difference between two mates.
    #[test]
    fn a_short_mate_is_played_before_a_longer_one_from_1600_on() {
        const ALL: usize = 400;
        for elo in [MATES_FROM, 1900, 2400, ELO_MAX] {
            for (plies, others) in
                [(1, Score::mate_in(Ply(3))), (1, Score(900)), (3, Score::mate_in(Ply(7))), (5, Score(2000))]
            {
                assert_eq!(mates_played(elo, plies, others), ALL, "{elo}: mate in {plies} plies beside {others:?}");
            }
        }
    }

    #[test]
    fn lower_ratings_miss_longer_mates_more_often() {
        let ratings = [ELO_MIN, 1200, 1400, MATES_FROM];
        let played = ratings.map(|elo| [1, 3, 5].map(|plies| mates_played(elo, plies, Score(900))));
        for (elo, played) in ratings.iter().zip(&played) {
            assert!(*elo == MATES_FROM || played.is_sorted_by(|a, b| a > b), "{elo}: {played:?}");
        }
        assert!(played.is_sorted_by(|a, b| a.iter().zip(b).all(|(a, b)| a <= b)), "{played:?}");
        assert!(played[0][2] > 80 && played[0][2] < 160, "thirty per cent of 400: {played:?}");
        // If every line mates, one of them is played.
        let mates = [line(1, Score::mate_in(Ply(5))), line(2, Score::mate_in(Ply(5)))];
        assert!(games().iter().all(|game| Handicap::of(ELO_MIN, 1).choose(&mates, game).is_some()));
    }

    #[test]
    fn a_move_takes_the_time_of_a_person() {
        let allowed = Allotment { soft: Duration::from_secs(3), hard: Duration::from_secs(9) };
        let pauses: Vec<Duration> = games().iter().map(|game| Handicap::of(1500, 3).pause(allowed, game)).collect();
        assert!(pauses.iter().all(|pause| *pause <= Duration::from_secs(4)), "{pauses:?}");
        assert!(pauses.iter().any(|pause| *pause < Duration::from_secs(2)), "{pauses:?}");
        assert!(pauses.iter().any(|pause| *pause > Duration::from_millis(2500)), "{pauses:?}");
        let tight = Allotment { soft: Duration::from_secs(3), hard: Duration::from_secs(3) };
        assert!(games().iter().all(|game| Handicap::of(1500, 3).pause(tight, game) <= tight.hard / 2));
    }

    #[test]
    fn limits_only_get_tighter() {
        let handicap = Handicap::of(ELO_MIN, 0);
        let mut limits = Limits { nodes: Some(10), ..Limits::default() };
        handicap.restrict(&mut limits);
        assert_eq!((limits.nodes, limits.lines), (Some(10), handicap.lines));
        let mut limits = Limits { lines: 90, ..Limits::default() };
        handicap.restrict(&mut limits);
        assert_eq!((limits.nodes, limits.lines), (Some(handicap.nodes), 90));
    }
}
