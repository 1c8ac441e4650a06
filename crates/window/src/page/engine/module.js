// An instance of the WebAssembly module: requests in, answers out (`crates/web/src/lib.rs` lists them). Used by the worker of the page and
// by the npm package.

const CODE = { json: 0, html: 1, bad: 2, notFound: 3, conflict: 4, quit: 5 };
const SIGNAL = { stop: 1, ponderHit: 2 };
const PAGE_BYTES = 65536;

/**
 * Makes an instance of a compiled module. `host` has `line(text)`, `panicked(text)` and `poll(progress)`, which returns signals; it may
 * have `part(fresh, end)` for the bytes of a recording.
 * With `memory`, a copy of the memory of another instance, the new one is a copy of that program.
 */
async function createInstance(module, host, memory) {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let exports = null;
  const text = (address, length) => decoder.decode(new Uint8Array(exports.memory.buffer, address, length));
  const bytes = (address, length) => new Uint8Array(exports.memory.buffer, address, length).slice();
  const imports = {
    now: () => performance.now(),
    line: (address, length) => host.line(text(address, length)),
    panicked: (address, length) => host.panicked(text(address, length)),
    poll: (address, length) => host.poll(text(address, length)),
    part: (address, length, end, endLength) => host.part?.(bytes(address, length), bytes(end, endLength)),
  };
  exports = (await WebAssembly.instantiate(module, { host: imports })).exports;
  if (memory) {
    const missing = memory.byteLength - exports.memory.buffer.byteLength;
    if (missing > 0) exports.memory.grow(missing / PAGE_BYTES);
    new Uint8Array(exports.memory.buffer).set(new Uint8Array(memory));
  }

  /** Carries out a request: its first line, and its content as text or bytes. */
  function call(head, content = "") {
    const line = encoder.encode(`${head}\n`);
    const rest = typeof content === "string" ? encoder.encode(content) : content;
    const address = exports.allocate(line.length + rest.length);
    const input = new Uint8Array(exports.memory.buffer, address, line.length + rest.length);
    input.set(line);
    input.set(rest, line.length);
    const code = exports.call();
    return { code, text: text(exports.output(), exports.output_length()) };
  }

  return { call, copy: () => exports.memory.buffer.slice(0) };
}
