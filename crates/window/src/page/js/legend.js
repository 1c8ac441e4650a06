// The legend explains the colours and is the filter as well.

function createLegend(app) {
  const place = byId("legend");
  let mode = "rule";

  const OUTCOMES = [["cutoff", "cutoff", 1], ["", "new best", 4], ["again", "searched again", 3], ["", "not better", null]];
  /** Meanings of the families, in the order of `about.families`. */
  const MEANINGS = ["A rule knew the value without a search", "A rule ended the node before its moves", "A rule skipped the move", "A rule reduced the depth", "A rule increased the depth", "A position in quiescence; the filter shows those that stand pat ended", "A limit ended a line or withdrew an extension"];
  const OTHERS = [["cutoff", "cutoffs"], ["again", "searched again"], ["unsearched", "not searched"], ["quiescence", "quiescence"], ["line", "principal variation"]];

  const others = () => (app.about.differences ? [...OTHERS, [DIFFERENT, "differs from the other search"]] : OTHERS);

  const chip = (filter, name, colour, meaning = "") =>
    `<button class="chip" type="button" title="${meaning}" data-filter="${filter}" aria-pressed="${app.filter === filter}"><i style="--c:${colour}"></i>${escaped(name)}</button>`;

  function rules() {
    const option = (filter, name) => `<option value="${filter}"${app.filter === filter ? " selected" : ""}>${escaped(name)}</option>`;
    const groups = app.about.families.map((family, index) => {
      const list = app.about.rules.map((rule, number) => [rule, number]).filter(([rule]) => rule.family === index && rule.count);
      return list.length && `<optgroup label="${escaped(family)}">${list.map(([rule, number]) => option(`rule-${number}`, `${rule.name} (${counted(rule.count)})`)).join("")}</optgroup>`;
    }).filter(Boolean);
    return `<label class="pick">Show only <select id="filter"><option value="">everything</option><optgroup label="rows">${others().map(([f, name]) => option(f, name)).join("")}</optgroup>${groups.join("")}</select></label>`;
  }

  function draw() {
    const { about } = app;
    let text = "";
    if (mode === "score") {
      const colours = [-9, -1.5, -0.5, 0, 0.5, 1.5, 9].map((pawns) => scoreColour(pawns * about.unit, about));
      text = `<span class="scale">losing <i style="background:linear-gradient(90deg, ${colours.join(",")})"></i> winning for the side to move at the root</span>`;
    } else if (mode === "outcome" || about.kind === "model") {
      text = OUTCOMES.filter(([, name]) => about.kind !== "model" || name !== "searched again").map(([filter, name, family]) => (filter ? chip(filter, name, familyColour(family)) : `<span class="chip"><i style="--c:${familyColour(family)}"></i>${name}</span>`)).join("");
    } else {
      text = about.families.map((name, family) => chip(`family-${family}`, name, familyColour(family), MEANINGS[family])).join("");
    }
    redrawn(place, text + `<span class="grow"></span>` + rules() + `<span class="quiet" id="filter-count" style="font-size:12px"></span>`);
  }

  async function count() {
    const { filter } = app;
    const total = filter ? await app.source.matches(filter) : 0;
    if (filter !== app.filter) return;
    const box = byId("filter-count");
    if (box) box.textContent = filter ? `${counted(total)} ${total === 1 ? "match" : "matches"}` : "";
    byId("match").hidden = !filter;
  }

  place.addEventListener("click", (event) => {
    const chosen = event.target.closest("[data-filter]");
    if (chosen) app.setFilter(app.filter === chosen.dataset.filter ? "" : chosen.dataset.filter);
  });
  place.addEventListener("change", (event) => { if (event.target.id === "filter") app.setFilter(event.target.value); });

  return { draw, count, setMode: (next) => { mode = next; draw(); count(); } };
}
