use super::*;

use quarterply_engine::report::ProgressEvent;
use quarterply_engine::score::Score;

use crate::reporter::Reporter;
use crate::testing::{SharedBuffer, report};

/// How long the search thread of these tests sleeps.
const SLEEP: Duration = Duration::from_millis(600);

fn host() -> ServerHost {
    ServerHost {
        name: "Test 1.0".into(),
        author: "Nobody".into(),
        parameters: Parameters::default(),
        bench: Arc::new(|_, _, _, _| {}),
        profiles: Arc::new(|path| Err(format!("{path}: no such file"))),
        show_parameters: false,
        genfens: Arc::new(|_, _| Ok(())),
    }
}

/// A server with a search thread that writes to this buffer, and the sender of its events.
fn server(buffer: &SharedBuffer, host: ServerHost) -> (Server, Sender<ServerEvent>) {
    let (sender, events) = channel();
    let server = Server::threaded(Output::new(buffer.clone()), host, sender.clone(), events).expect("threads");
    (server, sender)
}

/// A search thread that the system does not schedule in time: it writes one line, then does nothing for a while.
fn delayed_search_thread(jobs: Receiver<SearchJob>, output: Output, sender: Sender<ServerEvent>) {
    thread::spawn(move || {
        for SearchJob { engine, task, reported, .. } in jobs {
            let SearchTask::Search { game, output_format, .. } = task else { continue };
            let root = game.position().chess().clone();
            let mut reporter = Reporter::new(output.clone(), output_format, root, 24, reported);
            let line = ["e2e4", "e7e5"].map(|text| {
                let mut after = Game::new();
                let first = after.play_uci("e2e4").expect("legal");
                if text == "e2e4" { first } else { after.parse_uci(text).expect("legal") }
            });
            let mut report = report(1, Score(20), line.to_vec());
            let _ = reporter.on_event(&ProgressEvent::Iteration(std::slice::from_ref(&report)));
            thread::sleep(SLEEP);
            report.line.truncate(1);
            let _ = reporter.on_event(&ProgressEvent::Iteration(std::slice::from_ref(&report)));
            let finished = Finished { engine, end: Ok("bestmove e2e4".into()) };
            if sender.send(ServerEvent::Search(WorkerReport::Finished(finished))).is_err() {
                return;
            }
        }
    });
}

/// Sends lines to a server with a delayed search thread; returns its output within half the sleep, and in all.
fn serve_events(lines: &[&str]) -> (Vec<String>, Vec<String>) {
    let buffer = SharedBuffer::default();
    let output = Output::new(buffer.clone());
    let (sender, events) = channel();
    let (jobs, todo) = channel();
    delayed_search_thread(todo, output.clone(), sender.clone());
    let server = thread::spawn(move || {
        Server::new(output, host(), Jobs::Thread(jobs), events).serve_events();
    });
    for line in lines {
        sender.send(ServerEvent::Line((*line).into(), Instant::now())).expect("the server listens");
        thread::sleep(Duration::from_millis(50));
    }
    thread::sleep(SLEEP / 3);
    let early = buffer.lines();
    thread::sleep(SLEEP * 2);
    sender.send(ServerEvent::End).expect("the server listens");
    server.join().expect("no panic");
    (early, buffer.lines())
}

#[test]
fn a_search_thread_that_is_not_run_does_not_delay_the_answer() {
    for lines in [
        &["go movetime 30"][..],
        &["go wtime 300 btime 300"],
        &["go infinite", "stop"],
        &["go ponder movetime 10", "ponderhit"],
    ] {
        let (early, all) = serve_events(lines);
        assert_eq!(early.last().map(String::as_str), Some("bestmove e2e4 ponder e7e5"), "{lines:?}: {early:?}");
        assert_eq!(early, all, "{lines:?}: nothing may follow the answer");
    }
}

#[test]
fn clock_time_beyond_the_search_time_is_a_delay() {
    let (mut server, _) = server(&SharedBuffer::default(), host());
    let mut limits = Limits::default();
    limits.time.white = Some(Duration::from_secs(10));
    let usual = server.engine().allotment(&limits, Turn { color: Color::White, number: 1 });
    server.learn_delay(&limits, Color::White);
    server.clock_reading.as_mut().expect("noted").took = Duration::from_millis(100);
    server.game.play_uci("e2e4").expect("legal");
    server.game.play_uci("e7e5").expect("legal");
    limits.time.white = Some(Duration::from_millis(9600));
    server.learn_delay(&limits, Color::White);
    limits.time.white = Some(Duration::from_secs(10));
    let careful = server.engine().allotment(&limits, Turn { color: Color::White, number: 1 });
    assert!(careful.map(|a| a.soft) < usual.map(|a| a.soft), "{careful:?} {usual:?}: 300 ms of transmission delay");
}

/// The first clock of a game was compared with the last one of the game before, and the false delay shortened every later move.
#[test]
fn the_clock_of_another_game_is_no_delay() {
    let game = |moves: &[&str]| {
        let mut game = Game::new();
        game.play_line(moves).expect("legal");
        game
    };
    let left = |seconds| {
        let mut limits = Limits::default();
        limits.time.white = Some(Duration::from_secs(seconds));
        limits
    };
    let turn = Turn { color: Color::White, number: 1 };
    let open = ["e2e4", "e7e5", "g1f3", "b8c6"];
    for (before, new_game, now, is_delay) in [
        (&[][..], false, &open[..2], true),
        (&[], true, &open[..2], false),
        (&["d2d4", "d7d5"], false, &open[..], false),
    ] {
        let (mut server, _) = server(&SharedBuffer::default(), host());
        let usual = server.engine().allotment(&left(10), turn);
        server.game = game(before);
        server.learn_delay(&left(10), Color::White);
        server.game_searched = server.game.clone();
        server.clock_reading.as_mut().expect("noted").took = Duration::from_millis(100);
        if new_game {
            server.new_game();
        }
        server.game = game(now);
        server.learn_delay(&left(9), Color::White);
        let later = server.engine().allotment(&left(10), turn);
        assert_eq!(later != usual, is_delay, "{before:?}, {now:?}: {later:?} {usual:?}");
    }
}

/// Without threads a search is over with its line, an answer that has to wait is withheld all the same, and a search can be stopped by
/// the control that is given out before it starts.
#[test]
fn a_server_without_threads_carries_out_each_line_to_its_end() {
    let buffer = SharedBuffer::default();
    let mut server = InlineServer::new(buffer.clone(), host(), |control| {
        // A host with a stop button that is always pressed: only searches without limit need it.
        control.stop();
    });
    let mut said = |line: &str| {
        let before = buffer.lines().len();
        let goes_on = server.handle_line(line);
        (goes_on, buffer.lines()[before..].to_vec())
    };
    let answers = |lines: &[String]| lines.iter().filter(|line| line.starts_with("bestmove")).count();
    assert!(said("isready").1.contains(&"readyok".to_owned()));
    assert!(said("position startpos moves e2e4").1.is_empty());
    assert_eq!(answers(&said("go depth 4").1), 1);
    assert_eq!(answers(&said("go infinite").1), 0, "withheld");
    assert_eq!(answers(&said("stop").1), 1);
    assert_eq!(answers(&said("go ponder wtime 1000 btime 1000").1), 0, "withheld");
    assert_eq!(answers(&said("ponderhit").1), 1);
    assert!(said("position fen rubbish").1[0].contains("rubbish"));
    assert_eq!(said("quit"), (false, vec![]));
}

/// Sends lines to a server whose search thread is asleep, after a search that was stopped; it is answered once.
fn after_a_stop(lines: &[&str]) -> Server {
    let buffer = SharedBuffer::default();
    let output = Output::new(buffer.clone());
    let (sender, events) = channel();
    let (jobs, todo) = channel();
    delayed_search_thread(todo, output.clone(), sender);
    let mut server = Server::new(output, host(), Jobs::Thread(jobs), events);
    for line in ["go infinite", "stop"].iter().chain(lines) {
        assert_eq!(server.handle_line(line), Ok(Flow::Go), "{line}");
    }
    let answers: Vec<String> = buffer.lines().into_iter().filter(|line| line.starts_with("bestmove")).collect();
    assert_eq!(answers, ["bestmove e2e4 ponder e7e5"], "not delayed by what waits for the search");
    server
}

/// `readyok` came at once, and the new table was made on the clock of the next search.
#[test]
fn isready_and_a_new_game_wait_for_a_stopped_search_and_apply_new_settings() {
    for last in ["isready", "ucinewgame"] {
        let mut server = after_a_stop(&["setoption name Hash value 2", last]);
        assert!(server.running.is_none(), "{last}");
        assert_eq!(server.engine.as_ref().map(|engine| engine.table_size()), Some(2), "{last}");
        assert!(last != "isready" || !server.engine().touch_table(), "the system has found its memory");
    }
}

/// The pause of a weak player ended while a line was carried out that was the last event, and `bestmove` was never sent.
#[test]
fn an_answer_is_given_after_the_event_during_which_its_pause_ended() {
    let buffer = SharedBuffer::default();
    let (mut server, sender) = server(&buffer, host());
    let began = Instant::now().checked_sub(Duration::from_secs(1));
    let last_line = Some("bestmove e2e4".to_owned());
    server.running = Some(Running { last_line, began, pause: Duration::from_millis(1), ..Running::default() });
    let line = || ServerEvent::Line("isready".into(), Instant::now());
    for event in [line(), line(), ServerEvent::End] {
        sender.send(event).expect("the server listens");
    }
    server.serve_events();
    assert_eq!(buffer.lines(), ["readyok", "bestmove e2e4", "readyok"]);
}

/// `genfens` as the last line of the input had no output.
#[test]
fn a_wrong_request_at_the_end_of_the_input_is_reported() {
    let buffer = SharedBuffer::default();
    let host = ServerHost { genfens: Arc::new(|_, _| Err("genfens needs a number".into())), ..host() };
    let (mut server, sender) = server(&buffer, host);
    for event in [ServerEvent::Line("genfens".into(), Instant::now()), ServerEvent::End] {
        sender.send(event).expect("the server listens");
    }
    server.serve_events();
    assert_eq!(buffer.lines(), ["info string genfens needs a number"]);
}
