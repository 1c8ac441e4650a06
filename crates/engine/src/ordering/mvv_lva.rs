//! Most valuable victim, least valuable attacker.

use crate::see;
use crate::source::Description;
use shakmaty::{Move, Role};

pub(crate) const SOURCE: Description = Description {
    name: "MVV-LVA",
    about: "Most valuable victim, least valuable attacker.",
    idea: "Captures of the most valuable victim are searched first. If `attacker` is above 0, captures of equal \
        victims are ordered by the least valuable attacker: a recapture then gains least. Promotions add their gain.",
    risk: "A defended rook captured by a queen comes before an undefended bishop; static exchange evaluation \
        corrects this.",
    reads: "position.",
    papers: "`slate-atkin1977`, `practice`.",
};

crate::params! {
    /// captures of more valuable pieces come first
    on = true;
    /// weight of the captured piece's value against capture history (1/16 count per pawn/100)
    victim = 160 in 0..=999 by 8;
    /// weight of the capturing piece's value, which is subtracted (1/16 count per pawn/100)
    attacker = 0 in 0..=400 by 4;
}

crate::source::in_force! { victim: 0, attacker: 0 }

/// The value that the move wins at once, less the share of the capturing piece (1/16 count).
#[inline(always)]
pub(super) fn score(p: &Params, mv: Move) -> i32 {
    let gain = see::gain(mv) * p.victim;
    if p.attacker == 0 { gain } else { gain - attacker_value(mv.role()) * p.attacker }
}

/// The value of a capturing piece (pawns/100): a king counts as little as a pawn, because it is never recaptured.
pub(super) fn attacker_value(role: Role) -> i32 {
    see::value(if role == Role::King { Role::Pawn } else { role })
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::Square;

    fn takes(role: Role, victim: Role) -> Move {
        Move::Normal { role, from: Square::E4, capture: Some(victim), to: Square::D5, promotion: None }
    }

    #[test]
    fn dear_victims_come_first_and_cheap_attackers_among_equals() {
        let p = Params { attacker: 10, ..Params::DEFAULT };
        let [queen, pawn] = [Role::Queen, Role::Pawn];
        let by = |role| score(&p, takes(role, Role::Rook));
        assert!(score(&p, takes(queen, queen)) > by(pawn), "the victim decides");
        assert!(by(pawn) > by(queen), "then the attacker");
        assert!(by(Role::King) > by(Role::Knight), "kings are safe");
        let plain = Params::DEFAULT;
        assert_eq!(score(&plain, takes(pawn, Role::Rook)), score(&plain, takes(queen, Role::Rook)));
        assert_eq!(score(&Params { on: false, ..p }.in_force(), takes(pawn, queen)), 0);
    }
}
