// What a page shows, gathered in one go: see the fixture `visits`. What is out
// of view is drawn as if the reader had come near, and all is unfolded. Where the
// page was seen in another scheme before, only its colours are looked at again.
async (seenBefore) => {
  const all = (selector, top = document) => [...top.querySelectorAll(selector)];
  const sheet = new CSSStyleSheet();
  // A colour that is on its way from one scheme to the other is at once there.
  const still = "transition: none !important";
  sheet.replaceSync(`* { content-visibility: visible !important; ${still} }`);
  document.adoptedStyleSheets.push(sheet);
  all("details").forEach((box) => (box.open = true));
  await document.fonts.ready;
  const nextFrame = () => new Promise(requestAnimationFrame);
  await nextFrame();  // sizes are observed after this frame
  await nextFrame();

  const content = document.querySelector("article") ?? document.body;
  const short = (element) => element.outerHTML.slice(0, 120);

  // Boxes that reach past the right edge, unless something around them scrolls.
  const scrolls = (element) =>
    getComputedStyle(element).overflowX !== "visible" ||
    (element.parentElement && scrolls(element.parentElement));
  const width = document.documentElement.clientWidth;
  const pokesOut = (element) =>
    element.getBoundingClientRect().right > width + 1 && !scrolls(element);

  // Text that a reader reads as prose: no code, no TeX kept inside MathML.
  const prose = () => {
    const walker = document.createTreeWalker(content, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) {
      if (!walker.currentNode.parentElement.closest(
        "pre, code, annotation, script, style"))
        texts.push(walker.currentNode.data);
    }
    return texts.join(" ");
  };

  // The words that stand for a picture when it is not seen.
  const spoken = (picture) =>
    picture.getAttribute("alt") || picture.getAttribute("aria-label") ||
    picture.querySelector(":scope > title")?.textContent;
  const isDecoration = (picture) =>
    picture.closest("[aria-hidden=true], button, .md-button, .md-icon, .headerlink");

  // The signs of all text, and of what style sheets add to it, by the face that is
  // asked for them. MathML is heard and not seen.
  const written = () => {
    const signs = {};
    const add = ({ fontFamily, fontStyle, fontWeight }, text) => {
      const face = [fontFamily, fontStyle, fontWeight].join("|");
      signs[face] = new Set([...(signs[face] ?? []), ...text]);
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { data, parentElement } = walker.currentNode;
      if (!parentElement.closest(".katex-mathml, script, style"))
        add(getComputedStyle(parentElement), data);
    }
    for (const element of all("body :not(.katex *, pre span)")) {
      for (const side of ["::before", "::after"]) {
        const style = getComputedStyle(element, side);
        if (style.content.startsWith('"')) add(style, style.content.split('" /')[0]);
      }
    }
    const texts = Object.entries(signs).map(([face, some]) => [face, [...some].join("")]);
    return Object.fromEntries(texts);
  };

  // What axe-core finds wrong, if it is here. Its styles are those of the page:
  // nothing has to be loaded for it.
  const runOnly = seenBefore ? ["color-contrast", "link-in-text-block"] : undefined;
  const violations = async () =>
    (await axe.run(document, { resultTypes: ["violations"], preload: false, runOnly }))
      .violations.flatMap(({ id, help, nodes }) =>
        nodes.map(({ html }) => `${id} (${help}): ${html.slice(0, 160)}`));

  const found = {
    scheme: document.body.dataset.mdColorScheme,
    headings: all("h1").map((heading) => heading.textContent.trim()),
    ids: all("[id]").map((element) => element.id),
    overflow: document.documentElement.scrollWidth - width,
    pokingOut: all("*", content).filter(pokesOut).map(short),
    silentPictures: all("img, svg", content)
      .filter((picture) => !isDecoration(picture) && !spoken(picture)?.trim())
      .map(short),
    written: seenBefore ? {} : written(),
    formulas: all(".katex", content).length,
    rawFormulas: [
      ...(prose().match(/\\\(|\\\)|\\\[|\\\]|\$\$/g) ?? []),
      ...all(".katex-error", content).map(short),
      ...all(".arithmatex", content)
        .filter((formula) => !formula.querySelector(".katex")).map(short),
    ],
  };
  // Last, since it takes the code apart. Most of a page are the words of its code,
  // and the colour of one follows from its kind: axe-core looks at the first of each.
  const kinds = new Set();
  for (const word of all("pre span[class]:not(:has(*))")) {
    const kind = `${word.closest(".highlight")?.className} ${word.className}`;
    if (kinds.has(kind)) word.replaceWith(word.textContent);
    kinds.add(kind);
  }
  document.body.normalize();
  found.violations = window.axe ? await violations() : [];
  return found;
}
