//! `quarterply completions SHELL` and `quarterply man`: what a shell and the manual need to know of the commands.

use std::path::PathBuf;

use clap_complete::Shell;
use miette::miette;
use serde_json::json;

use crate::common::{Common, NAME};
use crate::export::{JsonLines, NO_INPUT, create};
use crate::failure::{CommandResult, Failure};

/// Which shell.
#[derive(clap::Args, Debug)]
pub struct CompletionsArguments {
    /// Shell of the script.
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: Shell,
}

/// Where the pages go.
#[derive(clap::Args, Debug)]
pub struct ManArguments {
    /// Write the pages of all commands into DIR [default: print the main page to stdout].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Prints the script that completes our words; `command` is the whole command line.
pub fn completions(common: &Common, arguments: &CompletionsArguments, mut command: clap::Command) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, NAME, &mut script);
    print(common, "completions", &String::from_utf8_lossy(&script))
}

/// Writes the pages of the manual; `command` is the whole command line.
pub fn man(common: &Common, arguments: &ManArguments, command: clap::Command) -> CommandResult {
    let Some(folder) = &arguments.out else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        return print(common, "man", &String::from_utf8_lossy(&page));
    };
    let refused = |error| {
        Failure::Input(miette!("cannot write to folder `{}`: {error}; give another one to --out", folder.display()))
    };
    let mut json = JsonLines::open(common, NO_INPUT)?;
    std::fs::create_dir_all(folder).map_err(refused)?;
    // Written to a temporary folder first, because existing files need --overwrite.
    let aside = tempfile::tempdir()?;
    clap_mangen::generate_to(command, aside.path())?;
    let mut pages: Vec<_> = std::fs::read_dir(aside.path())?.flatten().map(|entry| entry.path()).collect();
    pages.sort();
    for page in &pages {
        let path = folder.join(page.file_name().unwrap_or_default());
        create(common, &path, NO_INPUT)?.finish(&std::fs::read_to_string(page)?)?;
        json.write(&json!({"page": path.display().to_string()}))?;
    }
    json.print(&format!("{} pages in {}", pages.len(), folder.display()))?;
    json.close()
}

fn print(common: &Common, what: &str, text: &str) -> CommandResult {
    let mut json = JsonLines::open(common, NO_INPUT)?;
    json.write(&json!({what: text}))?;
    json.print(&text.trim_end())?;
    json.close()
}
