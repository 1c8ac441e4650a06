//! Why the engine's value of a model is not that of its leaves: the first decision, from the root on, that does not hold.
//!
//! A node claims that its value is at least, at most, or exactly what it returned. From the root, whose claim does not hold, there is
//! always a node below that misled it, down to one whose children are right: a rule ended it, a rule left its best move out, or its
//! depth was used up.

use quarterply_engine::position::Position;
use quarterply_engine::rules::Rule;
use quarterply_engine::score::{Bound, Depth, Score};

use super::{Real, RealError};
use crate::show::position_of;
use crate::show::unseen::unseen;
use crate::trace::{Fate, MoveCode, MoveRecord, NodeRecord, Spoken, Step};

/// What went wrong at a node.
#[derive(Clone, PartialEq, Debug)]
pub enum Fault {
    /// A rule ended it.
    Ended(Spoken),
    /// A rule left its best move out: the place of the node behind that move.
    LeftOut(usize, Spoken),
    /// Its depth was used up, and quiescence stopped short of the best move or stood pat.
    Shallow,
    /// Something else: the same node was searched for another purpose, or by other means.
    Other,
}

/// The decision that changed the result.
#[derive(Clone, PartialEq, Debug)]
pub struct Cause {
    /// The node, as a place in the model.
    pub place: usize,
    /// What it returned for its side to move, in pawns/100.
    pub told: Score,
    /// What that proves.
    pub bound: Bound,
    /// Minimax value of its leaves.
    pub worth: Score,
    /// What went wrong there.
    pub fault: Fault,
    /// Reductions along the line: the rule, the amount, and the place of the move.
    pub reductions: Vec<(Rule, Depth, usize)>,
}

impl Real<'_> {
    /// Why the value is not that of the leaves; nothing if it is.
    pub(super) fn cause(&self) -> Result<Option<Cause>, RealError> {
        let mut walk = Walk {
            real: self,
            node: self.trace.node(self.root()?)?,
            place: 0,
            position: self.staged.game.position().clone(),
            reductions: Vec::new(),
        };
        if walk.holds() {
            return Ok(None);
        }
        loop {
            if let Some(fault) = walk.step()? {
                return Ok(Some(walk.cause(fault)));
            }
        }
    }
}

struct Walk<'a> {
    real: &'a Real<'a>,
    node: NodeRecord,
    place: usize,
    position: Position,
    reductions: Vec<(Rule, Depth, usize)>,
}

impl Walk<'_> {
    fn told(&self) -> (Score, Bound) {
        let told = self.node.score.unwrap_or_default();
        (told, self.node.window.bound(told))
    }

    fn worth(&self) -> Score {
        self.real.worth[self.place]
    }

    /// Is the node worth what it claims?
    fn holds(&self) -> bool {
        let (told, bound) = self.told();
        match bound {
            Bound::Upper => self.worth() <= told,
            Bound::Lower => self.worth() >= told,
            Bound::Exact => self.worth() == told,
        }
    }

    /// Descends to the child whose value is wrong, or returns the fault if it is at this node.
    fn step(&mut self) -> Result<Option<Fault>, RealError> {
        self.note_depth();
        if let Some(by) = &self.node.ended {
            return Ok(Some(Fault::Ended(by.clone())));
        }
        let (told, _) = self.told();
        let too_high = told > self.worth();
        let wanted = if too_high { self.node.best().map(|best| best.mv) } else { self.best_move() };
        let Some(wanted) = wanted else { return Ok(Some(Fault::Shallow)) };
        let Some(child) = self.real.after(self.place, wanted) else { return Ok(Some(Fault::Other)) };
        let mv = self.node.moves().find(|mv| mv.mv == wanted).cloned();
        match mv {
            Some(MoveRecord { fate: Fate::Skipped { by, .. }, .. }) => Ok(Some(Fault::LeftOut(child, by))),
            Some(mv) => self.descend(&mv, child),
            None => Ok(Some(self.passed_over(wanted, child))),
        }
    }

    /// The best move by the leaves.
    fn best_move(&self) -> Option<MoveCode> {
        let worth = |place: usize| -self.real.worth[place];
        let steps = self.real.staged.steps[self.place].iter();
        steps.filter(|&&(_, child)| worth(child) == self.worth()).map(|&(mv, _)| mv).next()
    }

    /// A move that was never handed out: left out with another one, or not looked at in quiescence.
    fn passed_over(&self, wanted: MoveCode, child: usize) -> Fault {
        let unseen = unseen(&self.position, &self.node);
        let with = unseen.skipped.iter().find(|(_, moves)| moves.iter().any(|&mv| MoveCode::of(mv) == wanted));
        match with.map(|(at, _)| &self.node.steps[*at]) {
            Some(Step::Move(MoveRecord { fate: Fate::Skipped { by, .. }, .. })) => Fault::LeftOut(child, by.clone()),
            _ if self.node.is_quiescence() => Fault::Shallow,
            _ => Fault::Other,
        }
    }

    fn descend(&mut self, mv: &MoveRecord, place: usize) -> Result<Option<Fault>, RealError> {
        let searched = mv.searched();
        let last = searched.and_then(|searched| searched.tries.last()).copied();
        let Some(id) = last.and_then(|search| search.child) else { return Ok(Some(Fault::Other)) };
        let child = self.real.trace.node(id)?;
        let position = position_of(&child, &self.position)?;
        let ledger = searched.map(|searched| searched.ledger.as_slice()).unwrap_or_default();
        let reducing = ledger.iter().filter(|line| line.cost > Depth::ZERO);
        let reductions: Vec<_> = reducing.map(|line| (line.by.rule, line.cost, place)).collect();
        let below = Walk { real: self.real, node: child, place, position, reductions };
        if below.holds() {
            return Ok(Some(Fault::Other));
        }
        let Walk { node, position, reductions, .. } = below;
        (self.node, self.place, self.position) = (node, place, position);
        self.reductions.extend(reductions);
        Ok(None)
    }

    /// Notes depth that rules took from the node itself.
    fn note_depth(&mut self) {
        for step in &self.node.steps {
            if let Step::Deepened { by, amount } = step
                && *amount < Depth::ZERO
            {
                self.reductions.push((by.rule, -*amount, self.place));
            }
        }
    }

    fn cause(self, fault: Fault) -> Cause {
        let (told, bound) = self.told();
        Cause { place: self.place, told, bound, worth: self.worth(), fault, reductions: self.reductions }
    }
}
