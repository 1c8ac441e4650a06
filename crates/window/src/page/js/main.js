// The page as a whole: the selection and its observers.

const app = { source: null, about: null, row: null, path: [], ahead: [], pv: [], filter: "" };

/** Time after which a refused change of the address is tried again (milliseconds). */
const ADDRESS_RETRY = 1000;
let addressTimer = 0;

/** Changes the address, except in an embedded page. Browsers refuse frequent changes. */
function address(text) {
  clearTimeout(addressTimer);
  if (location.protocol === "about:") return;
  try {
    history.replaceState(null, "", text);
  } catch {
    addressTimer = setTimeout(address, ADDRESS_RETRY, text);
  }
}

/**
 * Puts the displayed state into the address: the search if the page asked for it, row, event of the player inside it, filter. A running
 * player does so when it pauses.
 */
app.link = () => {
  if (app.player.playing()) return;
  const parts = [...requestParts(app.request), `row=${app.row?.id ?? 0}`];
  const entering = app.row ? app.row.id * 2 - app.row.level : 0;
  if (app.row && app.player.at() !== entering) parts.push(`event=${app.player.at()}`);
  if (app.filter) parts.push(`filter=${app.filter}`);
  address(`#${parts.join("&")}`);
};

/** Notes that the tree came from a file or is a model, so a link cannot search it again. */
app.opened = () => Object.assign(app, { request: null, isOpened: true });

/** The state that an address asks for, as far as the tree contains it. */
function requestedPlace(hash, about) {
  const parameters = new URLSearchParams(hash.slice(1));
  const number = (name, most) => {
    const text = parameters.get(name);
    return text !== null && /^\d+$/.test(text) && Number(text) < most ? Number(text) : null;
  };
  const filterName = parameters.get("filter") || "";
  const [, list, place] = /^(rule|family)-(\d+)$/.exec(filterName) || [];
  const isKnown = list ? Number(place) < (list === "rule" ? about.rules : about.families).length : filterName === DIFFERENT ? about.differences : /^(cutoff|again|quiescence|unsearched|line)$/.test(filterName);
  const filter = isKnown ? filterName : "";
  return { row: number("row", about.rows), event: number("event", about.rows * 2), filter };
}

/** Selects a row: the board, the overview, the tree, the panel and the player show it. */
app.select = async (id, { stepping = false } = {}) => {
  const turn = (app.turn = (app.turn || 0) + 1);
  if (!stepping) app.player.pause();
  const path = await app.source.path(id);
  if (turn !== app.turn) return;
  const row = path[path.length - 1];
  const goesOn = app.path.length > path.length && app.path[path.length - 1]?.id === row.id;
  const stays = app.ahead.some((one) => one.id === row.id);
  if (goesOn) app.ahead = [...app.path.slice(path.length), ...app.ahead];
  else if (stays) app.ahead = app.ahead.slice(app.ahead.findIndex((one) => one.id === row.id) + 1);
  else app.ahead = app.pv[path.length - 1]?.id === row.id ? app.pv.slice(path.length) : [];
  Object.assign(app, { row, path });
  app.asking.prepare(path);
  app.board.show(path);
  showLine();
  await Promise.all([app.overview.show(path), app.tree.show(path), app.panel.show(path)]);
  if (turn !== app.turn) return;
  showCrumbs();
  if (app.diagram) drawDiagram();
  if (!stepping) app.player.follow(row);
  app.link();
};

app.zoom = async (id) => {
  await app.overview.zoomTo(id);
  showCrumbs();
};

app.setFilter = async (filter) => {
  app.filter = filter;
  app.legend.draw();
  app.marks?.draw();
  await app.legend.count();
  await app.overview.load(app.overview.top());
  await app.tree.reset();
  if (app.row) await app.tree.show(app.path);
  if (app.row) app.link();
};

/** Fetches every displayed row again. */
app.refresh = async () => {
  await app.setFilter(app.filter);
  await app.select(app.row.id);
  if (app.row.level === 0) await openLastIteration();
};

let silence = 0;
app.say = (text, bad = false) => {
  const box = byId("message");
  box.textContent = text;
  box.classList.toggle("bad", bad);
  box.hidden = !text;
  clearTimeout(silence);
  if (text && !bad) silence = setTimeout(() => { box.hidden = true; }, 5000);
};

/** The moves of the path, and those shown before the user stepped back. */
function showLine() {
  const start = positionFrom(app.about.fen) || { white: true, number: 1 };
  const moves = [...app.path.map((row) => [row, ""]), ...app.ahead.map((row) => [row, " ahead"])].filter(([row]) => row.san);
  const item = ([row, name], index) => {
    const numbered = index === 0 || (row.ply % 2 === 1) === start.white;
    const current = row.id === app.row.id ? ' aria-current="true"' : "";
    return `<li>${numbered ? `<span class="number">${moveNumber(row.ply, start)}</span>` : ""}<button type="button" class="${name}" data-row="${row.id}"${current}>${escaped(row.san)}</button></li>`;
  };
  redrawn(byId("line"), moves.map(item).join("") || '<li class="quiet">No move yet: choose one in the tree.</li>');
  for (const id of ["line-first", "line-back"]) byId(id).disabled = app.path.length < 2;
}

function showCrumbs() {
  const top = app.overview.top();
  const at = app.path.findIndex((row) => row.id === top);
  const rows = at < 0 ? app.path.slice(0, 1) : app.path.slice(0, at + 1);
  const crumb = (row, index) => `<button type="button" data-row="${row.id}" class="${index === rows.length - 1 ? "here" : ""}">${escaped(rowName(row))}</button>`;
  redrawn(byId("crumbs"), rows.map(crumb).join('<span class="sep">›</span>'));
}

/** The child that continues the line: the one shown before, that on the principal variation, the best. Of moves that were rejected the first
    one continues only below another rejected move. */
async function nextOnLine() {
  if (app.ahead.length) return app.ahead[0].id;
  const { rows } = await app.source.children(app.row.id, 0, 300, "");
  const searched = rows.filter((row) => row.kind !== KIND.unsearched);
  const by = (test) => searched.filter(test).pop();
  const decided = by((row) => row.flags & FLAG.line) || by((row) => row.decision === DECISION.cutoff) || by((row) => row.decision === DECISION.best) || by((row) => row.kind === KIND.iteration);
  const accepted = app.row.flags & FLAG.line || app.row.decision === DECISION.cutoff || app.row.decision === DECISION.best;
  return (decided || (accepted ? undefined : searched[0]))?.id;
}

const line = {
  first: () => app.select(0),
  back: () => { if (app.row.up !== null) return app.select(app.row.up); },
  forward: async () => {
    const next = await nextOnLine();
    if (next !== undefined) await app.select(next);
  },
  last: async () => {
    for (let next = await nextOnLine(); next !== undefined; next = await nextOnLine()) await app.select(next);
  },
};

async function follow(text) {
  if (!text.trim()) return;
  const found = await app.source.find(text);
  await app.select(found.row);
  if (found.missing) app.say(`${found.missing} is not in the tree here; ${found.matched} of the moves ${found.matched === 1 ? "was" : "were"} found.`);
  else if (app.row.kind === KIND.unsearched) app.say(`${app.row.san} was not searched: ${reasonText(app.row)}`);
  else app.say("");
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  readPalette();
  if (!app.row) return;
  app.overview.draw();
  app.legend.draw();
  app.legend.count();
  app.tree.draw();
  app.panel.show(app.path);
}

function headline() {
  const { about } = app;
  const parts = [];
  if (about.title) parts.push(`<b>${escaped(about.title)}</b>`);
  if (about.kind === "search") {
    parts.push(`${counted(about.nodes)} nodes${about.depth ? `, depth ${about.depth}` : ""}${about.profile ? `, profile ${escaped(about.profile)}` : ""}`);
  }
  if (about.line) parts.push(`<b>${BOUND_SIGNS[about.bound]}${scoreText(about.value, about)}</b> ${escaped(about.line)}`);
  byId("headline").innerHTML = parts.join(" · ");
  byId("facts-small").textContent = about.fen || "";
  document.title = `${about.title || about.line || "search"} · Quarterply window`;
}

const DIAGRAM_ROWS = 200;

/** Small models are shown as a diagram in place of the overview. */
async function drawDiagram() {
  if (!app.diagramRows) {
    const rows = await app.source.path(0);
    for (const row of rows) if (row.kids) rows.push(...(await allBelow(app.source, row)));
    app.diagramRows = rows.sort((one, other) => one.id - other.id);
  }
  const selected = app.row ? app.row.id : 0;
  let place = byId("diagram");
  if (!place) {
    place = document.createElement("div");
    place.id = "diagram";
    place.className = "diagram";
    Object.assign(place, { tabIndex: 0, role: "group", ariaLabel: "The model as a diagram; the same rows are in the list below" });
    byId("overview").prepend(place);
    place.addEventListener("click", (event) => {
      const box = event.target.closest("[data-row]");
      if (box) app.select(Number(box.dataset.row));
    });
  }
  place.innerHTML = diagram(app.diagramRows, app.about, selected);
}

/** Shows a tree, at the place that an address asks for. */
async function show(source, hash = location.hash) {
  Object.assign(app, { source, about: source.about, row: null, path: [], ahead: [], pv: [], filter: "", diagramRows: null });
  app.diagram = app.about.kind === "model" && app.about.rows <= DIAGRAM_ROWS;
  document.body.classList.toggle("boardless", !app.about.fen);
  if (app.about.fen) document.querySelector(".board-pane").insertBefore(byId("player"), byId("facts-small"));
  else document.querySelector(".overview-pane").append(byId("player"));
  if (!app.about.fen && document.body.dataset.tab === "board") showTab("overview");
  document.body.classList.toggle("diagrammed", app.diagram);
  byId("play-model").hidden = !app.diagram;
  byId("canvas").hidden = app.diagram;
  byId("crumbs").hidden = app.diagram;
  if (!app.diagram) byId("diagram")?.remove();
  headline();
  app.marks?.draw();
  app.legend.draw();
  app.player.reset();
  await app.legend.count();
  await app.overview.load(0);
  await app.tree.reset();
  app.pv = await principalVariation();
  const target = requestedPlace(hash, app.about);
  const start = positionFrom(app.about.fen);
  if (start) app.board.turn(!start.white);
  await app.select(target.row ?? 0);
  if (target.filter) await app.setFilter(target.filter);
  if (app.diagram) await app.tree.openAll();
  else if (target.row === null) await openLastIteration();
  if (target.event !== null) await app.player.go(target.event);
}

/** The rows of the principal variation from the first one on. */
async function principalVariation() {
  const rows = await app.source.path(0);
  for (;;) {
    const below = await app.source.children(rows[rows.length - 1].id, 0, 300, "");
    const next = below.rows.filter((row) => row.flags & FLAG.line).pop();
    if (!next) return rows;
    rows.push(next);
  }
}

/** The tree begins with the last iteration open. */
async function openLastIteration() {
  const { rows } = await app.source.children(0, 0, 300, "");
  const iterations = rows.filter((row) => row.kind === KIND.iteration);
  const last = iterations.filter((row) => row.flags & FLAG.line).pop() || iterations.pop();
  if (last) await app.tree.reveal(last.id);
}

app.reload = async () => {
  byId("hints").hidden = true;
  address(location.pathname);
  await show(await remoteSource());
};

function wire() {
  byId("line-first").addEventListener("click", line.first);
  byId("line-back").addEventListener("click", line.back);
  byId("line-forward").addEventListener("click", line.forward);
  byId("line-last").addEventListener("click", line.last);
  byId("flip").addEventListener("click", () => app.board.turn());
  byId("theme").addEventListener("click", otherTheme);
  byId("help-open").addEventListener("click", () => byId("help").showModal());
  byId("colour").addEventListener("change", (event) => { app.overview.setMode(event.target.value); app.legend.setMode(event.target.value); });
  byId("find").addEventListener("submit", (event) => { event.preventDefault(); follow(byId("find-text").value); });
  byId("play-model").addEventListener("click", () => app.models.open());
  byId("change-model").addEventListener("click", () => app.stage.open());
  byId("hints-close").addEventListener("click", () => { byId("hints").hidden = true; });
  byId("hints-rule").addEventListener("click", () => { byId("hints").hidden = true; byId("switch-rule").click(); });
  byId("open-tree").addEventListener("click", () => app.opener.open().catch((error) => app.say(error.message, true)));
  byId("share-tree").addEventListener("click", () => app.share.open());
  byId("new-search").addEventListener("click", () => app.live.open().catch((error) => app.say(error.message, true)));
  byId("switch-rule").addEventListener("click", () => app.compare.open().catch((error) => app.say(error.message, true)));
  for (const list of ["line", "crumbs"]) {
    byId(list).addEventListener("click", (event) => {
      const chosen = event.target.closest("[data-row]");
      if (chosen) (list === "line" ? app.select : app.zoom)(Number(chosen.dataset.row));
    });
  }
  for (const tab of document.querySelectorAll("[data-show]")) tab.addEventListener("click", () => showTab(tab.dataset.show));
  document.addEventListener("keydown", pressed);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => setTheme(event.matches ? "dark" : "light"));
}

function showTab(name) {
  document.body.dataset.tab = name;
  for (const tab of document.querySelectorAll("[data-show]")) {
    if (tab.dataset.show === name) tab.setAttribute("aria-current", "page"); else tab.removeAttribute("aria-current");
  }
  if (!app.row) return;
  app.overview.load(app.overview.top());
  app.tree.draw();
  app.tree.show(app.path);
}

const otherTheme = () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");

const KEYS = {
  "/": () => byId("find-text").focus(), "?": () => byId("help").showModal(), " ": () => app.player.toggle(),
  n: () => app.player.step(1), b: () => app.player.step(-1), c: () => app.player.jump(false, "cutoff"), C: () => app.player.jump(true, "cutoff"),
  d: () => app.marks?.step(false), D: () => app.marks?.step(true),
  w: () => byId("ask-move")?.focus(),
  m: () => app.filter && app.player.jump(false, "match"), ",": line.back, ".": line.forward, Home: line.first, End: line.last,
  f: () => app.board.turn(), t: otherTheme, Enter: () => app.zoom(app.row.kids ? app.row.id : app.row.up ?? 0),
};

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") || !app.row) return;
  const typing = event.target.matches("input[type=search], select, input[type=range]");
  if (typing) { if (event.key === "Escape") event.target.blur(); return; }
  const acts = event.target.closest("button, a, summary") && (event.key === " " || event.key === "Enter");
  if (acts) return;
  const act = event.key.startsWith("Arrow") ? () => app.tree.key(event.key) : KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

async function begin() {
  const setting = JSON.parse(byId("setting").textContent);
  glossary = setting.glossary;
  app.glossaryPage = setting.glossaryPage || "";
  setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  app.board = createBoard(app);
  app.overview = createOverview(app);
  app.tree = createTree(app);
  app.asking = createAsking(app);
  app.panel = createPanel(app);
  app.player = createPlayer(app);
  app.legend = createLegend(app);
  app.cards = createCards(app);
  app.models = createModels(app);
  app.share = createShare(app);
  const served = setting.mode !== "file";
  document.body.classList.toggle("served", served);
  for (const id of ["new-search", "switch-rule", "open-tree"]) byId(id).hidden = !served;
  for (const id of ["tutorial", "hints-tutorial"]) {
    byId(id).hidden = !setting.tutorial;
    byId(id).href = setting.tutorial || "";
  }
  wire();
  showTab("board");
  // The first tree replaces the address.
  const { hash } = location;
  const linkRequest = requestOf(hash) || requestOf(location.search.slice(1));
  try {
    if (served) await connect(setting, linkRequest);
    await show(served ? await remoteSource() : await fileSource(setting.about, byId("data").textContent.trim()));
  } catch (error) {
    app.say(`Cannot show the tree: ${error.message}`, true);
    console.error(error);
    return;
  }
  document.documentElement.dataset.ready = "yes";
  if (served) await firstRequest(linkRequest, hash);
}

/** Finds the program that answers requests, and makes the parts of the page that need it. */
async function connect(setting, linkRequest) {
  program = setting.mode === "served" ? serverProgram(setting.key) : await engineProgram(setting);
  if (setting.offline && "serviceWorker" in navigator) navigator.serviceWorker.register(setting.offline).catch(() => {});
  app.live = createLive(app);
  app.marks = createMarks(app);
  app.compare = createCompare(app);
  app.stage = createStage(app);
  app.opener = createOpen(app);
  const data = byId("data").textContent.trim();
  const first = linkRequest && isComplete(linkRequest) ? linkRequest : setting.request;
  if (data) await program.showTrace(Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0)));
  else if (setting.mode === "engine" && first) await searched(first);
  await app.stage.begin();
}

/** The example of a page that was opened without a search. */
const FIRST_SEARCH = { fen: "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQK2R b KQkq - 0 5", profile: "default", depth: null, nodes: 10000, until: "", set: [] };

/** A link with a limit is searched at once; one without opens the form. */
const isComplete = (request) => request.depth !== null || request.nodes !== null;

/** Executes the search of a link; a refusal is shown with its reason. */
async function searched(request) {
  try {
    await app.live.search(request, () => {});
  } catch (error) {
    app.say(`Cannot open the link: ${error.message}`, true);
  }
}

/** Executes the request of the address if the displayed tree is another one; `hash` is the address before that tree was shown. */
async function firstRequest(linkRequest, hash) {
  const already = app.request && linkRequest && app.request.fen === linkRequest.fen;
  if (linkRequest && !isComplete(linkRequest)) {
    await app.live.open(linkRequest).catch((error) => app.say(error.message, true));
  } else if (linkRequest && !already && byId("message").hidden) {
    await searched(linkRequest);
    if (app.request) await show(await remoteSource(), hash);
  } else if (app.about.rows <= 1 && !linkRequest) {
    await searched(FIRST_SEARCH);
    await show(await remoteSource());
    byId("hints").hidden = false;
  }
}

// A link pasted over the address of this page. Changes by the page itself cause no event; an embedded page has no address.
window.addEventListener("hashchange", () => { if (location.protocol !== "about:") location.reload(); });
window.addEventListener("unhandledrejection", (event) => app.say(`Internal error: ${event.reason?.message || event.reason}; load the page again`, true));
/** For tests: the answer about a move, the bound of a value, the legal moves of the page, and pages that the program makes. */
Object.assign(app, { pageText: (path) => program.pageText(path), whyNot, positionOn, namedMoves, askedNode, familyOf, changeOf, linked, boundOf });
window.quarterply = app;
begin();
