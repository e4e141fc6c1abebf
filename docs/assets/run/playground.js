// The playground: an expression, a slider for each name in it, and the graph, which
// is computed anew, by the engine of the book, with each move. Python is fetched
// when something is touched for the first time.

import { compute, make, makePlace } from "./asking.js";
import "./training.js";

const sheet = document.createElement("link");
sheet.rel = "stylesheet";
sheet.href = new URL("playground.css", import.meta.url);
document.head.append(sheet);

const figure = document.querySelector("#figure-playground");
const graph = figure.querySelector(".graph");

// The picture is drawn in colours of its own; those of the page are named in the
// picture that came with it.
const colours = [...graph.innerHTML.matchAll(/var\((--[\w-]+), (#\w+)\)/g)];
const palette = new Map(colours.map(([named, , colour]) => [colour, named]));

const PAUSE = 400; // milliseconds after a key, before an expression is tried

const values = new Map(
  Object.entries({ x1: 2, w1: -3, x2: 0, w2: 1, b: 6.88 }), // as in the program
);

const expression = make("input", {
  id: "expression",
  spellcheck: "false",
  autocapitalize: "off",
  autocomplete: "off",
  value: "(x1 * w1 + x2 * w2 + b).tanh()",
});
const label = make("label", { for: "expression" }, "An expression");
const leaves = make("div", { class: "leaves" });
const place = makePlace("Touch something to try again.");
figure.before(
  make("div", { class: "playground" }, label, expression, leaves, ...place.parts),
);

// Names that are neither called nor looked up in something.
function names() {
  const found = expression.value.match(/(?<![\w.])[A-Za-z_]\w*\b(?!\s*\()/g) ?? [];
  return [...new Set(found)];
}

function showLeaves() {
  const rows = names().map((name) => {
    if (!values.has(name)) values.set(name, 1);
    const number = make("output", {}, values.get(name).toFixed(2));
    const slope = make("output", { class: "slope" });
    const slider = make("input", {
      type: "range",
      min: -10,
      max: 10,
      step: 0.02,
      "aria-label": name,
    });
    slider.value = values.get(name);
    slider.oninput = () => {
      values.set(name, Number(slider.value));
      number.textContent = values.get(name).toFixed(2);
      computeAll();
    };
    return make("div", { "data-name": name }, make("code", {}, name), slider, number, slope);
  });
  leaves.replaceChildren(...rows);
}

const program = () => `
import json
from dataclasses import asdict

from tanglegrad import *
from tanglegrad import Value
from tanglegrad.draw import draw, steps

leaves = {
${names().map((name) => `"${name}": Value(${values.get(name)}, label="${name}"),`).join("\n")}
}
root = eval(${JSON.stringify(expression.value)}, globals() | leaves)
if not isinstance(root, Value):
    raise TypeError(f"the expression is {root!r}, and not a Value")
root.backward()
picture = draw(root)
print(json.dumps({
    "svg": picture.svg,
    "grads": {name: leaf.grad for name, leaf in leaves.items()},
    "walk": [asdict(step) for step in steps(root)],
}))
`;

let isBusy = false;
let isWanted = false;

async function computeAll() {
  isWanted = true;
  if (isBusy) return;
  isBusy = true;
  figure.ariaBusy = true;
  while (isWanted) {
    isWanted = false;
    try {
      show(await compute(program(), place));
      place.say("");
    } catch (error) {
      place.say(error.message);
    }
  }
  isBusy = false;
  figure.ariaBusy = false;
}

function show({ svg, grads, walk }) {
  for (const [colour, named] of palette) svg = svg.replaceAll(colour, named);
  graph.innerHTML = svg;
  graph.dataset.walks = JSON.stringify({ "both passes": walk });
  figure.querySelectorAll(".stepper, .step").forEach((old) => old.remove());
  makeStepper(graph);
  for (const row of leaves.children) {
    const grad = grads[row.dataset.name];
    row.querySelector(".slope").textContent = `slope ${grad.toFixed(4)}`;
  }
}

let timer;
expression.oninput = () => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    showLeaves();
    computeAll();
  }, PAUSE);
};
showLeaves();
