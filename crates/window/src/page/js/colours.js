// Colours of the overview. The groups of rules use hues that stay apart for colour-blind readers; scores go from orange
// (bad) over grey to blue (good).

const OUTCOME_FAMILY = { 1: 1, 2: 4, 4: 3 };
/** A lead, in pawns, that takes the score colour half-way to its end. */
const HALF_WAY = 0.8;

const palette = { values: {} };

function readPalette() {
  const style = getComputedStyle(document.documentElement);
  const value = (name) => style.getPropertyValue(name).trim();
  palette.values = {
    families: [0, 1, 2, 3, 4, 5, 6].map((family) => value(`--f${family}`)),
    plain: value("--plain-bar"), ink: value("--ink"), paper: value("--paper"), pane: value("--pane"), gold: value("--gold"),
    accent: value("--accent"), unseen: value("--unseen"), dark: document.documentElement.dataset.theme === "dark",
  };
}

function mixed(one, other, share) {
  const part = (index) => Math.round(one[index] + (other[index] - one[index]) * share);
  return `rgb(${part(0)}, ${part(1)}, ${part(2)})`;
}

/** A score seen from the root's side as a colour. */
function scoreColour(value, about) {
  if (value === null) return palette.values.plain;
  const pawns = value / about.unit;
  const share = Math.abs(pawns) / (Math.abs(pawns) + HALF_WAY);
  const middle = palette.values.dark ? [74, 78, 86] : [222, 217, 207];
  return mixed(middle, pawns > 0 ? [24, 116, 190] : [222, 98, 12], share);
}

function familyColour(family) {
  return family === null || family === undefined ? palette.values.plain : palette.values.families[family];
}

/** The colour of a row or rectangle in the given mode. */
function colourOf(row, mode, about) {
  if (mode === "score") return scoreColour(rootScore(row.ply, row.value), about);
  if (mode === "outcome") return familyColour(OUTCOME_FAMILY[row.decision]);
  if (row.family === null || row.family === undefined) return row.kind === KIND.quiet ? familyColour(5) : palette.values.plain;
  return familyColour(row.family);
}

/** Text that can be read on a colour. */
function textOn(colour) {
  const probe = /^#(..)(..)(..)$/.exec(colour) || /rgb\((\d+), (\d+), (\d+)\)/.exec(colour);
  if (!probe) return palette.values.ink;
  const base = colour[0] === "#" ? 16 : 10;
  const [red, green, blue] = probe.slice(1).map((part) => parseInt(part, base));
  return red * 0.299 + green * 0.587 + blue * 0.114 > 140 ? "#16181c" : "#ffffff";
}
