// The options of runs, checked once.

import { throwInvalid, preview, XlaError, cancelled } from './errors.js';
import { Literal } from './literal.js';

const KNOWN = {
  worker: 'boolean', signal: 'signal', onProgress: 'function', onOutfeed: 'function', edition: 'edition', seed: 'integer',
  replicas: 'integer', maxSteps: 'integer', maxBytes: 'integer', infeed: 'literals',
};

const CHECKS = {
  boolean: (value) => typeof value === 'boolean',
  function: (value) => typeof value === 'function',
  integer: (value) => Number.isSafeInteger(value) && value >= 0,
  edition: (value) => value === '2017' || value === 'current',
  signal: (value) => typeof value === 'object' && typeof value?.addEventListener === 'function' && typeof value.aborted === 'boolean',
  literals: (value) => Array.isArray(value) && value.every((item) => item instanceof Literal),
  constants: (value) => Array.isArray(value),
  name: (value) => typeof value === 'string',
  index: (value) => Array.isArray(value) || ArrayBuffer.isView(value),
};

const WORDS = {
  boolean: 'true or false', function: 'a function', integer: 'an integer from 0', edition: '"current" or "2017"',
  signal: 'an AbortSignal', literals: 'a list of literals', constants: 'a list', name: 'a string', index: 'a list of integers',
};

/** Whether a value is of a kind. A value whose properties throw is not. */
function isOfKind(kind, value) {
  try {
    return CHECKS[kind](value);
  } catch {
    return false;
  }
}

/** Checks the options of a call and returns those that are set. `more` has further names, with their kinds. */
export function checkOptions(options, more = {}) {
  if (options === undefined || options === null) return {};
  if (typeof options !== 'object') throwInvalid('options', `options are an object, not ${preview(options)}`);
  const known = new Map(Object.entries({ ...KNOWN, ...more }));
  const checked = {};
  for (const [name, value] of Object.entries(options)) {
    const kind = known.get(name);
    if (kind === undefined) throwInvalid('options', `there is no option ${preview(name)}`, `There are ${[...known.keys()].join(', ')}.`);
    if (value === undefined) continue;
    if (!isOfKind(kind, value)) throwInvalid('options', `${name} is ${WORDS[kind]}, not ${preview(value)}`);
    checked[name] = value;
  }
  if (checked.replicas === 0 || checked.replicas > 1024) throwInvalid('options', `replicas is 1 to 1024, not ${checked.replicas}`);
  if (checked.signal?.aborted) throw cancelled(checked.signal.reason);
  return checked;
}

/** The options that the module reads, in a form that can be cloned for a worker. */
export function moduleOptions({ seed, replicas, maxSteps, maxBytes, infeed }) {
  return { seed, replicas, maxSteps, maxBytes, infeed: infeed?.map((item) => item.toRecord()) ?? [] };
}

/** The error of a feature that is not supported in this mode. */
export function unsupported(rule, message) {
  return new XlaError({ code: 'unsupported', rule, message });
}
