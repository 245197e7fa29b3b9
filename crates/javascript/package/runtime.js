// The WebAssembly module: loaded once, with its calls guarded.

import * as bindings from './bindings.js';
import { XlaError, wrapped } from './errors.js';

let platform;
let loading;
let compiled;
let crash;

/** Sets how the module and workers are found; each entry does so once. */
export function setPlatform(found) {
  platform = found;
}

async function compile(source) {
  const found = await source;
  if (found instanceof WebAssembly.Module) return found;
  if (ArrayBuffer.isView(found) || found instanceof ArrayBuffer) return WebAssembly.compile(found);
  const response = typeof Response === 'function' && found instanceof Response ? found : await fetch(found);
  if (!response.ok) throw new Error(`${response.url || found}: ${response.status} ${response.statusText}`);
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

function note(error) {
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
    throw note(wrapped(thrown));
  }
}

/** Calls the module, and waits for the result. */
export async function callAsync(work) {
  checkReady();
  try {
    return await work(bindings);
  } catch (thrown) {
    throw note(wrapped(thrown));
  }
}
