// Errors, all of one class.

/** An error with its kind, rule, position and fixes. */
export class XlaError extends Error {
  constructor(fault, options) {
    super(String(fault.message), options);
    this.name = 'XlaError';
    this.code = fault.code;
    this.op = fault.op ?? null;
    this.rule = fault.rule ?? null;
    this.span = fault.span ?? null;
    this.hints = fault.hints ?? [];
  }
}

/** Throws an error of a call, before anything has run. */
export function refuse(rule, message, hint) {
  const hints = hint === undefined ? [] : [{ message: hint, edits: [] }];
  throw new XlaError({ code: 'argument', rule, message, hints });
}

/** Whether a thrown value is a fault of the module: a record with these fields. */
function isFault(thrown) {
  return typeof thrown === 'object' && thrown !== null && !(thrown instanceof Error) && 'code' in thrown && 'hints' in thrown;
}

/** The error for a thrown value of the module. */
export function wrapped(thrown) {
  if (thrown instanceof XlaError) return thrown;
  if (isFault(thrown)) return new XlaError(thrown);
  const message = `the WebAssembly module failed: ${thrown?.message ?? thrown}`;
  return new XlaError({ code: 'internal', rule: 'internal', message }, { cause: thrown });
}

/** The error of a cancelled run. */
export function cancelled(reason) {
  return new XlaError({ code: 'cancelled', rule: 'cancelled', message: 'the run was cancelled' }, { cause: reason });
}

/** A text for a message: a value as it is, cut to a length that can be read. */
export function shown(value) {
  let text;
  try {
    text = typeof value === 'string' ? JSON.stringify(value) : typeof value === 'bigint' ? `${value}n` : String(value);
  } catch {
    // A text of the value may be a function of the value's own.
    text = typeof value;
  }
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** Calls a callback of the caller; an error of it is reported as uncaught, and does not end the run. */
export function notify(callback, value) {
  try {
    callback(value);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
