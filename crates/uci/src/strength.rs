//! Playing weaker on purpose: `UCI_LimitStrength` and `UCI_Elo`.
//!
//! The nodes of a move are limited. A share of the moves is not calculated but estimated by static evaluation and static
//! exchange (`estimate`), so that the player misses tactics but protects its pieces. A random error, uniform within a
//! range, is added to each value before the moves are compared. Below [`PRINCIPLES_BELOW`] the first move comes from a table of moves that
//! people play, and the moves after it follow the principles of development (`opening`). All numbers are interpolated between the rows
//! of `RATED_LEVELS` by the rating: the nodes geometrically, the others linearly.
//!
//! The draw depends on a seed, the position and the number of moves played: games differ, and the same seed repeats a
//! game. With a clock or a fixed time for each move, the move is sent after a time that a human player might take. From the rating
//! [`MATES_FROM`] on, a mate in at most [`MATE_MAX`] moves that was found is always played, the shortest first. Lower ratings miss a
//! share of these mates, more of the longer ones, and of the recaptures.
//!
//! The scale was fitted by games between the levels and against Stockfish 15.1 at its skill levels, whose ratings its
//! authors have published, and checked by games against the previous method; `docs/results/strength.md` has the figures and their
//! errors.

mod estimate;
mod opening;

use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use quarterply_engine::clock::{Allotment, Limits};
use quarterply_engine::position::{Game, Position};
use quarterply_engine::report::SearchReport;
use quarterply_engine::score::Score;
use shakmaty::Move;

use estimate::{MoveEstimate, happens};

/// The settings of a rated level.
struct RatedLevel {
    elo: i64,
    nodes: f64,
    /// The greatest error of a score (pawns/100).
    error: f64,
    /// Moves that the search compares.
    lines: f64,
    /// Moves that are estimated without calculation (percent).
    missed: f64,
}

const fn level(elo: i64, nodes: f64, error: f64, lines: f64, missed: f64) -> RatedLevel {
    RatedLevel { elo, nodes, error, lines, missed }
}

/// Rated levels, from the weakest. The first and the last are interpolated; the last two use the scores of the search without error.
const RATED_LEVELS: [RatedLevel; 9] = [
    level(ELO_MIN, 2375.0, 305.0, 15.0, 95.0),
    level(1264, 2000.0, 203.0, 12.0, 88.0),
    level(1534, 1000.0, 120.0, 6.0, 73.0),
    level(1818, 700.0, 80.0, 4.0, 29.0),
    level(2000, 1410.0, 72.0, 4.0, 17.0),
    level(2155, 2560.0, 66.0, 4.0, 8.0),
    level(2406, 7241.0, 66.0, 4.0, 0.0),
    level(2770, 20_480.0, 0.0, 4.0, 0.0),
    level(ELO_MAX, 26_700.0, 0.0, 4.0, 0.0),
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
/// How often the lowest rating plays an obvious recapture (percent).
const RECAPTURES_SEEN: u32 = 95;
/// How often the lowest rating overlooks all captures of the opponent in a position (percent).
const OVERLOOKED: u32 = 12;
/// Ratings below this follow the table of first moves and the principles of the opening.
const PRINCIPLES_BELOW: i64 = 2200;
const PERCENT: u32 = 100;

/// The settings of a weaker player.
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
    /// How often a move is estimated without calculation (percent).
    pub missed: u32,
    /// How often these estimates overlook all captures of the opponent in a position (percent).
    pub overlooked: u32,
    /// How often an obvious recapture is played at once (percent).
    pub recaptures: u32,
    /// True if it follows the table of first moves and the principles of the opening.
    pub principles: bool,
    /// Seed of the errors.
    pub seed: u64,
}

impl Handicap {
    /// The settings of a rating, with errors drawn from `seed`.
    pub fn of(elo: i64, seed: u64) -> Handicap {
        let elo = elo.clamp(ELO_MIN, ELO_MAX);
        let above = RATED_LEVELS.iter().position(|level| level.elo >= elo).unwrap_or(RATED_LEVELS.len() - 1);
        let [lower, upper] = [&RATED_LEVELS[above.saturating_sub(1)], &RATED_LEVELS[above]];
        let share = (elo - lower.elo) as f64 / (upper.elo - lower.elo).max(1) as f64;
        let nodes = lower.nodes * (upper.nodes / lower.nodes).powf(share);
        let error = lower.error + (upper.error - lower.error) * share;
        let lines = lower.lines + (upper.lines - lower.lines) * share;
        let missed = lower.missed + (upper.missed - lower.missed) * share;
        let share = ((elo - ELO_MIN) as f64 / (MATES_FROM - ELO_MIN) as f64).min(1.0);
        let rising = |least: u32| least + (f64::from(PERCENT - least) * share).round() as u32;
        Handicap {
            nodes: nodes.round() as u64,
            error: error.round() as i32,
            lines: lines.round() as usize,
            mates: MATES_SEEN.map(rising),
            missed: missed.round() as u32,
            overlooked: PERCENT - rising(PERCENT - OVERLOOKED),
            recaptures: rising(RECAPTURES_SEEN),
            principles: elo < PRINCIPLES_BELOW,
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

    /// The time until the answer if a clock allows this much: longer or shorter at random, and very short if there is only one move.
    pub fn pause(self, allowed: Allotment, game: &Game) -> Duration {
        const SHARE: std::ops::RangeInclusive<u32> = 20..=130;
        const FORCED: u32 = 10;
        let share = self.random(game).random_range(SHARE);
        let forced = game.position().legal_moves().len() == 1;
        (allowed.soft * if forced { share / FORCED } else { share } / PERCENT).min(allowed.hard / 2)
    }

    /// The time until the answer if every move has the same time: a share of it, random and larger in difficult positions.
    pub fn pause_within(self, time: Duration, game: &Game) -> Duration {
        const SHARE: std::ops::RangeInclusive<u32> = 40..=90;
        time * self.random(game).random_range(SHARE) / PERCENT * difficulty(game) / PERCENT
    }

    /// Sets the limits of a search that determine its strength. Threads would share the nodes and play other games with the same seed, and
    /// more lines would leave fewer nodes for each.
    pub fn restrict(self, limits: &mut Limits) {
        limits.nodes = Some(limits.nodes.map_or(self.nodes, |nodes| nodes.min(self.nodes)));
        limits.lines = self.lines;
        limits.single_thread = true;
    }

    /// The index of the line to play. A move that was not among the lines is added to them, with its estimate as score. `allowed` are
    /// the moves to choose from, all if it is empty; `evaluate` is the static evaluation.
    pub fn choose(
        self,
        lines: &mut Vec<SearchReport>,
        game: &Game,
        allowed: &[Move],
        evaluate: &mut dyn FnMut(&Position) -> Score,
    ) -> Option<usize> {
        let mut random = self.random(game);
        let value = lines.first()?.score.0;
        if self.principles
            && allowed.is_empty()
            && let Some(mv) = opening::first_move(game, &mut random)
        {
            return index_of(lines, MoveEstimate { mv, value });
        }
        if let Some(index) = self.seen_mate(lines, &mut random) {
            return Some(index);
        }
        if let Some(index) = estimate::obvious_recapture(&self, lines, game)
            && happens(&mut random, self.recaptures)
        {
            return Some(index);
        }
        let considered = estimate::consider(&self, lines, game, allowed, evaluate, &mut random);
        estimate::prefer(&self, &considered, game, &mut random).and_then(|estimated| index_of(lines, estimated))
    }

    /// The shortest of the short mates that the player does not miss.
    fn seen_mate(&self, lines: &[SearchReport], random: &mut ChaCha8Rng) -> Option<usize> {
        let mates = lines.iter().enumerate().filter_map(|(index, line)| Some((index, self.short_mate(line)?)));
        let seen = mates.filter(|&(_, (seen, _))| happens(random, seen));
        seen.min_by_key(|&(_, (_, moves))| moves).map(|(index, _)| index)
    }
}

/// The share of the usual time for a position (percent): least for a forced move, little for recaptures and the first moves, more if there
/// are more moves to choose from.
fn difficulty(game: &Game) -> u32 {
    const FORCED: u32 = 10;
    const RECAPTURE: u32 = 50;
    const FIRST_MOVES: u32 = 50;
    const FIRST_MOVES_UNTIL: u32 = 4;
    const LEAST: u32 = 60;
    let position = game.position();
    let moves = position.legal_moves();
    let taken = game.moves().last().filter(|last| last.is_capture()).map(|last| last.to());
    if moves.len() == 1 {
        FORCED
    } else if moves.into_iter().any(|mv| mv.is_capture() && Some(mv.to()) == taken) {
        RECAPTURE
    } else if position.fullmoves() <= FIRST_MOVES_UNTIL {
        FIRST_MOVES
    } else {
        (LEAST + position.legal_moves().len() as u32).min(PERCENT)
    }
}

/// The index of the line that begins with the move; a new line is added if there is none.
fn index_of(lines: &mut Vec<SearchReport>, estimated: MoveEstimate) -> Option<usize> {
    let found = lines.iter().position(|line| line.line.first() == Some(&estimated.mv));
    if found.is_none() {
        let (score, number) = (Score(estimated.value), lines.len() + 1);
        let last = lines.last()?.clone();
        lines.push(SearchReport {
            depth: 1,
            seldepth: 1,
            number,
            score,
            table: None,
            line: vec![estimated.mv],
            ..last
        });
    }
    found.or(Some(lines.len() - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::testing::report;
    use quarterply_engine::score::Ply;
    use quarterply_engine::see::{balance, best_exchange};
    use shakmaty::{Color, Square};

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const SEEDS: u64 = 400;

    fn game(fen: &str, moves: &str) -> Game {
        let mut game = Game::standard(fen).expect("a position");
        game.play_line(moves.split_whitespace()).expect("legal moves");
        game
    }

    /// The game after White took a knight on c6; Black can take back with either pawn.
    fn exchange() -> Game {
        game(START, "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5c6")
    }

    /// Games of random length with a choice of moves and without captures, for different draws.
    fn games() -> Vec<Game> {
        const LEAST_MOVES: usize = 4;
        let mut game = Game::new();
        let mut games = Vec::new();
        for index in 0..40 {
            let moves: Vec<Move> = game.position().legal_moves().into_iter().filter(|mv| !mv.is_capture()).collect();
            let quiet = |mv: &&Move| game.position().play(**mv).legal_moves().len() >= LEAST_MOVES;
            let mv = *moves.iter().cycle().skip(index).take(moves.len()).find(quiet).expect("a quiet move");
            game.play(mv);
            games.push(game.clone());
        }
        games
    }

    /// The line that is chosen of lines with these scores by a player that may play their first moves only. All static estimates are equal.
    fn choice(handicap: Handicap, game: &Game, scores: &[Score]) -> Option<usize> {
        let moves = game.position().legal_moves();
        let line = |(score, mv): (&Score, &Move)| report(1, *score, vec![*mv]);
        let mut lines: Vec<SearchReport> = scores.iter().zip(&moves).map(line).collect();
        let chosen = handicap.choose(&mut lines, game, &moves[..scores.len()], &mut |_| Score::DRAW);
        assert_eq!(lines.len(), scores.len(), "no move was added");
        chosen
    }

    /// `score mate 0` told the GUI that the engine was mated.
    #[test]
    fn a_mating_move_that_was_not_searched_is_a_mate_in_one() {
        let mut game = game("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "");
        let [mate, other] = ["a1a8", "g1f1"].map(|text| game.clone().play_uci(text).expect("legal"));
        let mates = (0..SEEDS).filter_map(|seed| {
            let mut lines = vec![report(1, Score(400), vec![other])];
            let chosen = Handicap::of(1600, seed).choose(&mut lines, &game, &[], &mut |_| Score::DRAW)?;
            (lines[chosen].line[0] == mate).then(|| lines[chosen].score.mate_moves())
        });
        let mates: Vec<Option<i32>> = mates.collect();
        assert!(!mates.is_empty() && mates.iter().all(|moves| *moves == Some(1)), "{mates:?}");
        game.play(mate);
        assert!(game.position().legal_moves().is_empty(), "it mates");
    }

    #[test]
    fn a_higher_rating_sees_more_and_errs_less() {
        let steps: Vec<Handicap> = (ELO_MIN..=ELO_MAX).step_by(200).map(|elo| Handicap::of(elo, 0)).collect();
        assert!(
            steps.is_sorted_by(|a, b| a.lines >= b.lines
                && a.missed >= b.missed
                && a.overlooked >= b.overlooked
                && a.recaptures <= b.recaptures
                && (a.nodes < b.nodes || a.error > b.error || a.lines > b.lines)),
            "{steps:?}"
        );
        assert_eq!(Handicap::of(0, 0), Handicap::of(ELO_MIN, 0));
        let best = Handicap::of(ELO_MAX, 0);
        assert_eq!((best.error, best.missed, best.overlooked, best.recaptures), (0, 0, 0, PERCENT));
        for level in &RATED_LEVELS {
            let found = Handicap::of(level.elo, 0);
            let numbers = (found.nodes as f64, f64::from(found.error), f64::from(found.missed));
            assert_eq!(numbers, (level.nodes, level.error, level.missed), "{}", level.elo);
        }
        assert!(Handicap::of(PRINCIPLES_BELOW - 1, 0).principles && !Handicap::of(PRINCIPLES_BELOW, 0).principles);
    }

    #[test]
    fn weak_play_errs_by_its_seed() {
        let close = [Score(50), Score(20), Score(-30)];
        let games = games();
        let picks = |elo: i64, seed: u64, scores: &[Score]| -> Vec<usize> {
            games.iter().filter_map(|game| choice(Handicap::of(elo, seed), game, scores)).collect()
        };
        let weak = picks(ELO_MIN, 5, &close);
        assert_eq!(weak.len(), games.len());
        assert!((0..close.len()).all(|index| weak.contains(&index)), "{weak:?}");
        assert_eq!(weak, picks(ELO_MIN, 5, &close), "the same seed plays the same game");
        assert_ne!(weak, picks(ELO_MIN, 6, &close), "another seed plays another game");
        assert!(picks(ELO_MAX, 5, &close).iter().all(|index| *index == 0));
        let mate = [Score::mate_in(Ply(7)), Score(900)];
        assert!(picks(2406, 5, &mate).iter().all(|index| *index == 0), "a longer mate is worth more than any error");
        assert_eq!(choice(Handicap::of(ELO_MIN, 5), &games[0], &[]), None);
    }

    /// The balance of material for the side to move.
    fn material(position: &Position) -> Score {
        if position.turn() == Color::White { balance(position) } else { -balance(position) }
    }

    /// How often a level plays a move for which `accepts` is true, in percent of many seeds. The search finds the score `found` (pawns/100)
    /// for the move `first`, and for the others the material that is left after the best exchange.
    fn played(elo: i64, game: &Game, first: &str, found: i32, accepts: impl Fn(Move) -> bool) -> f64 {
        let best = game.parse_uci(first).expect("a legal move");
        let others = game.position().legal_moves().into_iter().filter(|mv| *mv != best);
        let moves = [best].into_iter().chain(others).take(Handicap::of(elo, 0).lines);
        let left = |after: &Position| -material(after) - best_exchange(after);
        let score = |mv: Move| if mv == best { Score(found) } else { left(&game.position().play(mv)) };
        let lines: Vec<SearchReport> = moves.map(|mv| report(1, score(mv), vec![mv])).collect();
        let chosen = |seed: &u64| {
            let mut lines = lines.clone();
            let index = Handicap::of(elo, *seed).choose(&mut lines, game, &[], &mut material).expect("a move");
            accepts(lines[index].line[0])
        };
        f64::from(PERCENT) * (0..SEEDS).filter(chosen).count() as f64 / SEEDS as f64
    }

    #[test]
    fn obvious_recaptures_are_played() {
        let retakes = |mv: Move| mv.is_capture() && mv.to() == Square::C6;
        for (elo, percent) in [(ELO_MIN, 93.0), (1200, 95.0), (MATES_FROM, 100.0), (2000, 100.0)] {
            let found = played(elo, &exchange(), "d7c6", 300, retakes);
            assert!(found >= percent, "{elo}: {found} %");
        }
    }

    /// The queen on d5 is attacked by the pawn on c4.
    #[test]
    fn a_queen_is_not_left_where_a_pawn_takes_it() {
        let game = game("rnb1kb1r/ppp1pppp/5n2/3q4/2PP4/5N2/PP3PPP/RNBQKB1R b KQkq - 0 5", "");
        let saves = |mv: Move| best_exchange(&game.position().play(mv)) < Score(500);
        for (elo, percent) in [(ELO_MIN, 80.0), (1200, 90.0), (MATES_FROM, 99.0), (2000, 99.0)] {
            let found = played(elo, &game, "d5d8", 900, saves);
            assert!(found >= percent, "{elo}: {found} %");
        }
    }

    /// The queen takes a knight that the rook protects: even a careless player considers recaptures.
    #[test]
    fn a_queen_does_not_take_protected_pieces() {
        let game = game("3rk3/3n4/8/8/8/8/8/3QK3 w - - 0 20", "");
        for elo in [ELO_MIN, 1200, MATES_FROM] {
            assert_eq!(played(elo, &game, "e1f2", 130, |mv| mv.to() != Square::D7), 100.0, "{elo}");
        }
    }

    /// The knight forks king and rook on c7, which no static exchange shows.
    #[test]
    fn lower_ratings_miss_tactics_more_often() {
        let game = game("r3k3/8/8/1N6/8/8/5PPP/6K1 w - - 0 30", "");
        let fork = |mv: Move| mv.to() == Square::C7;
        let found = [ELO_MIN, 1300, MATES_FROM, 2000, 2406].map(|elo| played(elo, &game, "b5c7", 500, fork));
        assert!(found.is_sorted(), "{found:?}");
        assert!(found[0] < 50.0 && found[4] == 100.0, "{found:?}");
    }

    /// Counts how often a mate in `plies` plies is chosen, out of 400 draws, if the other lines have the score `others`.
    fn mates_played(elo: i64, plies: u16, others: Score) -> usize {
        let scores = [others, Score::mate_in(Ply(plies)), others];
        let games = games();
        let picks = (0..10).flat_map(|seed| games.iter().map(move |game| (seed, game)));
        picks.filter(|(seed, game)| choice(Handicap::of(elo, *seed), game, &scores) == Some(1)).count()
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
        let mates = [Score::mate_in(Ply(5)); 2];
        assert!(games().iter().all(|game| choice(Handicap::of(ELO_MIN, 1), game, &mates).is_some()));
    }

    #[test]
    fn a_move_takes_the_time_of_a_person() {
        let allowed = Allotment { soft: Duration::from_secs(3), hard: Duration::from_secs(9), exact: false };
        let pauses: Vec<Duration> = games().iter().map(|game| Handicap::of(1500, 3).pause(allowed, game)).collect();
        assert!(pauses.iter().all(|pause| *pause <= Duration::from_secs(4)), "{pauses:?}");
        assert!(pauses.iter().any(|pause| *pause < Duration::from_secs(2)), "{pauses:?}");
        assert!(pauses.iter().any(|pause| *pause > Duration::from_millis(2500)), "{pauses:?}");
        let tight = Allotment { hard: Duration::from_secs(3), ..allowed };
        assert!(games().iter().all(|game| Handicap::of(1500, 3).pause(tight, game) <= tight.hard / 2));
    }

    #[test]
    fn a_fixed_time_is_used_by_the_difficulty_of_the_position() {
        const TIME: Duration = Duration::from_secs(10);
        let mean = |game: &Game| {
            let pauses: Vec<Duration> =
                (0..SEEDS).map(|seed| Handicap::of(1500, seed).pause_within(TIME, game)).collect();
            assert!(pauses.iter().all(|pause| *pause <= TIME * 9 / 10), "{pauses:?}");
            assert!(pauses.iter().min() != pauses.iter().max());
            pauses.iter().sum::<Duration>() / SEEDS as u32
        };
        let forced = mean(&game("7k/8/6K1/8/8/8/8/R7 b - - 0 20", ""));
        let retaking = mean(&exchange());
        let middle = mean(&game("r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P4/2PBPN2/PP1N1PPP/R1BQ1RK1 w - - 0 9", ""));
        assert!(forced < TIME / 10 && forced > Duration::ZERO, "{forced:?}");
        assert!(forced < retaking && retaking < middle, "{forced:?} {retaking:?} {middle:?}");
        assert!(middle > TIME / 2, "{middle:?}");
    }

    #[test]
    fn the_level_alone_determines_lines_and_threads() {
        let handicap = Handicap::of(ELO_MIN, 0);
        let mut limits = Limits::nodes(10);
        handicap.restrict(&mut limits);
        assert_eq!((limits.nodes, limits.lines), (Some(10), handicap.lines));
        let mut limits = Limits { lines: 90, ..Limits::default() };
        handicap.restrict(&mut limits);
        assert_eq!((limits.nodes, limits.lines, limits.single_thread), (Some(handicap.nodes), handicap.lines, true));
    }
}
