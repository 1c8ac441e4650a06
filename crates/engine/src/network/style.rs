//! Parameters for the use of a network's values. Scale and tempo do not depend on the network; the share of the classical
//! evaluation is the one that it was trained with, unless another one is set.

use crate::score::Score;
use std::fmt;

crate::params! {
    /// factor of the network's values (percent)
    scale = 100 in 25..=400 by 5;
    /// bonus for the side to move; negative values correct networks that overrate the tempo (pawns/100)
    tempo = 0 in -200..=200 by 5;
    /// share of the classical evaluation, the rest is the network's; if not set, the share that the network was trained
    /// with (percent)
    classical = 40 in 0..=100 by 5;
}

/// All of it (percent).
const WHOLE: i32 = 100;
/// The parameter that is the share.
pub(crate) const SHARE: &str = "network.classical";

/// The source of the value of `network.classical`.
#[derive(Clone, Copy, Default, Debug)]
pub enum ShareSource {
    /// The network: it changes with the network that is chosen.
    #[default]
    Network,
    /// It was set, in a profile or by hand: it stays.
    Setting,
}

/// All are equal: only the resulting value is compared.
impl PartialEq for ShareSource {
    fn eq(&self, _: &ShareSource) -> bool {
        true
    }
}

impl Eq for ShareSource {}

/// A network that is not blended as it was trained. Its `Display` is the message to the user.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShareMismatch {
    /// The share that the network was trained with (percent); `None` if its file lacks it.
    pub trained: Option<i32>,
    /// The share that it is used with (percent).
    pub used: i32,
}

impl fmt::Display for ShareMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let used = self.used;
        match self.trained {
            Some(trained) => write!(
                f,
                "the network was trained with a classical share of {trained} %, but {SHARE} is {used}; leave {SHARE} unset to use the share of \
                 the network"
            ),
            None => write!(
                f,
                "the file of the network lacks the classical share that it was trained with; {SHARE} is {used}"
            ),
        }
    }
}

impl Params {
    /// The value of the network after scale and tempo, seen by the side to move.
    #[inline(always)]
    pub fn apply(&self, value: Score) -> Score {
        Score(value.0 * self.scale / WHOLE + self.tempo).as_eval()
    }

    /// Returns true if the classical evaluation has a share in values.
    #[inline(always)]
    pub fn uses_classical(&self) -> bool {
        self.classical > 0
    }

    /// Returns true if the network has a share in values.
    #[inline(always)]
    pub fn uses_network(&self) -> bool {
        self.classical < WHOLE
    }

    /// The mean of a value of the network, as it counts, and a classical one, weighted by their shares.
    #[inline(always)]
    pub fn blend(&self, network: Score, classical: Score) -> Score {
        Score((network.0 * (WHOLE - self.classical) + classical.0 * self.classical) / WHOLE)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::choice;
    use super::super::{EvalFile, Parts};
    use super::*;
    use crate::params::Parameters;

    fn trained(facts: &str) -> EvalFile {
        choice(&Parts { facts: facts.to_owned(), ..Parts::zero(32, 1) })
    }

    #[test]
    fn the_share_is_that_of_the_file() {
        for (facts, share) in [
            (r#"{"plan":{"classical":0.0}}"#, Some(0)),
            (r#"{"plan":{"passes":3,"classical":0.335},"classical":0.9}"#, Some(34)),
            (r#"{"plan":{"classical":1}}"#, Some(100)),
            (r#"{"plan":{"passes":3}}"#, Some(0)),
            (r#"{"plan":{"classical":1.5}}"#, None),
            (r#"{"plan":{"classical":"half"}}"#, None),
            (r#"{"plan":3}"#, None),
            (r#"{"seed":3}"#, None),
            ("no JSON", None),
            ("", None),
        ] {
            assert_eq!(trained(facts).share(), share, "{facts}");
            let parameters = Parameters::with_evaluation(trained(facts));
            assert_eq!(parameters.network.classical, share.unwrap_or(40), "{facts}");
            let mismatch = share.is_none().then_some(ShareMismatch { trained: None, used: 40 });
            assert_eq!(parameters.share_mismatch(), mismatch, "{facts}");
        }
    }

    /// A network that was trained alone was blended at 40 %, whatever its file said.
    #[test]
    fn a_share_that_is_set_wins_over_that_of_the_network_in_any_order() {
        let alone = || trained(r#"{"plan":{"classical":0.0}}"#);
        let set = |p: &mut Parameters, value| p.set(SHARE, value).expect("in range");
        let mut after = Parameters::default();
        after.choose(alone());
        assert_eq!((after.network.classical, after.share_mismatch()), (0, None));
        set(&mut after, 40);
        let mut before = Parameters::default();
        set(&mut before, 40);
        before.choose(alone());
        for parameters in [&after, &before] {
            assert_eq!(parameters.network.classical, 40);
            assert_eq!(parameters.share_mismatch(), Some(ShareMismatch { trained: Some(0), used: 40 }));
        }
        // A share that is the default is kept where only differences are.
        let kept: Vec<(String, i32)> = after.differing().map(|(entry, value)| (entry.name, value)).collect();
        assert_eq!(kept, [(SHARE.to_owned(), 40)]);
        assert_eq!(Parameters::with_evaluation(alone()).differing().count(), 0);
        // Without a setting the share goes with the network.
        let mut changing = Parameters::with_evaluation(alone());
        changing.choose(trained(r#"{"plan":{"classical":0.25}}"#));
        assert_eq!(changing.network.classical, 25);
        changing.choose(EvalFile::Default);
        assert_eq!(changing, Parameters::DEFAULT);
        // What a built-in profile sets is set.
        let mut tactical = crate::profile::builtin("tactical").expect("built in");
        tactical.choose(alone());
        assert_eq!(tactical.network.classical, 45);
    }

    #[test]
    fn scale_multiplies_and_tempo_is_added_for_the_side_to_move() {
        let usual = Params { scale: 100, tempo: 0, classical: 0 };
        for value in [-500, -1, 0, 7, 500].map(Score) {
            assert_eq!(usual.apply(value), value);
        }
        let other = Params { scale: 150, tempo: -30, classical: 0 };
        assert_eq!([100, 0, -100].map(|value| other.apply(Score(value)).0), [120, -30, -180]);
        let most = Params { scale: 400, tempo: 200, classical: 0 };
        assert_eq!(most.apply(Score::EVAL_MAX), Score::EVAL_MAX, "no value of a mate");
    }

    #[test]
    fn a_blend_is_the_mean_weighted_by_the_share_of_the_classical_value() {
        let [network, classical] = [Score(200), Score(-100)];
        for (share, mean) in [(0, 200), (30, 110), (50, 50), (100, -100)] {
            let style = Params { scale: 100, tempo: 0, classical: share };
            assert_eq!(style.blend(network, classical), Score(mean), "{share} percent");
            assert_eq!((style.uses_classical(), style.uses_network()), (share > 0, share < 100));
        }
        let even = Params { scale: 100, tempo: 0, classical: 50 };
        assert_eq!(even.blend(Score::EVAL_MAX, Score::EVAL_MAX), Score::EVAL_MAX, "no value of a mate");
        assert_eq!(even.blend(-Score::EVAL_MAX, -Score::EVAL_MAX), -Score::EVAL_MAX);
    }
}
