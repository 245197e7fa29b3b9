// The editor of the Program screen: CodeMirror with language features that the page provides. Loaded on demand, by this screen only.
//
// It knows no HLO. The page tokenizes lines (synchronously, by the same code as everything else) and answers everything that needs the
// program asynchronously, from its worker. Positions are { line, column }, both from 0; columns count UTF-16 units. The
// editor lives in a shadow root, where CodeMirror uses constructable stylesheets, which the page's CSP allows.
import { autocompletion, closeCompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { codeFolding, foldAll, foldEffect, foldGutter, foldKeymap, foldService, unfoldAll } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { search, searchKeymap } from "@codemirror/search";
import { Annotation, EditorSelection, EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, hoverTooltip, keymap, lineNumbers, showTooltip,
} from "@codemirror/view";
import { collapsing, highlighting, setCollapsing } from "./highlighting.js";
import { theme } from "./theme.js";

/** Marks changes made by the page, which the editor does not report back. */
const byPage = Annotation.define();

const toOffset = (doc, { line, column }) => {
  const found = doc.line(Math.min(Math.max(line, 0) + 1, doc.lines));
  return Math.min(found.from + column, found.to);
};

const toPosition = (doc, offset) => {
  const line = doc.lineAt(offset);
  return { line: line.number - 1, column: offset - line.from };
};

const setFolds = StateEffect.define();
/** The folding ranges: from and to, sorted. */
const folds = StateField.define({
  create: () => [],
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setFolds)) return effect.value;
    if (!transaction.docChanged) return value;
    const mapped = value.map(([from, to]) => [transaction.changes.mapPos(from, 1), transaction.changes.mapPos(to, -1)]);
    return mapped.filter(([from, to]) => from < to);
  },
});

/** The folding range that begins on a line. */
const foldingRangeOnLine = (state, start, end) => {
  const all = state.field(folds);
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (all[middle][0] < start) low = middle + 1;
    else high = middle;
  }
  const fold = all[low];
  return fold && fold[0] <= end && fold[1] > end ? { from: fold[0], to: fold[1] } : null;
};

const setPinned = StateEffect.define();
/** The hover tooltip at the caret, requested by keyboard. */
const pinned = StateField.define({
  create: () => null,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setPinned)) return effect.value;
    return transaction.docChanged || transaction.selection ? null : value;
  },
  provide: (field) => showTooltip.from(field),
});

/**
 * Creates an editor in an element.
 *
 * Options: `text`, `label`, `phrases` (CodeMirror's and ours by their English text), `classes` (names of token classes),
 * `highlight(line, state)`, and the callbacks `change()`, `move(position)`, `followLink(id, index)`, `hover(position)`, `completion(position)`,
 * `definition(position)`, `rename(position)`, `format(position)`; those from `hover` on return promises.
 */
export function create(parent, options) {
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: "open" });
  const host = document.createElement("div");
  host.style.height = "100%";
  root.replaceChildren(host);

  const hoverElement = (answer) => {
    const element = document.createElement("div");
    element.className = "cm-hover";
    element.setAttribute("role", "tooltip");
    const title = document.createElement("h4");
    title.textContent = answer.title;
    element.append(title);
    for (const sentence of answer.sentences) {
      const paragraph = document.createElement("p");
      paragraph.textContent = sentence;
      element.append(paragraph);
    }
    answer.links.forEach((label, index) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = label;
      button.onclick = () => {
        const position = options.followLink(answer.id, index);
        if (position) moveCaretTo(position, position);
      };
      element.append(button);
    });
    return { dom: element };
  };

  const hoverAt = async (view, offset) => {
    const { doc } = view.state;
    const answer = await options.hover(toPosition(doc, offset));
    if (!answer || view.state.doc !== doc) return null;
    const [pos, end] = [toOffset(doc, answer.from), toOffset(doc, answer.to)];
    return { pos, end, above: true, create: () => hoverElement(answer) };
  };

  // The document that the page took last, the one that it has read, and what waits for another one to be read.
  let [taken, read, waiting] = [null, null, []];

  const setRead = (doc) => {
    read = doc;
    const ready = waiting.filter((each) => each.doc.eq(doc));
    waiting = waiting.filter((each) => !ready.includes(each));
    ready.forEach((each) => each.resume());
  };

  /** Waits until the page has read a document: before that, its answers are about another text. What was typed and taken back is read. */
  const whenRead = (doc) => (read?.eq(doc) ? null : new Promise((resume) => waiting.push({ doc, resume })));

  const candidates = async (context) => {
    const { doc } = context.state;
    const before = context.matchBefore(/[\w.%-]*/);
    const previous = doc.sliceString(context.pos - 1, context.pos);
    if (!context.explicit && before.from === before.to && !"(,= {".includes(previous)) return null;
    context.addEventListener("abort", () => {
      waiting = waiting.filter((each) => each.doc !== doc);
    }, { onDocChange: true });
    await whenRead(doc);
    const answer = await options.completion(toPosition(doc, context.pos));
    if (!answer || context.aborted) return null;
    const completions = answer.candidates.map(({ text, replacement, kind, detail, description }, index) => ({
      label: text, apply: replacement, type: kind, detail, info: description || undefined, boost: -index / 4,
    }));
    return { from: toOffset(doc, answer.from), to: toOffset(doc, answer.to), options: completions, filter: false };
  };

  const goTo = (view, offset) => {
    options.definition(toPosition(view.state.doc, offset)).then((position) => {
      if (position) moveCaretTo(position, position);
    });
    return true;
  };

  const changes = (doc, edits) => edits.map(({ from, to, text }) => ({ from: toOffset(doc, from), to: toOffset(doc, to), insert: text }));

  /** Applies the edits of an answer, unless the text has changed meanwhile; an answer may be the reason why there are none. */
  const edit = (view, ask) => {
    const { doc } = view.state;
    ask(toPosition(doc, view.state.selection.main.head)).then((answer) => {
      if (Array.isArray(answer) && view.state.doc === doc) view.dispatch({ changes: changes(doc, answer), userEvent: "input" });
      if (typeof answer !== "string") return;
      const reason = { pos: view.state.selection.main.head, above: true, create: () => hoverElement({ title: answer, sentences: [], links: [] }) };
      view.dispatch({ effects: [EditorView.announce.of(answer), setPinned.of(reason)] });
    });
    return true;
  };

  const commands = keymap.of([
    { key: "F12", run: (view) => goTo(view, view.state.selection.main.head) },
    { key: "F2", run: (view) => edit(view, options.rename) },
    { key: "Shift-Alt-f", run: (view) => edit(view, options.format) },
    {
      key: "Mod-i",
      run(view) {
        hoverAt(view, view.state.selection.main.head).then((tooltip) => view.dispatch({ effects: setPinned.of(tooltip) }));
        return true;
      },
    },
    {
      key: "Escape",
      run(view) {
        if (!view.state.field(pinned)) return false;
        view.dispatch({ effects: setPinned.of(null) });
        return true;
      },
    },
  ]);

  // Tab is left unbound so that it moves focus out of the editor.
  const extensions = [
    lintGutter(), lineNumbers(), folds, foldService.of(foldingRangeOnLine), codeFolding(), foldGutter(), history(), drawSelection(), highlightSpecialChars(),
    highlightActiveLine(), highlightActiveLineGutter(), collapsing, search({ top: true }),
    autocompletion({ override: [candidates], icons: false, defaultKeymap: false }), hoverTooltip(hoverAt, { hideOnChange: true }), pinned, commands,
    keymap.of([...completionKeymap, ...lintKeymap, ...foldKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap]),
    EditorState.phrases.of(options.phrases), theme,
    highlighting(options.highlight, options.classes, options.phrases["Show annotation"] ?? "Show annotation"),
    EditorView.contentAttributes.of({
      "aria-label": options.label, tabindex: "0", autocapitalize: "off", autocorrect: "off", spellcheck: "false",
    }),
    EditorView.updateListener.of((update) => {
      const isByPage = update.transactions.some((transaction) => transaction.annotation(byPage));
      if (update.docChanged && !isByPage) options.change();
      // While the text is typed, what is at the caret is asked for once it is read.
      if (update.selectionSet && !update.docChanged && !isByPage) options.move(toPosition(update.state.doc, update.state.selection.main.head));
    }),
    EditorView.domEventHandlers({
      mousedown(event, view) {
        if (!(event.ctrlKey || event.metaKey) || event.button) return false;
        const offset = view.posAtCoords({ x: event.clientX, y: event.clientY });
        return offset !== null && goTo(view, offset);
      },
    }),
  ];
  const view = new EditorView({ root, parent: host, state: EditorState.create({ doc: options.text, extensions }) });

  /** Moves the caret to `from` and scrolls the range into view. */
  function moveCaretTo(from, to) {
    const { doc } = view.state;
    const [anchor, head] = [toOffset(doc, from), toOffset(doc, to)];
    const center = EditorView.scrollIntoView(EditorSelection.range(anchor, head), { y: "center" });
    view.dispatch({ selection: { anchor, head: anchor }, effects: center, annotations: byPage.of(true) });
  }

  taken = view.state.doc;

  return {
    getText() {
      taken = view.state.doc;
      return taken.toString();
    },
    /** Replaces the part that differs, so that caret, folds and history stay. What was typed since the page took the text stays, too. */
    setText(text) {
      if (taken.toString() === text) return;
      const old = view.state.doc.toString();
      let start = 0;
      const shorter = Math.min(old.length, text.length);
      while (start < shorter && old.charCodeAt(start) === text.charCodeAt(start)) start += 1;
      let end = 0;
      while (end < shorter - start && old.charCodeAt(old.length - 1 - end) === text.charCodeAt(text.length - 1 - end)) end += 1;
      view.dispatch({
        changes: { from: start, to: old.length - end, insert: text.slice(start, text.length - end) }, annotations: byPage.of(true),
      });
      taken = view.state.doc;
    },
    /** Shows diagnostics: { from, to, severity, message, fixes: [{ label, edits: [{ from, to, text }] }] }. */
    setDiagnostics(list) {
      const { doc } = view.state;
      setRead(taken);
      const shown = list.map(({ from, to, severity, message, fixes }) => ({
        from: toOffset(doc, from), to: Math.max(toOffset(doc, to), toOffset(doc, from)), severity, message,
        actions: fixes.map(({ label, edits }) => ({
          name: label,
          apply(view) {
            if (view.state.doc === doc) view.dispatch({ changes: changes(doc, edits), userEvent: "input.fix" });
          },
        })),
      }));
      view.dispatch(setDiagnostics(view.state, shown.sort((a, b) => a.from - b.from)));
    },
    /** Sets the folding ranges; those with `isFolded` are folded now. */
    setFolds(list) {
      const { doc } = view.state;
      const ranges = list.map(({ from, to, isFolded }) => [toOffset(doc, from), toOffset(doc, to), isFolded]);
      const valid = ranges.filter(([from, to]) => from < to).sort((a, b) => a[0] - b[0]);
      const folded = valid.filter(([, , isFolded]) => isFolded).map(([from, to]) => foldEffect.of({ from, to }));
      view.dispatch({ effects: [setFolds.of(valid), ...folded] });
    },
    select: moveCaretTo,
    /** The position of the caret while the user is in the editor. */
    caret: () => (view.hasFocus ? toPosition(view.state.doc, view.state.selection.main.head) : null),
    /** Moves the caret to the start of a range, unless it is in the range, or the user is in the editor. */
    reveal(from, to) {
      if (view.hasFocus) return;
      const { doc, selection } = view.state;
      const { head } = selection.main;
      if (head < toOffset(doc, from) || head > toOffset(doc, to)) moveCaretTo(from, from);
    },
    /** Folds all parts or none. */
    fold: (isFolded) => (isFolded ? foldAll : unfoldAll)(view),
    /** Collapses annotations or shows them. */
    collapse: (isCollapsed) => view.dispatch({ effects: setCollapsing.of(isCollapsed) }),
    focus: () => view.focus(),
    destroy() {
      closeCompletion(view);
      view.destroy();
      root.replaceChildren();
    },
  };
}
