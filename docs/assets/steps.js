// Lets the reader walk through a graph, one step at a time. The steps were
// recorded when the page was made; without this script the picture shows the
// end.

const PAUSE = 1400; // milliseconds between two steps while playing

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

function makeStepper(graph) {
  const walks = JSON.parse(graph.dataset.walks);
  const boxes = [...graph.querySelectorAll("[data-value]")];
  const arrows = [...graph.querySelectorAll("[data-edge]")];
  const numbers = boxes.map((box) => [...box.querySelectorAll("text")].slice(-2));
  const data = numbers.map(([number]) => number.textContent);

  const back = element("button", { type: "button" }, "Previous");
  const next = element("button", { type: "button" }, "Next");
  const play = element("button", { type: "button" }, "Play");
  const place = element("input", { type: "range", min: 0, "aria-label": "Step" });
  const choice = element("select", { "aria-label": "Order of the walk" });
  const sentence = element("p", { class: "step", "aria-live": "polite" });
  for (const name of Object.keys(walks)) {
    choice.append(element("option", {}, name));
  }

  let timer;
  const steps = () => walks[choice.value];
  const last = () => steps().length - 1;

  function stop() {
    clearInterval(timer);
    timer = undefined;
    play.textContent = "Play";
  }

  function show() {
    const at = Number(place.value);
    const { value, known, says, grads } = steps()[at];
    boxes.forEach((box, n) => {
      box.classList.toggle("at", n === value);
      numbers[n][0].textContent = n < known ? data[n] : "";
      numbers[n][1].textContent = n < known ? grads[n] : "";
    });
    arrows.forEach((arrow) => {
      arrow.classList.toggle("at", arrow.dataset.edge.endsWith(`-${value}`));
    });
    sentence.textContent = `${at + 1} of ${last() + 1}: ${says}`;
    back.disabled = at === 0;
    next.disabled = at === last();
  }

  // Scrolls the picture, if it is wider than the page, to the box of the step.
  function reveal() {
    const [seen, box] = [graph, boxes[steps()[place.value].value]].map((part) =>
      part.getBoundingClientRect(),
    );
    if (box.left >= seen.left && box.right <= seen.right) return;
    graph.scrollLeft += (box.left + box.right - seen.left - seen.right) / 2;
  }

  function goTo(at) {
    place.value = at;
    show();
    reveal();
  }

  back.addEventListener("click", () => (stop(), goTo(Number(place.value) - 1)));
  next.addEventListener("click", () => (stop(), goTo(Number(place.value) + 1)));
  place.addEventListener("input", () => (stop(), show(), reveal()));
  choice.addEventListener("change", () => {
    stop();
    place.max = last();
    goTo(last());
  });
  play.addEventListener("click", () => {
    if (timer) return stop();
    if (Number(place.value) === last()) goTo(0);
    play.textContent = "Pause";
    timer = setInterval(() => {
      goTo(Number(place.value) + 1);
      if (Number(place.value) === last()) stop();
    }, PAUSE);
  });

  const controls = element(
    "div",
    { class: "stepper", role: "group", "aria-label": "Walk through the graph" },
    back,
    next,
    play,
    place,
  );
  if (Object.keys(walks).length > 1) controls.append(choice);
  graph.after(controls, sentence);
  place.max = last();
  place.value = last();
  show();
}

document$.subscribe(() => {
  document.querySelectorAll(".graph[data-walks]").forEach(makeStepper);
});
