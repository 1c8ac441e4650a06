//! The sequential probability ratio test: a match that stops as soon as it has decided between two hypotheses.
//!
//! The hypotheses fix the strength only; how often each result comes is unknown. The generalized test takes under each hypothesis
//! the frequencies that suit the results best, and compares the likelihoods.
//!
//! References: Wald (`wald1945`) for the test and its bounds; Van den Bergh (`van-den-bergh2020`) for the generalized test of pairs.

use super::outcomes::{Hypothesis, Outcomes};
use super::{Pentanomial, score_of_elo};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Error rates when none are given.
const RISK_DEFAULT: f64 = 0.05;
/// Error rates must be smaller.
const RISK_LIMIT: f64 = 0.5;
/// Largest strength of a hypothesis (Elo).
const ELO_MAX: f64 = 1000.0;

/// The unit of the two bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::Display, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum SprtModel {
    /// Elo: the expected score.
    #[default]
    Logistic,
    /// Normalized Elo: the expected score in standard deviations of a game. Tests with equal bounds take equally long with any
    /// share of draws; fishtest, OpenBench and fastchess mean this.
    Normalized,
}

impl SprtModel {
    /// The unit of the two strengths, as reports name it.
    pub fn unit(self) -> &'static str {
        match self {
            SprtModel::Logistic => "Elo",
            SprtModel::Normalized => "normalized Elo",
        }
    }
}

/// The decision after the results so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Play on.
    Continue,
    /// The difference is `elo0` or less.
    H0,
    /// The difference is `elo1` or more.
    H1,
}

/// A test of `elo0` against `elo1`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    /// The strength of the first hypothesis.
    pub elo0: f64,
    /// The strength of the second hypothesis.
    pub elo1: f64,
    alpha: f64,
    beta: f64,
    /// The unit of both strengths.
    pub model: SprtModel,
}

/// Why a text is not a valid test.
#[derive(Clone, Debug, PartialEq, Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum SprtError {
    #[error(
        "`{0}` is not a setting of a sequential test: expected settings like elo0=0 elo1=5 alpha=0.05 beta=0.05 model=logistic"
    )]
    Setting(String),
    #[error("cannot use the setting `{0}`: a sequential test has elo0, elo1, alpha, beta and model")]
    Name(String),
    #[error("cannot use `{0}`: it is given twice; give it once")]
    Twice(String),
    #[error("`{1}` is not a valid number for {0}: expected a value like {0}={2}")]
    Number(&'static str, String, &'static str),
    #[error("`{0}` is not a valid model: expected model=logistic (Elo) or model=normalized (normalized Elo)")]
    Model(String),
    #[error("cannot start the test: {0} is missing; write both bounds, like elo0=0 elo1=5")]
    Missing(&'static str),
    #[error("cannot use elo0={0}: it is not below elo1={1}; give the smaller bound first")]
    Order(f64, f64),
    #[error("cannot use {0}={1}: it is out of range; give a bound from -{ELO_MAX} to {ELO_MAX} Elo")]
    Elo(&'static str, f64),
    #[error("{0}={1} is not a valid error rate: expected a value above 0 and below {RISK_LIMIT}, such as 0.05")]
    Risk(&'static str, f64),
}

impl Sprt {
    /// A test of `elo0` against `elo1`: `alpha` is the probability of accepting `elo1` if `elo0` is true, `beta` that of accepting `elo0` if
    /// `elo1` is true.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64, model: SprtModel) -> Result<Sprt, SprtError> {
        for (name, elo) in [("elo0", elo0), ("elo1", elo1)] {
            if !(-ELO_MAX..=ELO_MAX).contains(&elo) {
                return Err(SprtError::Elo(name, elo));
            }
        }
        if elo0 >= elo1 {
            return Err(SprtError::Order(elo0, elo1));
        }
        for (name, risk) in [("alpha", alpha), ("beta", beta)] {
            if !(risk > 0.0 && risk < RISK_LIMIT) {
                return Err(SprtError::Risk(name, risk));
            }
        }
        Ok(Sprt { elo0, elo1, alpha, beta, model })
    }

    /// The log-likelihood ratios at which `elo0` and `elo1` are accepted.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The generalized log-likelihood ratio of pairs, exact: under each hypothesis the likeliest frequencies of the five results.
    /// Results never seen count as a thousandth of a pair, as in fishtest. 0 without pairs.
    pub fn llr(&self, pairs: &Pentanomial) -> f64 {
        Outcomes::log_likelihood_ratio(pairs.counts, self.hypothesis(self.elo0), self.hypothesis(self.elo1))
    }

    /// The decision at a log-likelihood ratio.
    pub fn decide(&self, llr: f64) -> Decision {
        let (low, high) = self.bounds();
        if llr >= high {
            Decision::H1
        } else if llr <= low {
            Decision::H0
        } else {
            Decision::Continue
        }
    }

    fn hypothesis(&self, elo: f64) -> Hypothesis {
        match self.model {
            SprtModel::Logistic => Hypothesis::Score(score_of_elo(elo)),
            SprtModel::Normalized => Hypothesis::NormalizedElo(elo),
        }
    }
}

impl fmt::Display for Sprt {
    /// The text that [`Sprt::from_str`] reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sprt { elo0, elo1, alpha, beta, model } = self;
        write!(f, "elo0={elo0} elo1={elo1} alpha={alpha} beta={beta} model={model}")
    }
}

/// The settings with numbers, in the order of the arguments of [`Sprt::new`], and good values.
const NUMBERS: [(&str, &str); 4] = [("elo0", "0"), ("elo1", "5"), ("alpha", "0.05"), ("beta", "0.05")];

impl FromStr for Sprt {
    type Err = SprtError;

    fn from_str(text: &str) -> Result<Sprt, SprtError> {
        let (mut numbers, mut model): ([Option<f64>; 4], Option<SprtModel>) = ([None; 4], None);
        for setting in text.split(|c: char| c.is_whitespace() || c == ',').filter(|setting| !setting.is_empty()) {
            let (name, value) = setting.split_once('=').ok_or_else(|| SprtError::Setting(setting.to_owned()))?;
            let is_twice = if name == "model" {
                let read: SprtModel = value.parse().map_err(|_| SprtError::Model(value.to_owned()))?;
                model.replace(read).is_some()
            } else {
                let place = NUMBERS.iter().position(|(known, _)| *known == name);
                let place = place.ok_or_else(|| SprtError::Name(name.to_owned()))?;
                let (name, example) = NUMBERS[place];
                let number: f64 = value.parse().map_err(|_| SprtError::Number(name, value.to_owned(), example))?;
                numbers[place].replace(number).is_some()
            };
            if is_twice {
                return Err(SprtError::Twice(name.to_owned()));
            }
        }
        let [elo0, elo1, alpha, beta] = numbers;
        let elo0 = elo0.ok_or(SprtError::Missing("elo0"))?;
        let elo1 = elo1.ok_or(SprtError::Missing("elo1"))?;
        let risk = |given: Option<f64>| given.unwrap_or(RISK_DEFAULT);
        Sprt::new(elo0, elo1, risk(alpha), risk(beta), model.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests;
