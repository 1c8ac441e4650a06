//! Built-in profiles: named settings of all parameters, run by the same node loop.

use crate::params::Parameters;

/// Names of the built-in profiles; `default` is the strongest in play.
pub const BUILTIN: &[&str] = &[
    "default",
    "tactical",
    "falcon",
    "evolved",
    "learned",
    "sex",
    "sex-two",
    "sex-layer",
    "sex-scaled",
    "realization",
    "classic",
];

/// The built-in profile called `name`, whatever its case.
pub fn builtin(name: &str) -> Option<Parameters> {
    match name.to_ascii_lowercase().as_str() {
        "default" => Some(Parameters::DEFAULT),
        "tactical" => Some(tactical()),
        "falcon" => Some(falcon()),
        "evolved" => Some(evolved()),
        "learned" => Some(learned()),
        "sex" => Some(sex()),
        "sex-two" => Some(sex_two()),
        "sex-layer" => Some(sex_layer()),
        "sex-scaled" => Some(sex_scaled()),
        "realization" => Some(realization()),
        "classic" => Some(classic()),
        _ => None,
    }
}

/// `default` with the values that it had before its moves were judged.
fn before_moves() -> Parameters {
    with(Parameters::DEFAULT, BEFORE_MOVES)
}

/// `default` with the values that its rules had before games tuned them.
pub(crate) fn before_games() -> Parameters {
    with(before_moves(), BEFORE_GAMES)
}

/// These values in place of those that are there.
fn with(mut p: Parameters, values: &[(&str, i32)]) -> Parameters {
    for (name, value) in values {
        p.set(name, *value).unwrap_or_else(|error| unreachable!("{error}"));
    }
    p
}

/// For problems and sacrifices: danger to kings weighs six times and is believed less by a second voice, moves at the root and those of its
/// side are hardly reduced, and the rest was tuned on combinations (`docs/results/tuning.md`). Solves far more than `default` and plays far worse.
fn tactical() -> Parameters {
    with(before_moves(), ON_COMBINATIONS)
}

/// `default`, but late moves are reduced by the chance that they matter, as it was learned from our own searches.
fn learned() -> Parameters {
    let mut p = Parameters::DEFAULT;
    p.learned_cost.on = true;
    p
}

/// Every rule off: the textbook, with moves in the usual order.
fn classic() -> Parameters {
    let mut p = before_games();
    p.switch_all_off();
    p
}

/// What engines had before they became selective: table, aspiration windows, quiescence by exchange values.
fn older() -> Parameters {
    let mut p = classic();
    p.table.on = true;
    p.table.slack = 0;
    p.mate_distance.on = true;
    p.aspiration.on = true;
    p.quiescence.delta = true;
    p.quiescence.see = true;
    p
}

/// The rules of the 2010 paper only: null move, futility at depths 1 to 3, multi-cut, five extensions in quarter plies, internal
/// iterative deepening, history and killers, table; no reductions by move number.
fn falcon() -> Parameters {
    let mut p = older();
    p.explosion.on = true;
    p.iterative_deepening.on = true;
    p.null_move.on = true;
    p.null_move.adaptive = true;
    p.futility.on = true;
    p.multi_cut.on = true;
    p.multi_cut.by_kind = true;
    p.multi_cut.by_table = true;
    const THREE_QUARTERS: i32 = 3;
    p.check.on = true;
    p.check.quarters = THREE_QUARTERS;
    p.one_reply.on = true;
    p.one_reply.quarters = THREE_QUARTERS;
    p.recapture.on = true;
    p.recapture.quarters = 2;
    p.recapture.pv_only = false;
    p.passed_pawn.on = true;
    p.passed_pawn.quarters = THREE_QUARTERS;
    p.mate_threat.on = true;
    p.mate_threat.quarters = THREE_QUARTERS;
    p
}

/// Search by interestingness (1989): moves are priced by their kind, and nothing else extends, reduces or prunes, but for what every
/// engine of the time had: table, aspiration windows, quiescence by exchange values.
fn sex() -> Parameters {
    let mut p = older();
    p.sex.on = true;
    p.sex.glance = true;
    p.ladder.middle = true;
    p
}

/// The same with a budget for each side: dull moves of the defender do not end the attacker's line.
fn sex_two() -> Parameters {
    let mut p = sex();
    p.budget.separate = true;
    p
}

/// The same, but what both have left together counts; beyond it a side that has something of its own goes on with forcing moves alone.
fn sex_layer() -> Parameters {
    const MEAN: i32 = 512;
    let mut p = sex_two();
    p.budget.theta = MEAN;
    p.attack_layer.on = true;
    p
}

/// `sex` with quiet moves that cost more the deeper the search, as reductions by move number do today, and a null move.
fn sex_scaled() -> Parameters {
    const HALF: i32 = 50;
    let mut p = sex();
    p.sex.growth = HALF;
    p.null_move.on = true;
    p.null_move.adaptive = true;
    p
}

/// Realization probability: moves are priced by their chance to be played in our own games, and near the leaves late ones are reduced;
/// nothing else is selective, but for a null move and what every engine has.
fn realization() -> Parameters {
    let mut p = older();
    p.realization.on = true;
    p.realization.softmax = true;
    p.sex.glance = true; // for chances by kind
    p.late_move_reduction.on = true;
    p.ladder.middle = true;
    p.null_move.on = true;
    p.null_move.adaptive = true;
    p
}

/// `falcon` with the 18 values that the genetic algorithm of that paper found here, from random ones, on 879 tactical positions:
/// `data/runs/paper`, figures in `docs/results/tuning.md`.
fn evolved() -> Parameters {
    with(falcon(), EVOLVED)
}

/// What moves judged by longer searches changed in `default` (`docs/results/tuning.md`), as it was: what was found before stands on it.
const BEFORE_MOVES: &[(&str, i32)] = &[
    ("aspiration.growth", 160),
    ("aspiration.high_reduction", 512),
    ("aspiration.width", 20),
    ("butterfly.weight", 104),
    ("capture_history.weight", 10),
    ("check.cut_share", 100),
    ("continuation.four", 32),
    ("continuation.one", 128),
    ("continuation.six", 32),
    ("continuation.two", 64),
    ("correction.minor_weight", 72),
    ("correction.move_weight", 16),
    ("correction.pawn_weight", 16),
    ("correction.rate", 11),
    ("correction.step_max", 256),
    ("countermove.bonus", 16000),
    ("exchange_order.good_divisor", 32),
    ("futility.base", 30),
    ("futility.depth_max", 10),
    ("futility.history_divisor", 224),
    ("hindsight.deeper", 1024),
    ("hindsight.deeper_reduction_min", 2048),
    ("hindsight.shallower", 1024),
    ("hindsight.shallower_margin", 190),
    ("hindsight.shallower_reduction_min", 2048),
    ("history.bonus_max", 1250),
    ("history.capture_share", 100),
    ("history.excess", 0),
    ("history.malus_fade", 0),
    ("history.malus_max", 1200),
    ("history.malus_slope", 200),
    ("history.pawn_share", 100),
    ("history_pruning.depth_max", 4),
    ("history_pruning.slope", 5000),
    ("iterative_reduction.cut", 640),
    ("iterative_reduction.depth_min", 4),
    ("iterative_reduction.pv", 1152),
    ("killers.earlier", 24000),
    ("killers.latest", 32000),
    ("ladder.deeper", 512),
    ("ladder.deeper_margin", 40),
    ("ladder.shallower", 512),
    ("ladder.shallower_margin", 8),
    ("late_move_pruning.depth_max", 8),
    ("late_move_pruning.slope", 40),
    ("late_move_pruning.worsening", 65),
    ("late_move_reduction.check", 1472),
    ("late_move_reduction.cut", 1024),
    ("late_move_reduction.cutoffs", 896),
    ("late_move_reduction.evasion", 384),
    ("late_move_reduction.fallen_pv", 0),
    ("late_move_reduction.floor", 1024),
    ("late_move_reduction.history_divisor", 17920),
    ("late_move_reduction.missing", 0),
    ("late_move_reduction.noisy_base", 160),
    ("late_move_reduction.noisy_divisor", 3584),
    ("late_move_reduction.noisy_history_divisor", 12800),
    ("late_move_reduction.noisy_table_move", 1024),
    ("late_move_reduction.own", 512),
    ("late_move_reduction.own_slope", 72),
    ("late_move_reduction.pv", 1600),
    ("late_move_reduction.quiet_base", 704),
    ("late_move_reduction.quiet_divisor", 1984),
    ("late_move_reduction.raised", 192),
    ("late_move_reduction.refuter", 640),
    ("late_move_reduction.root", 1280),
    ("late_move_reduction.root_slope", 192),
    ("late_move_reduction.stands_out", 32),
    ("late_move_reduction.uncertain", 704),
    ("late_move_reduction.was_pv", 576),
    ("late_move_reduction.worsening", 768),
    ("null_move.base", 2944),
    ("null_move.lead_divisor", 200),
    ("null_move.lead_max", 3072),
    ("null_move.margin_base", -70),
    ("null_move.slope", 400),
    ("null_move.verify_depth_min", 12),
    ("one_reply.quarters", 2),
    ("pawn_history.weight", 64),
    ("probcut.improving", 50),
    ("probcut.margin", 120),
    ("probcut.reduction", 3840),
    ("quiescence.blend", 4),
    ("quiescence.delta_margin", 260),
    ("quiescence.narrow_max", 4),
    ("quiescence.narrow_plies", 2),
    ("quiescence.recapture_plies", 6),
    ("quiescence.see_min", 30),
    ("quiet_checks.bonus", 8000),
    ("reverse_futility.depth_max", 8),
    ("reverse_futility.history", 0),
    ("reverse_futility.slope", 55),
    ("reverse_futility.uncertain", 50),
    ("see_pruning.check_margin", 160),
    ("see_pruning.noisy_history", 0),
    ("see_pruning.quiet_depth_max", 8),
    ("see_pruning.quiet_history", 0),
    ("see_pruning.quiet_slope", 34),
    ("singular.depth_share", 50),
    ("singular.double", 1024),
    ("singular.double_margin", 20),
    ("singular.margin_slope", 33),
    ("singular.negative", 1792),
    ("singular.negative_cut", 1024),
    ("singular.triple", 512),
    ("table.reward", 100),
    ("table.slack", 704),
];

/// What combinations changed from `default`: `data/runs/tactical-factorial`, then `tactical-voices`, then `tactical-both`.
const ON_COMBINATIONS: &[(&str, i32)] = &[
    ("aspiration.width", 14),
    ("consultation.on", 1),
    ("consultation.danger", 30),
    ("consultation.depth_bonus", 80),
    ("consultation.rise", 40),
    ("consultation.held_bonus", 16),
    ("ladder.deeper_margin", 55),
    ("quiescence.delta_margin", 300),
    ("quiescence.checks_plies", 3),
    ("quiescence.narrow_max", 6),
    ("table.slack", 512),
    ("iterative_reduction.pv", 1152),
    ("iterative_reduction.cut", 128),
    ("hindsight.deeper", 1152),
    ("hindsight.shallower_margin", 250),
    ("reverse_futility.depth_max", 7),
    ("reverse_futility.slope", 165),
    ("reverse_futility.improving", 40),
    ("null_move.base", 6016),
    ("null_move.lead_divisor", 140),
    ("null_move.margin_base", -40),
    ("probcut.on", 0),
    ("futility.base", 20),
    ("futility.slope", 200),
    ("late_move_pruning.depth_max", 7),
    ("late_move_pruning.base", 44),
    ("late_move_pruning.slope", 22),
    ("history_pruning.on", 0),
    ("see_pruning.quiet_slope", 138),
    ("late_move_reduction.quiet_base", 64),
    ("late_move_reduction.quiet_divisor", 2560),
    ("late_move_reduction.noisy_base", -512),
    ("late_move_reduction.noisy_divisor", 3456),
    ("late_move_reduction.pv", 0),
    ("late_move_reduction.was_pv", 512),
    ("late_move_reduction.cut", 832),
    ("late_move_reduction.worsening", 576),
    ("late_move_reduction.check", 2048),
    ("late_move_reduction.evasion", 640),
    ("late_move_reduction.refuter", 320),
    ("late_move_reduction.history_divisor", 17408),
    ("late_move_reduction.cutoffs", 1664),
    ("late_move_reduction.raised", 448),
    ("late_move_reduction.root", 2304),
    ("late_move_reduction.own", 1024),
    ("late_move_reduction.root_slope", 0),
    ("late_move_reduction.own_slope", 0),
    ("singular.depth_min", 4),
    ("singular.margin_slope", 29),
    ("singular.double_margin", 30),
    ("singular.triple", 128),
    ("singular.negative", 1920),
    ("check.quarters", 4),
    ("check.losing_share", 30),
    ("one_reply.quarters", 3),
    ("in_check.on", 1),
    ("in_check.quarters", 1),
    ("mate_threat.quarters", 0),
    ("continuation.two", 48),
    ("pawn_history.weight", 80),
    ("relative_history.on", 1),
    ("low_ply_history.on", 1),
    ("last_moved.on", 1),
    ("piece_square.on", 1),
    ("evaluation.king_danger", 600),
    ("evaluation.king_shelter", 300),
    ("evaluation.mobility", 90),
    ("evaluation.threats", 110),
    ("evaluation.passed_pawns", 220),
    ("evaluation.tempo", 160),
    ("network.classical", 45),
    ("network.tempo", -20),
    ("correction.pawn_weight", 80),
    ("see_pruning.noisy_slope", 90),
    ("null_move.slope", 272),
    ("history.malus_slope", 160),
    ("quiescence.evasions_max", 3),
    ("late_move_pruning.worsening", 70),
    ("hindsight.deeper_reduction_min", 3072),
    ("butterfly.weight", 96),
    ("capture_history.weight", 14),
    ("continuation.one", 136),
    ("correction.minor_weight", 48),
    ("correction.move_weight", 24),
    ("correction.rate", 16),
    ("futility.depth_max", 8),
    ("futility.history_divisor", 256),
    ("history.bonus_max", 1450),
    ("history.bonus_slope", 150),
    ("history_pruning.base", 2250),
    ("late_move_reduction.noisy_history_divisor", 12288),
    ("late_move_reduction.noisy_table_move", 768),
    ("late_move_reduction.stands_out", 0),
    ("late_move_reduction.uncertain", 512),
    ("network.size", 100),
    ("probcut.margin", 130),
    ("probcut.reduction", 4096),
    ("quiescence.see_min", 50),
    ("see_pruning.check_margin", 100),
];

/// What games changed or accepted (`docs/results/tuning.md`), as it was: profiles of papers search as
/// they did, and tests whose positions were chosen for these values.
const BEFORE_GAMES: &[(&str, i32)] = &[
    ("aspiration.width", 16),
    ("upcoming_repetition.on", 0),
    ("quiescence.blend", 8),
    ("quiescence.checks_plies", 1),
    ("quiescence.delta_margin", 180),
    ("quiescence.see_min", 0),
    ("iterative_reduction.cut", 1024),
    ("reverse_futility.slope", 80),
    ("reverse_futility.improving", 70),
    ("razoring.on", 1),
    ("razoring.slope", 180),
    ("null_move.base", 3072),
    ("null_move.slope", 256),
    ("null_move.lead_divisor", 200),
    ("null_move.margin_base", 0),
    ("null_move.margin_slope", 0),
    ("probcut.margin", 190),
    ("futility.base", 90),
    ("futility.slope", 100),
    ("late_move_pruning.base", 48),
    ("late_move_pruning.slope", 16),
    ("late_move_pruning.worsening", 50),
    ("history_pruning.base", 2000),
    ("see_pruning.quiet_slope", 24),
    ("late_move_reduction.quiet_base", 896),
    ("late_move_reduction.quiet_divisor", 2400),
    ("late_move_reduction.noisy_base", 0),
    ("late_move_reduction.noisy_divisor", 3400),
    ("late_move_reduction.check", 1024),
    ("late_move_reduction.root", 0),
    ("late_move_reduction.own", 0),
    ("late_move_reduction.root_slope", 0),
    ("late_move_reduction.own_slope", 0),
    ("late_move_reduction.pv", 1024),
    ("late_move_reduction.was_pv", 512),
    ("late_move_reduction.cut", 1280),
    ("late_move_reduction.worsening", 512),
    ("late_move_reduction.refuter", 1024),
    ("late_move_reduction.history_divisor", 16384),
    ("late_move_reduction.cutoffs", 768),
    ("late_move_reduction.raised", 512),
    ("singular.depth_min", 6),
    ("singular.margin_slope", 20),
    ("singular.double_margin", 18),
    ("butterfly.threats", 0),
    ("butterfly.weight", 128),
    ("continuation.one", 128),
    ("continuation.two", 64),
    ("continuation.six", 0),
    ("capture_history.weight", 16),
    ("history.bonus_max", 1600),
    ("history.malus_slope", 150),
    ("history.malus_max", 1400),
    ("correction.pawn_weight", 64),
    ("correction.move_weight", 48),
    ("correction.two_weight", 0),
    ("see_pruning.noisy_slope", 90),
    ("quiescence.evasions_max", 3),
    ("table.slack", 768),
    ("pawn_history.weight", 64),
    ("hindsight.deeper_reduction_min", 3072),
    ("evaluation.king_danger", 100),
    ("correction.minor_weight", 48),
    ("correction.rate", 16),
    ("evaluation.mobility", 100),
    ("evaluation.threats", 100),
    ("futility.depth_max", 8),
    ("futility.history_divisor", 256),
    ("hindsight.shallower_margin", 160),
    ("history.bonus_slope", 150),
    ("iterative_reduction.pv", 1024),
    ("ladder.deeper_margin", 60),
    ("late_move_reduction.evasion", 512),
    ("late_move_reduction.noisy_history_divisor", 12288),
    ("late_move_reduction.noisy_table_move", 768),
    ("late_move_reduction.stands_out", 0),
    ("late_move_reduction.uncertain", 512),
    ("network.classical", 50),
    ("network.size", 100),
    ("probcut.reduction", 4096),
    ("see_pruning.check_margin", 100),
    ("singular.negative", 1536),
];

/// What the run found, in the order of its chromosome.
const EVOLVED: &[(&str, i32)] = &[
    ("null_move.on", 1),
    ("null_move.reduction", 5),
    ("null_move.adaptive", 1),
    ("null_move.adaptive_depth", 1),
    ("futility.depth", 3),
    ("futility.threshold_1", 467),
    ("futility.threshold_2", 617),
    ("futility.threshold_3", 917),
    ("multi_cut.on", 1),
    ("multi_cut.reduction", 5),
    ("multi_cut.depth_min", 5),
    ("multi_cut.moves", 24),
    ("multi_cut.cuts", 5),
    ("check.quarters", 4),
    ("one_reply.quarters", 4),
    ("recapture.quarters", 3),
    ("passed_pawn.quarters", 0),
    ("mate_threat.quarters", 2),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ordering::sources::Source;

    #[test]
    fn every_name_is_a_profile() {
        for name in BUILTIN {
            assert!(builtin(name).is_some() && builtin(&name.to_uppercase()).is_some(), "{name}");
        }
        assert_eq!(builtin("default"), Some(Parameters::default()));
        assert!(builtin("none such").is_none());
    }

    #[test]
    fn the_textbook_has_no_switch_on_but_those_of_move_order() {
        let (mut classic, before) = (classic(), before_games());
        let switches = || Parameters::specs().filter(|e| e.spec.kind == crate::params::Kind::Switch);
        let ordering = |group: &str| Source::ALL.iter().any(|source| source.module() == group);
        for entry in switches() {
            let expected = if ordering(entry.group) { before.get(&entry.name) } else { Ok(0) };
            assert_eq!(classic.get(&entry.name), expected, "{}", entry.name);
        }
        classic.switch_ordering_off();
        assert!(Source::ALL.iter().all(|source| classic.get(source.switch()) == Ok(0)));
    }
}
