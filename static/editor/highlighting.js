// Colours of the visible lines, and annotations collapsed to a mark until the caret enters them.
//
// The page's `highlight(line, state)` tokenizes one line. Its answer is one array of integers: the state of the next line, the number
// of tokens, from, to and class of each, then from and to of each collapsed value. States are cached per line; far below the
// known ones, a line counts as code instead of reading everything before it.
import { RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import { Decoration, ViewPlugin, WidgetType } from "@codemirror/view";

const MAX_LINES_READ_AHEAD = 2000;

export const setCollapsing = StateEffect.define();

/** Whether annotations are collapsed. */
export const collapsing = StateField.define({
  create: () => true,
  update: (value, transaction) => transaction.effects.reduce((value, effect) => (effect.is(setCollapsing) ? effect.value : value), value),
});

class Ellipsis extends WidgetType {
  constructor(label) {
    super();
    this.label = label;
  }

  eq(other) {
    return other.label === this.label;
  }

  toDOM(view) {
    const mark = document.createElement("span");
    mark.className = "cm-foldPlaceholder";
    mark.textContent = "{…}";
    mark.title = this.label;
    mark.setAttribute("role", "button");
    mark.setAttribute("aria-label", this.label);
    mark.onmousedown = (event) => event.preventDefault();
    mark.onclick = () => {
      view.dispatch({ selection: { anchor: view.posAtDOM(mark) + 1 } });
      view.focus();
    };
    return mark;
  }

  ignoreEvent() {
    return true;
  }
}

export const highlighting = (highlight, classes, label) => {
  const marks = classes.map((name) => Decoration.mark({ class: `tok-${name}` }));
  const collapsed = Decoration.replace({ widget: new Ellipsis(label) });
  return ViewPlugin.fromClass(class {
    constructor(view) {
      // The state before each line, from the first.
      this.states = [0];
      this.decorations = this.build(view);
    }

    update(update) {
      if (update.docChanged) {
        let first = Infinity;
        update.changes.iterChangedRanges((from) => {
          first = Math.min(first, update.startState.doc.lineAt(from).number);
        });
        this.states.length = Math.min(this.states.length, first);
      }
      const toggled = update.startState.field(collapsing) !== update.state.field(collapsing);
      if (update.docChanged || update.viewportChanged || update.selectionSet || toggled) this.decorations = this.build(update.view);
    }

    before(doc, number) {
      if (number - this.states.length > MAX_LINES_READ_AHEAD) return 0;
      for (let line = this.states.length; line < number; line += 1) {
        this.states[line] = highlight(doc.line(line).text, this.states[line - 1])[0];
      }
      return this.states[number - 1];
    }

    build(view) {
      const { doc, selection } = view.state;
      const hides = view.state.field(collapsing);
      const touched = (from, to) => selection.ranges.some((range) => range.from < to && range.to > from);
      const builder = new RangeSetBuilder();
      let done = 0;
      for (const { from, to } of view.visibleRanges) {
        let line = doc.lineAt(from);
        if (line.number <= done) {
          if (line.to >= to) continue;
          line = doc.line(done + 1);
        }
        for (let state = this.before(doc, line.number); ; line = doc.line(line.number + 1)) {
          const found = highlight(line.text, state);
          const count = found[1];
          const hidden = [];
          for (let at = 2 + 3 * count; at + 1 < found.length; at += 2) {
            const range = [line.from + found[at], line.from + found[at + 1]];
            if (hides && !touched(...range)) hidden.push(range);
          }
          let shownFrom = line.from;
          for (let at = 2; at < 2 + 3 * count; at += 3) {
            const [start, end] = [line.from + found[at], line.from + found[at + 1]];
            if (hidden.length && hidden[0][0] <= start) {
              builder.add(...hidden[0], collapsed);
              [, shownFrom] = hidden.shift();
            }
            if (start >= shownFrom) builder.add(start, end, marks[found[at + 2]]);
          }
          done = line.number;
          state = found[0];
          if (line.to >= to || line.number === doc.lines) break;
        }
      }
      return builder.finish();
    }
  }, { decorations: (plugin) => plugin.decorations });
};
