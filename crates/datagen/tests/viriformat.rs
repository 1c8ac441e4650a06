//! Our games against the crate that others read them with.

use quarterply_datagen::opening::{random_opening, stream};
use quarterply_datagen::record::{Ending, GameOutcome, GameRecord, StoredMove};
use quarterply_datagen::viriformat::encode_move;
use quarterply_engine::position::Game as Line;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Color, EnPassantMode, Position};
use std::io::BufReader;
use viriformat::dataformat::{Game, WDL};

/// Games at random from here and there, so that castling, en passant and promotions are among their moves.
fn games() -> Vec<(Line, GameRecord)> {
    let starts = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 7 20",
        "8/PPPP4/8/k3pP2/7K/8/2pppp2/8 w - e6 0 31",
    ];
    let mut games = Vec::new();
    for number in 0..60 {
        let fen = starts[number % starts.len()];
        let start = Line::from_fen(fen, CastlingMode::Standard).expect(fen);
        let mut rng = stream(9, number as u64);
        let Some(line) = (0..50).find_map(|_| random_opening(&mut rng, &start, 20..=60)) else { continue };
        let step =
            |(index, mv): (usize, &shakmaty::Move)| StoredMove { raw: encode_move(*mv), score: index as i16 * 7 - 100 };
        let record = GameRecord {
            random_until: 3,
            number: number as u64,
            start: start.position().chess().clone(),
            mode: CastlingMode::Standard,
            outcome: GameOutcome::ALL[number % 3],
            ending: Ending::Checkmate,
            steps: line.moves().iter().enumerate().map(step).collect(),
        };
        games.push((line, record));
    }
    games
}

/// A FEN without its en passant square, which programs note by different rules.
fn fields(fen: &str) -> Vec<String> {
    fen.split(' ').enumerate().filter(|(index, _)| *index != 3).map(|(_, field)| field.to_owned()).collect()
}

#[test]
fn the_reference_crate_reads_the_same_positions() {
    let games = games();
    assert!(games.len() > 50);
    let (mut castled, mut passant, mut promoted) = (0, 0, 0);
    for (line, record) in games {
        let theirs = Game::deserialise_from(&mut BufReader::new(&*record.encode()), Vec::new()).expect("their reader");
        let mut seen = Vec::new();
        theirs.visit_positions(|board, score| seen.push((board.to_string(), score, board.clone().legal_moves().len())));
        assert_eq!(seen.len(), record.steps.len());
        for (view, (fen, score, legal)) in record.replay().zip(seen) {
            let view = view.expect("a legal move");
            let ours = Fen::from_position(view.position.chess(), EnPassantMode::Legal).to_string();
            assert_eq!(fields(&ours), fields(&fen));
            assert_eq!((view.score.expect("a score").0, view.position.legal_moves().len()), (score, legal), "{ours}");
            castled += usize::from(view.mv.is_castle());
            passant += usize::from(view.mv.is_en_passant());
            promoted += usize::from(view.mv.is_promotion());
        }
        let wdl = match record.outcome {
            GameOutcome::White => WDL::Win,
            GameOutcome::Draw => WDL::Draw,
            GameOutcome::Black => WDL::Loss,
        };
        assert_eq!(theirs.outcome(), wdl);
        // Files of that crate can be read: everything except the ending, which it does not store.
        let mut bytes = Vec::new();
        theirs.serialise_into(&mut bytes).expect("written to memory");
        let back = GameRecord::decode(record.number, &bytes).expect("their bytes");
        assert_eq!(back, record);
        let last = record.replay().last().expect("a move").expect("legal");
        assert_eq!(last.position.play(last.mv).fen(), line.fen());
    }
    assert!(castled > 0 && passant > 0 && promoted > 0, "{castled} {passant} {promoted}");
}

#[test]
fn games_of_the_reference_crate_are_read() {
    let mut board = viriformat::chess::board::Board::new();
    board.set_from_fen("4k3/8/8/8/8/8/8/Q3K3 b - - 3 9", false).expect("a good FEN");
    let mut bytes = Vec::new();
    Game::new(&board).serialise_into(&mut bytes).expect("written to memory");
    let game = GameRecord::decode(1, &bytes).expect("their bytes");
    assert_eq!((game.start.turn(), game.start.halfmoves(), game.ending), (Color::Black, 3, Ending::Unknown));
    assert_eq!(game.start.fullmoves().get(), 9);
}
