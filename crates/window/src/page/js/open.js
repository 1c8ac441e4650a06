// Opening another tree: a position or a game from a text, a recorded search from a file, or a model that is part of the program.

function createOpen(app) {
  const dialog = byId("open");

  async function open() {
    const models = await query("models");
    const item = ({ name, title }) => `<option value="${escaped(name)}">${escaped(title || name)}</option>`;
    dialog.innerHTML = `<h2 id="open-title">Open</h2><form class="fields" novalidate>
      <label>Position or game (FEN or PGN)<textarea name="text" rows="5" spellcheck="false" placeholder="1. e4 e5 2. Nf3 …"></textarea></label>
      <div class="row"><button class="plain strong">Search the last position</button></div>
      <label>Recorded search (.trace)<input type="file" name="file" accept=".trace"></label>
      <label>Model tree<select name="model"><option value="">choose</option>${models.map(item).join("")}</select></label>
      <p class="quiet">A file can also be dropped on the page, and a text pasted.</p>
      <p class="problem" id="open-problem" role="alert"></p>
      <div class="row"><span class="grow"></span><button class="plain" type="button" id="open-close">Close</button></div></form>`;
    const form = dialog.querySelector("form");
    form.addEventListener("submit", (event) => { event.preventDefault(); tried(() => position(form.text.value)); });
    form.file.addEventListener("change", () => form.file.files[0] && tried(() => file(form.file.files[0])));
    form.model.addEventListener("change", () => form.model.value && tried(() => model(form.model.value)));
    byId("open-close").addEventListener("click", () => dialog.close());
    dialog.showModal();
  }

  /** Calls a function and closes the dialog if that succeeds. */
  async function tried(act) {
    byId("open-problem").textContent = "";
    try {
      await act();
      dialog.close();
    } catch (error) {
      byId("open-problem").textContent = error.message;
    }
  }

  async function position(text) {
    const { fen, warning } = await tell("position", { text });
    dialog.close();
    await app.live.open({ fen, warning });
  }

  async function trace(blob) {
    await program.showTrace(new Uint8Array(await blob.arrayBuffer()));
    app.opened();
    await app.reload();
  }

  async function file(chosen) {
    if (/\.(pgn|fen|txt)$/i.test(chosen.name)) await position(await chosen.text());
    else await trace(chosen);
  }

  async function model(name) {
    await tell("model/open", { name });
    app.opened();
    await app.reload();
    await app.stage.begin();
  }

  const failed = (error) => app.say(`Cannot open it: ${error.message}`, true);
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    const [chosen] = event.dataTransfer.files;
    if (chosen) file(chosen).catch(failed);
  });
  document.addEventListener("paste", (event) => {
    if (event.target.matches("input, textarea") || document.querySelector("dialog[open]")) return;
    const text = event.clipboardData.getData("text");
    if (text.trim()) position(text).catch(failed);
  });

  return { open, position, file };
}
