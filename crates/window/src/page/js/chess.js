// Just enough chess to show a line: positions from FEN, moves from UCI text. The engine has checked the moves.

const FILES = "abcdefgh";

function squareAt(name) {
  return FILES.indexOf(name[0]) + 8 * (Number(name[1]) - 1);
}

/** The board of a FEN as 64 letters from a1, the side to move, and the move number. */
function positionFrom(fen) {
  if (!fen) return null;
  const [placement, turn, , , , number] = fen.split(" ");
  const squares = new Array(64).fill("");
  placement.replace(/\[.*\]/, "").split("/").forEach((text, index) => {
    let file = 0;
    for (const sign of text) {
      if (/\d/.test(sign)) file += Number(sign); else squares[(7 - index) * 8 + file++] = sign;
    }
  });
  return { squares, white: turn !== "b", number: Number(number) || 1 };
}

const isPiece = (piece, letter) => piece.toLowerCase() === letter;
const sameSide = (one, other) => one && other && (one === one.toUpperCase()) === (other === other.toUpperCase());

/** The squares after a move; castling may be written as the king's move or as the king taking its rook. */
function afterMove(squares, uci) {
  const next = squares.slice();
  const from = squareAt(uci);
  const to = squareAt(uci.slice(2));
  const piece = next[from];
  if (!piece) return next;
  next[from] = "";
  const takesOwnRook = isPiece(piece, "k") && isPiece(squares[to], "r") && sameSide(piece, squares[to]);
  if (takesOwnRook || (isPiece(piece, "k") && Math.abs((from % 8) - (to % 8)) === 2)) return castled(next, piece, from, to, takesOwnRook);
  const takesInPassing = isPiece(piece, "p") && from % 8 !== to % 8 && !squares[to];
  if (takesInPassing) next[Math.floor(from / 8) * 8 + (to % 8)] = "";
  const promoted = uci[4];
  next[to] = promoted ? (piece === "P" ? promoted.toUpperCase() : promoted) : piece;
  return next;
}

function castled(next, king, from, to, takesRook) {
  const rank = Math.floor(from / 8) * 8;
  const short = to > from;
  const rook = king === "K" ? "R" : "r";
  let corner = to;
  if (!takesRook) {
    corner = rank + (short ? 7 : 0);
    while (next[corner] !== rook && corner !== from) corner += short ? -1 : 1;
  }
  next[corner] = "";
  next[rank + (short ? 6 : 2)] = king;
  next[rank + (short ? 5 : 3)] = rook;
  return next;
}
