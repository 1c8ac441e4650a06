use super::*;
use quarterply_engine::network::{Network, Parts};
use quarterply_engine::params::MODELS;

fn fresh() -> UciSettings {
    UciSettings::new(Parameters::default())
}

#[test]
fn declarations_are_unique_and_readable() {
    let lines: Vec<String> = fresh().list().iter().map(|option| option.to_string()).collect();
    let mut names = std::collections::HashSet::new();
    for line in &lines {
        let option: Declaration = line.parse().expect(line);
        assert_eq!(option.to_string(), *line);
        assert!(names.insert(option.name.to_ascii_lowercase()), "{line} twice");
    }
    for name in ["Hash", "Threads", "MultiPV", "Ponder", "Clear Hash", "Move Overhead", "UCI_Chess960"] {
        assert!(lines.iter().any(|line| line.starts_with(&format!("option name {name} type "))), "{name}");
    }
    assert!(lines.contains(&"option name SyzygyPath type string default <empty>".to_owned()));
    assert!((15..25).contains(&names.len()), "{names:?}: parameters flood the dialog of a GUI");
    let mut settings = fresh();
    settings.set("show parameters", Some("true")).expect("a switch");
    let all = settings.list();
    assert_eq!(all.len(), names.len() + Parameters::specs().count() + MODELS.len());
}

#[test]
fn all_options_at_their_listed_defaults_leave_the_profile_alone() {
    for (name, profile) in [("Classic", profile::builtin("classic")), ("Falcon", profile::builtin("falcon"))] {
        let mut settings = fresh();
        settings.set("Show Parameters", Some("true")).expect("a switch");
        settings.set("Profile", Some(name)).expect("built in");
        let listed = settings.list();
        for option in listed.iter().filter(|option| option.name != "Profile") {
            let default = match &option.kind {
                OptionKind::Check { default } => default.to_string(),
                OptionKind::Spin { default, .. } => default.to_string(),
                OptionKind::Combo { default, .. } | OptionKind::Text { default } => default.clone(),
                OptionKind::Button => continue,
            };
            settings.set(&option.name, Some(&default)).expect("its own default");
        }
        assert!(Some(&settings.parameters) == profile.as_ref(), "{name}");
        settings.set("null_move.base", Some("4096")).expect("in range");
        assert_eq!(settings.parameters.null_move.base, 4096);
        settings.set("null_move.base", Some("3072")).expect("in range");
        assert!(Some(&settings.parameters) == profile.as_ref(), "{name}: back to what the profile has");
    }
}

/// A parameter that was set to its start value after `Show Parameters` kept the profile's value without a remark.
#[test]
fn a_listed_default_that_the_profile_overrules_is_remarked() {
    let mut settings = fresh();
    settings.set("Show Parameters", Some("true")).expect("a switch");
    assert_eq!(settings.set("null_move.on", Some("true")), Ok(vec![]), "the profile agrees");
    settings.set("Profile", Some("Classic")).expect("built in");
    assert_eq!(
        settings.set("null_move.on", Some("true")),
        Ok(vec![
            "null_move.on stays false: true is the listed default, which keeps the value of the profile; set Show Parameters to false \
             to force true"
                .to_owned()
        ])
    );
    let listed = Parameters::default().null_move.base;
    let mut own = Parameters::default();
    own.null_move.base = listed + 128;
    let mut settings = fresh().with_files(Arc::new(move |_| Ok(own.clone())));
    settings.set("Show Parameters", Some("true")).expect("a switch");
    settings.set("Profile", Some("own.toml")).expect("a file");
    let remarks = settings.set("null_move.base", Some(&listed.to_string())).expect("in range");
    let stays = format!("null_move.base stays {}: {listed} is", listed + 128);
    assert!(remarks.len() == 1 && remarks[0].starts_with(&stays), "{remarks:?}");
    settings.set("Show Parameters", Some("false")).expect("a switch");
    assert_eq!(settings.set("null_move.base", Some(&listed.to_string())), Ok(vec![]));
    assert_eq!(settings.parameters.null_move.base, listed);
}

#[test]
fn a_profile_may_be_a_file() {
    let mut own = Parameters::default();
    own.null_move.base = 4096;
    let loaded = own.clone();
    let load = move |path: &str| {
        if path == "/a/my own.toml" { Ok(loaded.clone()) } else { Err(format!("{path}: no such file")) }
    };
    let mut settings = fresh().with_files(Arc::new(load));
    settings.set("Profile", Some("/a/my own.toml")).expect("a file");
    assert_eq!(settings.parameters, own);
    let error = settings.set("Profile", Some("missing.toml")).expect_err("no such file").to_string();
    assert!(error.contains("missing.toml") && error.contains("the old value stays"), "{error}");
    assert_eq!(settings.parameters, own);
    assert!(fresh().set("Profile", Some("x.toml")).is_err());
}

#[test]
fn a_name_of_a_megabyte_is_refused_at_once_and_briefly() {
    let start = std::time::Instant::now();
    let error = fresh().set(&"x".repeat(1 << 20), Some("1")).expect_err("unknown").to_string();
    assert!(error.len() < 200 && error.contains("1048576 bytes"), "{error}");
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
}

#[test]
fn standard_options_of_guis_are_accepted() {
    for (name, value) in [
        ("UCI_AnalyseMode", "true"),
        ("UCI_Opponent", "GM 2800 human Gary Kasparov"),
        ("UCI_Opponent", "none none computer Shredder"),
    ] {
        assert_eq!(fresh().set(name, Some(value)), Ok(vec![]), "{name} {value}");
    }
}

#[test]
fn each_game_has_another_seed_unless_one_was_set() {
    let mut settings = fresh();
    let first = settings.seed;
    settings.forget_game();
    assert_ne!(settings.seed, first);
    settings.set("Strength Seed", Some("7")).expect("in range");
    assert_eq!(settings.seed, 7);
    settings.forget_game();
    assert_eq!(settings.seed, 7);
}

#[test]
fn names_match_whatever_their_case() {
    let mut settings = fresh();
    for name in ["hash", "HASH", "Hash"] {
        assert_eq!(settings.set(name, Some("7")), Ok(vec![]), "{name}");
    }
    assert_eq!(settings.hash, 7);
    assert_eq!(settings.set("move overhead", Some("50")), Ok(vec![]));
    assert_eq!(settings.overhead, Duration::from_millis(50));
    assert_eq!(settings.set("clear hash", None), Ok(vec![]));
    assert!(settings.changed.clear);
    let message = |name: &str| fresh().set(name, Some("1")).expect_err(name).to_string();
    assert_eq!(message("No Such"), "No such option: No Such; `uci` lists the options");
    assert_eq!(message("nul_move.base"), "No such option: nul_move.base; did you mean null_move.base?");
    assert_eq!(message("Hsh"), "No such option: Hsh; did you mean Hash?");
    assert_eq!(message("multi pv"), "No such option: multi pv; did you mean MultiPV?");
}

#[test]
fn numbers_out_of_range_are_brought_inside_with_a_remark() {
    let mut settings = fresh();
    for (name, text, check) in [
        ("Threads", "0", 1),
        ("Threads", "-3", 1),
        ("Threads", "99999999999999999999999", threads_max()),
        ("MultiPV", "0", 1),
    ] {
        let remarks = settings.set(name, Some(text)).expect(name);
        assert!(remarks.len() == 1 && remarks[0].contains(text), "{name} {text}: {remarks:?}");
        let got = if name == "Threads" { settings.threads } else { settings.lines };
        assert_eq!(got as i64, check, "{name} {text}");
    }
}

#[test]
fn wrong_values_are_named_and_change_nothing() {
    let mut settings = fresh();
    for (name, value) in [
        ("Hash", Some("lots")),
        ("Hash", Some("")),
        ("Hash", None),
        ("Hash", Some("<empty>")),
        ("UCI_Chess960", Some("maybe")),
        ("Profile", Some("nobody")),
        ("EvalFile", Some("/x.nnue")),
        ("SyzygyPath", Some("/no/such/dir")),
        ("Hash", Some("33554432")),
    ] {
        let error = settings.set(name, value).expect_err(name).to_string();
        assert!(error.contains(name) && error.contains("the old value stays"), "{error}");
    }
    let error = settings.set("Profile", Some("nobody")).expect_err("no profile").to_string();
    assert!(error.contains("Classic, or the path of a TOML file"), "{error}");
    assert_eq!((settings.hash, settings.chess960), (16, false));
    assert!(settings.tablebase.is_none());
}

/// The message quoted the greatest size of the option instead of the requested one.
#[test]
fn a_table_larger_than_the_memory_is_refused_with_the_available_memory() {
    let error = fresh().set("Hash", Some("999999999")).expect_err("too much").to_string();
    assert!(error.starts_with("cannot set Hash to `999999999`: expected at most "), "{error}");
    assert!(error.ends_with(" MiB, the memory of this machine; the old value stays"), "{error}");
}

#[test]
fn an_evaluation_chosen_by_hand_outlives_a_change_of_profile() {
    let mut settings = fresh();
    let listed = |settings: &UciSettings| settings.list().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert!(listed(&settings).contains(&"option name EvalFile type string default <default>".to_owned()));
    settings.set("EvalFile", Some("<classical>")).expect("a name");
    settings.set("Profile", Some("classic")).expect("built in");
    assert_eq!(settings.parameters.eval_file, EvalFile::Classical);
    settings.set("evalfile", Some("<default>")).expect("a name");
    assert_eq!(settings.parameters.eval_file, EvalFile::Default);
    let own = Parameters { eval_file: EvalFile::Classical, ..Parameters::default() };
    let mut settings = fresh().with_files(Arc::new(move |_| Ok(own.clone())));
    settings.set("Profile", Some("own.toml")).expect("a file");
    assert_eq!(settings.parameters.eval_file, EvalFile::Classical, "the profile's own");
    settings.set("Profile", Some("default")).expect("built in");
    assert_eq!(settings.parameters.eval_file, EvalFile::Default, "it went with the profile");
}

/// The file of coefficients of the learned cost that has one weight more than usual.
fn coefficient_file(folder: &tempfile::TempDir) -> String {
    let model = model_of("learned_cost.coefficients").expect("an option");
    let mut contents = model.parse(model.built_in).expect("built in");
    contents.values[0] += 1;
    let path = folder.path().join("own.toml");
    std::fs::write(&path, model.write(&contents)).expect("written");
    path.display().to_string()
}

#[test]
fn coefficients_are_listed_among_the_parameters_and_chosen_by_path() {
    const OPTION: &str = "learned_cost.coefficients";
    let folder = tempfile::tempdir().expect("a folder");
    let path = coefficient_file(&folder);
    let mut settings = fresh();
    let is_listed = |settings: &UciSettings| {
        settings
            .list()
            .iter()
            .any(|option| option.to_string() == format!("option name {OPTION} type string default <default>"))
    };
    assert!(!is_listed(&settings), "parameters are not listed unless asked for");
    settings.set("Show Parameters", Some("true")).expect("a switch");
    assert!(is_listed(&settings));
    let usual = settings.parameters.learned().learned_cost[0];
    let remarks = settings.set(OPTION, Some(&path)).expect("a file");
    assert!(remarks.len() == 1 && remarks[0].starts_with(&format!("{OPTION}: The chance that")), "{remarks:?}");
    assert_eq!(settings.parameters.learned().learned_cost[0], usual + 1);
    settings.set("null_move.base", Some("4096")).expect("in range");
    let usual_base = Parameters::DEFAULT.null_move.base.to_string();
    settings.set("null_move.base", Some(&usual_base)).expect("its default");
    assert_eq!(settings.parameters.learned().learned_cost[0], usual + 1, "numbers change no coefficients");
    for (name, value) in [(OPTION, "no.toml"), ("realization.coefficients", path.as_str()), ("learned_cost.bias", "5")]
    {
        let error = settings.set(name, Some(value)).expect_err(value).to_string();
        assert!(error.starts_with(&format!("{name}: ")) && error.ends_with("; the old value stays"), "{error}");
    }
    assert_eq!(settings.parameters.learned().learned_cost[0], usual + 1, "the old value stays");
    for value in ["<default>", "<empty>"] {
        assert_eq!(settings.set(&OPTION.to_uppercase(), Some(value)), Ok(vec![]));
        assert_eq!(settings.parameters, Parameters::default(), "{value}");
        settings.set(OPTION, Some(&path)).expect("a file");
    }
    settings.set("Profile", Some("learned")).expect("built in");
    assert!(Some(&settings.parameters) == profile::builtin("learned").as_ref(), "a profile has its own coefficients");
}

#[test]
fn the_listed_coefficients_leave_the_profile_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = coefficient_file(&folder);
    let mut own = Parameters::default();
    let model = model_of("learned_cost.coefficients").expect("an option");
    own.choose_coefficients(model, model.open(&path).expect("a file"));
    let loaded = own.clone();
    let mut settings = fresh().with_files(Arc::new(move |_| Ok(loaded.clone())));
    settings.set("Show Parameters", Some("true")).expect("a switch");
    settings.set("Profile", Some("own.toml")).expect("a file");
    let remarks = settings.set(model.option, Some("<default>")).expect("what was listed");
    assert!(settings.parameters == own, "what was listed is the profile's");
    let stays = format!("{} stays {path}: <default> is the listed default", model.option);
    assert!(remarks.iter().any(|remark| remark.starts_with(&stays)), "{remarks:?}");
    settings.set("Show Parameters", Some("false")).expect("a switch");
    settings.set(model.option, Some("<default>")).expect("what is said");
    assert!(settings.parameters == Parameters::default(), "what was not listed is set to what is said");
}

/// The file of a small network that was trained with a share of the classical evaluation, or without a recorded share.
fn network_file(folder: &tempfile::TempDir, name: &str, facts: &str) -> String {
    let parts = Parts { facts: facts.to_owned(), ..Parts::zero(32, 1) };
    let path = folder.path().join(name).display().to_string();
    std::fs::write(&path, Network::new(&parts).expect("small numbers").encode()).expect("a file");
    path
}

const ALONE: &str = r#"{"plan":{"classical":0.0}}"#;
const QUARTER: &str = r#"{"plan":{"classical":0.25}}"#;

/// A network that was trained alone was blended with the classical evaluation without a remark.
#[test]
fn a_network_is_used_with_the_share_it_was_trained_with() {
    let folder = tempfile::tempdir().expect("a folder");
    let [alone, quarter] =
        [("a.nnue", ALONE), ("b.nnue", QUARTER)].map(|(name, facts)| network_file(&folder, name, facts));
    let share = |settings: &UciSettings| settings.parameters.network.classical;
    let mut settings = fresh();
    for (file, expected) in [(alone.as_str(), 0), (&quarter, 25), ("<default>", 40), (&alone, 0), ("<classical>", 40)] {
        let remarks = settings.set("EvalFile", Some(file)).expect("a network");
        assert_eq!(share(&settings), expected, "{file}");
        assert!(remarks.iter().all(|remark| remark.ends_with(&format!("classical share {expected} %"))), "{remarks:?}");
    }
    settings.set("EvalFile", Some(&alone)).expect("a network");
    settings.set("Profile", Some("default")).expect("built in");
    assert_eq!(share(&settings), 0, "the network stays, and its share with it");
}

#[test]
fn a_share_that_is_set_stays_and_differs_with_a_warning() {
    let folder = tempfile::tempdir().expect("a folder");
    let alone = network_file(&folder, "a.nnue", ALONE);
    let is_warning = |remarks: &[String]| {
        remarks.iter().any(|remark| remark.contains("classical share of 0 %, but network.classical is 40"))
    };
    let mut settings = fresh();
    settings.set("EvalFile", Some(&alone)).expect("a network");
    assert!(is_warning(&settings.set("network.classical", Some("40")).expect("in range")));
    assert_eq!(settings.parameters.network.classical, 40);
    let mut settings = fresh();
    settings.set("network.classical", Some("40")).expect("in range");
    assert!(is_warning(&settings.set("EvalFile", Some(&alone)).expect("a network")), "in the other order");
    assert_eq!(settings.parameters.network.classical, 40, "the default counts as set, too");
    assert_eq!(settings.set("network.classical", Some("0")).expect("in range"), Vec::<String>::new());
    let mut settings = fresh();
    settings.set("Profile", Some("tactical")).expect("built in");
    let remarks = settings.set("EvalFile", Some(&alone)).expect("a network");
    assert!(remarks[1].contains("network.classical is 45"), "a profile sets it: {remarks:?}");
    let silent = network_file(&folder, "c.nnue", "");
    let remarks = fresh().set("EvalFile", Some(&silent)).expect("a network");
    assert!(remarks[1].contains("lacks the classical share"), "{remarks:?}");
}

/// GUIs send every option that they were shown at its default: that leaves the share to the network.
#[test]
fn a_default_that_a_gui_sends_leaves_the_share_to_the_network() {
    let folder = tempfile::tempdir().expect("a folder");
    let alone = network_file(&folder, "a.nnue", ALONE);
    for first in [true, false] {
        let mut settings = fresh();
        settings.set("Show Parameters", Some("true")).expect("a switch");
        let own = |settings: &mut UciSettings| settings.set("EvalFile", Some(&alone)).map(drop).expect("a network");
        if first {
            own(&mut settings);
        }
        settings.set("network.tempo", Some("15")).expect("in range");
        settings.set("network.classical", Some("40")).expect("in range");
        if !first {
            own(&mut settings);
        }
        let network = settings.parameters.network;
        assert_eq!((network.classical, network.tempo), (0, 15), "network first: {first}");
    }
}

#[test]
fn empty_texts_are_fine() {
    let mut settings = fresh();
    for value in [Some("<empty>"), Some(""), None] {
        assert_eq!(settings.set("SyzygyPath", value), Ok(vec![]));
        assert_eq!(settings.set("EvalFile", value), Ok(vec![]));
    }
}

#[test]
fn a_profile_replaces_the_parameters_and_single_ones_can_follow() {
    let mut settings = fresh();
    let classic = profile::builtin("classic").expect("built in");
    assert_eq!(settings.set("profile", Some("CLASSIC")), Ok(vec![]));
    assert_eq!(settings.parameters, classic);
    let entry = Parameters::specs().find(|entry| entry.spec.kind == ParameterKind::Switch).expect("a switch");
    let flipped = 1 - classic.get(&entry.name).expect("exists");
    settings.set(&entry.name.to_uppercase(), Some(if flipped == 1 { "true" } else { "false" })).expect("a switch");
    assert_eq!(settings.parameters.get(&entry.name), Ok(flipped));
    settings.set("Profile", Some("default")).expect("built in");
    assert_eq!(settings.parameters, Parameters::default());
}

#[test]
fn own_parameters_are_the_default_and_can_be_restored() {
    let mut own = Parameters::default();
    let entry = Parameters::specs().find(|entry| entry.spec.kind == ParameterKind::Number).expect("a number");
    let changed = if entry.spec.default == entry.spec.max { entry.spec.min } else { entry.spec.max };
    own.set(&entry.name, changed).expect("in range");
    let mut settings = UciSettings::new(own.clone());
    settings.always_listed = true;
    let options: Vec<Declaration> = settings.list();
    let shown = options.iter().find(|option| option.name == entry.name).expect("listed");
    assert!(matches!(shown.kind, OptionKind::Spin { default, .. } if default == i64::from(changed)));
    settings.set("Profile", Some("default")).expect("built in");
    assert_eq!(settings.set("Profile", Some("custom")), Ok(vec![]));
    assert_eq!(settings.parameters, own);
    assert!(fresh().set("Profile", Some("custom")).is_err());
}
