//! Reports of runs on an invented objective.

use super::*;
use crate::conclude::{Conclusion, Finding, GamesComparison, SuiteComparison, TuningVerdict, rate};
use crate::history::TuningStep;
use crate::optimiser::{CandidateCost, Cost, Method, genetic, gradient, random, spsa};
use crate::space::Space;
use quarterply_engine::profile::builtin;
use quarterply_games::game::Pace;
use quarterply_stats::Pentanomial;

const COMMAND: &str = "quarterply tune ga --preset paper --suite ecm.epd --positions 300 --seed 1 --out runs/first";

fn falcon() -> RecordedProfile {
    RecordedProfile::of(&builtin("falcon").expect("built in"))
}

fn view<'a>(summary: &'a RunSummary, base: Option<&'a RecordedProfile>) -> RunView<'a> {
    RunView { summary, base, engine: None, faults: &[], workers: &[], command: COMMAND }
}

/// The least cost of the invented suite, and the distance of a bad candidate from that.
const FLOOR: f64 = 196e6;
const SLOPE: f64 = 60e6;
/// Positions of the invented suite.
const POSITIONS: f64 = 879.0;

/// An invented cost: some parameters matter, some do not, and a little of it is as good as random.
fn cost_of(space: &Space, candidate: &[i32]) -> Cost {
    let x = space.shares(candidate);
    let salt = candidate.iter().fold(17u32, |hash, value| hash.wrapping_mul(31).wrapping_add(*value as u32)) % 1000;
    let distance = 0.30 * (1.0 - x[0])
        + 0.25 * (x[1] - 0.45).abs()
        + 0.20 * x[4] * (x[5] - 0.2).abs()
        + 0.10 * x[8]
        + 0.15 * (x[13] - 0.5).powi(2)
        + 0.10 * (1.0 - x[15])
        + 0.05 * f64::from(salt) / 1000.0;
    let value = FLOOR + SLOPE * distance;
    Cost { value: value.round(), error: 0.0, solved: Some(((440e6 - value) / 440e6 * POSITIONS * 1.02).round()) }
}

fn summary(method: &Method, seed: u64) -> RunSummary {
    let space = Space::paper(&builtin("falcon").expect("built in")).expect("18 parameters");
    let mut optimiser = method.start(&space, seed, false);
    let mut summary = RunSummary {
        version: "0.1.0".into(),
        signature: "3499114".into(),
        method: method.name().into(),
        seed,
        objective: "first".into(),
        nodes: 500_000,
        suite: Some("300 positions of ecm.epd".into()),
        holdout: Some("ecm.epd without 300 positions".into()),
        dimensions: space.dimensions.clone(),
        ..RunSummary::default()
    };
    let (mut spent, mut candidates) = (0, 0);
    loop {
        let query = optimiser.ask();
        if query.candidates.is_empty() {
            summary.finished = true;
            return summary;
        }
        let answer: Vec<CandidateCost> = query
            .candidates
            .into_iter()
            .map(|candidate| CandidateCost { cost: cost_of(&space, &candidate), candidate })
            .collect();
        spent += answer.iter().map(|one| one.cost.value as u64).sum::<u64>();
        candidates += answer.len();
        optimiser.tell(&answer);
        summary.steps.extend(optimiser.snapshot().map(|snapshot| TuningStep { snapshot, spent, candidates }));
    }
}

/// A run of the genetic algorithm with this number of generations.
fn evolution(generations: usize) -> RunSummary {
    let settings = genetic::GeneticSettings { generations, ..genetic::GeneticSettings::default() };
    summary(&Method::Genetic(settings), 1)
}

#[test]
fn a_run_on_games_counts_nodes_on_the_hold_out() {
    let mut summary = evolution(3);
    summary.objective = "games".into();
    conclude(&mut summary);
    let base = falcon();
    let view = self::view(&summary, Some(&base));
    let table = conclusion_table(&view).expect("a conclusion");
    let row = table.rows.iter().find(|row| row[0].starts_with("hold-out, nodes until")).expect("the hold-out in nodes");
    assert!(row[2].ends_with(" M") && row[3].ends_with(" M"), "{row:?}");
    assert!(table.rows.iter().flatten().all(|cell| !cell.contains("000 %") && !cell.contains(".0 %")), "{table:?}");
}

/// The start values cost "14 000.0 %": the nodes of a suite that games do not use. Of a blend they cost 38.2 % where equal values
/// cost 63.2 %.
#[test]
fn nodes_of_a_suite_are_not_the_cost_of_a_run_with_games() {
    let mut summary = evolution(3);
    conclude(&mut summary);
    for (objective, known) in
        [("first", true), ("games", false), ("stable=1,solved=1", true), ("stable=1,games=1", false)]
    {
        summary.objective = objective.into();
        let view = self::view(&summary, None);
        let text = gain(&view).expect("three steps");
        assert_eq!(text.contains("own values cost"), known, "{objective}: {text}");
        assert_eq!(steps_table(&view).head.len(), 4 + usize::from(known), "{objective}");
    }
}

/// The last check of games was called the best, which it need not be.
#[test]
fn a_noisy_cost_is_that_of_the_point_and_not_the_best() {
    let mut summary =
        summary(&Method::Spsa(spsa::SpsaSettings { iterations: 4, checks: 2, ..spsa::SpsaSettings::default() }), 1);
    for (noisy, sentence, row) in
        [(false, "the best in the end", "best so far"), (true, "the last one", "current point")]
    {
        summary.noisy = noisy;
        let view = self::view(&summary, None);
        let text = gain(&view).expect("two steps");
        assert!(text.contains(&format!(", {sentence} ")), "{text}");
        let steps = steps_table(&view);
        assert!(steps.rows[1][0].ends_with(&format!(", {row}")), "{steps:?}");
    }
}

/// An interrupted run of SPSA may have one check, which was shown twice, with a change of 0 %.
#[test]
fn a_single_check_is_shown_once() {
    let spsa = Method::Spsa(spsa::SpsaSettings { iterations: 4, checks: 2, ..spsa::SpsaSettings::default() });
    let mut summary = summary(&spsa, 1);
    assert_eq!(steps_table(&view(&summary, None)).head, ["", "check 1", "check 2", "change"]);
    summary.steps.truncate(1);
    let view = view(&summary, None);
    let steps = steps_table(&view);
    assert_eq!(steps.head, ["", "check 1"]);
    assert!(steps.rows.iter().all(|row| row.len() == 2), "{steps:?}");
    assert_eq!(gain(&view), None);
}

#[test]
fn a_run_from_random_values_is_described_by_its_gain() {
    let mut summary = evolution(30);
    conclude(&mut summary);
    let base = falcon();
    let view = self::view(&summary, Some(&base));
    let text = headline(&view, TuningVerdict::Unclear);
    assert!(text.starts_with("From random values") && text.contains("unclear whether better"), "{text}");
    let page = files(&view).expect("a report").into_iter().find(|(name, _)| name == PAGE).expect("a page").1;
    assert!(page.contains("profile's own values"), "the values were not those it started with");
    let mut descent = summary.clone();
    descent.method = "gradient descent".into();
    let view = self::view(&descent, Some(&base));
    assert_eq!(headline(&view, TuningVerdict::Unclear), "Unclear whether better than the start values");
}

fn conclude(summary: &mut RunSummary) {
    let best = summary.steps.last().expect("steps").snapshot.best.clone();
    let space = Space { dimensions: summary.dimensions.clone() };
    let (start, now) = (cost_of(&space, &space.start()), cost_of(&space, &best));
    let suite = |positions, finding, p| SuiteComparison {
        positions,
        start,
        best: now,
        gained: 38,
        lost: 17,
        p,
        change_low: Some(-0.081),
        change_high: Some(0.024),
        finding,
    };
    summary.conclusion = Some(Conclusion {
        best,
        tuning: Some(suite(300, Finding::Better, Some(0.002))),
        holdout: Some(suite(579, Finding::Unclear, Some(0.081))),
        games: Some(GamesComparison {
            finding: Finding::Better,
            ..rate(Pentanomial::new([7, 22, 41, 31, 12]), &Pace::Nodes(10_000))
        }),
        verdict: TuningVerdict::Better,
        spent: 1_200_000_000,
        failed: None,
    });
}

fn genetic() -> Method {
    Method::Genetic(genetic::GeneticSettings {
        selection: genetic::ParentSelection::Rank,
        ..genetic::GeneticSettings::default()
    })
}

#[test]
fn a_finished_run_has_every_file_and_the_page_stands_alone() {
    let mut summary = summary(&genetic(), 1);
    conclude(&mut summary);
    let base = falcon();
    let files = files(&view(&summary, Some(&base))).expect("a report");
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "formats/tuned.toml",
            "formats/openbench.txt",
            "formats/fishtest.txt",
            "formats/weather-factory.json",
            "formats/chess-tuning-tools.json",
            "formats/openings.epd",
            "formats/uci.txt",
            "report.html",
            "plots/course.svg",
            "plots/parameters.svg",
            "plots/solved.svg",
            "plots/sensitivity.svg",
        ]
    );
    let page = &files[7].1;
    for part in [
        "better than the profile's own values",
        "generation 50",
        "null_move.reduction",
        COMMAND,
        "setoption name",
        "+29.3 [-4.6, +63.7] Elo",
    ] {
        assert!(page.contains(part), "{part}");
    }
    for outside in ["http-equiv=\"refresh", "<script", "src=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    let mut links = page.split("href=").skip(1);
    assert!(
        links.all(|link| link.starts_with("\"data:")),
        "only the picture of the page is linked, and lies within it"
    );
    assert!(files.iter().all(|(name, text)| !name.ends_with("svg") || text.contains("viewBox")));
}

#[test]
fn the_formats_carry_the_best_values() {
    let summary = summary(&genetic(), 2);
    let base = falcon();
    let files = files(&view(&summary, Some(&base))).expect("a report");
    let text = |name: &str| files.iter().find(|(path, _)| path.ends_with(name)).map(|(_, text)| text).expect(name);
    let best = &summary.steps.last().expect("steps").snapshot.best;
    let place = summary.dimensions.iter().position(|d| d.name == "futility.threshold_2").expect("a dimension");
    let value = best[place];
    assert!(text("uci.txt").starts_with("setoption name Profile value falcon\nsetoption name null_move.on value "));
    assert!(
        text("tuned.toml")
            .starts_with("# Only the parameters that were tuned, which belong on top of --profile falcon;")
    );
    assert!(text("uci.txt").contains(&format!("setoption name futility.threshold_2 value {value}\n")));
    assert!(text("openbench.txt").contains(&format!("futility.threshold_2, int, {value}, ")));
    assert!(text("fishtest.txt").contains(&format!("futility.threshold_2,{value},")));
    let tuned =
        quarterply_files::profile::parse_profile("tuned.toml", text("tuned.toml").as_bytes()).expect("a profile");
    assert_eq!(tuned.get("futility.threshold_2"), Ok(value));
    assert_eq!(tuned.get("null_move.on"), Ok(best[0]));
    let foreign = super::files(&view(&summary, None)).expect("a report");
    assert!(foreign.iter().any(|(name, _)| name == "formats/uci.txt"));
    let engine =
        RecordedEngine { command: "./other -x".into(), options: vec![("Contempt".into(), "0".into())], program: None };
    let foreign = RunView { engine: Some(&engine), ..view(&summary, None) };
    let foreign = super::files(&foreign).expect("a report");
    let text = |name: &str| &foreign.iter().find(|(path, _)| path.ends_with(name)).expect(name).1;
    let ctt: serde_json::Value = serde_json::from_str(text("chess-tuning-tools.json")).expect("JSON");
    assert_eq!((&ctt["engines"][0]["command"], &ctt["opening_file"]), (&"./other -x".into(), &"openings.epd".into()));
    assert_eq!(ctt["engines"][1]["fixed_parameters"]["Contempt"], "0");
    assert!(text("openings.epd").lines().count() > 10 && text("openbench.txt").contains(", int, "));
}

#[test]
fn another_engine_has_no_profile() {
    let mut summary = summary(&genetic(), 1);
    conclude(&mut summary);
    let engine = RecordedEngine { command: "./other".into(), options: vec![], program: None };
    let foreign = RunView { engine: Some(&engine), ..view(&summary, None) };
    assert_eq!(steps_table(&foreign).head[4], "engine's own values");
    let title = headline(&foreign, TuningVerdict::Better);
    assert!(title.ends_with("etter than the engine's own values") && !title.contains("profile"), "{title}");
}

#[test]
fn tables_name_first_last_and_start() {
    let mut summary = summary(&genetic(), 1);
    conclude(&mut summary);
    let view = self::view(&summary, None);
    let steps = steps_table(&view);
    assert_eq!(steps.head, ["", "generation 1", "generation 50", "change", "profile's own values"]);
    assert_eq!(steps.rows.len(), 5);
    assert!(steps.rows[0][3].starts_with('-') && steps.rows[2][3].starts_with('+'), "{steps:?}");
    let values = values_table(&view, view.sensitivity().as_ref());
    assert_eq!(values.rows.len(), 18);
    let row = |name: &str| values.rows.iter().find(|row| row[0] == name).expect(name);
    assert_eq!((row("null_move.on")[1].as_str(), row("null_move.on")[2].as_str()), ("on", "on"));
    assert!(row("null_move.on")[3].ends_with(" of 10 on"), "{:?}", row("null_move.on"));
    let conclusion = conclusion_table(&view).expect("concluded");
    assert_eq!(conclusion.rows.len(), 5);
    assert_eq!(conclusion.rows[4][2..5], ["103.5", "122.5", "+29.3 [-4.6, +63.7] Elo"].map(str::to_owned));
    for table in [steps, values, conclusion] {
        assert!(table.rows.iter().all(|row| row.len() == table.head.len()), "{table:?}");
    }
}

#[test]
fn a_run_that_just_began_is_reported_too() {
    let whole = summary(&genetic(), 1);
    for steps in [0, 1, 2] {
        let mut summary = whole.clone();
        summary.steps.truncate(steps);
        summary.finished = false;
        let files = files(&view(&summary, None)).expect("a report");
        let page = &files.iter().find(|(name, _)| name == PAGE).expect("the page").1;
        assert!(page.contains("Under way: generation"), "{steps}");
    }
}

#[test]
fn methods_are_compared_side_by_side() {
    let descent =
        Method::Gradient(gradient::GradientSettings { iterations: 25, ..gradient::GradientSettings::default() });
    let chance = Method::Random(random::RandomSettings::default());
    let mut runs = Vec::new();
    for seed in 1..=3 {
        runs.push((format!("ga-{seed}"), summary(&genetic(), seed)));
        runs.push((format!("gradient-{seed}"), summary(&descent, seed)));
        runs.push((format!("random-{seed}"), summary(&chance, seed)));
    }
    let comparison = RunComparison::of(runs).expect("comparable");
    let page = comparison.page().expect("a page");
    assert_eq!(comparison.table().rows.len(), 3);
    for part in ["ga", "gradient descent", "random search", "3 of 3", "nodes spent (billions)"] {
        assert!(page.contains(part), "{part}");
    }
}

/// Costs on other positions stood side by side.
#[test]
fn costs_on_different_hold_outs_are_left_out() {
    let run = |holdout: Option<(&str, &str)>| {
        let mut run = summary(&genetic(), 1);
        run.holdout = holdout.map(|(name, _)| name.to_owned());
        run.holdout_fingerprint = holdout.map(|(_, fingerprint)| fingerprint.to_owned());
        if holdout.is_some() {
            conclude(&mut run);
        }
        run
    };
    for (other, shown) in [
        (Some(("a.epd", "1")), [true, true]),
        (Some(("b.epd", "1")), [false, false]),
        (Some(("a.epd", "2")), [false, false]),
        (None, [true, false]),
    ] {
        let runs = vec![("one".to_owned(), run(Some(("a.epd", "1")))), ("two".to_owned(), run(other))];
        let comparison = RunComparison::of(runs).expect("comparable");
        let found: Vec<bool> = comparison.figures().iter().map(|figures| figures.holdout.is_some()).collect();
        assert_eq!((found, comparison.note.is_none()), (shown.to_vec(), shown[0]), "{other:?}");
    }
}
