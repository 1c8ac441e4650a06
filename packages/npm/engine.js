// The engine as seen from the thread that uses it: lines in, lines out. The search runs in a worker, which cannot read messages
// meanwhile. `stop` and `ponderhit` reach a running search as signals, and as lines after it.

import { createSignals } from "./signals.js";
import { loadModule } from "./load.js";

/** Lines that search. */
const SEARCHES = new Set(["go", "bench"]);
/** Lines that begin with one of these are not read further. */
const OWN_WORDS = new Set(["d", "eval", "bench", "genfens", "exit", "help"]);
const PROTOCOL_WORDS = new Set(["uci", "debug", "isready", "setoption", "register", "ucinewgame", "position", "go", "stop", "ponderhit", "quit"]);

/** The command of a line: as UCI requires, unknown words before it are skipped. */
function commandOf(line) {
  const words = line.trim().split(/\s+/);
  return OWN_WORDS.has(words[0]) ? words[0] : words.find((word) => PROTOCOL_WORDS.has(word));
}

/** An internal error of the engine; it has ended. */
class EngineErrorEvent extends Event {
  constructor(error) {
    super("error");
    this.error = error;
    this.message = error.message;
  }
}

class Engine extends EventTarget {
  #worker;
  #signals;
  /** Lines are numbered in the order in which they were sent. */
  #sent = 0;
  /** The numbers of lines whose searches have not ended. Those after the first wait for it. */
  #searches = new Set();
  #ended = null;
  #handlers = { message: null, error: null };
  #errorListeners = new Set();

  constructor(worker, signals) {
    super();
    this.#worker = worker;
    this.#signals = signals;
    worker.listen((message) => this.#receive(message), (error) => this.#fail(error));
  }

  get onmessage() {
    return this.#handlers.message;
  }

  set onmessage(handler) {
    this.#handle("message", handler);
  }

  get onerror() {
    return this.#handlers.error;
  }

  set onerror(handler) {
    this.#handle("error", handler);
  }

  postMessage(text) {
    if (typeof text !== "string") throw new TypeError(`cannot send a value of type ${typeof text} to the engine: expected a line of UCI`);
    for (const line of text.split(/\r?\n/)) {
      if (line.trim() !== "") this.#send(line);
    }
  }

  terminate() {
    this.#end("it was terminated");
  }

  #send(line) {
    if (this.#ended) throw new Error(`cannot send \`${line}\`: the engine has ended, ${this.#ended}; create another one`);
    const command = commandOf(line);
    if (command === "quit" || command === "exit") {
      this.#end("`quit` was sent");
      return;
    }
    const searching = this.#searches.size > 0;
    if (searching && command === "isready") {
      this.#say("readyok");
      return;
    }
    const number = ++this.#sent;
    if (searching && command === "stop") this.#signals.stop(number);
    if (searching && command === "ponderhit") this.#signals.ponderHit(number);
    const begins = SEARCHES.has(command);
    if (begins) this.#searches.add(number);
    this.#worker.post({ line, number, urls: begins ? this.#signals.open(number) : undefined });
  }

  #receive({ line, done, panic }) {
    if (line !== undefined) this.#say(line);
    if (panic !== undefined) this.#fail(new Error(panic));
    if (done !== undefined) {
      this.#searches.delete(done);
      this.#signals.close(done);
    }
  }

  // Not at once: an answer never comes before `postMessage` has returned.
  #say(line) {
    queueMicrotask(() => {
      if (!this.#ended) this.dispatchEvent(new MessageEvent("message", { data: line }));
    });
  }

  #fail(error) {
    if (this.#ended) return;
    this.#end(`after the error: ${error.message}`);
    const event = new EngineErrorEvent(error);
    if (this.#errorListeners.size) this.dispatchEvent(event);
    else console.error(`quarterply: ${error.message}`);
  }

  #end(reason) {
    if (this.#ended) return;
    this.#ended = reason;
    for (const number of this.#searches) this.#signals.close(number);
    this.#searches.clear();
    this.#worker.terminate();
  }

  addEventListener(type, listener, ...rest) {
    if (type === "error" && listener) this.#errorListeners.add(listener);
    super.addEventListener(type, listener, ...rest);
  }

  removeEventListener(type, listener, ...rest) {
    if (type === "error") this.#errorListeners.delete(listener);
    super.removeEventListener(type, listener, ...rest);
  }

  #handle(type, handler) {
    if (this.#handlers[type]) this.removeEventListener(type, this.#handlers[type]);
    this.#handlers[type] = handler;
    if (handler) this.addEventListener(type, handler);
  }
}

/** Resolves when the worker has its instance of the module. */
function started(worker, module, signals) {
  return new Promise((resolve, reject) => {
    worker.listen((message) => (message.ready ? resolve() : reject(new Error(message.panic))), reject);
    worker.post({ module, memory: signals.memory });
  });
}

/**
 * Starts an engine. `platform` has `read(url)`, which resolves to the bytes of a file or to a response with them, `base()`, the address that
 * others are relative to, and `start(address)`, which starts a worker.
 */
export async function startEngine(options, platform) {
  const module = await loadModule(options, platform);
  const signals = createSignals();
  let worker;
  try {
    worker = platform.start(options.worker);
    await started(worker, module, signals);
  } catch (error) {
    worker?.terminate();
    throw new Error(`cannot start the engine: ${error.message}`, { cause: error });
  }
  return new Engine(worker, signals);
}
