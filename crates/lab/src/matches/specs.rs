//! Players as users name them, seated for a match.

use super::journal::Entrant;
use super::plan::{Lineup, distinct};
use super::run::MatchError;
use crate::bench;
use crate::game::{Pace, Player};
use crate::players::{Kind, Seat, Spec, SpecError, Terms};
use quarterply_engine::params::Parameters;

/// Depth of the searches whose node count tells one engine from another (plies).
const SIGNATURE_DEPTH: u32 = 6;
/// Positions of these searches.
const SIGNATURE_POSITIONS: usize = 20;

/// The players of a match by their specifications.
#[derive(Clone, Debug)]
pub struct Specs {
    players: Vec<(String, Spec)>,
    terms: Terms,
}

impl Specs {
    /// Players on the same terms. Nothing is started.
    ///
    /// # Errors
    /// One of them does not exist or cannot play at this pace.
    pub fn new(specs: Vec<Spec>, terms: Terms, pace: &Pace) -> Result<Specs, SpecError> {
        specs.iter().try_for_each(|spec| spec.check(pace))?;
        let names = distinct(specs.iter().map(Spec::label));
        Ok(Specs { players: names.into_iter().zip(specs).collect(), terms })
    }

    /// What the journal says of them.
    ///
    /// # Errors
    /// A profile cannot be read.
    pub fn entrants(&self) -> Result<Vec<Entrant>, SpecError> {
        let entrant = |(name, spec): &(String, Spec)| {
            Ok(Entrant { name: name.clone(), spec: spec.to_string(), details: details(spec)? })
        };
        self.players.iter().map(entrant).collect()
    }

    /// Starts every player once, so that one that cannot play is known before the match.
    ///
    /// # Errors
    /// The name of the first that cannot be started, and the reason.
    pub fn try_out(&self) -> Result<(), MatchError> {
        for (name, spec) in &self.players {
            let failed = |reason: String| MatchError::Seat { name: name.clone(), reason };
            let mut seat = Seat::new(spec, &self.terms).map_err(|e| failed(e.to_string()))?;
            seat.start().map_err(|e| failed(e.to_string()))?;
        }
        Ok(())
    }
}

/// What decides the play of a profile beyond its name: values that differ from the default, and the nodes of some searches, which
/// change with the program.
fn details(spec: &Spec) -> Result<Vec<String>, SpecError> {
    let Kind::Profile(_) = spec.kind else { return Ok(Vec::new()) };
    let (parameters, usual) = (spec.parameters()?, Parameters::default());
    let names = Parameters::specs().map(|entry| format!("{}.{}", entry.group, entry.spec.name));
    let value = |parameters: &Parameters, name: &str| parameters.get(name).ok();
    let differs = |name: &String| value(&parameters, name) != value(&usual, name);
    let shown = |name: String| value(&parameters, &name).map(|value| format!("{name}={value}"));
    let mut details: Vec<String> = names.filter(differs).filter_map(shown).collect();
    let nodes = bench::signature(&parameters, SIGNATURE_DEPTH, SIGNATURE_POSITIONS);
    details.push(format!("signature {nodes}"));
    Ok(details)
}

impl Lineup for Specs {
    fn seat(&self, player: usize) -> Result<Box<dyn Player>, String> {
        let (name, spec) = self.players.get(player).ok_or("no such player")?;
        let seat = Seat::new(spec, &self.terms).map_err(|e| e.to_string())?;
        Ok(Box::new(seat.named(name)))
    }
}
