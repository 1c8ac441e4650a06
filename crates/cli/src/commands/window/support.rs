//! Shared by the sub-commands of `window`: positions, limits, recordings.

use miette::miette;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::search::pool::{Control, TABLE_DEFAULT};
use quarterply_engine::shakmaty::Move;
use quarterply_engine::shakmaty::san::San;
use quarterply_files::profile;
use quarterply_window::show::ShowError;
use quarterply_window::trace::record::{self, RecordError, RecordSetup, Recording};
use quarterply_window::trace::{Filter, Trace};
use std::io::BufWriter;

use crate::common::Common;
use crate::failure::Failure;
use crate::limits::{HASH_MAX, SearchLimits};
use crate::numbers::count;
use crate::positions::read_fen;

/// A position and how long to search it.
#[derive(clap::Args, Clone, Debug)]
pub struct StartPosition {
    /// Search this position [default: the initial position].
    #[arg(long, value_name = "FEN")]
    pub fen: Option<String>,
    /// Play these moves before the search, such as `e2e4 e7e5` or `e4 e5`.
    #[arg(long, value_name = "MOVES")]
    pub moves: Option<String>,
    #[command(flatten)]
    pub limits: SearchLimits,
    /// Size of the transposition table, in MiB.
    #[arg(long, value_name = "MB", default_value_t = TABLE_DEFAULT, value_parser = count::<usize>(1..=HASH_MAX))]
    pub hash: usize,
}

impl StartPosition {
    /// A position with a table, without limits.
    pub fn of(fen: &str, hash: usize) -> StartPosition {
        StartPosition { fen: Some(fen.to_owned()), moves: None, limits: SearchLimits::default(), hash }
    }

    /// The game up to the position.
    pub fn game(&self) -> Result<Game, Failure> {
        let mut game = match &self.fen {
            None => Game::new(),
            Some(fen) => read_fen(fen)?,
        };
        for text in self.moves.iter().flat_map(|moves| moves.split_whitespace()) {
            let mv = read_move(&game, text)?;
            game.play(mv);
        }
        if game.position().legal_moves().is_empty() {
            let what = if game.position().in_check() { "checkmate" } else { "stalemate" };
            let fen = game.fen();
            refuse!("cannot search `{fen}`: it is {what}, without legal moves; give another position");
        }
        Ok(game)
    }
}

/// A move in any common notation.
pub fn read_move(game: &Game, text: &str) -> Result<Move, Failure> {
    quarterply_window::moves::read(game.position(), text).ok_or_else(|| {
        let position = game.position();
        let legal = position.legal_moves().into_iter().map(|mv| San::from_move(position.chess(), mv).to_string());
        let legal: Vec<String> = legal.collect();
        Failure::Input(miette!(
            "cannot play `{text}` in {}: it is not a legal move; give one of {}",
            game.fen(),
            legal.join(" ")
        ))
    })
}

/// The profile's name and its parameters.
pub fn parameters(common: &Common) -> Result<(String, Parameters), Failure> {
    named_parameters(common.profile.as_deref(), common)
}

/// The parameters of a named profile, with what `--set` changes.
pub fn named_parameters(name: Option<&str>, common: &Common) -> Result<(String, Parameters), Failure> {
    let parameters = common.parameters_of(name)?;
    Ok((name.unwrap_or(profile::DEFAULT_NAME).to_owned(), parameters))
}

/// Records a search in a file without a name, which goes when the program ends.
pub fn record_aside(setup: &RecordSetup<'_>, control: &Control) -> Result<(Trace, Recording<()>), Failure> {
    let file = tempfile::tempfile()
        .map_err(|error| Failure::Run(miette!("cannot create a temporary file: {error}; free space, or set TMPDIR")))?;
    let Recording { out, summary, outcome, event_reached } =
        record::search(setup, None, control, None, BufWriter::new(file)).map_err(record_failure)?;
    let file = out.into_inner().map_err(|error| Failure::from(error.into_error()))?;
    let trace = Trace::from_file("the recording", file).map_err(Failure::input)?;
    Ok((trace, Recording { out: (), summary, outcome, event_reached }))
}

/// Reads every `--filter`.
pub fn filter(texts: &[String], game: &Game) -> Result<Filter, Failure> {
    let mut filter = Filter::default();
    for text in texts {
        filter.add(text, game).map_err(Failure::input)?;
    }
    Ok(filter)
}

/// A recording that failed: memory is a matter of input, a full disk is not.
pub fn record_failure(error: RecordError) -> Failure {
    match error {
        RecordError::Table(_) | RecordError::Trace(_) => Failure::input(error),
        RecordError::Write(error) => Failure::from(error),
    }
}

/// A trace that cannot be shown.
pub fn show_failure(error: ShowError) -> Failure {
    match error {
        ShowError::Write(error) => Failure::from(error),
        error => Failure::input(error),
    }
}
