//! Examples: late moves, their features, and whether they mattered.

use crate::is_held_out;
use quarterply_datagen::error::DataError;
use quarterply_datagen::opening::stream;
use quarterply_datagen::read::Batches;
use quarterply_datagen::replay::{Filter, ReplayError};
use quarterply_engine::clock::Limits;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::rules::learned_cost::Features;
use quarterply_engine::score::Depth;
use quarterply_engine::search::Searcher;
use quarterply_engine::search::pool::Control;
use quarterply_engine::search::watch::{Detail, EventNode, LateMove, SearchEvent, Watch, Watched};
use quarterply_engine::table::{Table, TableError};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::sync::Arc;
use thiserror::Error;

/// Examples could not be made.
#[derive(Debug, Error)]
pub enum SampleError {
    /// The files.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A game.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// Memory for the tables cannot be allocated.
    #[error(transparent)]
    Table(#[from] TableError),
    /// Too few training examples that mattered: their number and that of all.
    #[error(
        "cannot fit: only {0} of {1} examples mattered, fewer than {MATTERED_MIN}; give more positions or more --nodes"
    )]
    Few(usize, usize),
    /// No held-out example mattered.
    #[error("cannot fit: none of the held-out examples mattered; give more positions or more --nodes")]
    NothingHeldOut,
}

/// The least number of moves that mattered: with fewer, weights depend on single moves.
pub const MATTERED_MIN: usize = 200;
/// Positions that are searched at a time.
const BATCH: usize = 64;

/// A late move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LateMoveExample {
    /// Features known before the move was made.
    pub features: Features,
    /// Depth of its node.
    pub depth: Depth,
    /// The reduction of the formula.
    pub formula: Depth,
    /// True if it beat alpha in a search to full depth.
    pub mattered: bool,
}

/// A position to search, and its game: positions of one game are strongly correlated.
#[derive(Clone, Debug)]
pub struct Root {
    /// The position.
    pub game: Game,
    /// The game it is from; for a position that searches of a game visited, that game.
    pub group: u64,
}

/// Settings of the examples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Nodes of each search.
    pub nodes: u64,
    /// The share of late moves that is searched in full.
    pub rate: f64,
    /// The table of each search in MiB; the separate searches to full depth have another of this size.
    pub hash: usize,
    /// One of this number of games is held out.
    pub holdout_every: u64,
    /// Seed of the choice of positions and moves.
    pub seed: u64,
}

/// Examples to learn from and to check with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Examples {
    /// Training examples.
    pub train: Vec<LateMoveExample>,
    /// Examples of held-out games.
    pub held_out: Vec<LateMoveExample>,
    /// Positions searched.
    pub positions: u64,
    /// Moves made by the searches.
    pub nodes: u64,
    /// Moves made in separate searches.
    pub audit_nodes: u64,
}

/// Chooses late moves and stores them as examples.
struct Sampler {
    chance: ChaCha8Rng,
    rate: f64,
    examples: Vec<LateMoveExample>,
    audit_nodes: u64,
}

impl Watch for Sampler {
    fn detail(&self) -> Detail {
        Detail::Audits
    }

    fn event(&mut self, event: SearchEvent<'_>) {
        if let SearchEvent::Sampled(at, &LateMove { features, formula, mattered, nodes }) = event {
            self.audit_nodes += nodes;
            self.examples.push(LateMoveExample { features, depth: at.depth, formula, mattered });
        }
    }

    fn selects_late_move(&mut self, _: EventNode) -> bool {
        self.chance.random_bool(self.rate)
    }
}

/// Draws at most `most` positions of games at random; every position has the same probability.
///
/// # Errors
/// Files that cannot be read, or illegal moves.
pub fn roots(batches: &mut Batches<'_>, most: usize, seed: u64) -> Result<Vec<Root>, SampleError> {
    let mut chance = ChaCha8Rng::seed_from_u64(seed);
    let (mut roots, mut seen) = (Vec::new(), 0u64);
    for batch in batches {
        let batch = batch?;
        let each = batch.each();
        for game in batch.games()? {
            let group = game.number.div_ceil(each);
            for view in game.replay() {
                let view = view?;
                if !Filter::ALL.keeps(&view) || view.position.legal_moves().len() < 2 {
                    continue;
                }
                // Reservoir sampling.
                seen += 1;
                let place = chance.random_range(0..seen);
                let root = || Root { game: Game::from_chess(view.position.chess().clone(), game.mode), group };
                if roots.len() < most {
                    roots.push(root());
                } else if let Some(slot) = roots.get_mut(place as usize) {
                    *slot = root();
                }
            }
        }
    }
    Ok(roots)
}

/// Searches every position in a new game and collects examples; the result does not depend on the number of threads. `progress`
/// receives the number of finished positions; `control` ends a search at once.
///
/// # Errors
/// The tables cannot be allocated, or there are too few examples.
pub fn collect(
    roots: &[Root],
    parameters: &Parameters,
    sampling: &Sampling,
    control: &Control,
    mut progress: impl FnMut(usize),
) -> Result<Examples, SampleError> {
    let mut all = Examples::default();
    for (batch, chunk) in roots.chunks(BATCH).enumerate() {
        let found: Vec<(Sampler, u64)> = chunk
            .par_iter()
            .enumerate()
            .map(|(index, root)| search(root, (batch * BATCH + index) as u64, parameters, sampling, control))
            .collect::<Result<_, _>>()?;
        if control.stopped() {
            break; // interrupted searches are not a fair sample
        }
        for (root, (sampler, nodes)) in chunk.iter().zip(found) {
            let held_out = is_held_out(sampling.seed, sampling.holdout_every, root.group);
            if held_out { &mut all.held_out } else { &mut all.train }.extend(sampler.examples);
            all.audit_nodes += sampler.audit_nodes;
            all.nodes += nodes;
            all.positions += 1;
        }
        progress(all.positions as usize);
    }
    checked(all)
}

/// The examples if a fit is possible.
pub(super) fn checked(all: Examples) -> Result<Examples, SampleError> {
    let mattered = |part: &[LateMoveExample]| part.iter().filter(|example| example.mattered).count();
    let found = mattered(&all.train);
    if found < MATTERED_MIN {
        return Err(SampleError::Few(found, all.train.len()));
    }
    if mattered(&all.held_out) == 0 { Err(SampleError::NothingHeldOut) } else { Ok(all) }
}

fn search(
    root: &Root,
    number: u64,
    parameters: &Parameters,
    sampling: &Sampling,
    control: &Control,
) -> Result<(Sampler, u64), TableError> {
    let chance = stream(sampling.seed, number);
    let mut sampler = Sampler { chance, rate: sampling.rate.clamp(0.0, 1.0), examples: Vec::new(), audit_nodes: 0 };
    let table = || Ok::<_, TableError>(Arc::new(Table::new(sampling.hash)?));
    let watched = Watched::audited_by(&mut sampler);
    let mut searcher = Searcher::watched(parameters.clone(), table()?, watched, None);
    searcher.set_audit_table(table()?);
    let limits = Limits::nodes(sampling.nodes);
    let outcome = searcher.search_alone(&root.game, &limits, control, &mut |_| ControlFlow::Continue(()));
    drop(searcher);
    Ok((sampler, outcome.nodes))
}
