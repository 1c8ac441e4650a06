// The answer to "why not this move?" in terms of chess: the reply, the value, the better move, the depth. The program builds the same
// sentences (`why/answer.rs`); a test compares them.

/** Moves of a line that the answer shows, the one asked about included. */
const SHOWN_MAX = 4;
const BOUND = { exact: 0, most: 1, least: 2 };

const sideOf = (white) => (white ? "White" : "Black");
const boundOfDecision = (row) => (row.decision === DECISION.cutoff ? BOUND.least : row.decision === DECISION.best ? BOUND.exact : BOUND.most);

/** An amount of pawns without a sign. */
const pawnsText = (value, about) => (Math.abs(value) / about.unit).toFixed(about.unit === 8 ? 3 : 2);

/** A value for a side in words: "is 1.32 behind", "is at most 0.30 ahead", "mates in 3". */
function standing(value, bound, about) {
  const ahead = value > 0;
  // At most -1.00 ahead is at least 1.00 behind.
  const most = (bound === BOUND.most) === ahead;
  const mate = about.mate - Math.abs(value);
  if (mate < 256) {
    const limit = bound === BOUND.exact ? "" : most ? " at the earliest" : " at the latest";
    return `${ahead ? "mates" : "is mated"} in ${ahead ? Math.ceil(mate / 2) : Math.floor(mate / 2)}${limit}`;
  }
  if (value === 0) return ["is level", "is level at best", "is level at least"][bound];
  return `is ${bound === BOUND.exact ? "" : most ? "at most " : "at least "}${pawnsText(value, about)} ${ahead ? "ahead" : "behind"}`;
}

/** The effect of a reply: "recaptures", "takes the rook on d4", "gives check". */
function replyEffect(after, mv, reply) {
  const [from, to] = [squareAt(reply.uci), squareAt(reply.uci.slice(2))];
  const piece = after.squares[from];
  const passing = isPiece(piece, "p") && from % 8 !== to % 8 && !after.squares[to];
  const taken = passing ? "p" : isOwn(after.squares[to], !after.white) ? after.squares[to].toLowerCase() : "";
  if (taken && to === mv.target) return mv.takes ? "recaptures" : `takes the ${PIECES[taken]}`;
  if (taken) return `takes the ${PIECES[taken]} on ${squareName(to)}`;
  if (reply.uci.length > 4) return "promotes";
  return /[+#]$/.test(reply.san) ? "gives check" : "replies";
}

const WORTH = { p: 1, n: 3, b: 3, r: 5, q: 9, k: 100 };
const worthOf = (piece) => WORTH[piece.toLowerCase()] || 0;

/** The capture of the moved piece by the least piece, if the side that moved `mv` loses material even when it takes back. */
function winningCapture(position, after, mv) {
  const onSquare = (one) => one.takes && one.to === mv.target;
  const [capture] = legalMoves(after).filter(onSquare).sort((one, other) => worthOf(one.piece) - worthOf(other.piece) || one.from - other.from);
  if (!capture) return null;
  const takenBack = legalMoves(positionAfter(after, capture.uci)).some(onSquare);
  const taken = mv.takes ? worthOf(position.squares[mv.to] || "p") : 0;
  return worthOf(after.squares[capture.to] || "p") > taken + (takenBack ? worthOf(capture.piece) : 0) ? capture : null;
}

/** The line that the search played after a move; else the move that the table has; else a capture of the moved piece that wins material. */
function replyLine(facts, row, after, line) {
  if (line.moves.length) return line.moves;
  const replies = namedMoves(after);
  const known = row.hit?.san && replies.find((one) => one.san === row.hit.san);
  const found = known || winningCapture(facts.position, after, facts.mv);
  return found ? [replies.find((one) => one.uci === found.uci)] : [];
}

/** A score for the side to move; one for Black is named, because many readers expect White's. */
function namedScore(row, { about, white }) {
  const least = row.decision === DECISION.cutoff ? "at least " : "";
  return `${least}${scoreText(row.value, about)}${white ? "" : " for Black"}`;
}

/** "; dxc5 is +0.06", or nothing. */
const betterMove = (facts) => (facts.best ? `; ${facts.best.san} is ${namedScore(facts.best, facts)}` : "");

/** The role of the move at its node, if that matters more than the reply. */
function ownClaim({ mv, node, only, best }, row) {
  if (only) return `${mv.san} is the only legal move`;
  if (row.decision === DECISION.cutoff) return node.kind === KIND.iteration ? `${mv.san} is the best move` : `${mv.san} refutes the move before it`;
  return row.decision === DECISION.best && best && isSameMove(mv, best.uci) ? `${mv.san} is the best move` : "";
}

/** The claim, the line that shows it, and the result. */
function opening(facts, row, line) {
  const { about, mv, position, white } = facts;
  const stands = `${sideOf(white)} ${standing(row.value, boundOfDecision(row), about)}`;
  const after = positionAfter(position, mv.uci);
  if (!legalMoves(after).length) return `${mv.san} ${inCheck(after, after.white) ? "is mate" : "is stalemate"}: ${stands}`;
  const claim = ownClaim(facts, row);
  const replies = replyLine(facts, row, after, line);
  if (!replies.length) {
    const ended = markOf(row, ACTION.cut);
    const meaning = ((ended && about.rules[ended[0]].ends) || "").replace("{}", sideOf(!white));
    const lead = claim || meaning.charAt(0).toUpperCase() + meaning.slice(1);
    return `${lead ? `${lead}: after` : "After"} ${mv.san} ${stands}`;
  }
  const mated = row.value < 0 && about.mate + row.value < 256;
  const lead = claim || `${sideOf(!white)} ${mated ? "mates" : replyEffect(after, mv, replies[0])}`;
  return `${lead}: ${[mv, ...replies].slice(0, SHOWN_MAX).map((one) => one.san).join(" ")}, and ${stands}`;
}

/** The better move. */
function comparison(facts, row) {
  const { best, mv, node, only, white } = facts;
  if (!best) return node.kind === KIND.iteration ? "" : `; ${sideOf(white)} has a better move earlier in the line`;
  if (only || isSameMove(mv, best.uci) || row.decision === DECISION.cutoff) return "";
  if (row.decision === DECISION.notBest && best.value <= row.value) return `; ${best.san} with ${namedScore(best, facts)} was found before it`;
  return betterMove(facts);
}

/** The answer for a move that was searched. */
function searchedAnswer(facts, row, line) {
  const depth = row.kind === KIND.quiet ? "in quiescence" : `to depth ${decimalPlies(row.depth, facts.about)}`;
  const ended = !line.moves.length && legalMoves(positionAfter(facts.position, facts.mv.uci)).length ? markOf(row, ACTION.cut) : null;
  const by = ended ? `; ${facts.about.rules[ended[0]].name} ended the search after ${facts.mv.san}${plainWords(ended[3])}` : "";
  return `${opening(facts, row, line)}${comparison(facts, row)}. The position after it was searched ${depth}${by}.`;
}
