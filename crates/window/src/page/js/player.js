// The step player: goes through the events of the search in order, each row entered once and left once.

const TICK_MIN = 16;

function createPlayer(app) {
  const range = byId("position");
  const output = byId("event");
  let at = 0;
  let timer = 0;
  /** Number of the last start or pause: a tick of an earlier one is ignored. */
  let run = 0;
  /** Number of the last event that was asked for: the answer to an earlier one is not shown. */
  let requests = 0;

  const last = () => app.about.rows * 2 - 1;
  const playing = () => timer !== 0;
  const isModel = () => app.about.kind === "model";
  /** Level of the moves at the root. In a search they are below its iterations. */
  const rootLevel = () => (isModel() ? 1 : 2);

  async function go(event) {
    const turn = ++requests;
    const target = Math.max(0, Math.min(last(), event));
    const found = await app.source.event(target);
    if (turn !== requests) return;
    at = target;
    await app.select(found.row, { stepping: true });
    const { row } = app;
    if (turn !== requests || row.id !== found.row) return;
    app.overview.setHorizon(found.leaving ? row.id + row.size : row.id + 1);
    describe(row, found.leaving);
    app.link();
  }

  function describe(row, leaving) {
    const change = leaving ? `left${row.value === null ? "" : ` with ${valueText(row, app.about)}`}${DECISION_WORDS[row.decision] ? `: ${DECISION_WORDS[row.decision]}` : ""}` : "entered";
    range.value = at;
    range.setAttribute("aria-valuetext", `${rowName(row)} ${change}`);
    output.textContent = `Event ${counted(at + 1)} of ${counted(last() + 1)}: ${rowName(row)} ${change}`;
  }

  /** After a manual selection the player is at the entry of the row. */
  function follow(row) {
    requests++;
    at = row.id * 2 - row.level;
    app.overview.setHorizon(null);
    describe(row, false);
  }

  async function jump(back, target) {
    pause();
    const turn = requests;
    const found = await app.source.nextEvent(at, back, target, app.filter);
    if (turn !== requests) return;
    if (found === null) app.say(back ? "No earlier event." : "No later event.");
    else await go(found);
  }

  async function tick(ownRun) {
    const rate = Number(byId("speed").value);
    const started = performance.now();
    if (at >= last()) return pause();
    await go(at + 1);
    const breaks = await isBreak();
    if (ownRun !== run) return;
    if (breaks) pause();
    else timer = setTimeout(tick, Math.max(TICK_MIN, 1000 / rate - (performance.now() - started)), ownRun);
  }

  /** True if the player pauses here. Alpha rises when a root move that became the best is left. */
  async function isBreak() {
    const event = byId("pause-at").value;
    const { row } = app;
    if (!event || at !== (row.id + row.size) * 2 - 1 - row.level) return false;
    if (event === "alpha") return row.level === rootLevel() && row.decision === DECISION.best;
    if (event === "alpha-below") return row.level > rootLevel() && (await beatsBest(row));
    if (event === "cutoff") return row.decision === DECISION.cutoff;
    return app.filter !== "" && (await app.source.nextEvent(at - 1, false, "match", app.filter)) === at;
  }

  /** True if the move of a row exceeds an earlier best move of its node; always false in quiescence. */
  async function beatsBest(row) {
    const isBest = (one) => one.decision === DECISION.best || one.decision === DECISION.cutoff;
    if (!isBest(row) || row.kind !== KIND.node || row.purpose > OWN_PURPOSES) return false;
    const { rows } = await app.source.children(row.up, 0, 300, "");
    return rows.some((one) => one.id < row.id && (isModel() || one.uci !== row.uci) && isBest(one));
  }

  function play() {
    if (at >= last()) at = -1;
    timer = setTimeout(tick, 0, ++run);
    sign();
  }

  function pause() {
    if (!playing()) return;
    clearTimeout(timer);
    timer = 0;
    run++;
    sign();
    app.link();
  }

  function sign() {
    byId("play").classList.toggle("playing", playing());
    byId("play").setAttribute("aria-label", playing() ? "Pause" : "Play");
  }

  const toggle = () => (playing() ? pause() : play());
  const step = (by) => { pause(); return go(at + by); };

  byId("play").addEventListener("click", toggle);
  byId("step").addEventListener("click", () => step(1));
  byId("step-back").addEventListener("click", () => step(-1));
  byId("cutoff").addEventListener("click", () => jump(false, "cutoff"));
  byId("cutoff-back").addEventListener("click", () => jump(true, "cutoff"));
  byId("match").addEventListener("click", () => jump(false, "match"));
  range.addEventListener("input", () => { pause(); go(Number(range.value)); });

  function reset() {
    pause();
    requests++;
    range.max = last();
  }

  return { beatsBest, reset, go, follow, step, jump, toggle, pause, playing, at: () => at };
}
