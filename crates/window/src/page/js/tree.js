// The indented tree. Its open rows are one flat list; only the visible ones are in the document.

const PAGE = 100;
const MARGIN = 8;
const GUIDES_MIN = 2;
const GUIDES_MAX = 14;
// Room of the name of a move, in pixels.
const NAME_ROOM = 160;
// A guide with its margins, in pixels: on a narrow screen and elsewhere.
const GUIDE_NARROW = 16;
const GUIDE_WIDE = 28;
const ITEM_NARROW = 40;
const ITEM_WIDE = 28;
const BADGES_MAX = 3;

function createTree(app) {
  const view = byId("tree");
  const space = byId("tree-space");
  let items = [];
  let selected = null;
  let height = ITEM_WIDE;
  let guidesMax = GUIDES_MAX;

  /** A row with its place among its siblings. */
  const itemOf = (row, place = null, of = null) => ({ row, open: false, place, of });
  const itemsOf = (slice) => slice.rows.map((row, index) => itemOf(row, slice.from + index + 1, slice.total));
  const indexOf = (id) => items.findIndex((item) => item.row && item.row.id === id);

  async function reset() {
    const [root] = await app.source.path(0);
    items = [itemOf(root, 1, 1)];
    selected = null;
    await open(0);
  }

  /** Opens an item: its first children, and a row that represents the others. */
  function open(index) {
    const item = items[index];
    if (!item.row || !item.row.kids) return Promise.resolve();
    if (!item.open) {
      item.open = true;
      item.opening = fetchBelow(item);
    }
    return item.opening;
  }

  async function fetchBelow(item) {
    const slice = await app.source.children(item.row.id, 0, PAGE, app.filter);
    const now = items.indexOf(item);
    if (now < 0 || !item.open) return;
    items.splice(now + 1, 0, ...itemsOf(slice), ...rest(item.row, slice));
    draw();
  }

  function rest(parent, slice) {
    const next = slice.from + slice.rows.length;
    return next < slice.total ? [{ more: { parent, from: next, left: slice.total - next } }] : [];
  }

  async function openMore(item) {
    const { parent, from } = item.more;
    const slice = await app.source.children(parent.id, from, PAGE, app.filter);
    const now = items.indexOf(item);
    if (now >= 0) items.splice(now, 1, ...itemsOf(slice), ...rest(parent, slice));
    draw();
  }

  const levelOf = (item) => (item.row ? item.row.level : item.more.parent.level + 1);

  function close(index) {
    const item = items[index];
    let end = index + 1;
    while (end < items.length && levelOf(items[end]) > item.row.level) end++;
    items.splice(index + 1, end - index - 1);
    item.open = false;
    draw();
  }

  /** Opens or closes an item. It is selected if the selected row was below it. */
  async function toggle(index) {
    const item = items[index];
    if (!item.open) return open(index);
    close(index);
    if (indexOf(selected) < 0) await app.select(item.row.id);
  }

  /** Opens all that is above the last row of a path and scrolls to it. */
  async function show(path) {
    selected = path[path.length - 1].id;
    for (let step = 0; step < path.length; step++) {
      let at = indexOf(path[step].id);
      if (at < 0) at = await bring(path[step], path[step - 1]);
      if (step < path.length - 1 && at >= 0) await open(at);
    }
    scrollTo(indexOf(selected));
    draw();
  }

  /** Puts a row that is not listed yet, or that the filter hides, at the end of its parent's children. */
  async function bring(row, parent) {
    if (!parent) return -1;
    for (;;) {
      const more = items.find((item) => item.more && item.more.parent.id === parent.id);
      if (!more) break;
      await openMore(more);
      const at = indexOf(row.id);
      if (at >= 0) return at;
    }
    let at = indexOf(parent.id) + 1;
    while (at < items.length && items[at].row && levelOf(items[at]) > parent.level && items[at].row.id < row.id) at++;
    items.splice(at, 0, itemOf(row));
    return at;
  }

  function scrollTo(index) {
    if (index < 0) return;
    const top = index * height;
    if (top < view.scrollTop + height) view.scrollTop = top - height * 2;
    else if (top > view.scrollTop + view.clientHeight - 2 * height) view.scrollTop = top - view.clientHeight / 2;
  }

  /** Opens every row of a small tree. */
  async function openAll() {
    for (let index = 0; index < items.length; index++) await open(index);
    draw();
  }

  /** Opens a row; the tree goes on beginning with the root. */
  async function reveal(id) {
    const index = indexOf(id);
    if (index < 0) return;
    await open(index);
    view.scrollTop = 0;
    draw();
  }

  function draw() {
    height = matchMedia("(max-width: 759px)").matches ? ITEM_NARROW : ITEM_WIDE;
    space.style.height = `${items.length * height}px`;
    const first = Math.max(0, Math.floor(view.scrollTop / height) - MARGIN);
    const last = Math.min(items.length, Math.ceil((view.scrollTop + view.clientHeight) / height) + MARGIN);
    let text = "";
    for (let index = first; index < last; index++) text += itemText(items[index], index);
    space.innerHTML = text;
    const fitting = guidesThatFit();
    if (fitting !== guidesMax) {
      guidesMax = fitting;
      draw();
      return;
    }
    space.querySelectorAll(".what").forEach(fitBadges);
    const current = indexOf(selected);
    if (current >= first && current < last) view.setAttribute("aria-activedescendant", `item-${current}`);
    else view.removeAttribute("aria-activedescendant");
  }

  /** Badges that have no room are counted in the last one. */
  function fitBadges(cell) {
    const badges = [...cell.querySelectorAll(".badge")];
    const others = badges.pop();
    if (!others) return;
    const hidden = [];
    while (badges.length && cell.scrollWidth > cell.clientWidth) {
      const last = badges.pop();
      hidden.unshift(last.title);
      last.hidden = true;
      others.hidden = false;
      others.textContent = `+${hidden.length}`;
      others.title = hidden.join(", ");
    }
    if (cell.scrollWidth > cell.clientWidth) others.hidden = true;
  }

  /** The number of guides that leave room for the name of a move. */
  function guidesThatFit() {
    const cell = space.querySelector(".c-score")?.parentElement.querySelector(".what");
    if (!cell || !cell.clientWidth) return guidesMax;
    const guide = height === ITEM_NARROW ? GUIDE_NARROW : GUIDE_WIDE;
    return Math.min(GUIDES_MAX, Math.max(GUIDES_MIN, Math.floor((cell.clientWidth - NAME_ROOM) / guide)));
  }

  function guides(level) {
    const shown = Math.min(level, guidesMax);
    const mark = level > guidesMax ? `<span class="quiet" style="font-size:11px">${level}</span>` : "";
    return '<span class="guide"></span>'.repeat(shown) + mark;
  }

  function itemText(item, index) {
    const level = levelOf(item);
    const top = `style="top:${index * height}px"`;
    if (item.more) {
      return `<div class="item" id="item-${index}" data-index="${index}" role="treeitem" aria-level="${level + 1}" ${top}><div class="what">${guides(level)}<button class="more" type="button" tabindex="-1">… ${counted(item.more.left)} more</button></div></div>`;
    }
    const { row } = item;
    const chosen = row.id === selected;
    const names = `item${chosen ? " selected" : ""}${row.kind === KIND.unsearched ? " unsearched" : ""}`;
    const expanded = row.kids ? ` aria-expanded="${item.open}"` : "";
    return `<div class="${names}" id="item-${index}" data-index="${index}" role="treeitem" aria-level="${level + 1}"${item.of ? ` aria-posinset="${item.place}" aria-setsize="${item.of}"` : ""} aria-selected="${chosen}"${expanded} ${top}><div class="what">${guides(level)}${twist(item)}${whatText(row)}</div>${row.kind === KIND.unsearched ? "" : columns(row)}</div>`;
  }

  function twist(item) {
    if (!item.row.kids) return '<span class="twist"></span>';
    return `<button class="twist" type="button" tabindex="-1" aria-hidden="true">${item.open ? "▼" : "▶"}</button>`;
  }

  function whatText(row) {
    const leading = leadingMark(row.marks);
    const colour = colourOf({ ...row, family: leading && familyOf(app.about, leading) }, "rule", app.about);
    const star = row.flags & FLAG.line && row.level ? '<span class="star" title="on the principal variation">★</span>' : "";
    const order = row.event ? `<span class="quiet">(${row.event})</span>` : "";
    const name = `<span class="name"><span class="stripe" style="--c:${colour}"></span>${star}<span class="san">${escaped(rowName(row))}</span>${order}</span>`;
    if (row.kind === KIND.unsearched) return `${name}${badges(row)}<span class="reason">${escaped(reasonText(row))}</span>`;
    return name + badges(row);
  }

  function badges(row) {
    const badge = (text, colour, name = "", meaning = text) => `<span class="badge ${name}" title="${escaped(meaning)}" style="${colour ? `--c:${colour}` : ""}">${escaped(text)}</span>`;
    const list = [];
    if (row.differs) list.push(`<span class="badge differs" title="${escaped(differenceText(row, app.about))}">${differenceWord(row)}</span>`);
    if (row.decision === DECISION.cutoff) list.push(badge("cutoff", "", "cutoff"));
    if (row.decision === DECISION.best) list.push(badge("best", "", "best", "best so far"));
    if (row.flags & FLAG.again) list.push(badge("again", "", "result", "searched again"));
    if (row.purpose > OWN_PURPOSES && row.san) list.push(badge(app.about.purposes[row.purpose][0], "", "result"));
    if (row.kind === KIND.quiet) list.push(`<span class="badge" title="quiescence" style="--c:${familyColour(5)}"><span aria-hidden="true">q</span><span class="hidden">quiescence</span></span>`);
    const shown = row.marks.slice(0, BADGES_MAX);
    for (const mark of shown) {
      const change = changeOf(mark);
      list.push(badge((change ? `${signedPlies(change, app.about)} ` : "") + app.about.rules[mark[0]].name, familyColour(familyOf(app.about, mark)), "rule"));
    }
    if (list.length) list.push('<span class="badge result others" hidden></span>');
    return list.join("");
  }

  function columns(row) {
    const share = (100 * row.nodes) / Math.max(1, app.about.nodes);
    const bar = share < 1 ? "" : ` style="--share:${share}%"`;
    const nodes = row.nodes ? shortCount(row.nodes) : "";
    return `<span class="c-score">${valueText(row, app.about)}</span><span class="c-window">${windowText(row, app.about)}</span><span class="c-depth">${pliesText(row.depth, app.about)}</span><span class="c-nodes"${bar}>${nodes}</span>`;
  }

  view.addEventListener("scroll", draw, { passive: true });
  window.addEventListener("resize", draw, { passive: true });
  view.addEventListener("click", (event) => {
    const box = event.target.closest(".item");
    if (!box) return;
    const index = Number(box.dataset.index);
    const item = items[index];
    if (item.more) openMore(item);
    else if (event.target.closest(".twist")) toggle(index);
    else app.select(item.row.id).then(() => { if (matchMedia("(max-width: 759px)").matches) showTab("panel"); });
  });
  view.addEventListener("dblclick", (event) => {
    const box = event.target.closest(".item");
    if (box && !event.target.closest(".twist") && items[box.dataset.index]?.row) toggle(Number(box.dataset.index));
  });

  /** Arrow keys, as in every tree. */
  async function key(name) {
    const index = Math.max(0, indexOf(selected));
    const item = items[index];
    const go = (to) => {
      const next = items[to];
      if (next?.row) app.select(next.row.id); else if (next?.more) openMore(next);
    };
    if (name === "ArrowDown") go(index + 1);
    else if (name === "ArrowUp") go(index - 1);
    else if (name === "ArrowRight" && item.row.kids) { if (item.open) go(index + 1); else await open(index); }
    else if (name === "ArrowLeft") { if (item.open) close(index); else if (item.row.up !== null) app.select(item.row.up); }
  }

  return { reset, show, draw, key, reveal, openAll };
}
