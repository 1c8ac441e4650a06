import { startEngine } from "./engine.js";

/** Fetches a file; a response that is not the file is an error. */
async function read(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the server answered with ${response.status}`);
  return response;
}

function start(address) {
  // Written out, so that bundlers find the file.
  const worker = address
    ? new Worker(address, { type: "module" })
    : new Worker(new URL("./browser-worker.js", import.meta.url), { type: "module" });
  return {
    post: (message) => worker.postMessage(message),
    terminate: () => worker.terminate(),
    listen(receive, fail) {
      worker.onmessage = ({ data }) => receive(data);
      worker.onerror = (event) => {
        event.preventDefault();
        fail(new Error(event.message || "cannot load the worker's script"));
      };
    },
  };
}

export function createEngine(options = {}) {
  return startEngine(options, { read, start, base: () => location.href });
}
