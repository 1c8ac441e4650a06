// The worker's side: an instance of the module that obeys one line after the other.

import { CODE, createInstance } from "./module.js";
import { receiver } from "./signals.js";

/** Starts serving; `post` sends a message, and the result is to be called with each message that arrives. */
export function serve(post) {
  let instance = null;
  let memory = null;
  let poll = () => 0;
  let panic = null;
  const host = {
    line: (line) => post({ line }),
    panicked: (text) => (panic = text),
    poll: () => poll(),
  };

  async function start(message) {
    memory = message.memory;
    try {
      instance = await createInstance(message.module, host);
      post({ ready: true });
    } catch (error) {
      post({ panic: error.message });
    }
  }

  function obey({ line, number, urls }) {
    poll = receiver(memory, number, urls);
    try {
      const { code, text } = instance.call("UCI", line);
      if (code !== CODE.json && code !== CODE.quit) post({ line: `info string ${text}` });
      post({ done: number });
    } catch (error) {
      post({ panic: panic ?? error.message });
    }
  }

  return (message) => (instance ? obey(message) : start(message));
}
