//! Cases that this engine, or others, once answered wrongly.

use crate::common::{TestClient, any, best};
use quarterply_uci::info::Info;
use shakmaty::uci::UciMove;

/// The lines with an exact score.
fn scored(lines: &[String]) -> Vec<Info> {
    let infos = lines.iter().filter_map(|line| line.parse::<Info>().ok());
    infos.filter(|info| info.value.is_some() && info.bound.is_none()).collect()
}

/// The first move of the last line of each rank from 1 to `ranks`.
fn latest(lines: &[String], ranks: usize) -> Vec<UciMove> {
    let infos = scored(lines);
    let last =
        |rank| infos.iter().rfind(|info| info.number == Some(rank)).unwrap_or_else(|| panic!("{rank}: {lines:?}"));
    (1..=ranks).map(|rank| last(rank).line[0]).collect()
}

#[test]
fn after_a_stop_each_rank_has_another_move() {
    let mut client = TestClient::new();
    for (ranks, nodes) in [(2, 450), (3, 700), (4, 1000), (20, 3000), (20, 1), (1, 1)] {
        let lines = client
            .go(&format!("setoption name MultiPV value {ranks}\nucinewgame\nposition startpos\ngo nodes {nodes}"));
        let mut moves = latest(&lines, ranks);
        assert_eq!(moves[0].to_string(), best(&lines), "{ranks} lines, {nodes} nodes");
        moves.sort_by_key(ToString::to_string);
        moves.dedup();
        assert_eq!(moves.len(), ranks, "{ranks} lines, {nodes} nodes: {lines:?}");
    }
}

/// The limit on output skipped single lines, so that iterations were printed in part.
#[test]
fn many_lines_are_written_for_whole_iterations() {
    const MOVES: usize = 20;
    let mut client = TestClient::new();
    let lines = client.go("setoption name MultiPV value 256\nposition startpos\ngo depth 9");
    let infos = scored(&lines);
    assert!(infos.len() < 9 * MOVES, "not every iteration is written: {}", infos.len());
    for iteration in infos.chunks(MOVES) {
        let ranks: Vec<_> = iteration.iter().map(|info| info.number).collect();
        assert_eq!(ranks, (1..=MOVES).map(Some).collect::<Vec<_>>(), "{lines:?}");
        assert!(iteration.iter().all(|info| info.depth == iteration[0].depth), "{lines:?}");
    }
}

/// The previous position was searched, and the move was illegal for the GUI.
#[test]
fn after_a_refused_position_there_is_no_move_and_a_reason() {
    let mut client = TestClient::new();
    for (refused, reason) in [
        ("position fen xyzzy", "xyzzy"),
        ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "8/8/8/8/8/8/8/8 w"),
        ("position fen 4k2R/8/8/8/8/8/8/4K3 w - - 0 1", "4k2R/8"),
        ("position fen P3k3/8/8/8/8/8/8/4K3 w - - 0 1", "P3k3/8"),
        ("position startpos moves e2e5", "e2e5"),
        ("position startpos moves e2e4 e2e4", "e2e4"),
        ("position startpos moves e2e4 0000", "0000"),
        ("position startpos moves e2e4 \u{fc}\u{fc}", "\u{fc}\u{fc}"),
        ("position", "write `position startpos` or `position fen FEN`"),
        ("position fen", "write `position startpos` or `position fen FEN`"),
    ] {
        for (go, release) in
            [("go depth 3", ""), ("go wtime 100 btime 100", ""), ("go", "stop"), ("go infinite", "stop")]
        {
            client.send("position startpos moves d2d4");
            client.send(refused);
            let lines = client.sync();
            assert!(lines.len() == 1 && lines[0].starts_with("info string ") && lines[0].contains(reason), "{lines:?}");
            client.send(go);
            let lines = client.sync();
            let answered = any(&lines, "bestmove");
            assert_eq!(answered, release.is_empty(), "{refused}, {go}: {lines:?}");
            assert!(lines[0].starts_with("info string cannot search: ") && lines[0].contains(reason), "{lines:?}");
            let last = if answered { lines } else { client.go(release) };
            assert_eq!(last.last().map(String::as_str), Some("bestmove 0000"), "{refused}, {go}");
        }
        client.send("go perft 2");
        assert!(any(&client.sync(), "info string cannot search: "));
        client.send("d");
        assert!(any(&client.sync(), "FEN: rnbqkbnr/pppppppp/8/8/3P4/8/"), "{refused}: the old position stays");
    }
    client.send("go ponder wtime 100 btime 100");
    assert!(!any(&client.sync(), "bestmove"), "not before ponderhit");
    assert_eq!(best(&client.go("ponderhit")), "0000");
    client.send("position startpos moves e2e4");
    assert!(client.sync().is_empty());
    let found = best(&client.go("go depth 3"));
    assert!(found.ends_with(['5', '6']), "{found} is a move of Black");
    client.send_bytes(b"position fen \xff\xfe\x00 w\n");
    assert!(any(&client.sync(), "info string "));
}

/// A forgotten `moves`, and a FEN after `startpos`, were skipped without a word: the initial position was searched.
#[test]
fn a_position_with_moves_or_a_fen_in_the_wrong_place_is_refused() {
    let mut client = TestClient::new();
    for (line, message) in [
        ("position startpos e2e4 e7e5", "`e2e4` is not part of a position; write `position startpos moves e2e4`"),
        (
            "position startpos fen 8/8/8/8/8/8/8/8 w - -",
            "`fen` is not part of a position; leave out `startpos` or `fen`",
        ),
    ] {
        client.send(line);
        assert_eq!(client.sync(), [format!("info string cannot set up the position: {message}")], "{line}");
        assert_eq!(best(&client.go("go depth 1")), "0000", "{line}");
    }
    client.send("position startpos please moves e2e4");
    assert_eq!(client.sync(), ["info string `please` is not part of a position and is skipped"]);
    assert!(best(&client.go("go depth 1")).ends_with(['5', '6']));
}

/// `eval` showed the position before the refused one, and the refusal of a search named action and remedy twice.
#[test]
fn after_a_refused_position_nothing_is_evaluated_and_the_reason_is_given_once() {
    let mut client = TestClient::new();
    for (line, reason) in [
        (
            "position startpos moves e2e5",
            "`e2e5` is illegal in rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        ),
        ("position startpos d2d4", "`d2d4` is not part of a position"),
    ] {
        client.send(line);
        client.sync();
        for (command, action) in [("eval", "evaluate"), ("go perft 1", "search")] {
            client.send(command);
            let expected =
                format!("info string cannot {action}: the last position was refused ({reason}); send a legal one");
            assert_eq!(client.sync(), [expected]);
        }
    }
    client.send("position startpos\neval");
    assert!(any(&client.sync(), "Final"));
}

#[test]
fn impossible_castling_rights_are_dropped_with_a_warning() {
    let mut client = TestClient::new();
    for (fen, kept) in [
        ("8/8/8/8/8/5k2/8/5K1R w K - 0 1", "-"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "KQ"),
        ("r3k2r/8/8/8/8/8/8/4K3 b KQkq - 0 1", "kq"),
    ] {
        client.send(&format!("position fen {fen}"));
        let lines = client.sync();
        assert!(lines.len() == 1 && lines[0].starts_with("info string castling rights `"), "{lines:?}");
        assert!(lines[0].contains("are dropped") && lines[0].contains("UCI_Chess960"), "{lines:?}");
        client.send("d");
        assert!(any(&client.sync(), &format!(" {kept} - 0 1")), "{fen}");
        assert_ne!(best(&client.go("go depth 3")), "0000", "{fen}");
    }
    client.send("position fen 4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1 moves e1g1");
    assert!(client.sync().is_empty(), "nothing to warn of");
}

/// Some shells write one before the first line.
#[test]
fn a_byte_order_mark_before_the_first_command_is_ignored() {
    let mut client = TestClient::new();
    client.send("\u{feff}uci");
    assert!(client.until("uciok")[0].starts_with("id name"));
    let mut client = TestClient::new();
    client.send_bytes(b"\xef\xbb\xbfposition startpos moves e2e4\r\n");
    assert!(client.sync().is_empty());
    assert!(best(&client.go("go depth 2")).ends_with(['5', '6']));
}

/// The side that was mated in two was searched to the greatest depth there is.
#[test]
fn a_mate_that_is_suffered_ends_a_search_for_a_mate() {
    let mut client = TestClient::new();
    for (fen, moves, found) in [
        ("8/6k1/R7/8/8/8/1R6/K7 b - - 0 1", 2, -2),
        ("8/6k1/R7/8/8/8/1R6/K7 b - - 0 1", 7, -2),
        ("7k/8/6K1/8/8/8/8/R7 b - - 0 1", 1, -1),
        ("7k/8/8/6K1/8/8/8/R7 w - - 0 1", 2, 2),
    ] {
        let lines = client.go(&format!("ucinewgame\nposition fen {fen}\ngo mate {moves}"));
        assert!(any(&lines, &format!("score mate {found} ")), "{fen}: {lines:?}");
        let deepest = scored(&lines).iter().filter_map(|info| info.depth).max();
        assert!(deepest < Some(40), "{fen}: {deepest:?}");
    }
}

/// `info` said `mate 1 pv c7c8`, and another mate was begun, twelve moves long.
#[test]
fn a_weakened_player_gives_the_mate_that_it_has_found() {
    let mut client = TestClient::new();
    client.send("setoption name UCI_LimitStrength value true");
    for (elo, seed) in [(2400, 1), (2400, 2), (2000, 3), (1600, 4), (1600, 5)] {
        client.send(&format!("setoption name UCI_Elo value {elo}\nsetoption name Strength Seed value {seed}"));
        client.send("ucinewgame\nposition fen 7k/2R5/2pB1p1K/p4P2/8/p6P/8/8 w - - 3 55");
        let lines = client.go("go movetime 300");
        assert_eq!(best(&lines), "c7c8", "{elo}, {seed}: {lines:?}");
    }
}

/// The last line showed the nodes of the last finished iteration only.
#[test]
fn the_last_line_has_all_nodes_of_the_search() {
    let mut client = TestClient::new();
    for nodes in [700, 20_000, 100_000] {
        for go in ["go", "go searchmoves d2d4"] {
            let lines = client.go(&format!("ucinewgame\nposition startpos\n{go} nodes {nodes}"));
            let last = lines.iter().rev().find(|line| line.starts_with("info depth")).expect("a line");
            assert!(last.contains(&format!(" nodes {nodes} ")), "{lines:?}");
        }
    }
    let lines = client.go("ucinewgame\nposition startpos\ngo depth 6");
    let depths: Vec<_> = scored(&lines).iter().filter_map(|info| info.depth).collect();
    assert_eq!(depths, [1, 2, 3, 4, 5, 6], "nothing is said twice");
}
