// Entry for Node.js: the module is read from the file system, and a worker is a thread.

import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';

import { nodePort } from './ports.js';
import { setPlatform } from './runtime.js';

setPlatform({
  wasm: () => readFile(new URL('./xla_playground_bg.wasm', import.meta.url)),
  worker: () => nodePort(new Worker(new URL('./worker-node.js', import.meta.url))),
});

export * from './api.js';
