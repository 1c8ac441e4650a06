//! Boards as pictures for pages that are only read.

use maud::{Markup, PreEscaped, html};
use quarterply_engine::position::Position;
use quarterply_engine::shakmaty::{Color, File, Move, Rank, Square};
use quarterply_engine::words::named;

/// The shapes of the pieces, to be put into a page once.
const PIECES: &str = include_str!("page/pieces.svg");
/// Side of a square.
const SIDE: u32 = 64;
/// Squares of a side of the board.
const SQUARES: u32 = 8;
/// Distance of the end of an arrow from the middle of its square.
const SHORT: f64 = 14.0;

named! {
    /// Meaning of an arrow on a board; its name is the class of its style.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Arrow {
        /// The move that was made.
        Played "played",
        /// The move that was better.
        Better "better",
        /// A reply.
        Reply "reply",
    }
}

/// Style and shapes, which a page needs once before its first board.
pub fn shapes() -> Markup {
    html! {
        style { (PreEscaped(STYLE)) }
        (PreEscaped(PIECES))
        svg .sprite aria-hidden="true" { defs { @for arrow in Arrow::ALL {
            marker id=(format!("tip-{}", arrow.name())) viewBox="0 0 10 10" refX="5" refY="5" markerWidth="3.4" markerHeight="3.4" orient="auto" {
                path class=(format!("tip {}", arrow.name())) d="M0 0L10 5L0 10z" {}
            }
        } } }
    }
}

/// A board seen by `below`; `label` is its text for screen readers.
pub fn board(position: &Position, below: Color, arrows: &[(Move, Arrow)], label: &str) -> Markup {
    let whole = SIDE * SQUARES;
    let place = |square: Square| {
        let (file, rank) = (u32::from(square.file()), u32::from(square.rank()));
        let last = SQUARES - 1;
        if below == Color::White { (file * SIDE, (last - rank) * SIDE) } else { ((last - file) * SIDE, rank * SIDE) }
    };
    html! {
        svg .board role="img" aria-label=(label) viewBox=(format!("0 0 {whole} {whole}")) {
            @for square in Square::ALL {
                @let (x, y) = place(square);
                rect class=(if square.is_light() { "light" } else { "dark" }) x=(x) y=(y) width=(SIDE) height=(SIDE) {}
                @if let Some(piece) = position.board().piece_at(square) {
                    use href=(format!("#piece-{}", piece.role.char())) class=(if piece.color == Color::White { "w" } else { "b" })
                        x=(x) y=(y) width=(SIDE) height=(SIDE) {}
                }
            }
            (names(below))
            @for &(mv, arrow) in arrows {
                @if let Some(from) = mv.from() {
                    @let (start, end) = line(place(from), place(mv.to()));
                    line class=(format!("arrow {}", arrow.name())) marker-end=(format!("url(#tip-{})", arrow.name()))
                        x1=(start.0) y1=(start.1) x2=(end.0) y2=(end.1) {}
                }
            }
        }
    }
}

/// The names of the files and ranks at the border.
fn names(below: Color) -> Markup {
    /// Distance of names from the corner of their square.
    const GAP: u32 = 5;
    let turned = |place: u32| if below == Color::White { place } else { SQUARES - 1 - place };
    html! {
        @for (number, (file, rank)) in (0..).zip(File::ALL.into_iter().zip(Rank::ALL)) {
            text .name x=((turned(number) + 1) * SIDE - GAP) y=(SQUARES * SIDE - GAP) text-anchor="end" { (file.char()) }
            text .name x=(GAP) y=((SQUARES - 1 - turned(number)) * SIDE + SIDE / 4 + GAP / 2) { (rank.char()) }
        }
    }
}

/// From the middle of one square to just before the middle of another.
fn line(from: (u32, u32), to: (u32, u32)) -> ((f64, f64), (f64, f64)) {
    let middle = |(x, y): (u32, u32)| (f64::from(x + SIDE / 2), f64::from(y + SIDE / 2));
    let (start, end) = (middle(from), middle(to));
    let (dx, dy) = (end.0 - start.0, end.1 - start.1);
    let length = dx.hypot(dy).max(1.0);
    (start, (end.0 - dx / length * SHORT, end.1 - dy / length * SHORT))
}

const STYLE: &str = "\
.sprite { position: absolute; width: 0; height: 0; }
.board { width: 100%; max-width: 24rem; border-radius: 6px; }
.board .light { fill: #ece4d3; } .board .dark { fill: #a8b5a2; }
@media (prefers-color-scheme: dark) { .board .light { fill: #c6bfaf; } .board .dark { fill: #75867b; } }
.board .name { font: 600 15px system-ui, sans-serif; fill: #000000c0; }
.board .w { --body: #fdfaf3; --edge: #35323a; --trace: #35323a; }
.board .b { --body: #3c3a44; --edge: #17161b; --trace: #cfc8bb; }
.body { fill: var(--body); stroke: var(--edge); stroke-width: 2; stroke-linejoin: round; }
.detail { fill: none; stroke: var(--trace); stroke-width: 1.7; stroke-linecap: round; }
.dot { fill: var(--trace); }
.board .arrow { stroke-width: 9; opacity: .8; stroke-linecap: round; }
.arrow.played { stroke: #d55e00; } .tip.played { fill: #d55e00; }
.arrow.better { stroke: #0b6e69; } .tip.better { fill: #0b6e69; }
.arrow.reply { stroke: #0072b2; stroke-dasharray: 12 14; } .tip.reply { fill: #0072b2; }";

#[cfg(test)]
mod tests {
    use super::*;
    use quarterply_engine::position::Game;

    #[test]
    fn the_side_below_has_its_first_rank_below() {
        let game = Game::new();
        let white = board(game.position(), Color::White, &[], "start").into_string();
        let black = board(game.position(), Color::Black, &[], "start").into_string();
        let king = |x: u32, y: u32| format!("<use href=\"#piece-k\" class=\"w\" x=\"{x}\" y=\"{y}\"");
        assert!(white.contains(&king(4 * SIDE, 7 * SIDE)), "White's king on e1 below");
        assert!(black.contains(&king(3 * SIDE, 0)), "White's king on e1 above, from the other side");
        assert_eq!(white.matches("<use ").count(), 32);
        // The letter h is at the right for White, at the left for Black.
        let letter = |x: u32| format!("<text class=\"name\" x=\"{x}\" y=\"507\" text-anchor=\"end\">h</text>");
        assert!(white.contains(&letter(507)) && black.contains(&letter(59)));
    }

    #[test]
    fn an_arrow_points_from_square_to_square() {
        let game = Game::new();
        let mv = game.parse_uci("e2e4").expect("legal");
        let page = board(game.position(), Color::White, &[(mv, Arrow::Played)], "").into_string();
        assert!(page.contains("x1=\"288\" y1=\"416\" x2=\"288\" y2=\"302\""), "{}", &page[page.len() - 300..]);
    }
}
