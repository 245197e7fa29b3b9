// Workers: each performs one job at a time; one idle worker is kept.

import { cancelled, notify, toXlaError, XlaError } from './errors.js';
import { compiledModule, newWorker } from './runtime.js';

/** A worker and its pending job. */
export class WorkerHandle {
  #port = newWorker();
  #pending;
  #count = 0;

  constructor() {
    this.isAlive = true;
    this.#port.listen((message) => this.#receive(message), (error) => this.#fail(error));
    this.#port.post({ module: compiledModule() });
  }

  /** Performs a job. Aborting the signal terminates the worker. */
  perform(job, { signal, onProgress } = {}) {
    const id = (this.#count += 1);
    this.#port.hold();
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.isAlive = false;
        settle(reject, cancelled(signal.reason));
        this.terminate();
      };
      const settle = (resolveOrReject, value) => {
        signal?.removeEventListener('abort', abort);
        this.#pending = undefined;
        if (this.isAlive) this.#port.release();
        resolveOrReject(value);
      };
      this.#pending = { id, onProgress, resolve: (value) => settle(resolve, value), reject: (error) => settle(reject, error) };
      signal?.addEventListener('abort', abort, { once: true });
      try {
        this.#port.post({ ...job, id, wantsProgress: onProgress !== undefined });
      } catch (error) {
        settle(reject, toXlaError(error));
      }
    });
  }

  terminate() {
    this.isAlive = false;
    this.#port.terminate();
    this.#pending?.reject(cancelled());
  }

  #receive({ id, progress, value, errorRecord, crash }) {
    const job = this.#pending;
    if (job?.id !== id) return;
    if (progress !== undefined) return void notify(job.onProgress, progress);
    if (crash !== undefined) return this.#fail(crash);
    if (errorRecord !== undefined) return job.reject(toXlaError(errorRecord));
    job.resolve(value);
  }

  #fail(message) {
    this.isAlive = false;
    this.#port.terminate();
    this.#pending?.reject(new XlaError({ code: 'internal', rule: 'worker', message: `the worker failed: ${message}` }));
  }
}

let idle;

/** Performs a job in the idle worker, or in a new one. */
export async function performInWorker(job, hooks) {
  const worker = idle ?? new WorkerHandle();
  idle = undefined;
  try {
    return await worker.perform(job, hooks);
  } finally {
    if (worker.isAlive && idle === undefined) idle = worker;
    else if (worker.isAlive) worker.terminate();
  }
}

/** Terminates the idle worker. */
export function closeWorkers() {
  idle?.terminate();
  idle = undefined;
}
