use super::*;
use crate::testing::game;

/// The position as the crate reads it from a text.
fn from_text(view: &GamePosition) -> ChessBoard {
    let result = view.outcome.points();
    format!("{} | {} | {result:.1}", view.position.fen(), view.score.expect("a score").0).parse().expect("a good line")
}

#[test]
fn positions_are_those_that_the_crate_reads_from_text() {
    let mut seen = 0;
    for number in 1..60 {
        let mut game = game(number);
        // The crate cannot turn the lowest number round.
        game.steps.iter_mut().for_each(|step| step.score = step.score.clamp(-32_001, 32_001));
        let mut bytes = Vec::new();
        let done = convert(&game, Target::Bulletformat, &Filter::ALL, &mut bytes).expect("legal moves");
        assert_eq!(
            (done.positions as usize, bytes.len()),
            (game.steps.len(), size_of::<ChessBoard>() * game.steps.len())
        );
        for (view, bytes) in game.replay().zip(bytes.chunks(size_of::<ChessBoard>())) {
            let view = view.expect("a legal move");
            assert_eq!(bytes, ChessBoard::as_bytes_slice(&[from_text(&view)]), "{}", view.position.fen());
            seen += usize::from(view.turn().is_black());
        }
    }
    assert!(seen > 100);
}

#[test]
fn the_filter_chooses_positions_but_not_moves_of_games() {
    let game = game(8);
    let count = |target, filter| convert(&game, target, &filter, &mut Vec::new()).expect("legal moves").positions;
    assert_eq!(count(Target::Bulletformat, Filter::DEFAULT), Filter::DEFAULT.count(&game).expect("legal"));
    assert!(count(Target::Bulletformat, Filter::DEFAULT) < count(Target::Bulletformat, Filter::ALL));
    assert_eq!(count(Target::Viriformat, Filter::DEFAULT), game.steps.len() as u64);
}

#[test]
fn positions_before_a_random_move_are_left_out_and_counted() {
    let mut game = game(8);
    let all = game.steps.len() as u64;
    game.random_until = 2;
    let done = convert(&game, Target::Bulletformat, &Filter::ALL, &mut Vec::new()).expect("legal moves");
    assert_eq!(done, Conversion { positions: all - 2, left_out: 2 });
    let whole = convert(&game, Target::Viriformat, &Filter::ALL, &mut Vec::new()).expect("legal moves");
    assert_eq!(whole, Conversion { positions: all, left_out: 0 });
}
