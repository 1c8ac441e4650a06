// Numbers and names as people read them.

const KIND = { node: 0, quiet: 1, unsearched: 2, iteration: 4 };
const DECISION = { nothing: 0, cutoff: 1, best: 2, notBest: 3, again: 4 };
const FLAG = { line: 1, again: 2, check: 4, nullMove: 8, aside: 16, improving: 32, folded: 64, known: 128, refuted: 256 };
/** The rule whose costs withdraw extensions. */
const EXTENSION_LIMIT = "explosion limit";
const ACTION = { cut: 0, skipped: 1, costChanged: 2, deepened: 3 };
/** Places in `about.families`. */
const FAMILY = { cut: 1, skipped: 2, reduction: 3, extension: 4 };
const DECISION_WORDS = ["", "cutoff", "new best", "not better", "searched again"];
const TYPE_WORDS = ["", "principal variation", "cut node", "all node"];
/** The bound of a value, as a sign before it: exact, at most, at least. */
const BOUND_SIGNS = ["", "≤ ", "≥ "];
const BOUND_WORDS = ["nothing", "at most", "at least", "exactly"];
/** Purposes up to this are searches of a node's own moves; those after it are separate searches of rules. */
const OWN_PURPOSES = 7;
const FRACTIONS = ["", "¼", "½", "¾"];

const byId = (id) => document.getElementById(id);

function escaped(text) {
  return String(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** 1234567 as 1 234 567. */
function counted(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** A count that fits a narrow column. */
function shortCount(number) {
  if (number < 10000) return String(number);
  if (number < 999500) return `${(number / 1000).toFixed(number < 99950 ? 1 : 0)}k`;
  return `${(number / 1e6).toFixed(number < 99.95e6 ? 1 : 0)}M`;
}

/** A score in pawns, mates in moves; `about` knows the units. */
function scoreText(value, about) {
  if (value === null || value === undefined) return "";
  const size = Math.abs(value);
  const sign = value < 0 ? "−" : "+";
  if (size >= about.open) return about.kind === "model" ? `${value < 0 ? "−" : ""}MAX` : `${sign}∞`;
  if (size > about.mate - 256) return `${value < 0 ? "−" : ""}#${Math.ceil((about.mate - size) / 2)}`;
  const digits = about.unit === 8 ? 3 : 2;
  return `${value === 0 ? "" : sign}${(size / about.unit).toFixed(digits)}`;
}

/** The bound of the value of a row in its window, a place in BOUND_SIGNS. Thresholds of models are not windows. */
function boundOf(row, about) {
  if (about.kind !== "search" || row.value === null) return 0;
  if (row.level === 0) return about.bound;
  if (row.alpha != null && row.beta != null) return row.value >= row.beta ? 2 : row.value <= row.alpha ? 1 : 0;
  return row.decision === DECISION.cutoff || row.decision === DECISION.again ? 2 : row.decision === DECISION.notBest ? 1 : 0;
}

/** The value of a row, with a sign where it is only a bound. */
function valueText(row, about) {
  return row.value === null ? "" : BOUND_SIGNS[boundOf(row, about)] + scoreText(row.value, about);
}

/** 1/1024 plies as plies: quarters as fractions, the rest in hundredths. */
function pliesText(amount, about) {
  if (amount === null || amount === undefined) return "";
  const quarter = about.ply / 4;
  const sign = amount < 0 ? "−" : "";
  const size = Math.abs(amount);
  if (size % quarter) return `${sign}${(size / about.ply).toFixed(2)}`;
  const whole = Math.floor(size / about.ply);
  const fraction = FRACTIONS[(size % about.ply) / quarter];
  return `${sign}${whole || !fraction ? whole : ""}${fraction}`;
}

/** 1/1024 plies as plies with up to two digits, as the texts of the program have them. */
function decimalPlies(amount, about) {
  return String(Math.round((amount * 100) / about.ply) / 100);
}

/** A change of depth with its sign: + is deeper, - shallower. */
function signedPlies(change, about) {
  return (change > 0 ? "+" : "") + pliesText(change, about);
}

/** The change of depth by a decision: costs reduce the depth. */
const changeOf = ([, action, amount]) => (action === ACTION.deepened ? amount : action === ACTION.costChanged ? -amount : 0);

/** The family of an action, as `RuleMark::family` has it: a rule that extends and reduces can do both, and can end nodes. */
function familyOf(about, mark) {
  const { family } = about.rules[mark[0]];
  if (family !== FAMILY.reduction && family !== FAMILY.extension) return family;
  if (mark[1] === ACTION.cut) return FAMILY.cut;
  if (mark[1] === ACTION.skipped) return FAMILY.skipped;
  const change = changeOf(mark);
  return change > 0 || (change === 0 && mark[1] === ACTION.costChanged) ? FAMILY.extension : FAMILY.reduction;
}

/** True if White made the move of a row at this ply. */
function moverIsWhite(ply, whiteToMove) {
  return (ply % 2 === 1) === whiteToMove;
}

/** Seen by the side to move at the root. The first row and the iterations are so already. */
function rootScore(ply, value) {
  if (value === null || value === undefined) return null;
  return ply === 0 || ply % 2 === 1 ? value : -value;
}

/** The number before a move: "3." or "3…". */
function moveNumber(ply, start) {
  const half = start.white ? ply - 1 : ply;
  const number = start.number + Math.floor(half / 2);
  return half % 2 === 0 ? `${number}.` : `${number}…`;
}

function rowName(row) {
  if (row.kind === KIND.iteration) return row.why || `depth ${row.depth === null ? "?" : row.depth}`;
  if (row.level === 0) return "root";
  if (row.rest.length) return `${row.rest.length} more ${row.rest.length === 1 ? "move" : "moves"}`;
  return row.san || app.about.purposes[row.purpose]?.[0] || "?";
}

/** The window of a row; a null window is a question. */
function windowText(row, about) {
  if (row.alpha === null || row.beta === null) return "";
  if (row.beta - row.alpha === 1 && about.kind === "search") return `> ${scoreText(row.alpha, about)}?`;
  return `${scoreText(row.alpha, about)} … ${scoreText(row.beta, about)}`;
}

/** The reason why a move was not searched; for several, their names. */
function reasonText(row) {
  if (row.rest.length) return row.rest.map(([san]) => san).join(" ");
  return [row.why, ...row.marks.map(([, , , text]) => text)].filter(Boolean).join(" ");
}

function typeText(type) {
  return type ? term(TYPE_WORDS[type]) : "";
}

/** Meanings of the terms of the glossary, by term. */
let glossary = {};

/** A term of the glossary, or other words for it: a button that shows its meaning (`cards.js`). */
function term(name, shown = name) {
  const meaning = glossary[name];
  return meaning ? `<button type="button" class="term" data-term="${escaped(name)}" title="${escaped(meaning)}">${shown}</button>` : shown;
}

/** A sentence in which names of rules and terms of the glossary open their explanation. */
function linked(text, about) {
  const names = new Map(Object.keys(glossary).map((name) => [name, (shown) => term(name, shown)]));
  about.rules.forEach(({ name, card }, number) => { if (card) names.set(name, () => ruleName(about, number)); });
  const all = [...names.keys()].sort((one, other) => other.length - one.length).map((name) => escaped(name));
  const found = new RegExp(`\\b(${all.join("|")})\\b`, "g");
  return escaped(text).replace(found, (name) => names.get(name)(name));
}
