// Runs examples, one after the other, in a worker of its own, so that the page
// stays quick and an endless loop can be stopped. It is given files that the page
// has fetched already, and asks the network for nothing.

const LIMIT = 200_000; // letters that one run may print
const PAUSE = 50; // milliseconds between two messages while it prints

const HARNESS = `
import ast, linecache, sys, traceback
from io import StringIO, TextIOBase
from say import say

FILE = "example.py"

class Paper(TextIOBase):
    """What is printed goes to the page."""
    def write(self, text):
        say(text, self is sys.stderr)
        return len(text)

sys.stdin, sys.stdout, sys.stderr = StringIO(), Paper(), Paper()
sys.path.insert(0, "")

# When Python frees a value, it frees what the value was made from, and so on. How
# deep it may go it cannot measure in a browser, and some thousand values end it.
# So each hands over what it was made from, and the first lets go of it in a loop.
held = []
letting_go = False

def let_go(value):
    global letting_go
    try:
        held.append((value._x, value._y, value._many))
    except AttributeError:  # it was never finished
        return
    value._x = value._y = value._many = None
    if not letting_go:
        letting_go = True
        while held:
            held.pop()
        letting_go = False

def load(folder):
    """Let the package in a folder be imported, as if for the first time."""
    for name in [n for n in sys.modules if n.split(".")[0] == "tanglegrad"]:
        del sys.modules[name]
    sys.path[0] = folder
    try:
        from tanglegrad.engine import Value
    except ImportError:  # in the first chapters it is not there yet
        return
    Value.__del__ = let_go

def show(error):
    """Print an error as Python does, without the lines of this harness."""
    trace = error.__traceback__
    while trace and trace.tb_frame.f_code.co_filename != FILE:
        trace = trace.tb_next
    traceback.print_exception(error.with_traceback(trace))

kept = {}  # the names of the program that comes in parts

def run(code, folder, part):
    """Run a program, or a part of one: whether it went well, and its picture.

    The names are fresh, except in the next parts: these have those of the first.
    """
    global kept
    if part != "next":
        load(folder)
    names = kept if part == "next" else {"__name__": "__main__"}
    if part == "first":
        kept = names
    linecache.cache[FILE] = len(code), None, code.splitlines(True), FILE
    try:
        tree, last = ast.parse(code, FILE), None
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = ast.Expression(tree.body.pop().value)
        exec(compile(tree, FILE, "exec"), names)
        value = eval(compile(last, FILE, "eval"), names) if last else None
        return True, value._repr_svg_() if hasattr(value, "_repr_svg_") else ""
    except BaseException as error:
        show(error)
        return False, ""
`;

let text = ""; // what has been printed and not yet been posted
let isError = false;
let printed = 0;
let posted = 0;

function post() {
  if (text) postMessage({ text, isError });
  text = "";
  posted = performance.now();
}

function say(more, toError) {
  if (printed > LIMIT) return;
  if (toError !== isError) post();
  isError = toError;
  printed += more.length;
  text += printed > LIMIT ? "\n(It prints more than a page can show.)\n" : more;
  if (performance.now() - posted > PAUSE) post();
}

let pyodide;
let run;

async function start(urls, made) {
  const { fetch } = self;
  // Pyodide asks for this one by its name, and reads it while it arrives.
  self.fetch = (url, ...rest) =>
    fetch(String(url).endsWith(".wasm") ? urls["pyodide.asm.wasm"] : url, ...rest);
  const { loadPyodide } = await import(urls["pyodide.mjs"]);
  pyodide = await loadPyodide({
    indexURL: made,
    createPyodideModule: (await import(urls["pyodide.asm.mjs"])).default,
    lockFileURL: urls["pyodide-lock.json"],
    stdLibURL: urls["python_stdlib.zip"],
  });
  pyodide.registerJsModule("say", { say });
  const names = pyodide.toPy({});
  pyodide.runPython(HARNESS, { globals: names });
  run = names.get("run");
  // From here on what runs asks no host for anything; other hosts cannot be asked at
  // all, by the policy of the page.
  for (const name of ["fetch", "XMLHttpRequest", "WebSocket", "EventSource"]) {
    self[name] = undefined;
  }
}

// Unpack a wheel into a folder, where the next runs will find it, too.
async function unpack(wheel, folder) {
  if (pyodide.FS.analyzePath(`${folder}/tanglegrad`).exists) return;
  pyodide.unpackArchive(await wheel.arrayBuffer(), "wheel", { extractDir: folder });
}

self.onmessage = async ({ data: { urls, made, ...program } }) => {
  try {
    if (urls) {
      await start(urls, made);
      return postMessage({ ready: true });
    }
    const { code, wheel, folder, part } = program;
    await unpack(wheel, folder);
    printed = 0;
    const began = performance.now();
    const result = run(code, folder, part);
    const [well, picture] = result.toJs();
    result.destroy();
    post();
    postMessage({ done: { well, picture, took: performance.now() - began } });
  } catch (error) {
    post();
    const deep = error instanceof RangeError;
    const broken = deep ? "Python went deeper than a browser can." : String(error);
    postMessage({ broken });
  }
};
