//! One file per sub-command.

pub mod uci_check;
