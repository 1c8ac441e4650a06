// The card of a rule: idea, risk, papers, measured effect. The name of a rule opens it anywhere on the page.

/** The name of a rule: a button where there is a card to open. */
function ruleName(about, number) {
  const { name, card } = about.rules[number];
  return card ? `<button type="button" class="rule-name" data-card="${number}">${escaped(name)}</button>` : `<b>${escaped(name)}</b>`;
}

/** A small button for lists where the name does something else. */
function cardButton(about, number) {
  const { name, card } = about.rules[number];
  return card ? `<button type="button" class="card-open" data-card="${number}" aria-label="What is ${escaped(name)}?" title="What is ${escaped(name)}?">?</button>` : "";
}

function createCards(app) {
  const dialog = byId("card");
  const plain = (text) => escaped(text).replace(/`([^`]*)`/g, "<code>$1</code>");
  const part = (name, text) => (text ? `<dt>${name}</dt><dd>${plain(text)}</dd>` : "");

  function open(number) {
    const { name, card } = app.about.rules[number];
    const own = card.parameters.map(([parameter, about]) => `<dt><code>${escaped(parameter)}</code></dt><dd>${plain(about)}</dd>`).join("");
    dialog.innerHTML = `<h2 id="card-title">${plain(card.title)}</h2><p class="quiet">shown as <b>${escaped(name)}</b></p><dl class="card-parts">${part("Idea", card.idea)}${part("Risk", card.risk)}${part("Papers", card.papers)}${part("Measured", card.measured)}</dl>${own ? `<details><summary>Parameters; the numbers of its decisions have the same names</summary><dl class="card-parts">${own}</dl></details>` : ""}<form method="dialog"><button class="plain">Close</button></form>`;
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
  }

  /** The meaning of a term, and the other terms of the glossary. */
  function openTerm(termName) {
    const item = ([name, meaning]) => `<dt>${escaped(name)}</dt><dd>${plain(meaning)}</dd>`;
    const others = Object.entries(glossary).filter(([name]) => name !== termName);
    const whole = app.glossaryPage ? `<p><a href="${escaped(app.glossaryPage)}">The whole glossary</a></p>` : "";
    dialog.innerHTML = `<h2 id="card-title">${escaped(termName)}</h2><p>${plain(glossary[termName])}</p>${whole}<details><summary>Other terms of this page</summary><dl class="card-parts">${others.map(item).join("")}</dl></details><form method="dialog"><button class="plain">Close</button></form>`;
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("button[data-term]");
    if (button) openTerm(button.dataset.term);
    const chosen = event.target.closest?.("[data-card]");
    if (chosen) open(Number(chosen.dataset.card));
  });

  return { open };
}
