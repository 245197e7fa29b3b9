// Errors, all of one class.

/** An error with its kind, rule, position and fixes. */
export class XlaError extends Error {
  constructor(record, options) {
    super(String(record.message), options);
    this.name = 'XlaError';
    this.code = record.code;
    this.op = record.op ?? null;
    this.rule = record.rule ?? null;
    this.span = record.span ?? null;
    this.hints = record.hints ?? [];
  }
}

/** Throws an error of a call, before anything has run. */
export function throwInvalid(rule, message, hint) {
  const hints = hint === undefined ? [] : [{ message: hint, edits: [] }];
  throw new XlaError({ code: 'argument', rule, message, hints });
}

/** Whether a thrown value is an error record of the module. */
function isErrorRecord(thrown) {
  return typeof thrown === 'object' && thrown !== null && !(thrown instanceof Error) && 'code' in thrown && 'hints' in thrown;
}

/** The error for a value that the module has thrown. */
export function toXlaError(thrown) {
  if (thrown instanceof XlaError) return thrown;
  if (isErrorRecord(thrown)) return new XlaError(thrown);
  const message = `the WebAssembly module failed: ${thrown?.message ?? thrown}`;
  return new XlaError({ code: 'internal', rule: 'internal', message }, { cause: thrown });
}

/** The error of a cancelled run. */
export function cancelled(reason) {
  return new XlaError({ code: 'cancelled', rule: 'cancelled', message: 'the run was cancelled' }, { cause: reason });
}

/** A value as text for a message, truncated. */
export function preview(value) {
  let text;
  try {
    text = typeof value === 'string' ? JSON.stringify(value) : typeof value === 'bigint' ? `${value}n` : String(value);
  } catch {
    // The value's own toString may throw.
    text = typeof value;
  }
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** Calls a callback of the user. An exception that it throws is reported as uncaught, and does not end the run. */
export function notify(callback, value) {
  try {
    callback(value);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
