// The MODULE kernels for a benchmark page: init(), run(op, params, inputs), prepare(op, params, inputs), program(hloText, weights).
import { isAcross, relaid, tasks } from './tasks.mjs';

let wasm;

export async function init() {
  if (wasm) return;
  const bytes = await (await fetch(new URL('./MODULE.wasm', import.meta.url))).arrayBuffer();
  const { instance } = await WebAssembly.instantiate(bytes, { env: { tick: () => 1 } });
  wasm = instance.exports;
}

/// A task made ready, its operands copied in; answers its handle and where the result lies.
function ready(op, { words, read, written }, inputs) {
  const all = [...words, ...read.map((data, i) => (data ? data.length : inputs[i].length)), written];
  const at = wasm.words(all.length);
  new Int32Array(wasm.memory.buffer, at, all.length).set(all);
  const handle = wasm.prepare(words.length);
  if (handle < 0) throw new Error(`${op}: ${['', 'no task', 'no kernel', 'no memory'][-handle]}`);
  read.forEach((data, i) => {
    const cells = data || inputs[i];
    new Float32Array(wasm.memory.buffer, wasm.buffer(handle, i), cells.length).set(cells);
  });
  return { handle, out: read.length, length: written };
}

/// The tasks of an op made ready. Each but the first takes what the one before it made.
function all(op, params, inputs, beside = false) {
  let data = inputs.map((input, i) => (beside && i === 0 ? relaid(input.data, input.dims) : input.data));
  return tasks(op, params, inputs.map((input) => input.dims), beside).map((task) => {
    const step = ready(op, task, data);
    data = [new Float32Array(step.length)];
    return { ...step, shape: task.shape };
  });
}

function go(op, steps) {
  let before;
  for (const step of steps) {
    if (before && wasm.exchange(before.handle, before.out, step.handle, 0)) throw new Error(`${op}: not handed on`);
    const answer = wasm.run(step.handle);
    if (answer) throw new Error(`${op}: refused (${answer})`);
    before = step;
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

export function run(op, params, inputs) {
  const steps = all(op, params, inputs);
  try {
    go(op, steps);
    return result(steps);
  } finally {
    dispose(steps);
  }
}

/// Operands lie where and as the kernels are quickest with them. Kernels of convolutions are constant, and the right side of a
/// product where the case says so: packed once.
export function prepare(op, params, inputs) {
  const beside = isAcross(op, params), steps = all(op, params, inputs, beside);
  if (op === 'conv' || (op === 'dot' && params.rhs === 'const')) wasm.hold(steps[0].handle, 1);
  const found = () => (beside ? relaid(result(steps), steps.at(-1).shape, true) : result(steps));
  return {
    run: () => go(op, steps),
    result: () => (go(op, steps), found()),
    kernel: () => steps.map(name).join(', '),
    dispose: () => dispose(steps),
  };
}

/// A whole program, compiled to a plan; its weights, a typed array for every parameter but the last, stay in its memory.
export async function program(hloText, weights) {
  const { default: load, Program } = await import('./program-MODULE.js');
  await load();
  const made = new Program(hloText);
  for (const weight of weights) if (weight instanceof Int32Array) made.addIntegers(weight); else made.addFloats(weight);
  return {
    run: async (input) => (input instanceof Int32Array ? made.runIntegers(input) : made.runFloats(input)),
    dispose: () => made.free(),
  };
}
