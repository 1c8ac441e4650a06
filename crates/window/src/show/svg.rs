//! The whole tree as a picture: a row for each ply. The width of a box is its share of the nodes, its colour shows the outcome.

use super::{ShowError, name, position_of};
use crate::html::escaped;
use crate::trace::{NodeId, NodeRecord, Purpose, Trace};
use crate::words;
use quarterply_engine::node::NodeType;
use quarterply_engine::position::Position;
use quarterply_engine::rules::Rule;
use std::io::Write;

const WIDTH: f64 = 1600.0;
const ROW: f64 = 22.0;
const MARGIN: f64 = 12.0;
/// Height of the title and of the legend.
const BAND: f64 = 26.0;
/// Boxes narrower than this are not drawn, nor the boxes below them.
const NARROWEST: f64 = 0.6;
/// Width of a letter, roughly.
const LETTER: f64 = 6.4;
/// Largest number of rows of a picture.
const ROWS_MAX: u16 = 60;

/// Meaning of a box: its colour and its name in the legend.
type BoxClass = (&'static str, &'static str);
const PV: BoxClass = ("#4c78a8", "principal variation");
const CUT: BoxClass = ("#72b76e", "expected to cut, did");
const ALL: BoxClass = ("#a3cfa0", "expected to fail low, did");
const OTHERWISE: BoxClass = ("#e8a33d", "expected otherwise");
const BY_RULE: BoxClass = ("#9b7bb8", "search made by a rule");
const PRUNED: BoxClass = ("#d4626a", "ended by pruning");
const TABLE: BoxClass = ("#7fb8c9", "ended by the table");
const QUIESCENCE: BoxClass = ("#c9c4b5", "quiescence");
const END: BoxClass = ("#8c8c8c", "draw, horizon, stopped");
/// All of them, in the order of the legend.
const CLASSES: [BoxClass; 9] = [PV, CUT, ALL, OTHERWISE, BY_RULE, PRUNED, TABLE, QUIESCENCE, END];
/// Those with a colour dark enough for light letters.
const DARK: [BoxClass; 3] = [PV, BY_RULE, PRUNED];

/// Writes the picture of the tree below a node.
pub fn write(out: &mut dyn Write, trace: &Trace, id: NodeId, position: &Position) -> Result<(), ShowError> {
    let root = trace.node(id)?;
    let mut picture =
        Picture { trace, boxes: String::new(), top: root.ply, deepest: 0, scale: WIDTH / (root.nodes + 1) as f64 };
    picture.node(&root, position, "root", 0.0)?;
    let height = f64::from(picture.deepest + 1) * ROW + 2.0 * BAND + 2.0 * MARGIN;
    let full = WIDTH + 2.0 * MARGIN;
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {full:.0} {height:.0}\" font-family=\"sans-serif\" font-size=\"11\">"
    )?;
    writeln!(out, "<rect width=\"100%\" height=\"100%\" fill=\"#fbfaf7\"/>")?;
    let title = format!(
        "{}: depth {}, value {}, {}",
        position.fen(),
        words::plies(root.depth),
        root.score.map_or_else(|| "stopped".to_owned(), words::score),
        words::several(root.nodes, "node")
    );
    writeln!(
        out,
        "<text x=\"{MARGIN}\" y=\"{}\" font-size=\"13\" fill=\"#333\">{}</text>",
        MARGIN + ROW / 2.0,
        escaped(&title)
    )?;
    out.write_all(picture.boxes.as_bytes())?;
    legend(out, height - MARGIN - BAND / 2.0)?;
    writeln!(out, "</svg>")?;
    Ok(())
}

struct Picture<'a> {
    trace: &'a Trace,
    boxes: String,
    top: u16,
    deepest: u16,
    /// Width of one node.
    scale: f64,
}

impl Picture<'_> {
    fn node(&mut self, node: &NodeRecord, position: &Position, title: &str, x: f64) -> Result<(), ShowError> {
        let row = node.ply.saturating_sub(self.top);
        if row > ROWS_MAX {
            return Ok(());
        }
        self.deepest = self.deepest.max(row);
        let width = (node.nodes + 1) as f64 * self.scale;
        self.draw(node, title, x, width);
        // A box represents the move that led to it and everything below, so its children begin one node further to the right.
        self.children(node, position, x + self.scale, false)
    }

    /// The boxes below a node. `is_inside` is true for a search of the same position, which has no box.
    fn children(
        &mut self,
        node: &NodeRecord,
        position: &Position,
        mut next: f64,
        is_inside: bool,
    ) -> Result<(), ShowError> {
        for (mv, search) in node.searches() {
            let width = (search.nodes + 1) as f64 * self.scale;
            if width >= NARROWEST
                && let Some(id) = search.child
            {
                let child = self.trace.node(id)?;
                let title = match mv {
                    Some(mv) => name(position, Some(mv)),
                    None => search.purpose.name().to_owned(),
                };
                if !search.purpose.same_position() {
                    self.node(&child, &position_of(&child, position)?, &title, next)?;
                } else if !is_inside {
                    self.children(&child, position, next, true)?;
                }
            }
            // Repeated searches of one move make the move once.
            next += search.nodes as f64 * self.scale + if counts_move(search.purpose) { self.scale } else { 0.0 };
        }
        Ok(())
    }

    fn draw(&mut self, node: &NodeRecord, title: &str, x: f64, width: f64) {
        let y = MARGIN + BAND + f64::from(node.ply.saturating_sub(self.top)) * ROW;
        let x = x + MARGIN;
        let class = class(node);
        let (colour, _) = class;
        let mut words = format!(
            "{title}: {} in {}, depth {}, {}",
            words::value(node),
            words::window(node.window),
            words::plies(node.depth),
            words::several(node.nodes, "node")
        );
        if let Some(by) = &node.ended {
            words.push_str(&format!("; {}", self.trace.words(by)));
        }
        let drawn = (width - 1.0).max(NARROWEST);
        self.boxes.push_str(&format!(
            "<g><title>{}</title><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{drawn:.1}\" height=\"{:.1}\" fill=\"{colour}\"/>",
            escaped(&words),
            ROW - 1.0
        ));
        if width > LETTER * (title.chars().count() + 1) as f64 {
            let baseline = y + ROW - BASELINE;
            let ink = if DARK.contains(&class) { "#fff" } else { "#000" };
            let (x, title) = (x + 2.0, escaped(title));
            self.boxes.push_str(&format!("<text x=\"{x:.1}\" y=\"{baseline:.1}\" fill=\"{ink}\">{title}</text>"));
        }
        self.boxes.push_str("</g>\n");
    }
}

/// Distance of the baseline of its text from the lower edge of a box.
const BASELINE: f64 = 7.0;

/// Returns true if a move is made for this search, and not for an earlier one of the same move.
fn counts_move(purpose: Purpose) -> bool {
    !purpose.same_position()
        && !matches!(
            purpose,
            Purpose::ReSearchMiddle | Purpose::ReSearchFull | Purpose::ReSearchOpen | Purpose::ProbCut
        )
}

fn class(node: &NodeRecord) -> BoxClass {
    match node.ended.as_ref().map(|by| by.rule) {
        Some(Rule::Table | Rule::Tablebase) => return TABLE,
        Some(Rule::Draw | Rule::Horizon) => return END,
        Some(Rule::StandPat) => return QUIESCENCE,
        Some(_) => return PRUNED,
        None => {}
    }
    if node.is_quiescence() {
        return QUIESCENCE;
    }
    let by_rule = matches!(node.purpose, Some(Purpose::NullMove | Purpose::ProbCut | Purpose::MultiCut));
    match (node.expected, node.actual()) {
        _ if by_rule => BY_RULE,
        (_, None) => END,
        (NodeType::Pv, _) => PV,
        (NodeType::Cut, Some(NodeType::Cut)) => CUT,
        (NodeType::All, Some(NodeType::All)) => ALL,
        _ => OTHERWISE,
    }
}

fn legend(out: &mut dyn Write, y: f64) -> Result<(), ShowError> {
    const SIDE: f64 = 12.0;
    let step = WIDTH / CLASSES.len() as f64;
    for (place, (colour, name)) in CLASSES.iter().enumerate() {
        let x = MARGIN + step * place as f64;
        writeln!(
            out,
            "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"{colour}\"/><text x=\"{:.1}\" y=\"{y:.1}\" fill=\"#333\">{name}</text>",
            y - SIDE + 2.0,
            x + SIDE + LETTER
        )?;
    }
    Ok(())
}
