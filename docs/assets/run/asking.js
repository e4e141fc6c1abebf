// What the parts of the playground have in common: they ask Python for what they
// show, and say meanwhile how far it has come.

import { run } from "./python.js";

export function make(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// Where one part says how far it has come, and what to do if Python does not.
export function makePlace(again) {
  const progress = make("progress", { max: 1, "aria-label": "Fetching Python" });
  const status = make("p", { class: "runner-status", role: "status" });
  const say = (text) => (status.textContent = text);
  progress.hidden = true;
  return { parts: [progress, status], progress, say, again };
}

// What a program prints last, as JSON; an error if it, or Python, did not get there.
export async function compute(program, { progress, say, again }, part) {
  let printed = "";
  const hear = {
    tell(share) {
      progress.hidden = false;
      progress.value = share;
      say("Python comes from this site, once. It runs in your browser.");
    },
    start: () => say("Starts Python."),
    begin: () => (progress.hidden = true),
    write: (text) => (printed += text),
  };
  let well;
  try {
    ({ well } = await run(program, hear, part).turn);
  } catch (error) {
    progress.hidden = true;
    throw new Error(`${error.message || "Python was stopped."} ${again}`);
  }
  const last = printed.trim().split("\n").at(-1);
  if (!well) throw new Error(last);
  return JSON.parse(last);
}
