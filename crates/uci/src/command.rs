//! Reads the lines a GUI sends into [`Command`]s.
//!
//! The reader follows the letter of the protocol where it is strict and forgives where GUIs are known to differ: carriage
//! returns, tabs, doubled blanks, words before a command, unknown words after `go`, limits in any order, negative clocks, and lines that
//! begin with `#`, which are comments. Moves and positions stay text: it does not check them.

use quarterply_engine::words::nearest_of;
use thiserror::Error;

/// One request of the GUI.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// `uci`: the request for name, author and options.
    Uci,
    /// `debug`, `debug on` or `debug off`.
    Debug(bool),
    /// `isready`.
    IsReady,
    /// `setoption name N [value V]`.
    SetOption {
        /// The name, its words joined by one blank.
        name: String,
        /// The text after `value`, without the blanks around it; `None` when the word `value` is missing.
        value: Option<String>,
    },
    /// `register ...`: nothing to register here.
    Register,
    /// `ucinewgame`.
    NewGame,
    /// `position ...`.
    Position(PositionText),
    /// `go ...`.
    Go(Box<Go>),
    /// `stop`.
    Stop,
    /// `ponderhit`.
    PonderHit,
    /// `quit`.
    Quit,
    /// `d`: show the board.
    Display,
    /// `eval`: show the terms of the static evaluation.
    Eval,
    /// `bench [DEPTH]`.
    Bench(Option<u32>),
    /// `genfens N seed S book <None|FILE>`: openings for OpenBench; what follows the word.
    Genfens(String),
    /// `help`.
    Help,
}

/// A position as the GUI describes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PositionText {
    /// The FEN, or `None` for the initial position.
    pub fen: Option<String>,
    /// The moves that follow, as text.
    pub moves: Vec<String>,
    /// Words before `moves` that belong neither to the position nor to the moves.
    pub skipped: Vec<String>,
}

/// The limits of a `go`, as written: negative clocks are still negative.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Go {
    /// `searchmoves`: the moves named, as text; `None` when the word is absent.
    pub search_moves: Option<Vec<String>>,
    /// `ponder`
    pub ponder: bool,
    /// `infinite`
    pub infinite: bool,
    /// `wtime`, milliseconds
    pub white_time: Option<i64>,
    /// `btime`, milliseconds
    pub black_time: Option<i64>,
    /// `winc`, milliseconds
    pub white_increment: Option<i64>,
    /// `binc`, milliseconds
    pub black_increment: Option<i64>,
    /// `movestogo`
    pub moves_to_go: Option<i64>,
    /// `depth`, plies
    pub depth: Option<i64>,
    /// `nodes`
    pub nodes: Option<i64>,
    /// `mate`, moves
    pub mate: Option<i64>,
    /// `movetime`, milliseconds
    pub move_time: Option<i64>,
    /// `perft`, plies: count the leaves of the tree of legal moves instead of searching
    pub perft: Option<i64>,
    /// Complaints about words that could not be read; the rest of the line counts.
    pub complaints: Vec<String>,
}

/// Reason why a line is not a valid command.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum CommandError {
    #[error("Unknown command: {}{}", .0, advice(.0))]
    Unknown(String),
    #[error("cannot run `{text}`: {command} needs {what}")]
    Incomplete { command: &'static str, what: &'static str, text: String },
    #[error("cannot run `{text}`: expected a depth in plies; write `{command} 5`")]
    Depth { command: &'static str, text: String },
    #[error("cannot run `{0}`: expected on or off; write `debug on`")]
    Debug(String),
}

/// The remedy for a line without a command.
fn advice(line: &str) -> String {
    let commands = PROTOCOL_WORDS.iter().chain(OWN_WORDS).map(|word| (*word).to_owned());
    match nearest_of(split_word(line).0, commands) {
        Some(nearest) => format!("; did you mean {nearest}?"),
        None => "; `help` lists the commands".to_owned(),
    }
}

/// Commands of the protocol: any of them may follow words that mean nothing.
const PROTOCOL_WORDS: &[&str] =
    &["uci", "debug", "isready", "setoption", "register", "ucinewgame", "position", "go", "stop", "ponderhit", "quit"];

/// Commands outside UCI. They are recognised only as the first word, because such short words occur in other text.
const OWN_WORDS: &[&str] = &["d", "eval", "bench", "genfens", "help", "exit"];

/// May a line start with `word`? Tells UCI lines on the command line from misspelt sub-commands.
pub fn starts_command(word: &str) -> bool {
    PROTOCOL_WORDS.contains(&word) || OWN_WORDS.contains(&word)
}

/// Reads one line. `Ok(None)` is an empty line or a comment.
pub fn parse(line: &str) -> Result<Option<Command>, CommandError> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let (word, rest) = split_word(line);
    if OWN_WORDS.contains(&word) {
        return own_command(word, rest, line).map(Some);
    }
    let mut remaining = line;
    while !remaining.is_empty() {
        let (word, rest) = split_word(remaining);
        if PROTOCOL_WORDS.contains(&word) {
            return protocol_command(word, rest, line).map(Some);
        }
        remaining = rest;
    }
    Err(CommandError::Unknown(line.to_owned()))
}

fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    match text.find(char::is_whitespace) {
        Some(end) => (&text[..end], text[end..].trim_start()),
        None => (text, ""),
    }
}

fn own_command(word: &str, rest: &str, line: &str) -> Result<Command, CommandError> {
    Ok(match word {
        "d" => Command::Display,
        "eval" => Command::Eval,
        "bench" => {
            let depth = rest.split_whitespace().next().map(|word| word.parse().ok().filter(|depth| *depth > 0));
            let invalid = || CommandError::Depth { command: "bench", text: line.to_owned() };
            Command::Bench(depth.map(|depth| depth.ok_or_else(invalid)).transpose()?)
        }
        "genfens" => Command::Genfens(rest.to_owned()),
        "exit" => Command::Quit,
        _ => Command::Help,
    })
}

fn protocol_command(word: &str, rest: &str, line: &str) -> Result<Command, CommandError> {
    Ok(match word {
        "uci" => Command::Uci,
        "debug" => match rest {
            "" | "on" => Command::Debug(true),
            "off" => Command::Debug(false),
            _ => return Err(CommandError::Debug(line.to_owned())),
        },
        "isready" => Command::IsReady,
        "setoption" => set_option(rest, line)?,
        "register" => Command::Register,
        "ucinewgame" => Command::NewGame,
        "position" => Command::Position(setup(rest, line)?),
        "go" => Command::Go(Box::new(go(rest, line)?)),
        "stop" => Command::Stop,
        "ponderhit" => Command::PonderHit,
        _ => Command::Quit,
    })
}

/// The name runs to the first word `value`, the value to the end of the line, inner blanks untouched: it may be a path.
fn set_option(rest: &str, line: &str) -> Result<Command, CommandError> {
    let mut remaining = match split_word(rest) {
        ("name", after) => after,
        _ => rest,
    };
    let mut name = String::new();
    let mut value = None;
    while !remaining.is_empty() {
        let (word, after) = split_word(remaining);
        if word == "value" && !name.is_empty() {
            value = Some(after.to_owned());
            break;
        }
        if !name.is_empty() {
            name.push(' ');
        }
        name.push_str(word);
        remaining = after;
    }
    if name.is_empty() {
        return Err(CommandError::Incomplete {
            command: "setoption",
            what: "a name; write `setoption name NAME value VALUE`",
            text: line.to_owned(),
        });
    }
    Ok(Command::SetOption { name, value })
}

fn setup(rest: &str, line: &str) -> Result<PositionText, CommandError> {
    let mut fen: Option<Vec<&str>> = None;
    let (mut start, mut skipped) = (false, Vec::new());
    let mut words = rest.split_whitespace();
    for word in words.by_ref() {
        match word {
            "moves" => break,
            "startpos" if fen.is_none() => start = true,
            "fen" if !start && fen.is_none() => fen = Some(Vec::new()),
            _ => match &mut fen {
                Some(fields) => fields.push(word),
                None if !start && word.contains('/') => fen = Some(vec![word]),
                None => skipped.push(word.to_owned()),
            },
        }
    }
    let fen = match fen {
        Some(fields) if !fields.is_empty() => Some(fields.join(" ")),
        None if start => None,
        _ => {
            let what = "a position; write `position startpos` or `position fen FEN`";
            return Err(CommandError::Incomplete { command: "position", what, text: line.to_owned() });
        }
    };
    Ok(PositionText { fen, moves: words.map(str::to_owned).collect(), skipped })
}

fn go(rest: &str, line: &str) -> Result<Go, CommandError> {
    let mut go = Go::default();
    let mut words = rest.split_whitespace().peekable();
    while let Some(word) = words.next() {
        match word {
            "ponder" => go.ponder = true,
            "infinite" => go.infinite = true,
            "searchmoves" => {
                let moves = go.search_moves.get_or_insert_default();
                while let Some(text) = words.next_if(|next| !is_go_word(next)) {
                    moves.push(text.to_owned());
                }
            }
            "perft" => {
                let depth = perft_depth(words.next_if(|next| !is_go_word(next)));
                let wrong = || CommandError::Depth { command: "go perft", text: line.to_owned() };
                go.perft = Some(depth.ok_or_else(wrong)?);
            }
            _ if is_go_word(word) => {
                let value = words.next_if(|next| !is_go_word(next));
                let number = read_number(word, value, &mut go.complaints);
                if let Some(limit) = go.limit(word) {
                    *limit = Some(number);
                }
            }
            _ => go.complaints.push(format!("Unknown word after go: {word}")),
        }
    }
    Ok(go)
}

/// Unlike a limit, a depth of `perft` has no least value to use instead: the count would be that of another depth.
fn perft_depth(value: Option<&str>) -> Option<i64> {
    let mut complaints = Vec::new();
    let depth = read_number("perft", value, &mut complaints);
    (complaints.is_empty() && depth >= 0).then_some(depth)
}

/// A limit that cannot be read counts as zero, which the caller raises to the least possible: a search that ends at once
/// is better than one that never does.
fn read_number(word: &str, value: Option<&str>, complaints: &mut Vec<String>) -> i64 {
    const EXAMPLE: i64 = 10;
    let mut complain =
        |what: String| complaints.push(format!("{what}: the minimum is used; write `go {word} {EXAMPLE}`"));
    let Some(text) = value else {
        complain(format!("`go {word}` has no number"));
        return 0;
    };
    whole_number(text.split('.').next().unwrap_or(text)).unwrap_or_else(|| {
        complain(format!("`{text}` after `{word}` is not a whole number"));
        0
    })
}

/// A whole number of any size; one too large for 64 bits counts as the largest.
pub(crate) fn whole_number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let saturated = if text.starts_with('-') { i64::MIN } else { i64::MAX };
    Some(text.parse().unwrap_or(saturated))
}

impl Go {
    /// The field of a word that takes a number.
    fn limit(&mut self, word: &str) -> Option<&mut Option<i64>> {
        Some(match word {
            "wtime" => &mut self.white_time,
            "btime" => &mut self.black_time,
            "winc" => &mut self.white_increment,
            "binc" => &mut self.black_increment,
            "movestogo" => &mut self.moves_to_go,
            "depth" => &mut self.depth,
            "nodes" => &mut self.nodes,
            "mate" => &mut self.mate,
            "movetime" => &mut self.move_time,
            "perft" => &mut self.perft,
            _ => return None,
        })
    }
}

fn is_go_word(word: &str) -> bool {
    matches!(word, "searchmoves" | "ponder" | "infinite") || Go::default().limit(word).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in ".*", words in "(go|setoption|position|joho)( [a-z0-9<>./-]{0,9}){0,12}") {
            let _ = parse(&text);
            // Whatever is read again from what was read once is the same.
            if let Ok(Some(Command::Position(setup))) = parse(&words) {
                let setup = PositionText { skipped: Vec::new(), ..setup };
                let fen = setup.fen.clone().map_or("startpos".into(), |fen| format!("fen {fen}"));
                let again = parse(&format!("position {fen} moves {}", setup.moves.join(" ")));
                prop_assert_eq!(again, Ok(Some(Command::Position(setup))));
            }
        }

        #[test]
        fn every_number_is_read_or_saturates(number in any::<i128>()) {
            let go = read_go(&format!("go nodes {number} depth 3"));
            let expected = number.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
            prop_assert_eq!((go.nodes, go.depth, go.complaints.len()), (Some(expected), Some(3), 0));
        }
    }

    fn option(name: &str, value: Option<&str>) -> Command {
        Command::SetOption { name: name.into(), value: value.map(Into::into) }
    }

    fn position(fen: Option<&str>, moves: &[&str]) -> Command {
        Command::Position(PositionText {
            fen: fen.map(Into::into),
            moves: moves.iter().map(|text| (*text).to_owned()).collect(),
            skipped: Vec::new(),
        })
    }

    #[test]
    fn lines_become_commands() {
        let kiwi = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -";
        let kiwi_line = format!("position fen {kiwi} moves  e1g1\te8c8 ");
        for (line, expected) in [
            ("uci", Command::Uci),
            ("uci\r", Command::Uci),
            ("  uci  \t", Command::Uci),
            ("isready", Command::IsReady),
            ("joho debug on", Command::Debug(true)),
            ("debug", Command::Debug(true)),
            ("debug off", Command::Debug(false)),
            ("xyzzy plugh stop", Command::Stop),
            ("register later", Command::Register),
            ("ucinewgame", Command::NewGame),
            ("ponderhit", Command::PonderHit),
            ("quit", Command::Quit),
            ("d", Command::Display),
            ("bench", Command::Bench(None)),
            ("bench 7", Command::Bench(Some(7))),
            ("setoption name Hash value 32", option("Hash", Some("32"))),
            ("setoption\tname  Clear   Hash", option("Clear Hash", None)),
            ("setoption name A b value c d", option("A b", Some("c d"))),
            (
                "setoption name SyzygyPath value /tables/drei  vier/ü",
                option("SyzygyPath", Some("/tables/drei  vier/ü")),
            ),
            ("setoption name EvalFile value <empty>", option("EvalFile", Some("<empty>"))),
            ("setoption name EvalFile value", option("EvalFile", Some(""))),
            ("setoption name P value \"quoted\"", option("P", Some("\"quoted\""))),
            ("setoption Hash value 3", option("Hash", Some("3"))),
            ("position startpos", position(None, &[])),
            ("position startpos moves", position(None, &[])),
            ("position  startpos  moves e2e4 e7e5", position(None, &["e2e4", "e7e5"])),
            (&kiwi_line, position(Some(kiwi), &["e1g1", "e8c8"])),
            ("position fen 8/8/8/8/8/8/8/8 w moves", position(Some("8/8/8/8/8/8/8/8 w"), &[])),
            ("position 8/8/8/8/8/8/8/8 w - -", position(Some("8/8/8/8/8/8/8/8 w - -"), &[])),
        ] {
            assert_eq!(parse(line), Ok(Some(expected)), "{line:?}");
        }
    }

    #[test]
    fn lines_without_a_command_are_named() {
        assert_eq!(parse(""), Ok(None));
        assert_eq!(parse(" \t\r\n"), Ok(None));
        assert_eq!(parse("# comment go depth 1"), Ok(None), "a comment is searched for no command");
        assert_eq!(parse(" #go"), Ok(None));
        assert_eq!(parse("joho gaga"), Err(CommandError::Unknown("joho gaga".into())));
        assert_eq!(parse("what d"), Err(CommandError::Unknown("what d".into())));
        for line in ["position", "position fen", "position fen moves e2e4", "position moves e2e4", "setoption name"] {
            let error = parse(line).expect_err(line);
            assert!(matches!(&error, CommandError::Incomplete { text, .. } if text == line), "{line}: {error}");
        }
    }

    #[test]
    fn an_unknown_command_is_answered_with_a_remedy() {
        for (line, remedy) in [
            ("xyzzy", "`help` lists the commands"),
            ("Go depth 1", "did you mean go?"),
            ("positon startpos", "did you mean position?"),
            ("becnh", "did you mean bench?"),
        ] {
            let message = parse(line).expect_err(line).to_string();
            assert_eq!(message, format!("Unknown command: {line}; {remedy}"));
        }
    }

    /// `debug maybe` switched debugging on.
    #[test]
    fn debug_takes_on_or_off_only() {
        for line in ["debug maybe", "debug on off"] {
            let message = parse(line).expect_err(line).to_string();
            assert_eq!(message, format!("cannot run `{line}`: expected on or off; write `debug on`"));
        }
    }

    #[test]
    fn words_that_are_no_part_of_a_position_are_kept() {
        for (line, skipped, moves) in [
            ("position startpos e2e4 e7e5", &["e2e4", "e7e5"][..], 0),
            ("position startpos junk moves e2e4", &["junk"], 1),
            ("position junk startpos", &["junk"], 0),
            ("position startpos fen 8/8 w", &["fen", "8/8", "w"], 0),
            ("position startpos moves e2e4", &[], 1),
        ] {
            let Ok(Some(Command::Position(setup))) = parse(line) else { panic!("{line}") };
            assert_eq!((setup.skipped, setup.moves.len()), (skipped.iter().map(|&w| w.to_owned()).collect(), moves));
        }
    }

    /// `go perft abc` counted the single leaf at depth 0, and `bench abc` searched to the default depth.
    #[test]
    fn depths_that_cannot_be_read_are_refused() {
        for (command, line) in [
            ("go perft", "go perft abc"),
            ("go perft", "go perft"),
            ("go perft", "go perft -2"),
            ("go perft", "go perft depth 3"),
            ("bench", "bench abc"),
            ("bench", "bench -3"),
            ("bench", "bench 0"),
            ("bench", "bench 99999999999"),
        ] {
            let error = parse(line).expect_err(line);
            assert_eq!(error, CommandError::Depth { command, text: line.into() });
            let message = format!("cannot run `{line}`: expected a depth in plies; write `{command} 5`");
            assert_eq!(error.to_string(), message);
        }
        assert_eq!(read_go("go perft 0").perft, Some(0));
        assert_eq!(parse("bench 4 5"), Ok(Some(Command::Bench(Some(4)))));
    }

    fn read_go(line: &str) -> Go {
        match parse(line) {
            Ok(Some(Command::Go(go))) => *go,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn limits_are_read_in_any_order() {
        let expected = Go {
            white_time: Some(60_000),
            black_time: Some(50_000),
            white_increment: Some(1000),
            black_increment: Some(900),
            moves_to_go: Some(40),
            ..Go::default()
        };
        assert_eq!(read_go("go wtime 60000 btime 50000 winc 1000 binc 900 movestogo 40"), expected);
        assert_eq!(read_go("go movestogo 40 binc 900 btime 50000 winc 1000 wtime 60000"), expected);
    }

    #[test]
    fn single_limits() {
        let default = Go::default;
        for (line, expected) in [
            ("go", default()),
            ("go infinite", Go { infinite: true, ..default() }),
            ("go ponder movetime 5", Go { ponder: true, move_time: Some(5), ..default() }),
            ("go wtime -250", Go { white_time: Some(-250), ..default() }),
            ("go btime 0", Go { black_time: Some(0), ..default() }),
            ("go wtime 1000.7", Go { white_time: Some(1000), ..default() }),
            ("go nodes 99999999999999999999", Go { nodes: Some(i64::MAX), ..default() }),
            ("go wtime -99999999999999999999", Go { white_time: Some(i64::MIN), ..default() }),
            ("go mate 3", Go { mate: Some(3), ..default() }),
            ("go perft 4", Go { perft: Some(4), ..default() }),
        ] {
            assert_eq!(read_go(line), expected, "{line}");
        }
    }

    #[test]
    fn searchmoves_ends_at_the_next_limit() {
        let moves = |texts: &[&str]| Some(texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
        let go = read_go("go searchmoves e2e4 d2d4 depth 5");
        assert_eq!((go.search_moves, go.depth), (moves(&["e2e4", "d2d4"]), Some(5)));
        let go = read_go("go nodes 7 searchmoves e2e4");
        assert_eq!((go.search_moves, go.nodes), (moves(&["e2e4"]), Some(7)));
        let go = read_go("go searchmoves infinite");
        assert_eq!((go.search_moves, go.infinite), (moves(&[]), true));
    }

    #[test]
    fn unreadable_limits_are_reported_and_end_the_search_soon() {
        let go = read_go("go depth many");
        assert_eq!(go.depth, Some(0));
        assert_eq!(
            go.complaints,
            ["`many` after `depth` is not a whole number: the minimum is used; write `go depth 10`"]
        );
        let go = read_go("go depth");
        assert_eq!(go.depth, Some(0));
        assert_eq!(go.complaints, ["`go depth` has no number: the minimum is used; write `go depth 10`"]);
        // `1,000,000` counted as 1 without a complaint, and `+-5` as the greatest number there is.
        for (line, word) in [("go nodes 1,000,000", "nodes"), ("go nodes +-5", "nodes"), ("go wtime --5", "wtime")] {
            let go = read_go(line);
            assert_eq!((go.nodes.or(go.white_time), go.complaints.len()), (Some(0), 1), "{line}");
            assert!(go.complaints[0].ends_with(&format!("write `go {word} 10`")), "{:?}", go.complaints);
        }
        assert_eq!(read_go("go nodes +5").nodes, Some(5));
        let go = read_go("go wtime btime 1000");
        assert_eq!((go.white_time, go.black_time, go.complaints.len()), (Some(0), Some(1000), 1));
        let go = read_go("go movetime 50 frobnicate 3");
        assert_eq!((go.move_time, go.complaints.len()), (Some(50), 2));
    }
}
