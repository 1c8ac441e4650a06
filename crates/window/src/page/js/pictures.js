// Small pictures of the selected row.

const PICTURE = 320;
const EDGE = 26;

/** A round step that puts about five ticks into a range. */
function tickStep(range) {
  const rough = range / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough);
}

/** The scores of a window that have a place on a number line: no mates, no open bounds. */
function knownScores(facts, about) {
  return [facts.alpha, facts.beta, facts.guess, facts.value]
    .filter((value) => value !== null && value !== undefined && Math.abs(value) <= about.mate - 256 && Math.abs(value) < about.open);
}

/** The range to draw: all known scores, margins, open bounds at the edges. */
function boundsRange(facts, about) {
  const known = knownScores(facts, about);
  if (!known.length) known.push(0);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const room = Math.max((high - low) * 0.3, about.unit * 0.25);
  return [low - room, high + room];
}

/** The window on a number line: its inside, the range of cutoffs, the static value and the result. */
function boundsPicture(facts, about) {
  const [low, high] = boundsRange(facts, about);
  const x = (value) => Math.max(EDGE - 14, Math.min(PICTURE - EDGE + 14, EDGE + ((value - low) / (high - low)) * (PICTURE - 2 * EDGE)));
  const [left, right] = [x(facts.alpha), x(facts.beta)];
  const step = tickStep((high - low) / about.unit) * about.unit;
  let ticks = "";
  const numbered = knownScores(facts, about).length > 0;
  for (let at = Math.ceil(low / step) * step; numbered && at <= high; at += step) {
    ticks += `<path class="tick" d="M${x(at)} 46v5"/><text x="${x(at)}" y="63" text-anchor="middle">${Math.abs(at) < step / 2 ? "0" : scoreTick(at, step, about)}</text>`;
  }
  const width = Math.max(3, right - left);
  const beyond = `<rect class="beyond" x="${left + width}" y="26" width="${Math.max(0, PICTURE - 8 - left - width)}" height="20" rx="3"/>`;
  const inside = `<rect class="inside" x="${left}" y="26" width="${width}" height="20" rx="2"/>`;
  const bounds = `<path class="bound" d="M${left} 22v28M${left + width} 22v28"/>`;
  const guess = facts.guess === null ? "" : `<circle class="guess-dot" cx="${x(facts.guess)}" cy="36" r="5.500"><title>static ${scoreText(facts.guess, about)}</title></circle>`;
  const value = facts.value === null ? "" : `<circle class="value-dot" cx="${x(facts.value)}" cy="36" r="5.500"><title>value ${scoreText(facts.value, about)}</title></circle>`;
  return `<svg viewBox="0 0 ${PICTURE} 68" role="img" aria-label="${escaped(boundsSpoken(facts, about))}">${beyond}<path class="axis" d="M8 46h${PICTURE - 16}"/>${ticks}${inside}${bounds}${boundNames(facts, left, left + width, about)}${guess}${value}</svg>`;
}

/** A tick with enough digits to differ from the next one. */
function scoreTick(value, step, about) {
  const digits = Math.max(0, -Math.floor(Math.log10(step / about.unit) + 1e-9));
  return `${value < 0 ? "−" : "+"}${(Math.abs(value) / about.unit).toFixed(digits)}`;
}

/** α and β over their bounds; if these are close, one to the left and one to the right. */
function boundNames(facts, left, right, about) {
  const close = right - left < 110;
  const name = (sign, value) => `${sign} ${scoreText(value, about)}`;
  const [from, to] = close ? ["end", "start"] : ["middle", "middle"];
  const held = (x, anchor) => (anchor === "middle" ? Math.max(34, Math.min(PICTURE - 34, x)) : x);
  if (close && left < 60) return `<text class="strong" x="${left}" y="14">${name("α", facts.alpha)}   ${name("β", facts.beta)}</text>`;
  if (close && right > PICTURE - 60) return `<text class="strong" x="${right}" y="14" text-anchor="end">${name("α", facts.alpha)}   ${name("β", facts.beta)}</text>`;
  return `<text class="strong" x="${held(left, from)}" y="14" text-anchor="${from}">${name("α", facts.alpha)}${close ? " " : ""}</text><text class="strong" x="${held(right, to)}" y="14" text-anchor="${to}">${close ? " " : ""}${name("β", facts.beta)}</text>`;
}

function boundsSpoken(facts, about) {
  const part = (name, value) => (value === null ? "" : `, ${name} ${scoreText(value, about)}`);
  return `Window from ${scoreText(facts.alpha, about)} to ${scoreText(facts.beta, about)}${part("static value", facts.guess)}${part("value", facts.value)}`;
}

/** The greatest error of a term that is read from a text with two digits, in 1/1024 ply. */
const TERM_ERROR = 6;

/** The terms of a change of depth with their meanings: those of its sentence if the rule adds up terms, else the change as a whole. */
function depthTerms(mark, about) {
  const [rule, , , text] = mark;
  const { name, card } = about.rules[rule];
  const whole = [{ name, change: changeOf(mark), meaning: "" }];
  if (!card?.terms || !text) return whole;
  const amount = (found) => (found ? Math.round(Number(found[1]) * about.ply) : 0);
  const terms = card.terms.map(([label, meaning]) => ({ name: label, meaning, change: amount(new RegExp(`(?:^|, )${label} ([+-]?[\\d.]+)`).exec(text)) }));
  const rest = changeOf(mark) - terms.reduce((sum, part) => sum + part.change, 0);
  if (Math.abs(rest) > card.terms.length * TERM_ERROR) terms[terms.length - 1].change = rest;
  return terms.filter((part) => part.change);
}

/** The change of depth by a move, as consecutive bars: extensions go right, reductions left. */
function breakdownPicture(entries, total, about) {
  const steps = [{ name: "the move itself", from: 0, to: -about.ply, colour: palette.values.plain }];
  for (const { name, change, colour, meaning } of entries) {
    const from = steps[steps.length - 1].to;
    steps.push({ name, from, to: from + change, colour, meaning });
  }
  steps.push({ name: "in all", from: 0, to: total, colour: palette.values.accent, strong: true });
  const [low, high] = [Math.min(...steps.map((s) => s.to)), Math.max(0, ...steps.map((s) => s.to))];
  const share = (value) => (100 * (value - low)) / (high - low);
  const row = ({ name, from, to, colour, meaning, strong }) => {
    const [left, right] = [Math.min(share(from), share(to)), Math.max(share(from), share(to))];
    const bar = `<span class="breakdown-bar" style="--zero:${share(0)}%"><i style="left:${left}%;width:${right - left}%;--c:${colour}"></i></span>`;
    return `<div class="breakdown-row${strong ? " strong-row" : ""}" data-term="${escaped(name)}"><span>${escaped(name)}</span>${bar}<b>${signedPlies(to - from, about)}</b>${meaning ? `<small>${escaped(meaning)}</small>` : ""}</div>`;
  };
  return `<div class="breakdown">${steps.map(row).join("")}</div>`;
}

/** The smallest part of its size at which a diagram can be read; where there is less room it is scrolled. */
const LEGIBLE = 0.8;
/** Letters of a name that fit into a box. */
const BOX_LETTERS = 12;

/** A model tree as a diagram: boxes with order, value and thresholds, joined by lines. */
function diagram(rows, about, selected) {
  const [boxWidth, boxHeight, gap, levelHeight] = [92, 58, 6, 100];
  const kids = new Map(rows.map((row) => [row.id, []]));
  for (const row of rows) if (row.up !== null) kids.get(row.up)?.push(row.id);
  const place = new Map();
  let next = 0;
  for (const row of [...rows].reverse()) {
    const below = kids.get(row.id);
    if (!below.length) place.set(row.id, next++);
    else place.set(row.id, below.reduce((sum, child) => sum + place.get(child), 0) / below.length);
  }
  // Rows were placed from the last to the first, so that every row comes after what is below it: mirror them.
  const x = (row) => (next - 1 - place.get(row.id)) * (boxWidth + gap) + boxWidth / 2 + 6;
  const y = (row) => row.level * levelHeight + 6;
  const byNumber = new Map(rows.map((row) => [row.id, row]));
  const depth = Math.max(...rows.map((row) => row.level));
  let text = "";
  for (const row of rows) {
    const above = byNumber.get(row.up);
    if (!above) continue;
    const [x1, y1, x2, y2] = [x(above), y(above) + boxHeight, x(row), y(row)];
    const names = `link${row.flags & FLAG.line ? " pv" : ""}${row.kind === KIND.unsearched ? " not" : ""}`;
    text += `<path class="${names}" d="M${x1} ${y1}C${x1} ${(y1 + y2) / 2} ${x2} ${(y1 + y2) / 2} ${x2} ${y2}"/>`;
  }
  for (const row of rows) text += diagramNode(row, x(row), y(row), boxWidth, boxHeight, about, selected);
  const [width, height] = [next * (boxWidth + gap) + 4, depth * levelHeight + boxHeight + 12];
  return `<svg viewBox="0 0 ${width} ${height}" style="width:100%;min-width:${Math.round(width * LEGIBLE)}px;max-width:${width}px;height:auto;display:block" role="img" aria-label="The model as a diagram">${text}</svg>`;
}

function diagramNode(row, x, y, width, height, about, selected) {
  const decision = row.decision === DECISION.cutoff ? " cutoff" : row.decision === DECISION.best ? " best" : "";
  const names = `node${decision}${row.kind === KIND.unsearched ? " unsearched" : ""}${row.id === selected ? " selected" : ""}`;
  const star = row.flags & FLAG.line && row.level ? "★ " : "";
  const value = row.value === null ? "" : scoreText(row.value, about);
  const order = row.event ? `(${row.event}) ` : "";
  const shownValue = value || (row.flags & FLAG.refuted ? "refuted" : "");
  const name = rowName(row);
  const short = name.length > BOX_LETTERS ? `${name.slice(0, BOX_LETTERS - 1)}…` : name;
  const bounds = row.event ? `[${modelBound(row.beta, about)}, ${modelBound(row.alpha, about)}]` : "";
  return `<g class="${names}" data-row="${row.id}"><rect x="${x - width / 2}" y="${y}" width="${width}" height="${height}" rx="8"/><title>${escaped(name)}</title><text class="strong" x="${x}" y="${y + 18}">${star}${escaped(short)}</text><text x="${x}" y="${y + 34}">${order}<tspan${value ? ' class="strong"' : ""}>${shownValue}</tspan></text><text class="order" x="${x}" y="${y + 49}">${bounds}</text></g>`;
}

function modelBound(value, about) {
  if (Math.abs(value) >= about.open) return value < 0 ? "−MAX" : "MAX";
  return (value / about.unit).toFixed(3).replace("-", "−");
}
