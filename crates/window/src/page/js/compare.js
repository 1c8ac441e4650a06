// Comparison: the displayed position is searched again with other parameters, and the differences are shown.

/** Rules that the list begins with. */
const FIRST_RULES = 5;

/** Label of a parameter; a switch is named by its rule. */
const parameterWords = (name) => name.replace(/\.on$/, "").replace(/[_.]/g, " ");

function createCompare(app) {
  const dialog = byId("compare");
  let list = [];
  let result = null;

  async function open() {
    list = await query("parameters");
    result = null;
    dialog.innerHTML = `<h2 id="compare-title">Switch a rule, watch the tree change</h2><p class="quiet">The position is searched twice to the depth of the tree: as shown, and with your changes.</p>
      <form class="fields" novalidate><label>Find a rule or a parameter<input type="search" name="find" placeholder="null move" autocomplete="off" spellcheck="false"></label>
      <div class="sliders" id="compare-list" tabindex="0" role="group" aria-label="Parameters"></div>
      <p class="problem" id="compare-problem" role="alert"></p><div id="compare-result" aria-live="polite"></div>
      <div class="row"><button class="plain strong" id="compare-go">Search both</button><span class="grow"></span><button class="plain" type="button" id="compare-close">Close</button></div></form>`;
    draw("");
    dialog.showModal();
    dialog.querySelector("form").addEventListener("submit", submit);
    dialog.querySelector("[name=find]").addEventListener("input", (event) => draw(event.target.value));
    byId("compare-list").addEventListener("input", changed);
    byId("compare-close").addEventListener("click", () => dialog.close());
  }

  /** The switches of the rules that decided most in this tree. */
  function mostActive() {
    const count = (one) => (one.rule === null || !one.name.endsWith(".on") ? 0 : app.about.rules[one.rule].count);
    return list.filter(count).sort((one, other) => count(other) - count(one)).slice(0, FIRST_RULES);
  }

  /** The listed parameters by heading: without a search the most active rules, then the switches of all by family; changed parameters stay visible. */
  function groups(text) {
    const pattern = text.trim().toLowerCase().replace(/[ .]+/g, "_");
    const fits = (one) => one.now !== undefined || (pattern ? one.name.replace(".", "_").includes(pattern) : one.switch && one.name.endsWith(".on"));
    const first = pattern ? [] : mostActive();
    const others = list.filter((one) => fits(one) && !first.includes(one));
    const families = [...new Set([...app.about.families, ...others.map((one) => one.family)])];
    return [["most decisions in this tree", first], ...families.map((family) => [family, others.filter((one) => one.family === family)])].filter(([, some]) => some.length);
  }

  function draw(text) {
    const row = (one) => {
      const now = one.now ?? one.value;
      const label = `<span class="${one.now === undefined ? "" : "changed"}">${escaped(parameterWords(one.name))}</span>`;
      const about = one.name.endsWith(".on") ? one.about : one.meaning;
      const description = `<small>${escaped(about)}</small>`;
      if (one.switch) return `<label class="slider" title="${escaped(one.doc)}"><input type="checkbox" data-name="${one.name}"${now ? " checked" : ""}>${label}${description}</label>`;
      return `<label class="slider wide" title="${escaped(one.doc)}">${label}<input type="range" data-name="${one.name}" min="${one.min}" max="${one.max}" step="${one.step}" value="${now}"><output>${now}</output>${description}</label>`;
    };
    const group = ([heading, some]) => `<h3>${escaped(heading)}</h3>${some.map(row).join("")}`;
    byId("compare-list").innerHTML = groups(text).map(group).join("") || '<p class="quiet">No parameter has this name.</p>';
  }

  function changed(event) {
    const one = list.find((each) => each.name === event.target.dataset.name);
    if (!one) return;
    const now = one.switch ? Number(event.target.checked) : Number(event.target.value);
    one.now = now === one.value ? undefined : now;
    const label = event.target.closest("label");
    label.querySelector("span").classList.toggle("changed", one.now !== undefined);
    if (!one.switch) label.querySelector("output").textContent = now;
  }

  async function submit(event) {
    event.preventDefault();
    const form = event.target;
    byId("compare-problem").textContent = "";
    byId("compare-go").disabled = true;
    try {
      await tell("compare", { tree: app.about.tree, set: list.filter((one) => one.now !== undefined).map((one) => [one.name, one.now]) });
      for (;;) {
        const state = await query("compare");
        if (!form.isConnected) return; // a later form is open
        if (state.error) throw new Error(state.error);
        if (!state.running) { result = state.result; break; }
        byId("compare-go").textContent = `Searching, ${state.seconds.toFixed(1)} s`;
        await new Promise((done) => setTimeout(done, ASK_EVERY));
      }
      show();
      await app.marks.set(result.differences);
    } catch (error) {
      if (!form.isConnected) return;
      byId("compare-problem").textContent = error.message;
    }
    byId("compare-go").disabled = false;
    byId("compare-go").textContent = "Search both";
  }

  /** Totals side by side, the first node where the trees differ, the main causes. */
  function show() {
    const outcome = ({ depth, value, bound, line }) => `depth ${depth}, ${BOUND_SIGNS[bound]}${scoreText(value, app.about)}: ${line}`;
    const side = (one) => `<tr><td>${escaped(one.label)}</td><td>${counted(one.nodes)}</td><td>${escaped(outcome(one))}</td></tr>`;
    const cause = ({ cause: name, times, nodes }) => `<tr><td>${escaped(name)}</td><td>${counted(times)}</td><td>${counted(nodes[0])}</td><td>${counted(nodes[1])}</td></tr>`;
    const { first } = result;
    const part = first?.length ? `The trees first differ after <button type="button" class="plain small" id="compare-first">${escaped(first.join(" "))}</button>` : escaped(result.parting);
    const causes = result.causes.length ? `<table class="numbers"><thead><tr><th>cause, in iteration ${escaped(result.depth)}</th><th>times</th><th>nodes as shown</th><th>nodes with the changes</th></tr></thead><tbody>${result.causes.map(cause).join("")}</tbody></table>` : "";
    byId("compare-result").innerHTML = `<table class="numbers wordy"><thead><tr><th>search</th><th>nodes</th><th>outcome</th></tr></thead><tbody>${result.sides.map(side).join("")}</tbody></table>
      <p class="parting">${part}</p>${causes}
      <p><button type="button" class="plain small" id="compare-page">Both trees side by side, line by line</button></p>`;
    byId("compare-page").addEventListener("click", () => program.page("compare").catch((error) => { byId("compare-problem").textContent = error.message; }));
    byId("compare-first")?.addEventListener("click", async () => {
      dialog.close();
      await app.select(result.differences.first);
    });
  }

  dialog.addEventListener("close", () => { tell("compare/stop").catch(() => {}); });

  return { open };
}
