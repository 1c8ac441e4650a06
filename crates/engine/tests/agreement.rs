//! With every rule off the node loop is the textbook: the root values of both searches are equal.

use quarterply_engine::clock::Limits;
use quarterply_engine::evaluator::Evaluator;
use quarterply_engine::position::Game;
use quarterply_engine::profile;
use quarterply_engine::score::Score;
use quarterply_engine::search::classic::{self, ChessTree};
use quarterply_engine::search::pool::Engine;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const DEPTH_MAX: u16 = 4;
/// Positions reached by random moves.
const WALKS: usize = 200;
/// Positions that random moves do not reach: endings, promotions, mates and draws near at hand, castling, en passant.
const CHOSEN: &[&str] = &[
    "8/2P5/8/1k6/8/1K6/8/8 w - - 0 1",
    "8/8/8/8/8/k7/p7/K7 w - - 0 1",
    "7k/8/6K1/8/8/8/8/R7 w - - 97 90",
    "7k/8/5K2/8/8/8/8/R7 b - - 98 90",
    "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
    "k7/2Q5/1K6/8/8/8/8/8 w - - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "r3k2r/p6p/8/8/8/8/P6P/R3K2R b KQkq - 0 1",
    "4k3/2p5/8/3P4/8/8/8/4K3 b - - 0 1",
    "8/8/1k6/8/2pP4/8/5BK1/8 b - d3 0 1",
    "8/5P1k/8/8/8/8/1p5K/8 w - - 0 1",
    "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
    "8/8/4kpp1/3p4/3P1PP1/4K3/8/8 w - - 3 40",
    "2k5/8/8/8/8/8/5q2/7K w - - 0 1",
    "5rk1/5Npp/8/8/8/8/8/Q6K w - - 0 1",
    "r4rk1/ppp2ppp/8/8/8/8/PPP2PPP/R4RK1 w - - 0 1",
    "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
    "3r2k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 12 30",
];

/// The game after `plies` random moves; captures are preferred half the time, so that long walks reach endings.
fn walk(seed: u64, plies: usize) -> Game {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut game = Game::new();
    for _ in 0..plies {
        let moves = game.position().legal_moves();
        let captures: Vec<_> = moves.iter().copied().filter(|mv| mv.is_capture()).collect();
        let Some(&mv) = moves.get(random.random_range(0..moves.len().max(1))) else { break };
        let taking = !captures.is_empty() && random.random_range(0..2) == 0;
        game.play(if taking { captures[random.random_range(0..captures.len())] } else { mv });
        if game.draw().is_some() {
            break;
        }
    }
    game
}

fn textbook(game: &Game, depth: u16) -> Score {
    let mut evaluator = Evaluator::of(&profile::builtin("classic").expect("built in").evaluation_choice());
    let (mut tree, root) = ChessTree::new(game, depth, |position| evaluator.evaluate(position));
    classic::search(&mut tree, root, &mut ())
}

fn node_loop(engine: &mut Engine, game: &Game, depth: u16) -> Score {
    engine.new_game();
    engine.search_within(game, &Limits::depth(u32::from(depth))).report.score
}

#[test]
fn all_rules_off_equals_the_textbook() {
    let mut engine = Engine::new(profile::builtin("classic").expect("built in"));
    let chosen = CHOSEN.iter().map(|fen| Game::standard(fen).expect(fen));
    let walks = (0..).map(|seed| walk(seed, 4 + (seed as usize * 7) % 140));
    let unfinished = walks.filter(|game| !game.position().legal_moves().is_empty() && game.draw().is_none());
    for game in chosen.chain(unfinished.take(WALKS)) {
        for depth in 1..=DEPTH_MAX {
            let (expected, found) = (textbook(&game, depth), node_loop(&mut engine, &game, depth));
            assert_eq!(found, expected, "depth {depth}: {}", game.fen());
        }
    }
}
