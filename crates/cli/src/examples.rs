//! One example for every command, at the end of its help.

/// Commands with what to type.
const EXAMPLES: [(&str, &str); 48] = [
    ("", "quarterply match --player default --player classic --nodes 2000"),
    ("ablate", "quarterply ablate data/suites/quarterply-24.epd --nodes 20k"),
    ("bench", "quarterply bench 10 --profile classic"),
    ("compare", "quarterply compare old.jsonl new.jsonl"),
    ("completions", "quarterply completions bash > ~/.bash_completion"),
    ("datagen", "quarterply datagen --positions 1M --out data/first --seed 1"),
    ("datagen convert", "quarterply datagen convert data/first --to bulletformat -o g.bullet"),
    ("datagen dump", "quarterply datagen dump data/first --pgn -o games.pgn"),
    ("datagen compare", "quarterply datagen compare data/deep data/first"),
    ("datagen pack", "quarterply datagen pack data/first -o first.games"),
    ("datagen relabel", "quarterply datagen relabel data/first --nodes 5k --out data/deep"),
    ("datagen resume", "quarterply datagen resume data/first"),
    ("datagen stats", "quarterply datagen stats data/first"),
    ("datagen unpack", "quarterply datagen unpack first.games --out data/again"),
    ("datagen visited", "quarterply datagen visited data/first --nodes 400 --out data/seen"),
    ("eval", "quarterply eval --fen \"8/5k2/8/8/3P4/8/5K2/8 w - - 0 1\""),
    ("man", "quarterply man --out ~/.local/share/man/man1"),
    ("learn", "quarterply learn eval games/first --page fit.html"),
    ("learn cost", "quarterply learn cost games/first -o learned.toml --page l.html"),
    ("learn eval", "quarterply learn eval games/first -o weights.rs --page fit.html"),
    ("learn order", "quarterply learn order move-map games/first -o move_map.bin"),
    ("learn realization", "quarterply learn realization games/first -o mine.toml"),
    ("learn wdl", "quarterply learn wdl games/first"),
    ("match", "quarterply match --player default --player \"cmd:toga2 tc=4+0.04\""),
    ("mine", "quarterply mine --games 200 --seed 7 -o suite.epd"),
    ("params", "quarterply params null_move --format openbench"),
    ("perft", "quarterply perft 5 --divide"),
    ("selfplay", "quarterply selfplay --games 20 --tc 1+0.01"),
    ("solve", "quarterply solve suite.epd --nodes 100k --json out.jsonl"),
    ("stats", "quarterply stats --nodes 100k --page stats.html"),
    ("train", "quarterply train data/first --out nets/first"),
    ("train resume", "quarterply train resume nets/first"),
    ("train verify", "quarterply train verify nets/first/network.nnue"),
    ("train average", "quarterply train average a.nnue b.nnue -o mean.nnue"),
    ("tune", "quarterply tune ga --quick --out runs/first"),
    ("tune cmaes", "quarterply tune cmaes --params \"null_move.*\" --out runs/c"),
    ("tune ga", "quarterply tune ga --preset paper --out runs/paper"),
    ("tune gradient", "quarterply tune gradient --params \"futility.*\" --out runs/g"),
    ("tune import", "quarterply tune import spsa.csv > tuned.toml"),
    ("tune random", "quarterply tune random --quick --out runs/baseline"),
    ("tune resume", "quarterply tune resume runs/first"),
    ("tune show", "quarterply tune show runs/a runs/b --out runs/compare"),
    ("tune spsa", "quarterply tune spsa --params \"null_move.*\" --out runs/s"),
    ("uci-check", "quarterply uci-check \"stockfish\""),
    ("window", "quarterply window why e4 --depth 8"),
    ("window diff", "quarterply window diff --profile default --profile classic"),
    ("window model", "quarterply window model data/models/zugzwang.json --engine"),
    ("window search", "quarterply window search --depth 6 -o tree.html"),
];

/// More commands with what to type, kept apart by what they show.
const WINDOWS: [(&str, &str); 11] = [
    ("window bets", "quarterply window bets data/suites/quarterply-24.epd"),
    ("window review", "quarterply window review game.pgn -o review.html"),
    ("window serve", "quarterply window serve --open"),
    ("window show", "quarterply window show tree.trace --iteration 5"),
    ("window tutorial", "quarterply window tutorial --small 4"),
    ("window why", "quarterply window why Nf3 --moves \"e4 e5\" --depth 8"),
    ("worker", "quarterply worker --nats nats://192.0.2.7:4222 --workers 4"),
    ("workers", "quarterply workers --nats nats://192.0.2.7:4222"),
    ("workers measure", "quarterply workers measure --nats nats://127.0.0.1:4222"),
    ("workers forget", "quarterply workers forget 0123456789abcdef --nats nats://192.0.2.7:4222"),
    ("workers retry", "quarterply workers retry --nats nats://192.0.2.7:4222"),
];

/// What to type for a command, by its words.
fn example(path: &str) -> Option<&'static str> {
    EXAMPLES.iter().chain(&WINDOWS).find(|(words, _)| *words == path).map(|(_, example)| *example)
}

/// The command with its example, and so all its sub-commands.
pub fn with_examples(command: clap::Command) -> clap::Command {
    add(command, "")
}

fn add(mut command: clap::Command, path: &str) -> clap::Command {
    let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    for name in names {
        let words = if path.is_empty() { name.clone() } else { format!("{path} {name}") };
        command = command.mut_subcommand(name, |sub| add(sub, &words));
    }
    let Some(example) = example(path) else { return command };
    let said = |text: Option<&clap::builder::StyledStr>| text.map(|text| format!("{text}\n\n")).unwrap_or_default();
    let (short, long) = (said(command.get_after_help()), said(command.get_after_long_help()));
    let example = format!("Example: {example}");
    if long.is_empty() { command.after_help(format!("{short}{example}")) } else { command.after_help(example) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns that a terminal surely has.
    const COLUMNS: usize = 80;

    fn visit(command: &clap::Command, path: &str, each: &mut dyn FnMut(&clap::Command, &str)) {
        each(command, path);
        for sub in command.get_subcommands() {
            let words = if path.is_empty() { sub.get_name().to_owned() } else { format!("{path} {}", sub.get_name()) };
            visit(sub, &words, each);
        }
    }

    #[test]
    fn every_command_has_an_example_in_eighty_columns() {
        visit(&crate::args::command(), "", &mut |command, path| {
            let example = example(path).unwrap_or_else(|| panic!("`{path}` has no example"));
            let begin = format!("quarterply {path}");
            assert!(example.starts_with(begin.trim_end()), "{path}: {example}");
            // The program's limit reaches sub-commands only when the command is built.
            let mut command = command.clone().max_term_width(COLUMNS);
            for help in [command.render_help(), command.render_long_help()] {
                let help = help.to_string();
                assert!(help.contains("Example"), "{path}\n{help}");
                let wide = help.lines().find(|line| line.chars().count() > COLUMNS);
                assert_eq!(wide, None, "{path}");
            }
        });
    }

    #[test]
    fn the_examples_are_understood() {
        for (path, example) in EXAMPLES.iter().chain(&WINDOWS) {
            let line = example.split(" > ").next().unwrap_or_default();
            let words = quarterply_uci::launch::split(line).expect(line);
            let read = crate::args::command().try_get_matches_from(words);
            assert!(read.is_ok(), "{path}: {}", read.err().map(|e| e.to_string()).unwrap_or_default());
        }
    }
}
