//! The commands of README.md and docs against the command line: what a page tells to type must be understood.

#[path = "../tests/support/documentation.rs"]
mod pages;

use clap::Command;
use pages::{commands, read, words};

/// What ends a command in a line of a shell.
const ENDS: [&str; 5] = ["|", ">", ";", "&&", "done"];
/// What can stand before a command in a line of a shell.
const BEGINS: [&str; 4] = ["|", "&&", "do", "time"];
/// A part of a command that is left out.
const LEFT_OUT: &str = "...";
/// Before the sub-commands that pages name without the name of the program.
const GROUP: &str = "window ";

/// The calls of the program in a line, each without the name.
fn calls(line: &str) -> Vec<Vec<String>> {
    let line =
        line.replace("cargo run --release -- ", "quarterply ").replace("target/release/quarterply", "quarterply");
    let words = words(&line);
    let begins = |place: usize| {
        let before = place.checked_sub(1).map(|before| words[before].as_str());
        words[place] == "quarterply" && before.is_none_or(|word| BEGINS.contains(&word) || word.ends_with(';'))
    };
    let places = (0..words.len()).filter(|place| begins(*place)).map(|place| place + 1);
    places
        .map(|place| {
            let mut call = Vec::new();
            for word in &words[place..] {
                if ENDS.contains(&word.as_str()) {
                    break;
                }
                call.push(word.trim_end_matches(';').to_owned());
                if word.ends_with(';') {
                    break;
                }
            }
            call
        })
        .collect()
}

/// A flag of the call that the program does not have. Nothing is known of a call whose sub-command is a variable.
fn unknown(root: &Command, call: &[String]) -> Option<String> {
    if call.iter().take_while(|word| !word.starts_with('-')).any(|word| word.starts_with('$')) {
        return None;
    }
    let mut command = root;
    let mut path = vec![root];
    for word in call {
        if let Some(next) = command.find_subcommand(word) {
            command = next;
            path.push(next);
            continue;
        }
        let Some(flag) = word.strip_prefix("--") else { continue };
        let flag = flag.split('=').next().unwrap_or(flag);
        let has = |command: &&Command| {
            command.get_arguments().any(|argument| {
                argument.get_long() == Some(flag) || argument.get_all_aliases().is_some_and(|all| all.contains(&flag))
            })
        };
        if !flag.is_empty() && flag != "help" && !path.iter().any(has) {
            return Some(word.clone());
        }
    }
    None
}

/// Is the call a list of UCI lines?
fn is_uci(call: &[String]) -> bool {
    call.first().is_none_or(|word| word.contains(' ') || word == "uci")
}

#[test]
fn commands_of_the_readme_and_the_docs_are_understood() {
    let mut seen = 0;
    for command in pages::pages(false).iter().flat_map(|page| commands(page)) {
        for call in calls(&command.text) {
            if call.iter().any(|word| word == LEFT_OUT) {
                continue;
            }
            let line = std::iter::once("quarterply".to_owned()).chain(call.clone());
            let read = crate::args::command().try_get_matches_from(line);
            assert!(
                read.is_ok(),
                "{}:{}: {call:?}: {}",
                command.page,
                command.line,
                read.err().map(|e| e.to_string()).unwrap_or_default()
            );
            let is_known = is_uci(&call)
                || crate::args::command().find_subcommand(&call[0]).is_some()
                || call[0].starts_with("--");
            assert!(is_known, "{}:{}: {call:?}", command.page, command.line);
            seen += 1;
        }
    }
    assert!(seen > 0, "no command");
}

/// Also those of docs/results, whose numbers and files are those of the day, and those inside sentences.
#[test]
fn flags_and_names_of_commands_on_any_page_exist() {
    let root = crate::args::command();
    for page in pages::pages(true) {
        let fenced = commands(&page).into_iter().map(|command| (command.line, command.text));
        let text = read(&page);
        let spans = text.lines().enumerate().flat_map(|(index, line)| {
            let spans = line.split('`').skip(1).step_by(2);
            spans.map(move |span| {
                (index + 1, if span.starts_with(GROUP) { format!("quarterply {span}") } else { span.to_owned() })
            })
        });
        for (line, text) in fenced.chain(spans) {
            for call in calls(&text) {
                let missing = unknown(&root, &call);
                assert_eq!(missing, None, "{page}:{line}: {text}");
                let known =
                    is_uci(&call) || call[0].starts_with(['-', '$', '[']) || root.find_subcommand(&call[0]).is_some();
                assert!(known, "{page}:{line}: the program has no `{}`", call[0]);
            }
        }
    }
}
