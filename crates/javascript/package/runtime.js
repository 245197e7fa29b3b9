// The WebAssembly module: loaded once, with its calls guarded.

import * as bindings from './bindings.js';
import { XlaError, toXlaError } from './errors.js';

let platform;
let loading;
let compiled;
let crash;

/** Sets the functions that return the module and create workers. Each entry point calls it once. */
export function setPlatform(functions) {
  platform = functions;
}

/** Compiles a module, its bytes, a response, or the content of an address. */
async function compile(source) {
  const input = await source;
  if (input instanceof WebAssembly.Module) return input;
  if (ArrayBuffer.isView(input) || input instanceof ArrayBuffer) return WebAssembly.compile(input);
  const response = typeof Response === 'function' && input instanceof Response ? input : await fetch(input);
  if (!response.ok) throw new Error(`${response.url || input}: ${response.status} ${response.statusText}`);
  return WebAssembly.compile(await response.arrayBuffer());
}

/**
 * Loads the module, once. A failed load may be tried again.
 */
export function init(options = {}) {
  loading ??= (async () => {
    const module = await compile(options?.wasm ?? platform.wasm());
    await bindings.default({ module_or_path: module });
    compiled = module;
  })().catch((cause) => {
    loading = undefined;
    const message = `the WebAssembly module could not be loaded: ${cause?.message ?? cause}`;
    const hints = [{ message: 'Pass its address or its bytes: init({ wasm }).', edits: [] }];
    throw new XlaError({ code: 'unavailable', rule: 'load', message, hints }, { cause });
  });
  return loading;
}

/** The compiled module, for a worker. */
export function compiledModule() {
  return compiled;
}

/** A new worker, as a port. */
export function newWorker() {
  try {
    return platform.worker();
  } catch (cause) {
    const message = `a worker could not be started: ${cause?.message ?? cause}`;
    throw new XlaError({ code: 'unavailable', rule: 'worker', message }, { cause });
  }
}

function checkReady() {
  if (crash) {
    const message = 'the WebAssembly module crashed in an earlier call';
    const hints = [{ message: 'Load the page again, or run programs with worker: true.', edits: [] }];
    throw new XlaError({ code: 'internal', rule: 'crashed', message, hints }, { cause: crash });
  }
  if (!compiled) {
    const message = 'the WebAssembly module is not loaded yet';
    const hints = [{ message: 'Call `await init()` first.', edits: [] }];
    throw new XlaError({ code: 'unavailable', rule: 'init', message, hints });
  }
}

/** Remembers an error of the module itself: later calls are rejected. */
function remember(error) {
  // After a trap, the memory of the instance may be inconsistent.
  if (error.code === 'internal') crash = error;
  return error;
}

/** Calls the module. */
export function call(work) {
  checkReady();
  try {
    return work(bindings);
  } catch (thrown) {
    throw remember(toXlaError(thrown));
  }
}

/** Calls the module, and awaits the result. */
export async function callAsync(work) {
  checkReady();
  try {
    return await work(bindings);
  } catch (thrown) {
    throw remember(toXlaError(thrown));
  }
}
