// Why not this move? The outcome of any legal move at any node: the answer in terms of chess (`answer.js`), then its evidence.
// All data is in the rows, so the answer is the same in a file and from a server.

const LINE_MAX = 24;
const CHILDREN_MAX = 500;
const TABLE_RULE = "table";

/** The node of a question: the position on the board. For the whole search, its last finished iteration. */
async function askedNode(source, path) {
  let rows = path;
  const last = rows[rows.length - 1];
  if (last.kind === KIND.unsearched) rows = rows.slice(0, -1);
  if (rows[rows.length - 1].level === 0) {
    const iterations = (await source.children(0, 0, CHILDREN_MAX, "")).rows.filter((row) => row.kind === KIND.iteration);
    const done = iterations.filter((row) => row.flags & FLAG.line).pop() || iterations.filter((row) => row.value !== null).pop() || iterations.pop();
    if (done) rows = [...rows, done];
  }
  return rows;
}

/** The position that a path leads to. Where a rule searches the same position again no move is made. */
function positionOn(fen, path) {
  let position = wholePosition(fen);
  for (const row of path) {
    if (row.kind === KIND.unsearched) break;
    if (row.uci) position = positionAfter(position, row.uci);
    else if (row.flags & FLAG.nullMove) position = positionAfter(position, null);
  }
  return position;
}

/** All rows below a row, fetched in pieces. */
async function allBelow(source, row) {
  const rows = [];
  for (let total = 1; rows.length < total;) {
    const slice = await source.children(row.id, rows.length, CHILDREN_MAX, "");
    total = slice.total;
    if (!slice.rows.length) break;
    rows.push(...slice.rows);
  }
  return rows;
}

const isProbe = (row) => row.purpose > OWN_PURPOSES || (row.flags & (FLAG.aside | FLAG.nullMove)) !== 0;
const markOf = (row, action) => row.marks.find((mark) => mark[1] === action);
const plainWords = (text) => (text ? ` (${text})` : "");

/**
 * The outcome of a move: `claim` is its kind, `sentence` the answer, `detail` its evidence, `rows` are the rows it was
 * searched in, `rules` are the rules involved.
 */
async function whyNot(source, about, path, mv) {
  const nodes = await askedNode(source, path);
  const node = nodes[nodes.length - 1];
  const below = (await allBelow(source, node)).filter((row) => !isProbe(row));
  const own = below.filter((row) => row.uci && isSameMove(mv, row.uci));
  const best = below.filter((row) => row.decision === DECISION.cutoff || row.decision === DECISION.best).pop() || null;
  const place = new Set(below.slice(0, Math.max(0, below.indexOf(own[0]))).filter((row) => row.uci).map((row) => row.uci)).size + 1;
  const position = positionOn(about.fen, nodes);
  const only = legalMoves(position).length === 1;
  const facts = { about, node, nodes, below, own, best, mv, place, position, white: position.white, only, rows: own.filter((row) => row.kind !== KIND.unsearched) };
  facts.group = below.find((row) => row.rest.some(([, uci]) => isSameMove(mv, uci))) || null;
  const found = claimOf(facts);
  if (found.row && !found.sentence) found.sentence = searchedAnswer(facts, found.row, await lineAfter(source, about, found.row, SHOWN_MAX - 1));
  return { ...facts, ...found, rules: involvedRules(facts, found) };
}

function claimOf(facts) {
  const { own, rows, group, node, best, mv, about } = facts;
  if (rows.length) return searchedClaim(facts);
  const skipped = own.find((row) => markOf(row, ACTION.skipped));
  if (skipped) return skippedClaim(facts, skipped, null);
  if (own.length) return own[0].why.startsWith("Excluded on purpose") ? excluded(mv) : stopped(mv);
  if (group) return skippedClaim(facts, group, facts.below[facts.below.indexOf(group) - 1] || null);
  if (isElsewhere(facts)) return { claim: "elsewhere", sentence: `${mv.san} is not in the model here: the search knows the moves of its tree and no others.` };
  if (isKeptOut(facts)) return excluded(mv);
  const ended = markOf(node, ACTION.cut);
  if (ended) {
    const rule = about.rules[ended[0]].name;
    return { claim: "ended", rule, sentence: `No move was searched here, ${mv.san} included: ${rule} had already ended the node${plainWords(ended[3])}.` };
  }
  if (node.flags & FLAG.folded) return { claim: "unrecorded", sentence: `The outcome of ${mv.san} is not in this page: the node was not recorded, or its subtree was too small for the page.` };
  if (best && best.decision === DECISION.cutoff) {
    const enough = node.kind === KIND.iteration ? "ended this search" : "refutes the move before it";
    return { claim: "unreached", sentence: `${mv.san} was not needed: ${best.san} is ${namedScore(best, facts)}, which ${enough}.` };
  }
  if (node.value === null) return { claim: "stopped", sentence: `The search was stopped before it reached ${mv.san}.` };
  if (node.kind === KIND.quiet) {
    const forcing = mv.takes || mv.promotes;
    if (!forcing) return { claim: "quiet", sentence: `${mv.san} was never generated: no depth was left here, and quiescence searches only captures, promotions, some checks and replies to checks.` };
    return { claim: "unlisted", sentence: `${mv.san} was not searched: quiescence skips moves that lose material and limits the number of moves.` };
  }
  return { claim: "unlisted", sentence: `${mv.san} was not searched here, and no reason was recorded.` };
}

const excluded = (mv) => ({ claim: "excluded", sentence: `${mv.san} was excluded on purpose: this search finds the value of the position without it.` });
const stopped = (mv) => ({ claim: "stopped", sentence: `The search was stopped before it finished ${mv.san}.` });

/** True if a model was searched and the move is not in its tree. After a null move there are none. */
function isElsewhere({ about, nodes, mv }) {
  if (!about.lines) return false;
  if (nodes.some((row) => row.flags & FLAG.nullMove)) return true;
  const line = nodes.filter((row) => row.uci).map((row) => row.uci);
  const next = about.lines.map((text) => text.split(" ")).filter((moves) => moves.length === line.length + 1 && line.every((uci, at) => uci === moves[at]));
  return !next.some((moves) => isSameMove(mv, moves[line.length]));
}

/** A search without the table move excludes that one: it is the table's move of the same position one row up. */
function isKeptOut({ about, node, nodes, mv }) {
  if (about.purposes[node.purpose]?.[0] !== "without the table move") return false;
  return nodes[nodes.length - 2]?.hit?.san === mv.san;
}

function skippedClaim(facts, row, before) {
  const [rule, , , text] = markOf(row, ACTION.skipped);
  const { name, skips } = facts.about.rules[rule];
  const with_ = before && before.san ? ` together with ${before.san}, which was ordered before it` : "";
  return { claim: "skipped", rule: name, sentence: `${facts.mv.san} was not searched: ${name} skipped it${with_}${skips ? `, because ${skips}` : ""}${plainWords(text)}${betterMove(facts)}.` };
}

function searchedClaim({ rows, best, mv, about }) {
  const [first, last] = [rows[0], rows[rows.length - 1]];
  if (last.value === null || last.decision === DECISION.nothing) return { ...stopped(mv), row: last };
  if (last.decision === DECISION.cutoff) return { claim: "cutoff", row: last };
  if (last.decision === DECISION.best) return { claim: best && isSameMove(mv, best.uci) ? "best" : "overtaken", row: last };
  const costs = first.marks.filter(([, action]) => action === ACTION.costChanged);
  // The limit of extensions only withdraws extensions.
  const reduced = costs.filter(([rule, , amount]) => amount > 0 && about.rules[rule].name !== EXTENSION_LIMIT);
  if (rows.length === 1 && about.purposes[last.purpose]?.[0] === "reduced" && reduced.length) {
    const sum = costs.reduce((total, [, , amount]) => total + amount, 0);
    const names = [...new Set(reduced.map(([rule]) => about.rules[rule].name))];
    const detail = `It was searched once, with ${decimalPlies(sum, about)} ${sum === about.ply ? "ply" : "plies"} less by ${names.join(" and ")}.`;
    return { claim: "shallow", row: last, rule: names[0], reducers: names, detail };
  }
  const ended = markOf(last, ACTION.cut);
  if (!ended) return { claim: "refuted", row: last };
  const rule = about.rules[ended[0]].name;
  return { claim: "cutAfter", row: last, rule, detail: `The node after it was ended by ${rule}${plainWords(ended[3])}.` };
}

/** Rules that affected the move: those to switch off in a counterfactual search. */
function involvedRules({ rows, own, group, node, about }, { claim }) {
  const marks = [...rows, ...own, ...(group ? [group] : [])].flatMap((row) => row.marks.filter(([, action]) => action !== ACTION.deepened));
  if (claim === "ended") marks.push(...node.marks.filter(([, action]) => action === ACTION.cut));
  return [...new Set(marks.map(([rule]) => about.rules[rule].name))];
}

/** The move that decides a node, or came nearest; null if there is none, or, in quiescence, if the static value is the node's. */
async function decidingRow(source, node) {
  const below = (await allBelow(source, node)).filter((one) => !isProbe(one) && one.kind !== KIND.unsearched && one.value !== null && one.decision !== DECISION.again);
  const decided = below.filter((one) => one.decision === DECISION.cutoff || one.decision === DECISION.best).pop();
  const nearest = decided || below.reduce((most, one) => (!most || one.value >= most.value ? one : most), null);
  return decided || node.kind !== KIND.quiet || nearest?.value === -node.value ? nearest : null;
}

/** The row of the search that stored a table entry; null if there is none. Its moves continue the line from `at`. */
async function tableOrigin(source, about, at) {
  const ended = markOf(at, ACTION.cut);
  if (!ended || about.rules[ended[0]].name !== TABLE_RULE || at.hit?.from == null) return null;
  const origin = (await source.path(at.hit.from)).pop();
  return markOf(origin, ACTION.cut) ? null : origin;
}

/** The expected line after a row, through the table where an entry's search was recorded, and the end of the line. */
async function lineAfter(source, about, row, most = LINE_MAX) {
  const moves = [];
  let at = row;
  while (moves.length < most) {
    const from = markOf(at, ACTION.cut) ? await tableOrigin(source, about, at) : at;
    const next = from && (await decidingRow(source, from));
    if (!next) break;
    moves.push(next);
    at = next;
  }
  const ended = markOf(at, ACTION.cut);
  const how = ended ? `ended by ${about.rules[ended[0]].name}${plainWords(ended[3])}` : at.flags & FLAG.folded ? "the rest is not in this page" : at.kind === KIND.quiet ? "no capture or check is better than the static value" : "";
  return { moves, how, last: at };
}

/** A root move in every iteration: its place, value and nodes. */
async function everyIteration(source, { nodes, mv }) {
  const node = nodes[nodes.length - 1];
  if (node.kind !== KIND.iteration) return [];
  const iterations = (await allBelow(source, nodes[0])).filter((row) => row.kind === KIND.iteration);
  const summary = async (iteration) => {
    const rows = (await allBelow(source, iteration)).filter((row) => !isProbe(row) && row.uci);
    const own = rows.filter((row) => isSameMove(mv, row.uci));
    if (!own.length) return null;
    const place = new Set(rows.slice(0, rows.indexOf(own[0])).map((row) => row.uci)).size + 1;
    const sum = own.reduce((total, row) => total + row.nodes, 0);
    return { name: rowName(iteration), finished: iteration.value !== null, place, row: own[own.length - 1], nodes: sum };
  };
  return (await Promise.all(iterations.map(summary))).filter(Boolean);
}
