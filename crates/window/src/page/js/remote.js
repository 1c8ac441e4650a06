// The tree that a local server holds: every question is a request.

const RECTANGLE = ["id", "level", "ply", "offset", "nodes", "rule", "value", "judged", "kind", "flags", "san", "matches", "size"];

async function query(path, values = {}) {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== "" && value !== null));
  const answer = await fetch(`/api/${path}?${query}`, { cache: "no-store" });
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error || answer.statusText);
  return body;
}

async function tell(path, body, key) {
  const answer = await fetch(`/api/${path}`, {
    method: "POST", headers: { "content-type": "application/json", "x-quarterply-key": key }, body: JSON.stringify(body),
  });
  const reply = await answer.json();
  if (!answer.ok) throw new Error(reply.error || answer.statusText);
  return reply;
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
