// The worker of the page: holds an instance of the module and answers requests in order. Its source is a part of the page, after
// `module.js`.
//
// A worker that searches cannot read its messages. It sends the recording while it searches, so that the page can end it at any time.

let instance = null;
let problem = "";

const host = {
  line: (text) => postMessage({ kind: "line", text }),
  panicked: (text) => { problem = text; },
  poll: (progress) => {
    if (progress) postMessage({ kind: "progress", progress });
    return 0;
  },
  part: (fresh, end) => postMessage({ kind: "part", fresh, end }, [fresh.buffer, end.buffer]),
};

async function start({ module, memory }) {
  instance = await createInstance(module, host, memory);
  postMessage({ kind: "ready" });
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
    else answer(data);
  } catch (error) {
    postMessage({ kind: "failed", id: data.id, reason: problem || error.message });
  }
};
