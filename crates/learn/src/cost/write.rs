//! What was learned as a profile.

use quarterply_engine::rules::learned_cost::Params;
use std::fmt::Write as _;

/// A profile in TOML that switches the learned cost on; `origin` says how it was made, a line each.
pub fn profile(params: &Params, origin: &[String]) -> String {
    let mut text = String::new();
    for line in origin {
        // Writing to a string does not fail.
        let _ = writeln!(text, "# {}", line.replace(['\n', '\r'], " "));
    }
    text += "\n[learned_cost]\non = true\n";
    for spec in Params::SPECS.iter().filter(|spec| spec.name != "on") {
        let _ = writeln!(text, "{} = {}", spec.name, params.get(spec.name).unwrap_or(spec.default));
    }
    text
}
