//! The figures for programs.

use super::{Census, Class, Cutoffs, MoveOrigin};
use quarterply_engine::search::watch::Purpose;
use quarterply_stats::wilson;
use serde_json::{Map, Value, json};

/// Everything that was counted. Shares are left to the reader, but for those of audits, which have an interval.
pub fn json(census: &Census) -> Value {
    let deep = census.deep_cuts();
    let (leaf_mean, leaf_max) = census.leaf_plies();
    json!({
        "positions": census.positions,
        "nodes": census.nodes,
        "visits": named(Class::ALL.iter().map(|class| (class.name(), json!(census.visits[*class as usize])))),
        "deep_cuts": {"cutoffs": deep.count, "first": deep.first(), "share": deep.first_share()},
        "cutoffs": named(Class::ALL.iter().map(|class| (class.name(), by_class(census, *class)))),
        "searches": named(Purpose::ALL.iter().map(|purpose| (purpose.name(), json!(census.searches(*purpose))))),
        "rules": named(census.active_rules().map(|(rule, did)| {
            let counts = json!({
                "tested": did.tested, "tried": did.tried, "attempts": did.attempts(), "applied": did.applied, "not_applied": did.not_applied(),
            });
            (rule.name(), counts)
        })),
        "costs": named(MoveOrigin::ALL.iter().map(|origin| (origin.name(), json!(census.costs[*origin as usize].as_slice())))),
        "branching": census.branching(),
        "iterations": iterations(census),
        "leaves": census.leaves[..=leaf_max],
        "leaf_ply_mean": leaf_mean,
        "leaves_quiescence": census.leaves_quiet,
        "table": census.table,
        "table_quiescence": census.table_quiet,
        "audits": audits(census),
        "audit_nodes": census.audit_nodes(),
    })
}

fn named<'a>(entries: impl Iterator<Item = (&'a str, Value)>) -> Value {
    Value::Object(entries.map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>())
}

fn by_class(census: &Census, class: Class) -> Value {
    let all = census.all_cutoffs(class);
    let last =
        (0..super::DEPTHS).rev().find(|depth| census.cutoffs(class, [*depth]).count > 0).map_or(0, |last| last + 1);
    let by_depth: Vec<Value> = (0..last)
        .map(|depth| {
            let Cutoffs { count, by_number, .. } = census.cutoffs(class, [depth]);
            json!({"depth": depth, "cutoffs": count, "first": by_number[0]})
        })
        .collect();
    json!({
        "cutoffs": all.count,
        "by_number": all.by_number,
        "number_mean": all.mean(),
        "number_root_mean_square": all.root_mean_square(),
        "by_origin": named(MoveOrigin::ALL.iter().map(|origin| (origin.name(), json!(all.by_origin[*origin as usize])))),
        "late": {"cutoffs": all.late(), "nodes": all.late_nodes, "before": all.late_before},
        "by_depth": by_depth,
    })
}

fn iterations(census: &Census) -> Vec<Value> {
    let known = census.iterations.iter().enumerate().filter(|(_, it)| it.positions > 0);
    known
        .map(|(depth, it)| {
            json!({"depth": depth, "positions": it.positions, "nodes": it.nodes, "before": it.before, "mean_factor": it.mean()})
        })
        .collect()
}

fn audits(census: &Census) -> Vec<Value> {
    let all = census.all_audits();
    all.map(|(kind, rule, audits)| {
        let found = wilson(audits.mattered, audits.audited);
        json!({
            "what": kind.name(), "rule": rule.name(), "pruned_or_reduced": audits.pruned_or_reduced, "audited": audits.audited,
            "mattered": audits.mattered, "share": found.value, "low": found.low, "high": found.high, "nodes": audits.nodes,
        })
    })
    .collect()
}
