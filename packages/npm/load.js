// The compiled module, with SIMD where the machine has it.

/** A module with one instruction of SIMD: (func (drop (v128.const i64x2 0 0))). */
const SIMD_PROBE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 23, 1, 21, 0, 253, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 26, 11,
]);

/** Modules that were compiled before, by address. */
const compiled = new Map();

/** Compiles what a platform read: bytes, or a response. */
async function compile(source) {
  if (typeof Response === "undefined" || !(source instanceof Response)) return WebAssembly.compile(source);
  if (WebAssembly.compileStreaming && source.headers.get("content-type") === "application/wasm") return WebAssembly.compileStreaming(source);
  return WebAssembly.compile(await source.arrayBuffer());
}

async function compileAt(url, read) {
  try {
    return await compile(await read(url));
  } catch (error) {
    const remedy = "serve the .wasm files of the package there, or pass `wasm`";
    throw new Error(`cannot load the engine from \`${url}\`: ${error.message}; ${remedy}`, { cause: error });
  }
}

async function compileBytes(bytes) {
  try {
    return await WebAssembly.compile(bytes);
  } catch (error) {
    throw new Error(`cannot load the engine from the given bytes: ${error.message}; pass those of a .wasm file of the package`, { cause: error });
  }
}

/** Resolves to the compiled module that `options` ask for. */
export async function loadModule(options, { read, base }) {
  if (typeof WebAssembly === "undefined") {
    throw new Error("cannot start the engine: there is no WebAssembly here; use a browser of 2017 or later, or Node, with WebAssembly enabled");
  }
  const { wasm } = options;
  if (wasm instanceof WebAssembly.Module) return wasm;
  if (wasm instanceof ArrayBuffer || ArrayBuffer.isView(wasm)) return compileBytes(wasm);
  const simd = options.simd ?? WebAssembly.validate(SIMD_PROBE);
  // Written out, so that bundlers find the files.
  const own = simd ? new URL("./quarterply.wasm", import.meta.url) : new URL("./quarterply-scalar.wasm", import.meta.url);
  const url = wasm === undefined ? own : new URL(wasm, base());
  if (!compiled.has(url.href)) {
    const module = compileAt(url, read);
    compiled.set(url.href, module);
    // A failure may pass; the next engine tries again.
    module.catch(() => compiled.delete(url.href));
  }
  return compiled.get(url.href);
}
