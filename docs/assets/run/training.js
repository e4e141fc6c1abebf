// A network that learns while the reader watches. The program that trains it stands
// on the page; here is what asks it for steps, and shows what has come of them.

import { compute, make, makePlace } from "./asking.js";

const SPELL = 500; // steps, after which it pauses by itself
const RARELY = 50; // steps from one word to those who listen to the next
const RATES = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2];

// One step, and a moment to see it; or ten and a second, if the reader wants few
// moving things.
const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
const [STRIDE, MOMENT] = isCalm ? [10, 1000] : [1, 40];

const stage = document.querySelector("#training");
const listing = document.querySelector("#training ~ .language-python code");

// --- The form ---------------------------------------------------------------

function choose(name, choices, chosen) {
  const options = Object.entries(choices).map(([text, value]) =>
    make("option", { value, ...(text === chosen && { selected: "" }) }, text),
  );
  const select = make("select", {}, ...options);
  return [make("label", {}, `${name} `, select), select];
}

// What can be chosen, and how it is written in Python.
const [dataLabel, data] = choose(
  "Examples",
  {
    "two moons, 20 points": "MOONS[:20]",
    "two moons, 50 points": "MOONS[:50]",
    "two moons, 100 points": "MOONS",
    "the four of chapter 9": "FOUR",
  },
  "two moons, 100 points",
);
const [widthLabel, width] = choose("Layers", { "4, 4, 1": 4, "8, 8, 1": 8 }, "8, 8, 1");
const [bendLabel, bend] = choose(
  "Activation",
  { tanh: "'tanh'", relu: "'relu'", sigmoid: "'sigmoid'", none: "None" },
  "relu",
);

const rate = make("input", { type: "range", min: 0, max: RATES.length - 1 });
const rateShown = make("output", {});
rate.oninput = () => {
  rateShown.textContent = RATES[rate.value];
  rate.setAttribute("aria-valuetext", RATES[rate.value]);
};
function setRate(lr) {
  rate.value = RATES.indexOf(lr);
  rate.oninput();
}
setRate(0.5);

function button(name, act) {
  const made = make("button", { type: "button" }, name);
  made.onclick = act;
  return made;
}
const trainButton = button("Train", () => {
  if (isTraining) isTraining = false; // it ends with the step that is under way
  else train();
});
const stepButton = button("One step", oneStep);
const againButton = button("Start again", () => inTurn(startAgain));
const place = makePlace("Press Train to try again.");
const sentence = make("p", { class: "sentence" }, "Nothing is trained yet.");
const told = make("p", { class: "told", "aria-live": "polite" }); // to those who listen
const pictures = make("div", { class: "pictures" });
const tables = make("div", { class: "weights" });
stage.replaceChildren(
  make("div", { class: "choices" }, dataLabel, widthLabel, bendLabel,
    make("label", {}, "Rate ", rate, rateShown)),
  make("div", { class: "stepper" }, trainButton, stepButton, againButton),
  ...place.parts,
  sentence,
  told,
  pictures,
  tables,
);

for (const select of [data, width, bend]) {
  select.onchange = () => {
    if (select === data) setRate(data.value === "FOUR" ? 0.05 : 0.5);
    if (shown) inTurn(startAgain);
  };
}

// --- What is asked of Python, one thing after the other ----------------------

const beginning = () => `${listing.textContent}
import json
training = Training(${data.value}, ${width.value}, ${bend.value}, ${RATES[rate.value]})
print(json.dumps({"rows": training.rows, "across": ACROSS, "up": UP, "losses": []}))
`;

const steps = (count) => `
if "training" not in globals():
    raise RuntimeError("Stop has ended the training, too: start again")
training.optimizer.lr = ${RATES[rate.value]}
for _ in range(${count}):
    training.step()
print(json.dumps({
    "losses": training.losses[${shown.losses.length}:],
    "right": training.right(),
    "plane": [[round(z, 3) for z in row] for row in training.plane()],
    "weights": training.weights(),
}))
`;

let shown; // the training as it is shown
let queue = Promise.resolve();

// Do something once what came before has ended; whether it went well.
function inTurn(act) {
  const mine = queue.then(act).then(
    () => true,
    (error) => {
      place.say(error.message);
      return false;
    },
  );
  queue = mine;
  return mine;
}

async function startAgain() {
  shown = await compute(beginning(), place, "first");
  await advance(0);
  place.say("A new network.");
}

async function advance(count) {
  if (!shown) await startAgain();
  const { losses, ...now } = await compute(steps(count), place, "next");
  shown.losses.push(...losses);
  Object.assign(shown, now);
  show();
}

let isTraining = false;

async function train() {
  isTraining = true;
  showButtons();
  let went = true;
  for (let done = 0; isTraining && went && done < SPELL; done += STRIDE) {
    const moment = new Promise((resolve) => setTimeout(resolve, MOMENT));
    went = await inTurn(() => advance(STRIDE));
    if (went && shown.losses.length % RARELY === 0) announce();
    await moment;
  }
  isTraining = false;
  showButtons();
  if (went) announce();
}

async function oneStep() {
  if (await inTurn(() => advance(1))) announce();
}

function showButtons() {
  trainButton.textContent = isTraining ? "Pause" : "Train";
  stepButton.disabled = isTraining;
}

function announce() {
  place.say("");
  told.textContent = sentence.textContent;
}

// --- What is to be seen -----------------------------------------------------

function show() {
  const { losses, rows, right } = shown;
  const loss = make("data", { value: losses.at(-1) ?? "" }, losses.at(-1)?.toPrecision(4) ?? "");
  const cost = losses.length ? [", loss ", loss] : [];
  sentence.replaceChildren(`Step ${losses.length}`, ...cost, `: ${right} of ${rows.length} right.`);
  pictures.innerHTML = drawLosses(shown) + (rows[0].length === 3 ? drawPlane(shown) : "");
  showWeights(shown.weights);
}

// A round number that is not below a number.
function roundUp(number) {
  const power = 10 ** Math.floor(Math.log10(number));
  return [1, 1.2, 1.5, 2, 3, 4, 6, 8, 10].map((digit) => digit * power).find((round) => round >= number);
}

// The loss at each step, in a box that grows when it is full.
function drawLosses({ losses }) {
  const wide = 50 * 2 ** Math.ceil(Math.log2(Math.max(losses.length / 50, 1)));
  const high = roundUp(Math.max(...losses, 1e-9));
  const x = (step) => 34 + (220 * step) / wide;
  const y = (loss) => 130 - (120 * loss) / high;
  const line = losses.map((loss, step) => `${x(step).toFixed(1)},${y(loss).toFixed(1)}`);
  const words = losses.length
    ? `The loss, from ${losses[0].toPrecision(3)} to ${losses.at(-1).toPrecision(3)} in ${losses.length} steps`
    : "The loss, before the first step";
  const grid = [0, high / 2, high].map(
    (loss) =>
      `<path class="rule" d="M34 ${y(loss)}h220"/><text x="30" y="${y(loss) + 3}" text-anchor="end">${+loss.toPrecision(2)}</text>`,
  );
  const ticks = [0, wide / 2, wide].map(
    (step) => `<text x="${x(step)}" y="144" text-anchor="middle">${step}</text>`,
  );
  return `<svg viewBox="0 0 270 160" role="img" aria-label="${words}">
    ${grid.join("")}${ticks.join("")}
    <text x="144" y="157" text-anchor="middle">step</text>
    <polyline points="${line.join(" ")}"/></svg>`;
}

// The plane, shaded by the answers, and the points in it.
function drawPlane({ across, up, plane, rows, right }) {
  const side = across[1] - across[0];
  const left = across[0] - side / 2;
  const top = up.at(-1) + side / 2;
  const scale = 270 / (side * across.length);
  const kind = (z) => (z > 0 ? "yes" : "no");
  const size = (side * scale).toFixed(2);
  const cells = plane.flatMap((row, j) =>
    row.map((z, i) => {
      const place = `x="${(i * size).toFixed(2)}" y="${((up.length - 1 - j) * size).toFixed(2)}"`;
      const shade = (0.12 + 0.25 * Math.min(Math.abs(z), 1)).toFixed(2);
      return `<rect class="${kind(z)}" ${place} width="${size}" height="${size}" opacity="${shade}"/>`;
    }),
  );
  const points = rows.map(([x, y, sign]) => {
    const [cx, cy] = [(x - left) * scale, (top - y) * scale];
    return sign > 0
      ? `<rect class="yes" x="${cx - 2}" y="${cy - 2}" width="4" height="4"/>`
      : `<circle class="no" cx="${cx}" cy="${cy}" r="2.2"/>`;
  });
  return `<svg viewBox="0 0 270 ${up.length * size}" role="img"
    aria-label="The plane: ${right} of ${rows.length} points lie on the side of their moon">
    <g shape-rendering="crispEdges">${cells.join("")}</g>${points.join("")}</svg>`;
}

// A table for each layer, in which the shade of a number is its size.
function showWeights(layers) {
  tables.replaceChildren(
    ...layers.map((neurons, n) => {
      const inputs = neurons[0].slice(1).map((_, i) => `w${i + 1}`);
      const head = ["neuron", ...inputs, "bias"].map((name) => make("th", { scope: "col" }, name));
      const rows = neurons.map((numbers, k) =>
        make("tr", {}, make("th", { scope: "row" }, k + 1), ...numbers.map(makeCell)),
      );
      const caption = make("caption", {}, `Layer ${n + 1}`);
      return make("table", {}, caption, make("tr", {}, ...head), ...rows);
    }),
  );
}

function makeCell(number) {
  const share = Math.min(Math.abs(number) / 2, 1) * 40;
  const cell = make("td", { style: `--share: ${share.toFixed(0)}%` }, number.toFixed(2));
  cell.className = number > 0 ? "yes" : "no";
  return cell;
}
