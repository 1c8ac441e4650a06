//! The figures as tables of text, for the terminal and the page.

use super::{AuditCounts, COSTS, Census, Class, Cutoffs, DEEP, DEPTHS, EIGHTHS, MoveOrigin, Probes, RuleCounts, share};
use quarterply_engine::rules::Rule;
use quarterply_engine::search::watch::{PruningKind, Purpose};
use quarterply_engine::words::grouped;
use quarterply_files::pages::number::{decimal, nodes, percent};
use quarterply_stats::wilson;
use std::ops::RangeInclusive;

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CensusTable {
    /// Its title.
    pub title: &'static str,
    /// The meaning of its columns.
    pub note: String,
    /// The names of the columns; all but the first hold numbers.
    pub header: Vec<&'static str>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

/// Depths in one row, from the first row that holds several on.
const DEPTH_ROWS: [RangeInclusive<usize>; 3] = [12..=15, 16..=19, 20..=DEPTHS - 1];
/// Columns of the numbers of moves.
const NUMBER_COLUMNS: [(&str, RangeInclusive<usize>); 5] =
    [("1st", 1..=1), ("2nd", 2..=2), ("3rd", 3..=3), ("4-7", 4..=7), ("8+", 8..=usize::MAX)];
/// Plies in one row of leaves.
const PLY_STEP: usize = 5;
const NOTHING: &str = "-";
const PERCENT: f64 = 100.0;

/// Names and values of the main figures.
pub fn facts(census: &Census) -> Vec<(&'static str, String)> {
    let deep = census.deep_cuts();
    let (mean, last) = census.leaf_plies();
    let quiet = census.visits[Class::Quiescence as usize];
    let leaves: u64 = census.leaves.iter().sum();
    vec![
        ("positions", grouped(census.positions)),
        ("nodes (moves made)", grouped(census.nodes)),
        ("visits of nodes", grouped(census.all_visits())),
        ("of these in quiescence", of(share(quiet, census.all_visits()))),
        ("cut nodes of depth 4 and more: first move", first(&deep)),
        ("number of the move that cuts there", numbers(&deep)),
        ("branching factor, from iteration 5 on", number(census.branching())),
        ("ply of leaves: mean, greatest", format!("{}, {last}", number(mean))),
        ("leaves in quiescence", of(share(census.leaves_quiet, leaves))),
        ("moves made in audits, not counted", grouped(census.audit_nodes())),
    ]
}

/// Every table that has rows.
pub fn tables(census: &Census) -> Vec<CensusTable> {
    let all = [
        by_depth(census),
        by_number(census),
        by_origin(census),
        late(census),
        costs(census),
        ladder(census),
        rules(census),
        iterations(census),
        leaves(census),
        table(census),
        audits(census),
    ];
    all.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

fn of(share: Option<f64>) -> String {
    share.map_or_else(|| NOTHING.to_owned(), percent)
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| NOTHING.to_owned(), |value| decimal(value, 2))
}

fn first(cutoffs: &Cutoffs) -> String {
    let found = wilson(cutoffs.first(), cutoffs.count);
    format!("{} ({} .. {})", of(cutoffs.first_share()), percent(found.low), percent(found.high))
}

fn numbers(cutoffs: &Cutoffs) -> String {
    format!("mean {}, root mean square {}", number(cutoffs.mean()), number(cutoffs.root_mean_square()))
}

fn by_depth(census: &Census) -> CensusTable {
    const CLASSES: [Class; 4] = [Class::Cut, Class::All, Class::Pv, Class::Excluded];
    let single = (0..*DEPTH_ROWS[0].start()).map(|depth| depth..=depth);
    let row = |depths: RangeInclusive<usize>| {
        let name = match (depths.start(), depths.end()) {
            (from, to) if from == to => from.to_string(),
            (from, to) if *to == DEPTHS - 1 => format!("{from}+"),
            (from, to) => format!("{from}-{to}"),
        };
        let cutoffs = CLASSES.map(|class| census.cutoffs(class, depths.clone()));
        let share =
            |c: &Cutoffs| c.first_share().map_or_else(|| NOTHING.to_owned(), |share| decimal(share * PERCENT, 1));
        let cells = cutoffs.iter().flat_map(|c| [nodes(c.count as f64), share(c)]);
        cutoffs.iter().any(|c| c.count > 0).then(|| [name].into_iter().chain(cells).collect())
    };
    CensusTable {
        title: "Cutoffs by the first move searched",
        note: format!(
            "Number of cutoffs, and the share of them by the first move, by the expected type of the node and its \
             depth in plies; `singular`: searched without its table move. At cut nodes of {DEEP} plies and more: {}.",
            first(&census.deep_cuts())
        ),
        header: vec!["depth", "cut", "1st %", "all", "1st %", "pv", "1st %", "singular", "1st %"],
        rows: single.chain(DEPTH_ROWS).filter_map(row).collect(),
    }
}

fn by_number(census: &Census) -> CensusTable {
    let row = |class: &Class| {
        let cutoffs = census.all_cutoffs(*class);
        let within = |range: &RangeInclusive<usize>| -> u64 {
            (1..).zip(&cutoffs.by_number).filter(|(number, _)| range.contains(number)).map(|(_, count)| count).sum()
        };
        let columns = NUMBER_COLUMNS.iter().map(|(_, range)| of(share(within(range), cutoffs.count)));
        let ends = [number(cutoffs.mean()), number(cutoffs.root_mean_square())];
        let begin = [class.name().to_owned(), nodes(cutoffs.count as f64)];
        (cutoffs.count > 0).then(|| begin.into_iter().chain(columns).chain(ends).collect())
    };
    let mut header = vec!["node", "cutoffs"];
    header.extend(NUMBER_COLUMNS.map(|(name, _)| name));
    header.extend(["mean", "rms"]);
    CensusTable {
        title: "Which move cuts",
        note: "Shares of the cutoffs by the number of the move that cut, among the searched moves of its node; \
               mean, and rms (root mean square), of that number."
            .to_owned(),
        header,
        rows: Class::ALL.iter().filter_map(row).collect(),
    }
}

fn by_origin(census: &Census) -> CensusTable {
    let classes: Vec<(Class, Cutoffs)> = Class::ALL.iter().map(|class| (*class, census.all_cutoffs(*class))).collect();
    let row = |origin: &MoveOrigin| {
        let cells = classes.iter().map(|(_, cutoffs)| of(share(cutoffs.by_origin[*origin as usize], cutoffs.count)));
        [origin.name().to_owned()].into_iter().chain(cells).collect()
    };
    let any = classes.iter().any(|(_, cutoffs)| cutoffs.count > 0);
    CensusTable {
        title: "Where the move that cuts comes from",
        note: "Share of the cutoffs of each kind of node, by the source of the move that cut.".to_owned(),
        header: ["stage"].into_iter().chain(classes.iter().map(|(class, _)| class.name())).collect(),
        rows: if any { MoveOrigin::ALL.iter().map(row).collect() } else { Vec::new() },
    }
}

fn late(census: &Census) -> CensusTable {
    let row = |class: &Class| {
        let cutoffs = census.all_cutoffs(*class);
        let mean = share(cutoffs.late_before, cutoffs.late());
        (cutoffs.late() > 0).then(|| {
            vec![
                class.name().to_owned(),
                grouped(cutoffs.late()),
                mean.map_or_else(|| NOTHING.to_owned(), |mean| decimal(mean, 1)),
                of(share(cutoffs.late_before, cutoffs.late_nodes)),
            ]
        })
    };
    CensusTable {
        title: "Cost of cutoffs after the first move",
        note: "Nodes before: mean number of nodes below the moves before the one that cut; share: of all nodes \
               below the moves of such a node."
            .to_owned(),
        header: vec!["node", "cutoffs by a later move", "nodes before", "share"],
        rows: Class::ALL.iter().filter_map(row).collect(),
    }
}

fn costs(census: &Census) -> CensusTable {
    let sums = MoveOrigin::ALL.iter().map(|origin| census.costs[*origin as usize].iter().sum()).collect::<Vec<u64>>();
    let row = |cost: usize| {
        let counts = MoveOrigin::ALL.iter().map(|origin| census.costs[*origin as usize][cost]);
        let shares = counts.clone().zip(&sums).map(|(count, sum)| of(share(count, *sum)));
        let more = if cost + 1 == COSTS { "+" } else { "" };
        let name = format!("{}{more}", decimal(cost as f64 / f64::from(EIGHTHS), 3));
        (counts.sum::<u64>() > 0).then(|| [name].into_iter().chain(shares).collect())
    };
    CensusTable {
        title: "What moves cost",
        note: "Share of the moves of each stage whose first search cost this number of plies, in steps of an eighth: the table's move, captures \
               that lose nothing, killers and countermoves, other quiet moves, losing captures."
            .to_owned(),
        header: ["plies"].into_iter().chain(MoveOrigin::ALL.iter().map(|origin| origin.short())).collect(),
        rows: (0..COSTS).filter_map(row).collect(),
    }
}

fn ladder(census: &Census) -> CensusTable {
    const RUNGS: [Purpose; 6] = [
        Purpose::First,
        Purpose::NullWindow,
        Purpose::Reduced,
        Purpose::ReSearchMiddle,
        Purpose::ReSearchFull,
        Purpose::ReSearchOpen,
    ];
    let row = |purpose: Purpose| {
        let searches = census.searches(purpose);
        let cells = [grouped(searches.made), grouped(searches.above), of(share(searches.above, searches.made))];
        (searches.made > 0).then(|| [purpose.name().to_owned()].into_iter().chain(cells).collect())
    };
    let again = census.searches(Purpose::Reduced);
    CensusTable {
        title: "Searches of moves, and how many beat alpha",
        note: format!(
            "A reduced search that beats alpha is repeated deeper ({} of them), a null-window search that beats alpha with an open \
             window.",
            of(share(again.above, again.made))
        ),
        header: vec!["search", "made", "beat alpha", "share"],
        rows: RUNGS.into_iter().filter_map(row).collect(),
    }
}

fn rules(census: &Census) -> CensusTable {
    let row = |(rule, did): (Rule, RuleCounts)| {
        vec![
            rule.name().to_owned(),
            nodes(did.attempts() as f64),
            nodes(did.applied as f64),
            nodes(did.not_applied() as f64),
            of(share(did.applied, did.attempts())),
        ]
    };
    CensusTable {
        title: "Attempts and decisions of rules",
        note: "Attempts: the number of decisions of a rule; for a rule with a search, the number of nodes at which it searched.".to_owned(),
        header: vec!["rule", "attempts", "applied", "not applied", "share"],
        rows: census.active_rules().map(row).collect(),
    }
}

fn iterations(census: &Census) -> CensusTable {
    let row = |(depth, it): (usize, &super::Iterations)| {
        let factors = [decimal(it.factor().unwrap_or(f64::NAN), 2), decimal(it.mean().unwrap_or(f64::NAN), 2)];
        let cells = [depth.to_string(), it.positions.to_string(), nodes(it.nodes as f64)];
        census.is_common(it).then(|| cells.into_iter().chain(factors).collect())
    };
    CensusTable {
        title: "Branching factor by iteration",
        note: "Factor: nodes of an iteration divided by those of the previous one, summed over the positions that \
               finished both; mean factor: geometric mean over these positions. Iterations that fewer than a quarter \
               of the positions finished are left out."
            .to_owned(),
        header: vec!["depth", "positions", "nodes", "factor", "mean factor"],
        rows: census.iterations.iter().enumerate().filter_map(row).collect(),
    }
}

fn leaves(census: &Census) -> CensusTable {
    let all: u64 = census.leaves.iter().sum();
    let mut sum = 0;
    let row = |(index, counts): (usize, &[u64])| {
        let count: u64 = counts.iter().sum();
        sum += count;
        let from = index * PLY_STEP;
        let name = format!("{from}-{}", from + PLY_STEP - 1);
        (count > 0).then(|| vec![name, grouped(count), of(share(count, all)), of(share(sum, all))])
    };
    CensusTable {
        title: "Where lines end",
        note: "Visits that entered no other node, by their distance from the root.".to_owned(),
        header: vec!["ply", "leaves", "share", "cumulative"],
        rows: census.leaves.chunks(PLY_STEP).enumerate().filter_map(row).collect(),
    }
}

fn table(census: &Census) -> CensusTable {
    let row = |(name, probes): (&str, Probes)| {
        let shares = [probes.hits, probes.moves, probes.cutoffs].map(|count| of(share(count, probes.made)));
        (probes.made > 0).then(|| [name.to_owned(), grouped(probes.made)].into_iter().chain(shares).collect())
    };
    CensusTable {
        title: "The transposition table",
        note: "Share of the probes that found the position, found a move, and ended the node.".to_owned(),
        header: vec!["where", "probes", "hits", "with a move", "cutoffs"],
        rows: [("node loop", census.table), ("quiescence", census.table_quiet)].into_iter().filter_map(row).collect(),
    }
}

fn audits(census: &Census) -> CensusTable {
    let row = |(kind, rule, audits): (PruningKind, Rule, AuditCounts)| {
        let found = wilson(audits.mattered, audits.audited);
        let text = |value: f64| decimal(value * PERCENT, 2);
        let interval = if audits.audited > 0 {
            [format!("{} %", text(found.value)), format!("{} .. {}", text(found.low), text(found.high))]
        } else {
            [NOTHING, NOTHING].map(str::to_owned)
        };
        (kind.name(), rule.name().to_owned(), audits, interval)
    };
    let mut last = "";
    let mut rows = Vec::new();
    for (kind, rule, audits, interval) in census.all_audits().map(row) {
        if kind != last {
            last = kind;
            rows.push(vec![format!("- {kind}:")]);
        }
        let counts = [rule, nodes(audits.pruned_or_reduced as f64), nodes(audits.audited as f64)];
        rows.push(counts.into_iter().chain(interval).collect());
    }
    CensusTable {
        title: "Would it have mattered?",
        note: "A share of the moves and nodes that each rule pruned or reduced was searched without the rule. A move mattered if it beat \
               alpha at full depth, a node if its value was on the other side of its window. 95 %: Wilson's interval (percent)."
            .to_owned(),
        header: vec!["rule", "decisions", "searched", "mattered", "95 %"],
        rows,
    }
}
