//! `quarterply learn` from outside.

use std::fs;

use crate::support::{SUITE, contents, file, folder, json_lines, quarterply, refused, succeeds, words};

/// Games of few nodes: enough to learn what pieces are worth.
/// Few games, of the classical evaluation, so that what is learned from them does not change with every network.
fn games(folder: &str) {
    // Played in two seconds, and enough for a significant difference on the held-out games.
    let plan = "datagen --games 240 --nodes 40 --seed 13 --bench-depth 1 --set EvalFile=<classical>";
    succeeds(&words!("{plan} --out {folder} --quiet"));
}

#[test]
fn a_fit_lowers_the_held_out_loss_and_writes_source_and_page() {
    let (_folder, path) = folder();
    let (data, source, page, json) = (path("games"), path("weights.rs"), path("fit.html"), path("fit.jsonl"));
    games(&data);
    let fit = |workers: &str, source: &str| {
        let how = format!("--scratch --passes 4 --workers {workers} --overwrite");
        quarterply(&words!("learn eval {data} -o {source} --page {page} --json {json} {how}"))
    };
    let run = fit("2", &source).ends(0);
    let held_out = run.out.split("held out").last().unwrap();
    let losses: Vec<f64> = held_out.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    assert!(losses[1] < losses[0], "{held_out}");
    let text = contents(&source);
    assert!(text.contains("pub const WEIGHTS: [Pair; COUNT]") && text.contains("of 240 games"), "{text}");
    let page = contents(&page);
    assert!(
        page.contains("<svg") && page.contains("KNIGHT_MOBILITY") && !page.contains("http-equiv=\"refresh"),
        "page"
    );
    let lines = contents(&json);
    assert!(lines.lines().any(|line| line.contains("\"group\":\"TEMPO\"")), "{lines}");
    let copy = format!("`{source}` is written; copy it to crates/engine/src/eval/weights.rs, build the program");
    run.says(&["classical evaluation", copy.as_str(), "play a match"]);
    // The number of workers changes nothing.
    let again = path("again.rs");
    fit("1", &again).ends(0);
    assert_eq!(contents(&again), text);
    // The file of weights is written before the report is printed.
    #[cfg(target_os = "linux")]
    {
        let kept = path("kept.rs");
        quarterply(&words!("learn eval {data} -o {kept} --scratch --passes 4 --json /dev/full"))
            .ends(1)
            .says(&["cannot write `/dev/full`"]);
        assert_eq!(contents(&kept), text);
    }
}

#[test]
fn chances_of_results_are_fitted() {
    let (_folder, path) = folder();
    let (data, json) = (path("games"), path("wdl.jsonl"));
    games(&data);
    let run = succeeds(&["learn", "wdl", &data, "--json", &json]);
    assert!(run.out.contains("middle_opening") && run.out.contains("of 240 games, "), "{}", run.out);
    run.says(&["UCI_ShowWDL", "`WdlCurve::USED` in crates/uci/src/wdl.rs", "build the program"]);
    let quiet = succeeds(&["learn", "wdl", &data, "--quiet"]);
    assert_eq!((quiet.out, quiet.err.as_str()), (run.out, ""));
    let lines = contents(&json);
    assert!(lines.contains("\"parameter\":\"spread_ending\"") && lines.contains("\"games\":240"), "{lines}");
}

/// Positions sampled from search trees have no game result, so learning from results leaves them out.
#[test]
fn positions_that_searches_visited_are_left_out_of_what_is_learned_from_results() {
    let (_folder, path) = folder();
    let (data, drawn, source) = (path("games"), path("drawn"), path("weights.rs"));
    games(&data);
    let how = "--nodes 40 --search-nodes 100 --each 40 --bench-depth 1 --quiet";
    succeeds(&words!("datagen sample {data} --out {drawn} {how}"));
    let curve = |data: &str| succeeds(&words!("learn wdl {data}")).out;
    let both = format!("{data} {drawn}");
    assert_eq!(curve(&both), curve(&data));
    let fit = |data: &str| {
        succeeds(&words!("learn eval {data} --scratch --passes 1 -o {source} --overwrite"));
        // Its head names the command, and so the data.
        let text = contents(&source);
        text.split_once("pub const WEIGHTS").unwrap().1.to_owned()
    };
    assert_eq!(fit(&both), fit(&data));
    for what in ["wdl", "eval"] {
        refused(&["learn", what, &drawn], "0 positions");
    }
}

#[test]
fn a_network_for_the_order_of_moves_is_better_than_chance_and_the_same_every_time() {
    let (_folder, path) = folder();
    let (data, json) = (path("games"), path("order.jsonl"));
    games(&data);
    let train = |kind: &str, workers: &str, output: &str| {
        let how = format!("--passes 2 --workers {workers} --overwrite");
        succeeds(&words!("learn order {kind} {data} -o {output} --json {json} {how}"));
        fs::read(output).unwrap()
    };
    for kind in ["chessmaps", "move-map", "piece-square"] {
        let network = train(kind, "2", &path("one.bin"));
        assert!(network.starts_with(b"QORDER1\n"), "{kind}");
        assert_eq!(train(kind, "1", &path("two.bin")), network, "{kind}: the number of workers changes nothing");
        let lines = contents(&json);
        let bits: Vec<f64> = json_lines(&lines).iter().filter_map(|line| line["bits"].as_f64()).collect();
        assert_eq!(bits.len(), 4, "{lines}");
        assert!(bits[3] < bits[0], "{kind}: {bits:?}");
    }
}

#[test]
fn chances_of_moves_are_learned_into_a_file_that_can_be_searched_with() {
    let (_folder, path) = folder();
    let (data, file, page, json) = (path("games"), path("mine.toml"), path("fit.html"), path("fit.jsonl"));
    games(&data);
    let learn = |workers: &str, file: &str| {
        let files = format!("-o {file} --page {page} --json {json} --overwrite");
        quarterply(&words!("learn realization {data} --positions 1500 --nodes 40 --workers {workers} {files}"))
    };
    let run = learn("2", &file).ends(0);
    let bits = |model: &str| -> f64 {
        let row =
            run.out.lines().find(|line| line.trim_start().starts_with(model)).unwrap_or_else(|| panic!("{model}"));
        row.split(" bits").next().unwrap().split_whitespace().last().unwrap().parse().unwrap()
    };
    // Games of 40 nodes follow the evaluation: what is learned from it is worth much on games that were held out.
    assert!(bits("softmax   ") + 1.0 < bits("all moves alike"), "{}", run.out);
    assert!(bits("by kind") < bits("all moves alike"), "{}", run.out);
    let text = contents(&file);
    assert!(text.contains("rule = \"realization\"") && text.contains("of 212 games"), "{text}");
    let shown = contents(&page).replace("<wbr>", "");
    assert!(shown.contains("<svg") && shown.contains("hangs_minor") && shown.contains("p_recapture"), "{shown}");
    let lines = contents(&json);
    for kind in ["{\"model\":", "{\"bin\":", "{\"kind\":", "{\"weight\":"] {
        assert!(lines.lines().any(|line| line.starts_with(kind)), "{kind}: {lines}");
    }
    // The number of workers changes nothing, and the file is one of coefficients.
    let again = path("again.toml");
    learn("1", &again).ends(0);
    assert_eq!(contents(&again), text);
    let bench = |file: &str| quarterply(&words!("bench 6 --profile realization --set realization.coefficients={file}"));
    let (own, built_in) = (bench(&file), bench("<default>"));
    assert_eq!(own.code, Some(0), "{}", own.err);
    assert_ne!(own.out, built_in.out);
}

#[test]
fn bad_input_is_named() {
    let (_folder, foreign) = file("games.pgn", b"[Event \"?\"]\n\n1. e4 *\n");
    let (_home, path) = folder();
    let (empty, few) = (&path("empty"), path("few"));
    fs::create_dir(empty).unwrap();
    succeeds(&words!("datagen --games 2 --nodes 20 --bench-depth 1 --out {few} --quiet"));
    for (arguments, says_so) in [
        (words!("learn eval {foreign}"), "games.pgn"),
        (words!("learn eval {empty}"), empty),
        (words!("learn eval nowhere-at-all"), "nowhere-at-all"),
        (words!("learn eval {few}"), "datagen"),
        (words!("learn eval {few} --result 1.5"), "1.5"),
        (words!("learn eval {few} --passes 0"), "0"),
        (words!("learn eval {few} --rate nan"), "`nan` is not a valid number"),
        (words!("learn eval {few} --score-max -5"), "give a whole number of 0 or more"),
        (words!("learn eval {few} --set a.b=1"), "cannot use --profile or --set"),
        (words!("learn order move-map {few} --profile classic"), "cannot use --profile or --set"),
        (words!("learn wdl {few} --profile classic"), "cannot use --profile or --set"),
        (words!("learn order chessmaps {few}"), "datagen"),
        (words!("learn cost"), "<DATA|--suite <FILE.epd>>"),
        (words!("learn order chessmap {few}"), "chessmaps"),
        (words!("learn order move-map {foreign}"), "games.pgn"),
        (words!("learn order move-map {few} --rate 2"), "2"),
        (words!("learn wdl"), "<DATA>"),
        (words!("learn wdl {foreign}"), "games.pgn"),
        (words!("learn wdl nowhere-at-all"), "nowhere-at-all"),
        (words!("learn wdl {few}"), "datagen"),
        (words!("learn realization {foreign}"), "games.pgn"),
        (words!("learn realization nowhere-at-all"), "nowhere-at-all"),
        (words!("learn realization {few}"), "datagen"),
        (words!("learn realization {few} --penalty 0"), "above 0"),
        (words!("learn realization {few} --holdout-every 1"), "2"),
    ] {
        refused(&arguments, says_so);
    }
}

#[test]
fn damaged_games_are_skipped_on_request() {
    let (_folder, path) = folder();
    let (data, whole, damaged) = (path("games"), path("a.games"), path("b.games"));
    games(&data);
    for packed in [&whole, &damaged] {
        succeeds(&["datagen", "pack", &data, "-o", packed]);
    }
    let mut bytes = fs::read(&damaged).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&damaged, bytes).unwrap();
    refused(&["learn", "wdl", &whole, &damaged], "can skip the block with --skip-damaged");
    succeeds(&["learn", "wdl", &whole, &damaged, "--skip-damaged"]).says(&["warning: skipped damage: cannot read"]);
    refused(&words!("learn cost --suite {SUITE} --skip-damaged"), "--skip-damaged");
}

#[test]
fn existing_files_are_kept_without_overwrite() {
    for (what, name) in [("eval", "weights.rs"), ("realization", "mine.toml")] {
        let (_folder, path) = file(name, b"mine");
        refused(&["learn", what, "nowhere", "-o", &path], "--overwrite");
        assert_eq!(fs::read(&path).unwrap(), b"mine");
    }
    // Before the games are read and a fit is made.
    let (_folder, path) = file("fit.jsonl", b"mine");
    for what in ["eval", "realization", "order move-map", "cost", "wdl"] {
        refused(&words!("learn {what} nowhere --json {path}"), "--overwrite");
        assert_eq!(fs::read(&path).unwrap(), b"mine");
    }
}

#[test]
fn the_cost_of_late_moves_is_learned_and_file_and_profile_are_read_back() {
    let (_folder, path) = folder();
    let (file, profile, page) = (path("own.toml"), path("learned.toml"), path("learned.html"));
    let files = format!("-o {file} --write-profile {profile} --page {page}");
    let arguments = words!("learn cost --suite {SUITE} --nodes 8k --audit 30% {files}");
    let run = succeeds(&arguments);
    assert!(run.out.contains("number_depth") && run.out.contains("held-out loss: learned"), "{}", run.out);
    assert!(contents(&page).contains("<svg"));
    let nodes = |more: &str| {
        let run = quarterply(&words!("bench 4 --quiet {more}"));
        run.out.split(' ').next().map(str::to_owned)
    };
    let with = nodes(&format!("--profile {profile}"));
    assert_ne!(with, nodes(""), "the weights are felt");
    let built_in = format!("--profile {profile} --set learned_cost.coefficients=<default>");
    assert_ne!(with, nodes(&built_in), "the profile names the file");
    let chosen = format!("{built_in} --set learned_cost.coefficients={file}");
    assert_eq!(with, nodes(&chosen), "the file is all that it names");
    refused(&arguments, "--overwrite");
}

#[test]
fn too_little_for_the_cost_of_late_moves_is_an_error() {
    let (_folder, suite) = file("one.epd", b"4k3/8/8/8/8/8/4P3/4K3 w - -\n");
    for (arguments, needle) in [
        (vec!["learn", "cost", "--suite", &suite], "give more positions or more --nodes"),
        (vec!["learn", "cost", "--suite", "none.epd"], "none.epd"),
        (vec!["learn", "cost", "no-such-games"], "no-such-games"),
        (vec!["learn", "cost", "--suite", &suite, "--audit", "7"], "`7` is not a valid share"),
    ] {
        refused(&arguments, needle);
    }
}
