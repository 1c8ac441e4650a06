//! Writing EPD lines that [`parse_line`](super::parse_line) reads back as the same record.

use super::{Operand, Operation, Record};
use shakmaty::fen::Epd;
use shakmaty::san::SanPlus;
use shakmaty::{EnPassantMode, Move, Position};
use std::fmt;

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Epd::from_position(&self.position, EnPassantMode::Legal))?;
        self.write_moves(f, "bm", &self.best)?;
        self.write_moves(f, "am", &self.avoid)?;
        if let Some(mate) = self.mate {
            write!(f, " dm {mate};")?;
        }
        if let Some(id) = &self.id {
            write!(f, " id \"{}\";", quotable(id))?;
        }
        if !self.points.is_empty() {
            let points: Vec<String> = self.points.iter().map(|(mv, n)| format!("{}={n}", self.san(*mv))).collect();
            write!(f, " c0 \"{}\";", points.join(", "))?;
        }
        for operation in &self.others {
            write!(f, " {operation};")?;
        }
        self.write_counters(f)?;
        for (depth, count) in &self.counts {
            write!(f, " ;D{depth} {count}")?;
        }
        Ok(())
    }
}

impl Record {
    /// The move in SAN, with check and mate marks.
    pub fn san(&self, mv: Move) -> String {
        SanPlus::from_move(self.position.clone(), mv).to_string()
    }

    fn write_moves(&self, f: &mut fmt::Formatter<'_>, name: &str, moves: &[Move]) -> fmt::Result {
        if moves.is_empty() {
            return Ok(());
        }
        write!(f, " {name}")?;
        moves.iter().try_for_each(|mv| write!(f, " {}", self.san(*mv)))?;
        write!(f, ";")
    }

    /// The counters of the FEN, where they are not those of a fresh position.
    fn write_counters(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.position.halfmoves() > 0 {
            write!(f, " hmvc {};", self.position.halfmoves())?;
        }
        if self.position.fullmoves().get() > 1 {
            write!(f, " fmvn {};", self.position.fullmoves())?;
        }
        Ok(())
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)?;
        self.operands.iter().try_for_each(|operand| write!(f, " {operand}"))
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.quoted { write!(f, "\"{}\"", quotable(&self.text)) } else { write!(f, "{}", self.text) }
    }
}

/// EPD has no escapes: characters that would end the quotation or the line are replaced.
fn quotable(text: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(|c| if c == '"' { '\'' } else { plain(c) }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::parse_line;
    use super::*;
    use proptest::prelude::*;
    use shakmaty::Chess;

    #[test]
    fn a_line_comes_back_in_canonical_form() {
        for (given, written) in [
            (
                "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - bm d6d1; id BK.01",
                "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - bm Qd1+; id \"BK.01\";",
            ),
            ("4k3/8/8/8/8/8/8/4K2R w K - 3 9 ;D1 15;D2 66", "4k3/8/8/8/8/8/8/4K2R w K - hmvc 3; fmvn 9; ;D1 15 ;D2 66"),
            (
                "4k3/8/8/8/8/8/4P3/4K3 w - - am e3;dm 9 ; c0 \"e4=1\"; c1 \"a;b\" c;",
                "4k3/8/8/8/8/8/4P3/4K3 w - - am e3; dm 9; c0 \"e4=1\"; c1 \"a;b\" c;",
            ),
        ] {
            assert_eq!(parse_line(given, 1).expect(given).to_string(), written);
        }
    }

    /// A position after some moves chosen by `choices`.
    fn wander(choices: &[u8]) -> Chess {
        let mut position = Chess::default();
        for choice in choices {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.play_unchecked(moves[usize::from(*choice) % moves.len()]);
        }
        position
    }

    fn some_moves(position: &Chess, picks: &[u8]) -> Vec<Move> {
        let legal = position.legal_moves();
        if legal.is_empty() {
            return Vec::new();
        }
        picks.iter().map(|pick| legal[usize::from(*pick) % legal.len()]).collect()
    }

    proptest! {
        #[test]
        fn written_records_are_read_back(
            walk in prop::collection::vec(any::<u8>(), 0..120),
            picks in prop::collection::vec(any::<u8>(), 0..5),
            mate in prop::option::of((1i32..50).prop_flat_map(|moves| prop_oneof![Just(moves), Just(-moves)])),
            id in prop::option::of("[^\"\\p{C}]{0,20}"),
            worth in prop::collection::vec((any::<u8>(), -20i32..200), 0..4),
            counts in prop::collection::vec((0u32..9, any::<u64>()), 0..4),
            texts in prop::collection::vec(("[a-z][a-z0-9]{2,5}", "[^\"\\p{C}]{0,9}"), 0..3),
        ) {
            let position = wander(&walk);
            let mut record = Record::new(position.clone(), shakmaty::CastlingMode::Standard);
            record.best = some_moves(&position, &picks);
            record.avoid = some_moves(&position, &picks[picks.len() / 2..]);
            record.mate = mate;
            record.id = id;
            let legal = some_moves(&position, &worth.iter().map(|(pick, _)| *pick).collect::<Vec<_>>());
            record.points = legal.into_iter().zip(worth.iter().map(|(_, points)| *points)).collect();
            record.counts = counts;
            let known = ["hmvc", "fmvn"];
            record.others = texts
                .into_iter()
                .filter(|(name, _)| !known.contains(&name.as_str()))
                .map(|(name, text)| Operation { name, operands: vec![Operand { text, quoted: true }] })
                .collect();
            let line = record.to_string();
            let read = parse_line(&line, 0);
            prop_assert_eq!(read.as_ref(), Ok(&record), "{}", line);
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in "\\PC*") {
            let _ = parse_line(&text, 1);
        }

        #[test]
        fn no_operation_makes_the_parser_panic(text in "[ -~]{0,60}") {
            let _ = parse_line(&format!("4k3/8/8/8/8/8/4P3/4K3 w - - {text}"), 1);
        }
    }
}
