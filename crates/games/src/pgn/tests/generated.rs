//! PGN that is made from choices, so that it is known what must be read from it: for the tests here and for the fuzz target, which
//! includes this file and imports the same names.

use super::{GameError, GameFault, parse_annotated};
use quarterply_engine::position::Game;
use quarterply_engine::shakmaty::san::SanPlus;
use quarterply_engine::shakmaty::uci::UciMove;
use quarterply_engine::shakmaty::{CastlingMode, Move, Role};
use std::fmt::Write;

/// Words that are neither a legal move of any position nor anything else that PGN knows.
const BAD_WORDS: [&str; 22] = [
    "Sf3", "Dxh7+", "--", "Z0", "0000", "N", "-", "e9", "P@e4", "xyz", "[%clk", "Кf3", "}", ")", "1-0x", "2-0", "<>",
    "Nf3Nc6", "O-O-O-O", "a1a1", "Ng1-", "e8=",
];
/// What can stand between two moves without a meaning for the main line.
const REMARKS: [&str; 14] = [
    "{good}",
    "{1. e4 Sf3 (\n\n$}",
    "{}",
    "(1. Sf3 {)} (x) ) ",
    "(12... Kd7 1-0)",
    "$14",
    "!?",
    "+-",
    "; to the end Sf3 {\n",
    "\n% escaped {\n",
    "\n\n",
    "\r\n",
    "e.p.",
    "⩲",
];
const STARTS: [&str; 3] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 3 1",
    "8/1P2k3/8/2pPp3/8/7p/p3K1P1/8 w - c6 0 1",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 1",
];

/// What must be read from one game.
#[derive(Debug)]
struct Expected {
    /// The moves before the fault, or all.
    moves: Vec<Move>,
    /// Line and text of the fault, and how many moves stand behind it.
    fault: Option<(usize, String, usize)>,
}

/// Text with what must be read from it.
#[derive(Debug, Default)]
struct Generated {
    text: String,
    games: Vec<Expected>,
}

/// Choices from bytes; zeros after their end.
struct Choices<'a>(&'a [u8]);

impl Choices<'_> {
    fn below(&mut self, count: usize) -> usize {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(first) % count
    }

    fn of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }
}

impl Generated {
    /// Games until the choices are used up.
    fn new(choices: &mut Choices<'_>) -> Generated {
        let mut generated = Generated::default();
        let mut needs_tags = false;
        while !choices.0.is_empty() {
            needs_tags = generated.add_game(choices, needs_tags);
        }
        generated
    }

    /// Adds a game; does the next one need tags, because this has no end?
    fn add_game(&mut self, choices: &mut Choices<'_>, needs_tags: bool) -> bool {
        let mut game = Game::new();
        if needs_tags || choices.below(3) > 0 {
            self.text.push_str(choices.of(&["\n\n", "\n \n\n", "\r\n\r\n"]));
            self.text.push_str(choices.of(&[
                "[Event \"x\"]\n",
                "[Event \"(\\\"{\"]\r\n",
                "[Event \"a \"b\" c\"]\n",
                "[Event \"open\n",
            ]));
            if choices.below(3) == 0 {
                let fen = choices.of(&STARTS);
                game = Game::from_fen_lossy(fen, None).expect("legal").0;
                let _ = write!(self.text, "[FEN \"{fen}\"]\n\n");
            }
        }
        let mut expected = Expected { moves: Vec::new(), fault: None };
        let count = choices.below(24);
        for ply in 0..count {
            self.add_number(choices, ply, &game);
            self.add_word(choices, &mut game, &mut expected);
            self.text.push_str(choices.of(&[" ", "\n", "\t", " \u{a0}"]));
            if choices.below(3) == 0 {
                self.text.push_str(choices.of(&REMARKS));
                self.text.push(' ');
            }
        }
        self.end_game(choices, expected)
    }

    fn line(&self) -> usize {
        1 + self.text.matches('\n').count()
    }

    fn add_number(&mut self, choices: &mut Choices<'_>, ply: usize, game: &Game) {
        let black_begins = game.moves().len().is_multiple_of(2) == game.position().turn().is_black();
        let ply = ply + usize::from(black_begins);
        let number = 1 + ply / 2;
        let dots = if ply.is_multiple_of(2) { "." } else { "..." };
        match choices.below(3) {
            0 => {}
            1 => drop(write!(self.text, "{number}{dots}")),
            _ => drop(write!(self.text, "{number}{dots} ")),
        }
    }

    /// A move of the game in some notation, or, rarely, a word that is not a move.
    fn add_word(&mut self, choices: &mut Choices<'_>, game: &mut Game, expected: &mut Expected) {
        let moves = game.position().legal_moves();
        let bad = choices.below(32) == 31 || moves.is_empty();
        let (line, mv) = (self.line(), moves.get(choices.below(moves.len().max(1))));
        let text = match mv {
            Some(mv) if !bad => spell(choices, game, *mv),
            _ => choices.of(&BAD_WORDS).to_owned(),
        };
        self.text.push_str(&text);
        match (&mut expected.fault, mv) {
            (Some((_, _, unread)), _) => *unread += 1,
            (None, Some(mv)) if !bad => {
                game.play(*mv);
                expected.moves.push(*mv);
            }
            (None, _) => expected.fault = Some((line, text, 0)),
        }
    }

    fn end_game(&mut self, choices: &mut Choices<'_>, mut expected: Expected) -> bool {
        let end = choices.of(&["1-0", "*", "1/2-1/2", "½–½", "0-1", "", "{ open\n1. e4", "(1. e4 {x}"]);
        let line = self.line();
        self.text.push_str(end);
        self.text.push('\n');
        if end.starts_with(['{', '(']) {
            expected.fault = expected.fault.or_else(|| Some((line, end[..1].to_owned(), 0)));
        }
        self.games.push(expected);
        end.is_empty() || end.starts_with(['{', '('])
    }
}

fn spell(choices: &mut Choices<'_>, game: &Game, mv: Move) -> String {
    let chess = game.position().chess();
    let san = SanPlus::from_move(chess.clone(), mv).to_string();
    if mv.is_castle() {
        return match choices.below(3) {
            0 => san,
            1 => san.replace('O', "0"),
            _ => UciMove::from_move(mv, CastlingMode::Chess960).to_string(),
        };
    }
    let from = mv.from().map(|square| square.to_string()).unwrap_or_default();
    let letter = if mv.role() == Role::Pawn { String::new() } else { mv.role().upper_char().to_string() };
    let promotion = mv.promotion().map_or(String::new(), |role| role.upper_char().to_string());
    let long = |link: &str| format!("{letter}{from}{link}{}{promotion}", mv.to());
    let text = match choices.below(6) {
        0 => long(if mv.is_capture() { "x" } else { "-" }),
        1 => long(""),
        2 => san.replace('N', "♞").replace('K', "♔"),
        3 => san.replace('x', ":"),
        4 => san.replace("=Q", "(Q)"),
        _ => san,
    };
    text + choices.of(&["", "", "!", "?!", "+-"])
}

/// The number of words in move positions: all words except numbers, results and remarks. Comments, variations and tags are not
/// counted.
fn count_words(text: &str) -> usize {
    text.split_whitespace().filter(|word| is_move_like(word)).count()
}

fn is_move_like(word: &str) -> bool {
    if ["1-0", "0-1", "1/2-1/2", "1/2", "ep", "e.p."].contains(&word.to_ascii_lowercase().as_str()) {
        return false;
    }
    if is_remark(word) {
        return false;
    }
    let behind_digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = behind_digits.trim_start_matches('.');
    let has_dots = rest.len() < behind_digits.len();
    let digits = &word[..word.len() - behind_digits.len()];
    let zeros = digits.starts_with('0') && digits.len() > 1;
    let letter_follows = rest.chars().next().is_none_or(|c| c.is_ascii_alphabetic());
    let is_number = has_dots || !digits.is_empty() && !zeros && letter_follows;
    if is_number { !rest.is_empty() && is_move_like(rest) } else { true }
}

/// Marks alone; a hyphen is one only next to a plus.
fn is_remark(word: &str) -> bool {
    let parts: Vec<&str> = word.split('+').collect();
    parts.iter().enumerate().all(|(at, part)| {
        let part = if at > 0 { part.strip_prefix('-').unwrap_or(part) } else { part };
        let part = if at + 1 < parts.len() { part.strip_suffix('-').unwrap_or(part) } else { part };
        part.chars().all(|c| matches!(c, '#' | '!' | '?' | '='))
    })
}

/// Text without tags, comments and variations: everything in it is a number, a result, a remark or a word.
fn plain_text(bytes: &[u8]) -> String {
    const ALPHABET: &[u8] = b"abcdefgh012345678KQRBNPxO-=+#!?.  \n";
    bytes.iter().map(|byte| char::from(ALPHABET[usize::from(*byte) % ALPHABET.len()])).collect()
}

/// No token of any text is dropped silently.
pub fn check(choices: &[u8]) {
    compare(&Generated::new(&mut Choices(choices)));
    count(&plain_text(choices));
}

/// A fault as [`Generated`] has it: line, text, and moves behind it; and the moves before.
fn fault_of(error: &GameError) -> (usize, String, usize, usize) {
    let text = match &error.fault {
        GameFault::Move { text, .. } => text.clone(),
        GameFault::OpenComment => "{".to_owned(),
        GameFault::OpenVariation => "(".to_owned(),
        GameFault::Fen { .. } | GameFault::Variant(..) => panic!("{error}"),
    };
    (error.line, text, error.unread, error.plies)
}

/// Nothing of a text is lost: moves are those that were written, and every fault is reported where it stands.
fn compare(generated: &Generated) {
    let found = parse_annotated("x.pgn", generated.text.as_bytes());
    let (games, skipped) = found.map_or_else(|_| Default::default(), |found| (found.games, found.skipped));
    let games: Vec<_> = games.iter().map(|read| read.game.moves().to_vec()).filter(|moves| !moves.is_empty()).collect();
    let faults: Vec<_> = skipped.iter().map(fault_of).collect();
    let (bad, good): (Vec<_>, Vec<_>) = generated.games.iter().partition(|game| game.fault.is_some());
    let good: Vec<_> = good.into_iter().map(|game| game.moves.clone()).filter(|moves| !moves.is_empty()).collect();
    let expected = bad.into_iter().filter_map(|game| {
        let (line, text, unread) = game.fault.clone()?;
        Some((line, text, unread, game.moves.len()))
    });
    assert_eq!(faults, expected.collect::<Vec<_>>(), "{}", generated.text);
    assert_eq!(games, good, "{}", generated.text);
}

/// Moves read and tokens reported are all tokens.
fn count(text: &str) {
    let found = parse_annotated("x.pgn", text.as_bytes());
    let (games, skipped) = found.map_or_else(|_| Default::default(), |found| (found.games, found.skipped));
    let read: usize = games.iter().map(|read| read.game.moves().len()).sum();
    let reported: usize = skipped.iter().map(|error| error.plies + 1 + error.unread).sum();
    assert_eq!(read + reported, count_words(text), "{text}");
}
