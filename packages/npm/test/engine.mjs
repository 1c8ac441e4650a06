// An engine whose lines can be waited for.

import { createEngine } from "quarterply";

/** Time limit of each step, also on a busy machine (ms). */
const PATIENCE = 120_000;

export class Player {
  lines = [];
  #waiting = null;

  static async start(options) {
    const player = new Player();
    player.engine = await createEngine(options);
    player.engine.onmessage = ({ data }) => player.#hear(data);
    player.engine.onerror = ({ message }) => player.#hear(`panic: ${message}`);
    return player;
  }

  #hear(line) {
    this.lines.push(line);
    this.#waiting?.();
  }

  send(line) {
    this.engine.postMessage(line);
  }

  /** Waits for a line that begins with `start`, a text or an expression; returns it and all before it, which are then gone. */
  async until(start) {
    const fits = (line) => (start instanceof RegExp ? start.test(line) : line.startsWith(start));
    const deadline = Date.now() + PATIENCE;
    for (;;) {
      const place = this.lines.findIndex(fits);
      if (place >= 0) return this.lines.splice(0, place + 1);
      if (Date.now() > deadline) throw new Error(`no \`${start}\` came, but only ${JSON.stringify(this.lines)}`);
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, deadline - Date.now());
        this.#waiting = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  /** Sends a line; resolves to the answers up to that which begins with `start`. */
  ask(line, start) {
    this.send(line);
    return this.until(start);
  }

  end() {
    this.engine.terminate();
  }
}

/** Runs a test with a separate engine. */
export function withEngine(use, options) {
  return async (context) => {
    const player = await Player.start(options);
    try {
      await use(player, context);
    } finally {
      player.end();
    }
  };
}
