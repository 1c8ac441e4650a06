//! `quarterply params` from the outside.

use crate::support::{contents, file, folder, quarterply, refused, succeeds, words};

#[test]
fn every_form_lists_the_parameter() {
    for (format, needle) in [
        ("table", "null_move.base"),
        ("json", "\"name\": \"null_move.base\""),
        ("toml", "[null_move]"),
        ("markdown", "## `null_move`"),
        ("openbench", "null_move.base, int, "),
        ("fishtest", "null_move.base,"),
        ("weather-factory", "\"null_move.base\": {"),
        ("ctt", "\"null_move.base\": \"Integer("),
    ] {
        let run = succeeds(&["params", "--format", format]);
        assert!(run.out.contains(needle), "{format}\n{}", run.out);
    }
}

#[test]
fn the_toml_form_is_a_profile() {
    let run = quarterply(&["params", "--format", "toml", "--set", "null_move.on=false"]);
    let (_folder, profile) = file("mine.toml", run.out.as_bytes());
    let again = quarterply(&["params", "--format", "toml", "--profile", &profile]);
    assert_eq!(again.out, run.out);
    assert!(run.out.contains("on = false"), "{}", run.out);
}

#[test]
fn a_selection_is_shown_alone() {
    let run = quarterply(&["params", "null_move.base", "--format", "fishtest"]);
    assert_eq!(run.out.lines().count(), 1, "{}", run.out);
}

#[test]
fn coefficients_are_printed_as_a_file_that_is_read_back() {
    let run = quarterply(&["params", "learned_cost.coefficients"]);
    assert!(run.code == Some(0) && run.out.contains("\n[weights]\nbias = "), "{}{}", run.out, run.err);
    let changed = run.out.replace("\nbias = ", "\nbias = 1").replace("bias = 1-", "bias = -1");
    let (_folder, path) = file("own.toml", changed.as_bytes());
    let own = format!("learned_cost.coefficients={path}");
    let again = quarterply(&["params", "Learned_Cost.Coefficients", "--set", &own]);
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!((again.code, words(&again.out)), (Some(0), words(&changed)));
    let toml = quarterply(&["params", "learned_cost", "--format", "toml", "--set", &own]).out;
    let (_other, profile) = file("profile.toml", toml.as_bytes());
    let bench = |profile: &str| {
        let run = succeeds(&words!("bench 4 --quiet --profile {profile} --set learned_cost.on=true"));
        run.out.split(' ').next().map(str::to_owned)
    };
    let with = bench(&format!("default --set {own}"));
    assert_ne!(with, bench("default"));
    assert_eq!(with, bench(&profile), "the profile names the file");
    for (text, needle) in [
        (changed.replace("version = 1", "version = 9"), "its version is 9, and this program reads version 1"),
        (changed.replace("\nnumber = ", "\nnombre = "), "did you mean `number`?"),
        (changed.replace("\nbias = ", "\n# "), "`bias` is missing in `[weights]`"),
        (changed.replace("\nbias = ", "\nbias = 99999 # "), "expected a whole number from -16384 to 16384"),
    ] {
        let (_bad, path) = file("bad.toml", text.as_bytes());
        let run = quarterply(&words!("bench 4 --set learned_cost.coefficients={path}")).ends(2);
        run.says(&[needle, "bad.toml"]);
    }
}

#[test]
fn useless_input_is_refused_with_code_2() {
    let (_a, empty) = file("empty.toml", b"");
    let (_b, binary) = file("binary.toml", b"\xff\x00");
    let (_c, cut) = file("cut.toml", b"[null_move]\r\non = tr");
    for (arguments, needle) in [
        (vec!["params", "no_such_rule"], "cannot list `no_such_rule`: not a rule or parameter"),
        (vec!["params", "--format", "xml"], "xml"),
        (vec!["params", "--openings", "no.epd"], "cannot use --openings without --format ctt"),
        (vec!["params", "--format", "json", "--json", "-"], "cannot use --json with --format json"),
        (vec!["params", "learned_cost.coefficients", "--json", "-"], "cannot use --json with a file of coefficients"),
        (vec!["params", "--set", "null_move.base"], "it has no `=`"),
        (vec!["params", "--profile", "/no/such.toml"], "cannot read `/no/such.toml`"),
        (vec!["params", "--profile", &empty], "empty.toml`: it is empty"),
        (vec!["params", "--profile", &binary], "binary.toml:1: not a text file"),
        (vec!["params", "--profile", &cut], "cut.toml:2: `on = tr` is not TOML"),
    ] {
        refused(&arguments, needle);
    }
}

/// Names a Python that has chess-tuning-tools (examples/python/load_ctt.py says how to get one).
const CTT_PYTHON: &str = "QUARTERPLY_CTT_PYTHON";
const CTT_LOADER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/python/load_ctt.py");

#[test]
fn chess_tuning_tools_understands_the_export() {
    let (_folder, at) = folder();
    let (openings, config) = (at("openings.epd"), at("ctt.json"));
    let run = succeeds(&["params", "null_move", "--format", "ctt", "--openings", &openings]);
    // Its documented rules: two engines, ranges as calls, a file of openings that is there.
    let read = run.value();
    assert_eq!(read["engines"].as_array().map(Vec::len), Some(2));
    assert_eq!(read["opening_file"].as_str(), Some(openings.as_str()));
    let book = contents(&openings);
    assert!(book.lines().count() > 100, "{book}");
    for (name, range) in read["parameter_ranges"].as_object().expect("ranges") {
        let numbers = range.as_str().and_then(|range| range.strip_prefix("Integer(")?.strip_suffix(')'));
        let ends: Vec<i64> = numbers.unwrap_or_default().split(", ").filter_map(|end| end.parse().ok()).collect();
        assert!(ends.len() == 2 && ends[0] < ends[1], "{name}: {range}");
        assert!(read["engines"][1]["fixed_parameters"][name].is_i64(), "{name} is not kept by the second engine");
    }
    let Some(python) = std::env::var_os(CTT_PYTHON) else {
        eprintln!("{CTT_PYTHON} is not set: the tool itself does NOT read the export");
        return;
    };
    std::fs::write(&config, &run.out).expect("a file");
    let loaded = std::process::Command::new(python).arg(CTT_LOADER).arg(&config).output().expect("Python runs");
    assert!(loaded.status.success(), "{}", String::from_utf8_lossy(&loaded.stderr));
    assert!(String::from_utf8_lossy(&loaded.stdout).contains("null_move.base"));
}
