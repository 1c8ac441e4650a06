//! An engine that misbehaves on request, for tests of everything that must survive it.
//!
//! The test binary plays the engine itself: started with the variable [`VARIABLE`], its test `faulty_engine` speaks UCI or the
//! protocol of xboard instead of testing anything. The engine has no state: the move number of the start position chooses the fault,
//! so that results are the same however often it was restarted.

use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::search::pool::Engine;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Position as _};
use std::io::{BufRead, Write};
use std::time::Duration;
use strum::VariantArray;

/// Names the protocol: `uci`, `xboard`, `once` for an engine of xboard that plays one game only, or `old` for the first version
/// of that protocol.
pub const VARIABLE: &str = "QUARTERPLY_FAULTY";
/// Its exit code where it exits.
pub const EXIT_CODE: i32 = 3;
/// Its last line on stderr before it exits.
pub const LAST_WORDS: &str = "out of luck";
/// Nodes of a move without a fault.
const NODES: u64 = 4000;
/// Longer than any test waits.
const FOR_EVER: Duration = Duration::from_secs(600);

/// A fault; its place in this list, counted from 1, is the move number of the opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
pub enum EngineFault {
    None,
    /// No answer, not even to `stop`.
    Hang,
    /// Lines without end, but no answer.
    Flood,
    /// An exit code, and a line on stderr.
    Exit,
    /// A signal.
    Abort,
    /// A move in no notation.
    InvalidAnswer,
    /// No move at all.
    NoMove,
    /// A move against the rules.
    Illegal,
    /// A move only after the command to move at once.
    Late,
    /// The output is closed, the program runs on.
    Disconnect,
    /// Much nonsense, then a good move.
    Noise,
    /// A move twice.
    Twice,
    /// It ends when the game is over.
    ExitAfter,
    /// It claims to have won.
    WrongClaim,
    /// It resigns.
    Resign,
}

impl EngineFault {
    fn of(number: u32) -> EngineFault {
        EngineFault::VARIANTS.get(number as usize - 1).copied().unwrap_or(EngineFault::None)
    }

    /// A position, won for white in a few moves, that brings about this fault.
    pub fn opening(self) -> String {
        let number = 1 + self as usize;
        format!("8/8/7k/8/8/8/R7/1R5K w - - 0 {number}")
    }
}

/// The faults with the codes of their endings in UCI; `None` where the game must end by mate.
pub const ENDINGS: [(EngineFault, Option<&str>); 15] = [
    (EngineFault::None, None),
    (EngineFault::Hang, Some("hang")),
    (EngineFault::Exit, Some("crash")),
    (EngineFault::InvalidAnswer, Some("garbage")),
    (EngineFault::Illegal, Some("illegal-move")),
    (EngineFault::Late, Some("time-loss")),
    (EngineFault::Disconnect, Some("disconnect")),
    (EngineFault::Noise, None),
    (EngineFault::Abort, Some("crash")),
    (EngineFault::Flood, Some("hang")),
    (EngineFault::Twice, None),
    (EngineFault::NoMove, Some("garbage")),
    (EngineFault::ExitAfter, None),
    (EngineFault::WrongClaim, None),
    (EngineFault::Resign, None),
];

pub const fn ms(time: u64) -> Duration {
    Duration::from_millis(time)
}

/// The text that names this engine as a player.
pub fn player(protocol: &str) -> String {
    let program = std::env::current_exe().expect("a running test has a file");
    let kind = if protocol == "uci" { "cmd" } else { "xboard" };
    let arguments = "--exact faulty_engine --nocapture";
    format!("{kind}:env {VARIABLE}={protocol} '{}' {arguments} name=Faulty-{protocol}", program.display())
}

/// Plays the engine, if the variable says so.
pub fn run() {
    match std::env::var(VARIABLE).as_deref() {
        Ok("uci") => Uci::default().run(),
        Ok("xboard") => Xboard::default().run(true),
        Ok("once") => Xboard::default().run(false),
        Ok("old") => old(),
        _ => return,
    }
    std::process::exit(0)
}

fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    // Nobody may be listening any more.
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

fn say_bytes(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(bytes).and_then(|()| out.flush());
}

fn hang() -> ! {
    std::thread::sleep(FOR_EVER);
    std::process::exit(0)
}

/// The move number that the game began with.
fn fault_of(game: &Game) -> EngineFault {
    let start = Game::standard(&game.start_fen()).expect("our own FEN");
    // White's second move and black's first: no mate is possible earlier.
    let due = (1..3).contains(&game.moves().len());
    let fault = EngineFault::of(start.position().chess().fullmoves().get());
    if due || fault == EngineFault::ExitAfter { fault } else { EngineFault::None }
}

fn good_move(game: &Game) -> String {
    let mut engine = Engine::new(Parameters::default());
    // The smallest table is made fastest; if there is none, the usual one serves as well.
    let _ = engine.resize(1);
    let found = engine.search_within(game, &Limits::nodes(NODES));
    found.best.map_or_else(|| "0000".to_owned(), |mv| UciMove::from_move(mv, CastlingMode::Standard).to_string())
}

/// Carries out a fault. `answer` writes a move, `chatter` is a line without a meaning.
fn go_wrong(fault: EngineFault, game: &Game, answer: &dyn Fn(&str), chatter: &str) {
    match fault {
        EngineFault::Hang => hang(),
        EngineFault::Flood => loop {
            say(chatter);
        },
        EngineFault::Exit => {
            eprintln!("{LAST_WORDS}");
            std::process::exit(EXIT_CODE);
        }
        EngineFault::Abort => std::process::abort(),
        EngineFault::InvalidAnswer => answer("xyzzy"),
        EngineFault::NoMove => answer(""),
        EngineFault::Illegal => answer("e2e5"),
        EngineFault::Disconnect => {
            let null = std::fs::File::create("/dev/null").expect("there is nothing else");
            rustix::stdio::dup2_stdout(&null).expect("a free place");
            hang();
        }
        EngineFault::Noise => {
            say_bytes(b"\xff\xfe\x00\n\n\n");
            say(&"info string ".repeat(300_000));
            say("info depth score cp pv nodes -1");
            say("info");
            eprintln!("{}", "noise ".repeat(100_000));
            answer(&good_move(game));
        }
        EngineFault::Twice => {
            let mv = good_move(game);
            answer(&mv);
            answer(&mv);
        }
        EngineFault::None
        | EngineFault::Late
        | EngineFault::ExitAfter
        | EngineFault::WrongClaim
        | EngineFault::Resign => answer(&good_move(game)),
    }
}

#[derive(Default)]
struct Uci {
    game: Game,
    late: bool,
}

impl Uci {
    fn run(mut self) {
        // The harness of the tests has left an unfinished line.
        say("\nnobody asked");
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            let (word, rest) = line.split_once(' ').unwrap_or((line.as_str(), ""));
            match word {
                "uci" => say("id name Faulty 1\noption name Hash type spin default 1 min 1 max 9\nuciok"),
                "xboard" => say("Unknown command: 'xboard'. Type help for more information."),
                "isready" => say("readyok"),
                "ucinewgame" if fault_of(&self.game) == EngineFault::ExitAfter => std::process::exit(EXIT_CODE),
                "position" => self.game = read_position(rest),
                "go" => self.go(),
                "stop" if std::mem::take(&mut self.late) => say(&format!("bestmove {}", good_move(&self.game))),
                "quit" => return,
                _ => {}
            }
        }
    }

    fn go(&mut self) {
        let fault = fault_of(&self.game);
        self.late = fault == EngineFault::Late;
        if !self.late {
            go_wrong(fault, &self.game, &|mv| say(&format!("bestmove {mv}")), "info depth 1 score cp 0");
        }
    }
}

/// Reads what follows `position`; only what the tests send is understood.
fn read_position(text: &str) -> Game {
    let (start, moves) = text.split_once(" moves ").unwrap_or((text, ""));
    let mut game = match start.strip_prefix("fen ") {
        Some(fen) => Game::standard(fen).expect("a good FEN"),
        None => Game::new(),
    };
    game.play_line(moves.split_whitespace()).expect("legal moves");
    game
}

#[derive(Default)]
struct Xboard {
    game: Game,
    playing: bool,
    late: bool,
}

impl Xboard {
    fn run(mut self, reuse: bool) {
        say(&format!("\nnobody asked\nfeature reuse={}", i32::from(reuse)));
        let mut games = 0;
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            let (word, rest) = line.split_once(' ').unwrap_or((line.as_str(), ""));
            games += i32::from(word == "new");
            assert!(reuse || games <= 1, "one game only");
            match word {
                "protover" => {
                    say("feature done=0\nfeature myname=\"Faulty 1\" ping=1 setboard=1 odd=1 colors=0 done=1")
                }
                "ping" => say(&format!("pong {rest}")),
                "new" if fault_of(&self.game) == EngineFault::ExitAfter => std::process::exit(EXIT_CODE),
                "new" => self = Xboard::default(),
                "force" => self.playing = false,
                "setboard" => self.game = Game::standard(rest).expect("a good FEN"),
                "go" => {
                    self.playing = true;
                    self.go();
                }
                "?" if std::mem::take(&mut self.late) => self.play(&good_move(&self.game)),
                "quit" => return,
                _ => self.receive(word),
            }
        }
    }

    /// A move, or a command that means nothing.
    fn receive(&mut self, word: &str) {
        if self.game.play_uci(word).is_ok() && self.playing {
            self.go();
        }
    }

    fn go(&mut self) {
        let fault = fault_of(&self.game);
        self.late = fault == EngineFault::Late;
        match fault {
            EngineFault::Late => {}
            EngineFault::WrongClaim if self.game.position().turn().is_white() => say("1-0 {White mates}"),
            EngineFault::WrongClaim => say("0-1 {Black mates}"),
            EngineFault::Resign => say("resign"),
            _ => {
                let game = self.game.clone();
                let mv = std::cell::Cell::new(None);
                let answer = |text: &str| {
                    mv.set(Some(text.to_owned()));
                    say(&format!("4 20 0 100 {text}\nmove {text}"));
                };
                go_wrong(fault, &game, &answer, "1 0 0 1");
                if let Some(text) = mv.take() {
                    // An illegal move is not played; the opponent has to detect it.
                    let _ = self.game.play_uci(&text);
                }
            }
        }
    }

    fn play(&mut self, mv: &str) {
        say(&format!("move {mv}"));
        let _ = self.game.play_uci(mv);
    }
}

/// An engine of the older protocol: it rejects the first command, reads moves only, and writes its moves in two forms.
fn old() {
    let mut game = Game::new();
    let mut playing = false;
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let go = match line.as_str() {
            "new" => {
                game = Game::new();
                // The engine has black.
                playing = true;
                false
            }
            "force" => {
                playing = false;
                false
            }
            "go" => {
                playing = true;
                true
            }
            "quit" => return,
            text => {
                let known = game.play_uci(text).is_ok();
                if !known {
                    say(&format!("Error (unknown command): {text}"));
                }
                known && playing
            }
        };
        if go {
            let mv = good_move(&game);
            let _ = game.play_uci(&mv);
            say(&format!("1. ... {mv}\nMy move is: {mv}"));
        }
    }
}
