//! Tables for the terminal.

use std::fmt;
use std::ops::Range;

use crate::screen::clean;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Row, Table, Width, presets};

/// The columns of the terminal that stdout is; `None` where it is none.
pub fn terminal_width() -> Option<usize> {
    Table::new().width().map(usize::from)
}

/// Letters of the longest text in a cell.
const CELL_MAX: usize = 300;
/// Digits of a group.
const GROUP: usize = 3;
/// Stands for the blank between groups of digits while the lines of a table are broken.
const GROUP_BLANK: char = '\u{a0}';

/// A table that fits itself into the terminal by breaking lines between words. A word, such as the name of a parameter, and a number in
/// groups of digits stay whole even if the terminal is too narrow for all of them.
pub struct Listing(Table);

impl Listing {
    /// An empty table with these columns; those in `numbers` are set to the right.
    pub fn new(header: &[&str], numbers: Range<usize>) -> Listing {
        let mut table = Table::new();
        let style = presets::UTF8_HORIZONTAL_ONLY.row_separator(LineStyle::none());
        table.load_style(style).set_content_arrangement(ContentArrangement::Dynamic);
        table.set_header(header.iter().copied());
        for index in numbers {
            if let Some(column) = table.column_mut(index) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        Listing(table)
    }

    /// A table whose first column is text; the others are set to the right.
    pub fn of<T: AsRef<str>>(
        header: &[impl AsRef<str>],
        rows: impl IntoIterator<Item = impl IntoIterator<Item = T>>,
    ) -> Listing {
        let header: Vec<&str> = header.iter().map(AsRef::as_ref).collect();
        let mut listing = Listing::new(&header, 1..header.len());
        rows.into_iter().for_each(|row| listing.add_row(row));
        listing
    }

    /// Adds a row at the end.
    ///
    /// Control characters are shown, and of a very long text only the beginning: fitting one takes a time that grows with the
    /// square of its length.
    pub fn add_row<T: AsRef<str>>(&mut self, row: impl IntoIterator<Item = T>) {
        self.0.add_row(Row::from(row.into_iter().map(|cell| brief(cell.as_ref())).collect::<Vec<_>>()));
    }
}

impl fmt::Display for Listing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = self.0.clone();
        for index in 0..table.column_count() {
            let cells = table.column_cells_with_header_iter(index).flatten();
            let word = cells.map(|cell| longest_word(&cell.content())).max().unwrap_or(0);
            if let Some(column) = table.column_mut(index) {
                let width = column.padding_width() + word;
                column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(width)));
            }
        }
        f.write_str(&table.to_string().replace(GROUP_BLANK, " "))
    }
}

/// A note below a table, in lines of at most 80 letters that fit the terminal.
pub fn note(text: &str) -> String {
    const WIDTH: usize = 80;
    wrapped(text, terminal_width().map_or(WIDTH, |width| width.min(WIDTH)), "")
}

/// The text in lines of at most `width` letters, broken between words; `indent` begins all lines but the first.
pub fn wrapped(text: &str, width: usize, indent: &str) -> String {
    let (mut shown, mut length) = (String::new(), 0);
    for word in text.split_whitespace() {
        let letters = word.chars().count();
        if length > 0 && length + 1 + letters > width {
            shown += "\n";
            shown += indent;
            length = indent.len();
        } else if length > 0 {
            shown += " ";
            length += 1;
        }
        shown += word;
        length += letters;
    }
    shown
}

/// A text as a cell shows it.
fn brief(text: &str) -> String {
    let mut letters = text.chars();
    let mut short: String = letters.by_ref().take(CELL_MAX).collect();
    if letters.next().is_some() {
        short.push('…');
    }
    join_groups(&clean(&short))
}

/// The text with [`GROUP_BLANK`] in its numbers, such as `20 000`.
fn join_groups(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let is_digit = |at: usize| letters.get(at).is_some_and(char::is_ascii_digit);
    let is_inside =
        |at: usize| at > 0 && is_digit(at - 1) && (at + 1..=at + GROUP).all(is_digit) && !is_digit(at + GROUP + 1);
    let joined = letters.iter().enumerate();
    joined.map(|(at, letter)| if *letter == ' ' && is_inside(at) { GROUP_BLANK } else { *letter }).collect()
}

/// Letters of the longest word.
fn longest_word(text: &str) -> u16 {
    let letters = text.split([' ', '\n']).map(|word| word.chars().count()).max().unwrap_or(0);
    letters.try_into().unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn narrow(width: u16) -> String {
        let row = ["null_move.adaptive_depth", "0..7", "1..6, middle 1"];
        let mut listing = Listing::of(&["parameter", "range", "last population"], [row]);
        listing.0.set_width(width);
        listing.to_string()
    }

    #[test]
    fn a_cell_of_a_megabyte_is_shown_at_once() {
        let mut listing = Listing::new(&["id", "words"], 0..0);
        let text = format!("\u{1b}[2J{}", "x".repeat(1 << 20));
        listing.add_row([&text, &"many words ".repeat(1 << 17)]);
        let begun = std::time::Instant::now();
        let shown = listing.to_string();
        assert!(shown.contains("\\x1b[2Jxxx") && shown.contains('…') && !shown.contains('\u{1b}'), "{shown}");
        assert!(begun.elapsed().as_secs() < 5, "{:?}", begun.elapsed());
    }

    /// In a terminal of 80 columns `solve` showed 20 000 nodes as `20` above `000`.
    #[test]
    fn numbers_stay_in_one_line() {
        let row = ["a position", "20 000", "1 234 567", "12 ms"];
        let mut listing = Listing::of(&["id", "first", "nodes", "time"], [row]);
        listing.0.set_width(20);
        let shown = listing.to_string();
        assert!(shown.contains("20 000") && shown.contains("1 234 567") && !shown.contains(GROUP_BLANK), "{shown}");
        assert!(!shown.contains("a position"), "{shown}");
    }

    #[test]
    fn lines_are_broken_between_words_only() {
        let text = wrapped(&"seven letters ".repeat(20), 80, "  ");
        assert!(text.lines().count() > 3 && text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.starts_with("seven") && text.lines().skip(1).all(|line| line.starts_with("  ")), "{text}");
        assert_eq!(text.split_whitespace().count(), 40);
        let wide = narrow(80);
        let fitting = narrow(48);
        let too_narrow = narrow(20);
        assert!(wide.contains("1..6, middle 1"), "{wide}");
        for listing in [&fitting, &too_narrow] {
            for word in ["null_move.adaptive_depth", "parameter", "population", "middle", "0..7"] {
                assert!(listing.split_whitespace().any(|w| w == word), "{word}:\n{listing}");
            }
            assert!(!listing.contains("1..6, middle 1"), "{listing}");
        }
        assert!(fitting.lines().all(|line| line.chars().count() <= 48), "{fitting}");
    }
}
