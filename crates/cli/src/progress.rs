//! Progress on stderr: a bar with the time still needed, hidden where nobody looks.

use std::io::{IsTerminal, stderr};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::common::Common;

/// What a bar looks like.
const TEMPLATE: &str = "{prefix} {wide_bar} {pos}/{len} {msg} [{elapsed} gone, {eta} to go]";

/// A bar over `length` steps; it draws nothing with `--quiet` or when stderr is no terminal.
pub fn bar(common: &Common, length: usize, label: &str) -> ProgressBar {
    let target = if common.quiet || !stderr().is_terminal() {
        ProgressDrawTarget::hidden()
    } else {
        ProgressDrawTarget::stderr()
    };
    let bar = ProgressBar::with_draw_target(Some(length as u64), target);
    bar.set_prefix(label.to_owned());
    if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
        bar.set_style(style);
    }
    bar
}
