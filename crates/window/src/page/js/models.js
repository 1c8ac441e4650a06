// An interactive model: the scores of its leaves can be changed, and decisions can be guessed before they are shown. The search is the
// textbook search of `quarterply window model`.

/** Maximum score of a model, in eighths. */
const MODEL_LIMIT = 126;

/** Searches the tree of these rows with the scores in `leaves` (by row): every evaluation in order, and the result of each row. */
function modelRun(rows, leaves, open) {
  const kids = new Map(rows.map((row) => [row.id, []]));
  for (const row of [...rows].sort((one, other) => one.number - other.number)) if (row.up !== null) kids.get(row.up)?.push(row);
  const depth = Math.max(...rows.map((row) => row.level));
  const [events, best] = [[], []];
  const thresholds = [open, open];

  /** True if one of its replies refuted the node. */
  function expand(row) {
    const ply = row.level + 1;
    if (ply >= 2) thresholds[ply] = thresholds[ply - 2];
    const below = kids.get(row.id);
    const tried = ply < depth ? [...below].sort((one, other) => other.guess - one.guess) : below;
    for (const child of tried) {
      let value = leaves.get(child.id);
      if (kids.get(child.id).length) {
        if (expand(child)) continue;
        value = thresholds[ply + 1];
      }
      const [beta, alpha] = [thresholds[ply - 1], -thresholds[ply]];
      const decision = value >= beta ? DECISION.cutoff : value > alpha ? DECISION.best : DECISION.notBest;
      events.push({ id: child.id, value, alpha, beta, decision });
      if (decision === DECISION.cutoff) return true;
      if (decision === DECISION.best) {
        thresholds[ply] = -value;
        best.push(child);
      }
    }
    return false;
  }

  const root = rows.find((row) => row.level === 0);
  expand(root);
  const line = [root];
  for (const row of [...best].reverse()) if (row.level === line.length && row.up === line[line.length - 1].id) line.push(row);
  return { events, line: new Set(line.map((row) => row.id)), value: -thresholds[1] };
}

/** The rows after `count` events of a run. */
function modelRows(rows, run, shown) {
  const seen = new Map(run.events.slice(0, shown).map((event, index) => [event.id, { ...event, event: index + 1 }]));
  const over = shown >= run.events.length;
  return rows.map((row) => {
    const event = seen.get(row.id);
    const flags = (row.flags & ~(FLAG.line | FLAG.refuted)) | (over && run.line.has(row.id) ? FLAG.line : 0);
    const plain = { ...row, flags, value: row.level === 0 && over ? run.value : null, event: 0, decision: DECISION.nothing, alpha: null, beta: null };
    return { ...plain, kind: row.level === 0 || event || !over ? KIND.node : KIND.unsearched, ...(event ? { value: event.value, alpha: event.alpha, beta: event.beta, decision: event.decision, event: event.event } : {}) };
  });
}

function createModels(app) {
  const dialog = byId("model");
  /** Leaves that are ordered by their score, as long as it changes. */
  let early = new Set();
  let [rows, leaves, run, shown, right, wrong, feedback] = [[], new Map(), null, 0, 0, 0, ""];

  const text = (value) => scoreText(value, app.about);
  const line = (row) => (row.level > 1 ? `${line(rows.find((one) => one.id === row.up))} ${rowName(row)}` : rowName(row));

  function open() {
    rows = app.diagramRows.map((row) => ({ ...row }));
    const ends = rows.filter((row) => row.level > 0 && !rows.some((one) => one.up === row.id));
    leaves = new Map(ends.map((row) => [row.id, row.order ?? 0]));
    early = new Set(ends.filter((row) => row.guess === row.order).map((row) => row.id));
    again();
    const field = ([id, value]) => `<label>${escaped(line(rows.find((row) => row.id === id)))} <input type="number" step="0.125" min="-15.75" max="15.75" value="${value / app.about.unit}" data-leaf="${id}"></label>`;
    dialog.innerHTML = `<h2 id="model-title">Guess decisions</h2><p>Guess what the search decides at each node, or change the scores of the leaves: each change is searched at once. Scores are in pawns for the side that made the last move of the line.</p><div id="model-drawing" class="model-drawing" tabindex="0" role="group" aria-label="The tree with every decision so far"></div><p id="model-status" aria-live="polite"></p><div class="row" id="model-guess"></div><details open><summary>Scores of the leaves</summary><div class="leaves">${[...leaves].map(field).join("")}</div></details><div class="row"><button type="button" class="plain" id="model-all">Show all decisions</button><button type="button" class="plain" id="model-again">Guess from the beginning</button><span class="grow"></span><button type="button" class="plain" id="model-close">Close</button></div>`;
    dialog.showModal();
    draw();
  }

  /** A new search; all its decisions are shown. */
  function again() {
    run = modelRun(rows, leaves, app.about.open);
    [shown, right, wrong, feedback] = [run.events.length, 0, 0, ""];
  }

  const words = (event) => {
    const row = rows.find((one) => one.id === event.id);
    const value = text(event.value);
    const two = event.beta >= app.about.open ? "MAX" : text(event.beta);
    const one = event.alpha <= -app.about.open ? "−MAX" : text(event.alpha);
    const verdict = event.decision === DECISION.cutoff ? `it reaches ${two}: cutoff` : event.decision === DECISION.best ? `below ${two} and above ${one}: new best` : `below ${two}, not above ${one}: not better`;
    return `${line(row)} has the value ${value}; ${verdict}.`;
  };

  function draw() {
    const over = shown >= run.events.length;
    byId("model-drawing").innerHTML = diagram(modelRows(rows, run, shown), app.about, over ? 0 : run.events[shown].id);
    if (over) {
      const saved = [...leaves.keys()].filter((id) => !run.events.some((event) => event.id === id)).length;
      const score = right + wrong ? ` ${right} of ${right + wrong} guessed right.` : "";
      byId("model-status").textContent = `${feedback} Value ${text(run.value)}. ${leaves.size - saved} of ${leaves.size} leaves evaluated, ${saved} saved.${score}`.trim();
      byId("model-guess").innerHTML = "";
      return;
    }
    const event = run.events[shown];
    const row = rows.find((one) => one.id === event.id);
    const bound = (value) => (Math.abs(value) >= app.about.open ? (value < 0 ? "−MAX" : "MAX") : text(value));
    byId("model-status").textContent = `${feedback} ${line(row)} has the value ${text(event.value)}; the two-ply threshold is ${bound(event.beta)}, the one-ply threshold ${bound(event.alpha)}. Which decision follows?`.trim();
    const guess = (decision, label) => `<button type="button" class="plain" data-guess="${decision}">${label}</button>`;
    byId("model-guess").innerHTML = guess(DECISION.cutoff, "cutoff") + guess(DECISION.best, "new best") + guess(DECISION.notBest, "not better");
  }

  dialog.addEventListener("input", ({ target }) => {
    if (!target.dataset.leaf) return;
    const eighths = Math.ceil(Number(target.value) * app.about.unit);
    const score = Math.max(-MODEL_LIMIT, Math.min(MODEL_LIMIT, Number.isFinite(eighths) ? eighths : 0));
    const id = Number(target.dataset.leaf);
    leaves.set(id, score);
    if (early.has(id)) rows.find((row) => row.id === id).guess = score;
    again();
    draw();
  });
  dialog.addEventListener("click", ({ target }) => {
    if (target.dataset.guess) {
      const event = run.events[shown];
      const hit = Number(target.dataset.guess) === event.decision;
      if (hit) right++; else wrong++;
      feedback = `${hit ? "Right" : "No"}: ${words(event)}`;
      shown++;
      draw();
      byId("model-guess").querySelector("button")?.focus();
    } else if (target.id === "model-again") {
      [shown, right, wrong, feedback] = [0, 0, 0, ""];
      draw();
    } else if (target.id === "model-all") {
      again();
      draw();
    } else if (target.id === "model-close") dialog.close();
  });

  return { open, run: () => run };
}
