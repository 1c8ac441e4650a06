// Links to the displayed tree and row, and pictures of it.

/** Parts of a link that describe the search; the others describe the selection. */
const REQUEST_PARTS = ["fen", "moves", "profile", "depth", "nodes", "set", "until"];
const PICTURE_SCALE = 2;
const BOARD_PIXELS = 640;

/** The parts of a link for a search: `set` is `name=value,name=value`, `moves` is separated by commas. */
function requestParts(request) {
  if (!request) return [];
  const set = request.set.map(([name, value]) => `${name}=${value}`).join(",");
  return Object.entries({ ...request, set, moves: (request.moves || []).join(",") }).filter(([name, value]) => REQUEST_PARTS.includes(name) && value).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
}

/** The search of a link, or null. Limits and values that are not numbers are left out; the program checks the rest. */
function requestOf(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  if (!parts.get("fen")) return null;
  const number = (name) => (/^\d+$/.test(parts.get(name) || "") ? Number(parts.get(name)) : null);
  const set = (parts.get("set") || "").split(",").filter(Boolean).map((one) => one.split("="));
  return {
    fen: parts.get("fen"), profile: parts.get("profile") || "", depth: number("depth"), nodes: number("nodes"), until: parts.get("until") || "",
    moves: (parts.get("moves") || "").split(",").filter(Boolean),
    set: set.map(([name, value]) => [name, Number(value)]).filter(([, value]) => Number.isInteger(value)),
  };
}

/** The rules of the page's style for the parts of a picture, with its colours. */
function pictureStyle(parts) {
  const colours = getComputedStyle(document.documentElement);
  const [all] = document.styleSheets;
  const names = new Set([...all.cssRules].flatMap((rule) => (rule.selectorText?.startsWith(":root") ? [...rule.style].filter((name) => name.startsWith("--")) : [])));
  const values = [...names].map((name) => `${name}:${colours.getPropertyValue(name).trim()}`).join(";");
  const rules = [...all.cssRules].filter((rule) => parts.some((part) => rule.selectorText?.startsWith(part)));
  return `svg{${values}}${rules.map((rule) => rule.cssText).join("")}`;
}

/** A drawing of the page as a separate picture, which needs nothing from the page. */
function pictureOf(drawing, parts, name) {
  const copy = drawing.cloneNode(true);
  const { width, height } = drawing.viewBox.baseVal;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("class", name);
  copy.removeAttribute("style"); // the size in the page
  copy.setAttribute("width", name === "board" ? BOARD_PIXELS : width);
  copy.setAttribute("height", name === "board" ? BOARD_PIXELS : height);
  const pieces = name === "board" ? `<defs>${document.querySelector(".sprite").innerHTML}</defs>` : "";
  copy.insertAdjacentHTML("afterbegin", `<style>${pictureStyle(parts)}</style>${pieces}`);
  return new XMLSerializer().serializeToString(copy);
}

/** Draws a picture in pixels. */
async function pixelsOf(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.width * PICTURE_SCALE;
  canvas.height = image.height * PICTURE_SCALE;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function createShare(app) {
  const dialog = byId("share");

  const pictures = {
    board: () => pictureOf(document.querySelector("#board svg"), [".board", ".body", ".detail", ".dot"], "board"),
    tree: () => (app.diagram ? pictureOf(document.querySelector("#diagram svg"), ["svg text", "svg .strong", "svg .link", "svg .node"], "diagram") : app.overview.picture()),
  };

  function open() {
    const button = (kind, form) => `<button type="button" class="plain" data-picture="${kind}" data-form="${form}">${form.toUpperCase()}</button>`;
    const board = app.about.fen ? `<div class="row"><span class="grow">Picture of the board</span>${button("board", "svg")}${button("board", "png")}</div>` : "";
    dialog.innerHTML = `<h2 id="share-title">Share</h2><div class="fields">
      ${link()}${board}<div class="row"><span class="grow">Picture of the tree</span>${button("tree", "svg")}${button("tree", "png")}</div>
      <div class="row"><span class="grow"></span><button type="button" class="plain" id="share-close">Close</button></div></div>`;
    dialog.showModal();
  }

  /** The link with its explanation. An embedded page has no address. */
  function link() {
    if (location.protocol === "about:") return "";
    if (app.isOpened && !program.keepsTree) return '<p class="quiet">There is no link: this tree was opened here, and the page does not contain it.</p>';
    return `<label>Link to this view<input id="share-link" readonly value="${escaped(location.href)}"></label>
      <p class="quiet">${escaped(explanation())}</p>
      <div class="row"><button type="button" class="plain strong" id="share-copy">Copy link</button><span id="share-status" role="status"></span></div>`;
  }

  function explanation() {
    if (app.request) return "It contains the position, the profile, the changed parameters, the limits and the selected node; the page searches again.";
    return "It contains the selected node; the tree itself is part of the page or of its server.";
  }

  async function copy() {
    const field = byId("share-link");
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      byId("share-status").textContent = "Copied.";
    } catch {
      byId("share-status").textContent = "Press Ctrl+C: this browser does not let the page copy.";
    }
  }

  async function picture(kind, form) {
    const svg = pictures[kind]();
    const blob = form === "svg" ? new Blob([svg], { type: "image/svg+xml" }) : await pixelsOf(svg);
    save(blob, `quarterply-${kind}.${form}`);
  }

  dialog.addEventListener("click", ({ target }) => {
    if (target.id === "share-close") dialog.close();
    else if (target.id === "share-copy") copy();
    else if (target.dataset.picture) picture(target.dataset.picture, target.dataset.form).catch((error) => app.say(`Cannot save the picture: ${error.message}`, true));
  });

  return { open, pictures, pixelsOf };
}
