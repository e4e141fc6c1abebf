// Gives each example its buttons. What runs it, and the editor, are fetched when
// one of them is pressed; without this script the page shows the examples and
// what they print.
{
  // What the Python of the page lacks, by the line that asks for it.
  const LACKS = [
    [/^ *(import|from) weave\b/m, "the tools of this book"],
    [/^ *(import|from) numpy\b|"columns"/m, "NumPy"],
    [/^ *(import|from) torch\b|(to|from)_torch\b/m, "PyTorch"],
    [/target="c"/, "a C compiler"],
    [/setprofile/, "Python's own calls alone"],
    [/compile\(.*_000\b/, "more depth than a browser has"],
    [/^ *(import|from) (threading|subprocess|multiprocessing)\b/m, "an operating system"],
  ];

  let tries = 0;

  // What the browser keeps for this site, if it lets a page look.
  function keys() {
    try {
      return Object.keys(localStorage);
    } catch {
      return [];
    }
  }

  async function act(example, what) {
    const { paper, status } = example;
    paper.ariaBusy = true;
    try {
      const { press } = await import(`./run/example.js${tries ? `?${tries}` : ""}`);
      await press(example, what);
    } catch {
      tries += 1;
      status.textContent = "The script that runs examples did not come. Press again to retry.";
    }
    paper.ariaBusy = false;
  }

  function make(name, className, ...children) {
    const made = document.createElement(name);
    made.className = className;
    made.append(...children);
    return made;
  }

  function addBar(block, n) {
    const code = block.querySelector("code").textContent;
    let output = block.nextElementSibling;
    if (!output?.classList.contains("output")) {
      output = make("div", "highlight output");
      output.append(make("pre", "", make("code", "")));
      block.after(output);
    }
    const status = make("span", "runner-status");
    status.role = "status";
    const bar = make("div", "runner");
    bar.role = "group";
    bar.ariaLabel = `Example ${n + 1}`;
    const paper = output.querySelector("pre");
    const example = { n, code, block, output, paper, bar, status };
    const lacks = LACKS.filter(([line]) => line.test(code)).map(([, what]) => what);
    if (lacks.length) {
      status.textContent = `Needs ${lacks.join(" and ")}: run it on your own machine.`;
    } else {
      for (const what of ["Run", "Edit"]) {
        const button = make("button", "", what);
        button.onclick = () => act(example, what);
        bar.append(button);
      }
    }
    bar.append(status);
    output.prepend(bar);
    return example;
  }

  document$.subscribe(() => {
    const blocks = document.querySelectorAll("article .language-python.highlight");
    const examples = [...blocks]
      .filter((block) => !block.closest(".fragment, .program, .drawing, .doc"))
      .map(addBar);
    if (document.querySelector("#figure-playground")) import("./run/playground.js");
    if (document.querySelector(".solving")) import("./run/exercises.js");
    const kept = `run ${location.pathname} `;
    const restore = () => examples.forEach((example) => act(example, "Restore"));
    const brings = () => location.hash.startsWith("#run=");
    if (brings() || keys().some((key) => key.startsWith(kept))) restore();
    window.onhashchange = () => brings() && restore();
  });
}
