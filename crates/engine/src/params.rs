//! Parameters: declared once beside the rule that uses them, reachable at run time by dotted name.
//!
//! [`params!`](crate::params!) makes the `Params` struct of one rule from its declaration; `groups!` joins all of them, those of the
//! registry of rules among them, into [`Parameters`]. UCI options, tuner spaces, documentation and labels derive from the [`Spec`]s made here.

use crate::network::{self, ShareSource};
use crate::ordering::sources::Source;
use std::fmt;
use thiserror::Error;

/// What kind of value a parameter takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// On or off; stored as 1 or 0.
    Switch,
    /// A whole number.
    Number,
}

/// The one declaration of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spec {
    /// Name within its group.
    pub name: &'static str,
    /// What it is, with its unit.
    pub doc: &'static str,
    /// Value unless set.
    pub default: i32,
    /// Value that changes nothing: the search is as it was before the parameter existed. A profile that does not name the parameter has it.
    pub neutral: i32,
    /// Least allowed value.
    pub min: i32,
    /// Greatest allowed value.
    pub max: i32,
    /// Smallest sensible change.
    pub step: i32,
    /// Switch or number.
    pub kind: Kind,
}

/// A parameter with the group it belongs to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The group: the name of the rule's file.
    pub group: &'static str,
    /// What the group is about.
    pub about: &'static str,
    /// The declaration.
    pub spec: &'static Spec,
    /// `group.parameter`, the name of the UCI option.
    pub name: String,
}

/// A group: its name, what it is about, and its parameters.
type Group = (&'static str, &'static str, &'static [Spec]);

impl Entry {
    fn new(&(group, about, _): &Group, spec: &'static Spec) -> Self {
        Entry { group, about, spec, name: format!("{group}.{}", spec.name) }
    }
}

/// Why a parameter was not set.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ParameterError {
    /// No parameter has this name.
    #[error("no parameter is named `{name}`{}", hint(.nearest))]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The most similar existing name.
        nearest: Option<String>,
    },
    /// The value is not allowed.
    #[error("{value} is out of range for `{name}`: give a value from {min} to {max}")]
    OutOfRange {
        /// The full name.
        name: String,
        /// The value that was asked for.
        value: i64,
        /// Least allowed value.
        min: i32,
        /// Greatest allowed value.
        max: i32,
    },
    /// The text is no value of the parameter's kind.
    #[error("`{text}` is no value for `{name}`: give {}", .kind)]
    NotAValue {
        /// The full name.
        name: String,
        /// The text that was given.
        text: String,
        /// What is expected.
        kind: Kind,
    },
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Switch => "true or false",
            Kind::Number => "a whole number",
        })
    }
}

fn hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |n| format!("; did you mean `{n}`?"))
}

/// The existing parameter name most like `name`, if any is like it at all.
pub fn nearest_name(name: &str) -> Option<String> {
    nearest_of(name, Parameters::specs().map(|entry| entry.name))
}

/// The one of `names` most like `name` whatever the case of their letters, if any is like it at all.
pub fn nearest_of(name: &str, names: impl Iterator<Item = String>) -> Option<String> {
    const LIKENESS_MIN: f64 = 0.75;
    // Comparing takes time in proportion to the square of the length, and no name is that long.
    const LENGTH_MAX: usize = 100;
    if name.len() > LENGTH_MAX {
        return None;
    }
    let wanted = name.to_ascii_lowercase();
    names
        .map(|known| (strsim::jaro_winkler(&wanted, &known.to_ascii_lowercase()), known))
        .filter(|(likeness, _)| *likeness >= LIKENESS_MIN)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

/// Declares the parameters of one rule: a `Params` struct with defaults, and their [`Spec`]s.
///
/// A line is `/// doc (unit)` followed by `name = default in min..=max by step;`, or by `name = true;` for a switch. A neutral value other than
/// the default, of a switch other than `false`, is added at the end: `name = default in min..=max by step, neutral value;`.
/// A default or a neutral value outside its range does not compile.
#[macro_export]
macro_rules! params {
    (@type switch) => { bool };
    (@type number) => { i32 };
    (@kind switch) => { $crate::params::Kind::Switch };
    (@kind number) => { $crate::params::Kind::Number };
    (@value switch $v:expr) => { $v != 0 };
    (@value number $v:expr) => { $v };

    (@munch [$($done:tt)*] $(#[doc = $doc:literal])+ $name:ident = $default:ident $(, neutral $neutral:ident)?; $($rest:tt)*) => {
        $crate::params! { @munch [$($done)* {
            switch $name [$($doc)+] { $default as i32 } { false $(|| $neutral)? } 0 1 1
        }] $($rest)* }
    };
    (@munch [$($done:tt)*] $(#[doc = $doc:literal])+
        $name:ident = $default:literal in $min:literal ..= $max:literal by $step:literal; $($rest:tt)*) => {
        $crate::params! { @munch [$($done)* { number $name [$($doc)+] { $default } { $default } $min $max $step }] $($rest)* }
    };
    (@munch [$($done:tt)*] $(#[doc = $doc:literal])+
        $name:ident = $default:literal in $min:literal ..= $max:literal by $step:literal, neutral $neutral:literal; $($rest:tt)*) => {
        $crate::params! { @munch [$($done)* { number $name [$($doc)+] { $default } { $neutral } $min $max $step }] $($rest)* }
    };
    (@munch [$({ $kind:ident $name:ident [$($doc:literal)+] { $($default:tt)+ } { $($neutral:tt)+ } $min:literal $max:literal $step:literal })*]) => {
        /// The parameters of this file; see [`Params::SPECS`] for their ranges.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct Params {
            $($(#[doc = $doc])+ pub $name: $crate::params!(@type $kind),)*
        }

        impl Params {
            /// The default values.
            pub const DEFAULT: Params = Params { $($name: $crate::params!(@value $kind ($($default)+)),)* };

            /// The neutral values.
            pub const NEUTRAL: Params = Params { $($name: $crate::params!(@value $kind (($($neutral)+) as i32)),)* };

            /// One declaration per parameter, in the order of the fields.
            pub const SPECS: &'static [$crate::params::Spec] = &[$($crate::params::Spec {
                name: stringify!($name),
                doc: concat!($($doc),+),
                default: $($default)+,
                neutral: ($($neutral)+) as i32,
                min: $min,
                max: $max,
                step: $step,
                kind: $crate::params!(@kind $kind),
            },)*];

            /// The value of the parameter called `name`; a switch counts as 1 or 0.
            pub fn get(&self, name: &str) -> Option<i32> {
                match name {
                    $(stringify!($name) => Some(i32::from(self.$name)),)*
                    _ => None,
                }
            }

            /// Sets the parameter called `name` without looking at its range; `false` if there is none.
            pub(crate) fn assign(&mut self, name: &str, value: i32) -> bool {
                match name {
                    $(stringify!($name) => self.$name = $crate::params!(@value $kind value),)*
                    _ => return false,
                }
                true
            }
        }

        const _: () = {
            $(assert!($min <= $($default)+ && $($default)+ <= $max && $step > 0, concat!(stringify!($name), ": default outside its range"));)*
            $(assert!($min <= ($($neutral)+) as i32 && ($($neutral)+) as i32 <= $max, concat!(stringify!($name), ": neutral value outside its range"));)*
        };

        impl Default for Params {
            fn default() -> Params {
                Params::DEFAULT
            }
        }
    };
    ($($body:tt)*) => { $crate::params! { @munch [] $($body)* } };
}

macro_rules! groups {
    ($($name:ident = $($module:ident)::+, $about:expr;)*) => {
        /// Every parameter of the engine: one field per rule or part.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct Parameters {
            $(#[doc = concat!("Those of `", stringify!($($module)::+), "`.")] pub $name: crate::$($module)::+::Params,)*
            /// Where static evaluations come from; not a number, so that it is none of the [`Entry`]s.
            pub eval_file: crate::network::EvalFile,
            /// Whether `network.classical` was set or is that of the network; see [`Parameters::choose`].
            pub share_source: crate::network::ShareSource,
        }

        impl Parameters {
            /// The default values of all parameters.
            pub const DEFAULT: Parameters = Parameters {
                $($name: crate::$($module)::+::Params::DEFAULT,)*
                eval_file: crate::network::EvalFile::Default,
                share_source: crate::network::ShareSource::Network,
            };

            /// The neutral values of all parameters: no rule is on, and moves are searched as they are generated.
            pub const NEUTRAL: Parameters = Parameters {
                $($name: crate::$($module)::+::Params::NEUTRAL,)*
                eval_file: crate::network::EvalFile::Default,
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

/// Sorts the rules out that have parameters of their own, and puts their groups between those of the engine's other parts.
macro_rules! with_rules {
    (@rules [$($groups:tt)*] $name:ident $module:ident [params]; $($rest:tt)*) => {
        with_rules! { @rules [$($groups)* $module = rules::$module, crate::rules::$module::RULE.about;] $($rest)* }
    };
    (@rules [$($groups:tt)*] $name:ident $module:ident []; $($rest:tt)*) => {
        with_rules! { @rules [$($groups)*] $($rest)* }
    };
    (@rules [$($groups:tt)*]) => {
        crate::ordering::sources::sources! { with_sources [$($groups)*] }
    };
    ($($rules:tt)*) => { with_rules! { @rules [] $($rules)* } };
}

/// Adds the groups of the sources of move order.
macro_rules! with_sources {
    (
        [$($groups:tt)*]
        tables { $($table:ident $table_module:ident;)* }
        $($list:ident { $($name:ident $module:ident;)* })*
    ) => {
        groups! {
            budget = budget, "Iterative deepening and the budget of each iteration.";
            aspiration = search::aspiration, "Aspiration windows around the previous score.";
            consultation = search::consultation, "Consultation: several voices with evaluations of their own think in turn.";
            ladder = search::ladder, "The re-search ladder after a reduced search beats alpha.";
            quiescence = search::quiescence, "Quiescence: captures until quiet.";
            $($groups)*
            $($table_module = history::$table_module, crate::history::$table_module::SOURCE.about;)*
            $($($module = ordering::$module, crate::ordering::$module::SOURCE.about;)*)*
            history = history, "History tables: bonus and malus of each update.";
            evaluation = eval, "Static evaluation: the share of each group of terms.";
            network = network, "Static evaluation by a network: how its values are used.";
            correction = correction, "Correction of the static evaluation by what search found.";
            clock = clock, "Time management.";
        }
    };
}

crate::rules::rules!(with_rules);

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
        for entry in Parameters::specs().filter(|entry| entry.spec.kind == Kind::Number) {
            parameters.write(entry.group, entry.spec.name, entry.spec.neutral);
        }
        parameters.upcoming_repetition.on = false;
        parameters.razoring.on = true;
        parameters.butterfly.threats = false;
        parameters
    }

    /// All parameters in the order of declaration.
    pub fn specs() -> impl Iterator<Item = Entry> {
        Parameters::GROUPS.iter().flat_map(|group| group.2.iter().map(move |spec| Entry::new(group, spec)))
    }

    /// The declaration of `name`, whatever its case.
    ///
    /// # Errors
    /// [`ParameterError::Unknown`] with the most similar name.
    pub fn find(name: &str) -> Result<Entry, ParameterError> {
        let wanted = name.trim().to_ascii_lowercase();
        let entry = wanted.split_once('.').and_then(|(rule, parameter)| {
            let group = Parameters::GROUPS.iter().find(|group| group.0 == rule)?;
            let spec = group.2.iter().find(|spec| spec.name == parameter)?;
            Some(Entry::new(group, spec))
        });
        entry.ok_or_else(|| ParameterError::Unknown { name: name.to_owned(), nearest: nearest_name(name) })
    }

    /// The value of `group.parameter`; switches are 1 or 0.
    ///
    /// # Errors
    /// [`ParameterError::Unknown`].
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
        let Spec { min, max, .. } = *entry.spec;
        if !(min..=max).contains(&value) {
            return Err(ParameterError::OutOfRange { name: entry.name, value: value.into(), min, max });
        }
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
            (Kind::Switch, "true" | "on") => 1,
            (Kind::Switch, "false" | "off") => 0,
            (_, text) => text.parse::<i64>().map_err(|_| ParameterError::NotAValue {
                name: entry.name.clone(),
                text: text.to_owned(),
                kind,
            })?,
        };
        let Spec { min, max, .. } = *entry.spec;
        match i32::try_from(value) {
            Ok(value) => self.set(name, value),
            Err(_) => Err(ParameterError::OutOfRange { name: entry.name, value, min, max }),
        }
    }

    /// Makes every switch neutral but those of move order: what is left is the textbook, whose values do not depend on the order.
    pub fn switch_all_off(&mut self) {
        let ordering = |group: &str| Source::ALL.iter().any(|source| source.module() == group);
        for entry in Parameters::specs().filter(|e| e.spec.kind == Kind::Switch && !ordering(e.group)) {
            self.write(entry.group, entry.spec.name, entry.spec.neutral);
        }
    }

    /// Takes all parameters of a group from `other`.
    pub fn copy_group(&mut self, group: &str, other: &Parameters) {
        for entry in Parameters::specs().filter(|entry| entry.group == group) {
            if let Some(value) = other.read(entry.group, entry.spec.name) {
                self.write(entry.group, entry.spec.name, value);
            }
        }
    }

    /// Turns every source of move order off: moves are searched as they are generated, captures first.
    pub fn switch_ordering_off(&mut self) {
        for source in Source::ALL {
            self.write(source.module(), "on", 0);
        }
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
            assert!(
                entry.spec.kind == Kind::Switch || (doc.contains('(') && doc.ends_with(')')),
                "{}: no unit",
                entry.name
            );
        }
        assert!(seen.len() > 100);
    }

    #[test]
    fn unknown_names_suggest_the_nearest() {
        let error = Parameters::default().get("nul_move.base").unwrap_err();
        assert_eq!(error.to_string(), "no parameter is named `nul_move.base`; did you mean `null_move.base`?");
        assert!(matches!(Parameters::default().get("xyzzy"), Err(ParameterError::Unknown { nearest: None, .. })));
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
