import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";

import { startEngine } from "./engine.js";

async function read(url) {
  if (url.protocol === "file:") return readFile(url);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the server answered with ${response.status}`);
  return response;
}

function start(address) {
  const worker = new Worker(address ?? new URL("./node-worker.js", import.meta.url));
  return {
    post: (message) => worker.postMessage(message),
    terminate: () => void worker.terminate(),
    listen(receive, fail) {
      worker.removeAllListeners();
      worker.on("message", receive);
      worker.on("error", fail);
    },
  };
}

export function createEngine(options = {}) {
  return startEngine(options, { read, start, base: () => pathToFileURL(`${process.cwd()}/`) });
}
