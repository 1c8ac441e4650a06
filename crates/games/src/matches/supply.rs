//! Openings on demand: each is drawn when the first pair needs it, and kept.

use quarterply_engine::position::Game;
use std::sync::{Arc, Mutex, PoisonError};

/// Where a match takes its openings from. Copies share what was drawn.
#[derive(Clone)]
pub struct OpeningSupply(Arc<Mutex<SupplyState>>);

struct SupplyState {
    source: Option<Box<dyn Iterator<Item = Game> + Send>>,
    drawn: Vec<Game>,
}

impl OpeningSupply {
    /// Openings from `source` in its order. When it ends, they begin again with the first.
    pub fn new(source: impl Iterator<Item = Game> + Send + 'static) -> OpeningSupply {
        OpeningSupply(Arc::new(Mutex::new(SupplyState { source: Some(Box::new(source)), drawn: Vec::new() })))
    }

    /// The opening of a round; `None` if there are none at all.
    pub fn get(&self, round: usize) -> Option<Game> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while state.drawn.len() <= round
            && let Some(source) = &mut state.source
        {
            match source.next() {
                Some(game) => state.drawn.push(game),
                None => state.source = None,
            }
        }
        let count = state.drawn.len();
        state.drawn.get(round % count.max(1)).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn openings(count: usize) -> Vec<Game> {
        let fen = |number| format!("4k3/8/8/8/8/8/8/RR2K3 w - - 0 {}", number + 1);
        (0..count).map(|n| Game::standard(&fen(n)).expect("a good FEN")).collect()
    }

    #[test]
    fn openings_come_in_any_order_and_begin_again() {
        let supply = OpeningSupply::new(openings(3).into_iter());
        let all: Vec<String> = openings(3).iter().map(Game::fen).collect();
        let get = |round: usize| supply.get(round).map(|game| game.fen());
        for (round, index) in [(1, 1), (0, 0), (2, 2), (3, 0), (7, 1), (2, 2)] {
            assert_eq!(get(round).as_ref(), Some(&all[index]), "round {round}");
        }
        assert_eq!(OpeningSupply::new(openings(0).into_iter()).get(0).map(|game| game.fen()), None);
    }

    #[test]
    fn no_opening_is_drawn_before_it_is_needed() {
        let supply = OpeningSupply::new(openings(1).into_iter().cycle().inspect({
            let mut left = 3;
            move |_| {
                assert!(left > 0, "too many were drawn");
                left -= 1;
            }
        }));
        assert!(supply.get(2).is_some() && supply.get(0).is_some());
    }
}
