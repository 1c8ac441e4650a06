use super::page::{AnalysedMistake, ReviewReport, expectations, page};
use super::*;
use quarterply_engine::rules::Rule;
use quarterply_engine::shakmaty::CastlingMode;
use std::sync::LazyLock;

/// A curve that is easy to follow: a pawn is worth a quarter of a point.
fn expect(score: Score, _: &Board) -> f64 {
    const PAWN: f64 = 400.0;
    (0.5 + f64::from(score.0) / PAWN).clamp(0.0, 1.0)
}

fn settings(nodes: u64) -> ReviewSettings<'static> {
    static CLASSICAL: LazyLock<Parameters> = LazyLock::new(Parameters::classical);
    let limits = Box::leak(Box::new(Limits::nodes(nodes)));
    ReviewSettings { parameters: &CLASSICAL, profile: "default", limits, hash: 1, rules: 4, node_factor: 8 }
}

fn played(fen: &str, moves: &[&str]) -> Game {
    let mut game = Game::standard(fen).expect(fen);
    moves.iter().for_each(|mv| {
        game.play_uci(mv).expect(mv);
    });
    game
}

/// The positions of a game, their values and the reviews of its moves.
type Reviewed = (Vec<Game>, Vec<PositionValue>, Vec<MoveReview>);

fn report<'a>((places, values, reviews): &'a Reviewed, mistakes: &'a [AnalysedMistake]) -> ReviewReport<'a> {
    ReviewReport { title: "A <b> - C & D", origin: &[], places, values, reviews, mistakes, stopped: None }
}

fn reviewed(game: &Game, nodes: u64) -> Reviewed {
    let (places, settings) = (positions(game), settings(nodes));
    let search = |place| search_position(place, &settings, settings.limits.clone(), &Control::default());
    let values: Vec<PositionValue> = places.iter().map(|place| search(place).expect("memory")).collect();
    let reviews = review_moves(&places, &values, &expect);
    (places, values, reviews)
}

/// Black lets a mate in one happen, then White takes it.
const MATE: (&str, [&str; 2]) = ("6k1/5ppp/8/8/8/1q6/5PPP/3R2K1 b - - 0 1", ["b3b2", "d1d8"]);

#[test]
fn a_move_loses_what_its_side_could_expect() {
    let (_, values, reviews) = reviewed(&played(MATE.0, &MATE.1), 3000);
    let [blunder, mate] = &reviews[..] else { panic!("two moves") };
    assert_eq!((blunder.grade(), mate.grade()), (Grade::Blunder, Grade::Fine));
    assert!(blunder.before > Score(300) && blunder.after == Score::mated_in(Ply(2)), "{blunder:?}");
    assert_eq!([blunder.after, mate.before, mate.after].map(crate::words::score), ["-#1", "#1", "#1"]);
    assert_eq!(blunder.expected[1], 0.0);
    assert!((blunder.lost - blunder.expected[0]).abs() < 1e-9);
    assert_eq!((mate.lost, mate.expected), (0.0, [1.0, 1.0]));
    assert_eq!(values[2].score, Score::mated_in(Ply(0)), "after mate nothing is searched");
}

#[test]
fn the_best_and_the_only_move_lose_nothing() {
    // The only move; the value after it is far below that before it, where a shallow search saw nothing.
    let places = positions(&played("7k/8/6K1/8/8/8/8/R7 b - - 0 1", &["h8g8"]));
    let value = |score: i32, best: &str| PositionValue {
        score: Score(score),
        line: vec![places[0].parse_uci(best).expect(best)],
        ..PositionValue::default()
    };
    let after = PositionValue { line: Vec::new(), ..value(900, "h8g8") };
    assert_eq!(review_moves(&places, &[value(0, "h8g8"), after.clone()], &expect)[0].lost, 0.0);
    let places = positions(&played("7k/8/4K3/8/8/8/8/R7 b - - 0 1", &["h8g8"]));
    let free = review_moves(&places, &[value(0, "h8g8"), after.clone()], &expect);
    assert_eq!(free[0].lost, 0.0, "the best move");
    let other = PositionValue { line: vec![places[0].parse_uci("h8h7").expect("legal")], ..value(0, "h8g8") };
    let reviews = review_moves(&places, &[other, after], &expect);
    assert_eq!((reviews[0].lost, reviews[0].grade()), (0.5, Grade::Blunder), "another move was better");
    let doubted = MoveReview { doubted: true, ..reviews[0].clone() };
    assert_eq!(doubted.grade(), Grade::Fine, "unless a second look finds little wrong with it");
}

#[test]
fn grades_begin_at_their_limits() {
    for (lost, grade) in [
        (0.0, Grade::Fine),
        (0.0499, Grade::Fine),
        (INACCURACY, Grade::Inaccuracy),
        (0.0999, Grade::Inaccuracy),
        (MISTAKE, Grade::Mistake),
        (BLUNDER, Grade::Blunder),
        (1.0, Grade::Blunder),
    ] {
        assert_eq!(Grade::of(lost), grade, "{lost}");
    }
}

/// A loss of 9.85 % was shown as 10 % and graded as an inaccuracy.
#[test]
fn a_loss_is_not_rounded_to_another_grade() {
    for (lost, shown) in [
        (0.0, "0 %"),
        (0.0449, "4 %"),
        (0.0496, "4.96 %"),
        (0.05, "5 %"),
        (0.0985, "9.8 %"),
        (0.0995, "9.95 %"),
        (0.1, "10 %"),
        (0.1049, "10 %"),
        (0.1949, "19 %"),
        (0.1951, "19.5 %"),
        (0.4, "40 %"),
    ] {
        assert_eq!(sentences::percent_lost(lost), shown, "{lost}");
    }
}

/// 0.6 - 0.5 is 0.09999999999999998: a loss of 10 % was an inaccuracy, and `--least 10` left it out.
#[test]
fn a_loss_of_exactly_a_limit_reaches_it() {
    let places = positions(&played("7k/8/4K3/8/8/8/8/R7 b - - 0 1", &["h8g8"]));
    let value = |score: i32, best: &str| PositionValue {
        score: Score(score),
        line: vec![places[0].parse_uci(best).expect(best)],
        ..PositionValue::default()
    };
    let reviews = review_moves(&places, &[value(40, "h8h7"), value(0, "h8h7")], &expect);
    assert_eq!((reviews[0].lost, reviews[0].grade()), (MISTAKE, Grade::Mistake));
}

/// The knight on e4 is taken by a pawn at once: no iteration likes the move.
#[test]
fn an_answer_found_at_depth_1_was_not_missed() {
    let game = played("4k3/pp3ppp/8/3p4/8/2N5/PP3PPP/4K3 w - - 0 1", &[]);
    let mv = game.parse_uci("c3e4").expect("legal");
    let insight = analyse_mistake(&game, mv, Score(200), &settings(3000), &expect, &Control::default());
    let insight = insight.expect("memory").expect("not stopped");
    assert_eq!((insight.turn, &insight.missed), (Some(1), &None), "{:?}", insight.alone.iterations);
    assert_eq!(insight.alone.line[1].to_uci(CastlingMode::Standard).to_string(), "d5e4");
}

/// Every claim of an analysis is repeated by separate searches.
#[test]
fn an_analysis_agrees_with_separate_searches() {
    let game = played("r2q1rk1/1b2bppp/p1n1pn2/1pp5/3P4/P1N1PN2/1PQ1BPPP/R1B2RK1 w - - 0 11", &[]);
    let settings = settings(20_000);
    let search = |parameters: &Parameters, mv, depth| {
        let settings = ReviewSettings { parameters, ..settings };
        let limits = Limits { depth: Some(depth), search_moves: vec![mv], ..Limits::default() };
        search_position(&game, &settings, limits, &Control::default()).expect("memory")
    };
    let mut analysed = 0;
    for mv in game.position().legal_moves() {
        // A best value half a pawn above that of the move makes every move a mistake.
        let usual = search(settings.parameters, mv, 6);
        let best = Score(usual.score.0 + 50);
        let insight = analyse_mistake(&game, mv, best, &settings, &expect, &Control::default());
        let insight = insight.expect("memory").expect("not stopped");
        let Some(turn) = insight.turn else { continue };
        assert!(insight.alone.iterations.iter().all(|seen| (seen.depth >= turn) <= (seen.score <= insight.middle)));
        let Some(missed) = &insight.missed else {
            assert_eq!(turn, 1);
            continue;
        };
        let before = search(settings.parameters, mv, turn - 1);
        assert!(before.score > insight.middle, "the move was bad at depth {} already", turn - 1);
        for trial in missed.trials.iter().filter(|trial| trial.finished).take(1) {
            let mut changed = settings.parameters.clone();
            trial.without.switches().iter().for_each(|name| changed.set(name, 0).expect("a switch"));
            let without = search(&changed, mv, turn - 1);
            assert_eq!(trial.turn.is_some(), without.score <= insight.middle, "{trial:?}");
        }
        analysed += 1;
        if analysed == 6 {
            break;
        }
    }
    assert!(analysed > 2, "{analysed} moves turned bad at a depth above 1");
}

#[test]
fn a_review_becomes_a_page() {
    let game = played(MATE.0, &MATE.1);
    let reviewed = reviewed(&game, 3000);
    let (places, _, reviews) = &reviewed;
    let insight =
        analyse_mistake(&places[0], reviews[0].mv, reviews[0].before, &settings(3000), &expect, &Control::default());
    let mistakes = [AnalysedMistake { place: 0, insight: insight.expect("memory").expect("not stopped") }];
    let report = report(&reviewed, &mistakes);
    let white: Vec<f64> = expectations(&report).into_iter().map(|(_, y)| y).collect();
    assert!(white[0] < 0.25 && white[1..] == [1.0, 1.0], "seen by White: {white:?}");
    let page = page(&report).expect("a page");
    for part in [
        "A &lt;b&gt; - C &amp; D",
        "1... Qb2",
        "Black: 1 blunder",
        "1... Qb2 Rd8#",
        "<svg class=\"board\"",
        "White: no fault",
        "-o ply-1.html",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

/// A move whose loss the second search does not find is named in the table like in its heading, and the text says that it does not
/// count.
#[test]
fn a_loss_that_is_not_confirmed_does_not_count() {
    let mut reviewed = reviewed(&played(MATE.0, &MATE.1), 3000);
    reviewed.2[0].doubted = true;
    let (places, values, reviews) = &reviewed;
    assert_eq!([reviews[0].verdict(), reviews[1].verdict()], ["not confirmed", ""]);
    let (alone, expected) = (values[0].clone(), reviews[0].expected[0]);
    let insight = MistakeAnalysis { alone, middle: Score(0), expected, turn: None, missed: None };
    let sentences = sentences::why(&places[0], &reviews[0], &insight, None);
    assert!(sentences[0].ends_with(", so it is not counted as a mistake."), "{sentences:?}");
    let mistakes = [AnalysedMistake { place: 0, insight }];
    let report = report(&reviewed, &mistakes);
    let page = page(&report).expect("a page");
    assert_eq!(page.matches(">not confirmed</span>").count(), 2, "in the heading and in the table");
    assert!(page.contains("Black: no fault"), "the totals do not count it");
    let stopped = sentences::verdict(&ReviewReport { stopped: Some(9), ..report });
    assert!(stopped.starts_with("Stopped after 2 of 9 half moves; "), "{stopped}");
}

/// With `--rules 0` the report said that no rule was involved, and with a low limit that no single rule hid the refutation.
#[test]
fn involved_rules_that_were_not_tried_are_named() {
    let (places, values, reviews) = reviewed(&played(MATE.0, &MATE.1), 3000);
    let trial = |turn, finished| RuleTrial { without: Rule::Futility, turn, depth: 1, finished };
    let futility = Rule::Futility.name();
    let untried = format!("Rules that were involved, but not tried (--rules): {}.", Rule::NullMove.name());
    for (trials, rules, expected) in [
        (vec![], vec![], "No rule was involved: a search to depth 1 does not find the refutation.".to_owned()),
        (vec![], vec![Rule::NullMove], untried.clone()),
        (
            vec![trial(None, true)],
            vec![],
            format!("No single rule hid the refutation: the same search also misses it without {futility}."),
        ),
        (
            vec![trial(None, true)],
            vec![Rule::NullMove],
            format!("The same search still misses the refutation without {futility}. {untried}"),
        ),
        (
            vec![trial(Some(1), true)],
            vec![],
            format!(
                "Rules that hid the refutation (without any one of them the same search finds it): {futility} (seen at \
                 depth 1)."
            ),
        ),
    ] {
        let missed = Some(MissedReply { trials, untried: rules, ..MissedReply::default() });
        let alone = values[0].clone();
        let insight = MistakeAnalysis { alone, middle: Score(0), expected: 0.0, turn: Some(2), missed };
        let sentences = sentences::why(&places[0], &reviews[0], &insight, None);
        assert_eq!(sentences.last(), Some(&expected));
    }
}

/// The text named a refutation, without a move of it, and the rules that hid it.
#[test]
fn a_move_that_ends_the_game_as_a_draw_has_no_refutation() {
    const AROUND: [&str; 8] = ["a2b2", "g8f8", "b2a2", "f8g8", "a2b2", "g8f8", "b2a2", "f8g8"];
    for (fen, moves, told) in [
        ("7k/5Q2/8/6K1/8/8/8/8 w - - 0 90", &["g5g6"][..], "stalemate"),
        ("6k1/5ppp/8/8/8/8/Q4PPP/6K1 w - - 0 1", &AROUND[..], "three times"),
        ("7k/8/8/5K1P/8/8/8/1Q6 w - - 99 90", &["b1b3"][..], "fifty-move rule"),
        ("8/8/8/8/8/3k4/1q6/K7 w - - 0 1", &["a1b2"][..], "neither side can give mate"),
    ] {
        let (mut places, values, mut reviews) = reviewed(&played(fen, moves), 500);
        let place = places.swap_remove(moves.len() - 1);
        let review = MoveReview { expected: [1.0, 0.5], ..reviews.pop().expect("a review") };
        let missed = Some(MissedReply::default());
        let alone = values[moves.len() - 1].clone();
        let insight = MistakeAnalysis { alone, middle: Score(0), expected: 0.0, turn: Some(2), missed };
        let sentences = sentences::why(&place, &review, &insight, None);
        assert!(sentences.len() == 1 && sentences[0].contains(told), "{fen}: {sentences:?}");
    }
}

#[test]
fn a_search_stopped_from_outside_is_not_whole() {
    let game = Game::new();
    let settings = settings(1000);
    let control = Control::default();
    control.stop();
    assert!(!search_position(&game, &settings, settings.limits.clone(), &control).expect("memory").whole);
    let mv = game.parse_uci("e2e4").expect("legal");
    assert_eq!(analyse_mistake(&game, mv, Score(0), &settings, &expect, &control).expect("memory"), None);
}
