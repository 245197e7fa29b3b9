// Entry of the single file: the build embeds the module and the text of the worker.

import wasm from './xla_playground_bg.wasm';
import source from './worker.inlined.txt';

import { browserPort, nodePort } from './ports.js';
import { setPlatform } from './runtime.js';

function blobWorker() {
  const address = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  try {
    return browserPort(new Worker(address));
  } finally {
    // The worker has begun to read the blob.
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }
}

function worker() {
  if (typeof Worker === 'function') return blobWorker();
  const threads = globalThis.process?.getBuiltinModule?.('node:worker_threads');
  if (!threads) throw new Error('this environment has no workers: use worker: false');
  return nodePort(new threads.Worker(source, { eval: true }));
}

setPlatform({ wasm: () => wasm, worker });

export * from './api.js';
