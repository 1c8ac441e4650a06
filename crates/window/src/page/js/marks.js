// Marks of a comparison: the rows of the tree that differ from the search with a rule switched, each with a word, until they are cleared.

const DIFFERENT = "differs";

/** The difference of a row, in one or two words; empty if there is none. */
function differenceWord(row) {
  if (!row.differs) return "";
  if (row.differs.first) return "first difference";
  return row.differs.there ? "differs" : "only here";
}

/** Describes the counterpart of a row in the other search. */
function differenceText(row, about) {
  const { first, there } = row.differs;
  const parts = first ? ["Here the two searches first differ."] : [];
  if (!there) parts.push("The other search has no such row.");
  else if (there.unsearched) parts.push("The other search did not search it.");
  else {
    const value = there.value === null ? "" : ` found ${BOUND_SIGNS[there.bound]}${scoreText(there.value, about)}`;
    const depth = there.depth === null ? "" : ` with ${pliesText(there.depth, about)} ${there.depth === about.ply ? "ply" : "plies"} left`;
    parts.push(`The other search${value || " reached it"}${depth}, ${counted(there.nodes)} ${there.nodes === 1 ? "node" : "nodes"}.`);
  }
  if (there?.more) parts.push(`It has ${counted(there.more)} ${there.more === 1 ? "row" : "rows"} directly below that ${there.more === 1 ? "is" : "are"} missing here.`);
  if (there?.reordered) parts.push("It has the rows directly below in another order.");
  return parts.join(" ");
}

function createMarks(app) {
  const bar = byId("differences");

  function draw() {
    const differences = app.about.differences;
    bar.hidden = !differences;
    if (!differences) return;
    const rows = (number) => `${counted(number)} ${number === 1 ? "row" : "rows"}`;
    const found = differences.differ + differences.only ? `${rows(differences.differ)} ${differences.differ === 1 ? "differs" : "differ"}, ${rows(differences.only)} only here.` : "no row differs.";
    byId("differences-status").textContent = `Compared with ${differences.label}: ${found}`;
    byId("differences-first").disabled = differences.first === null;
    byId("differences-next").disabled = !(differences.differ + differences.only);
    byId("differences-only").disabled = !(differences.differ + differences.only);
    byId("differences-only").setAttribute("aria-pressed", app.filter === DIFFERENT);
  }

  /** Sets or clears the results of a comparison and shows every row again. */
  async function set(differences) {
    app.about.differences = differences || undefined;
    await app.refresh();
    draw();
  }

  async function clear() {
    if (app.filter === DIFFERENT) await app.setFilter("");
    await tell("compare/clear");
    await set(null);
    app.say("The marks are cleared.");
    byId("tree").focus();
  }

  const step = (back) => {
    if (app.about.differences) return app.player.jump(back, DIFFERENT);
    app.say("No rows are marked: switch a rule first.");
  };

  byId("differences-first").addEventListener("click", () => app.select(app.about.differences.first));
  byId("differences-next").addEventListener("click", () => step(false));
  byId("differences-only").addEventListener("click", () => app.setFilter(app.filter === DIFFERENT ? "" : DIFFERENT));
  byId("differences-clear").addEventListener("click", () => clear().catch((error) => app.say(error.message, true)));

  return { draw, set, step };
}
