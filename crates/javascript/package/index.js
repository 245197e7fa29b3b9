// Entry for browsers and bundlers: the module and the worker are files beside this one.

import { setPlatform } from './runtime.js';
import { browserPort } from './ports.js';

setPlatform({
  wasm: () => new URL('./xla_playground_bg.wasm', import.meta.url),
  worker: () => browserPort(new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })),
});

export * from './api.js';
