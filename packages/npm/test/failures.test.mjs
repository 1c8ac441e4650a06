import assert from "node:assert/strict";
import fs from "node:fs";
import test from "node:test";

import { createEngine } from "quarterply";

test("without WebAssembly the reason and the remedy are reported", async () => {
  const { WebAssembly: kept } = globalThis;
  delete globalThis.WebAssembly;
  try {
    await assert.rejects(createEngine(), /cannot start the engine: there is no WebAssembly here; use/);
  } finally {
    globalThis.WebAssembly = kept;
  }
});

test("a module that cannot be read is reported", async () => {
  await assert.rejects(createEngine({ wasm: "missing.wasm" }), /cannot load the engine from `file:.*missing\.wasm`: ENOENT/);
  fs.writeFileSync("damaged.wasm", "text");
  await assert.rejects(createEngine({ wasm: "damaged.wasm" }), /cannot load the engine from .*damaged\.wasm/);
  await assert.rejects(createEngine({ wasm: new Uint8Array([0]) }), /cannot load the engine from the given bytes/);
});

test("a module that is another program, and a missing worker, are reported", async () => {
  const engine = await createEngine({ wasm: new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]) });
  const { message } = await new Promise((resolve) => {
    engine.onerror = resolve;
    engine.postMessage("uci");
  });
  assert.match(message, /allocate/);
  await assert.rejects(createEngine({ worker: new URL("missing.js", import.meta.url) }), /cannot start the engine: .*missing\.js/);
});

test("the module can be given compiled", async () => {
  const bytes = fs.readFileSync(new URL(import.meta.resolve("quarterply/quarterply.wasm")));
  const engine = await createEngine({ wasm: await WebAssembly.compile(bytes) });
  await new Promise((resolve) => {
    engine.onmessage = resolve;
    engine.postMessage("isready");
  });
  engine.terminate();
});

/** A module that reports the panic `boom` at every call. */
function panicking() {
  const text = (word) => [word.length, ...Buffer.from(word)];
  const counted = (id, items) => [id, items.flat().length + 1, items.length, ...items.flat()];
  const body = (...code) => [code.length + 2, 0, ...code, 11];
  return new Uint8Array([
    ...[0, 97, 115, 109, 1, 0, 0, 0],
    ...counted(1, [[96, 2, 127, 127, 0], [96, 1, 127, 1, 127], [96, 0, 1, 127]]),
    ...counted(2, [[...text("host"), ...text("panicked"), 0, 0]]),
    ...counted(3, [[1], [2]]),
    ...counted(5, [[0, 1]]),
    ...counted(7, [[...text("memory"), 2, 0], [...text("allocate"), 0, 1], [...text("call"), 0, 2]]),
    // allocate: i32.const 32; call: i32.const 16, i32.const 4, call 0, unreachable.
    ...counted(10, [body(65, 32), body(65, 16, 65, 4, 16, 0, 0)]),
    ...counted(11, [[0, 65, 16, 11, ...text("boom")]]),
  ]);
}

test("a panic reaches onerror with its message", async () => {
  const engine = await createEngine({ wasm: panicking() });
  const { message, error } = await new Promise((resolve) => {
    engine.onerror = resolve;
    engine.postMessage("uci");
  });
  assert.equal(message, "boom");
  assert.ok(error instanceof Error);
  assert.throws(() => engine.postMessage("uci"), /cannot send `uci`: the engine has ended, after the error: boom; create another one/);
});

test("a panic without a listener is written to the console", async (context) => {
  const written = new Promise((resolve) => context.mock.method(console, "error", resolve));
  const engine = await createEngine({ wasm: panicking() });
  const removed = () => assert.fail("a removed listener was called");
  engine.addEventListener("error", removed);
  engine.removeEventListener("error", removed);
  engine.onerror = removed;
  engine.onerror = null;
  engine.postMessage("uci");
  assert.equal(await written, "quarterply: boom");
});
