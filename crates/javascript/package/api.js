// The public interface; index.d.ts describes it.

import { throwInvalid, preview } from './errors.js';
import { Literal } from './literal.js';
import { checkOptions } from './options.js';
import { call } from './runtime.js';
import { Shape } from './shape.js';

export { registerCustomCall } from './calls.js';
export { XlaError } from './errors.js';
export { Literal } from './literal.js';
export { applyHint, check, explain, Module } from './module.js';
export { evaluate, Program, program, provenance } from './run.js';
export { init } from './runtime.js';
export { describeLayout, Layout, Shape } from './shape.js';
export { version } from './version.js';
export { closeWorkers } from './workers.js';

/** The ops of an edition. */
export function ops(options) {
  const { edition = 'current' } = checkOptions(options);
  return call((module) => module.opRecords(edition));
}

/** A picture of an array as the text of an SVG file: its grid above its memory. */
export function svg(shape, options = {}) {
  const { theme = 'light', values = 'letters', colour = 'slot' } = options ?? {};
  if (theme !== 'light' && theme !== 'dark') throwInvalid('options', `theme is "light" or "dark", not ${preview(theme)}`);
  if (colour !== 'slot' && colour !== 'value') throwInvalid('options', `colour is "slot" or "value", not ${preview(colour)}`);
  const isLiteral = values instanceof Literal;
  if (!isLiteral && values !== 'letters' && values !== 'iota') {
    throwInvalid('options', `values is "letters", "iota" or a literal, not ${preview(values)}`);
  }
  const { text, elementType, dimensions } = Shape.of(shape);
  if (isLiteral && (values.shape.elementType !== elementType || String(values.shape.dimensions) !== String(dimensions))) {
    throwInvalid('options', `the values are ${values.shape.text}, which is not ${text}`);
  }
  // The text of a literal follows its shape.
  const literal = isLiteral ? String(values).slice(values.shape.text.length + 1) : values;
  return call((module) => module.svgOfShape(text, literal, theme === 'dark', colour === 'value'));
}
