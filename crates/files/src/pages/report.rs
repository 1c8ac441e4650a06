//! The parts that all reports are made of: facts, tables, figures.

use crate::pages::plot::themed;
use maud::{Markup, PreEscaped, Render, html};

/// Names with their values.
pub fn facts<N: Render, V: Render>(facts: impl IntoIterator<Item = (N, V)>) -> Markup {
    html! { dl .facts { @for (name, value) in facts { div { dt { (name) } dd { (value) } } } } }
}

/// A table; the style aligns the first column to the left and all others to the right. Long names of the first column may be broken.
pub fn table<H: AsRef<str>, C: AsRef<str>>(
    head: impl IntoIterator<Item = H>,
    rows: impl IntoIterator<Item = impl IntoIterator<Item = C>>,
) -> Markup {
    html! {
        div .scroll { table {
            thead { tr { @for name in head { th { (name.as_ref()) } } } }
            tbody { @for row in rows { tr { @for (place, cell) in row.into_iter().enumerate() { td {
                @if place == 0 { (breakable(cell.as_ref())) } @else { (cell.as_ref()) }
            } } } } }
        } }
    }
}

/// Text with places where long names may go on in the next line: numbers are not broken.
fn breakable(text: &str) -> Markup {
    let is_break = |(at, letter): &(usize, char)| {
        matches!(letter, '.' | '_') && text[at + 1..].starts_with(|next: char| next.is_alphabetic())
    };
    let ends: Vec<usize> = text.char_indices().filter(is_break).map(|(at, _)| at + 1).collect();
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let parts = starts.zip(ends.iter().copied().chain([text.len()])).map(|(start, end)| &text[start..end]);
    html! { @for (number, part) in parts.enumerate() { @if number > 0 { wbr; } (part) } }
}

/// A picture over the whole width, with a caption if that is not empty.
pub fn figure(svg: &str, caption: &str) -> Markup {
    html! {
        figure .scroll .wide {
            (PreEscaped(themed(svg)))
            @if !caption.is_empty() { figcaption { (caption) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_is_escaped_and_long_names_may_be_broken() {
        let text = table(["<b>", "x"], [["a & b.c", "<i>.d"], ["1.5", ""]]).into_string();
        assert!(text.contains("<th>&lt;b&gt;</th>") && text.contains("<td>a &amp; b.<wbr>c</td>"), "{text}");
        assert!(text.contains("<td>&lt;i&gt;.d</td>") && text.contains("<td>1.5</td>"), "{text}");
        assert!(facts([("<n>", "&")]).into_string().contains("<dt>&lt;n&gt;</dt><dd>&amp;</dd>"));
        assert!(figure("<svg/>", "<c>").into_string().contains("<figcaption>&lt;c&gt;</figcaption>"));
        assert!(!figure("<svg/>", "").into_string().contains("figcaption"));
    }
}
