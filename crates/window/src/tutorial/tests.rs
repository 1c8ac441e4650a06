use super::count::{Counted, classical, engine, listed, with};
use super::page::PageLocation;
use super::selective::{CHECKS, CHECKS_ITERATIONS, HANGING, WHOLE_CHECKS, ZUGZWANG, ZUGZWANG_ITERATIONS};
use super::*;
use quarterply_engine::shakmaty::CastlingMode;

const SHALLOW: Depths = Depths { small: 3, large: 2, rules: 2 };

fn game(fen: &str) -> Game {
    Game::from_fen(fen, CastlingMode::Standard).expect(fen)
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
    ] {
        assert!(text.contains(expected), "{expected}");
    }
    assert!(text.lines().all(|line| line == line.trim_end()), "no line ends with a blank");
}

/// Trees are pages inside the page: their text must not end the attribute that holds them.
#[test]
fn the_page_has_every_chapter_and_a_tree_in_each() {
    let page = page(SHALLOW, PageLocation::Server).expect("the page");
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
    assert!(page.contains("href=\"/?fen=rnbqkb1r%2Fpppp1ppp"));
}

#[test]
fn the_queen_is_lost_only_without_quiescence() {
    let place = game(HANGING);
    assert_eq!(listed(&place, 1).best, "Qxf6");
    assert_ne!(listed(&place, 2).best, "Qxf6", "the recapture is seen");
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
        let seen = |found: Counted| found.best == "Ng4" && found.count.value.0 > WON;
        CHECKS_ITERATIONS.filter(|&depth| seen(found(depth))).count()
    };
    let (plain, extended) = (times(&[]), times(WHOLE_CHECKS));
    assert!(plain < extended, "{plain} {extended}");
}

/// What a block tells one to type makes the search that it shows.
#[test]
fn a_search_to_walk_through_says_how_it_is_made() {
    let searched = ExampleSearch { game: game(CHECKS), profile: "classic", set: WHOLE_CHECKS, depth: 3 };
    let command = searched.command();
    assert!(
        command.contains("--profile classic --set \"EvalFile=<classical>\" --set check.on=true --set check.quarters=4 --set check.losing_share=100 --depth 3"),
        "{command}"
    );
    for (name, value) in WHOLE_CHECKS.iter().chain(&[("null_move.on", 1), ("late_move_reduction.on", 1)]) {
        assert_eq!(with(&classical("classic"), &[(name, *value)]).get(name), Ok(*value), "{name}");
    }
    assert_eq!(searched.parameters().get("check.quarters"), Ok(4));
}
