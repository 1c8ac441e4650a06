// Signals to a search in a worker, which reads no messages before it has ended. A signal carries the number of its line, and counts for
// searches with a smaller number only, so it cannot reach a later search, and none has to be taken back.
//
// Where memory can be shared, a signal is a number in it. Elsewhere (a page that is not cross-origin isolated), each search gets addresses of
// small objects; revoking an address is the signal, and the worker notices that it cannot read there any more.

/** Places of the numbers in shared memory. */
const STOP = 0;
const PONDER_HIT = 1;
const PLACES = 2;

/** The signals of a search (`crates/window/src/page/engine/module.js`). */
const SIGNAL = { stop: 1, ponderHit: 2 };

class SharedSignals {
  memory = new SharedArrayBuffer(PLACES * Int32Array.BYTES_PER_ELEMENT);
  #numbers = new Int32Array(this.memory);

  stop(number) {
    Atomics.store(this.#numbers, STOP, number);
  }

  ponderHit(number) {
    Atomics.store(this.#numbers, PONDER_HIT, number);
  }

  open() {}

  close() {}
}

class AddressSignals {
  memory = undefined;
  /** The addresses of each search. */
  #open = new Map();

  open(number) {
    const address = () => URL.createObjectURL(new Blob(["1"]));
    const urls = { stop: address(), ponderHit: address() };
    this.#open.set(number, urls);
    return urls;
  }

  stop() {
    for (const urls of this.#open.values()) URL.revokeObjectURL(urls.stop);
  }

  ponderHit() {
    for (const urls of this.#open.values()) URL.revokeObjectURL(urls.ponderHit);
  }

  close(number) {
    for (const url of Object.values(this.#open.get(number) ?? {})) URL.revokeObjectURL(url);
    this.#open.delete(number);
  }
}

/** Signals as this page or program can have them. */
export function createSignals() {
  return typeof SharedArrayBuffer === "undefined" ? new AddressSignals() : new SharedSignals();
}

/** Returns true if an address can still be read. */
function readable(url) {
  const request = new XMLHttpRequest();
  request.open("GET", url, false);
  try {
    request.send();
  } catch {
    return false;
  }
  return true;
}

/** Returns a function that returns the signals of the search with this number. */
export function receiver(memory, number, urls) {
  if (memory) {
    const numbers = new Int32Array(memory);
    const later = (place) => Atomics.load(numbers, place) > number;
    return () => (later(STOP) ? SIGNAL.stop : 0) + (later(PONDER_HIT) ? SIGNAL.ponderHit : 0);
  }
  if (urls) return () => (readable(urls.stop) ? 0 : SIGNAL.stop) + (readable(urls.ponderHit) ? 0 : SIGNAL.ponderHit);
  return () => 0;
}
