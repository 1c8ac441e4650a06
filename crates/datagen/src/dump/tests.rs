use super::*;
use crate::testing::{game, views};
use quarterply_files::epd::parse_line;
use shakmaty::Position as _;

#[test]
fn lines_read_back_as_the_positions() {
    for number in 1..30 {
        let game = game(number);
        for view in views(&game) {
            let line = epd(&game, &view);
            let record = parse_line(&line, 1).expect("our own line");
            assert_eq!(record.position.board(), view.position.board(), "{line}");
            assert_eq!(record.best, [view.mv], "{line}");
            assert!(line.contains(&format!("ce {};", view.mover_score().expect("a score").0)), "{line}");
            let result = if game.ending == Ending::Sampled { "*" } else { game.outcome.text() };
            assert!(line.contains(&format!("c9 \"{result}\";")), "{line}");
        }
    }
}

#[test]
fn games_read_back_with_their_moves_and_scores() {
    for number in 1..30 {
        let game = game(number);
        if game.steps.is_empty() {
            continue;
        }
        let text = pgn(&game).expect("legal moves");
        let read = pgn::parse_annotated("x.pgn", text.as_bytes()).expect("our own game");
        assert_eq!((read.games.len(), read.skipped.len()), (1, 0), "{text}");
        let moves: Vec<_> = views(&game).iter().map(|view| view.mv).collect();
        assert_eq!(read.games[0].game.moves(), moves, "{text}");
        assert!(text.contains(&format!("[Result \"{}\"]", game.outcome.text())), "{text}");
        assert!(!text.contains("0n") && !text.contains("/0"), "{text}");
    }
}
