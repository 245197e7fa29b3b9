// Functions of custom calls.

import { throwInvalid, preview } from './errors.js';
import { Literal, literalOf } from './literal.js';
import { Shape } from './shape.js';

const functions = new Map();

/** Registers the function that `custom-call` instructions with this target call; returns a function that removes it. */
export function registerCustomCall(target, fn) {
  if (typeof target !== 'string' || target === '') throwInvalid('custom-call', `a target is a string, not ${preview(target)}`);
  if (typeof fn !== 'function') throwInvalid('custom-call', `a custom call needs a function, not ${preview(fn)}`);
  functions.set(target, fn);
  return () => {
    if (functions.get(target) === fn) functions.delete(target);
  };
}

/** The targets among these that have a function. */
export function registered(targets) {
  return targets.filter((target) => functions.has(target));
}

/** The registered functions of these targets for the module: they take records and resolve to a record or an error. */
export function callbacks(targets) {
  return registered(targets).map((target) => [target, (records, shape) => answer(functions.get(target), records, shape)]);
}

async function answer(fn, records, shapeText) {
  try {
    // The function runs when the module's call has returned, so that it may call the module.
    await undefined;
    const shape = new Shape(shapeText);
    const value = literalOf(shape, await fn(records.map(Literal.fromRecord), shape), 'the result');
    return { value: value.toRecord() };
  } catch (error) {
    return { error: String(error?.message ?? error) };
  }
}
