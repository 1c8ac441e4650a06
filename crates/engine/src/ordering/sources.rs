//! The registry of the sources of move order, from the list in `source.rs`.

use crate::source::{Description, sources};

macro_rules! registry {
    ($($list:ident { $($name:ident $module:ident;)* })*) => {
        /// All sources of move order.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum OrderingSource {
            $($(#[doc = concat!("See [`", stringify!($module), "`](super::", stringify!($module), ").")] $name,)*)*
        }

        impl OrderingSource {
            /// All sources, in order.
            pub const ALL: &'static [OrderingSource] = &[$($(OrderingSource::$name,)*)*];

            /// The declaration in its file.
            pub const fn info(self) -> &'static Description {
                match self {
                    $($(OrderingSource::$name => &super::$module::SOURCE,)*)*
                }
            }

            /// The name of its file, which is that of its group of parameters.
            pub const fn module(self) -> &'static str {
                match self {
                    $($(OrderingSource::$name => stringify!($module),)*)*
                }
            }

            /// The parameter that switches it off.
            pub const fn switch(self) -> &'static str {
                match self {
                    $($(OrderingSource::$name => concat!(stringify!($module), ".on"),)*)*
                }
            }
        }
    };
}

sources!(registry);

impl OrderingSource {
    /// The name shown to people.
    pub const fn name(self) -> &'static str {
        self.info().name
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{ParameterKind, Parameters};
    use crate::rules::Rule;
    use std::collections::HashSet;

    #[test]
    fn every_source_has_a_switch_that_comes_first_in_its_group() {
        for source in OrderingSource::ALL {
            let (group, name) = (source.module(), source.name());
            let first = Parameters::specs().find(|entry| entry.group == group).expect(name);
            assert_eq!((first.name.as_str(), first.spec.kind), (source.switch(), ParameterKind::Switch), "{source:?}");
        }
    }

    #[test]
    fn no_source_is_called_like_another_or_like_a_rule() {
        let rules = Rule::ALL.iter().map(|rule| rule.module());
        let modules: HashSet<&str> = OrderingSource::ALL.iter().map(|source| source.module()).chain(rules).collect();
        let names: HashSet<&str> = OrderingSource::ALL.iter().map(|source| source.name()).collect();
        let sources = OrderingSource::ALL.len();
        assert_eq!((modules.len(), names.len()), (sources + Rule::ALL.len(), sources));
    }

    #[test]
    fn every_file_of_sources_is_in_the_registry() {
        const HELPERS: [&str; 7] =
            ["sources.rs", "extras.rs", "network.rs", "ranks.rs", "testing.rs", "captures.rs", "refutations.rs"];
        for folder in ["history", "ordering"] {
            let path = format!("{}/src/{folder}", env!("CARGO_MANIFEST_DIR"));
            for file in std::fs::read_dir(path).expect("the folder of the sources") {
                let name = file.expect("a file").file_name().into_string().expect("an ASCII name");
                let known = HELPERS.contains(&name.as_str())
                    || !name.ends_with(".rs")
                    || OrderingSource::ALL.iter().any(|source| format!("{}.rs", source.module()) == name);
                assert!(known, "{folder}/{name} has no entry in source.rs");
            }
        }
    }
}
