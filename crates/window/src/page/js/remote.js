// Questions to a program: the local server, or the engine in a worker of this page (`engine.js`). Both answer the same requests.

const RECTANGLE = ["id", "level", "ply", "offset", "nodes", "rule", "value", "decision", "kind", "flags", "san", "matches", "size", "family", "alpha", "beta"];

/** The program that is asked: `get(path, query)` and `post(path, body)` return data, `page(path)` opens a page. */
let program = null;

const queryText = (values) => new URLSearchParams(Object.entries(values).filter(([, value]) => value !== "" && value !== null)).toString();

const query = (path, values = {}) => program.get(path, queryText(values));
const tell = (path, body = {}) => program.post(path, body);

/** The local server. Requests that change something carry the key of the page. */
function serverProgram(key) {
  async function answered(request) {
    const answer = await request;
    const unread = {};
    const body = await answer.json().catch(() => unread);
    if (answer.ok && body !== unread) return body;
    throw new Error(body.error || `cannot read the answer of the server (status ${answer.status}); load the page again`);
  }
  const headers = { "x-quarterply-key": key };
  return {
    /** The tree that is shown stays in the program when the page is loaded again. */
    keepsTree: true,
    get: (path, values) => answered(fetch(`/api/${path}?${values}`, { cache: "no-store" })),
    post: (path, body) => answered(fetch(`/api/${path}`, { method: "POST", headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(body) })),
    showTrace: (bytes) => answered(fetch("/api/trace", { method: "POST", headers: { ...headers, "content-type": "application/octet-stream" }, body: bytes })),
    pageText: async (path) => (await fetch(`/${path}`)).text(),
    page: async (path) => void window.open(`/${path}`, "_blank", "noopener"),
  };
}

async function remoteSource() {
  const about = await query("about");
  const tree = about.tree;
  return {
    about,
    served: true,
    children: (row, from, count, filter) => query("children", { tree, row, from, count, filter }),
    path: (row) => query("path", { tree, row }),
    overview: async (row, width, filter) =>
      (await query("overview", { tree, row, width, filter })).map((values) => Object.fromEntries(values.map((v, i) => [RECTANGLE[i], v]))),
    matches: (filter) => query("matches", { tree, filter }),
    find: (moves) => query("find", { tree, moves }),
    event: (at) => query("event", { tree, at }),
    nextEvent: (at, back, target, filter) => query("next", { tree, at, back, target, filter }),
  };
}
