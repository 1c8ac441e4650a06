use super::*;
use crate::record::GameOutcome;
use crate::testing::{game, views};

/// A game from a FEN, with moves in UCI notation and White's scores.
fn played(fen: &str, steps: &[(&str, i16)]) -> GameRecord {
    let start = quarterply_engine::position::Game::standard(fen).expect(fen);
    let mut line = start.clone();
    let mut record = GameRecord { start: start.position().chess().clone(), steps: Vec::new(), ..game(1) };
    for (text, score) in steps {
        let raw = crate::viriformat::encode_move(line.play_uci(text).expect(text));
        record.steps.push(StoredMove { raw, score: *score });
    }
    record
}

const FEN: &str = "4k3/P7/8/3p4/4P3/8/8/R3K3 w Q - 0 30";

fn sample() -> GameRecord {
    let steps =
        [("e4d5", 300), ("e8d7", 310), ("a7a8q", 900), ("d7d6", 950), ("a1a6", 2500), ("d6c5", 2600), ("e1c1", 0)];
    let mut game = played(FEN, &steps[..6]);
    (game.outcome, game.ending) = (GameOutcome::White, Ending::WonByScore);
    game
}

#[test]
fn positions_have_their_move_score_and_result() {
    let game = sample();
    let views = views(&game);
    let flags: Vec<(bool, bool)> = views.iter().map(|view| (view.in_check, view.noisy)).collect();
    assert_eq!(flags, [(false, true), (false, false), (false, true), (false, false), (false, false), (true, false)]);
    let places: Vec<(usize, usize, u32)> = views.iter().map(|view| (view.index, view.left, view.ply)).collect();
    assert_eq!(places[0], (0, 6, 58));
    assert_eq!(places[5], (5, 1, 63));
    assert_eq!(views[0].position.fen(), FEN);
    assert_eq!((views[0].mover_score(), views[1].mover_score()), (Some(Score(300)), Some(Score(-310))));
    assert_eq!((views[0].mover_points(), views[1].mover_points()), (Some(1.0), Some(0.0)));
    assert_eq!(views[5].position.fen().split(' ').next(), Some("Q7/8/R2k4/3P4/8/8/8/4K3"));
}

#[test]
fn each_part_of_the_filter_leaves_its_positions_out() {
    let game = sample();
    let kept = |filter: Filter| -> Vec<usize> {
        views(&game).iter().filter(|view| filter.keeps(view)).map(|view| view.index).collect()
    };
    let all = Filter::ALL;
    assert_eq!(kept(all), [0, 1, 2, 3, 4, 5]);
    assert_eq!(kept(Filter { checks: false, ..all }), [0, 1, 2, 3, 4]);
    assert_eq!(kept(Filter { noisy: false, ..all }), [1, 3, 4, 5]);
    assert_eq!(kept(Filter { score_max: 950, ..all }), [0, 1, 2, 3]);
    assert_eq!(kept(Filter { first: 2, ..all }), [2, 3, 4, 5]);
    assert_eq!(kept(Filter { drawn_tail: 2, ..all }), [0, 1, 2, 3, 4, 5]);
    assert_eq!(kept(Filter::DEFAULT), [1, 3]);
    assert_eq!(Filter::DEFAULT.count(&game), Ok(2));
    let drawn = GameRecord { outcome: GameOutcome::Draw, ending: Ending::DrawnByScore, ..sample() };
    assert_eq!(Filter { drawn_tail: 2, ..all }.count(&drawn), Ok(4));
}

#[test]
fn an_illegal_move_is_named_with_its_place() {
    let mut game = sample();
    game.number = 12;
    game.steps[2].raw = game.steps[0].raw;
    let views: Vec<_> = game.replay().collect();
    assert_eq!(views.len(), 3);
    let message = views[2].as_ref().expect_err("illegal").to_string();
    assert!(message.contains("game 12: move 3 (0x08dc) is illegal in 8/P2k4/8/3P4/8/8/8/R3K3 w"), "{message}");
}
