//! The rows that are marked after a rule was switched, the dialog of the page and `window diff` say the same.

mod common;

use common::{depth, recorded, suite, view};
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_window::View;
use quarterply_window::diff::align::{Aligned, AlignmentExtent, align};
use quarterply_window::diff::common_roots;
use quarterply_window::trace::Purpose;
use quarterply_window::view::RowKind;
use quarterply_window::view::difference::RowDifferences;

/// Switches that change many searches, and one that changes few.
const SWITCHES: [&str; 6] = [
    "mate_distance.on",
    "null_move.on",
    "late_move_reduction.on",
    "see_pruning.on",
    "aspiration.on",
    "classic_singular.on",
];

/// The names of the rows from the root to a row: moves, and separate searches of rules.
fn names_to(view: &View, row: usize) -> Vec<String> {
    let up = |&row: &usize| view.up(row).filter(|&up| up > 0);
    let mut rows: Vec<usize> = std::iter::successors(Some(row), up).collect();
    rows.retain(|&row| view.rows[row].kind != RowKind::Iteration);
    rows.reverse();
    let name = |row: usize| {
        let (one, san) = (&view.rows[row], view.move_text(view.rows[row].mv).0.as_str());
        let probe = one.purpose.filter(|purpose| purpose.rule().is_some()).map_or("", Purpose::name);
        format!("{probe} {san}").trim().to_owned()
    };
    rows.into_iter().map(name).collect()
}

/// Compares the marks with `window diff` and the dialog.
fn agree(views: [&View; 2], aligned: &Aligned, label: &str) {
    let divergence = &aligned.divergence;
    let marks = RowDifferences::between(views[0], views[1], label.to_owned(), divergence);
    let Some(line) = divergence.line() else {
        assert_eq!(marks.first(), None, "{label}: the dialog says that nothing differs");
        assert_eq!(aligned.comparison.causes, [], "{label}");
        assert_eq!(marks.list.is_empty(), divergence.earlier.is_none(), "{label}: {:?}", marks.list);
        assert!(aligned.rows.iter().all(|row| !row.first && !row.differs), "{label}");
        return;
    };
    let first = marks.first().unwrap_or_else(|| panic!("{label}: no row is the first, {line:?}"));
    // A move that only the other search has gets no row; its parent is marked instead.
    let names = names_to(views[0], first);
    assert!(names == line || names == line[..line.len() - 1], "{label}: {names:?} and {line:?}");
    assert_eq!(aligned.rows.iter().filter(|row| row.first).count(), 1, "{label}: one row of the page is lit");
    let lit = aligned.rows.iter().find(|row| row.first).map(|row| row.name.as_str());
    assert_eq!(lit, Some(*line.last().unwrap_or(&"root")), "{label}");
    // Of what came before, only what leads there differs.
    let iteration =
        views[0].children(0).filter(|&row| views[0].rows[row].kind == RowKind::Iteration).nth(divergence.iterations[0]);
    let before = iteration.expect("an iteration")..first;
    let leads = |row: usize| views[0].rows[row].end as usize > first;
    let wrong = marks.list.iter().map(|found| found.row as usize).find(|&row| before.contains(&row) && !leads(row));
    assert_eq!(wrong.map(|row| names_to(views[0], row)), None, "{label}: before {line:?}");
}

fn compare(game: &Game, plies: u32, switches: &[&str]) {
    let (usual, limits) = (Parameters::default(), depth(plies));
    let one = recorded(game, &usual, &limits);
    let here = view(&one);
    for name in switches {
        let mut changed = usual.clone();
        changed.set(name, 1 - usual.get(name).expect("a switch")).expect("a switch");
        let other = recorded(game, &changed, &limits);
        let Some((roots, _)) = common_roots([&one, &other]) else { continue };
        let aligned = align([&one, &other], roots, AlignmentExtent::default()).expect("whole traces");
        agree([&here, &view(&other)], &aligned, &format!("{name} in {}", game.fen()));
    }
}

#[test]
fn marks_dialog_and_window_diff_agree() {
    for (index, game) in suite(8).iter().enumerate() {
        compare(game, 5 + index as u32 % 3, &SWITCHES);
    }
}
