// The MODULE kernels for a benchmark page: init(), run(op, params, inputs), prepare(op, params, inputs), program(hloText, weights).
import { openProgram } from './program.mjs';
import { isFasterChannelsMinor, tasks, withChannelsMinor } from './tasks.mjs';

let wasm;

export async function init() {
  if (wasm) return;
  const bytes = await (await fetch(new URL('./MODULE.wasm', import.meta.url))).arrayBuffer();
  const { instance } = await WebAssembly.instantiate(bytes, { env: { tick: () => 1 } });
  wasm = instance.exports;
}

/// Copies cells into a buffer of a task.
function write(handle, buffer, cells) {
  new Float32Array(wasm.memory.buffer, wasm.buffer(handle, buffer), cells.length).set(cells);
}

/// Prepares a task and copies its operands in; returns its handle, the buffer of the result, and the operand of each buffer.
function prepareTask(op, { words, read, written }, inputs) {
  const message = [...words, ...read.map((data, i) => (data ? data.length : inputs[i].length)), written];
  const address = wasm.words(message.length);
  new Int32Array(wasm.memory.buffer, address, message.length).set(message);
  const handle = wasm.prepare(words.length);
  if (handle < 0) throw new Error(`${op}: ${['', 'invalid task', 'no kernel', 'out of memory'][-handle]}`);
  read.forEach((data, i) => write(handle, i, data || inputs[i]));
  return { handle, out: read.length, length: written, read };
}

/// Prepares the tasks of an op. Each but the first reads the result of the previous one.
function prepareTasks(op, params, inputs, channelsMinor = false) {
  let data = inputs.map((input, i) => (channelsMinor && i === 0 ? withChannelsMinor(input.data, input.dims) : input.data));
  return tasks(op, params, inputs.map((input) => input.dims), channelsMinor).map((task) => {
    const step = prepareTask(op, task, data);
    data = [new Float32Array(step.length)];
    return { ...step, shape: task.shape };
  });
}

function runSteps(op, steps) {
  let previous;
  for (const step of steps) {
    if (previous && wasm.exchange(previous.handle, previous.out, step.handle, 0)) throw new Error(`${op}: buffers not exchanged`);
    const code = wasm.run(step.handle);
    if (code) throw new Error(`${op}: failed (${code})`);
    previous = step;
  }
}

function result(steps) {
  const { handle, out, length } = steps.at(-1);
  return new Float32Array(wasm.memory.buffer, wasm.buffer(handle, out), length).slice();
}

function name({ handle }) {
  return new TextDecoder().decode(new Uint8Array(wasm.memory.buffer, wasm.kernel_name(handle), wasm.kernel_name_length(handle)).slice());
}

const dispose = (steps) => steps.forEach(({ handle }) => wasm.dispose(handle));

/// The weights of convolutions are constant, as is the right operand of a dot if the case says so.
const hasConstant = (op, params) => op === 'conv' || (op === 'dot' && params.rhs === 'const');

/// The prepared tasks of recent ops by op, parameters and shapes, the most recent last; and the cells in their buffers.
const recent = new Map();
let recentCells = 0;
const MAX_RECENT_CELLS = 1 << 26;

function forget([key, { steps, cells }]) {
  recent.delete(key);
  recentCells -= cells;
  dispose(steps);
}

/// Runs an op. Its tasks are kept for the next run with the same shapes, with the constant operand, which is packed once: a
/// caller that changes the numbers in a constant array must pass another array.
export function run(op, params, inputs) {
  const key = JSON.stringify([op, params, inputs.map(({ dims }) => dims)]);
  const constant = hasConstant(op, params) ? inputs[1].data : undefined;
  let entry = recent.get(key);
  if (entry && entry.constant === constant) {
    const [{ handle, read }] = entry.steps;
    inputs.forEach(({ data }, i) => data !== constant && !read[i] && write(handle, i, data));
    recent.delete(key);
    recent.set(key, entry);
  } else {
    if (entry) forget([key, entry]);
    const steps = prepareTasks(op, params, inputs);
    if (constant) wasm.hold(steps[0].handle, 1);
    const cells = steps.reduce((sum, { length }) => sum + length, inputs.reduce((sum, { data }) => sum + data.length, 0));
    entry = { steps, constant, cells };
    recent.set(key, entry);
    recentCells += cells;
    while (recentCells > MAX_RECENT_CELLS && recent.size > 1) forget(recent.entries().next().value);
  }
  runSteps(op, entry.steps);
  return result(entry.steps);
}

/// Copies operands into the module's memory, in the layout that is fastest. The weights of convolutions are constant, as is the
/// right operand of a dot if the case says so: they are packed once.
export function prepare(op, params, inputs) {
  const channelsMinor = isFasterChannelsMinor(op, params), steps = prepareTasks(op, params, inputs, channelsMinor);
  if (hasConstant(op, params)) wasm.hold(steps[0].handle, 1);
  const rowMajorResult = () => (channelsMinor ? withChannelsMinor(result(steps), steps.at(-1).shape, true) : result(steps));
  return {
    run: () => runSteps(op, steps),
    result: () => (runSteps(op, steps), rowMajorResult()),
    kernel: () => steps.map(name).join(', '),
    dispose: () => dispose(steps),
  };
}

/// The module of plans: a program has an instance of its own in each worker.
let plans;

/// The number of workers of a program, unless a call says another one: `./index.mjs?workers=2` imports this module with two.
const DEFAULT_WORKERS = Number(new URL(import.meta.url).searchParams.get('workers')) || 1;

/// A whole program, compiled to a plan. Its weights, a typed array for every parameter but the last, stay in its memory. Arrays are
/// row-major. Several workers divide large products; if one fails, the others are not needed.
export async function program(hloText, weights, { workers = DEFAULT_WORKERS } = {}) {
  plans ??= await WebAssembly.compile(await (await fetch(new URL('./plans-MODULE.wasm', import.meta.url))).arrayBuffer());
  return openProgram(plans, hloText, weights, workers);
}
