// Runs of programs, on this thread or in a worker.

import { callbacks, registered } from './calls.js';
import { cancelled, notify, throwInvalid, preview, XlaError } from './errors.js';
import { pauseFor, perform, prepare } from './engine.js';
import { Literal } from './literal.js';
import { handleOf, Module } from './module.js';
import { moduleOptions, checkOptions, unsupported } from './options.js';
import { call, callAsync, init } from './runtime.js';
import { indexOf } from './shape.js';
import { performInWorker, WorkerHandle } from './workers.js';

const reporter = (onProgress) => onProgress && ((progress) => notify(onProgress, progress));

/** Performs a job on this thread or in a worker. */
async function performJob(module, job, { worker = false, signal, onProgress }) {
  const targets = registered(module.customCallTargets);
  if (worker) {
    if (targets.length > 0) {
      throw unsupported('custom-call-worker', `the function of ${targets[0]} is of this thread, which a worker cannot call: use worker: false`);
    }
    return performInWorker({ ...job, text: module.text, edition: module.edition }, { signal, onProgress });
  }
  const hooks = { onProgress: reporter(onProgress), pause: signal && pauseFor(signal), calls: callbacks(targets) };
  try {
    return await callAsync((bindings) => perform(bindings, handleOf(module), job, hooks));
  } catch (error) {
    throw error.code === 'cancelled' ? cancelled(signal?.reason) : error;
  }
}

/** Runs a program once; resolves to its result. */
export async function evaluate(program, args = [], options) {
  await init();
  const checked = checkOptions(options);
  const module = Module.of(program, checked);
  const job = { kind: 'evaluate', arguments: module.argumentsOf(args).map((literal) => literal.toRecord()), options: moduleOptions(checked) };
  const { value, outfeed } = await performJob(module, job, checked);
  const items = outfeed.map(Literal.fromRecord);
  items.forEach((item) => checked.onOutfeed && notify(checked.onOutfeed, item));
  return Array.isArray(value) ? value.map(Literal.fromRecord) : Literal.fromRecord(value);
}

/** Runs a program and returns the source cells of a cell. */
export async function provenance(program, args = [], options) {
  await init();
  const more = { instruction: 'name', index: 'index', path: 'index', maxCells: 'integer' };
  const { instruction, index = [], path = [], maxCells = 16_384, ...checked } = checkOptions(options, more);
  if (checked.replicas !== undefined) throw unsupported('provenance-replicas', 'cells are traced on one device: omit replicas');
  const module = Module.of(program, checked);
  const numbers = (list) => Array.from(indexOf(list), Number);
  if (numbers(path).some((number) => number < 0)) throwInvalid('index', `a path has integers from 0, not ${preview(path)}`);
  const query = { instruction: instruction ?? null, index: numbers(index), path: numbers(path), maxCells };
  const job = { kind: 'provenance', arguments: module.argumentsOf(args).map((literal) => literal.toRecord()), query, options: moduleOptions(checked) };
  return performJob(module, job, checked);
}

/** A program for repeated runs. */
export class Program {
  #module;
  #constants;
  #options;
  #worker;
  #prepared;
  #queue = Promise.resolve();

  constructor(module, constants, options) {
    this.#module = module;
    this.#constants = constants;
    this.#options = options;
    this.fallbackReason = null;
  }

  /** Compiles a program; see `program`. */
  static async prepare(module, constants, options) {
    const program = new Program(module, constants, options);
    await program.#start();
    return program;
  }

  async #start() {
    const job = { kind: 'prepare', constants: this.#constants.map((literal) => literal.toRecord()), options: moduleOptions(this.#options) };
    if (this.#options.worker) {
      this.#worker = new WorkerHandle();
      this.fallbackReason = await this.#worker.perform({ ...job, text: this.#module.text, edition: this.#module.edition });
    } else {
      this.#prepared = call((bindings) => prepare(bindings, handleOf(this.#module), job));
      this.fallbackReason = this.#prepared.fallbackReason ?? null;
    }
  }

  /** Runs the program on the arguments after the constants. Calls are performed one after another. */
  run(args = [], options) {
    const result = this.#queue.then(() => this.#run(args, options));
    this.#queue = result.catch(() => {});
    return result;
  }

  async #run(args, options) {
    const { signal, onProgress } = checkOptions(options);
    if (!this.#worker && !this.#prepared) throwInvalid('closed', 'the program has been closed');
    const literals = this.#module.argumentsOf(args, this.#constants.length);
    const job = { kind: 'run', arguments: literals.map((literal) => literal.toRecord()), options: moduleOptions(this.#options) };
    if (!this.#worker) {
      return Literal.fromRecord(call(() => this.#prepared.run(job.arguments, { ...job.options, onProgress: reporter(onProgress) })));
    }
    // Cancelling a run has terminated the worker.
    if (!this.#worker.isAlive) await this.#start();
    return Literal.fromRecord(await this.#worker.perform(job, { signal, onProgress }));
  }

  /** Frees the memory or terminates the worker. */
  close() {
    this.#prepared?.free();
    this.#worker?.terminate();
    this.#prepared = undefined;
    this.#worker = undefined;
  }
}

/** Compiles a program for repeated runs, whose first arguments are the same in each. */
export async function program(source, options) {
  await init();
  const { constants = [], ...checked } = checkOptions(options, { constants: 'constants' });
  for (const name of ['replicas', 'infeed', 'onOutfeed', 'signal', 'onProgress']) {
    if (checked[name] !== undefined) throwInvalid('options', `program has no option ${name}`, 'Pass it to evaluate, or signal and onProgress to run.');
  }
  const module = Module.of(source, checked);
  const [target] = registered(module.customCallTargets);
  if (target !== undefined) throw unsupported('custom-call-program', `a program for repeated runs cannot call ${target}: use evaluate`);
  if (constants.length > module.parameters.length) {
    throw new XlaError({ code: 'argument', rule: 'arguments', message: `the program has ${module.parameters.length} parameters, ${constants.length} constants were given` });
  }
  return Program.prepare(module, module.argumentsOf(constants), checked);
}
