//! `quarterply window tutorial`: chapters on search with live figures, as text or as a page.

use std::io::Write;
use std::path::PathBuf;

use quarterply_window::tutorial::{self, Depths, PageLocation, TutorialError};
use serde_json::json;

use crate::common::Common;
use crate::export::{JsonLines, NO_INPUT, create};
use crate::failure::{CommandResult, Failure};
use crate::numbers::count;

/// How deep the counted searches go.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Depth of minimax and alpha-beta in an endgame, in plies.
    #[arg(long, value_name = "D", default_value_t = Depths::default().small, value_parser = count::<u16>(1..=9))]
    pub small: u16,
    /// Depth of minimax and alpha-beta in a middlegame, in plies.
    #[arg(long, value_name = "D", default_value_t = Depths::default().large, value_parser = count::<u16>(1..=5))]
    pub large: u16,
    /// Depth of the engine's searches of single rules, in plies.
    #[arg(long, value_name = "D", default_value_t = Depths::default().rules, value_parser = count::<u32>(1..=12))]
    pub rules: u32,
    /// Write an HTML page with interactive trees instead.
    #[arg(short, long, value_name = "FILE.html")]
    pub output: Option<PathBuf>,
}

/// Prints the chapters, or writes the page.
pub fn run(common: &Common, arguments: &Arguments) -> CommandResult {
    common.refuse_parameters("the searches of the tutorial have fixed parameters")?;
    let mut json = JsonLines::open(common, NO_INPUT)?;
    let &Arguments { small, large, rules, .. } = arguments;
    if let Some(path) = &arguments.output {
        let draft = create(common, path, NO_INPUT)?;
        let page = tutorial::page(Depths { small, large, rules }, PageLocation::File).map_err(Failure::input)?;
        draft.finish(&page)?;
        json.write(&json!({"small": small, "large": large, "rules": rules, "page": path}))?;
        return json.close();
    }
    let mut text = Vec::new();
    let mut out = json.out();
    // Chapter by chapter, unless the whole text is needed.
    let target: &mut dyn Write = if json.is_requested() { &mut text } else { &mut out };
    tutorial::write(target, Depths { small, large, rules }).map_err(|error| match error {
        TutorialError::Write(error) => error.into(),
        error => Failure::input(error),
    })?;
    out.write_all(&text)?;
    out.flush()?;
    let text = String::from_utf8_lossy(&text);
    json.write(&json!({"small": small, "large": large, "rules": rules, "lines": text.lines().collect::<Vec<_>>()}))?;
    json.close()
}
