// What the page needs to be read by keyboard and by ear; it is complete
// without this script.

// A box that scrolls can be reached by Tab, so that arrow keys scroll it.
function makeScrollable(box) {
  if (box.scrollWidth > box.clientWidth) {
    box.tabIndex = 0;
  } else {
    box.removeAttribute("tabindex");
  }
}

document$.subscribe(() => {
  const boxes = document.querySelectorAll(
    ".md-typeset pre > code, .md-typeset__scrollwrap, .drawn, div.arithmatex, .graph",
  );
  const drawn = new Set(); // a box out of view has no size yet
  const sizes = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      drawn.add(target);
      makeScrollable(target);
    }
  });
  boxes.forEach((box) => sizes.observe(box));
  document.fonts.addEventListener("loadingdone", () => drawn.forEach(makeScrollable));
  // Who goes by Tab is to meet those as well that have not been in view.
  const atFirstTab = ({ key }) => {
    if (key === "Tab") {
      boxes.forEach(makeScrollable);
      document.removeEventListener("keydown", atFirstTab);
    }
  };
  document.addEventListener("keydown", atFirstTab);

  // Material puts a toolbar on a block of code once the block is in view; each
  // gets a name of its own.
  const blocks = [...document.querySelectorAll("article pre")];
  const nameToolbars = () => {
    const unnamed = document.querySelectorAll(".md-code__nav:not([aria-label])");
    for (const toolbar of unnamed) {
      const number = blocks.indexOf(toolbar.closest("pre")) + 1;
      toolbar.setAttribute("aria-label", `Code block ${number}`);
    }
  };
  nameToolbars();
  new MutationObserver(nameToolbars).observe(document.querySelector("article"), {
    childList: true,
    subtree: true,
  });
});
