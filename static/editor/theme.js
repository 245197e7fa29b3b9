// Colours and sizes from the site's tokens, so that the editor follows the theme without a change of its own.
import { EditorView } from "@codemirror/view";

const tokens = {
  keyword: { color: "var(--d3)", fontWeight: "600" },
  type: { color: "var(--d2)" },
  layout: { color: "var(--ink-2)" },
  number: { color: "var(--d1)" },
  string: { color: "var(--good)" },
  comment: { color: "var(--ink-3)", fontStyle: "italic" },
  definition: { color: "var(--ink)", fontWeight: "600" },
  name: { color: "var(--ink)" },
  opcode: { color: "var(--accent)" },
  attribute: { color: "var(--d4)" },
  punctuation: { color: "var(--ink-2)" },
};

const box = {
  backgroundColor: "var(--ground)", color: "var(--ink)", border: "1px solid var(--line-strong)", borderRadius: "var(--radius)",
};

export const theme = EditorView.theme({
  "&": { height: "100%", fontSize: "13px", backgroundColor: "var(--ground)", color: "var(--ink)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "19px" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--ink-3)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--accent) 8%, transparent)" },
  ".cm-activeLineGutter": { color: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, ::selection": {
    backgroundColor: "color-mix(in srgb, var(--accent) 28%, transparent)",
  },
  ".cm-selectionMatch, .cm-searchMatch": { backgroundColor: "color-mix(in srgb, var(--d5) 30%, transparent)" },
  ".cm-tooltip": { ...box, boxShadow: "0 4px 16px rgba(0,0,0,.18)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "16em" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionDetail": { fontStyle: "normal", opacity: ".8" },
  ".cm-completionInfo": { maxWidth: "320px", fontFamily: "var(--sans)" },
  ".cm-panels": { backgroundColor: "var(--surface)", color: "var(--ink)" },
  ".cm-panel button, .cm-panel input, .cm-diagnosticAction": { ...box, backgroundImage: "none", font: "inherit", padding: "2px 8px" },
  ".cm-diagnostic": { fontFamily: "var(--sans)", padding: "6px 10px" },
  ".cm-diagnosticAction": { marginTop: "4px", marginLeft: "0", cursor: "pointer", display: "block" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--danger)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--d1)" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--danger) 1px", textUnderlineOffset: "3px" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--d1) 1px", textUnderlineOffset: "3px" },
  ".cm-foldPlaceholder": {
    backgroundColor: "var(--sunken)", color: "var(--ink-2)", border: "1px solid var(--line)", borderRadius: "3px", padding: "0 4px", cursor: "pointer",
  },
  ".cm-hover": { maxWidth: "min(440px, 90vw)", padding: "8px 12px", fontFamily: "var(--sans)", fontSize: "13px", lineHeight: "1.45", overflowWrap: "anywhere" },
  ".cm-hover h4": { margin: "0 0 4px", fontSize: "13px" },
  ".cm-hover p": { margin: "2px 0" },
  ".cm-hover button": { ...box, font: "inherit", marginTop: "6px", marginRight: "6px", minHeight: "28px", padding: "0 10px", cursor: "pointer" },
  ...Object.fromEntries(Object.entries(tokens).map(([name, style]) => [`.tok-${name}`, style])),
});
