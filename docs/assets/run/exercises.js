// Which exercises are solved: kept in the reader's own browser, each by its name.

import { store } from "./store.js";

const KEY = "tanglegrad solved "; // and the name
const keys = () => store(Object.keys)?.filter((key) => key.startsWith(KEY)) ?? [];
const solved = new Set(); // of keys

const line = document.createElement("span");
const clear = document.createElement("button");
line.role = "status";
line.tabIndex = -1;
clear.textContent = "Clear my progress";

function tell(place, text) {
  const note = place.querySelector(".solved") ?? document.createElement("span");
  note.className = "solved";
  note.textContent = text;
  place.append(note);
}

function count(part) {
  const all = [...part.querySelectorAll("[data-exercise]")];
  const done = all.filter(({ dataset }) => solved.has(KEY + dataset.exercise));
  all.forEach((place) => tell(place, done.includes(place) ? " solved" : ""));
  return ` ${done.length} of ${all.length} solved`;
}

function update() {
  keys().forEach((key) => solved.add(key));
  line.textContent = count(document);
  clear.hidden = !solved.size;
  for (const part of document.querySelectorAll("li:has([data-exercise])")) {
    tell(part.querySelector("a"), count(part));
  }
}

function refresh() {
  solved.clear();
  update();
}

clear.onclick = () => {
  if (confirm("Forget which exercises are solved? Your programs stay as they are.")) {
    keys().forEach((key) => localStorage.removeItem(key));
    line.focus();
    refresh();
  }
};

// A program has ended. One in a solution of the book solves nothing.
addEventListener("ran", ({ target, detail }) => {
  if (target.closest("details")) return;
  for (const [, name] of detail.matchAll(/^(\w+): solved$/gm)) {
    solved.add(KEY + name);
    store((kept) => kept.setItem(KEY + name, ""));
  }
  update();
});

addEventListener("storage", refresh); // from another tab
addEventListener("pageshow", refresh); // to a page that was put aside
document$.subscribe(() => {
  document.querySelector(".solving")?.append(line, clear);
  update();
});
