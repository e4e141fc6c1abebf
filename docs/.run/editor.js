// The editor of the examples: CodeMirror with Python's colours and no more.

import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";

// The colours are those of the page's listings.
const colours = HighlightStyle.define(
  [
    [tags.comment, "comment"],
    [[tags.keyword, tags.operatorKeyword], "keyword"],
    [[tags.string, tags.special(tags.string)], "string"],
    [[tags.number, tags.bool, tags.null], "number"],
    [tags.operator, "operator"],
    [[tags.function(tags.definition(tags.variableName)), tags.className], "function"],
    [tags.punctuation, "punctuation"],
  ].map(([tag, name]) => ({ tag, color: `var(--md-code-hl-${name}-color)` })),
);

// Escape, then Tab, leaves the editor: so CodeMirror's own keys have it.
export function makeEditor({ code, name, hint, run, changed }) {
  const view = new EditorView({
    state: EditorState.create({
      doc: code,
      extensions: [
        keymap.of([
          { key: "Mod-Enter", run: () => (run(), true) },
          indentWithTab,
          ...defaultKeymap,
          ...historyKeymap,
        ]),
        history(),
        drawSelection(),
        indentOnInput(),
        indentUnit.of("    "),
        bracketMatching(),
        python(),
        syntaxHighlighting(colours),
        EditorView.contentAttributes.of({
          "aria-label": name,
          "aria-description": hint,
          tabindex: "0",
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) changed(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    dom: view.dom,
    focus: () => view.focus(),
    text: () => view.state.doc.toString(),
    replace: (text) =>
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
  };
}
