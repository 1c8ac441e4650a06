// Searching a position.

const ASK_EVERY = 250;

function createLive(app) {
  const dialog = byId("live");
  let options = null;
  let wanted = null;
  let stopping = false;
  /** Ends the pause between two questions about the search. */
  let wake = () => {};

  /** Opens the form; with a position if one is given. */
  async function open(fen) {
    wanted = fen || app.about.fen || null;
    options = options || (await query("options"));
    dialog.innerHTML = form();
    dialog.showModal();
    dialog.querySelector("[name=profile]").addEventListener("change", switches);
    dialog.querySelector("form").addEventListener("submit", submit);
    dialog.querySelector("[name=fen]").addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      event.target.form.requestSubmit();
    });
    dialog.querySelector("#live-close").addEventListener("click", () => dialog.close());
    dialog.querySelector("#live-stop").addEventListener("click", stop);
    switches();
  }

  function form() {
    const profiles = options.profiles.map((profile) => `<option>${escaped(profile.name)}</option>`).join("");
    const fen = wanted || options.start;
    return `<h2 id="live-title">Search a position</h2><form class="fields" novalidate>
      <label>Position (FEN)<textarea name="fen" rows="2" spellcheck="false" autocomplete="off">${escaped(fen)}</textarea></label>
      <div class="three"><label>Profile<select name="profile">${profiles}</select></label>
      <label>Depth (plies)<input name="depth" type="number" min="1" max="${options.depth_max}" value="8"></label>
      <label>Nodes at most<input name="nodes" type="number" min="1" max="${options.nodes_max}" value="${options.nodes}"></label></div>
      <label>Stop at an event (optional)<input name="until" placeholder="alpha, alpha@2, null_move, e2e4, or a key 0x…" spellcheck="false" autocomplete="off"></label>
      <fieldset><legend>Rules</legend><div id="live-rules" class="switches"></div>
      <details><summary>Finer switches</summary><div id="live-finer" class="switches"></div></details></fieldset>
      <p class="problem" id="live-problem" role="alert"></p>
      <div class="row"><button class="plain strong" id="live-go">Search</button><button class="plain" type="button" id="live-stop" hidden>Stop</button><span class="grow"></span><button class="plain" type="button" id="live-close">Close</button></div></form>`;
  }

  /** The switches of the chosen profile; those changed by hand are sent. */
  function switches() {
    const chosen = dialog.querySelector("[name=profile]").value;
    const { on } = options.profiles.find((profile) => profile.name === chosen);
    const box = (one, index) => `<label title="${escaped(one.doc)}"><input type="checkbox" data-name="${escaped(one.name)}" data-was="${on[index]}"${on[index] ? " checked" : ""}>${escaped(one.label)}</label>`;
    const boxes = options.switches.map((one, index) => [one.name.endsWith(".on"), box(one, index)]);
    byId("live-rules").innerHTML = boxes.filter(([whole]) => whole).map(([, text]) => text).join("");
    byId("live-finer").innerHTML = boxes.filter(([whole]) => !whole).map(([, text]) => text).join("");
  }

  function problem(error) {
    byId("live-problem").textContent = error.message;
  }

  async function submit(event) {
    event.preventDefault();
    const form = event.target;
    const changed = [...form.querySelectorAll("[data-name]")].filter((box) => String(box.checked) !== box.dataset.was);
    const wanted = {
      fen: form.fen.value.trim().replace(/\s+/g, " "), profile: form.profile.value, depth: Number(form.depth.value) || null, nodes: Number(form.nodes.value) || null,
      until: form.until.value,
      set: changed.map((box) => [box.dataset.name, Number(box.checked)]),
    };
    busy(true);
    byId("live-problem").textContent = "";
    try {
      await search(wanted, (seconds) => { if (!stopping) byId("live-go").textContent = `Searching, ${seconds.toFixed(1)} s`; });
      dialog.close();
      await app.reload();
      if (stopping) app.say(stoppedText());
    } catch (error) {
      problem(error);
    }
    busy(false);
  }

  async function stop() {
    stopping = true;
    byId("live-stop").disabled = true;
    byId("live-go").textContent = "Stopping";
    await tell("stop").catch(problem);
    wake();
  }

  function stoppedText() {
    const { depth, nodes } = app.about;
    const finished = depth ? `depth ${depth} is complete` : "no iteration is complete";
    return `The search was stopped after ${counted(nodes)} nodes: ${finished}. This is the tree so far.`;
  }

  /** Searches, and keeps the request for links; `heard` is told the seconds so far. */
  async function search(wanted, heard) {
    await tell("search", wanted);
    for (;;) {
      const state = await query("search");
      if (state.error) throw new Error(state.error);
      if (!state.running) break;
      heard(state.seconds);
      await new Promise((done) => { wake = done; setTimeout(done, ASK_EVERY); });
    }
    app.request = wanted;
  }

  function busy(on) {
    stopping = false;
    byId("live-go").disabled = on;
    byId("live-stop").hidden = !on;
    byId("live-stop").disabled = false;
    if (!on) byId("live-go").textContent = "Search";
  }

  return { open, search };
}
