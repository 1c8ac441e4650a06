//! Tests of the extensions and their variants.

use super::*;
use crate::rules::{botvinnik_markoff, capture, classic_singular, deep_search, in_check, pawn_ending, pv, threat};
use crate::testing;

/// Is a line of the breakdown an extension?
fn extends(cost: Depth) -> bool {
    assert!(cost <= Depth::ZERO, "no extension makes a move dearer");
    cost < Depth::ZERO
}

#[test]
fn answers_to_a_check_are_extended_unless_the_check_was() {
    let checked = game("4k3/8/8/8/8/8/8/R3K2r w - - 0 1");
    let calm = game("4k3/8/8/8/8/8/8/R3K3 w - - 0 1");
    let p = in_check::Params { on: true, ..in_check::Params::DEFAULT };
    let mut s = searcher();
    for (name, game, before, once, extended) in [
        ("in check", &checked, Depth::ZERO, true, true),
        ("the check was extended", &checked, Depth::QUARTER, true, false),
        ("both", &checked, Depth::QUARTER, false, true),
        ("no check", &calm, Depth::ZERO, true, false),
    ] {
        let mut n = node(&mut s, game, AT_ZERO, Depth::plies(5), NodeType::Cut);
        n.extended_by = before;
        let c = candidate(n.position, "e1d2");
        assert_eq!(extends(in_check::cost(&in_check::Params { once, ..p }, &n, &c)), extended, "{name}");
        assert_eq!(in_check::cost(&in_check::Params { on: false, ..p }, &n, &c), Depth::ZERO, "{name}");
    }
}

#[test]
fn captures_are_extended_unless_they_lose() {
    let p = capture::Params { on: true, ..capture::Params::DEFAULT };
    let game = game("6k1/8/2p1p3/3p4/4P3/2N5/8/6K1 w - - 0 1");
    let n = node(&mut searcher(), &game, AT_ZERO, Depth::plies(5), NodeType::Cut);
    for (mv, safe, extended) in
        [("e4d5", true, true), ("c3d5", true, false), ("c3d5", false, true), ("c3e2", false, false)]
    {
        let cost = capture::cost(&capture::Params { safe, ..p }, &n, &candidate(n.position, mv));
        assert_eq!(extends(cost), extended, "{mv} {safe}");
    }
}

#[test]
fn only_the_capture_of_the_last_piece_makes_a_pawn_ending() {
    let p = pawn_ending::Params { on: true, ..pawn_ending::Params::DEFAULT };
    let mut s = searcher();
    for (name, fen, mv, extended) in [
        ("the king takes the last piece", "6k1/5pp1/8/8/8/3r4/2K2PP1/8 w - - 0 1", "c2d3", true),
        ("a pawn takes it", "6k1/5pp1/8/8/8/3n4/2P2PP1/6K1 w - - 0 1", "c2d3", true),
        ("a piece takes it and stays", "6k1/5pp1/8/8/8/3r4/2B2PP1/6K1 w - - 0 1", "c2d3", false),
        ("another piece is left", "5bk1/5pp1/8/8/8/3r4/2K2PP1/8 w - - 0 1", "c2d3", false),
        ("a pawn is taken", "6k1/5pp1/8/8/8/3p4/2K2PP1/8 w - - 0 1", "c2d3", false),
        ("too uneven", "6k1/8/8/8/8/3r4/PPK2PP1/8 w - - 0 1", "c2d3", false),
    ] {
        let game = game(fen);
        let n = node(&mut s, &game, AT_ZERO, Depth::plies(5), NodeType::Cut);
        assert_eq!(extends(pawn_ending::cost(&p, &n, &candidate(n.position, mv))), extended, "{name}");
    }
}

#[test]
fn threats_are_what_passing_costs() {
    let game = game(QUIET_MIDDLEGAME);
    let p = threat::Params { on: true, ..threat::Params::DEFAULT };
    let mut n = node(&mut searcher(), &game, AT_ZERO, Depth::plies(5), NodeType::Cut);
    let c = candidate(n.position, "h2h3");
    let margin = Score(p.margin);
    for (passing, kind, extended) in [
        (None, NodeType::Cut, false),
        (Some(-margin), NodeType::Cut, true),
        (Some(-margin + Score(1)), NodeType::Cut, false),
        (Some(-margin), NodeType::Pv, true),
        (Some(-margin), NodeType::All, false),
    ] {
        n.kind = kind;
        n.null_score = passing.map(|less| n.static_eval + less);
        assert_eq!(extends(threat::cost(&p, &n, &c)), extended, "{passing:?} {kind:?}");
    }
}

#[test]
fn a_side_above_beta_that_would_fall_to_alpha_is_searched_on() {
    let game = game(QUIET_MIDDLEGAME);
    let p = deep_search::Params { on: true, ..deep_search::Params::DEFAULT };
    let mut n = node(&mut searcher(), &game, AT_ZERO, Depth::plies(p.depth_max), NodeType::Cut);
    let c = candidate(n.position, "h2h3");
    let eval = n.static_eval;
    let minor = Score(p.minor);
    for (name, beta, passing, plies, open_only, extended) in [
        ("at the bounds", eval, eval - Score(1) - minor, p.depth_max, false, true),
        ("passing costs a little less", eval, eval - minor, p.depth_max, false, false),
        ("the evaluation is below beta", eval + Score(1), eval - minor, p.depth_max, false, false),
        ("too deep", eval, eval - Score(1) - minor, p.depth_max + 1, false, false),
        ("the window is closed", eval, eval - Score(1) - minor, p.depth_max, true, false),
    ] {
        n.window = Window::reaching(beta);
        n.null_score = Some(passing);
        n.depth = Depth::plies(plies);
        let p = deep_search::Params { open_only, ..p };
        assert_eq!(extends(deep_search::cost(&p, &n, &c)), extended, "{name}");
    }
}

#[test]
fn a_threat_persists_when_the_same_move_or_target_comes_back() {
    let black = game("3r2k1/5ppp/8/3r4/8/8/3B1PPP/3B2K1 b - - 0 1");
    let mv = |uci: &str| black.parse_uci(uci).expect(uci);
    let p = botvinnik_markoff::Params { on: true, ..botvinnik_markoff::Params::DEFAULT };
    let quiet = game(QUIET_MIDDLEGAME);
    let mut n = node(&mut searcher(), &quiet, AT_ZERO, Depth::plies(5), NodeType::Cut);
    let c = candidate(n.position, "h2h3");
    for (name, now, before, same_target, persists) in [
        ("the same capture", Some("d5d2"), Some("d5d2"), false, true),
        ("the same quiet move", Some("d5e5"), Some("d5e5"), false, true),
        ("another move", Some("d5e5"), Some("d5d2"), true, false),
        ("nothing before", Some("d5d2"), None, true, false),
        ("nothing now", None, Some("d5d2"), true, false),
    ] {
        (n.threat, n.threat_before) = (now.map(mv), before.map(mv));
        let p = botvinnik_markoff::Params { same_target, ..p };
        assert_eq!(extends(botvinnik_markoff::cost(&p, &n, &c)), persists, "{name}");
    }
    // Another piece takes the same knight.
    let two = game("3r2k1/8/8/8/8/b7/8/2N3K1 b - - 0 1");
    let other = game("2r3k1/8/8/8/8/b7/8/2N3K1 b - - 0 1");
    (n.threat, n.threat_before) = (two.parse_uci("a3c1").ok(), other.parse_uci("c8c1").ok());
    assert!(n.threat.is_some() && n.threat_before.is_some());
    for same_target in [false, true] {
        let p = botvinnik_markoff::Params { same_target, ..p };
        assert_eq!(extends(botvinnik_markoff::cost(&p, &n, &c)), same_target);
    }
}

#[test]
fn the_principal_variation_is_extended_in_three_ways() {
    let game = game(QUIET_MIDDLEGAME);
    let off = pv::Params { on: true, quarters: 0, run_quarters: 0, stable_quarters: 0, ..pv::Params::DEFAULT };
    let mut n = node(&mut searcher(), &game, AT_ZERO, Depth::plies(5), NodeType::Pv);
    let c = candidate(n.position, "h2h3");
    let table = Candidate { from_table: true, ..c.clone() };
    let every = pv::Params { quarters: 1, ..off };
    assert!(extends(pv::cost(&every, &n, &c)));
    n.kind = NodeType::Cut;
    assert!(!extends(pv::cost(&every, &n, &c)), "only there");
    n.kind = NodeType::Pv;
    let run = pv::Params { run: 4, run_quarters: 4, ..off };
    for (before, extended) in [(2, false), (3, true), (4, false), (7, true)] {
        n.table_run = before;
        assert_eq!(extends(pv::cost(&run, &n, &table)), extended, "{before} moves before");
        assert!(!extends(pv::cost(&run, &n, &c)), "not the table's move");
    }
    let stable = pv::Params { stable_share: 80, stable_quarters: 2, ..off };
    n.ply = Ply(2);
    for (run, share, extended) in [(2, 80, true), (2, 79, false), (1, 100, false)] {
        (n.table_run, n.root_share) = (run, share);
        assert_eq!(extends(pv::cost(&stable, &n, &table)), extended, "{run} {share}");
    }
}

#[test]
fn recaptures_can_require_more_conditions() {
    let mut s = searcher();
    let usual = recapture::Params { on: true, ..recapture::Params::DEFAULT };
    let even = recapture::Params { even_only: true, ..usual };
    let restoring = recapture::Params { restores_balance: true, ..usual };
    let anywhere = recapture::Params { same_square: false, ..usual };
    // Black took a piece on d5 with the rook; after exd5 White is a bishop and a pawn ahead.
    let position = game("6k1/8/8/3r4/4P3/p7/8/B5K1 w - - 0 1");
    let black = |victim: &str| game(&format!("3r2k1/8/8/3{victim}4/4P3/p7/8/B5K1 b - - 0 1")).parse_uci("d8d5").ok();
    let after = Score(330);
    for (name, p, captured, victim, balance, extended) in [
        ("on the square", usual, Some(Square::D5), "R", after, true),
        ("elsewhere", usual, Some(Square::A3), "R", after, false),
        ("a capture after a capture", anywhere, Some(Square::A3), "R", after, true),
        ("nothing was captured before", anywhere, None, "R", after, false),
        ("a rook for a rook", even, Some(Square::D5), "R", after, true),
        ("a rook for a knight", even, Some(Square::D5), "N", after, false),
        ("as at the root", restoring, Some(Square::D5), "R", after, true),
        ("not as at the root", restoring, Some(Square::D5), "R", after + Score(100), false),
    ] {
        let mut n = node(&mut s, &position, Window::FULL, Depth::plies(5), NodeType::Pv);
        (n.captured_on, n.previous, n.root_balance) = (captured, black(victim), balance);
        assert_eq!(extends(recapture::cost(&p, &n, &candidate(n.position, "e4d5"))), extended, "{name}");
    }
}

#[test]
fn the_only_reply_may_be_counted_outside_check() {
    let game = game(QUIET_MIDDLEGAME);
    let p = one_reply::Params { anywhere: true, ..one_reply::Params::DEFAULT };
    let mut n = node(&mut searcher(), &game, AT_ZERO, Depth::plies(5), NodeType::Cut);
    assert!(one_reply::counts(&p, &n) && !one_reply::counts(&one_reply::Params::DEFAULT, &n));
    let c = candidate(n.position, "h2h3");
    n.replies = Some(1);
    for (before, extended) in [(Depth::ZERO, true), (Depth::QUARTER, false)] {
        n.extended_by = before;
        assert_eq!(extends(one_reply::cost(&p, &n, &c)), extended, "{before:?}");
    }
}

#[test]
fn far_pawns_have_variants() {
    let mut s = searcher();
    let usual = passed_pawn::Params::DEFAULT;
    let any = passed_pawn::Params { passed_only: false, ..usual };
    let lost = passed_pawn::Params { safe: false, ..usual };
    let quiet = passed_pawn::Params { sixth_captures: false, ..usual };
    for (name, p, fen, mv, extended) in [
        ("stopped", usual, "6k1/2p5/8/1P6/8/8/8/6K1 w - - 0 1", "b5b6", false),
        ("any", any, "6k1/2p5/8/1P6/8/8/8/6K1 w - - 0 1", "b5b6", false),
        ("any, safe", any, "6k1/8/2p5/1P6/8/8/8/6K1 w - - 0 1", "b5b6", true),
        ("lost", usual, "1r4k1/8/1P6/8/8/8/8/6K1 w - - 0 1", "b6b7", false),
        ("even if lost", lost, "1r4k1/8/1P6/8/8/8/8/6K1 w - - 0 1", "b6b7", true),
        ("by capture", usual, "6k1/8/2n5/1P6/8/8/8/6K1 w - - 0 1", "b5c6", true),
        ("not by capture", quiet, "6k1/8/2n5/1P6/8/8/8/6K1 w - - 0 1", "b5c6", false),
    ] {
        let game = game(fen);
        let n = node(&mut s, &game, Window::FULL, Depth::plies(usual.sixth_depth_max), NodeType::Pv);
        assert_eq!(extends(passed_pawn::cost(&p, &n, &candidate(n.position, mv))), extended, "{name}");
    }
}

#[test]
fn mate_threats_count_near_the_leaves_and_the_root_if_enabled() {
    let game = game(QUIET_MIDDLEGAME);
    let mut s = searcher();
    let usual = mate_threat::Params::DEFAULT;
    for (name, p, seen, remembered, extended) in [
        ("seen", usual, true, false, true),
        ("remembered, not asked for", usual, false, true, false),
        ("remembered", mate_threat::Params { remembered: true, ..usual }, false, true, true),
        ("nothing", mate_threat::Params { remembered: true, ..usual }, false, false, false),
        ("deep enough", mate_threat::Params { depth_max: 5, ..usual }, true, false, true),
        ("too deep", mate_threat::Params { depth_max: 4, ..usual }, true, false, false),
        ("near enough", mate_threat::Params { ply_max: 200, ..usual }, true, false, true),
        ("too far", mate_threat::Params { ply_max: 190, ..usual }, true, false, false),
    ] {
        let mut n = node(&mut s, &game, AT_ZERO, Depth::plies(5), NodeType::Cut);
        n.ply = Ply(20); // twice the root depth
        n.mate_threat = seen;
        let entry = testing::entry(Score(0), Bound::Upper, Depth::ZERO);
        n.entry = remembered.then_some(Entry { threat: true, ..entry });
        assert_eq!(extends(mate_threat::cost(&p, &n, &candidate(n.position, "h2h3"))), extended, "{name}");
    }
}

#[test]
fn the_sum_of_extensions_along_a_line_can_be_limited() {
    let game = game(QUIET_MIDDLEGAME);
    let mut n = node(&mut searcher(), &game, AT_ZERO, Depth::plies(5), NodeType::Cut);
    for (line_max, before, granted) in
        [(400, Depth::plies(90), 1024), (50, Depth::plies(4), 1024), (50, Depth(4608), 512), (50, Depth::plies(6), 0)]
    {
        n.extended = before;
        let p = explosion::Params { line_max, ..explosion::Params::DEFAULT };
        assert_eq!(explosion::limit(&p, &n, Depth::ONE_PLY), Depth(granted), "{line_max} {before:?}");
    }
}

#[test]
fn a_table_move_that_stands_out_makes_the_others_dearer() {
    let p = late_move_reduction::Params { table_move_gap: 512, ..late_move_reduction::Params::DEFAULT };
    let game = game(QUIET_MIDDLEGAME);
    let mut n = node(&mut searcher(), &game, AT_ZERO, Depth::plies(12), NodeType::All);
    let c = Candidate { usual_reduction: Depth::plies(3), ..candidate(n.position, "h2h3") };
    let usual = late_move_reduction::cost(&p, &n, &c);
    for (gap, more) in [
        (late_move_reduction::TABLE_MOVE_GAP_MIN, 0),
        (late_move_reduction::TABLE_MOVE_GAP_MIN + 100, 512),
        (9000, late_move_reduction::TABLE_MOVE_GAP_TERM_MAX),
    ] {
        n.table_move_gap = Score(gap);
        assert_eq!(late_move_reduction::cost(&p, &n, &c), usual + Depth(more), "{gap}");
    }
}

#[test]
fn passing_on_the_principal_variation_finds_threats_and_never_cuts() {
    let mut s = searcher();
    let mut parameters = Parameters::classical();
    parameters.null_move.modern = false;
    for pv_threats in [false, true] {
        parameters.null_move.pv_threats = pv_threats;
        s.set_parameters(parameters.clone());
        let threatened = game("3r2k1/5ppp/N7/N6N/8/8/5PPP/7K w - - 0 1");
        let mut n = node(&mut s, &threatened, Window::FULL, Depth::plies(5), NodeType::Pv);
        n.window = Window::new(n.eval - Score(80), n.eval + Score(80));
        assert_eq!(cut!(null_move, s, n), Ok(None));
        assert_eq!(n.mate_threat, pv_threats);
        assert_eq!(n.threat.map(|mv| mv.to()), pv_threats.then_some(Square::D1), "the rook mates");
        let quiet = game(QUIET_MIDDLEGAME);
        let mut n = node(&mut s, &quiet, Window::FULL, Depth::plies(4), NodeType::Pv);
        n.window = Window::new(n.eval - Score(300), n.eval - Score(150));
        assert_eq!(cut!(null_move, s, n), Ok(None), "passing reaches beta, but the value is wanted");
    }
}

#[test]
fn a_move_that_beats_alpha_alone_is_searched_again_deeper() {
    // Taking the rook wins; everything else loses the queen.
    let alone = game("6k1/5ppp/8/8/3r4/8/3Q1PPP/6K1 w - - 0 1");
    let quiet = game(QUIET_MIDDLEGAME);
    for (name, game, mv, on, kind, above, again) in [
        ("it stands alone", &alone, "d2d4", true, NodeType::Cut, 1, true),
        ("off", &alone, "d2d4", false, NodeType::Cut, 1, false),
        ("every move should fail here", &alone, "d2d4", true, NodeType::All, 1, false),
        ("it did not beat alpha", &alone, "d2d4", true, NodeType::Cut, 0, false),
        ("others are as good", &quiet, "h2h3", true, NodeType::Cut, 1, false),
    ] {
        let mut s = classical_with(|all| all.classic_singular.on = on);
        let mut n = node(&mut s, game, AT_ZERO, Depth::plies(6), kind);
        let value = n.eval + Score(if game.fen() == alone.fen() { 400 } else { -250 });
        n.window = Window::above(value - Score(above));
        let c = candidate(n.position, mv);
        let before = s.nodes();
        let p = s.params().classic_singular;
        let found = classic_singular::extend_if_singular(&mut s, &p, &mut n, &c, value).expect("nothing stops it");
        // Its marker: the value is that of a new search of the move itself, not the one handed in.
        let stored = s.table.probe(game.position().play(c.mv).key(), Ply(3));
        assert_eq!(stored.is_some(), again, "{name}: {found:?}, {} nodes", s.nodes() - before);
        assert!(again || found == value, "{name}");
        assert!(n.singular_score.is_none());
    }
    let p = classic_singular::Params::DEFAULT;
    let mut s = searcher();
    let mut n = node(&mut s, &alone, AT_ZERO, Depth::plies(6), NodeType::Cut);
    let c = candidate(n.position, "d2d4");
    assert_eq!(classic_singular::cost(&p, &n, &c), Depth::ZERO);
    n.singular_score = Some(Score(400));
    assert_eq!(classic_singular::cost(&p, &n, &c), -Depth::quarters(p.quarters));
}

#[test]
fn a_threat_outlives_other_searches_of_its_node() {
    let threatened = game("3r2k1/5ppp/N7/N6N/8/8/5PPP/7K w - - 0 1");
    let mut s = searcher();
    let mut n = node(&mut s, &threatened, AT_ZERO, Depth::plies(6), NodeType::Cut);
    n.window = Window::reaching(n.eval - Score(50));
    assert_eq!(cut!(null_move, s, n), Ok(None));
    let threat = n.threat;
    assert_eq!(threat.map(|mv| mv.to()), Some(Square::D1), "the rook mates");
    let seen = |s: &mut Searcher<()>, excluded: u16| {
        s.frame_mut(Ply(2)).excluded = excluded;
        let place = testing::place(Window::reaching(Score(0)), 3, 2, NodeType::Cut);
        let again = s.facts(threatened.position(), place).threat;
        s.frame_mut(Ply(2)).excluded = NO_MOVE;
        again
    };
    let excluded = pack(threatened.parse_uci("h2h3").expect("legal"));
    assert_eq!(seen(&mut s, excluded), threat, "the same node with a move excluded");
    assert_eq!(seen(&mut s, NO_MOVE), None, "a separate search");
    let _ = s.moves(&mut n).expect("nothing stops it");
    assert_eq!(s.frame(Ply(2)).threat, threat, "and the threat is stored again for nodes below");
}
