//! Aspiration windows: search with a narrow window around the previous score and widen it when the value falls outside.

use crate::score::{Depth, Score, Window};

crate::params! {
    /// start with a narrow window
    on = true;
    /// least depth with a narrow window (plies)
    depth_min = 4 in 1..=20 by 1;
    /// half width of the first window (pawns/100)
    width = 16 in 4..=200 by 2;
    /// factor of the width after each search that fails low or high (percent)
    growth = 180 in 110..=400 by 10, neutral 160;
    /// half width from which the window is opened fully (pawns/100)
    width_max = 600 in 100..=3000 by 50;
    /// depth deducted after a fail high (1/1024 ply)
    high_reduction = 768 in 0..=2048 by 128, neutral 512;
    /// greatest depth deducted by repeated fail highs (1/1024 ply)
    high_reduction_max = 2048 in 0..=4096 by 256;
}

const PERCENT: i32 = 100;

/// The aspiration window of one iteration.
#[derive(Clone, Copy, Debug)]
pub struct Aspiration {
    /// The window to search with.
    pub window: Window,
    width: i32,
    /// The depth to deduct after fail highs.
    pub reduction: Depth,
}

impl Aspiration {
    /// The first window for an iteration of `depth` after one that found `score`.
    pub fn start(p: &Params, depth: Depth, score: Score) -> Aspiration {
        let narrow = p.on && depth >= Depth::plies(p.depth_min) && !score.is_decisive();
        let window = if narrow { around(score, p.width) } else { Window::FULL };
        Aspiration { window, width: p.width, reduction: Depth::ZERO }
    }

    /// Widens the window if `score` is outside; returns false if it is inside.
    pub fn widen(&mut self, p: &Params, score: Score) -> bool {
        let low = self.window.fails_low(score) && self.window.alpha > Window::FULL.alpha;
        let high = self.window.fails_high(score) && self.window.beta < Window::FULL.beta;
        if !low && !high {
            return false;
        }
        self.width = self.width * p.growth / PERCENT + 1;
        let open = self.width > p.width_max || score.is_decisive();
        if low {
            self.window.beta = Score((self.window.alpha.0 + self.window.beta.0) / 2).max(score + Score(1));
            self.window.alpha = if open { Window::FULL.alpha } else { score - Score(self.width) };
            self.reduction = Depth::ZERO;
        } else {
            self.window.beta = if open { Window::FULL.beta } else { score + Score(self.width) };
            self.reduction = Depth((self.reduction.0 + p.high_reduction).min(p.high_reduction_max));
        }
        true
    }
}

fn around(score: Score, width: i32) -> Window {
    Window::new(score - Score(width), score + Score(width))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_value_is_inside_after_a_few_failures() {
        let p = Params::DEFAULT;
        for value in [-32_000, -900, -40, 0, 3, 60, 2500, 31_990] {
            let mut a = Aspiration::start(&p, Depth::plies(9), Score(10));
            let mut tries = 0;
            // A fail-soft search returns at least the nearer edge of the window.
            while a.widen(&p, Score(value).clamp(a.window.alpha - Score(5), a.window.beta + Score(5))) {
                tries += 1;
                assert!(tries < 20, "{value}");
            }
            assert!(a.window.contains(Score(value)), "{value}");
        }
    }

    #[test]
    fn shallow_or_decided_searches_get_the_full_window() {
        let p = Params::DEFAULT;
        assert_eq!(Aspiration::start(&p, Depth::plies(2), Score(0)).window, Window::FULL);
        assert_eq!(Aspiration::start(&p, Depth::plies(20), Score(31_950)).window, Window::FULL);
        assert_eq!(Aspiration::start(&Params { on: false, ..p }, Depth::plies(20), Score(5)).window, Window::FULL);
    }
}
