//! The 18 parameters of "Optimizing Selective Search in Chess" (2010) in the order of its chromosome of 70 bits.

use super::{Dimension, Space};
use quarterply_engine::params::{ParameterError, Parameters};

/// Our name and the published greatest value; the least is always 0.
const PARAMETERS: [(&str, i32); 18] = [
    ("null_move.on", 1),
    ("null_move.reduction", 7),
    ("null_move.adaptive", 1),
    ("null_move.adaptive_depth", 7),
    ("futility.depth", 3),
    ("futility.threshold_1", 1023),
    ("futility.threshold_2", 1023),
    ("futility.threshold_3", 1023),
    ("multi_cut.on", 1),
    ("multi_cut.reduction", 7),
    ("multi_cut.depth_min", 7),
    ("multi_cut.moves", 31),
    ("multi_cut.cuts", 7),
    ("check.quarters", 4),
    ("one_reply.quarters", 4),
    ("recapture.quarters", 4),
    ("passed_pawn.quarters", 4),
    ("mate_threat.quarters", 4),
];

impl Space {
    /// The space of the paper, every value in it, around a base profile that has these rules in the paper's form.
    pub fn paper(base: &Parameters) -> Result<Space, ParameterError> {
        let dimension = |(name, max): (&str, i32)| {
            let entry = Parameters::find(name)?;
            Ok(Dimension { min: 0, max, step: 1, ..Dimension::of(&entry, base) })
        };
        Ok(Space { dimensions: PARAMETERS.into_iter().map(dimension).collect::<Result<_, _>>()? })
    }
}

#[cfg(test)]
mod tests {
    use super::super::code::bits;
    use super::*;
    use quarterply_engine::profile::builtin;

    #[test]
    fn the_chromosome_has_the_published_bits() {
        let space = Space::paper(&builtin("falcon").expect("built in")).expect("18 parameters");
        let widths: Vec<u32> = space.dimensions.iter().map(bits).collect();
        assert_eq!(widths, [1, 3, 1, 3, 2, 10, 10, 10, 1, 3, 3, 5, 3, 3, 3, 3, 3, 3]);
        assert_eq!(space.bits(), 70);
    }

    #[test]
    fn every_published_value_is_allowed_by_the_engine() {
        let base = builtin("falcon").expect("built in");
        let space = Space::paper(&base).expect("18 parameters");
        for (index, dimension) in space.dimensions.iter().enumerate() {
            for value in [dimension.min, dimension.max] {
                let mut candidate = space.start();
                candidate[index] = value;
                assert!(space.apply(&base, &candidate).is_ok(), "{} = {value}", dimension.name);
            }
        }
    }
}
