// `cargo xtask npm --measure`: times of the release build in Node.js, each the minimum of several samples.

import { performance } from 'node:perf_hooks';

const SAMPLES = 9;
const started = performance.now();
const { closeWorkers, evaluate, init, Literal, Module, program, provenance } = await import(`file://${process.env.XLA_PACKAGE}/node.js`);
await init();
const loaded = performance.now() - started;

async function fastest(work, samples = SAMPLES) {
  let best = Infinity;
  for (let i = 0; i < samples; i += 1) {
    const begun = performance.now();
    await work();
    best = Math.min(best, performance.now() - begun);
  }
  return best;
}

const print = (what, milliseconds) => console.log(`${milliseconds.toFixed(milliseconds < 1 ? 3 : 1).padStart(9)} ms  ${what}`);

const cells = 1 << 22;
const large = new Literal(`f32[${cells}]`, new Float32Array(cells).fill(1.5));
const identity = Module.parse(`HloModule m ENTRY e { ROOT x = f32[${cells}] parameter(0) }`);
const negate = Module.parse(`HloModule m ENTRY e { x = f32[${cells}] parameter(0) ROOT y = negate(x) }`);
const small = Module.parse('HloModule m ENTRY e { x = f32[4] parameter(0) ROOT y = negate(x) }');
const dotText = 'HloModule m ENTRY e { x = f32[512,512] parameter(0) y = f32[512,512] parameter(1) ROOT z = f32[512,512] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} }';
const matrix = new Literal('f32[512,512]', new Float32Array(512 * 512).fill(0.5));
const four = new Literal('f32[4]', new Float32Array(4));

print('load the module', loaded);
print('copy of a typed array of 16 MB, for comparison', await fastest(() => new Float32Array(large.data)));
print('evaluate: 16 MB in and out', await fastest(() => evaluate(identity, [large])));
print('evaluate: negate 16 MB', await fastest(() => evaluate(negate, [large])));
print('evaluate in a worker: negate 16 MB', await fastest(() => evaluate(negate, [large], { worker: true })));
print('literal of 16 MB as JSON (8 bytes per number)', await fastest(() => large.toJson(), 3));
print('evaluate: negate 4 numbers', await fastest(() => evaluate(small, [four]), 200));
print('evaluate in a worker: negate 4 numbers', await fastest(() => evaluate(small, [four], { worker: true }), 50));
const dot = await program(dotText, { constants: [matrix] });
const time = await fastest(() => dot.run([matrix]));
print(`program: product of 512 x 512 matrices (${(2 * 512 ** 3 / time / 1e6).toFixed(1)} GFLOP/s)`, time);
print('provenance: a cell of that product, with its 1024 sources', await fastest(() => provenance(dotText, [matrix, matrix], { index: [1, 2] }), 3));
dot.close();
closeWorkers();
