// The tree that the page carries: columns in memory, answering the same questions as the server.

const NO_SCORE = -32768;
const NO_AMOUNT = -2147483648;
const NO_ROW = 4294967295;
const ARRAYS = { u8: Uint8Array, u16: Uint16Array, i16: Int16Array, u32: Uint32Array, i32: Int32Array };
const RECTANGLES_MAX = 20000;

async function inflate(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

/** The columns of a block: the length of a JSON head, the head, the columns one after the other at multiples of four. */
function unpack(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const columns = {};
  let at = 4 + length;
  for (const [name, type, count] of head.columns) {
    const array = new ARRAYS[type](buffer, at, count);
    columns[name] = array;
    at += Math.ceil(array.byteLength / 4) * 4;
  }
  return { moves: head.moves, strings: head.strings, columns };
}

/** One past the last row of each subtree, the row above each, and where the marks of each begin. */
function shapeOf(columns) {
  const count = columns.level.length;
  const end = new Uint32Array(count);
  const up = new Uint32Array(count);
  const marks = new Uint32Array(count + 1);
  const open = [];
  for (let row = 0; row < count; row++) {
    while (open.length > columns.level[row]) end[open.pop()] = row;
    up[row] = open.length ? open[open.length - 1] : NO_ROW;
    open.push(row);
    marks[row + 1] = marks[row] + columns.mark_count[row];
  }
  while (open.length) end[open.pop()] = count;
  return { count, end, up, marks };
}

async function fileSource(about, text) {
  const { moves, strings, columns: c } = unpack(await inflate(text));
  const { count, end, up, marks } = shapeOf(c);
  const score = (value) => (value === NO_SCORE ? null : value);
  const amount = (value) => (value === NO_AMOUNT ? null : value);

  function children(row) {
    const list = [];
    for (let child = row + 1; child < end[row]; child = end[child]) list.push(child);
    return list;
  }

  function marksOf(row) {
    const list = [];
    for (let at = marks[row]; at < marks[row + 1]; at++) list.push([c.mark_rule[at], c.mark_action[at], c.mark_amount[at], strings[c.mark_reason[at]]]);
    return list;
  }

  /** The moves that were skipped together and share a row. */
  function restOf(row) {
    if (c.kind[row] !== KIND.unsearched || c.mv[row]) return [];
    return Array.from(c.rests.subarray(c.rest[row], c.rest[row] + c.omitted[row]), (mv) => moves[mv]);
  }

  /** The move of a row; the name of a null move; the purpose of a search without a move. */
  function nameOf(row) {
    if (c.kind[row] === KIND.iteration) return strings[c.why[row]];
    return c.mv[row] ? moves[c.mv[row]][0] : about.purposes[c.purpose[row]]?.[0] || "";
  }

  function hitOf(row) {
    if (!(c.flags[row] & FLAG.known)) return null;
    const from = c.hit_from[row];
    return {
      bound: c.hit_bound[row], value: score(c.hit_value[row]), san: moves[c.hit_mv[row]][0],
      depth: amount(c.hit_depth[row]), from: from === NO_ROW ? null : from,
    };
  }

  function rowOut(id) {
    const [san, uci] = moves[c.mv[id]];
    return {
      id, up: up[id] === NO_ROW ? null : up[id], level: c.level[id], ply: c.ply[id], kind: c.kind[id], san, uci,
      size: end[id] - id, kids: children(id).length, nodes: c.nodes[id], depth: amount(c.depth[id]),
      own: amount(c.own[id]), other: amount(c.other[id]), cost: amount(c.cost[id]), alpha: score(c.alpha[id]), beta: score(c.beta[id]),
      guess: score(c.guess[id]), value: score(c.value[id]), expected: c.expected[id], found: c.found[id],
      decision: c.decision[id], purpose: c.purpose[id], stage: c.stage[id], order: amount(c.order[id]), flags: c.flags[id], why: strings[c.why[id]],
      omitted: c.omitted[id], unreached: c.unreached[id], rest: restOf(id), number: c.number[id], event: c.event[id], marks: marksOf(id), hit: hitOf(id),
    };
  }

  const memo = { filter: "", before: null };
  function matches(filter) {
    if (!filter) return null;
    if (memo.filter !== filter) {
      const test = rowTest(filter, about, c, marksOf);
      const before = new Uint32Array(count + 1);
      for (let row = 0; row < count; row++) before[row + 1] = before[row] + (test(row) ? 1 : 0);
      Object.assign(memo, { filter, before });
    }
    return memo.before;
  }
  const leads = (before, row) => !before || before[end[row]] > before[row];

  function rectangle(row, offset, before) {
    const mark = leadingMark(marksOf(row));
    return {
      id: row, level: c.level[row], ply: c.ply[row], offset, nodes: c.nodes[row], rule: mark ? mark[0] : null, family: mark ? familyOf(about, mark) : null,
      value: score(c.value[row]), decision: c.decision[row], kind: c.kind[row], flags: c.flags[row], san: nameOf(row),
      matches: leads(before, row), size: end[row] - row, alpha: score(c.alpha[row]), beta: score(c.beta[row]),
    };
  }

  function overview(row, width, filter) {
    const before = matches(filter);
    const least = Math.max(1, Math.floor(c.nodes[row] / Math.max(1, width)));
    const rectangles = [];
    const waiting = [[row, 0]];
    while (waiting.length && rectangles.length < RECTANGLES_MAX) {
      const [at, offset] = waiting.pop();
      rectangles.push(rectangle(at, offset, before));
      const below = [];
      let place = offset;
      for (const child of children(at)) {
        if (c.nodes[child] >= least) below.push([child, place]);
        place += c.nodes[child];
      }
      for (let next = below.length; next-- > 0;) waiting.push(below[next]);
    }
    return rectangles;
  }

  const entering = (row) => row * 2 - c.level[row];
  const leaving = (row) => end[row] * 2 - 1 - c.level[row];

  function event(at) {
    let low = 0;
    let high = count;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (entering(middle) <= at) low = middle; else high = middle;
    }
    const steps = at - entering(low);
    let row = low;
    for (let step = 1; step < steps; step++) row = up[row];
    return { at, row, leaving: steps > 0 };
  }

  function nextEvent(at, back, target, filter) {
    const before = matches(filter);
    let best = null;
    for (let row = 0; row < count; row++) {
      if (target === "cutoff" ? c.decision[row] !== DECISION.cutoff : !before || before[row + 1] === before[row]) continue;
      const time = leaving(row);
      if (back ? time < at && (best === null || time > best) : time > at && (best === null || time < best)) best = time;
    }
    return best;
  }

  function pathTo(id) {
    const list = [];
    for (let row = id; row !== NO_ROW; row = up[row]) list.unshift(rowOut(row));
    return list;
  }

  return {
    about,
    served: false,
    children: async (id, from, most, filter) => {
      const before = matches(filter);
      const list = children(id).filter((child) => leads(before, child));
      return { total: list.length, from, rows: list.slice(from, from + most).map(rowOut) };
    },
    path: async (id) => pathTo(Math.min(Math.max(0, id), count - 1)),
    overview: async (id, width, filter) => overview(id, width, filter),
    matches: async (filter) => (filter ? matches(filter)[count] : count),
    find: async (text) => findMoves(text, { children, moves, c, restOf }),
    event: async (at) => event(at),
    nextEvent: async (at, back, target, filter) => nextEvent(at, back, target, filter),
  };
}

/** A filter as a question to a row. */
function rowTest(filter, about, c, marksOf) {
  const [sort, number] = filter.split("-");
  switch (sort) {
    case "rule": return (row) => marksOf(row).some(([rule]) => rule === Number(number));
    case "family": return (row) => marksOf(row).some((mark) => familyOf(about, mark) === Number(number));
    case "cutoff": return (row) => c.decision[row] === DECISION.cutoff;
    case "again": return (row) => (c.flags[row] & FLAG.again) !== 0;
    case "quiescence": return (row) => c.kind[row] === KIND.quiet;
    case "unsearched": return (row) => c.kind[row] === KIND.unsearched;
    default: return (row) => (c.flags[row] & FLAG.line) !== 0;
  }
}

/** The decision that colours a row: the one that ended it, else the largest change of its cost or depth. */
function leadingMark(marks) {
  const ended = marks.find(([, action]) => action === ACTION.cut || action === ACTION.skipped);
  if (ended) return ended;
  let leading = null;
  for (const mark of marks) if (!leading || Math.abs(mark[2]) >= Math.abs(leading[2])) leading = mark;
  return leading;
}

function plainMove(text) {
  return text.replace(/0/g, "O").replace(/[+#!?x=]/g, "");
}

/** Castling in its other notation, as the king's move or as the king taking its rook; "" for other moves. */
function otherCastling(san, uci) {
  const files = { "O-O": "gh", "O-O-O": "ca" }[plainMove(san)];
  if (!files) return "";
  const [from, rank] = [uci.slice(0, 2), uci[1]];
  const king = from + files[0] + rank;
  if (uci === king) return from + files[1] + rank;
  // A step of the king is another move.
  return Math.abs(FILES.indexOf(from[0]) - FILES.indexOf(files[0])) > 1 ? king : "";
}

/** The moves in a text, without their numbers. */
function movesIn(text) {
  return text.trim().split(/\s+/).map((word) => word.replace(/^\d+\.+/, "").replace(/^\d+$/, "")).filter(Boolean);
}

/** Follows moves from the root over all iterations; of several ways the one with the largest subtree. */
function findMoves(text, { children, moves, c, restOf }) {
  const words = movesIn(text);
  const widest = (rows) => rows.reduce((best, row) => (c.nodes[row] >= c.nodes[best] ? row : best), rows[0]);
  let rows = [0];
  for (let at = 0; at < rows.length; at++) rows.push(...children(rows[at]).filter((child) => c.kind[child] === KIND.iteration));
  for (let matched = 0; matched < words.length; matched++) {
    const spelling = plainMove(words[matched]);
    const fits = ([san, uci]) => plainMove(san) === spelling || uci === words[matched] || otherCastling(san, uci) === words[matched];
    const leads = (row) => (c.mv[row] ? fits(moves[c.mv[row]]) : restOf(row).some(fits));
    const next = rows.flatMap((row) => children(row)).filter(leads);
    if (!next.length) return { row: widest(rows), matched, missing: words[matched] };
    rows = next;
  }
  return { row: widest(rows), matched: words.length, missing: null };
}
