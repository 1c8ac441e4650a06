//! Counterfactual searches: a move of the displayed tree is searched again, alone and with all moves, with and without rules. One
//! question at a time; results are sent after each iteration, and a new question or a closed connection ends the old one.

use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::report::{ProgressEvent, SearchReport};
use quarterply_engine::rules::Rule;
use quarterply_engine::search::Searcher;
use quarterply_engine::shakmaty::{CastlingMode, Move};
use quarterply_engine::table::Table;
use quarterply_engine::tree::Script;
use serde::{Deserialize, Serialize};

use super::answers::{RequestError, SessionAnswer, missing_row};
use super::background::BackgroundTask;
use super::{NO_BASIS, Session, ShownTree, lock};
use crate::last_iteration::LastIteration;
use crate::model::PlayableModel;
use crate::moves;
use crate::show::move_name;
use crate::trace::record::{self, ModelScript, RecordSetup, Recording};
use crate::trace::{Filter, MoveCode};
use crate::view::{self, RowKind, SearchInput, TreeRow, View, flag};
use crate::why::{SearchedAlone, switched_off};

/// Node limit of each search.
const NODES_MAX: u64 = 2_000_000;
/// Largest number of rules that are switched off, one after the other.
const RULES_MAX: usize = 8;
/// Table of each search in MiB.
const HASH: usize = 16;
/// Message before the first question.
pub const NO_ANSWER: &str = "cannot show an answer: nothing was asked; choose a move first";

/// The question of the page.
#[derive(Deserialize)]
pub struct WhatIfBody {
    tree: u64,
    row: usize,
    #[serde(rename = "mv")]
    text: String,
    #[serde(default)]
    rules: Vec<String>,
}

/// The answer so far.
#[derive(Default, Serialize)]
pub struct WhatIfState {
    /// Requested depth of the searches (plies).
    wanted: u32,
    /// The answer of both searches without a change after they have ended; `None` in a model tree.
    answer: Option<String>,
    rows: Vec<WhatIfRow>,
}

/// One search of the move alone and one of all moves.
#[derive(Clone, Default, Serialize)]
struct WhatIfRow {
    without: Option<&'static str>,
    running: bool,
    finished: bool,
    /// The depth that both searches finished.
    depth: Option<u32>,
    /// The value of the move alone, and its bound.
    value: Option<i32>,
    bound: u8,
    best: Option<String>,
    best_value: Option<i32>,
    best_bound: u8,
    nodes: u64,
}

/// A question, checked.
struct WhatIfQuestion {
    game: Game,
    parameters: Parameters,
    mv: Move,
    depth: u32,
    rules: Vec<Rule>,
    /// The model tree below the position.
    script: Option<Script>,
}

/// Begins to answer, and ends the answer before.
pub fn start(session: &Session, body: &WhatIfBody) -> SessionAnswer {
    let tree = session.tree();
    if tree.number != body.tree {
        return Err(RequestError::other_tree());
    }
    let question = checked(&tree, body).map_err(RequestError::bad)?;
    let variants = std::iter::once(None).chain(question.rules.iter().copied().map(Some));
    let rows = variants.map(|rule| WhatIfRow { without: rule.map(Rule::name), ..WhatIfRow::default() }).collect();
    let run = lock(&session.whatif).begin(WhatIfState { wanted: question.depth, answer: None, rows });
    // A panic ends the answer; its row stays unfinished.
    let panicked = |state: &mut WhatIfState| state.rows.iter_mut().for_each(|row| row.running = false);
    session.start_task("what if", run, move |run| search_all(&question, run), panicked)
}

/// Checks a question.
fn checked(tree: &ShownTree, body: &WhatIfBody) -> Result<WhatIfQuestion, String> {
    let view = &tree.view;
    let basis = view.basis.as_ref().ok_or(NO_BASIS)?;
    let row = view.rows.get(body.row).ok_or_else(|| missing_row(body.row, view))?;
    let (game, place) = place_at(view, basis, body.row)?;
    let position = game.position();
    let mv = moves::read(position, &body.text)
        .ok_or_else(|| format!("`{}` is not a legal move in {}", body.text, position.fen()))?;
    let script = basis.playable.as_ref().map(|playable| script_at(playable, &game, place, mv)).transpose()?;
    let rule = |name: &String| {
        let found = Rule::ALL.iter().copied().find(|rule| rule.name() == name);
        found.ok_or_else(|| format!("`{name}` is not a valid rule: expected its name such as `null move`"))
    };
    let rules: Vec<Rule> = body.rules.iter().map(rule).collect::<Result<_, _>>()?;
    let rules = rules.into_iter().filter(|rule| !rule.switches().is_empty()).take(RULES_MAX).collect();
    let whole = row.depth.map(|depth| quarterply_engine::score::Depth(depth).whole());
    let depth =
        if row.level == 0 { view.about.depth } else { whole.map_or(0, |whole| u32::try_from(whole).unwrap_or(0)) };
    Ok(WhatIfQuestion { parameters: basis.parameters.clone(), game, mv, depth: depth.max(1), rules, script })
}

/// The part of a model below a place, where the move must be one of it.
fn script_at(playable: &PlayableModel, game: &Game, place: usize, mv: Move) -> Result<Script, String> {
    if playable.after(place, MoveCode::of(mv)).is_some() {
        return Ok(playable.below(place));
    }
    let moves = playable.steps[place].iter().filter_map(|(code, _)| code.in_position(game.position()));
    let names: Vec<String> = moves.map(|mv| move_name(game.position(), mv)).collect();
    let others =
        if names.is_empty() { "its line ends here".to_owned() } else { format!("it has {}", names.join(", ")) };
    Err(format!("`{}` is not in the model here, so it cannot be searched: {others}", move_name(game.position(), mv)))
}

/// The rows from the root to a row through which its position came about.
fn way(view: &View, row: usize) -> impl Iterator<Item = &TreeRow> {
    let mut path: Vec<usize> = std::iter::successors(Some(row), |&row| view.up(row)).collect();
    path.reverse();
    path.into_iter().map(|row| &view.rows[row]).filter(|row| row.kind != RowKind::Unsearched)
}

/// The move of a row, in the position before it.
fn move_of(view: &View, row: &TreeRow, game: &Game) -> Result<Move, String> {
    let (_, text) = view.move_text(row.mv);
    moves::read(game.position(), text).ok_or_else(|| {
        format!("cannot play `{text}`: it is not legal in {}; load the page again", game.position().fen())
    })
}

/// The game up to the position of a row, and the place of that position in the model if one was searched. After a null move the game starts
/// with its position, because games have no null moves.
fn place_at(view: &View, basis: &SearchInput, row: usize) -> Result<(Game, usize), String> {
    let (mut game, mut place) = (basis.game.clone(), 0);
    for row in way(view, row) {
        if row.mv.is_some() {
            let mv = move_of(view, row, &game)?;
            if let Some(playable) = &basis.playable {
                let next = playable.after(place, MoveCode::of(mv));
                let name = move_name(game.position(), mv);
                place = next.ok_or(format!("cannot follow `{name}`: it is not in the model; load the page again"))?;
            }
            game.play(mv);
        } else if row.flags & flag::NULL_MOVE != 0 {
            if basis.playable.is_some() {
                return Err(
                    "cannot search after a null move: a model has no moves there; ask at a node before it".into()
                );
            }
            let fen = game.position().play_null().map(|position| position.fen()).unwrap_or_default();
            game = Game::from_fen(&fen, CastlingMode::Chess960).map_err(|error| error.to_string())?;
        }
    }
    Ok((game, place))
}

/// Searches one variant after the other.
fn search_all(question: &WhatIfQuestion, run: &BackgroundTask<WhatIfState>) {
    for place in 0..=question.rules.len() {
        if run.control.stopped() {
            break;
        }
        run.state().rows[place].running = true;
        let usual = &question.parameters;
        let parameters = match place.checked_sub(1) {
            None => usual.clone(),
            Some(rule) => switched_off(usual, question.rules[rule]),
        };
        let done = [true, false].map(|alone| search(question, &parameters, run, place, alone));
        let mut state = run.state();
        let row = &mut state.rows[place];
        row.running = false;
        row.depth = done.iter().flatten().map(|search| search.depth).min();
        row.finished = done.iter().all(|found| found.as_ref().is_some_and(|search| search.complete));
        let finished = row.finished;
        if let ([Some(alone), Some(all)], 0) = (&done, place)
            && let (Some(alone), Some(all)) = (&alone.report, &all.report)
        {
            let answer = SearchedAlone { game: &question.game, mv: question.mv, alone, all, finished };
            state.answer = Some(answer.answer());
        }
    }
}

/// The end of a search.
struct WhatIfSearch {
    depth: u32,
    /// True if it reached the requested depth.
    complete: bool,
    /// The result of its last iteration; `None` in a model tree.
    report: Option<SearchReport>,
}

/// Searches the move alone or all moves.
fn search(
    question: &WhatIfQuestion,
    parameters: &Parameters,
    run: &BackgroundTask<WhatIfState>,
    place: usize,
    alone: bool,
) -> Option<WhatIfSearch> {
    let search_moves = if alone { vec![question.mv] } else { Vec::new() };
    let limits = Limits { depth: Some(question.depth), nodes: Some(NODES_MAX), search_moves, ..Limits::default() };
    if let Some(script) = &question.script {
        return search_model(question, script, (parameters, &limits), run, place);
    }
    let mut searcher = Searcher::new(parameters.clone(), Table::new(HASH).ok()?.into());
    let mut finished = LastIteration::default();
    let outcome = searcher.search_alone(&question.game, &limits, &run.control.child(), &mut |event| {
        match *event {
            ProgressEvent::Iteration([report, ..]) | ProgressEvent::Bound(report) => {
                update_row(question, &mut run.state().rows[place], report, alone);
            }
            _ => {}
        }
        finished.listen(event)
    });
    run.state().rows[place].nodes += outcome.nodes;
    let (depth, report) = (finished.depth(), finished.report);
    Some(WhatIfSearch { depth, complete: finished.settled || depth >= question.depth, report })
}

/// The same in a model tree, which is small: the result is sent once, at the end.
fn search_model(
    question: &WhatIfQuestion,
    script: &Script,
    (parameters, limits): (&Parameters, &Limits),
    run: &BackgroundTask<WhatIfState>,
    place: usize,
) -> Option<WhatIfSearch> {
    let (game, filter) = (&question.game, Filter::default());
    let setup = RecordSetup { game, parameters, profile: "", limits, hash: HASH, filter };
    let model = ModelScript { script: script.clone(), text: String::new() };
    let Recording { summary, outcome, .. } =
        record::search(&setup, Some(model), &run.control.child(), None, std::io::sink()).ok()?;
    let row = &mut run.state().rows[place];
    row.nodes += outcome.nodes;
    update_row(question, row, &outcome.report, !limits.search_moves.is_empty());
    Some(WhatIfSearch { depth: summary.depth, complete: summary.depth >= question.depth, report: None })
}

/// Puts the result of an iteration into a row.
fn update_row(question: &WhatIfQuestion, row: &mut WhatIfRow, report: &SearchReport, alone: bool) {
    let bound = view::sign(report.bound);
    if alone {
        (row.value, row.bound) = (Some(report.score.0), bound);
        row.depth = Some(report.depth);
    } else {
        row.best = report.line.first().map(|&mv| move_name(question.game.position(), mv));
        (row.best_value, row.best_bound) = (Some(report.score.0), bound);
    }
}
