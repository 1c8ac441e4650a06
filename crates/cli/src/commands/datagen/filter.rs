//! Flags that choose positions.

use quarterply_datagen::replay::Filter;

use crate::numbers::count;

/// Which positions count.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Filter")]
pub struct FilterArguments {
    /// Keep every position.
    #[arg(long, conflicts_with_all = ["keep_checks", "keep_noisy", "score_max", "skip_first", "skip_drawn"])]
    no_filter: bool,
    /// Keep positions in check.
    #[arg(long)]
    keep_checks: bool,
    /// Keep positions whose best move is a capture or a promotion.
    #[arg(long)]
    keep_noisy: bool,
    /// Skip positions with a score above CP centipawns for either side.
    #[arg(long, value_name = "CP", default_value_t = Filter::DEFAULT.score_max, value_parser = count::<i32>(0..))]
    score_max: i32,
    /// Skip the first N plies of each game, counted after the random ones.
    #[arg(long, value_name = "N", default_value_t = Filter::DEFAULT.first, value_parser = count::<usize>(0..))]
    skip_first: usize,
    /// Skip the last N plies of each game that was adjudicated as a draw by score.
    #[arg(long, value_name = "N", default_value_t = Filter::DEFAULT.drawn_tail, value_parser = count::<usize>(0..))]
    skip_drawn: usize,
}

impl FilterArguments {
    /// The filter of the options.
    pub fn filter(&self) -> Filter {
        if self.no_filter {
            return Filter::ALL;
        }
        Filter {
            checks: self.keep_checks,
            noisy: self.keep_noisy,
            score_max: self.score_max,
            first: self.skip_first,
            drawn_tail: self.skip_drawn,
        }
    }
}

/// The options of this filter; `default` for the default filter.
pub fn flags(filter: &Filter) -> String {
    const USUAL: Filter = Filter::DEFAULT;
    if *filter == Filter::ALL {
        return "--no-filter".to_owned();
    }
    let flags: Vec<String> = [
        (filter.checks != USUAL.checks).then(|| "--keep-checks".to_owned()),
        (filter.noisy != USUAL.noisy).then(|| "--keep-noisy".to_owned()),
        (filter.score_max != USUAL.score_max).then(|| format!("--score-max {}", filter.score_max)),
        (filter.first != USUAL.first).then(|| format!("--skip-first {}", filter.first)),
        (filter.drawn_tail != USUAL.drawn_tail).then(|| format!("--skip-drawn {}", filter.drawn_tail)),
    ]
    .into_iter()
    .flatten()
    .collect();
    if flags.is_empty() { "default".to_owned() } else { flags.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct FilterCommand {
        #[command(flatten)]
        filter: FilterArguments,
    }

    #[test]
    fn a_filter_is_described_by_its_flags() {
        for options in [
            "--no-filter",
            "--keep-checks",
            "--keep-noisy",
            "--skip-first 6",
            "--skip-drawn 0",
            "--keep-checks --keep-noisy --score-max 0 --skip-first 1 --skip-drawn 3",
        ] {
            let line =
                FilterCommand::try_parse_from(std::iter::once("train").chain(options.split(' '))).expect(options);
            assert_eq!(flags(&line.filter.filter()), options);
        }
        let line = FilterCommand::try_parse_from(["train"]).expect("no flag is needed");
        assert_eq!(flags(&line.filter.filter()), "default");
    }
}
