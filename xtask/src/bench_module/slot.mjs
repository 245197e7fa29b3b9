// The MODULE kernels for a benchmark page: init(), run(op, params, inputs), prepare(op, params, inputs).
import { task } from './tasks.mjs';

let wasm;

export async function init() {
  if (wasm) return;
  const bytes = await (await fetch(new URL('./MODULE.wasm', import.meta.url))).arrayBuffer();
  const { instance } = await WebAssembly.instantiate(bytes, { env: { tick: () => 1 } });
  wasm = instance.exports;
}

/// A task made ready, its operands copied in; answers its handle and where the result lies.
function ready(op, params, inputs) {
  const { words, read, written } = task(op, params, inputs.map((input) => input.dims));
  const all = [...words, ...read.map((data, i) => (data ? data.length : inputs[i].data.length)), written];
  const at = wasm.words(all.length);
  new Int32Array(wasm.memory.buffer, at, all.length).set(all);
  const handle = wasm.prepare(words.length);
  if (handle < 0) throw new Error(`${op}: ${['', 'no task', 'no kernel', 'no memory'][-handle]}`);
  read.forEach((data, i) => {
    const cells = data || inputs[i].data;
    new Float32Array(wasm.memory.buffer, wasm.buffer(handle, i), cells.length).set(cells);
  });
  return { handle, out: wasm.buffer(handle, read.length), length: written };
}

function go(op, handle) {
  const answer = wasm.run(handle);
  if (answer) throw new Error(`${op}: refused (${answer})`);
}

export function run(op, params, inputs) {
  const { handle, out, length } = ready(op, params, inputs);
  try {
    go(op, handle);
    return new Float32Array(wasm.memory.buffer, out, length).slice();
  } finally {
    wasm.dispose(handle);
  }
}

export function prepare(op, params, inputs) {
  const { handle, out, length } = ready(op, params, inputs);
  return {
    run: () => go(op, handle),
    result: () => new Float32Array(wasm.memory.buffer, out, length).slice(),
    kernel: () => new TextDecoder().decode(new Uint8Array(wasm.memory.buffer, wasm.kernel_name(handle), wasm.kernel_name_length(handle)).slice()),
    dispose: () => wasm.dispose(handle),
  };
}
