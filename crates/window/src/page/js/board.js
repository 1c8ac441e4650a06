// The board, in units of tenths of its width: squares are ten wide.

const SQUARE = 10;

function createBoard(app) {
  const place = byId("board");
  let turned = false;
  let shown = null;
  /** The square of the dragged piece, and the place of the pointer. */
  let held = null;

  const corner = (square) => {
    const file = turned ? 7 - (square % 8) : square % 8;
    const rank = turned ? Math.floor(square / 8) : 7 - Math.floor(square / 8);
    return [file * SQUARE, rank * SQUARE];
  };

  function square(index, name) {
    const [x, y] = corner(index);
    return `<rect class="${name}" x="${x}" y="${y}" width="${SQUARE}" height="${SQUARE}"/>`;
  }

  function names() {
    const rank = (i) => `<text class="name" x="0.5" y="${i * SQUARE + 2.6}">${turned ? i + 1 : 8 - i}</text>`;
    const file = (i) => `<text class="name" text-anchor="end" x="${i * SQUARE + 9.6}" y="79.300">${FILES[turned ? 7 - i : i]}</text>`;
    return [...Array(8).keys()].map((i) => rank(i) + file(i)).join("");
  }

  function piece(letter, index) {
    if (!letter) return "";
    const [x, y] = corner(index);
    const side = letter === letter.toUpperCase() ? "w" : "b";
    return `<use class="${side}" href="#piece-${letter.toLowerCase()}" x="${x + 0.4}" y="${y + 0.2}" width="9.200" height="9.200"/>`;
  }

  /** An arrow from the middle of one square to another; dashed for a move that was not searched. */
  function arrow(uci, searched) {
    const [[x1, y1], [x2, y2]] = [uci, uci.slice(2)].map((name) => corner(squareAt(name)).map((v) => v + SQUARE / 2));
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
    const [ex, ey] = [x2 - dx * 4.2, y2 - dy * 4.2];
    const no = searched ? "" : " not";
    const head = `${x2 - dx * 1.2},${y2 - dy * 1.2} ${ex - dy * 1.9},${ey + dx * 1.9} ${ex + dy * 1.9},${ey - dx * 1.9}`;
    return `<path class="arrow${no}" d="M${x1 + dx * 2} ${y1 + dy * 2}L${ex} ${ey}"/><polygon class="tip-arrow${no}" points="${head}"/>`;
  }

  function spoken(squares) {
    const count = squares.filter(Boolean).length;
    return `Chess board, ${count} pieces. ${shown.last ? `Last move ${shown.last.san}.` : ""}`;
  }

  function draw() {
    if (!shown) return;
    const { squares, last } = shown;
    let text = "";
    for (let index = 0; index < 64; index++) text += square(index, (index + Math.floor(index / 8)) % 2 ? "light" : "dark");
    const searched = last && last.kind !== KIND.unsearched;
    if (last && last.uci && searched) text += square(squareAt(last.uci), "from") + square(squareAt(last.uci.slice(2)), "to");
    text += names() + squares.map((letter, index) => (held && held.moved && index === held.from ? "" : piece(letter, index))).join("");
    const question = app.asking?.current();
    if (question) text += arrow(question.answer.mv.uci.slice(0, 2) + squareName(question.answer.mv.target), false);
    else if (last && last.uci && !searched) text += arrow(last.uci, false);
    if (held) text += targets() + carried();
    place.classList.toggle("asks", app.asking.legal().length > 0);
    place.innerHTML = `<svg viewBox="0 0 80 80" role="img" aria-label="${escaped(spoken(squares))}">${text}</svg>`;
  }

  const movesFrom = (square) => app.asking.legal().filter((mv) => mv.from === square);

  /** The squares to which the dragged piece may move. */
  function targets() {
    const dots = [...new Set(movesFrom(held.from).map((mv) => mv.target))].map((square) => corner(square));
    return dots.map(([x, y]) => `<circle class="target" cx="${x + SQUARE / 2}" cy="${y + SQUARE / 2}" r="1.600"/>`).join("");
  }

  function carried() {
    if (!held.moved) return "";
    const letter = shown.squares[held.from];
    const side = letter === letter.toUpperCase() ? "w" : "b";
    return `<use class="${side}" href="#piece-${letter.toLowerCase()}" x="${held.x - 4.6}" y="${held.y - 4.6}" width="9.200" height="9.200"/>`;
  }

  /** The place of a pointer on the board, and its square. */
  function placeOf(event) {
    const box = place.firstElementChild.getBoundingClientRect();
    const [x, y] = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height].map((share) => share * 8 * SQUARE);
    const [file, rank] = [Math.floor(x / SQUARE), 7 - Math.floor(y / SQUARE)];
    const inside = file >= 0 && file < 8 && rank >= 0 && rank < 8;
    return { x, y, square: !inside ? null : turned ? (7 - rank) * 8 + 7 - file : rank * 8 + file };
  }

  /** Asks about the move of the dragged piece to a square; a pawn that promotes becomes a queen, the others are in the list. */
  function put(square) {
    const { from, moved } = held;
    const mv = movesFrom(from).find((one) => one.target === square || (one.castles && one.to === square));
    held = null;
    draw();
    if (!mv && moved && square !== null && square !== from) app.asking.askUci(squareName(from) + squareName(square));
    if (mv) app.asking.ask(mv).catch((error) => app.say(error.message, true));
    return Boolean(mv);
  }

  place.addEventListener("pointerdown", (event) => {
    if (!shown || !app.row || event.button) return;
    const { x, y, square } = placeOf(event);
    if (held && square !== held.from && put(square)) return;
    held = square !== null && movesFrom(square).length ? { from: square, x, y, moved: false } : null;
    if (held) { event.preventDefault(); place.setPointerCapture(event.pointerId); }
    draw();
  });
  place.addEventListener("pointermove", (event) => {
    if (!held || !place.hasPointerCapture(event.pointerId)) return;
    const { x, y, square } = placeOf(event);
    Object.assign(held, { x, y, moved: held.moved || square !== held.from });
    draw();
  });
  place.addEventListener("pointerup", (event) => { if (held && held.moved) put(placeOf(event).square); });
  place.addEventListener("pointercancel", () => { held = null; draw(); });

  /** Shows the position after the moves of a path. A move that was not searched is only pointed at. */
  function show(path) {
    const start = positionFrom(app.about.fen);
    place.hidden = !start;
    if (!start) return;
    let { squares } = start;
    let last = null;
    for (const row of path) {
      if (!row.uci) continue;
      last = row;
      if (row.kind !== KIND.unsearched) squares = afterMove(squares, row.uci);
    }
    held = null;
    shown = { squares, last };
    draw();
  }

  function turn(black) {
    turned = black === undefined ? !turned : black;
    draw();
  }

  return { show, turn, draw };
}
