//! Checks that the command line accepts every command in README.md and docs.

#[path = "../tests/support/documentation.rs"]
mod pages;

use clap::Command;
use pages::{commands, read, spans, words};

/// Words that end a command in a line of a shell.
const ENDS: [&str; 5] = ["|", ">", ";", "&&", "done"];
/// Words before a command in a line of a shell.
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

/// Returns true for a list of UCI lines.
fn is_uci(call: &[String]) -> bool {
    call.first().is_none_or(|word| word.contains(' ') || word == "uci")
}

/// Those in fences of README.md and docs are parsed. Of those of docs/results, whose numbers and files are those of the day, and of those
/// inside sentences the flags and the names are looked up.
#[test]
fn commands_on_all_pages_are_understood() {
    let root = crate::args::command();
    let (parsed, mut seen) = (pages::pages(false), 0);
    for page in pages::pages(true) {
        let is_parsed = parsed.contains(&page);
        let fenced = commands(&page).into_iter().map(|command| (command.line, command.text, is_parsed));
        let text = read(&page);
        let inside = text.lines().enumerate().flat_map(|(index, line)| {
            let name =
                |span: &str| if span.starts_with(GROUP) { format!("quarterply {span}") } else { span.to_owned() };
            spans(line).map(move |span| (index + 1, name(span), false))
        });
        for (line, text, is_parsed) in fenced.chain(inside) {
            for call in calls(&text) {
                assert_eq!(unknown(&root, &call), None, "{page}:{line}: {text}");
                let known =
                    is_uci(&call) || call[0].starts_with(['-', '$', '[']) || root.find_subcommand(&call[0]).is_some();
                assert!(known, "{page}:{line}: the program has no `{}`", call[0]);
                if is_parsed && !call.iter().any(|word| word == LEFT_OUT) {
                    let words = std::iter::once("quarterply".to_owned()).chain(call);
                    let read = crate::args::command().try_get_matches_from(words);
                    assert!(
                        read.is_ok(),
                        "{page}:{line}: {text}: {}",
                        read.err().map(|e| e.to_string()).unwrap_or_default()
                    );
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 0, "no command");
}

/// Size of a screen.
const COLUMNS: usize = 80;
const LINES: usize = 50;

fn visit(command: &Command, path: &str, each: &mut dyn FnMut(&Command, &str)) {
    each(command, path);
    for sub in command.get_subcommands() {
        visit(sub, format!("{path} {}", sub.get_name()).trim_start(), each);
    }
}

/// The examples at the end of a help text, each from the name of the program on.
fn examples(help: &str) -> Vec<String> {
    let text = help.replace("\\\n", " ");
    let lines = text.lines().filter(|line| line.starts_with("  ") || line.starts_with("Example: "));
    lines.filter_map(|line| line.find("quarterply").map(|at| line[at..].to_owned())).collect()
}

/// Each command has one section of examples, and `-h` fits one screen.
#[test]
fn help_has_examples_and_the_short_one_fits_a_screen() {
    let mut root = crate::args::command();
    root.build();
    visit(&root, "", &mut |command, path| {
        if command.get_name() == "help" || path.starts_with("help ") || path.contains(" help ") {
            return;
        }
        let mut command = command.clone();
        let [short, long] = [command.render_help(), command.render_long_help()].map(|help| help.to_string());
        for help in [&short, &long] {
            assert_eq!(help.matches("Example").count(), 1, "{path}\n{help}");
            assert!(help.trim_end().ends_with("Terms: docs/glossary.md"), "{path}\n{help}");
            let wide = help.lines().find(|line| line.chars().count() > COLUMNS);
            assert_eq!(wide, None, "{path}");
        }
        let lines = short.lines().count();
        assert!(lines <= LINES, "{path}: {lines} lines\n{short}");
    });
}

#[test]
fn the_examples_of_the_help_are_understood() {
    visit(&crate::args::command(), "", &mut |command, path| {
        let texts = [command.get_after_help(), command.get_after_long_help()].into_iter().flatten();
        let examples: Vec<String> = texts.flat_map(|text| examples(&text.to_string())).collect();
        assert!(examples.iter().any(|one| one.starts_with(format!("quarterply {path}").trim_end())), "{path}");
        for example in examples {
            let line = example.split(" > ").next().unwrap_or_default();
            let words = quarterply_uci::launch::split(line).expect(line);
            let read = crate::args::command().try_get_matches_from(words);
            assert!(read.is_ok(), "{path}: {}", read.err().map(|e| e.to_string()).unwrap_or_default());
        }
    });
}

/// The default of an option by the rest of the command line: what `clap` fills in, and what the help shows.
#[test]
fn limits_have_the_defaults_that_the_help_shows() {
    let value = |line: &str, id: &str| {
        let matches = crate::args::command().try_get_matches_from(line.split(' ')).expect(line);
        let mut last = &matches;
        while let Some((_, below)) = last.subcommand() {
            last = below;
        }
        let raw = last.get_raw(id).and_then(|mut values| values.next());
        raw.map(|value| value.to_string_lossy().into_owned())
    };
    for (line, id, expected) in [
        ("quarterply solve s.epd", "nodes", Some("200000")),
        ("quarterply solve s.epd --depth 9", "nodes", None),
        ("quarterply solve s.epd --movetime 9", "nodes", None),
        ("quarterply solve s.epd --depth 9 --nodes 7", "nodes", Some("7")),
        ("quarterply ablate s.epd", "nodes", Some("50000")),
        ("quarterply ablate s.epd --depth 9", "nodes", None),
        ("quarterply stats", "nodes", Some("100000")),
        ("quarterply stats --depth 9", "nodes", None),
        ("quarterply window bets --depth 9", "nodes", None),
        ("quarterply window review g.pgn", "nodes", Some("100000")),
        ("quarterply window why e4", "nodes", Some("100000")),
        ("quarterply window why e4 --depth 9", "nodes", None),
        ("quarterply window diff", "depth", Some("8")),
        ("quarterply window diff", "nodes", None),
        ("quarterply window diff --nodes 9", "depth", None),
        ("quarterply window diff --depth 9", "nodes", None),
        ("quarterply selfplay", "seed", Some("1")),
    ] {
        assert_eq!(value(line, id).as_deref(), expected, "{line}");
    }
    let mut seen = 0;
    visit(&crate::args::command(), "", &mut |command, path| {
        for argument in command.get_arguments().filter(|one| !one.get_default_values().is_empty()) {
            let help = argument.get_long_help().or(argument.get_help()).map(ToString::to_string).unwrap_or_default();
            // A default that is hidden, such as port 0, may be described in words.
            let stated = help.contains("[default") && !argument.is_hide_default_value_set();
            assert!(!help.contains("if no limit is given") && !stated, "{path}: {help}");
            seen += 1;
        }
    });
    assert!(seen > 100, "{seen} options with a default");
}
