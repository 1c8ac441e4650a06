//! A position with what naming its moves takes.

use quarterply_engine::position::{CheckInfo, Position};
use quarterply_engine::shakmaty::san::{San, Suffix};
use quarterply_engine::shakmaty::{Move, MoveList, Role};

use crate::show::unseen::unseen;
use crate::trace::{Decision, Fate, NodeRecord, Rest};

/// A position with what naming its moves takes, made when first asked for.
pub struct Scene<'a> {
    pub position: &'a Position,
    moves: Option<MoveList>,
    checks: Option<CheckInfo>,
}

impl<'a> Scene<'a> {
    pub fn new(position: &'a Position) -> Scene<'a> {
        Scene { position, moves: None, checks: None }
    }

    fn moves(&mut self) -> &MoveList {
        self.moves.get_or_insert_with(|| self.position.legal_moves())
    }

    fn gives_check(&mut self, mv: Move) -> bool {
        let info = self.checks.get_or_insert_with(|| self.position.check_info());
        self.position.gives_check(info, mv)
    }

    /// The move with its suffix.
    pub fn san(&mut self, mv: Move) -> (San, Option<Suffix>) {
        let san = match mv.role() {
            // Nothing else can be meant.
            Role::Pawn | Role::King => San::disambiguate(mv, &MoveList::new()),
            _ => San::disambiguate(mv, self.moves()),
        };
        let suffix = self.gives_check(mv).then(|| {
            let mated = self.position.play(mv).legal_moves().is_empty();
            if mated { Suffix::Checkmate } else { Suffix::Check }
        });
        (san, suffix)
    }
}

/// Legal moves that no one handed out, in a node of the main search that its moves decided.
pub fn unreached(node: &NodeRecord, scene: &mut Scene<'_>) -> u8 {
    let cut = node.moves().any(|record| record.decision() == Some(Decision::Cutoff));
    if node.is_quiescence() || !cut {
        return 0;
    }
    let left = if skips_others(node) {
        unseen(scene.position, node).never.len()
    } else {
        scene.moves().len().saturating_sub(node.moves().count())
    };
    u8::try_from(left).unwrap_or(u8::MAX)
}

/// Did a rule leave out other moves together with one?
pub fn skips_others(node: &NodeRecord) -> bool {
    node.moves().any(|record| matches!(&record.fate, Fate::Skipped { rest, .. } if *rest != Rest::None))
}
