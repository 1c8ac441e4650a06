//! Writes `weights.rs`.

use super::model::{CURVE_EG, CURVE_MG, EG, INPUTS, MG, PARTS};
use quarterply_engine::eval::groups::{CURVE_POINTS, DANGER_GROUPS, GROUPS, Group, SCALE_GROUPS};
use std::fmt::Write;

/// Values in a line: eight, or a rank of half a board.
const IN_LINE: usize = 8;
const RANK: usize = 4;
const HEAD: &str = "\
//! Every weight of the evaluation, in the order of [`super::groups`]: generated, do not edit.
//!
//! Units: a [`Pair`] holds a middlegame and an endgame value in pawns/100.
//!
";
const USES: &str = "
use super::groups::{COUNT, CURVE_POINTS, DANGER_COUNT, SCALE_COUNT};
use super::pair::{Pair, pair};
";

/// The source text. `origin`: how the weights were made, a line of text each, for the head of the file.
pub fn source(weights: &[f64], origin: &[String]) -> String {
    let mut text = HEAD.to_owned();
    for line in origin {
        let _ = writeln!(text, "//! {line}");
    }
    text.push_str(USES);
    let whole = |place: usize| weights[place].round() as i32;
    let halves = |mg: usize, eg: usize| format!("pair({}, {})", whole(mg), whole(eg));
    let all = |groups: &[Group], value: &dyn Fn(usize) -> String| {
        groups.iter().map(|group| lines(group.name, group.first..group.first + group.len, value)).collect()
    };
    let curve = lines("CURVE", 0..CURVE_POINTS, &|point| halves(CURVE_MG + point, CURVE_EG + point));
    let sections: [(&str, &str, String); 4] = [
        ("The ordinary weights.", "WEIGHTS: [Pair; COUNT]", all(GROUPS, &|place| halves(MG + place, EG + place))),
        (
            "Inputs of king danger (danger units).",
            "DANGER: [i32; DANGER_COUNT]",
            all(DANGER_GROUPS, &|place| whole(INPUTS + place).to_string()),
        ),
        (
            "The penalty of danger for the king's side: a point every `CURVE_STEP` units of danger.",
            "CURVE: [Pair; CURVE_POINTS]",
            curve,
        ),
        (
            "Parts of the endgame's scale (1/64).",
            "SCALE: [i32; SCALE_COUNT]",
            all(SCALE_GROUPS, &|place| whole(PARTS + place).to_string()),
        ),
    ];
    for (about, declaration, body) in sections {
        let _ = write!(text, "\n/// {about}\n#[rustfmt::skip]\npub const {declaration} = [\n{body}];\n");
    }
    text
}

/// A group: its name, then its values in aligned lines; the name follows a single value.
fn lines(name: &str, places: std::ops::Range<usize>, value: &dyn Fn(usize) -> String) -> String {
    let values: Vec<String> = places.map(value).collect();
    if let [value] = &values[..] {
        return format!("    {value}, // {name}\n");
    }
    let width = values.iter().map(String::len).max().unwrap_or(0);
    let mut text = format!("    // {name}\n");
    let in_line = if name.ends_with("_SQUARE") { RANK } else { IN_LINE };
    for line in values.chunks(in_line) {
        let cells: Vec<String> = line.iter().map(|value| format!("{value:>width$},")).collect();
        let _ = writeln!(text, "    {}", cells.join(" "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::model::compiled;
    use super::*;

    #[test]
    fn the_compiled_weights_are_those_written() {
        let source = source(&compiled(), &[]);
        let ours = include_str!("../../../engine/src/eval/weights.rs");
        let body = |text: &str| text[text.find("\nuse ").unwrap_or(0)..].to_owned();
        assert_eq!(
            body(&source),
            body(ours),
            "weights.rs was edited by hand, or the groups changed: run `quarterply learn eval`"
        );
    }
}
