// The overview: an icicle on a canvas. A row is a bar, as wide as the nodes below it, with its children underneath; the
// row that fills the width can be changed by a click.

const BAR_MAX = 24;
const BAR_MIN = 13;
/** Lower bars have smaller letters and thinner frames. */
const LOW = 18;
const LABEL_MIN = 26;
const ZOOM_TIME = 220;
const FADED = 0.16;
const AHEAD = 0.1;
/** Width of a picture of an overview that a narrow screen does not show now, in pixels. */
const HIDDEN_WIDTH = 800;

function createOverview(app) {
  const canvas = byId("canvas");
  const frame = byId("overview");
  const tip = byId("tip");
  const pen = canvas.getContext("2d");
  const state = { top: 0, bars: [], levels: [], mode: "rule", horizon: null, path: new Set(), hover: null, height: BAR_MAX, view: [0, 1], request: 0 };

  async function load(top) {
    const request = ++state.request;
    const width = Math.max(200, frame.clientWidth);
    const bars = await app.source.overview(top, width * 2, app.filter);
    if (request !== state.request || !bars.length) return;
    const base = bars[0];
    const whole = Math.max(1, base.nodes);
    state.levels = [];
    for (const bar of bars) {
      bar.x = bar.offset / whole;
      bar.w = bar.nodes / whole;
      bar.line = bar.level - base.level;
      (state.levels[bar.line] ||= []).push(bar);
    }
    Object.assign(state, { top, bars, view: [0, 1], hover: null });
    layout();
  }

  function layout() {
    const lines = Math.max(1, state.levels.length);
    const room = frame.clientHeight || 200;
    state.height = Math.max(BAR_MIN, Math.min(BAR_MAX, Math.floor(room / lines)));
    const ratio = window.devicePixelRatio || 1;
    const width = frame.clientWidth;
    const height = Math.max(room, lines * state.height);
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    draw();
  }

  const shownWidth = () => frame.clientWidth || HIDDEN_WIDTH;

  function spanOf(bar) {
    const [low, high] = state.view;
    const width = shownWidth() / (high - low);
    return [(bar.x - low) * width, bar.w * width];
  }

  function draw() {
    const { paper } = palette.values;
    pen.fillStyle = paper;
    pen.fillRect(0, 0, frame.clientWidth, canvas.height);
    pen.font = `${state.height < LOW ? 11 : 12}px ${getComputedStyle(document.body).fontFamily}`;
    pen.textBaseline = "middle";
    for (const bar of state.bars) drawBar(bar);
    outline(state.bars.filter((bar) => state.path.has(bar.id)), palette.values.ink, 1.5);
    const last = state.bars.find((bar) => bar.id === app.row?.id);
    if (last) outline([last], palette.values.accent, state.height < LOW ? 1.5 : 3);
    if (state.hover) outline([state.hover], palette.values.ink, state.height < LOW ? 1.5 : 2);
    // Labels come last, so that frames do not cover them.
    for (const bar of state.bars) label(bar);
  }

  const isSeen = ([x, w]) => w >= 0.4 && x <= frame.clientWidth && x + w >= 0;
  const opacityOf = (bar) => (state.horizon !== null && bar.id >= state.horizon ? AHEAD : bar.matches ? 1 : FADED);

  function drawBar(bar) {
    const [x, w] = spanOf(bar);
    if (!isSeen([x, w])) return;
    const y = bar.line * state.height;
    pen.globalAlpha = opacityOf(bar);
    pen.fillStyle = colourOf(bar, state.mode, app.about);
    const gap = w > 3 ? 1 : 0;
    pen.fillRect(x, y, Math.max(0.5, w - gap), state.height - 1);
    if (bar.flags & FLAG.line) {
      pen.fillStyle = palette.values.gold;
      pen.fillRect(x, y + state.height - 3.5, Math.max(0.5, w - gap), 2.5);
    }
    pen.globalAlpha = 1;
  }

  function label(bar) {
    const [x, w] = spanOf(bar);
    if (w <= LABEL_MIN || state.height < BAR_MIN || !isSeen([x, w])) return;
    const y = bar.line * state.height;
    const name = barName(bar);
    const left = Math.max(x, 0);
    pen.save();
    pen.globalAlpha = opacityOf(bar);
    pen.beginPath();
    pen.rect(left, y, Math.min(w, frame.clientWidth) - 2, state.height);
    pen.clip();
    pen.fillStyle = textOn(colourOf(bar, state.mode, app.about));
    pen.fillText(w > 84 && bar.value !== null ? `${name}  ${valueText(bar, app.about)}` : name, left + 5, y + state.height / 2 - 0.5);
    pen.restore();
  }

  function barName(bar) {
    if (bar.level === 0) return "root";
    return bar.san || "?";
  }

  function outline(bars, colour, width) {
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    for (const bar of bars) {
      const [x, w] = spanOf(bar);
      if (w >= 1) pen.strokeRect(x + width / 2, bar.line * state.height + width / 2, Math.max(1, w - 1 - width), state.height - 1 - width);
    }
  }

  /** The overview as SVG. */
  function picture() {
    const width = shownWidth();
    const height = Math.max(1, state.levels.length) * state.height;
    const shapes = state.bars.map((bar) => {
      const [x, w] = spanOf(bar);
      if (w < 0.4) return "";
      const y = bar.line * state.height;
      const colour = colourOf(bar, state.mode, app.about);
      const gap = w > 3 ? 1 : 0;
      const rect = (top, tall, fill) => `<rect x="${x.toFixed(2)}" y="${top}" width="${Math.max(0.5, w - gap).toFixed(2)}" height="${tall}" fill="${fill}"/>`;
      const onLine = bar.flags & FLAG.line ? rect(y + state.height - 3.5, 2.5, palette.values.gold) : "";
      const text = w > 84 && bar.value !== null ? `${barName(bar)}  ${valueText(bar, app.about)}` : barName(bar);
      const named = w > LABEL_MIN ? `<svg x="${x.toFixed(2)}" y="${y}" width="${(w - 2).toFixed(2)}" height="${state.height}"><text x="5" y="${state.height / 2 + 4}" fill="${textOn(colour)}">${escaped(text)}</text></svg>` : "";
      return `<g opacity="${bar.matches ? 1 : FADED}">${rect(y, state.height - 1, colour)}${onLine}${named}</g>`;
    });
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12"><rect width="${width}" height="${height}" fill="${palette.values.paper}"/>${shapes.join("")}</svg>`;
  }

  /** The place of the middle of a bar in the window. */
  function middleOf(bar) {
    const box = canvas.getBoundingClientRect();
    const [x, w] = spanOf(bar);
    return [box.left + x + w / 2, box.top + (bar.line + 0.5) * state.height];
  }

  function barAt(event) {
    const box = canvas.getBoundingClientRect();
    const [low, high] = state.view;
    const x = low + ((event.clientX - box.left) / box.width) * (high - low);
    const bars = state.levels[Math.floor((event.clientY - box.top) / state.height)] || [];
    let first = 0;
    let end = bars.length;
    while (first < end) {
      const middle = (first + end) >> 1;
      if (bars[middle].x + bars[middle].w <= x) first = middle + 1; else end = middle;
    }
    const bar = bars[first];
    return bar && bar.x <= x ? bar : null;
  }

  function explain(bar, event) {
    const rule = bar.rule === null ? "" : `<br>${escaped(app.about.rules[bar.rule].name)}`;
    const value = bar.value === null ? "" : `, ${valueText(bar, app.about)}`;
    const decision = DECISION_WORDS[bar.decision] ? `, ${DECISION_WORDS[bar.decision]}` : "";
    const share = ((100 * bar.nodes) / Math.max(1, app.about.nodes)).toFixed(1);
    tip.innerHTML = `<b>${escaped(barName(bar))}</b>${value}${decision}${rule}<br>${counted(bar.nodes)} nodes, ${share} % of all`;
    tip.hidden = false;
    const box = frame.parentElement.getBoundingClientRect();
    const x = Math.min(event.clientX - box.left + 14, box.width - tip.offsetWidth - 6);
    tip.style.left = `${Math.max(6, x)}px`;
    tip.style.top = `${event.clientY - box.top + 18}px`;
  }

  function zoomTo(id) {
    const bar = state.bars.find((one) => one.id === id);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (!bar || id === state.top || still) return load(id);
    const start = performance.now();
    return new Promise((done) => {
      const frameOf = (now) => {
        const share = Math.min(1, (now - start) / ZOOM_TIME);
        const eased = share * (2 - share);
        state.view = [bar.x * eased, 1 + (bar.x + bar.w - 1) * eased];
        draw();
        if (share < 1) requestAnimationFrame(frameOf); else load(id).then(done);
      };
      requestAnimationFrame(frameOf);
    });
  }

  /** Marks a path; leaves the enlarged subtree when the path is not in it. */
  async function show(path) {
    state.path = new Set(path.map((row) => row.id));
    if (!state.path.has(state.top)) await load(0);
    draw();
  }

  canvas.addEventListener("mousemove", (event) => {
    const bar = barAt(event);
    if (bar !== state.hover) { state.hover = bar; draw(); }
    if (bar) explain(bar, event); else tip.hidden = true;
  });
  canvas.addEventListener("mouseleave", () => { state.hover = null; tip.hidden = true; draw(); });
  canvas.addEventListener("click", async (event) => {
    const bar = barAt(event);
    if (!bar) return;
    tip.hidden = true;
    if (bar.id === state.top && bar.level > 0) return app.zoom(app.path.find((row) => row.id === bar.id)?.up ?? 0);
    await app.select(bar.id);
    if (bar.size > 1) await app.zoom(bar.id);
  });
  new ResizeObserver(() => { if (frame.clientWidth && state.bars.length) layout(); }).observe(frame);

  return {
    load, draw, show, zoomTo, layout, picture,
    top: () => state.top,
    bars: () => state.bars,
    middleOf,
    setMode: (mode) => { state.mode = mode; draw(); },
    setHorizon: (row) => { if (state.horizon !== row) { state.horizon = row; draw(); } },
  };
}
