//! A searched model tree for the page.

use std::num::NonZeroU32;

use quarterply_engine::score::Score;
use quarterply_engine::search::classic::Decision;
use quarterply_engine::shakmaty::fen::Fen;
use quarterply_engine::shakmaty::san::SanPlus;
use quarterply_engine::shakmaty::uci::UciMove;
use quarterply_engine::shakmaty::{CastlingMode, Chess, Position as _};

use super::{ModelNode, RowKind, TreeInfo, TreeRow, View, ViewBuilder, flag};
use crate::run::{Evaluation, ModelRun, shown};

/// Scores of models are eighths of a pawn.
const EIGHTHS: i32 = 8;
/// Models have no mates: a score that none of theirs reaches.
const NEVER: i32 = 1 << 20;

impl View {
    /// The tree of a model in the order in which it was searched; nodes that were never evaluated come after their siblings.
    pub fn of_model(run: &ModelRun<'_>) -> View {
        let model = run.model;
        let mut builder = ViewBuilder::new(TreeInfo {
            kind: "model",
            title: model.title.clone().or_else(|| model.name.clone()).unwrap_or_default(),
            fen: model.fen.clone(),
            unit: EIGHTHS,
            mate: NEVER,
            depth: u32::from(model.depth()),
            value: run.value.0,
            line: run.pv_line().to_owned(),
            ..TreeInfo::search(String::new())
        });
        let count = model.nodes().len();
        let mut created = vec![false; count];
        run.created().for_each(|node| created[node] = true);
        let mut reached = vec![usize::MAX; count];
        let mut evaluated: Vec<Option<&Evaluation>> = vec![None; count];
        for e in run.evaluations() {
            evaluated[e.node] = Some(e);
            reached[e.node] = e.order;
        }
        // A refuted node is never evaluated; its turn was when the last below it was.
        let mut deepest_first: Vec<usize> = (0..count).collect();
        deepest_first.sort_by_key(|&place| std::cmp::Reverse(model.nodes()[place].ply));
        for place in deepest_first {
            let below = model.nodes()[place].children.iter().map(|&child| reached[child]);
            if reached[place] == usize::MAX {
                reached[place] = below.filter(|&time| time != usize::MAX).max().unwrap_or(usize::MAX);
            }
        }
        let rows = ModelRows { run, created, reached, evaluated };
        let start = model.fen.as_deref().and_then(position);
        rows.add(&mut builder, 0, start.as_ref());
        let mut view = builder.finish();
        view.about.nodes = view.rows.first().map_or(0, |root| u64::from(root.nodes));
        view
    }
}

/// Data of every node of a model after its run.
struct ModelRows<'a> {
    run: &'a ModelRun<'a>,
    created: Vec<bool>,
    reached: Vec<usize>,
    evaluated: Vec<Option<&'a Evaluation>>,
}

impl ModelRows<'_> {
    /// Adds a node and all below it. `before` is the position before its move, as far as the lines can be played.
    fn add(&self, builder: &mut ViewBuilder, place: usize, before: Option<&Chess>) {
        let node = self.run.node(place);
        let mut row = self.row(builder, place);
        let mut here = before.cloned();
        if place != 0 {
            let san = last_move(&node.line);
            let mv = before.and_then(|position| san.parse::<SanPlus>().ok()?.san.to_move(position).ok());
            let uci = mv.map_or_else(String::new, |mv| UciMove::from_move(mv, CastlingMode::Standard).to_string());
            row.mv = builder.mv(san, &uci);
            here = before.zip(mv).and_then(|(position, mv)| position.clone().play(mv).ok());
        }
        builder.push(row, &[]);
        let mut children = node.children.clone();
        children.sort_by_key(|&child| self.reached[child]);
        for child in children {
            self.add(builder, child, here.as_ref());
        }
    }

    fn row(&self, builder: &mut ViewBuilder, place: usize) -> TreeRow {
        let node = self.run.node(place);
        let mut row = TreeRow {
            level: node.ply,
            ply: node.ply,
            nodes: 1,
            model: Some(ModelNode {
                number: node.number as u32,
                event: self.evaluated[place].and_then(|e| NonZeroU32::new(e.order as u32)),
                leaf_value: (node.children.is_empty() && place != 0).then_some(node.score.0),
            }),
            ..TreeRow::default()
        };
        row.guess = score(node.guess);
        if place == 0 {
            row.value = score(self.run.value);
            row.flags |= flag::LINE;
            return row;
        }
        if self.run.pv.contains(&place) {
            row.flags |= flag::LINE;
        }
        if let Some(e) = self.evaluated[place] {
            row.alpha = score(e.result.window.alpha);
            row.beta = score(e.result.window.beta);
            row.value = score(e.result.value);
            row.decision = Some(e.result.decision.into());
            row.why = builder.text(&reason(e));
        } else if self.reached[place] != usize::MAX {
            row.flags |= flag::REFUTED;
            row.why = builder.text("A reply refuted it, so it was never evaluated.");
        } else {
            row.kind = RowKind::Unsearched;
            let why = if self.created[place] {
                "Created, but a sibling refuted the move before it first."
            } else {
                "Never created: the search did not come here."
            };
            row.why = builder.text(why);
        }
        row
    }
}

/// The position a model was taken from, if it is one.
fn position(fen: &str) -> Option<Chess> {
    fen.parse::<Fen>().ok()?.into_position(CastlingMode::Chess960).ok()
}

/// Both comparisons of an evaluation, as far as they were made.
fn reason(e: &Evaluation) -> String {
    let (value, negated) = (shown(e.result.value), shown(-e.result.value));
    let (two_ply, one_ply) = (shown(e.two_ply()), shown(e.one_ply()));
    match e.result.decision {
        Decision::Cutoff => format!("{value} >= {two_ply}, the two-ply threshold: the move before it is refuted."),
        Decision::Best => format!(
            "{value} < {two_ply}, the two-ply threshold: no cutoff. {negated} < {one_ply}, the one-ply threshold: best so far."
        ),
        Decision::NotBest => format!(
            "{value} < {two_ply}, the two-ply threshold: no cutoff. {negated} >= {one_ply}, the one-ply threshold: not better."
        ),
    }
}

fn score(score: Score) -> Option<i16> {
    i16::try_from(score.0).ok()
}

/// The last move of a line, without its number.
fn last_move(line: &str) -> &str {
    let word = line.split_whitespace().next_back().unwrap_or("?");
    word.rsplit('.').next().unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;
    use crate::view::RowDecision;

    #[test]
    fn a_model_becomes_rows_in_the_order_of_its_search() {
        let model = Model::parse(
            r#"{"name": "fork", "nodes": [
            {"key": "A", "line": "1.a"}, {"key": "AG", "line": "1.a g", "score": -2}, {"key": "AH", "line": "1.a h", "score": -1},
            {"key": "B", "line": "1.b"}, {"key": "BG", "line": "1.b g", "score": -1}, {"key": "BH", "line": "1.b h", "score": -9}
        ]}"#,
        )
        .expect("valid model");
        let view = View::of_model(&model.run());
        let rows: Vec<_> =
            view.rows.iter().map(|r| (view.move_text(r.mv).0.as_str(), r.page_model().1, r.decision)).collect();
        assert_eq!(
            rows,
            [
                ("", 0, None),
                ("a", 3, Some(RowDecision::Best)),
                ("g", 1, Some(RowDecision::Best)),
                ("h", 2, Some(RowDecision::Best)),
                ("b", 0, None),
                ("g", 4, Some(RowDecision::Cutoff)),
                ("h", 0, None),
            ]
        );
        let leaves: Vec<_> = view.rows.iter().map(TreeRow::page_order).collect();
        assert_eq!(
            leaves,
            [None, None, Some(-16), Some(-8), None, Some(-8), Some(-72)],
            "values of leaves, evaluated or not"
        );
        assert_eq!(view.rows[4].flags & flag::REFUTED, flag::REFUTED);
        assert_eq!(view.rows[6].kind, RowKind::Unsearched);
        assert_eq!(view.about.nodes, 4, "the overview is as wide as its leaves");
    }

    #[test]
    fn moves_of_a_real_position_can_be_shown_on_a_board() {
        let model = Model::parse(
            r#"{"fen": "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "nodes": [
            {"key": "A", "line": "1.e4"}, {"key": "AG", "line": "1.e4 Kd7"}, {"key": "B", "line": "1.a8"}, {"key": "BG", "line": "1.a8 Kd7"}
        ]}"#,
        )
        .expect("valid model");
        let view = View::of_model(&model.run());
        let moves: Vec<_> = view.rows.iter().map(|row| view.move_text(row.mv).1.as_str()).collect();
        assert_eq!(moves, ["", "e2e4", "e8d7", "", ""]);
    }
}
