// Why not: the user chooses a move on the board or from a list, and the panel shows the answer, its evidence and, if a server runs,
// the results of separate searches.

const TRIAL_EVERY = 120;

function createAsking(app) {
  let legal = [];
  let place = null;
  let current = null;
  let requests = 0;

  const score = (row) => valueText(row, app.about);

  /** Stores the legal moves of the position on the board. */
  function prepare(path) {
    place = app.about.kind === "search" ? positionOn(app.about.fen, path) : null;
    legal = place ? namedMoves(place) : [];
    if (current && (current.source !== app.source || current.id !== path[path.length - 1].id)) drop();
  }

  function drop() {
    current = null;
    requests++;
    if (app.source.served) tell("whatif/stop").catch(() => {});
  }

  /** The list of moves to ask about. */
  function form(row) {
    if (!legal.length) return "";
    const option = (mv) => `<option value="${mv.uci}"${current && current.answer.mv.uci === mv.uci ? " selected" : ""}>${escaped(mv.san)}</option>`;
    const where = row.kind === KIND.unsearched ? "instead of it" : "here";
    return `<div class="asker"><label for="ask-move">Why not another move ${where}?</label><select id="ask-move"><option value="">choose, or drag a piece</option>${legal.map(option).join("")}</select></div>`;
  }

  /** Asks about a move. With `stays` the focus stays in the list (keyboard users); otherwise it moves to the answer. */
  async function ask(mv, { stays = false } = {}) {
    const turn = ++requests;
    const { source } = app;
    const { id } = app.row;
    const started = performance.now();
    const answer = await whyNot(source, app.about, app.path, mv);
    if (turn !== requests || app.source !== source || app.row.id !== id) return;
    current = { source, id, answer, line: null, iterations: [], trials: null, problem: "", took: performance.now() - started };
    app.board.draw();
    await app.panel.show(app.path);
    if (matchMedia("(max-width: 759px)").matches) showTab("panel");
    byId("panel").scrollTop = 0;
    byId(stays ? "ask-move" : "asked")?.focus({ preventScroll: true });
    byId("asked-status").textContent = stays ? answer.sentence : "";
    const searched = source.served ? trials(turn) : null;
    // The sentence is shown already; its evidence follows.
    const [line, iterations] = await Promise.all([answer.row ? lineAfter(source, app.about, answer.row) : null, everyIteration(source, answer)]);
    if (turn === requests && app.source === source && current) {
      Object.assign(current, { line, iterations });
      await app.panel.show(app.path);
    }
    await searched;
  }

  const askUci = (uci, how) => {
    const mv = legal.find((one) => isSameMove(one, uci));
    if (mv) return ask(mv, how);
    if (place) app.say(`${uci} is not a legal move here: ${whyIllegal(place, uci)}.`);
    return undefined;
  };

  function card() {
    if (!current) return "";
    const { answer, line, iterations } = current;
    const isSaid = answer.claim === "cutAfter" && answer.sentence.includes(answer.rule);
    const close = '<button class="icon small-icon" type="button" id="asked-close" aria-label="Close the answer" title="Close the answer"><svg viewBox="0 0 20 20" aria-hidden="true"><path d="M5 5l10 10M15 5L5 15"/></svg></button>';
    return `<section class="asked" id="asked" tabindex="-1" aria-label="Why not ${escaped(answer.mv.san)}?"><h2><span>Why not ${escaped(answer.mv.san)}?</span>${close}</h2><div id="asked-lead" aria-live="polite">${lead()}</div>${answer.detail && !isSaid ? `<p class="lead">${linked(answer.detail, app.about)}</p>` : ""}${refutation(answer, line)}${searches(answer)}${handled(answer)}${iterationTable(iterations)}<div id="trials">${trialTable()}</div></section>`;
  }

  /** The answer: that of the move searched alone as soon as it is there, because it has a value instead of a bound; then that of the tree. */
  function lead() {
    const { answer, trials } = current;
    const paragraph = (text, style) => `<p class="lead ${style}">${linked(text, app.about)}</p>`;
    if (!trials?.answer) return paragraph(answer.sentence, "strong-lead");
    return `${paragraph(trials.answer, "strong-lead")}${paragraph(`In this tree: ${answer.sentence}`, "")}`;
  }

  /** The line after the move and how it ends, unless the answer says that already. */
  function refutation({ row, sentence, about }, line) {
    if (!row || !line) return "";
    const moves = line.moves.map((one) => `<button type="button" data-row="${one.id}">${escaped(one.san)}</button>`).join(" ");
    const ended = moves ? undefined : markOf(row, ACTION.cut);
    const isNamed = ended && sentence.includes(about.rules[ended[0]].name);
    const how = line.how && !isNamed ? `<span class="quiet">${escaped(moves ? line.how : line.how.charAt(0).toUpperCase() + line.how.slice(1))}.</span>` : "";
    const follows = moves || how ? `<p class="follows">${moves ? `Then: ${moves} ` : ""}${how}</p>` : "";
    return `${follows}<p><button type="button" class="plain small" data-row="${row.id}">Show it in the tree</button></p>`;
  }

  function searches({ rows, place, about, mv }) {
    if (!rows.length) return "";
    const line = (row) => `<tr><td>${escaped(about.purposes[row.purpose]?.[0] || "")}</td><td>${pliesText(row.depth, about)}</td><td>${score(row)}</td><td>${counted(row.nodes)}</td></tr>`;
    const { stage, order } = rows[0];
    const from = about.stages[stage] ? `, source: ${about.stages[stage]}${order === null ? "" : `, ordering score ${counted(order).replace("-", "−")}`}` : "";
    return `<h3>Searches of ${escaped(mv.san)}: place ${place} in the order${from}</h3><table class="numbers"><thead><tr><th>search</th><th>depth</th><th>value</th><th>nodes</th></tr></thead><tbody>${rows.map(line).join("")}</tbody></table>`;
  }

  function handled({ rows, own, group, node, claim, about }) {
    const shownRows = claim === "ended" ? [node] : [...(rows.length ? rows : own), ...(group ? [group] : [])];
    const marks = shownRows.flatMap((row) => row.marks).filter(([, action], index, all) => all.length < 12 || action !== ACTION.deepened);
    if (!marks.length) return "";
    const item = (mark) => {
      const [rule, , , text] = mark;
      const change = changeOf(mark);
      return `<li style="--c:${familyColour(familyOf(about, mark))}">${ruleName(about, rule)}${change ? ` ${signedPlies(change, about)}` : ""}${text ? `: ${escaped(text)}` : ""}</li>`;
    };
    return `<h3>Rules involved</h3><ul class="why">${marks.map(item).join("")}</ul>`;
  }

  function iterationTable(list) {
    if (!list.length) return "";
    const line = ({ name, finished, place, row, nodes }) => `<tr><td>${escaped(name)}${finished ? "" : " (unfinished)"}</td><td>${place}</td><td>${score(row)}</td><td>${counted(nodes)}</td></tr>`;
    return `<h3>The move in every iteration</h3><table class="numbers"><thead><tr><th>iteration</th><th>place in the order</th><th>value</th><th>nodes</th></tr></thead><tbody>${list.map(line).join("")}</tbody></table>`;
  }

  function trialTable() {
    if (!app.source.served) return '<p class="quiet">A new search, with a rule off or of this move alone, needs a page that can search: <code>quarterply window serve</code>, the web site, or <code>window search --live</code>.</p>';
    const { trials, problem, answer } = current;
    const head = "<h3>What if? Searched again</h3>";
    if (problem) return `${head}<p class="problem">${escaped(problem)}</p>`;
    if (!trials) return `${head}<p class="quiet">starting …</p>`;
    const state = (one) => (one.finished ? "finished" : one.running ? `searching: depth ${one.depth} of ${trials.wanted}` : one.depth === null ? "waiting" : `unfinished: depth ${one.depth} of ${trials.wanted}`);
    const value = (number, bound) => (number === null ? "" : `${BOUND_SIGNS[bound]}${scoreText(number, app.about)}`);
    const line = (one) => `<tr><td>${one.without ? `without ${escaped(one.without)}` : "unchanged"}</td><td>${value(one.value, one.bound)}</td><td>${one.best ? `${escaped(one.best)} ${value(one.best_value, one.best_bound)}` : ""}</td><td>${one.depth ?? ""}</td><td>${state(one)}</td></tr>`;
    return `${head}<table class="numbers trials"><thead><tr><th>searched</th><th>${escaped(answer.mv.san)} alone</th><th>best of all moves</th><th>depth</th><th>state</th></tr></thead><tbody>${trials.rows.map(line).join("")}</tbody></table><p class="quiet">${trials.running ? `${trials.seconds.toFixed(1)} s` : escaped(trialsSummary(trials, answer))}</p>`;
  }

  /** True if another move was preferred although this one has a higher value when searched alone. */
  const isHidden = (row, mv) => row.best !== mv.san && row.bound === 0 && row.best_bound === 0 && row.value > row.best_value;

  /** The rule that hid the move in the displayed tree. */
  function hiddenBy({ claim, rule, row, reducers, about, mv }) {
    if (claim === "shallow") return `${reducers.join(" and ")} hid ${mv.san}: the position after it was searched to depth ${pliesText(row.depth, about)} only`;
    if (claim === "skipped" || claim === "ended") return `${rule} hid ${mv.san}: it was not searched`;
    if (claim === "cutAfter") return `${rule} hid ${mv.san}: it cut the node after the move`;
    return `no rule at the move hid ${mv.san}; the searches pruned differently after it`;
  }

  /** Summary of all finished trials. */
  function trialsSummary({ rows }, answer) {
    const { mv } = answer;
    const done = rows.filter((one) => one.finished);
    const [usual] = rows;
    if (!usual?.finished) return "The unchanged search did not finish, so there is no comparison.";
    const hidden = isHidden(usual, mv) ? ` Searched alone it is worth more than ${usual.best}: ${hiddenBy(answer)}.` : "";
    if (rows.length === 1) return `No rule was involved: searched again, ${mv.san} is ${usual.best === mv.san ? "the best move" : "not the best move either"}.${hidden}`;
    const named = (fits) => done.filter((one) => one.without && fits(one)).map((one) => one.without).join(" or ");
    const [best, covered, worse] = [(one) => one.best === mv.san, (one) => isHidden(one, mv), (one) => one.best !== mv.san && !isHidden(one, mv)].map(named);
    const left = rows.length - done.length;
    return [
      hidden.trim(),
      best && `Without ${best}, ${mv.san} is the best move.`,
      covered && `Without ${covered}, ${mv.san} alone is worth more than the best move, but other rules hide it.`,
      worse && `Without ${worse}, another move is at least as good.`,
      left && `${left} of the searches did not finish and are not counted.`,
    ].filter(Boolean).join(" ");
  }

  async function trials(turn) {
    const { answer } = current;
    try {
      await tell("whatif", { tree: app.about.tree, row: answer.node.id, mv: answer.mv.uci, rules: answer.rules });
      for (;;) {
        const state = await query("whatif");
        if (turn !== requests || !current) return;
        const isNew = state.answer && !current.trials?.answer;
        current.trials = state;
        redraw();
        if (isNew) byId("asked-lead").innerHTML = lead();
        if (!state.running) return;
        await new Promise((done) => setTimeout(done, TRIAL_EVERY));
      }
    } catch (error) {
      if (turn !== requests || !current) return;
      current.problem = error.message;
      redraw();
    }
  }

  function redraw() {
    const place = byId("trials");
    if (place && current) place.innerHTML = trialTable();
  }

  const panel = byId("panel");
  // A key changes a closed list at once; for a list opened by a key, the key that ends the choice shows it.
  let byKeys = false;
  panel.addEventListener("keydown", (event) => { byKeys = event.target.id === "ask-move" && event.key !== " " && event.key !== "Enter"; });
  panel.addEventListener("pointerdown", () => { byKeys = false; });
  panel.addEventListener("change", (event) => { if (event.target.id === "ask-move" && event.target.value) askUci(event.target.value, { stays: byKeys }); });
  panel.addEventListener("click", (event) => { if (event.target.closest("#asked-close")) { drop(); app.board.draw(); app.panel.show(app.path); } });

  return { prepare, form, card, ask, askUci, legal: () => legal, current: () => current };
}
