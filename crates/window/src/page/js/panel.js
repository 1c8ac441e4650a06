// The panel of the selected row: its search, the result, and the reasons.

const REMARK_MAX = 200;

/** Selector of the focused element in a part of the page, to find it after the part is drawn again. */
function focusHeld(place) {
  const active = document.activeElement;
  if (!active || active === place || !place.contains(active)) return "";
  if (active.id) return `#${active.id}`;
  const name = ["filter", "card", "row"].find((one) => active.dataset[one] !== undefined);
  return name ? `[data-${name}="${CSS.escape(active.dataset[name])}"]` : "summary";
}

/** Draws a part of the page again; the focus stays on the element that had it, or else in the part. */
function redrawn(place, text) {
  const held = focusHeld(place);
  place.innerHTML = text;
  if (held) (place.querySelector(held) || place).focus({ preventScroll: true });
}

function createPanel(app) {
  const place = byId("panel");
  let requests = 0;

  async function show(path) {
    const turn = ++requests;
    const row = path[path.length - 1];
    const below = row.kids ? await app.source.children(row.id, 0, 300, "") : { rows: [], total: 0 };
    if (turn !== requests) return;
    const top = place.scrollTop;
    // After an answer the next question can be asked without scrolling.
    const [answer, form] = [app.asking.card(), app.asking.form(row)];
    const opening = answer ? form + answer + heading(row) + lead(row) : heading(row) + lead(row) + form;
    redrawn(place, opening + (row.level ? "" : rulesAtWork() + placesTable()) + otherSearch(row) + bounds(row) + breakdown(row) + reasons(row) + movesBelow(row, below) + facts(row));
    place.scrollTop = top;
  }

  const score = (value) => scoreText(value, app.about);
  const side = (row, mover) => {
    const start = positionFrom(app.about.fen);
    const white = moverIsWhite(row.ply, start ? start.white : true) === mover;
    return white ? "White" : "Black";
  };

  function heading(row) {
    const number = row.san && app.about.fen ? `<span class="quiet">${moveNumber(row.ply, positionFrom(app.about.fen))}</span>` : "";
    const value = row.value === null ? "" : `<span class="score">${valueText(row, app.about)}</span>`;
    return `<h2><span>${number} ${escaped(rowName(row))}</span>${value}</h2>`;
  }

  /** A summary in a sentence or two. */
  function lead(row) {
    const say = (text) => `<p class="lead">${text}</p>`;
    if (row.rest.length) return say(`These moves were <b>not searched</b>; they were skipped together with the move before them: ${row.rest.map(([san]) => escaped(san)).join(", ")}.`);
    if (row.kind === KIND.unsearched) return say(app.about.kind === "model" ? "The search did not evaluate this move." : "This move was <b>not searched</b>.");
    if (row.level === 0) return say(rootLead());
    if (row.kind === KIND.iteration) return say(`One search of the root${/, window /.test(row.why) ? ", repeated with another aspiration window" : ""}${row.value === null ? "" : `, value ${valueText(row, app.about)} for ${side(row, false)}`}.`);
    if (row.flags & FLAG.aside) return say(`The same position searched again, in a separate search${forWhat(row)}.`);
    return say(`${how(row)} ${outcome(row)}`);
  }

  function rootLead() {
    const { about } = app;
    const parts = [about.kind === "model" ? "A model tree, searched by the textbook alpha-beta search." : "The search of this position, iteration by iteration."];
    if (about.line) parts.push(`It expects <b>${escaped(about.line)}</b>, value ${BOUND_SIGNS[about.bound]}${score(about.value)}.`);
    if (about.unrecorded) parts.push(`${counted(about.unrecorded)} nodes were not recorded.`);
    if (about.cut) parts.push(`${counted(about.cut)} recorded nodes are not in this tree, those of the smallest subtrees; the counts of rule decisions include them.`);
    return parts.join(" ") + about.remarks.map(remark).join("");
  }

  /** A remark; a long list opens when it is asked for. */
  function remark(text) {
    const at = text.indexOf(": ");
    if (at < 0 || text.length < REMARK_MAX) return `</p><p class="lead quiet">${escaped(text)}`;
    return `</p><details class="lead quiet"><summary>${escaped(text.slice(0, at))}</summary>${escaped(text.slice(at + 2))}</details><p>`;
  }

  function how(row) {
    if (app.about.kind === "model") return row.event ? `Evaluated as number ${row.event}.` : "";
    const done = row.flags & FLAG.again ? "Searched again" : row.kind === KIND.quiet ? `Searched in ${term("quiescence search", "quiescence")}` : "Searched";
    const depth = row.depth !== null && row.kind === KIND.node ? ` with ${pliesText(row.depth, app.about)} ${row.depth === app.about.ply ? "ply" : "plies"} left` : "";
    return `${done}${depth}${forWhat(row)}.`;
  }

  function forWhat(row) {
    const text = app.about.purposes[row.purpose]?.[1];
    return text ? `: ${escaped(text)}` : "";
  }

  function outcome(row) {
    const player = side(row, true);
    switch (row.decision) {
      case DECISION.cutoff: return `It is good enough for ${player} to <b>refute</b> the move before it: no other reply had to be searched.`;
      case DECISION.best: return `It is the <b>best so far</b> for ${player}.`;
      case DECISION.notBest: return "It changes nothing: an equal or better move was known.";
      case DECISION.again: return "It looked better than expected and was <b>searched again</b>.";
      default: return row.flags & FLAG.refuted ? "A reply <b>refuted</b> it." : "";
    }
  }

  /** Its differences from the compared search. */
  function otherSearch(row) {
    return row.differs ? `<h3>Compared with ${escaped(app.about.differences?.label || "the other search")}: ${differenceWord(row)}</h3><p>${escaped(differenceText(row, app.about))}</p>` : "";
  }

  /** Number of decisions of each rule in the whole tree; a rule can be chosen as the filter. */
  function rulesAtWork() {
    const { rules } = app.about;
    const active = rules.map((rule, number) => ({ ...rule, number })).filter((rule) => rule.count).sort((one, other) => other.count - one.count);
    if (!active.length) return "";
    const most = active[0].count;
    const line = (rule) => `<button type="button" class="work" data-filter="rule-${rule.number}" style="--c:${familyColour(rule.family)};--w:${(100 * rule.count) / most}%"><span>${escaped(rule.name)}</span><i></i><b>${counted(rule.count)}</b></button>${cardButton(app.about, rule.number)}`;
    return `<h3>Decisions of rules</h3><div class="works">${active.map(line).join("")}</div>`;
  }

  /** Sources of the moves that decided nodes, and their place among the searched moves. */
  function placesTable() {
    const { places } = app.about;
    if (!places) return "";
    const line = ({ source, cutoffs, best, places: sum, first }) => `<tr><th scope="row">${escaped(source)}</th><td>${counted(cutoffs)}</td><td>${counted(best)}</td><td>${(sum / (cutoffs + best)).toFixed(2)}</td><td>${Math.round((100 * first) / (cutoffs + best))}&nbsp;%</td></tr>`;
    return `<h3 id="places-title">Sources of the moves that cut or were best</h3><table class="numbers places" aria-labelledby="places-title"><thead><tr><th scope="col">source</th><th scope="col">cutoffs</th><th scope="col">best</th><th scope="col">average place</th><th scope="col">came first</th></tr></thead><tbody>${places.map(line).join("")}</tbody></table>`;
  }

  /** The window of the node; in a model, of the side that moved. */
  function bounds(row) {
    if (row.alpha === null || row.beta === null) return "";
    const model = app.about.kind === "model";
    const turned = (value) => (value === null ? null : -value);
    const own = row.kind === KIND.iteration;
    const aside = (row.flags & FLAG.aside) !== 0;
    const seen = model || own || aside
      ? { alpha: row.alpha, beta: row.beta, guess: model ? null : row.guess, value: row.value }
      : { alpha: turned(row.beta), beta: turned(row.alpha), guess: turned(row.guess), value: turned(row.value) };
    const player = model || aside ? side(row, true) : side(row, false);
    const view = model ? `for ${player}, who moved` : `for ${player}, to move here`;
    return `<h3>${term("window", "Window")}, seen ${view.replace("for", "by")}</h3>${boundsPicture(seen, app.about)}<p class="key">${key(seen, model)}</p>`;
  }

  function key(seen, model) {
    const dot = (name, text, value) => (value === null ? "" : `<span><i class="${name}"></i>${text} ${score(value)}</span>`);
    const verdict = seen.value === null ? "" : seen.value >= seen.beta ? `Reaches β: ${term("beta cutoff", "cutoff")}.` : seen.value <= seen.alpha ? `Does not exceed α: ${term("fail high, fail low", "fails low")}.` : "Between α and β: exact.";
    return `${dot("", "value", seen.value)}${dot("hollow", "static", model ? null : seen.guess)}<span>${verdict}</span>`;
  }

  function breakdown(row) {
    const costMarks = row.marks.filter(([, action]) => action === ACTION.costChanged);
    if (row.cost === null && !costMarks.length) return "";
    const entries = costMarks.flatMap((mark) => depthTerms(mark, app.about).map((part) => ({ ...part, colour: familyColour(familyOf(app.about, mark)) })));
    const sum = -app.about.ply + entries.reduce((total, entry) => total + entry.change, 0);
    const rest = row.cost === null ? 0 : -row.cost - sum;
    if (Math.abs(rest) > entries.length * TERM_ERROR) entries.push({ name: row.flags & FLAG.again ? "re-search" : "other", change: rest, colour: palette.values.plain });
    if (!entries.length) return "";
    return `<h3>Change of depth by the ${term("cost of a move", "move")}, in plies: + deeper, − shallower</h3>${breakdownPicture(entries, row.cost === null ? sum : -row.cost, app.about)}`;
  }

  function reasons(row) {
    const list = [];
    for (const mark of row.marks) {
      const [rule, action, , text] = mark;
      if (action === ACTION.costChanged && !text) continue;
      const actionWords = actionText(row, mark);
      list.push(`<li style="--c:${familyColour(familyOf(app.about, mark))}">${ruleName(app.about, rule)} ${actionWords}${text ? `: ${escaped(text)}` : ""}.</li>`);
    }
    if (row.why && row.kind !== KIND.iteration && !(row.flags & FLAG.refuted)) list.push(`<li>${escaped(row.why)}</li>`);
    return list.length ? `<h3>Why</h3><ul class="why" style="padding:0;margin:0">${list.join("")}</ul>` : "";
  }

  function actionText(row, mark) {
    switch (mark[1]) {
      case ACTION.cut: return "ended the node";
      case ACTION.skipped: return row.rest.length ? "skipped these moves" : "skipped the move";
      case ACTION.deepened: return `changed the depth of the node by ${signedPlies(changeOf(mark), app.about)} plies`;
      default: return `changed the depth by ${signedPlies(changeOf(mark), app.about)} plies`;
    }
  }

  /** The outcomes of the moves below, as one bar and a key. */
  function movesBelow(row, { rows }) {
    const groups = new Map();
    const add = (name, colour, count) => {
      const group = groups.get(name) || { colour, count: 0 };
      group.count += count;
      if (count) groups.set(name, group);
    };
    for (const child of rows) {
      if (child.purpose > OWN_PURPOSES || child.kind === KIND.iteration || child.flags & (FLAG.aside | FLAG.again | FLAG.nullMove)) continue;
      const leading = leadingMark(child.marks);
      if (child.kind !== KIND.unsearched) add("searched", palette.values.accent, 1);
      else if (!leading) add("not reached", palette.values.plain, 1);
      else add(`skipped: ${app.about.rules[leading[0]].name}`, familyColour(familyOf(app.about, leading)), child.rest.length || 1);
    }
    add("not reached: the cutoff came first", palette.values.plain, row.unreached);
    if (!groups.size) return "";
    const bars = [...groups].map(([, group]) => `<i style="--c:${group.colour};flex:${group.count}"></i>`).join("");
    const names = [...groups].map(([name, group]) => `<span><i class="swatch" style="--c:${group.colour}"></i>${group.count} ${escaped(name)}</span>`).join("");
    return `<h3>Moves tried from here</h3><div class="split" aria-hidden="true">${bars}</div><div class="split-key">${names}</div>`;
  }

  function facts(row) {
    const { about } = app;
    const list = [];
    const [mover, turn] = [row.ply === 0 ? side(row, false) : side(row, true), row.flags & FLAG.aside ? side(row, true) : side(row, false)];
    const add = (name, text) => { if (text !== "" && text !== null && text !== undefined) list.push(`<dt>${name}</dt><dd>${text}</dd>`); };
    if (row.nodes && row.level && about.kind === "search") add("Nodes below", counted(row.nodes));
    add("Depth deducted for the move, in plies", pliesText(row.cost, about));
    add(term("depth budget", "Plies left"), pliesText(row.depth, about));
    if (row.own !== null) add(`Budgets of ${turn}, to move here, and of the opponent`, `${pliesText(row.own, about)}, ${pliesText(row.other, about)}`);
    if (!(row.flags & FLAG.aside)) add(term("ply", "Ply"), row.ply || "");
    if (app.about.kind === "search") add(term("static evaluation", `Static evaluation, for ${mover}`), score(row.guess));
    else if (row.level) add("Static score, for ordering", score(row.guess));
    add("Expected node type", typeText(row.expected));
    add("Actual node type", typeText(row.found));
    add("Source of the move", escaped(about.stages[row.stage] || ""));
    if (about.kind === "search") add("Ordering score", row.order === null ? "" : counted(row.order).replace("-", "−"));
    if (row.flags & FLAG.check) add("In check", "yes");
    if (row.event) add("Order of evaluation", row.event);
    if (about.kind === "model" && row.level) add("Order of creation", row.number);
    if (row.hit) add(term("transposition table", `Table entry, for ${turn}`), tableText(row.hit));
    if (row.flags & FLAG.folded) add("Subtree", "partly not recorded");
    return list.length ? `<h3>Facts</h3><dl class="facts">${list.join("")}</dl>` : "";
  }

  function tableText(hit) {
    const value = hit.value === null || !hit.bound ? "" : `${BOUND_WORDS[hit.bound]} ${score(hit.value)}`;
    const depth = hit.depth === null ? "" : ` at ${pliesText(hit.depth, app.about)} plies`;
    const move = hit.san ? `, ${escaped(hit.san)}` : "";
    const from = hit.from === null ? "" : ` <button type="button" data-row="${hit.from}">from row ${counted(hit.from)}</button>`;
    return value + depth + move + from || "without a value";
  }

  place.addEventListener("click", (event) => {
    const rule = event.target.closest("[data-filter]");
    if (rule) app.setFilter(app.filter === rule.dataset.filter ? "" : rule.dataset.filter);
    const link = event.target.closest("[data-row]");
    if (link) app.select(Number(link.dataset.row));
  });

  return { show };
}
