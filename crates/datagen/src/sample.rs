//! Positions that searches visit: most of them follow bad moves, which games do not contain.
//!
//! Positions of a game are searched. Some of the positions that such a search evaluates statically are sampled with equal
//! probability (reservoir sampling, `vitter1985`), and each is then valued by a separate search. [`crate::tree`] uses the values
//! of the search tree instead.
//!
//! A position is kept as a game of one move, [`Ending::Sampled`]: its result is unknown.

use crate::folder::ShardPlan;
use crate::opening::stream;
use crate::read::Archive;
use crate::record::{Ending, GameOutcome, GameRecord, StoredMove};
use crate::relabel::{self, RelabelError};
use crate::settings::{DataOrigin, DatagenSettings, SamplingSettings};
use crate::tree;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::search::Searcher;
use quarterply_engine::search::watch::{Detail, EventNode, SearchEvent, Valuation, Watch, Watched};
use quarterply_engine::table::{Table, TableError};
use quarterply_games::game::ended;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use shakmaty::{CastlingMode, Chess, Move, Position as _};
use std::cell::RefCell;
use std::sync::Arc;

/// The plan for drawing positions that searches of the games of `source` visit. `limits` are those of the searches that value them.
///
/// # Errors
/// As [`relabel::plan`]; also if the source is of this kind itself.
pub fn plan(
    source: &Archive,
    origin: DataOrigin,
    (sampling, limits): (SamplingSettings, [u64; 2]),
    parameters: &Parameters,
    hash: usize,
) -> Result<ShardPlan, RelabelError> {
    let plan = relabel::plan(source, origin, limits, parameters, hash)?;
    if let (Some(_), Some(first)) = (plan.settings.sampling, source.files().next()) {
        return Err(RelabelError::NoGames(first.display().to_string()));
    }
    let settings = DatagenSettings { sampling: Some(sampling), ..plan.settings };
    settings.check()?;
    Ok(ShardPlan { settings, ..plan })
}

/// The moves from the root to the node that was entered last; `None` is a null move.
#[derive(Clone, Default)]
pub(crate) struct MovePath(pub Vec<Option<Move>>);

impl MovePath {
    /// Follows the search into a node.
    pub fn enter(&mut self, at: EventNode) {
        let below = at.ply.index();
        self.0.truncate(below.saturating_sub(1));
        if below > 0 {
            self.0.push(at.mv);
        }
    }
}

/// Watches searches, and draws from the positions that they evaluate.
struct VisitSampler {
    rng: ChaCha8Rng,
    /// Number of positions to draw.
    sample_size: usize,
    /// Number of positions so far.
    positions_seen: u64,
    move_path: MovePath,
    /// The paths to those drawn so far.
    drawn: Vec<Vec<Option<Move>>>,
}

impl Watch for VisitSampler {
    fn detail(&self) -> Detail {
        Detail::Nodes
    }

    fn event(&mut self, event: SearchEvent<'_>) {
        match event {
            SearchEvent::Entered(at, _) => self.move_path.enter(at),
            SearchEvent::Valued(at, valuation) => self.valued(at, valuation),
            _ => {}
        }
    }
}

impl VisitSampler {
    fn new(rng: ChaCha8Rng) -> VisitSampler {
        VisitSampler { rng, sample_size: 0, positions_seen: 0, move_path: MovePath::default(), drawn: Vec::new() }
    }

    /// Starts a search from which `sample_size` positions are sampled.
    fn begin(&mut self, sample_size: usize) {
        (self.sample_size, self.positions_seen) = (sample_size, 0);
        self.move_path.0.clear();
        self.drawn.clear();
    }

    fn valued(&mut self, at: EventNode, valuation: Valuation) {
        let below = at.ply.index();
        // The root is in the game, and a position in check has no static value.
        if below == 0 || below != self.move_path.0.len() || valuation.raw.is_none() {
            return;
        }
        self.positions_seen += 1;
        if self.drawn.len() < self.sample_size {
            self.drawn.push(self.move_path.0.clone());
        } else if let Some(place) = self.drawn.get_mut(self.rng.random_range(0..self.positions_seen) as usize) {
            place.clone_from(&self.move_path.0);
        }
    }
}

/// Samples positions from searches of games.
pub(crate) struct PositionSampler {
    pub sampling: SamplingSettings,
    parameters: Parameters,
    table: Arc<Table>,
}

impl PositionSampler {
    /// A sampler with a table of `hash` MiB.
    pub fn new(sampling: SamplingSettings, parameters: Parameters, hash: usize) -> Result<PositionSampler, TableError> {
        Ok(PositionSampler { sampling, parameters, table: Arc::new(Table::new(hash)?) })
    }

    /// Positions below those of a game, as separate games, with the move and the label if the search trees give them: at most the number
    /// in the settings. They depend on the settings and the game only.
    pub fn draw(&mut self, game: &GameRecord, positions: &[Chess]) -> Vec<(Game, Option<StoredMove>)> {
        self.table.clear(1);
        match self.sampling.tree {
            Some(least) => tree::draw(self, least, game, positions),
            None => self.sample_visits(game, positions),
        }
    }

    fn sample_visits(&self, game: &GameRecord, positions: &[Chess]) -> Vec<(Game, Option<StoredMove>)> {
        let [each, per_search] = [self.sampling.each, self.sampling.per_search].map(|count| count as usize);
        let visits = RefCell::new(VisitSampler::new(stream(self.sampling.seed, game.number)));
        let searches = if positions.is_empty() { 0 } else { each.div_ceil(per_search) };
        let roots = (0..searches).map(|search| {
            let mut visits = visits.borrow_mut();
            let root = &positions[visits.rng.random_range(0..positions.len())];
            visits.begin(per_search.min(each - search * per_search));
            root
        });
        let mut drawn = Vec::with_capacity(each);
        self.search(&visits, roots, game.mode, |root| {
            drawn.extend(visits.borrow().drawn.iter().filter_map(|path| Some((reach(root, path)?, None))));
        });
        drawn
    }

    /// Searches the roots one after the other, watched by `watch`; `searched` is called after each search.
    pub fn search<'a, W: Watch>(
        &self,
        mut watch: &RefCell<W>,
        roots: impl Iterator<Item = &'a Chess>,
        mode: CastlingMode,
        mut searched: impl FnMut(&Game),
    ) {
        let (parameters, table) = (self.parameters.clone(), Arc::clone(&self.table));
        let mut searcher = Searcher::watched(parameters, table, Watched::by(&mut watch), None);
        for root in roots {
            let root = Game::from_chess(root.clone(), mode);
            searcher.search_within(&root, &self.sampling.limits());
            searched(&root);
        }
    }
}

/// The position at the end of a path, without a history; `None` if it cannot be labelled: the path is illegal, the game is over, or the
/// side to move is in check.
pub(crate) fn reach(root: &Game, path: &[Option<Move>]) -> Option<Game> {
    let mut position = root.position().clone();
    for mv in path {
        position = match mv {
            Some(mv) => position.chess().is_legal(*mv).then(|| position.play(*mv))?,
            None => position.play_null()?,
        };
    }
    let game = Game::from_chess(position.chess().clone(), root.castling_mode());
    (ended(&game).is_none() && !position.in_check()).then_some(game)
}

/// A slot among the positions drawn from a game: that of a position, valued by a search that chose a move, or an empty one.
pub fn record(number: u64, game: &GameRecord, found: Option<(Game, StoredMove)>) -> GameRecord {
    let (start, steps) = match found {
        Some((drawn, step)) => (drawn.position().chess().clone(), vec![step]),
        None => (game.start.clone(), Vec::new()),
    };
    GameRecord {
        number,
        start,
        mode: game.mode,
        outcome: GameOutcome::Draw,
        ending: Ending::Sampled,
        random_until: 0,
        steps,
    }
}

#[cfg(test)]
mod tests;
