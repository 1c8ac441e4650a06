//! Which evaluation is used: the value of the option `EvalFile`.

use super::{BUCKETS, FACTS_MAX, INPUTS, NEURONS_MAX, Network, NetworkError, SIDES};
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::sync::{Arc, LazyLock};
use thiserror::Error;

/// The name of the option.
pub const OPTION: &str = "EvalFile";
/// The name of the default evaluation.
pub const DEFAULT: &str = "<default>";
/// The name of the classical terms.
pub const CLASSICAL: &str = "<classical>";

/// More bytes than the largest network has.
const FILE_MAX: usize =
    (INPUTS + 1 + SIDES * BUCKETS[BUCKETS.len() - 1]) * NEURONS_MAX * size_of::<i16>() + 2 * FACTS_MAX;

/// The file of the network that is part of the program. `docs/results/network.md` describes how it was made.
static BUILT_IN: &[u8] = include_bytes!("built-in.nnue");

static BUILT_IN_NETWORK: LazyLock<Option<Arc<Network>>> = LazyLock::new(|| Network::read(BUILT_IN).ok().map(Arc::new));

/// Where static evaluations come from.
#[derive(Clone, Default, Debug)]
pub enum EvalFile {
    /// The network that is part of the program.
    #[default]
    Default,
    /// The classical terms.
    Classical,
    /// A network.
    Network {
        /// The file it was read from.
        path: Arc<str>,
        /// The network.
        network: Arc<Network>,
    },
}

/// Equal are those that give equal values, whatever the name of the file.
impl PartialEq for EvalFile {
    fn eq(&self, other: &EvalFile) -> bool {
        match (self, other) {
            (EvalFile::Default, EvalFile::Default) | (EvalFile::Classical, EvalFile::Classical) => true,
            (EvalFile::Network { network: one, .. }, EvalFile::Network { network: other, .. }) => one == other,
            _ => false,
        }
    }
}

impl Eq for EvalFile {}

/// The option's value that means it.
impl fmt::Display for EvalFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EvalFile::Default => DEFAULT,
            EvalFile::Classical => CLASSICAL,
            EvalFile::Network { path, .. } => path,
        })
    }
}

/// Why a file gave no network.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum EvalFileError {
    #[error("cannot read `{path}`: {reason}; give the path of a network, {DEFAULT} or {CLASSICAL}")]
    Io { path: String, reason: io::Error },
    #[error("cannot read `{path}`: {fault}")]
    Network { path: String, fault: NetworkError },
}

impl EvalFile {
    /// The evaluation for a value of the option: [`DEFAULT`] or nothing, [`CLASSICAL`], or the path of a network, which is read.
    ///
    /// # Errors
    /// [`EvalFileError`], with the name of the file.
    pub fn open(text: &str) -> Result<EvalFile, EvalFileError> {
        match text.trim() {
            "" | DEFAULT => Ok(EvalFile::Default),
            CLASSICAL => Ok(EvalFile::Classical),
            path => Ok(EvalFile::Network { path: path.into(), network: Arc::new(read(path)?) }),
        }
    }

    /// The network, if it is one.
    pub fn network(&self) -> Option<Arc<Network>> {
        match self {
            EvalFile::Default => BUILT_IN_NETWORK.clone(),
            EvalFile::Classical => None,
            EvalFile::Network { network, .. } => Some(Arc::clone(network)),
        }
    }

    /// The share of the classical evaluation that the network was trained with (percent). `None` without a network, and with one whose
    /// file does not store the share.
    pub fn share(&self) -> Option<i32> {
        self.network()?.classical_share()
    }

    /// The option's value as an absolute path, for files that are read from other directories; `None` for the default.
    pub fn kept(&self) -> Option<String> {
        match self {
            EvalFile::Default => None,
            EvalFile::Classical => Some(CLASSICAL.to_owned()),
            EvalFile::Network { path, .. } => {
                Some(std::path::absolute(&**path).map_or_else(|_| path.to_string(), |path| path.display().to_string()))
            }
        }
    }

    /// The name of the network, which depends on every number in it, or `classical`: equal identities give equal values.
    pub fn identity(&self) -> String {
        self.network().map_or_else(|| "classical".to_owned(), |network| network.name())
    }
}

fn read(path: &str) -> Result<Network, EvalFileError> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(FILE_MAX as u64).read_to_end(&mut bytes))
        .map_err(|reason| EvalFileError::Io { path: path.to_owned(), reason })?;
    Network::read(&bytes).map_err(|fault| EvalFileError::Network { path: path.to_owned(), fault })
}

#[cfg(test)]
mod tests {
    use super::super::tests::random;
    use super::*;

    #[test]
    fn the_built_in_network_is_whole_or_there_is_none() {
        assert!(BUILT_IN.is_empty() || Network::read(BUILT_IN).is_ok());
        assert_eq!(EvalFile::Default.network().is_some(), !BUILT_IN.is_empty());
    }

    /// The default is the share of the built-in network, so that nothing changes where nothing was set.
    #[test]
    fn the_default_share_is_that_of_the_built_in_network() {
        if !BUILT_IN.is_empty() {
            assert_eq!(EvalFile::Default.share(), Some(super::super::Params::DEFAULT.classical));
        }
        assert_eq!(EvalFile::Classical.share(), None);
    }

    #[test]
    fn names_and_files_are_distinguished() {
        for (text, expected) in
            [("", EvalFile::Default), ("<default>", EvalFile::Default), (" <classical> ", EvalFile::Classical)]
        {
            let choice = EvalFile::open(text).expect(text);
            assert_eq!(choice, expected, "{text:?}");
            assert_eq!(EvalFile::open(&choice.to_string()).expect("its own name"), expected);
        }
        assert_eq!(EvalFile::Classical.identity(), "classical");
        assert_eq!((EvalFile::Default.kept(), EvalFile::Classical.kept().as_deref()), (None, Some(CLASSICAL)));
    }

    #[test]
    fn the_largest_network_is_read_whole_and_no_more_than_that() {
        let parts = super::super::Parts { facts: "x".repeat(FACTS_MAX), ..random(NEURONS_MAX, 8, 1) };
        let length = Network::new(&parts).expect("it fits").encode().len();
        assert!((length..length + 2 * FACTS_MAX).contains(&FILE_MAX), "{length} {FILE_MAX}");
    }

    #[test]
    fn a_file_that_is_none_is_named() {
        let missing = EvalFile::open("/no/such/file.nnue").expect_err("there is none").to_string();
        assert!(
            missing.starts_with("cannot read `/no/such/file.nnue`: ") && missing.contains("<classical>"),
            "{missing}"
        );
        let foreign =
            EvalFile::open(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).expect_err("a text").to_string();
        assert!(
            foreign.contains("Cargo.toml`: not a Quarterply network") && foreign.contains("`[package`"),
            "{foreign}"
        );
    }

    #[test]
    fn networks_are_equal_if_their_contents_are() {
        let choice = |path: &str, seed| EvalFile::Network {
            path: path.into(),
            network: Arc::new(Network::new(&random(32, 1, seed)).expect("it fits")),
        };
        assert_eq!(choice("a", 1), choice("b", 1));
        assert_ne!(choice("a", 1), choice("a", 2));
        assert_ne!(choice("a", 1).identity(), choice("a", 2).identity());
        assert_ne!(choice("a", 1), EvalFile::Default);
    }
}
