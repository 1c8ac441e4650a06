//! The declaration of a parameter: once, next to the rule that uses it.
//!
//! [`params!`](crate::params!) makes the `Params` struct of one rule from its declarations; [`params`](mod@crate::params) joins all of them.

use std::fmt;

/// The kind of value of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParameterKind {
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
    /// A description with its unit.
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
    pub kind: ParameterKind,
}

impl fmt::Display for ParameterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ParameterKind::Switch => "true or false",
            ParameterKind::Number => "a whole number",
        })
    }
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
    (@kind switch) => { $crate::spec::ParameterKind::Switch };
    (@kind number) => { $crate::spec::ParameterKind::Number };
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
            pub const SPECS: &'static [$crate::spec::Spec] = &[$($crate::spec::Spec {
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
