// The worker of the page: holds an instance of the module and answers requests in order. Its source is a part of the page, behind
// `module.js`.
//
// A worker that searches cannot read its messages, so a search is stopped in another way: the page withdraws the object URL of an empty
// script, and the worker, polled by the search, notices that it can no longer load it.

let instance = null;
let stopUrl = null;
let canStop = false;
let problem = "";

/** Loading an empty script fails once its URL is withdrawn. */
function isWithdrawn(url) {
  try {
    importScripts(url);
    return false;
  } catch {
    return true;
  }
}

const host = {
  line: (text) => postMessage({ kind: "line", text }),
  panicked: (text) => { problem = text; },
  poll: (progress) => {
    if (progress) postMessage({ kind: "progress", progress });
    return canStop && isWithdrawn(stopUrl) ? SIGNAL.stop : 0;
  },
};

async function start({ module, memory, stop }) {
  stopUrl = stop;
  canStop = stopUrl !== null && !isWithdrawn(stopUrl);
  instance = await createInstance(module, host, memory);
  postMessage({ kind: "ready", canStop });
}

function answer({ id, head, content }) {
  if (head === null) {
    const memory = instance.copy();
    postMessage({ kind: "answer", id, memory }, [memory]);
  } else {
    postMessage({ kind: "answer", id, ...instance.call(head, content) });
  }
}

self.onmessage = async ({ data }) => {
  try {
    if (data.kind === "start") await start(data);
    else if (data.kind === "keep") canStop = false;
    else answer(data);
  } catch (error) {
    postMessage({ kind: "failed", id: data.id, reason: problem || error.message });
  }
};
