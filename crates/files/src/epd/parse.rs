//! One line of EPD.

use super::{EpdError, Operand, Operation, Record};
use quarterply_engine::notation::{self, MoveTextError};
use quarterply_engine::position::{DroppedRights, castling_mode, from_setup_lossy, is_of_variant};
use shakmaty::fen::Fen;
use shakmaty::{Chess, Move, Setup};
use std::num::NonZeroU32;

/// Fields of a FEN that describe the board.
const FIELDS: usize = 4;
/// Fields of a FEN with both counters.
const FIELDS_WITH_COUNTERS: usize = 6;

/// The valid values of `dm`, for messages.
const MATES: &str = "1 to 2147483647, or below 0 if the side to move is mated";

/// Reads one line. `line` is its number in the file, for messages of the caller.
pub fn parse_line(text: &str, line: usize) -> Result<Record, EpdError> {
    let (fields, operations) = split_fields(text)?;
    let mut setup = parse_fen(&fields)?;
    let operations = split_operations(operations)?;
    apply_counters(&mut setup, &operations)?;
    let fen = fields.join(" ");
    let mode = castling_mode(&setup);
    let (position, rooks) =
        from_setup_lossy(setup, mode).map_err(|reason| EpdError::Position { text: fen.clone(), reason })?;
    let dropped = DroppedRights::of(&fen, rooks);
    let mut record = Record { line, dropped, ..Record::new(position, mode) };
    for operation in operations {
        apply(&mut record, operation)?;
    }
    Ok(record)
}

/// Reads a move in any notation that [`notation`] knows. `name` is the opcode, for the message.
pub fn parse_move(position: &Chess, name: &str, text: &str) -> Result<Move, EpdError> {
    notation::read_move(position, text).map_err(|error| {
        let (name, text) = (name.to_owned(), text.to_owned());
        match error {
            MoveTextError::Unreadable => EpdError::Move { name, text },
            MoveTextError::Illegal => EpdError::Illegal { name, text, why: "not legal" },
            MoveTextError::Ambiguous => EpdError::Illegal { name, text, why: "ambiguous" },
        }
    })
}

/// The fields of the FEN and the rest of the line.
fn split_fields(text: &str) -> Result<(Vec<&str>, &str), EpdError> {
    let mut fields = Vec::with_capacity(FIELDS_WITH_COUNTERS);
    let mut rest = text.trim();
    while fields.len() < FIELDS_WITH_COUNTERS {
        let end = rest.find(|c: char| c.is_whitespace() || c == ';').unwrap_or(rest.len());
        let field = &rest[..end];
        let counter = fields.len() >= FIELDS;
        if field.is_empty() || counter && !field.bytes().all(|b| b.is_ascii_digit()) {
            break;
        }
        fields.push(field);
        rest = rest[end..].trim_start();
    }
    if fields.len() < FIELDS {
        return Err(EpdError::Fields { found: fields.len(), text: text.trim().to_owned() });
    }
    Ok((fields, rest))
}

fn parse_fen(fields: &[&str]) -> Result<Setup, EpdError> {
    let text = fields.join(" ");
    let fen: Fen = text
        .parse()
        .map_err(|e: shakmaty::fen::ParseFenError| EpdError::Fen { text: text.clone(), reason: e.to_string() })?;
    let setup = fen.into_setup();
    if is_of_variant(&setup) {
        return Err(EpdError::Fen { text, reason: "it belongs to a variant of chess".to_owned() });
    }
    Ok(setup)
}

/// Cuts `bm Nf3 e4; id "one";` into operations; blanks and `;` inside quotation marks do not cut.
fn split_operations(text: &str) -> Result<Vec<Operation>, EpdError> {
    let mut operations = Vec::new();
    let mut words: Vec<Operand> = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let used = match first {
            ';' => {
                finish(&mut operations, &mut words);
                1
            }
            '"' => {
                let length = rest[1..].find('"').ok_or_else(|| EpdError::Quotation { text: rest.to_owned() })?;
                words.push(Operand { text: rest[1..=length].to_owned(), quoted: true });
                length + "\"\"".len()
            }
            _ => {
                let end = rest.find(|c: char| c.is_whitespace() || c == ';' || c == '"').unwrap_or(rest.len());
                words.push(Operand { text: rest[..end].to_owned(), quoted: false });
                end
            }
        };
        rest = rest[used..].trim_start();
    }
    finish(&mut operations, &mut words);
    Ok(operations)
}

/// Ends an operation at its `;` or at the end of the line. A redundant `;` is ignored.
fn finish(operations: &mut Vec<Operation>, words: &mut Vec<Operand>) {
    let mut words = std::mem::take(words).into_iter();
    if let Some(name) = words.next() {
        operations.push(Operation { name: name.text, operands: words.collect() });
    }
}

/// `hmvc` and `fmvn` belong to the position: they are read before it is built.
fn apply_counters(setup: &mut Setup, operations: &[Operation]) -> Result<(), EpdError> {
    for operation in operations {
        match operation.name.as_str() {
            "hmvc" => setup.halfmoves = number(operation, "0 to 4294967295")?,
            "fmvn" => {
                let count: u32 = number(operation, "1 to 4294967295")?;
                setup.fullmoves = NonZeroU32::new(count).unwrap_or(NonZeroU32::MIN);
            }
            _ => {}
        }
    }
    Ok(())
}

fn apply(record: &mut Record, operation: Operation) -> Result<(), EpdError> {
    match operation.name.as_str() {
        "hmvc" | "fmvn" => {}
        "bm" => apply_best(record, &operation)?,
        "am" => record.avoid.extend(moves(&record.position, &operation)?),
        "dm" => match number(&operation, MATES)? {
            0 => return Err(bad_number(&operation, MATES)),
            count => record.mate = Some(count),
        },
        "id" => record.id = Some(joined(&operation)?),
        "c0" => match points(&record.position, &operation)? {
            Some(points) => record.points.extend(points),
            None => record.others.push(operation),
        },
        name => match count_depth(name) {
            Some(depth) => record.counts.push((depth, number(&operation, "0 to 18446744073709551615")?)),
            None => record.others.push(operation),
        },
    }
    Ok(())
}

/// The depth in `D5`.
fn count_depth(name: &str) -> Option<u32> {
    let digits = name.strip_prefix('D')?;
    if digits.bytes().all(|b| b.is_ascii_digit()) { digits.parse().ok() } else { None }
}

/// The moves of `bm`, and the mate of `bm #2`.
fn apply_best(record: &mut Record, operation: &Operation) -> Result<(), EpdError> {
    let (mates, others): (Vec<&Operand>, Vec<&Operand>) =
        operation.operands.iter().partition(|operand| mate_of(&operand.text).is_some());
    if let Some(mate) = mates.last() {
        record.mate = mate_of(&mate.text);
    }
    if mates.is_empty() || !others.is_empty() {
        let operands = others.into_iter().cloned().collect();
        record.best.extend(moves(&record.position, &Operation { name: operation.name.clone(), operands })?);
    }
    Ok(())
}

/// The moves to mate in `#2`, `M2` or `#-2`; `None` for other text.
fn mate_of(text: &str) -> Option<i32> {
    let (outer, rest) = split_sign(text);
    let (inner, digits) = split_sign(rest.strip_prefix(['#', 'M', 'm'])?);
    let sign = match (outer, inner) {
        (Some(_), Some(_)) => return None,
        (sign, None) | (None, sign) => sign,
    };
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit());
    let count: i32 = digits.parse().ok().filter(|count| is_number && *count > 0)?;
    Some(if sign == Some('-') { -count } else { count })
}

fn split_sign(text: &str) -> (Option<char>, &str) {
    match text.strip_prefix(['+', '-']) {
        Some(rest) => (text.chars().next(), rest),
        None => (None, text),
    }
}

fn moves(position: &Chess, operation: &Operation) -> Result<Vec<Move>, EpdError> {
    let text = joined(operation)?;
    let words = text.split(|c: char| c.is_whitespace() || c == ',');
    let words: Vec<&str> = words.filter(|word| !word.is_empty() && !notation::is_annotation(word)).collect();
    if words.is_empty() {
        return Err(EpdError::Operand { name: operation.name.clone() });
    }
    words.into_iter().map(|word| parse_move(position, &operation.name, word)).collect()
}

/// The moves and points of `c0 "f5=10, Be5+=2"`; `None` if it is an ordinary comment.
fn points(position: &Chess, operation: &Operation) -> Result<Option<Vec<(Move, i32)>>, EpdError> {
    let text = joined(operation)?;
    let mut pairs = Vec::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        match part.rsplit_once('=') {
            Some((mv, points)) if !mv.is_empty() && !mv.contains(char::is_whitespace) => match points.trim().parse() {
                Ok(points) => pairs.push((mv, points)),
                Err(_) => return Ok(None),
            },
            _ => return Ok(None),
        }
    }
    if pairs.is_empty() {
        return Ok(None);
    }
    let read = |(mv, points): (&str, i32)| Ok((parse_move(position, &operation.name, mv)?, points));
    pairs.into_iter().map(read).collect::<Result<_, _>>().map(Some)
}

fn joined(operation: &Operation) -> Result<String, EpdError> {
    if operation.operands.is_empty() {
        return Err(EpdError::Operand { name: operation.name.clone() });
    }
    Ok(operation.operands.iter().map(|operand| operand.text.as_str()).collect::<Vec<_>>().join(" "))
}

fn number<T: std::str::FromStr>(operation: &Operation, range: &'static str) -> Result<T, EpdError> {
    let first = operation.operands.first().ok_or_else(|| EpdError::Operand { name: operation.name.clone() })?;
    first.text.parse().map_err(|_| bad_number(operation, range))
}

fn bad_number(operation: &Operation, range: &'static str) -> EpdError {
    let text = operation.operands.first().map(|operand| operand.text.clone()).unwrap_or_default();
    EpdError::Number { name: operation.name.clone(), text, range }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::position::HALFMOVES_MAX;
    use shakmaty::CastlingMode;
    use shakmaty::uci::UciMove;

    const ROOKS: &str = "r3k2r/8/8/8/8/8/1P6/R3K2R w KQkq -";
    const PASSANT: &str = "4k3/8/8/4Pp2/8/8/8/4K1N1 w - f6";

    fn names(record: &Record, moves: &[Move]) -> Vec<String> {
        moves.iter().map(|mv| UciMove::from_move(*mv, record.mode).to_string()).collect()
    }

    #[test]
    fn a_halfmove_clock_beyond_chess_counts_as_the_largest_there_is() {
        for line in ["8/8/8/3k4/8/8/8/KQ6 w - - 99999999999 90", "8/8/8/3k4/8/8/8/KQ6 w - - hmvc 4294967295; id \"x\";"]
        {
            let record = parse_line(line, 1).expect("a position");
            assert_eq!(shakmaty::Position::halfmoves(&record.position), HALFMOVES_MAX, "{line}");
        }
    }

    /// The engine has the tests of the notations; here they stand among other words.
    #[test]
    fn moves_are_read_with_the_words_around_them() {
        for (fen, text, uci) in [
            (ROOKS, "Rxa8+!", "a1a8"),
            (ROOKS, "0-0-0", "e1c1"),
            (ROOKS, "b2b4", "b2b4"),
            (PASSANT, "exf6e.p.", "e5f6"),
            (PASSANT, "exf6 e.p.", "e5f6"),
            (PASSANT, "Nf3 !?", "g1f3"),
        ] {
            let record = parse_line(&format!("{fen} bm {text};"), 1).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(names(&record, &record.best), [uci], "{text}");
        }
    }

    /// Lines from public reports on other programs.
    #[test]
    fn lines_of_other_programs_are_read() {
        const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        let queens = "2Q4Q/R4Q2/3Q4/1Q4Q1/4Q3/2Q4K/Q4RNp/3B1Nkq w - - acd 5; acs 0; bm Nfe3 Nge3+ Q3c4 Qbb1 Qca1 R7a3";
        for (report, line, best) in [
            (
                "niklasf/python-chess#340",
                "r2qk2r/ppp1b1pp/2n1p3/3pP1n1/3P2b1/2PB1NN1/PP4PP/R1BQK2R w KQkq - bm Nxg5; c0 \"ERET.095; Queen sacrifice\";",
                1,
            ),
            ("niklasf/python-chess#376", &format!("{START} bm b1c3;"), 1),
            ("niklasf/python-chess#34", queens, 6),
            ("niklasf/python-chess#1080", "4k3/8/8/8/8/8/8/3K4 b - - 12 13", 0),
            ("vondele/cdbexplore#92", &format!("{START}; ply 0; id \"a\""), 0),
            ("official-stockfish/books#54", "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1;", 0),
            ("Disservin/fastchess#559", "rnbqkbnr/ppp2ppp/8/3Pp3/8/8/PPPP1PPP/RNBQKBNR w KQkq e6 bm dxe6;", 1),
            ("vondele/matetrack#5", "8/8/8/8/8/k7/2Q5/K7 w - - bm #1;", 0),
        ] {
            let record = parse_line(line, 1).unwrap_or_else(|fault| panic!("{report}: {fault}"));
            assert_eq!(record.best.len(), best, "{report}");
        }
    }

    #[test]
    fn every_operation_is_read() {
        let line = "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4 Kf2; am Kd1,Kf1; dm 7; id \"a ; b\"; c0 \"e4=10, e3=-2\"; acd 12; pv e4 Kd7; c1 \"x\";";
        let record = parse_line(line, 9).expect("a good line");
        assert_eq!(record.line, 9);
        assert_eq!(names(&record, &record.best), ["e2e4", "e1f2"]);
        assert_eq!(names(&record, &record.avoid), ["e1d1", "e1f1"]);
        assert_eq!(record.mate, Some(7));
        assert_eq!(record.id.as_deref(), Some("a ; b"));
        assert_eq!(record.points.iter().map(|(_, p)| *p).collect::<Vec<_>>(), [10, -2]);
        assert_eq!((record.points_of(record.best[0]), record.points_of(record.best[1])), (10, 0));
        assert_eq!(record.others.iter().map(|o| o.name.as_str()).collect::<Vec<_>>(), ["acd", "pv", "c1"]);
    }

    #[test]
    fn mates_are_given_by_dm_or_by_bm_with_a_number() {
        for (operations, mate, best) in [
            ("dm 2;", Some(2), vec![]),
            ("dm -3;", Some(-3), vec![]),
            ("bm #2;", Some(2), vec![]),
            ("bm #-12;", Some(-12), vec![]),
            ("bm M4;", Some(4), vec![]),
            ("bm +M4;", Some(4), vec![]),
            ("bm -M4;", Some(-4), vec![]),
            ("bm e4 #5;", Some(5), vec!["e2e4"]),
            ("bm e4# Kd1;", None, vec!["e2e4", "e1d1"]),
        ] {
            let line = format!("4k3/8/8/8/8/8/4P3/4K3 w - - {operations}");
            let record = parse_line(&line, 1).unwrap_or_else(|fault| panic!("{line}: {fault}"));
            assert_eq!(
                (record.mate, names(&record, &record.best)),
                (mate, best.iter().map(|&mv| mv.to_owned()).collect()),
                "{line}"
            );
            assert!(record.has_task());
            assert_eq!(parse_line(&record.to_string(), 1), Ok(record), "{line}");
        }
        for operations in ["bm #0;", "bm #;", "bm #+-2;", "bm -M+2;", "am #2;", "bm M;", "bm #2x;"] {
            let message =
                parse_line(&format!("4k3/8/8/8/8/8/4P3/4K3 w - - {operations}"), 1).expect_err(operations).to_string();
            assert!(message.contains("m` is "), "{operations} {message}");
        }
    }

    #[test]
    fn counters_come_from_either_place() {
        for line in ["4k3/8/8/8/8/8/8/4K3 b - - 12 40 id \"x\";", "4k3/8/8/8/8/8/8/4K3 b - - hmvc 12; fmvn 40;"] {
            let record = parse_line(line, 1).expect("a good line");
            assert_eq!(record.fen(), "4k3/8/8/8/8/8/8/4K3 b - - 12 40", "{line}");
        }
    }

    #[test]
    fn perft_counts_follow_semicolons() {
        let line = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 400 ;D6 119060324";
        assert_eq!(parse_line(line, 1).expect("a good line").counts, [(1, 20), (2, 400), (6, 119_060_324)]);
    }

    #[test]
    fn a_comment_in_c0_is_kept_as_text() {
        for text in ["All win but e3 is best.", "x = 5 or so", "e4=10, and more"] {
            let record = parse_line(&format!("4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; c0 \"{text}\";"), 1).expect("good");
            assert_eq!(record.points, [], "{text}");
            assert_eq!(record.others[0].operands[0].text, text);
        }
    }

    #[test]
    fn bad_lines_name_the_text_and_the_remedy() {
        const KINGS: &str = "4k3/8/8/8/8/8/4P3/4K3 w - -";
        for (line, needle) in [
            ("4k3/8/8".to_owned(), "1 of the four FEN fields"),
            ("4k3/8/8/8/8/8/8/4K3 x - - bm e4;".to_owned(), "is not a valid FEN"),
            ("4k3/8/8/8/8/8/4K3 w - - bm e4;".to_owned(), "is not a valid FEN"),
            ("8/8/8/8/8/8/8/4K3 w - - bm Kd1;".to_owned(), "is not a legal position"),
            (format!("{KINGS} bm e5;"), "`e5` after `bm` is not legal"),
            (format!("{KINGS} am Zz9;"), "`Zz9` after `am` is not a valid move"),
            (format!("{KINGS} bm;"), "`bm` is followed by nothing"),
            (format!("{KINGS} dm none;"), "`none` after `dm` is not a valid number"),
            (format!("{KINGS} dm 0;"), "`0` after `dm` is not a valid number"),
            (format!("{KINGS} id \"open"), "is not closed"),
            (format!("{KINGS} c0 \"e4=10, e5=3\";"), "`e5` after `c0` is not legal"),
            (format!("{KINGS} ;D1 many"), "`many` after `D1` is not a valid number"),
            ("4k3/8/8/8/8/R7/8/R3K3 w - - bm Ra2;".to_owned(), "`Ra2` after `bm` is ambiguous"),
            ("B6b/8/8/8/2K5/5k2/8/b6B b - - 0 1 ;D1 6".to_owned(), "is not a legal position"),
        ] {
            let message = parse_line(&line, 1).expect_err(&line).to_string();
            assert!(message.contains(needle), "{line}\n{message}");
        }
    }

    #[test]
    fn impossible_castling_rights_are_dropped_and_named() {
        for (line, dropped, left) in [
            ("4k3/8/8/8/8/8/3R4/4K3 w K - bm Kf1;", Some("K"), "4k3/8/8/8/8/8/3R4/4K3 w - - 0 1"),
            ("r3k3/8/8/8/8/8/8/4K2R w KQkq - 4 7 id \"x\";", Some("Qk"), "r3k3/8/8/8/8/8/8/4K2R w Kq - 4 7"),
            ("4k3/8/8/8/8/8/8/4K2R w K - bm O-O;", None, "4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
        ] {
            let record = parse_line(line, 1).unwrap_or_else(|fault| panic!("{line}: {fault}"));
            assert_eq!(
                (record.dropped.map(|dropped| dropped.letters).as_deref(), record.mode),
                (dropped, CastlingMode::Standard)
            );
            assert_eq!(Fen::from_position(&record.position, shakmaty::EnPassantMode::Legal).to_string(), left);
        }
        let message = parse_line("4k3/8/8/8/8/8/8/4K3 w K - bm O-O;", 1).expect_err("no rook").to_string();
        assert!(message.contains("`O-O` after `bm` is not legal"), "{message}");
    }

    #[test]
    fn chess960_castling_is_detected() {
        let record = parse_line("1r2k2r/8/8/8/8/8/8/1R2K2R w HBhb - bm O-O;", 1).expect("a good line");
        assert_eq!(record.mode, CastlingMode::Chess960);
        assert_eq!(names(&record, &record.best), ["e1h1"]);
    }
}
