//! `quarterply train` from outside.

use std::fs;

use crate::support::{assert_texts, contents, file, folder, quarterply, refused, succeeds, words};

fn games(folder: &str, count: &str) {
    succeeds(&words!("datagen --games {count} --nodes 30 --seed 5 --bench-depth 1 --out {folder} --quiet"));
}

#[test]
fn a_network_is_trained_resumed_and_verified() {
    let (_folder, path) = folder();
    let (data, out, json) = (path("games"), path("net"), path("train.jsonl"));
    games(&data, "40");
    let train = format!("train {data} --holdout-share 20% --hidden 32 --passes 2 --batch 200");
    succeeds(&words!("{train} --out {out} --json {json}")).says(&["held out"]).shows(&["counting pieces"]);
    let lines = contents(&json);
    assert!(lines.contains("\"held_out\":") && lines.contains("\"summary\":true"), "{lines}");
    let network = path("net/network.nnue");
    let bytes = fs::read(&network).unwrap();
    assert!(bytes.starts_with(b"QUARTNET"));
    assert!(contents(path("net/report.html")).contains("<svg"));
    let settings = contents(path("net/settings.toml"));
    assert!(settings.contains("--holdout-share 20%") && settings.contains("hidden = 32"), "{settings}");
    // A run that has its network already gives it again.
    fs::remove_file(&network).unwrap();
    succeeds(&["train", "resume", &out, "--threads", "1"]);
    assert_eq!(fs::read(&network).unwrap(), bytes);
    // After 40 games the network is worse than counting pieces, and the program says so.
    let run = quarterply(&["train", "verify", &network]).ends(1);
    run.says(&["is not below that of counting pieces"]);
    for other in ["the classical evaluation", "counting pieces"] {
        let sentence = format!("Unclear whether the network is better than {other}: difference of the losses +0.");
        run.shows(&[&sentence, "games, too few for a conclusion"]);
    }
    // All games together are enough for a conclusion.
    let run = quarterply(&["train", "verify", &network, &data, "--all", "--json", "-"]).ends(1);
    run.says(&["The network is worse than the classical evaluation: difference of the losses +0."]);
    let report = run.value();
    let against = &report["comparison"]["against_classical"];
    assert_eq!((&against["finding"], &against["games"]), (&"worse".into(), &40.into()), "{report}");
    assert!(against["low"].as_f64() > Some(0.0) && against["low"].as_f64() < against["loss"].as_f64(), "{report}");
    // A network for a share of the classical evaluation: the file records the share, and the comparison uses it.
    let mixed = path("mixed");
    succeeds(&words!("{train} --out {mixed} --classical 50%"));
    quarterply(&["train", "verify", &path("mixed/network.nnue")]).shows(&["network, 50 % classical"]);
    share_is_that_of_the_file(&network, &path("mixed/network.nnue"));
    // Alone there is nothing to compare it by.
    let elsewhere = path("alone.nnue");
    fs::copy(&network, &elsewhere).unwrap();
    quarterply(&["train", "verify", &elsewhere]).ends(0).shows(&["not compared"]);
    // Another network is compared with the settings of its training, in any folder.
    let own = path("own");
    succeeds(&words!("{train} --out {own} --result 0.2 --result-end 0.7 --scale 300 --score-max 900"));
    fs::copy(path("own/network.nnue"), &elsewhere).unwrap();
    let verified = |network: &str| quarterply(&["train", "verify", network, &data, "--all"]);
    let (here, there) = (verified(&path("own/network.nnue")), verified(&elsewhere));
    let target = "target: scores at scale 300, results weigh 0.7; filter: --score-max 900";
    there.shows(&[target]);
    assert_eq!(here.out, there.out);
    let alone = quarterply(&["train", "verify", &elsewhere, &data, "--all", "--result", "0"]);
    alone.shows(&["target: scores at scale 300, results weigh 0; filter"]);
    assert_ne!(alone.out, there.out, "another target has other losses");
}

#[test]
fn the_built_in_network_is_verified() {
    let (_folder, path) = folder();
    let data = path("games");
    games(&data, "5");
    quarterply(&["train", "verify", "<default>"]).ends(0).shows(&["not compared"]);
    let compared = quarterply(&["train", "verify", "<default>", &data]);
    compared.says(&["the network is built in: all games are used"]).shows(&["target: "]);
}

#[test]
fn games_of_a_run_that_are_gone_are_named_with_the_remedy() {
    let (_folder, path) = folder();
    let (data, out, other) = (path("games"), path("net"), path("other"));
    games(&data, "40");
    succeeds(&words!("train {data} --out {out} --holdout-share 20% --hidden 32 --passes 1 --batch 200"));
    let network = path("net/network.nnue");
    fs::rename(&data, &other).unwrap();
    let gone = refused(&["train", "verify", &network], "cannot use the games of the network's run: cannot ");
    gone.shows(&["1 output bucket, "]).says(&["or name other games after the network"]);
    let named = refused(&["train", "verify", &network, &data], "games");
    assert!(!named.err.contains("after the network"), "{}", named.err);
    quarterply(&["train", "verify", &network, &other]).ends(1).shows(&["target: "]);
}

/// In play a network has the share of the classical evaluation that it was trained with, unless another one is set.
fn share_is_that_of_the_file(alone: &str, half: &str) {
    let eval = |settings: &[&str]| {
        let sets: Vec<&str> = settings.iter().flat_map(|setting| ["--set", setting]).collect();
        let run = quarterply(&[&["eval", "--json", "-"], &sets[..]].concat());
        let report = run.value();
        (report["classical_share"].as_i64().expect("a share"), report["table"].to_string(), run.err)
    };
    let [alone, half] = [alone, half].map(|network| format!("EvalFile={network}"));
    let other = "warning: the network was trained with a classical share of 0 %, but network.classical is 40";
    for (settings, expected, shown, warning) in [
        (&[alone.as_str()][..], 0, "Classical     0 % of the value", None),
        (&[&half], 50, "50 % of the value", None),
        (&[&alone, "network.classical=40"], 40, "40 % of the value (the network was trained with 0 %)", Some(other)),
        (&["network.classical=40", &alone], 40, "40 % of the value (the network was trained with 0 %)", Some(other)),
    ] {
        let (share, table, stderr) = eval(settings);
        assert!(share == expected && table.contains(shown), "{share} {table}");
        assert_eq!(stderr.contains("warning"), warning.is_some(), "{stderr}");
        assert_texts(&stderr, warning.as_slice());
    }
}

#[test]
fn faults_of_a_training_run_are_reported() {
    let (_foreign, foreign) = file("games.pgn", b"[Event \"?\"]\n\n1. e4 *\n");
    let (folder, path) = folder();
    let (data, out, empty) = (path("games"), path("net"), path("empty"));
    fs::create_dir(&empty).unwrap();
    games(&data, "3");
    let network = path("damaged.nnue");
    fs::write(&network, b"QUARTNETx").unwrap();
    let train = format!("train {data} --out {out}");
    for (arguments, says_so) in [
        (words!("train"), "<DATA>"),
        (words!("train {data}"), "--out"),
        (words!("train nowhere-at-all --out {out}"), "nowhere-at-all"),
        (words!("train {foreign} --out {out}"), "games.pgn"),
        (words!("train {empty} --out {out}"), "contains no shards"),
        (words!("{train} --holdout-share 50%"), "fewer than a batch of 16384"),
        (words!("{train} --hidden 100"), "a multiple of 32 up to 1024"),
        (words!("{train} --buckets 3"), "1, 2, 4, 8"),
        (words!("{train} --result 1.5"), "1.5"),
        (words!("{train} --result-end 40"), "`40` is not a valid share"),
        (words!("{train} --samples 100"), "--samples 100: give at least a batch (16384)"),
        (words!("{train} --samples 1B --passes 3"), "--passes"),
        (words!("{train} --average 100%"), "--average 1: give a share"),
        (words!("{train} --rate 0"), "--rate"),
        (words!("{train} --from none.nnue"), "cannot start from another network: cannot read `none.nnue`: "),
        (words!("{train} --from {network}"), "truncated"),
        (words!("{train} --from <classical>"), "cannot start from `<classical>`: it is not a network"),
        (words!("train {data} --out {data}"), "the folder exists"),
        (words!("train {data}"), "no folder for the run is given; name it with --out"),
        (
            words!("train verfy {network}"),
            "cannot find `verfy`: neither a folder or shard of games nor a sub-command; give games and --out, or one of resume and verify",
        ),
        (words!("{train} --set null_move.on=false"), "--set"),
        (words!("train resume {empty}"), "cannot read the training run"),
        (words!("train resume {empty} --seed 2"), "--seed"),
        (words!("train resume {out} --threads 1 --workers 2"), "cannot use --threads 1 with --workers 2"),
        (words!("train verify nothing.nnue"), "nothing.nnue"),
        (words!("train verify {network}"), "truncated"),
        (words!("train verify {foreign}"), "not a Quarterply network"),
    ] {
        refused(&arguments, says_so);
        assert!(!folder.path().join("net").exists(), "{arguments:?} leaves nothing behind");
    }
}
