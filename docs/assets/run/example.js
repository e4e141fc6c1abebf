// One example of the page while the reader works with it: its code, which can be
// edited and is kept in the reader's own browser; its output; and what the
// buttons below it do.

import { run, Stopped } from "./python.js";
import { store } from "./store.js";

const sheet = document.createElement("link");
sheet.rel = "stylesheet";
sheet.href = new URL("run.css", import.meta.url);
const dressed = new Promise((resolve) => (sheet.onload = sheet.onerror = resolve));
document.head.append(sheet);

let editing; // the editor's module, once it is asked for
let tries = 0;

const HINT = "Ctrl+Enter runs it; Escape, then Tab, leaves the editor.";

// The end of an address that carries code: which example, of which lines, and
// the code, packed.
const LINK = /^#run=(\d+)\.(\w+)\.([\w-]+)$/;

// A short name for a program: what is kept belongs to these very lines.
function nameOf(code) {
  let hash = 5381;
  for (const letter of code) hash = (hash * 33 + letter.codePointAt(0)) % 2 ** 32;
  return hash.toString(36);
}

// Text as the end of an address, and back: packed, in the letters of base 64.
async function through(stream, data) {
  const piped = new Blob([data]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}
async function pack(text) {
  const bytes = await through(new CompressionStream("deflate-raw"), text);
  const letters = btoa(String.fromCharCode(...bytes));
  return letters.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
async function unpack(letters) {
  const base = atob(letters.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(base, (letter) => letter.charCodeAt(0));
  const text = await through(new DecompressionStream("deflate-raw"), bytes);
  return new TextDecoder().decode(text);
}

class Example {
  constructor({ code, ...place }) {
    Object.assign(this, place);
    this.original = code.trimEnd();
    this.name = nameOf(this.original);
    this.key = `run ${location.pathname} ${this.name}`;
    this.text = this.paper.querySelector("code");
    this.shown = this.text.textContent; // what the page says it prints
    [this.runButton, this.editButton] = this.bar.querySelectorAll("button");
    this.stopButton = this.addButton("Stop", () => this.end());
    this.runButton.after(this.stopButton);
    this.linkButton = this.addButton("Link", () => this.link());
    this.resetButton = this.addButton("Reset", () => this.reset());
    this.progress = document.createElement("progress");
    this.progress.ariaLabel = "Fetching Python";
    this.progress.max = 1;
    this.status.before(this.progress);
    this.show("rests");
  }

  addButton(name, act) {
    const button = document.createElement("button");
    button.textContent = name;
    button.onclick = act;
    this.status.before(button);
    return button;
  }

  get code() {
    return this.editor?.text() ?? this.original;
  }

  // What can be pressed: while it rests, waits, is fetched or runs.
  show(state) {
    const rests = state === "rests";
    const hadFocus = this.bar.contains(document.activeElement);
    this.runButton.hidden = !rests;
    this.stopButton.hidden = rests;
    this.editButton.hidden = Boolean(this.editor);
    this.linkButton.hidden = !this.editor;
    this.resetButton.hidden = !rests || !(this.editor || this.changed);
    this.progress.hidden = state !== "fetches";
    if (hadFocus && document.activeElement === document.body) {
      (rests ? this.runButton : this.stopButton).focus();
    }
  }

  say(text) {
    this.status.textContent = text;
  }

  // --- Running --------------------------------------------------------------

  async run() {
    if (this.end) return;
    const { turn, end } = run(this.code, {
      tell: (share) => this.fetches(share),
      start: () => this.starts(),
      begin: () => this.begins(),
      write: (text, isError) => this.write(text, isError),
    });
    this.end = end;
    this.show("waits");
    this.say("Waits for Python.");
    try {
      this.ends(await turn);
    } catch (error) {
      if (error instanceof Stopped) this.say("Stopped.");
      else this.fails(error);
    }
    this.end = undefined;
    this.paper.style.minHeight = "";
    this.show("rests");
  }

  fetches(share) {
    if (this.progress.hidden) {
      this.show("fetches");
      this.say("Python comes from this site, once. It runs in your browser; your code is sent nowhere.");
    }
    this.progress.value = share;
  }

  starts() {
    this.show("starts");
    this.say("Starts Python.");
  }

  begins() {
    this.show("runs");
    this.say("Running.");
    this.changed = true;
    this.paper.style.minHeight = `${this.paper.offsetHeight}px`; // nothing jumps
    this.clear("");
  }

  clear(text) {
    this.text.textContent = text;
    if (this.picture) {
      URL.revokeObjectURL(this.picture.src);
      this.picture.remove();
      this.picture = undefined;
    }
  }

  write(text, isError) {
    const piece = document.createElement("span");
    piece.className = isError ? "error" : "";
    piece.textContent = text;
    this.text.append(piece);
  }

  ends({ well, picture, took }) {
    const time = `${(took / 1000).toFixed(took < 995 ? 2 : 1)} s`;
    const same = this.text.textContent.trimEnd() === this.shown.trimEnd();
    if (picture) this.draw(picture);
    if (!well) this.say(`It ended with an error after ${time}.`);
    else if (same) this.say(`Run here in ${time}: as printed.`);
    else this.say(`Run here in ${time}.`);
    const detail = this.text.textContent;
    this.block.dispatchEvent(new CustomEvent("ran", { bubbles: true, detail }));
  }

  // A picture is shown as an image: so nothing in it can act on the page.
  draw(svg) {
    const root = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
    this.picture = new Image();
    this.picture.alt = root.getAttribute("aria-label") ?? "The value of the last line, drawn";
    this.picture.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
    this.output.append(this.picture);
  }

  fails(error) {
    this.say(`${error.message} Press Run to try again.`);
  }

  // --- Editing --------------------------------------------------------------

  async edit(code) {
    try {
      editing ??= import(`./made/editor.js${tries ? `?${tries}` : ""}`);
      const { makeEditor } = await editing;
      await dressed;
      if (this.editor) this.editor.replace(code);
      else this.open(makeEditor, code);
    } catch {
      editing = undefined;
      tries += 1; // a browser may remember that an address failed
      this.say("editor.js could not be fetched. Press Edit to try again.");
    }
  }

  open(makeEditor, code) {
    const pre = this.block.querySelector("pre");
    this.editor = makeEditor({
      code,
      name: `${this.bar.ariaLabel}, Python`,
      hint: HINT,
      run: () => this.run(),
      changed: (text) => this.keep(text),
    });
    pre.hidden = true;
    pre.after(this.editor.dom);
    this.show(this.end ? "waits" : "rests");
    this.say(HINT);
  }

  keep(text) {
    store((kept) => {
      if (text === this.original) kept.removeItem(this.key);
      else kept.setItem(this.key, text);
    });
  }

  async link() {
    const end = `#run=${this.n}.${this.name}.${await pack(this.code)}`;
    history.replaceState(null, "", end);
    try {
      await navigator.clipboard.writeText(location.href);
      this.say("A link to this code is copied, and stands in the address bar.");
    } catch {
      this.say("A link to this code stands in the address bar.");
    }
  }

  reset() {
    store((kept) => kept.removeItem(this.key));
    this.editor?.dom.remove();
    this.editor = undefined;
    this.block.querySelector("pre").hidden = false;
    this.clear(this.shown);
    this.changed = false;
    this.say("As it was.");
    this.show("rests");
    this.runButton.focus();
  }

  // What a link brings, or else what the reader left here.
  async restore() {
    const [, n, name, letters] = location.hash.match(LINK) ?? [];
    if (Number(n) === this.n) {
      await this.bring(name, letters);
    } else {
      const kept = store((texts) => texts.getItem(this.key)) ?? null;
      if (kept !== null) await this.edit(kept);
    }
  }

  async bring(name, letters) {
    this.block.scrollIntoView({ block: "center" });
    try {
      await this.edit(await unpack(letters));
      if (name !== this.name) this.say("The book has changed since this link was made.");
    } catch {
      this.say("The link is damaged: its code cannot be read.");
    }
  }
}

const examples = new Map();

// Do what was pressed.
export async function press(place, what) {
  if (!examples.has(place)) examples.set(place, new Example(place));
  const example = examples.get(place);
  if (what === "Run") await example.run();
  else if (what === "Restore") await example.restore();
  else {
    await example.edit(example.code);
    example.editor?.focus();
  }
}
