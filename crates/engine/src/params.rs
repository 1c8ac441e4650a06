//! All parameters of the engine, reachable at run time by dotted name.
//!
//! `groups!` joins the `Params` of rules and parts into [`Parameters`]. UCI options, tuner spaces, documentation and labels derive from the
//! [`Spec`]s. This module converts parameters to the settings of other modules ([`Parameters::weights`] and others), so
//! that these do not depend on it.

mod learned;

use crate::evaluator::EvaluationChoice;
use crate::network::{self, EvalFile, ShareMismatch, ShareSource};
use crate::ordering::{self, sources::OrderingSource};
pub use crate::spec::{ParameterKind, Spec};
use crate::words::{hint, nearest_of};
pub use learned::{CoefficientFiles, MODELS, model_of};
use thiserror::Error;

/// A parameter with the group it belongs to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParameterEntry {
    /// The group: the name of the rule's file.
    pub group: &'static str,
    /// The description of the group.
    pub about: &'static str,
    /// The declaration.
    pub spec: &'static Spec,
    /// `group.parameter`, the name of the UCI option.
    pub name: String,
}

/// A group: its name, what it is about, and its parameters.
type Group = (&'static str, &'static str, &'static [Spec]);

impl ParameterEntry {
    fn new(&(group, about, _): &Group, spec: &'static Spec) -> Self {
        ParameterEntry { group, about, spec, name: format!("{group}.{}", spec.name) }
    }
}

/// The reason why a parameter was not set.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum ParameterError {
    #[error("no parameter is named `{name}`{}", or_list(.nearest))]
    Unknown { name: String, nearest: Option<String> },
    #[error(
        "`{name}` is a learned coefficient, not a parameter: set it in a file as `quarterply params {option}` prints, and give `{option}` its path"
    )]
    Coefficient { name: String, option: &'static str },
    #[error("`{value}` is not a valid value of `{name}`: expected {min} to {max}")]
    OutOfRange { name: String, value: i64, min: i32, max: i32 },
    #[error("`{text}` is not a valid value of `{name}`: expected {}", .kind)]
    NotAValue { name: String, text: String, kind: ParameterKind },
}

/// The hint at the nearest name; without one, the command that lists all names.
fn or_list(nearest: &Option<String>) -> String {
    if nearest.is_some() { hint(nearest) } else { "; list them with `quarterply params`".to_owned() }
}

/// The value if it is allowed.
fn in_range(name: &str, value: i64, min: i32, max: i32) -> Result<i32, ParameterError> {
    let allowed = i32::try_from(value).ok().filter(|value| (min..=max).contains(value));
    allowed.ok_or_else(|| ParameterError::OutOfRange { name: name.to_owned(), value, min, max })
}

/// Former names of parameters within their groups, and the present ones. Profiles, options and recorded runs may use either.
const RENAMED: [(&str, &str); 17] = [
    ("spare", "reduction_only"),
    ("glance", "mate_at_a_glance"),
    ("price_max", "cost_max"),
    ("promise_price", "promise_cost"),
    ("spare_checks", "exempt_checks"),
    ("spare_pv", "exempt_pv"),
    ("refuter", "killer_or_counter"),
    ("refuter_max", "killer_or_counter_max"),
    ("stands_out", "table_move_gap"),
    ("fallen_pv", "failed_low_pv"),
    ("parry", "mate_threat_reply"),
    ("withdrawal", "escape"),
    ("parity", "root_side_cost"),
    ("teach", "history_share"),
    ("behind_killers", "after_killers"),
    ("most", "bonus_max"),
    ("size", "scale"),
];

/// The present name of `group.parameter`, given a present or a former one.
pub fn current_name(name: &str) -> String {
    let renamed = name.rsplit_once('.').and_then(|(group, parameter)| {
        let (_, current) = RENAMED.iter().find(|(former, _)| *former == parameter)?;
        Some(format!("{group}.{current}"))
    });
    renamed.unwrap_or_else(|| name.to_owned())
}

/// The parameter, or the option of a coefficient file, whose name is most similar to `name`; `None` if no name is
/// similar.
pub fn nearest_name(name: &str) -> Option<String> {
    let options = MODELS.map(|model| model.option.to_owned());
    nearest_of(name, Parameters::specs().map(|entry| entry.name).chain(options))
}

macro_rules! groups {
    ($($name:ident = $($module:ident)::+, $about:expr;)*) => {
        /// Every parameter of the engine: one field per rule or part.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct Parameters {
            $(#[doc = concat!("Those of `", stringify!($($module)::+), "`.")] pub $name: crate::$($module)::+::Params,)*
            /// The source of static evaluations; not a number and therefore not a [`ParameterEntry`].
            pub eval_file: crate::network::EvalFile,
            /// The files of learned coefficients, in the order of [`MODELS`]; not parameter entries either.
            pub coefficients: CoefficientFiles,
            /// Whether `network.classical` was set or is that of the network; see [`Parameters::choose`].
            pub share_source: crate::network::ShareSource,
        }

        impl Parameters {
            /// The default values of all parameters.
            pub const DEFAULT: Parameters = Parameters {
                $($name: crate::$($module)::+::Params::DEFAULT,)*
                eval_file: crate::network::EvalFile::Default,
                coefficients: [const { crate::coefficients::CoefficientFile::Default }; MODELS.len()],
                share_source: crate::network::ShareSource::Network,
            };

            /// The neutral values of all parameters: no rule is on, and moves are searched as they are generated.
            pub const NEUTRAL: Parameters = Parameters {
                $($name: crate::$($module)::+::Params::NEUTRAL,)*
                eval_file: crate::network::EvalFile::Default,
                coefficients: [const { crate::coefficients::CoefficientFile::Default }; MODELS.len()],
                share_source: crate::network::ShareSource::Network,
            };

            /// Names, subjects and declarations of all groups.
            const GROUPS: &'static [Group] = &[
                $((stringify!($name), $about, crate::$($module)::+::Params::SPECS),)*
            ];

            fn read(&self, group: &str, name: &str) -> Option<i32> {
                match group {
                    $(stringify!($name) => self.$name.get(name),)*
                    _ => None,
                }
            }

            fn write(&mut self, group: &str, name: &str, value: i32) -> bool {
                match group {
                    $(stringify!($name) => self.$name.assign(name, value),)*
                    _ => false,
                }
            }
        }
    };
}

/// Selects the rules that have parameters, and puts their groups between those of the engine's other parts.
macro_rules! with_rules {
    (@rules [$($groups:tt)*] $name:ident $module:ident $family:ident [params $($switch:literal)?]; $($rest:tt)*) => {
        with_rules! { @rules [$($groups)* $module = rules::$module, crate::rules::$module::RULE.about;] $($rest)* }
    };
    (@rules [$($groups:tt)*] $name:ident $module:ident $family:ident [$($switch:literal)?]; $($rest:tt)*) => {
        with_rules! { @rules [$($groups)*] $($rest)* }
    };
    (@rules [$($groups:tt)*]) => {
        crate::source::sources! { with_sources [$($groups)*] }
    };
    ($($rules:tt)*) => { with_rules! { @rules [] $($rules)* } };
}

/// Adds the groups of the sources of move order.
macro_rules! with_sources {
    ([$($groups:tt)*] $($list:ident { $($name:ident $module:ident;)* })*) => {
        groups! {
            budget = budget, "Iterative deepening and the budget of each iteration.";
            aspiration = search::aspiration, "Aspiration windows around the previous score.";
            consultation = search::consultation, "Consultation: two voters with different evaluations search in turn.";
            ladder = search::ladder, "Re-searches after a reduced search beats alpha.";
            quiescence = search::quiescence, "Quiescence search: captures and some checks until the position is quiet.";
            $($groups)*
            $($($module = ordering::$module, crate::ordering::$module::SOURCE.about;)*)*
            history = history, "History tables: bonus and malus of each update; counters range from -16384 to 16384.";
            evaluation = eval, "Classical evaluation: the weight of each group of terms.";
            network = network, "Static evaluation by a network: scale, tempo and blend of its values.";
            correction = correction, "Correction history: search results correct the static evaluation.";
            clock = clock, "Time management: a soft limit, tested after each iteration, and a hard limit at any time.";
        }
    };
}

crate::rules::rules!(with_rules);

macro_rules! ordering {
    (
        tables { $($Table:ident $table:ident;)* }
        bonuses { $($Bonus:ident $bonus:ident;)* }
        stages { $($Stage:ident $stage:ident;)* }
        learners { $($Learner:ident $learner:ident;)* }
        extras { $($Extra:ident $extra:ident;)* }
    ) => {
        impl Parameters {
            /// The weights of the sources of move order; those of a source that is off are 0.
            pub fn weights(&self) -> ordering::Weights {
                ordering::Weights {
                    quiet: crate::history::QuietWeights { $($table: self.$table.in_force(),)* },
                    $($bonus: self.$bonus.in_force(),)*
                    $($stage: self.$stage.in_force(),)*
                }
            }

            /// The parameters of the second pass over the moves of a node.
            pub fn extras(&self) -> ordering::extras::Params {
                ordering::extras::Params { $($learner: self.$learner,)* $($extra: self.$extra,)* }
            }
        }
    };
}

crate::source::sources!(ordering);

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters::DEFAULT
    }
}

impl Parameters {
    /// For tests, whose positions were chosen for these values: the rules that are on by default, with neutral numbers and the classical
    /// evaluation.
    pub fn classical() -> Parameters {
        let mut parameters = Parameters { eval_file: network::EvalFile::Classical, ..Parameters::DEFAULT };
        for entry in Parameters::specs().filter(|entry| entry.spec.kind == ParameterKind::Number) {
            parameters.write(entry.group, entry.spec.name, entry.spec.neutral);
        }
        parameters.upcoming_repetition.on = false;
        parameters.razoring.on = true;
        parameters.butterfly.threats = false;
        parameters
    }

    /// All parameters in the order of declaration.
    pub fn specs() -> impl Iterator<Item = ParameterEntry> {
        Parameters::GROUPS.iter().flat_map(|group| group.2.iter().map(move |spec| ParameterEntry::new(group, spec)))
    }

    /// The declaration of `name`, whatever its case; former names are accepted.
    ///
    /// # Errors
    /// [`ParameterError::Unknown`] with the most similar name, or [`ParameterError::Coefficient`].
    pub fn find(name: &str) -> Result<ParameterEntry, ParameterError> {
        let requested = current_name(&name.trim().to_ascii_lowercase());
        let entry = requested.split_once('.').and_then(|(rule, parameter)| {
            let group = Parameters::GROUPS.iter().find(|group| group.0 == rule)?;
            let spec = group.2.iter().find(|spec| spec.name == parameter)?;
            Some(ParameterEntry::new(group, spec))
        });
        entry.ok_or_else(|| {
            let unknown = || ParameterError::Unknown { name: name.to_owned(), nearest: nearest_name(name) };
            learned::refusal(&requested).unwrap_or_else(unknown)
        })
    }

    /// The value of `group.parameter`; switches are 1 or 0.
    pub fn get(&self, name: &str) -> Result<i32, ParameterError> {
        let entry = Parameters::find(name)?;
        Ok(self.read(entry.group, entry.spec.name).expect("a declared parameter has a value"))
    }

    /// Sets `group.parameter`.
    ///
    /// # Errors
    /// [`ParameterError::Unknown`] or [`ParameterError::OutOfRange`]; the old value stays.
    pub fn set(&mut self, name: &str, value: i32) -> Result<(), ParameterError> {
        let entry = Parameters::find(name)?;
        let value = in_range(&entry.name, value.into(), entry.spec.min, entry.spec.max)?;
        self.write(entry.group, entry.spec.name, value);
        if entry.name == network::SHARE {
            self.share_source = ShareSource::Setting;
        }
        Ok(())
    }

    /// Sets `group.parameter` from text: a whole number, or `true`/`false` for a switch.
    ///
    /// # Errors
    /// As [`Parameters::set`], and [`ParameterError::NotAValue`].
    pub fn parse(&mut self, name: &str, text: &str) -> Result<(), ParameterError> {
        let entry = Parameters::find(name)?;
        let kind = entry.spec.kind;
        let value = match (kind, text.trim()) {
            (ParameterKind::Switch, "true" | "on") => 1,
            (ParameterKind::Switch, "false" | "off") => 0,
            (_, text) => text.parse::<i64>().map_err(|_| ParameterError::NotAValue {
                name: entry.name.clone(),
                text: text.to_owned(),
                kind,
            })?,
        };
        self.set(name, in_range(&entry.name, value, entry.spec.min, entry.spec.max)?)
    }

    /// Makes every switch neutral but those of move order: what is left is the textbook, whose values do not depend on the order.
    pub fn switch_all_off(&mut self) {
        let ordering = |group: &str| OrderingSource::ALL.iter().any(|source| source.module() == group);
        for entry in Parameters::specs().filter(|e| e.spec.kind == ParameterKind::Switch && !ordering(e.group)) {
            self.write(entry.group, entry.spec.name, entry.spec.neutral);
        }
    }

    /// Takes all parameters of a group from `other`, and its learned coefficients.
    pub fn copy_group(&mut self, group: &str, other: &Parameters) {
        for entry in Parameters::specs().filter(|entry| entry.group == group) {
            if let Some(value) = other.read(entry.group, entry.spec.name) {
                self.write(entry.group, entry.spec.name, value);
            }
        }
        for (model, file) in other.coefficient_files().filter(|(model, _)| model.rule == group) {
            self.choose_coefficients(model, file.clone());
        }
    }

    /// Turns every source of move order off: moves are searched as they are generated, captures first.
    pub fn switch_ordering_off(&mut self) {
        for source in OrderingSource::ALL {
            self.write(source.module(), "on", 0);
        }
    }
}

impl Parameters {
    /// The source of static evaluations and its parameters.
    pub fn evaluation_choice(&self) -> EvaluationChoice {
        EvaluationChoice { file: self.eval_file.clone(), network: self.network, terms: self.evaluation }
    }

    /// Chooses where static evaluations come from. `network.classical` becomes the share that the network was trained with, unless it was
    /// set: by [`Parameters::set`] or in a profile, before or after.
    pub fn choose(&mut self, eval_file: EvalFile) {
        if matches!(self.share_source, ShareSource::Network) {
            self.network.classical = eval_file.share().unwrap_or(network::Params::DEFAULT.classical);
        }
        self.eval_file = eval_file;
    }

    /// The defaults with an evaluation.
    pub fn with_evaluation(eval_file: EvalFile) -> Parameters {
        let mut parameters = Parameters::DEFAULT;
        parameters.choose(eval_file);
        parameters
    }

    /// The values that differ from the defaults with the same evaluation: together with [`Parameters::eval_file`] and
    /// [`Parameters::differing_coefficients`] they give the same parameters again, set before or after these are chosen.
    pub fn differing(&self) -> impl Iterator<Item = (ParameterEntry, i32)> {
        let usual = Parameters::with_evaluation(self.eval_file.clone());
        Parameters::specs().filter_map(move |entry| {
            let value = self.get(&entry.name).ok()?;
            (usual.get(&entry.name) != Ok(value)).then_some((entry, value))
        })
    }

    /// Returns true if a network file is used with another share of the classical evaluation than it was trained with.
    pub fn share_mismatch(&self) -> Option<ShareMismatch> {
        let (trained, used) = (self.eval_file.share(), self.network.classical);
        let from_file = matches!(self.eval_file, EvalFile::Network { .. });
        (from_file && trained != Some(used)).then_some(ShareMismatch { trained, used })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_parameter_can_be_set_to_both_ends_and_read_back() {
        for entry in Parameters::specs() {
            let mut p = Parameters::default();
            assert_eq!(p.get(&entry.name), Ok(entry.spec.default), "{}", entry.name);
            for value in [entry.spec.min, entry.spec.max] {
                p.set(&entry.name, value).unwrap();
                assert_eq!(p.get(&entry.name.to_uppercase()), Ok(value), "{}", entry.name);
            }
            for value in [entry.spec.min - 1, entry.spec.max + 1] {
                assert!(matches!(p.set(&entry.name, value), Err(ParameterError::OutOfRange { .. })), "{}", entry.name);
            }
            assert_eq!(p.get(&entry.name), Ok(entry.spec.max), "a refused value leaves the old one");
        }
    }

    #[test]
    fn names_are_unique_and_every_doc_tells_a_unit() {
        let mut seen = HashSet::new();
        for entry in Parameters::specs() {
            assert!(seen.insert(entry.name.clone()), "{} declared twice", entry.name);
            let doc = entry.spec.doc.trim();
            assert!(doc.len() > 8, "{} has no doc", entry.name);
            let has_unit = doc.contains('(') && doc.ends_with(')');
            assert!(entry.spec.kind == ParameterKind::Switch || has_unit, "{}: no unit", entry.name);
        }
        assert!(seen.len() > 100);
    }

    #[test]
    fn unknown_names_suggest_the_nearest() {
        let error = Parameters::default().get("nul_move.base").unwrap_err();
        assert_eq!(error.to_string(), "no parameter is named `nul_move.base`; did you mean `null_move.base`?");
        assert_eq!(nearest_name("learned_cost.coefficents").as_deref(), Some("learned_cost.coefficients"));
        assert_eq!(nearest_name("realisation.coefficients").as_deref(), Some("realization.coefficients"));
        let error = Parameters::default().get("xyzzy").expect_err("no such parameter");
        assert_eq!(error.to_string(), "no parameter is named `xyzzy`; list them with `quarterply params`");
    }

    #[test]
    fn former_names_are_read_as_the_present_ones() {
        for (former, current, text, value) in [
            ("check.spare", "check.reduction_only", "true", 1),
            ("Sex.Glance", "sex.mate_at_a_glance", "false", 0),
            ("attack_layer.price_max", "attack_layer.cost_max", "9", 9),
            ("sex.promise_price", "sex.promise_cost", "5", 5),
            ("sex.parry", "sex.mate_threat_reply", "5", 5),
            ("network.size", "network.scale", "50", 50),
        ] {
            let mut p = Parameters::default();
            assert_ne!(p.get(current), Ok(value), "{current}");
            p.parse(former, text).expect(former);
            assert_eq!((p.get(current), p.get(former)), (Ok(value), Ok(value)), "{former}");
            assert_eq!(Parameters::find(former).expect(former).name, current);
        }
        for (former, _) in RENAMED {
            assert!(Parameters::specs().all(|entry| entry.spec.name != former), "{former} is a present name too");
        }
    }

    #[test]
    fn a_name_of_a_megabyte_is_unknown_at_once() {
        let start = std::time::Instant::now();
        let name = "null_move.".repeat(100_000);
        assert!(matches!(Parameters::default().get(&name), Err(ParameterError::Unknown { nearest: None, .. })));
        assert!(start.elapsed() < std::time::Duration::from_secs(1), "{:?}", start.elapsed());
        assert!(Parameters::specs().all(|entry| nearest_name(&entry.name) == Some(entry.name)));
    }

    #[test]
    fn text_is_parsed_by_kind() {
        let mut p = Parameters::default();
        p.parse("null_move.on", "false").unwrap();
        assert!(!p.null_move.on);
        p.parse("Null_Move.On", "1").unwrap();
        assert!(p.null_move.on);
        for (name, text) in [("null_move.on", "maybe"), ("null_move.base", "3k"), ("null_move.base", "")] {
            assert!(matches!(p.parse(name, text), Err(ParameterError::NotAValue { .. })), "{name} {text}");
        }
        assert!(matches!(p.parse("null_move.base", "99999999999"), Err(ParameterError::OutOfRange { .. })));
    }
}
