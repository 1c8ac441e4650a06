// A model on the local server: scores and parameters are changed, and the engine searches it again at once.

function createStage(app) {
  const dialog = byId("stage");
  let model = null;
  let last = Promise.resolve();

  /** Shows the button if there is a model to change. */
  async function begin() {
    await last; // it needs the form
    model = await query("model");
    dialog.innerHTML = "";
    byId("change-model").hidden = !model;
  }

  function open() {
    const first = !dialog.innerHTML;
    if (first) dialog.innerHTML = form();
    dialog.showModal();
    if (first) search();
  }

  function form() {
    const field = (node) => `<label>${escaped(node.line)} <input type="number" step="0.125" min="-15.75" max="15.75" value="${node.score}" data-key="${escaped(node.key)}"></label>`;
    const fields = (leaf) => model.nodes.filter((node) => node.leaf === leaf).map(field).join("");
    return `<h2 id="stage-title">Change the model</h2><p>Scores are in pawns for the side that made the last move of the line. Each change is searched at once by the engine (profile ${escaped(model.profile)}); the tree in the background is the new one.</p>
      <div class="fields"><label>Settings, separated by spaces<input id="stage-set" placeholder="futility.on=false null_move.verify=true" spellcheck="false" autocomplete="off"></label></div>
      <p class="problem" id="stage-problem" role="alert"></p><ul id="stage-status" aria-live="polite"></ul>
      <details open><summary>Scores of the leaves</summary><div class="leaves">${fields(true)}</div></details>
      <details><summary>Static scores of the other nodes</summary><div class="leaves">${fields(false)}</div></details>
      <div class="row"><button type="button" class="plain" id="stage-back">Undo all changes</button><span class="grow"></span><button type="button" class="plain" id="stage-close">Close</button></div>`;
  }

  /** Changes from the served model. */
  function changes() {
    const was = new Map(model.nodes.map((node) => [node.key, node.score]));
    const changed = [...dialog.querySelectorAll("[data-key]")].filter((input) => Number(input.value) !== was.get(input.dataset.key));
    return { scores: Object.fromEntries(changed.map((input) => [input.dataset.key, Number(input.value)])), set: byId("stage-set").value };
  }

  /** Changes are searched one after the other. */
  function search() {
    last = last.then(async () => {
      byId("stage-problem").textContent = "";
      try {
        const { closing } = await tell("model", changes());
        app.opened();
        byId("stage-status").innerHTML = closing.map((line) => `<li>${escaped(line)}</li>`).join("");
        await app.reload();
      } catch (error) {
        byId("stage-problem").textContent = error.message;
      }
    });
    return last;
  }

  dialog.addEventListener("change", ({ target }) => target.matches("input") && search());
  dialog.addEventListener("click", ({ target }) => {
    if (target.id === "stage-back") {
      dialog.innerHTML = form();
      search();
    } else if (target.id === "stage-close") dialog.close();
  });

  return { begin, open };
}
