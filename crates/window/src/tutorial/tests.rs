use super::count::{CountedSearch, classical, engine, minimax, with};
use super::page::PageLocation;
use super::selective::{CHECKS, CHECKS_ITERATIONS, HANGING, TWO_BUDGETS, WHOLE_CHECKS, ZUGZWANG, ZUGZWANG_ITERATIONS};
use super::*;
use std::time::{Duration, Instant};

const SHALLOW: Depths = Depths { small: 3, large: 2, rules: 2 };

fn game(fen: &str) -> Game {
    Game::standard(fen).expect(fen)
}

#[test]
fn the_chapters_print_their_models_and_numbers() {
    let mut out = Vec::new();
    write(&mut out, SHALLOW).expect("the chapters");
    let text = String::from_utf8(out).expect("text");
    for expected in [
        "The better move first: 8 evaluations. The better move last: 10.",
        "As listed: 14 evaluations. By static score: 10.",
        "line 1.Ng6+ Kg8 2.Nxe5  value 9.000",
        "alpha-beta, ordered",
        "null_move",
        "two budgets",
        "realization probability",
        "11. Realization probability",
        "the first two moves cost a ply at most",
        "The middlegame of chapter 4, 2 plies deep:",
        "\n1 ply deep:",
    ] {
        assert!(text.contains(expected), "{expected}");
    }
    assert!(text.lines().all(|line| line == line.trim_end()), "no line ends with a blank");
    let mut files: Vec<&str> = text.lines().filter_map(|line| Some(line.split_once(" -o ")?.1)).collect();
    assert!(files.contains(&"chapter-6-2.html"), "{files:?}");
    let count = files.len();
    files.sort_unstable();
    files.dedup();
    assert_eq!(files.len(), count, "no command overwrites the file of another: {files:?}");
}

/// Trees are pages inside the page: their text must not end the attribute that holds them.
#[test]
fn the_page_has_every_chapter_and_a_tree_in_each() {
    let page = page(SHALLOW, PageLocation::Site).expect("the page");
    for number in 1..=CHAPTERS.len() {
        assert!(page.contains(&format!("id=\"chapter-{number}\"")), "{number}");
    }
    let frames: Vec<&str> = page.split("<iframe ").skip(1).collect();
    assert!(frames.len() > CHAPTERS.len(), "{}", frames.len());
    for frame in frames {
        let (_, inside) = frame.split_once("srcdoc=\"").expect("a page inside");
        let (inside, after) = inside.split_once('"').expect("the end of the attribute");
        assert!(
            inside.ends_with("&lt;/html&gt;\n") && after.starts_with(" loading"),
            "{}",
            &inside[inside.len() - 60..]
        );
    }
    assert!(page.contains("href=\"index.html?fen=rnbqkb1r%2Fpppp1ppp"));
}

/// A server makes a chapter when it is asked for: the page opens with the first one.
#[test]
fn a_server_makes_chapters_on_demand() {
    const OPEN_MAX: Duration = Duration::from_secs(2);
    let start = Instant::now();
    let page = page(Depths::default(), PageLocation::Server).expect("the page");
    assert!(start.elapsed() < OPEN_MAX, "{:?}", start.elapsed());
    assert_eq!(page.matches("data-chapter=").count(), COUNT - 1);
    assert!(page.contains("ALPHA BETA CUTOFF") && !page.contains("/?fen="), "the first chapter alone is there");
    for number in 1..=COUNT {
        let part = chapter_part(number, SHALLOW, PageLocation::Server).expect("a chapter");
        let start = format!("<section><h2 id=\"chapter-{number}\">{number}. ");
        assert!(part.starts_with(&start) && part.ends_with("</section>"), "{number}");
    }
}

/// Chapter 1 has each decision in standard terms and in the notation of A Window into Sargon.
#[test]
fn both_notations_have_the_same_decisions() {
    let (_, make) = CHAPTERS[0];
    let blocks = make(SHALLOW).expect("made");
    let tables = blocks.iter().filter_map(|block| match block {
        ChapterPart::FigureTable(table) if table.head[0] == "node" => Some(table),
        _ => None,
    });
    let rows: Vec<&Vec<String>> = tables.flat_map(|table| &table.rows).collect();
    let model = Model::parse(quarterply_data::EXAMPLES[1]).expect("shipped");
    assert_eq!(rows.len(), model.run().evaluations().count());
    for row in rows {
        let names = [("beta cutoff", "ALPHA BETA CUTOFF"), ("new best", "NEW BEST"), ("fails low", "discard")];
        let fits = |(standard, sargon): &(&str, &str)| row[1].contains(standard) && row[2].ends_with(sargon);
        assert!(names.iter().any(fits), "{row:?}");
        let value = row[1].split(' ').next().expect("a value");
        assert!(row[2].contains(&format!("): {value} [")), "{row:?}");
    }
}

/// The same search has the same figures wherever it is shown: in tables of several chapters and in the trees to walk through.
#[test]
fn the_same_search_has_the_same_figures() {
    let mut known: Vec<(String, u64, i32)> = Vec::new();
    let mut without = Vec::new();
    for (_, make) in CHAPTERS {
        for block in make(SHALLOW).expect("made") {
            match block {
                ChapterPart::Search(searched) => {
                    let trace = searched.record().expect("recorded");
                    let found = engine(&searched.game, searched.depth, &searched.parameters()).expect("memory").count;
                    let view = crate::View::of_trace(&trace, 4000).expect("whole");
                    assert_eq!((view.about.nodes, view.about.value), (found.nodes, found.value.0), "{searched:?}");
                    known.push((format!("{searched:?}"), found.nodes, found.value.0));
                }
                ChapterPart::FigureTable(table) if table.head == trees::COUNTED => {
                    without.extend(table.rows.into_iter().filter(|row| row[0] == "without").map(|row| row[1].clone()))
                }
                _ => {}
            }
        }
    }
    assert!(known.len() > 6, "{known:?}");
    // Null move, reductions at two depths, and the first line of the chapter on rules.
    assert_eq!(without.len(), 4, "{without:?}");
    assert!(without[0] == without[2] && without[2] == without[3], "{without:?}");
}

#[test]
fn the_queen_is_lost_only_without_quiescence() {
    let place = game(HANGING);
    assert_eq!(minimax(&place, 1).best, "Qxf6");
    assert_ne!(minimax(&place, 2).best, "Qxf6", "the recapture is seen");
    for depth in 1..=3 {
        assert_ne!(engine(&place, depth, &classical("classic")).expect("memory").best, "Qxf6", "{depth}");
    }
}

#[test]
fn a_null_move_hides_the_mate_in_zugzwang() {
    let place = game(ZUGZWANG);
    let mates = |set: &[(&str, i32)]| {
        let parameters = with(&classical("classic"), set);
        let seen = |depth| engine(&place, depth, &parameters).expect("memory").count.value.mate_moves() == Some(2);
        ZUGZWANG_ITERATIONS.filter(|&depth| seen(depth)).count()
    };
    assert!(mates(&[]) >= 4, "{}", mates(&[]));
    assert_eq!(mates(&[("null_move.on", 1)]), 0);
}

#[test]
fn an_extension_of_checks_sees_the_attack_earlier() {
    const WON: i32 = 500;
    let place = game(CHECKS);
    let times = |set: &[(&str, i32)]| {
        let parameters = with(&classical("classic"), set);
        let found = |depth| engine(&place, depth, &parameters).expect("memory");
        let seen = |found: CountedSearch| found.best == "Ng4" && found.count.value.0 > WON;
        CHECKS_ITERATIONS.filter(|&depth| seen(found(depth))).count()
    };
    let (plain, extended) = (times(&[]), times(WHOLE_CHECKS));
    assert!(plain < extended, "{plain} {extended}");
}

/// The horizon example: at the same iteration the combination is cut short by dull defences with one budget, and found with two.
#[test]
fn two_budgets_see_past_the_dull_moves_of_the_defender() {
    const WON: i32 = 250;
    let place = game(TWO_BUDGETS);
    let search = |profile: &str, iteration: u32| engine(&place, iteration, &classical(profile)).expect("memory");
    let seen = |profile: &str| {
        let wins = |found: CountedSearch| found.line.starts_with("b2") && found.count.value.0 >= WON;
        (3..=7).find(|&iteration| wins(search(profile, iteration)))
    };
    let (one, two) = (seen("sex"), seen("sex-two"));
    assert!(two.is_some() && one.is_none_or(|one| two.is_some_and(|two| two < one)), "one {one:?}, two {two:?}");
    let nodes = |profile: &str| search(profile, two.unwrap_or_default()).count.nodes;
    assert!(nodes("sex-two") < 3 * nodes("sex"), "with fewer than three times the nodes");
}

/// The command of a block makes the search that it shows.
#[test]
fn the_command_of_an_example_search_has_its_settings() {
    let searched = ExampleSearch { game: game(CHECKS), profile: "classic", set: WHOLE_CHECKS, depth: 3 };
    let command = searched.command(SearchPlace { chapter: 8, number: 1 });
    assert!(
        command.contains("--profile classic --set \"EvalFile=<classical>\" --set check.on=true --set check.quarters=4 --set check.losing_share=100 --depth 3 -o chapter-8-1.html"),
        "{command}"
    );
    let off = ExampleSearch { set: &[("null_move.on", 0)], ..searched.clone() };
    assert!(off.command(SearchPlace { chapter: 8, number: 1 }).contains("--set null_move.on=false "));
    for (name, value) in WHOLE_CHECKS.iter().chain(&[("null_move.on", 1), ("late_move_reduction.on", 1)]) {
        assert_eq!(with(&classical("classic"), &[(name, *value)]).get(name), Ok(*value), "{name}");
    }
    assert_eq!(searched.parameters().get("check.quarters"), Ok(4));
}
