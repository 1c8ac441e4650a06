//! Enough evasions in quiescence.
//!
//! *Idea*: In check quiescence looks at evasions as well. Once a few were searched and one does not lose at once, quiet ones that are left
//! will hardly change whether the check was dangerous.
//! *Risk*: The only good evasion may come late in the order.
//! *Reads*: position, move order.
//! *Papers*: current practice.
//! *Measured*: not yet.

use std::fmt;

crate::reason! {
    /// searched
    searched: i32,
    /// most
    most: i32,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} searched, {} allowed", self.searched, self.most)
    }
}
