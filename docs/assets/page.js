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

// Material puts a toolbar on each code block once the block is in view; each
// gets a name of its own.
function nameToolbars() {
  document.querySelectorAll(".md-code__nav").forEach((nav, i) => {
    nav.setAttribute("aria-label", `Code block ${i + 1}`);
  });
}

document$.subscribe(() => {
  const boxes = document.querySelectorAll(
    ".md-typeset pre > code, .md-typeset__scrollwrap, div.arithmatex",
  );
  const sizes = new ResizeObserver((entries) =>
    entries.forEach((entry) => makeScrollable(entry.target)),
  );
  boxes.forEach((box) => sizes.observe(box));

  const article = document.querySelector("article");
  new MutationObserver(nameToolbars).observe(article, {
    childList: true,
    subtree: true,
  });
  nameToolbars();
});
