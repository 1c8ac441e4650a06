import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import test from "node:test";

import { createEngine } from "quarterply";
import { Player, withEngine } from "./engine.mjs";

/** A search that does not end soon. */
const LONG = "position fen r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 4 8";
/** The time in which a search must answer `stop` on an idle machine (ms). */
const STOP_WITHIN = 100;
const BENCH_DEPTH = 8;
const NODES = /^\d+ nodes/m;
const MOVES_MAX = 60;

test("uci is answered with name, options and uciok", withEngine(async (engine) => {
  const lines = await engine.ask("uci", "uciok");
  assert.match(lines[0], /^id name Quarterply \d/);
  assert.ok(lines.some((line) => line.startsWith("option name Hash type spin")));
  assert.deepEqual(await engine.ask("isready", "readyok"), ["readyok"]);
}));

for (const simd of [true, false]) {
  test(`the bench ${simd ? "with" : "without"} SIMD has the nodes of the native program`, withEngine(async (engine) => {
    const native = execFileSync(process.env.QUARTERPLY, ["bench", String(BENCH_DEPTH), "--quiet"], { encoding: "utf8" });
    const lines = await engine.ask(`bench ${BENCH_DEPTH}`, NODES);
    assert.equal(NODES.exec(lines.at(-1))[0], NODES.exec(native)[0]);
  }, { simd }));
}

test("a game against itself has legal moves only, to its end", withEngine(async (engine) => {
  const moves = [];
  engine.send("ucinewgame");
  for (let move = 0; move < 2 * MOVES_MAX; move++) {
    engine.send(`position startpos${moves.length ? ` moves ${moves.join(" ")}` : ""}`);
    const lines = await engine.ask("go nodes 2000", "bestmove");
    assert.deepEqual(lines.filter((line) => /^info string (?!checkmate|stalemate)/.test(line)), [], moves.join(" "));
    const best = lines.at(-1).split(" ")[1];
    if (best === "(none)" || best === "0000") break;
    const legal = await engine.ask("go perft 1", "Nodes searched");
    assert.ok(legal.some((line) => line.startsWith(`${best}:`)), `${best} after ${moves.join(" ")}`);
    moves.push(best);
  }
  assert.ok(moves.length > 20, moves.join(" "));
}));

test("stop ends a search at once", withEngine(async (engine) => {
  engine.send(LONG);
  const delays = [];
  for (let turn = 0; turn < 5; turn++) {
    engine.send("go infinite");
    await engine.until("info depth 5");
    const sent = performance.now();
    await engine.ask("stop", "bestmove");
    delays.push(performance.now() - sent);
  }
  // The machine may be busy with other things; the program is not.
  assert.ok(Math.min(...delays) < STOP_WITHIN, `${delays.map(Math.round)} ms`);
}));

test("stop that comes before the search has begun ends it, and not the next one", withEngine(async (engine) => {
  engine.send(LONG);
  engine.send("stop");
  engine.send("go infinite\nstop");
  await engine.until("bestmove");
  engine.send("go infinite\nstop\ngo depth 6");
  await engine.until("bestmove");
  const second = await engine.until("bestmove");
  assert.ok(second.some((line) => line.startsWith("info depth 6 ")), second.join("\n"));
}));

test("a search without limit answers only after stop", withEngine(async (engine) => {
  engine.send("position fen 7k/5K2/8/8/8/8/8/6R1 w - - 0 1");
  engine.send("go infinite");
  await engine.until("info depth 3");
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.ok(!engine.lines.some((line) => line.startsWith("bestmove")));
  await engine.ask("stop", "bestmove");
}));

test("ponderhit starts the clock once", withEngine(async (engine) => {
  engine.send(LONG);
  engine.send("go ponder movetime 300");
  await engine.until("info depth 5");
  await new Promise((resolve) => setTimeout(resolve, 600));
  assert.ok(!engine.lines.some((line) => line.startsWith("bestmove")), "no answer while pondering");
  await engine.ask("ponderhit", "bestmove");
  engine.send("go ponder");
  await engine.until("info depth 5");
  await engine.ask("stop", "bestmove");
}));

test("isready is answered during a search, and another search is refused", withEngine(async (engine) => {
  engine.send(LONG);
  engine.send("go infinite");
  await engine.until("info depth 3");
  await engine.ask("isready", "readyok");
  engine.send("go depth 1\nstop\nisready");
  const lines = await engine.until("bestmove");
  assert.ok(lines.includes("info string `go depth 1` is ignored: a search is running; send `stop` first"), lines.join("\n"));
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.ok(!engine.lines.some((line) => line.startsWith("bestmove")));
}));

test("a count of moves can be stopped", withEngine(async (engine) => {
  engine.send("go perft 9");
  await new Promise((resolve) => setTimeout(resolve, 200));
  const lines = await engine.ask("stop", "Nodes searched");
  assert.match(lines.at(-1), /\(stopped\)$/);
}));

test("invalid input is answered with its reason", withEngine(async (engine) => {
  for (const [line, reason] of [
    ["setoption name Nonsense value 3", /^info string .*Nonsense/],
    ["setoption name Hash value many", /^info string .*many/],
    ["setoption name SyzygyPath value /tables", /^info string SyzygyPath: .*no access to files/],
    ["position fen rubbish", /^info string .*rubbish/],
    ["rubbish", /^info string .*rubbish/],
  ]) {
    assert.match((await engine.ask(line, "info string")).at(-1), reason, line);
  }
  assert.throws(() => engine.engine.postMessage(3), TypeError);
}));

test("two engines share nothing", withEngine(async (first) => {
  first.send(LONG);
  first.send("go infinite");
  const second = await Player.start();
  await second.ask("go depth 6", "bestmove");
  second.end();
  assert.ok(!first.lines.some((line) => line.startsWith("bestmove")));
  await first.ask("stop", "bestmove");
}));

test("quit and terminate end the engine, also during a search", async () => {
  for (const end of [(engine) => engine.postMessage("quit"), (engine) => engine.terminate()]) {
    const engine = await createEngine();
    engine.postMessage("go infinite");
    end(engine);
    assert.throws(() => engine.postMessage("isready"), /cannot send `isready`: the engine has ended/);
  }
});

test("listeners can be added and removed", async () => {
  const engine = await createEngine();
  const heard = [];
  const listener = ({ data }) => heard.push(data);
  engine.addEventListener("message", listener);
  await new Promise((resolve) => {
    engine.onmessage = resolve;
    engine.postMessage("isready");
  });
  engine.removeEventListener("message", listener);
  await new Promise((resolve) => {
    engine.onmessage = resolve;
    engine.postMessage("isready");
  });
  assert.deepEqual(heard, ["readyok"]);
  engine.terminate();
});
