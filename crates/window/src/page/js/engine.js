// The engine in this page: a WebAssembly module in a worker. One worker holds the tree and answers questions. A search is made by a
// copy of it, so that the page can still be used, and a failure loses nothing; a copy that has found a tree takes the place of the
// worker. To stop a search, its copy is ended: it cannot read messages, but it has sent what it recorded.

/** Requests that search, with those that stop them. The tree of the second kind is the same as before: only its marks are new. */
const SEARCHES = { search: { stop: "stop", keeps: true }, whatif: { stop: "whatif/stop", keeps: false }, compare: { stop: "compare/stop", keeps: true } };
const CODES = { html: 1, quit: 5 };
/** Messages of stopped searches that have no tree to show. */
const STOPPED = { search: "the search was stopped before anything was recorded; the tree before is shown", whatif: null, compare: "the comparison was stopped" };
/** The smallest module with an instruction of SIMD: is it valid? */
const SIMD_PROBE = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11);

const hasSimd = () => WebAssembly.validate(SIMD_PROBE);

/** The bytes of the module: from the page, or from a file next to it. */
async function moduleBytes({ modules }) {
  if (typeof WebAssembly === "undefined") {
    throw new Error("cannot start the engine: this browser has no WebAssembly, or it is switched off; use a current browser, or `quarterply window serve`");
  }
  if (!modules) {
    if (!hasSimd()) throw new Error("cannot start the engine: this browser has no SIMD instructions for WebAssembly; use one of 2023 or later, or `quarterply window serve`");
    return inflate(byId("module").textContent.trim());
  }
  const name = hasSimd() ? modules.simd : modules.scalar;
  const answer = await fetch(name).catch(() => null);
  if (!answer?.ok) throw new Error(`cannot load ${name}: it is not next to this page, or the page is not on a web server; put both into a folder of a web server`);
  return answer.arrayBuffer();
}

/** Starts a worker; with `memory`, as a copy of another. `onProgress` is called with each state of a search, `kept` with each part of its recording. */
function startWorker(url, module, memory, onProgress = () => {}, kept = () => {}) {
  const worker = new Worker(url);
  const waiting = new Map();
  let number = 0;
  let fail = null;
  const ready = new Promise((done, failed) => {
    fail = (reason) => {
      failed(new Error(reason));
      for (const one of waiting.values()) one.failed(new Error(reason));
      waiting.clear();
    };
    worker.onerror = (event) => fail(`cannot run the engine: ${event.message || "the worker did not start"}`);
    worker.onmessage = ({ data }) => {
      if (data.kind === "ready") done();
      else if (data.kind === "progress") onProgress(JSON.parse(data.progress));
      else if (data.kind === "part") kept(data);
      else if (data.kind === "failed" && data.id === undefined) fail(`cannot start the engine: ${data.reason}; close other pages, or search fewer nodes`);
      else if (data.kind === "failed") settle(data.id, (one) => one.failed(new Error(`cannot search: internal error (${data.reason}); please report it with the position and the settings`)));
      else if (data.kind === "answer") settle(data.id, (one) => one.done(data));
    };
  });
  const settle = (id, how) => { how(waiting.get(id)); waiting.delete(id); if (!waiting.size) idle.splice(0).forEach((done) => done()); };
  const idle = [];
  worker.postMessage({ kind: "start", module, memory }, memory ? [memory] : []);

  async function ask(head, content) {
    await ready;
    return new Promise((done, failed) => {
      waiting.set(++number, { done, failed });
      worker.postMessage({ kind: "call", id: number, head, content });
    });
  }

  function end() {
    worker.terminate();
    fail?.("ended");
  }

  return {
    ask, end, ready,
    copy: async () => (await ask(null)).memory,
    /** Ends it when the questions under way are answered. */
    retire: () => (waiting.size ? idle.push(end) : end()),
  };
}

function dataOf({ code, text }) {
  if (code > CODES.html && code !== CODES.quit) throw new Error(JSON.parse(text).error);
  return code === CODES.html ? text : JSON.parse(text);
}

/** Starts the engine of this page, which answers its requests. */
async function engineProgram(setting) {
  const bytes = await moduleBytes(setting);
  const module = await WebAssembly.compile(bytes);
  const url = URL.createObjectURL(new Blob([byId("worker").textContent], { type: "text/javascript" }));
  let keeper = startWorker(url, module);
  await keeper.ready;
  /** The searches under way and the last state of each, by request. */
  const running = {};
  const states = {};

  async function start(path, body) {
    const { keeps } = SEARCHES[path];
    if (path === "search" && running.search) throw new Error("cannot start the search: another one is running; stop it first");
    drop(path);
    const parent = keeper;
    const task = { parts: [], end: null };
    running[path] = task;
    states[path] = { running: true, seconds: 0, error: null };
    try {
      const memory = await parent.copy();
      if (running[path] !== task) return { running: false };
      const first = new Promise((done) => { task.worker = startWorker(url, module, memory, (state) => { states[path] = state; done(null); }, keep(task)); });
      await task.worker.ready;
      const whole = finish(path, body, task, parent, keeps);
      const started = await Promise.race([first, whole]);
      return started || { running: true };
    } catch (error) {
      if (running[path] !== task) return { running: false };
      drop(path);
      states[path] = { running: false, seconds: 0, error: null };
      throw error;
    }
  }

  /** Waits for the end of a search; its worker answers the later requests if it has something to show. */
  async function finish(path, body, task, parent, keeps) {
    const answer = await task.worker.ask(`POST ${path}`, JSON.stringify(body)).catch((error) => ({ error }));
    if (running[path] !== task) { task.worker.end(); return null; }
    if (answer.error || answer.code > CODES.html) {
      drop(path);
      const error = answer.error || new Error(JSON.parse(answer.text).error);
      states[path] = { ...states[path], running: false, error: error.message };
      throw error;
    }
    const state = dataOf(await task.worker.ask(`GET ${path}`));
    delete running[path];
    task.parts.length = 0; // the worker keeps a reference to them
    if (!keeps || state.error) task.worker.end();
    else if (keeper !== parent && path !== "search") { task.worker.end(); state.error = "cannot show the comparison: another tree is shown; compare again"; }
    else {
      keeper.retire();
      keeper = task.worker;
    }
    states[path] = state;
    return null;
  }

  function drop(path) {
    running[path]?.worker?.end();
    delete running[path];
  }

  /** Keeps the recording of a search. */
  const keep = (task) => ({ fresh, end }) => { task.parts.push(fresh); task.end = end; };

  /** Ends a search. The recorded part of a tree is shown. */
  async function stop(path) {
    const task = running[path];
    if (!task) return {};
    drop(path);
    const state = { ...states[path], running: false, error: STOPPED[path] };
    if (task.end) {
      states[path] = { ...state, running: true, error: null };
      const shown = showTrace(new Uint8Array(await new Blob([...task.parts, task.end]).arrayBuffer()));
      state.error = await shown.then(() => null, (error) => error.message);
    }
    states[path] = state;
    return {};
  }

  async function post(path, body) {
    if (SEARCHES[path]) return start(path, body);
    const stopped = Object.keys(SEARCHES).find((one) => SEARCHES[one].stop === path);
    if (stopped) return stop(stopped);
    return dataOf(await keeper.ask(`POST ${path}`, JSON.stringify(body)));
  }

  async function get(path, values) {
    if (SEARCHES[path] && states[path]) return states[path];
    return dataOf(await keeper.ask(`GET ${path}${values ? `?${values}` : ""}`));
  }

  const pageText = async (path) => dataOf(await keeper.ask(`GET ${path}-page`));

  /** Opens a page that the engine makes. */
  async function page(path) {
    window.open(URL.createObjectURL(new Blob([await pageText(path)], { type: "text/html" })), "_blank");
  }

  const showTrace = async (bytes) => dataOf(await keeper.ask("TRACE", bytes));

  return { get, post, page, pageText, showTrace };
}
