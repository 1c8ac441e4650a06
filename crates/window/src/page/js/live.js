// Searching a position.

const ASK_EVERY = 250;
/** Depth of a search in the form if no limit is given (plies). */
const DEPTH_USUAL = 8;

function createLive(app) {
  const dialog = byId("live");
  let options = null;
  /** Parameters of the request that have no switch in the form: they are sent as they are. */
  let others = [];
  /** The form that waits for its search. */
  let waiting = null;
  let stopping = false;
  /** Ends the pause between two questions about the search. */
  let wake = () => {};

  /** The last search of the page at the position shown. */
  const lastRequest = () => ({ ...app.request, fen: app.about.fen, moves: [] });

  /** Opens the form, filled with a request; its moves are played first. */
  async function open(request = lastRequest()) {
    options = options || (await query("options"));
    let { fen, warning } = request;
    if (request.moves?.length) await tell("position", { text: fen, moves: request.moves }).then((found) => { ({ fen, warning } = found); }, (error) => { warning = error.message; });
    dialog.innerHTML = form();
    fill({ ...request, fen });
    const warnings = [warning, unknownProfile(request.profile)].filter(Boolean);
    if (warnings.length) problem(new Error(warnings.join("; ")));
    dialog.showModal();
    dialog.querySelector("[name=profile]").addEventListener("change", () => switches([]));
    dialog.querySelector("form").addEventListener("submit", submit);
    dialog.querySelector("[name=fen]").addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      event.target.form.requestSubmit();
    });
    dialog.querySelector("#live-close").addEventListener("click", () => dialog.close());
    dialog.querySelector("#live-stop").addEventListener("click", stop);
  }

  function form() {
    const profiles = options.profiles.map((profile) => `<option>${escaped(profile.name)}</option>`).join("");
    return `<h2 id="live-title">Search a position</h2><form class="fields" novalidate>
      <label>Position (FEN)<textarea name="fen" rows="2" spellcheck="false" autocomplete="off"></textarea></label>
      <div class="three"><label>Profile<select name="profile">${profiles}</select></label>
      <label>Depth (plies)<input name="depth" type="number" min="1" max="${options.depth_max}"></label>
      <label>Nodes at most<input name="nodes" type="number" min="1" max="${options.nodes_max}"></label></div>
      <label>Stop at an event (optional)<input name="until" title="alpha: another move becomes the best at the root; alpha@2: the same two plies below the root; null_move: this rule makes a decision; e2e4: this move is about to be searched; 0x…: the position with this key is reached" placeholder="alpha, alpha@2, null_move, e2e4, or a key 0x…" spellcheck="false" autocomplete="off"></label>
      <fieldset><legend>Rules</legend><div id="live-rules" class="switches"></div>
      <details><summary>Switches of parts of rules</summary><div id="live-finer" class="switches"></div></details><p class="quiet" id="live-others"></p></fieldset>
      <p class="problem" id="live-problem" role="alert"></p>
      <div class="row"><button class="plain strong" id="live-go">Search</button><button class="plain" type="button" id="live-stop" hidden>Stop</button><span class="grow"></span><button class="plain" type="button" id="live-close">Close</button></div></form>`;
  }

  /** Fills in a request. Without any limit it gets the usual ones. */
  function fill({ fen, profile, depth = null, nodes = null, until, set }) {
    const form = dialog.querySelector("form");
    const limits = depth === null && nodes === null ? [DEPTH_USUAL, options.nodes] : [depth, nodes];
    form.fen.value = fen || options.start;
    form.profile.value = known(profile)?.name ?? form.profile.value;
    [form.depth.value, form.nodes.value] = limits.map((limit) => limit ?? "");
    form.until.value = until || "";
    switches(set || []);
  }

  /** The profile of this name, which may be in capitals. */
  const known = (profile) => options.profiles.find((one) => one.name === profile?.toLowerCase());

  /** The warning if a request names a profile that the form does not have. */
  const unknownProfile = (profile) => (profile && !known(profile) ? `cannot use the profile ${profile}: it is not built in; choose one of the list` : null);

  /** The switches of the chosen profile, with the parameters of a request. Switches that differ from the profile are sent. */
  function switches(set) {
    const chosen = dialog.querySelector("[name=profile]").value;
    const { on } = options.profiles.find((profile) => profile.name === chosen);
    const given = new Map(set);
    const isOn = (one, index) => Boolean(given.get(one.name) ?? on[index]);
    others = [...given].filter(([name]) => !options.switches.some((one) => one.name === name));
    byId("live-others").textContent = others.length ? `Also set: ${others.map(([name, value]) => `${name} = ${value}`).join(", ")}.` : "";
    const box = (one, index) => `<label title="${escaped(one.doc)}"><input type="checkbox" data-name="${escaped(one.name)}" data-was="${on[index]}"${isOn(one, index) ? " checked" : ""}>${escaped(one.label)}</label>`;
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
    const button = byId("live-go");
    const unread = [form.depth, form.nodes].find((field) => field.validity.badInput);
    if (unread) {
      problem(new Error(`cannot read the field ${unread.name}: it is not a number; give ${unread.min} to ${unread.max}`));
      return;
    }
    const limit = (field) => (field.value === "" ? null : Number(field.value));
    const changed = [...form.querySelectorAll("[data-name]")].filter((box) => String(box.checked) !== box.dataset.was);
    const request = {
      fen: form.fen.value.trim().replace(/\s+/g, " "), profile: form.profile.value, depth: limit(form.depth), nodes: limit(form.nodes),
      until: form.until.value,
      set: [...changed.map((box) => [box.dataset.name, Number(box.checked)]), ...others],
    };
    busy(true);
    waiting = form;
    byId("live-problem").textContent = "";
    try {
      await search(request, (seconds) => { if (!stopping) button.textContent = `Searching, ${seconds.toFixed(1)} s`; });
      waiting = null;
      if (form.isConnected) dialog.close();
      await app.reload();
      if (stopping) app.say(stoppedText());
    } catch (error) {
      if (form.isConnected) problem(error);
    }
    if (waiting === form) waiting = null;
    // The form may be a later one by now.
    if (form.isConnected) busy(false);
  }

  async function stop() {
    stopping = true;
    waiting.querySelector("#live-stop").disabled = true;
    waiting.querySelector("#live-go").textContent = "Stopping";
    await tell("stop").catch(problem);
    wake();
  }

  function stoppedText() {
    const { depth, nodes } = app.about;
    const finished = depth ? `depth ${depth} is complete` : "no iteration is complete";
    return `The search was stopped after ${counted(nodes)} nodes: ${finished}. This is the tree so far.`;
  }

  /** Searches, warns of castling rights that were dropped, and keeps the request for links; `onProgress` is called with the seconds so far. */
  async function search(request, onProgress) {
    await tell("search", request);
    // The request to stop may have come before the search began.
    if (waiting && stopping) await tell("stop");
    let warning = null;
    for (;;) {
      const state = await query("search");
      if (state.error) throw new Error(state.error);
      ({ warning } = state);
      if (!state.running) break;
      onProgress(state.seconds);
      await new Promise((done) => { wake = done; setTimeout(done, ASK_EVERY); });
    }
    Object.assign(app, { request, isOpened: false });
    if (warning) app.say(warning);
  }

  function busy(on) {
    stopping = false;
    byId("live-go").disabled = on;
    byId("live-stop").hidden = !on;
    byId("live-stop").disabled = false;
    if (!on) byId("live-go").textContent = "Search";
  }

  dialog.addEventListener("close", () => { if (waiting) stop(); });

  return { open, search };
}
