// Modules: parsed programs.

import { throwInvalid, preview } from './errors.js';
import { Literal, literalOf } from './literal.js';
import { checkOptions, unsupported } from './options.js';
import { call } from './runtime.js';
import { Shape } from './shape.js';

const handles = new WeakMap();

/** A parsed module, HLO or StableHLO. */
export class Module {
  /** The record of the module, read once. */
  #details = {};

  constructor(text, options) {
    if (typeof text !== 'string') throwInvalid('module-text', `a module is a string, not ${preview(text)}`);
    const { edition = 'current' } = checkOptions(options);
    this.text = text;
    this.edition = edition;
    handles.set(this, call((module) => new module.ParsedModule(text, edition)));
    Object.freeze(this);
  }

  /** Parses text; throws its first error. */
  static parse(text, options) {
    return new Module(text, options);
  }

  /** The module of the text, or the module itself. */
  static of(program, options) {
    return program instanceof Module ? program : new Module(program, { edition: options?.edition });
  }

  get #record() {
    return (this.#details.value ??= call(() => handleOf(this).record()));
  }

  /** Its name. */
  get name() {
    return this.#record.name;
  }

  /** `'hlo'` or `'stablehlo'`. */
  get dialect() {
    return this.#record.dialect;
  }

  /** The parameters of its entry computation. */
  get parameters() {
    return this.#record.parameters.map(({ name, shape }) => ({ name, shape: new Shape(shape) }));
  }

  /** The shape of its result. */
  get result() {
    return new Shape(this.#record.result);
  }

  /** The names of its computations. */
  get computations() {
    return this.#record.computations;
  }

  /** The instructions of its entry computation. */
  get instructions() {
    return this.#record.instructions;
  }

  /** Its warnings and notes. */
  get diagnostics() {
    return call(() => handleOf(this).diagnostics());
  }

  /** The targets of its custom calls. */
  get customCallTargets() {
    return call(() => handleOf(this).customCallTargets());
  }

  /** The module as XLA prints it. */
  toHlo({ layouts = true, annotations = false } = {}) {
    return call(() => handleOf(this).hlo(layouts === true, annotations === true));
  }

  /** The module as StableHLO; throws if StableHLO has no op for an instruction. */
  toStableHlo() {
    return call(() => handleOf(this).stableHlo());
  }

  /** The arguments of a call as literals. */
  argumentsOf(values, skipped = 0) {
    if (!Array.isArray(values)) throwInvalid('arguments', `arguments are a list, not ${preview(values)}`);
    if (values.every((value) => value instanceof Literal)) return values;
    const { parameters } = this;
    return values.map((value, i) => {
      // Replicas may have arguments of their own, one list after the other.
      const parameter = parameters[(i + skipped) % Math.max(parameters.length, 1)];
      if (parameter === undefined) throwInvalid('arguments', `the program has no parameters, ${values.length} arguments were given`);
      return literalOf(parameter.shape, value, `argument ${i + skipped}`);
    });
  }

  /** Frees its memory; the module cannot be used afterwards. Garbage collection does so, too. */
  free() {
    handles.get(this)?.free();
    handles.delete(this);
  }
}

/** The handle of a module in the memory of WebAssembly. */
export function handleOf(module) {
  return handles.get(module) ?? throwInvalid('freed', 'the module has been freed');
}

/** The errors, warnings and notes of the text; empty if there are none. */
export function check(text, options) {
  if (typeof text !== 'string') throwInvalid('module-text', `a module is a string, not ${preview(text)}`);
  const { edition = 'current' } = checkOptions(options);
  return call((module) => module.checkText(text, edition));
}

/** The text with the edits of a hint. */
export function applyHint(text, hint) {
  if (typeof text !== 'string' || !Array.isArray(hint?.edits)) throwInvalid('hint', 'a string and a hint are needed');
  let changed = '';
  let copied = 0;
  for (const { start, end, text: replacement } of hint.edits) {
    changed += text.slice(copied, start) + replacement;
    copied = end;
  }
  return changed + text.slice(copied);
}

/** The explanation of the token at an offset of HLO text; null if there is none. */
export function explain(program, offset) {
  const text = program instanceof Module ? program.text : program;
  if (program instanceof Module && program.dialect !== 'hlo') {
    throw unsupported('explain-dialect', 'only HLO text is explained: use toHlo()');
  }
  if (typeof text !== 'string') throwInvalid('module-text', `a module is a string, not ${preview(text)}`);
  if (!Number.isSafeInteger(offset) || offset < 0 || offset > text.length) {
    throwInvalid('offset', `an offset is an integer from 0 to ${text.length}, not ${preview(offset)}`);
  }
  return call((module) => module.explainText(text, offset));
}
