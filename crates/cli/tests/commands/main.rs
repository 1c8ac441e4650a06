//! Every command from outside, in one program: built and linked once, and the tests of one command run beside those of another.

mod ablate;
mod bench;
mod claims;
mod compare;
mod datagen;
mod documented;
mod files;
mod games;
mod glossary;
mod help;
mod json;
mod learn;
mod mine;
mod openbench;
mod params;
mod perft;
mod positions;
mod progress;
mod python;
mod readme;
mod seeds;
mod selfplay;
mod solve;
mod stats;
mod suites;
mod train;
mod tune;
#[cfg(unix)]
mod tune_games;
mod window;

#[path = "../support/documentation.rs"]
mod documentation;
#[path = "../support/mod.rs"]
mod support;
