// The package in Chromium, from a server on this machine: with shared memory (the page is cross-origin isolated) and without.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import test from "node:test";

const PATIENCE = 120_000;
/** Time limit for removing the profile of a browser (milliseconds). */
const REMOVAL = 10_000;
const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };
const ISOLATED = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };
const PACKAGE = path.dirname(new URL(import.meta.resolve("quarterply/quarterply.wasm")).pathname);

/** The script of the page, which posts its result to /found. */
const PAGE = `<!doctype html><script type="module">
import { createEngine } from "/browser.js";
const found = { isolated: crossOriginIsolated, delays: [], lines: [] };
try {
  const engine = await createEngine(SETTINGS);
  let waiting = () => {};
  engine.onmessage = ({ data }) => { found.lines.push(data); waiting(); };
  engine.onerror = ({ message }) => { found.lines.push("panic: " + message); waiting(); };
  const until = async (start) => {
    for (;;) {
      const place = found.lines.findIndex((line) => start.test(line) || line.startsWith("panic"));
      if (place >= 0) return found.lines.splice(0, place + 1).at(-1);
      await new Promise((resolve) => { waiting = resolve; });
    }
  };
  engine.postMessage("uci");
  await until(/^uciok/);
  engine.postMessage("position fen r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 4 8");
  for (let turn = 0; turn < 5; turn++) {
    engine.postMessage("go infinite");
    await until(/^info depth 5/);
    const began = performance.now();
    engine.postMessage("stop");
    await until(/^bestmove/);
    found.delays.push(Math.round(performance.now() - began));
  }
  engine.postMessage("go infinite\\nstop\\ngo depth 6");
  await until(/^bestmove/);
  found.second = [await until(/^info depth 6 /), await until(/^bestmove/)];
  engine.postMessage("go ponder movetime 200");
  await until(/^info depth 5/);
  engine.postMessage("ponderhit");
  found.pondered = await until(/^bestmove/);
  engine.postMessage("bench 5");
  found.bench = await until(/^[0-9]+ nodes/);
  engine.terminate();
} catch (error) {
  found.error = error.message;
}
await fetch("/found", { method: "POST", body: JSON.stringify(found) });
</script>`;

function serve(headers, settings, resolve) {
  return http.createServer((request, response) => {
    if (request.url === "/found") {
      let text = "";
      request.on("data", (part) => (text += part));
      request.on("end", () => {
        response.end();
        resolve(JSON.parse(text));
      });
      return;
    }
    const page = request.url === "/";
    const file = path.join(PACKAGE, path.basename(request.url));
    if (!page && !fs.existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": page ? TYPES[".html"] : TYPES[path.extname(file)], ...headers });
    response.end(page ? PAGE.replace("SETTINGS", JSON.stringify(settings)) : fs.readFileSync(file));
  });
}

/** Removes a folder; the last processes of a browser may still be ending and write to it. */
async function remove(folder) {
  for (const end = Date.now() + REMOVAL; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    try {
      fs.rmSync(folder, { recursive: true, force: true });
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}

/** Opens the page in Chromium and returns its result. */
async function visit(headers, settings) {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), "quarterply-chromium-"));
  let browser;
  let server;
  let timer;
  try {
    return await new Promise((resolve, reject) => {
      timer = setTimeout(() => reject(new Error("the page found nothing in time")), PATIENCE);
      server = serve(headers, settings, resolve);
      server.listen(0, "127.0.0.1", () => {
        const address = `http://127.0.0.1:${server.address().port}/`;
        const words = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", `--user-data-dir=${profile}`, address];
        browser = spawn("chromium", words, { stdio: "ignore", detached: true });
        browser.on("error", reject);
      });
    });
  } finally {
    clearTimeout(timer);
    if (browser?.pid) {
      const ended = new Promise((resolve) => browser.once("exit", resolve));
      // All its processes: a remaining one would write to the profile.
      process.kill(-browser.pid, "SIGKILL");
      await ended;
    }
    server?.closeAllConnections();
    server?.close();
    await remove(profile);
  }
}

const there = spawnSync("chromium", ["--version"]).status === 0;
const skip = !there && !process.env.QUARTERPLY_BROWSER_REQUIRED ? "no chromium" : false;

for (const [name, headers, settings] of [
  ["with shared memory", ISOLATED, {}],
  ["without shared memory", {}, {}],
  ["without SIMD", {}, { simd: false }],
]) {
  test(`in a page ${name} a search is stopped and pondered`, { skip }, async (context) => {
    const found = await visit(headers, settings);
    context.diagnostic(`stop took ${found.delays} ms`);
    assert.equal(found.error, undefined);
    assert.equal(found.isolated, headers === ISOLATED);
    assert.ok(Math.min(...found.delays) < 100, `${found.delays} ms`);
    assert.match(found.second[0], /^info depth 6 /);
    assert.match(found.pondered, /^bestmove/);
    assert.match(found.bench, /^\d+ nodes/);
    assert.ok(!found.lines.some((line) => line.startsWith("panic")));
  });
}

test("in a page a missing module and a missing worker are reported", { skip }, async () => {
  assert.match((await visit({}, { wasm: "/missing.wasm" })).error, /cannot load the engine from `http.*missing\.wasm`: the server answered with 404/);
  assert.match((await visit({}, { worker: "/missing.js" })).error, /cannot start the engine/);
});
