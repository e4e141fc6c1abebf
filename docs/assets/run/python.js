// The Python of the page: Pyodide and the book's package, fetched once from the
// page's own host, then started in a worker as often as it is stopped.

const site = new URL("../../", import.meta.url);
const made = new URL("made/", import.meta.url); // what the weave has put there
const TYPES = { js: "text/javascript", mjs: "text/javascript", wasm: "application/wasm" };

const kept = new Map(); // the files that were asked for, by address
let expected = 0; // their bytes, and those that have arrived
let arrived = 0;
let tell; // who wants to know which share that is, if anyone

const nameOf = (path) => path.replace(/[?].*/, "").replace(/.*[/]/, "");

function count(bytes) {
  arrived += bytes;
  tell?.(Math.min(arrived / expected, 1));
}

// Fetch a file. What has a sum in its address never changes, and is taken from the
// browser's store if it is there.
async function fetchBlob(path) {
  const name = nameOf(path);
  const cache = path.includes("?") ? "force-cache" : "default";
  try {
    const response = await fetch(new URL(path, made), { cache });
    if (!response.ok) throw new Error(`the answer was ${response.status}`);
    const reader = response.body.getReader();
    const parts = [];
    for (let part; !(part = await reader.read()).done; ) {
      parts.push(part.value);
      count(part.value.length);
    }
    return new Blob(parts, { type: TYPES[name.split(".").pop()] ?? "" });
  } catch (error) {
    kept.delete(path);
    const why = error instanceof TypeError ? "there was no answer" : error.message;
    throw new Error(`${name} could not be fetched: ${why}.`);
  }
}

// A file in memory, fetched the first time.
function keep({ path, size = 0 }) {
  if (!kept.has(path)) {
    expected += size;
    kept.set(path, fetchBlob(path));
  }
  return kept.get(path);
}

// The package as of this page, the folder it belongs in, and all that Python needs
// to start.
async function fetchAll() {
  const list = await keep({ path: "files.json" });
  const { pyodide, wheels } = JSON.parse(await list.text());
  const page = location.href.slice(site.href.length).replace(/[?#].*/, "");
  const chosen = wheels[page] ?? wheels[""];
  const parts = [...pyodide, { path: "../worker.js" }];
  const [wheel, ...blobs] = await Promise.all([chosen, ...parts].map(keep));
  const files = parts.map(({ path }, n) => [nameOf(path), blobs[n]]);
  return { wheel, folder: chosen.path.replace(/^wheels|[/][^/]*$/g, ""), files };
}

let worker; // one that is ready, if there is one
let stop; // ends what is under way
let queue = Promise.resolve();

export class Stopped extends Error {}

// Send a message to a worker; its answer. Text that comes before is passed on.
function ask(worker, message, write) {
  return new Promise((resolve, reject) => {
    stop = () => reject(new Stopped());
    worker.onerror = (event) => reject(new Error(event.message || "Python did not start."));
    worker.onmessage = ({ data }) => {
      if (data.text) write(data.text, data.isError);
      else if (data.broken) reject(new Error(data.broken));
      else resolve(data);
    };
    worker.postMessage(message);
  });
}

async function start(files) {
  const urls = Object.fromEntries(
    files.map(([name, blob]) => [name, URL.createObjectURL(blob)]),
  );
  worker = new Worker(urls["worker.js"], { type: "module" });
  await ask(worker, { urls, made: made.href });
  Object.values(urls).forEach((url) => URL.revokeObjectURL(url));
}

async function runNow(code, hear, part) {
  ({ tell } = hear);
  const stopped = new Promise((_, reject) => (stop = () => reject(new Stopped())));
  const coming = Promise.race([fetchAll(), stopped]);
  const { wheel, folder, files } = await coming.finally(() => (tell = undefined));
  try {
    if (!worker) {
      hear.start();
      await start(files);
    }
    hear.begin();
    return (await ask(worker, { code, wheel, folder, part }, hear.write)).done;
  } catch (error) {
    worker?.terminate();
    worker = undefined;
    throw error;
  }
}

// Run a program once those before it have ended: a promise of how it went, and
// a function that ends it. A program may come in parts, a "first" and a "next" one
// and so on, which have their names in common.
export function run(code, hear, part = "whole") {
  let cancel;
  let isRunning = false;
  const cancelled = new Promise((_, reject) => (cancel = () => reject(new Stopped())));
  const mine = Promise.race([queue, cancelled]).then(() => {
    isRunning = true;
    return runNow(code, hear, part);
  });
  queue = Promise.all([queue, mine.catch(() => {})]);
  return { turn: mine, end: () => (isRunning ? stop() : cancel()) };
}
