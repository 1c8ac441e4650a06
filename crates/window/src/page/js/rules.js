// The rules of chess, as far as a page without a server needs them: which moves are legal in a position, and their names.
// Castling is written as the king taking its rook, as in Chess960; `target` is the square the king goes to.

const STEPS = {
  n: [[1, 2], [2, 1], [2, -1], [1, -2], [-1, -2], [-2, -1], [-2, 1], [-1, 2]],
  b: [[1, 1], [1, -1], [-1, -1], [-1, 1]],
  r: [[1, 0], [0, -1], [-1, 0], [0, 1]],
};
STEPS.q = STEPS.k = [...STEPS.b, ...STEPS.r];
const PROMOTIONS = ["q", "r", "b", "n"];

const squareName = (square) => FILES[square % 8] + (Math.floor(square / 8) + 1);
const isWhite = (piece) => piece === piece.toUpperCase();
const isOwn = (piece, white) => piece !== "" && isWhite(piece) === white;

/** A whole position from a FEN: squares, the side to move, the rooks that may castle, the square behind a pawn that went two steps. */
function wholePosition(fen) {
  const start = positionFrom(fen);
  if (!start) return null;
  const [, , rights = "-", passed = "-"] = fen.split(" ");
  const rooks = [...rights].filter((sign) => sign !== "-").map((sign) => castlingRook(start.squares, sign));
  return { ...start, rooks: rooks.filter((square) => square !== null), passed: passed === "-" ? null : squareAt(passed) };
}

/** The rook that a castling right means: the outermost on its side, or that of a file. */
function castlingRook(squares, sign) {
  const white = isWhite(sign);
  const rank = white ? 0 : 56;
  const king = squares.findIndex((piece, square) => piece === (white ? "K" : "k") && square >= rank && square < rank + 8);
  if (king < 0) return null;
  const file = FILES.indexOf(sign.toLowerCase());
  if (file >= 0) return rank + file;
  const order = sign.toLowerCase() === "k" ? [7, 6, 5, 4, 3, 2, 1, 0] : [0, 1, 2, 3, 4, 5, 6, 7];
  const found = order.find((at) => squares[rank + at] === (white ? "R" : "r"));
  return found === undefined ? null : rank + found;
}

/** The position after a move in UCI text, or after a null move without a text. */
function positionAfter(position, uci) {
  const { squares, white, rooks } = position;
  if (!uci) return { ...position, white: !white, passed: null };
  const [from, to] = [squareAt(uci), squareAt(uci.slice(2))];
  const piece = squares[from];
  const ownRooks = (square) => isPiece(piece, "k") && Math.floor(square / 8) === (white ? 0 : 7) && isOwn(squares[square], white);
  const kept = rooks.filter((square) => square !== from && square !== to && !ownRooks(square));
  const twoSteps = isPiece(piece, "p") && Math.abs(to - from) === 16;
  return { ...position, squares: afterMove(squares, uci), white: !white, rooks: kept, passed: twoSteps ? (from + to) / 2 : null };
}

function isAttacked(squares, square, byWhite) {
  const [file, rank] = [square % 8, Math.floor(square / 8)];
  const at = (f, r) => (f < 0 || f > 7 || r < 0 || r > 7 ? null : squares[r * 8 + f]);
  const enemy = (piece, letters) => piece && isWhite(piece) === byWhite && letters.includes(piece.toLowerCase());
  if ([-1, 1].some((side) => enemy(at(file + side, rank + (byWhite ? -1 : 1)), "p"))) return true;
  if (STEPS.n.some(([df, dr]) => enemy(at(file + df, rank + dr), "n"))) return true;
  return STEPS.q.some(([df, dr]) => {
    const straight = df === 0 || dr === 0;
    for (let step = 1; ; step++) {
      const piece = at(file + df * step, rank + dr * step);
      if (piece === null) return false;
      if (piece) return enemy(piece, step === 1 ? (straight ? "rqk" : "bqk") : straight ? "rq" : "bq");
    }
  });
}

function inCheck({ squares }, white) {
  const king = squares.indexOf(white ? "K" : "k");
  return king >= 0 && isAttacked(squares, king, !white);
}

/** Every move by the ways that pieces move, also those that leave the king in check. */
function pseudoMoves(position) {
  const { squares, white } = position;
  const moves = [];
  squares.forEach((piece, from) => {
    if (!isOwn(piece, white)) return;
    if (isPiece(piece, "p")) pawnMoves(position, from, moves);
    else pieceMoves(position, from, piece.toLowerCase(), moves);
  });
  castlings(position, moves);
  return moves;
}

/** Every legal move, with its distinguishing data. */
function legalMoves(position) {
  return pseudoMoves(position).filter((mv) => mv.castles || !inCheck(positionAfter(position, mv.uci), position.white));
}

const PIECES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };

/** Why a move in UCI text is not legal. */
function whyIllegal(position, uci) {
  const { squares, white } = position;
  const [from, to] = [squareAt(uci), squareAt(uci.slice(2))];
  const piece = squares[from];
  if (!piece) return `no piece is on ${squareName(from)}`;
  if (!isOwn(piece, white)) return `${white ? "White" : "Black"} is to move`;
  if (isOwn(squares[to], white)) return `a piece of the same side is on ${squareName(to)}`;
  if (pseudoMoves(position).some((mv) => mv.from === from && mv.target === to)) return "it leaves the king in check";
  return `the ${PIECES[piece.toLowerCase()]} does not move so`;
}

function addMove(moves, { squares }, from, to, more = {}) {
  const takes = more.castles ? false : squares[to] !== "" || more.passing === true;
  moves.push({ from, to, target: to, piece: squares[from], takes, uci: squareName(from) + squareName(to) + (more.promotes || ""), ...more });
}

function pieceMoves(position, from, kind, moves) {
  const { squares, white } = position;
  for (const [df, dr] of STEPS[kind]) {
    for (let step = 1; step < 8; step++) {
      const [file, rank] = [(from % 8) + df * step, Math.floor(from / 8) + dr * step];
      if (file < 0 || file > 7 || rank < 0 || rank > 7) break;
      const to = rank * 8 + file;
      if (isOwn(squares[to], white)) break;
      addMove(moves, position, from, to);
      if (squares[to] || kind === "n" || kind === "k") break;
    }
  }
}

function pawnMoves(position, from, moves) {
  const { squares, white, passed } = position;
  const ahead = white ? 8 : -8;
  const rank = Math.floor(from / 8);
  const add = (to, more) => {
    if (Math.floor(to / 8) !== (white ? 7 : 0)) addMove(moves, position, from, to, more);
    else for (const promotes of PROMOTIONS) addMove(moves, position, from, to, { promotes });
  };
  if (!squares[from + ahead]) {
    add(from + ahead);
    if (rank === (white ? 1 : 6) && !squares[from + 2 * ahead]) add(from + 2 * ahead);
  }
  for (const side of [-1, 1]) {
    const file = (from % 8) + side;
    const to = from + ahead + side;
    if (file < 0 || file > 7) continue;
    if (squares[to] && !isOwn(squares[to], white)) add(to);
    else if (to === passed) add(to, { passing: true });
  }
}

function castlings(position, moves) {
  const { squares, white, rooks } = position;
  const rank = white ? 0 : 56;
  const king = squares.indexOf(white ? "K" : "k");
  if (king < rank || king >= rank + 8 || inCheck(position, white)) return;
  for (const rook of rooks.filter((square) => square >= rank && square < rank + 8)) {
    const short = rook > king;
    const [kingTo, rookTo] = [rank + (short ? 6 : 2), rank + (short ? 5 : 3)];
    const [low, high] = [Math.min(king, rook, kingTo, rookTo), Math.max(king, rook, kingTo, rookTo)];
    let free = true;
    for (let at = low; at <= high; at++) if (squares[at] && at !== king && at !== rook) free = false;
    const without = squares.slice();
    without[king] = "";
    for (let at = Math.min(king, kingTo); at <= Math.max(king, kingTo); at++) if (isAttacked(without, at, !white)) free = false;
    const uci = squareName(king) + squareName(rook);
    if (!free || inCheck({ squares: afterMove(squares, uci) }, white)) continue;
    addMove(moves, position, king, rook, { castles: short ? "O-O" : "O-O-O", target: kingTo });
  }
}

/** Is a move of the list the one that a row writes? Castling may be written either way. */
function isSameMove(mv, uci) {
  return mv.uci === uci || (mv.castles && uci === squareName(mv.from) + squareName(mv.target));
}

/** A move in short algebraic notation. */
function sanOf(position, mv, moves) {
  const after = positionAfter(position, mv.uci);
  const check = inCheck(after, after.white) ? (legalMoves(after).length ? "+" : "#") : "";
  if (mv.castles) return mv.castles + check;
  const to = squareName(mv.to);
  const takes = mv.takes ? "x" : "";
  if (isPiece(mv.piece, "p")) return `${mv.takes ? FILES[mv.from % 8] : ""}${takes}${to}${mv.promotes ? `=${mv.promotes.toUpperCase()}` : ""}${check}`;
  const rivals = moves.filter((other) => other.to === mv.to && other.from !== mv.from && other.piece === mv.piece && !other.castles);
  const from = squareName(mv.from);
  let place = "";
  if (rivals.length) {
    if (!rivals.some((other) => other.from % 8 === mv.from % 8)) place = from[0];
    else if (!rivals.some((other) => Math.floor(other.from / 8) === Math.floor(mv.from / 8))) place = from[1];
    else place = from;
  }
  return `${mv.piece.toUpperCase()}${place}${takes}${to}${check}`;
}

/** Every legal move with its name, in the order of the names. */
function namedMoves(position) {
  const moves = legalMoves(position);
  return moves.map((mv) => ({ ...mv, san: sanOf(position, mv, moves) })).sort((one, other) => (one.san < other.san ? -1 : 1));
}
