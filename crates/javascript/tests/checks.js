// The checks of the end-to-end tests, in a page: the results as JSON in `#result`.

import { closeWorkers, describeLayout, evaluate, init, Literal, program, provenance, registerCustomCall, svg, XlaError } from 'xla-playground';

const DOT = `HloModule m ENTRY e { x = f32[2,3] parameter(0) y = f32[3,2] parameter(1)
  ROOT z = f32[2,2] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} }`;
const LOOP = `HloModule l
body { i = s32[] parameter(0) one = s32[] constant(1) ROOT j = add(i, one) }
condition { i = s32[] parameter(0) n = s32[] constant(2000000000) ROOT c = pred[] compare(i, n), direction=LT }
ENTRY e { zero = s32[] constant(0) ROOT end = s32[] while(zero), condition=condition, body=body }`;
const NEGATE_LARGE = 'HloModule m ENTRY e { x = f32[4194304] parameter(0) ROOT y = negate(x) }';

const args = [[[1, 0.1, 3], [4, -0, 6]], Float32Array.of(1e-45, 2, 3, 1e38, 5, 6)];

async function cancelled(worker) {
  const controller = new AbortController();
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), 1);
  const onProgress = () => ticks > 2 && controller.abort();
  const error = await evaluate(LOOP, [], { worker, signal: controller.signal, onProgress }).catch((thrown) => thrown);
  clearInterval(timer);
  return error instanceof XlaError ? error.code : 'no error';
}

async function checks() {
  await init();
  const bits = ({ data }) => Array.from(new Uint32Array(data.buffer, data.byteOffset, data.length));
  const found = {};
  found.here = bits(await evaluate(DOT, args));
  found.worker = bits(await evaluate(DOT, args, { worker: true }));
  const prepared = await program(DOT, { constants: args.slice(0, 1), worker: true });
  found.prepared = bits(await prepared.run(args.slice(1)));
  prepared.close();
  found.cancelled = [await cancelled(false), await cancelled(true)];
  found.sources = (await provenance(DOT, args, { index: [1, 0] })).sources.length;
  registerCustomCall('double', async ([x]) => x.toFloat32().map((value) => 2 * value));
  const call = 'HloModule m ENTRY e { x = f32[2] parameter(0) ROOT y = f32[2] custom-call(x), custom_call_target="double" }';
  found.call = String(await evaluate(call, [[1, 2]]));
  found.unsupported = (await evaluate(call, [[1, 2]], { worker: true }).catch((error) => error)).code;
  found.error = await evaluate('HloModule m ENTRY e { x = f32[2] parameter(0) ROOT y = f32[3] negate(x) }').catch(({ code, op, rule }) => [code, op, rule]);
  found.layout = describeLayout('f32[2,3]{0,1} padded[3,5]=zero').memory.slice(0, 3);
  found.half = Literal.of('bf16[2]', [1, -2]).data.constructor.name;
  document.querySelector('#picture').innerHTML = svg('f32[2,3]{0,1}');
  found.cells = document.querySelectorAll('#picture rect').length > 6;
  const large = new Float32Array(4_194_304).fill(1.5);
  const times = [];
  for (let i = 0; i < 3; i += 1) {
    const started = performance.now();
    const { data } = await evaluate(NEGATE_LARGE, [large]);
    if (data[4_194_303] !== -1.5) throw new Error('a wrong value');
    times.push(performance.now() - started);
  }
  found.milliseconds = Math.round(Math.min(...times));
  closeWorkers();
  return found;
}

checks().then(
  (found) => (document.querySelector('#result').textContent = JSON.stringify(found)),
  (error) => (document.querySelector('#result').textContent = JSON.stringify({ failed: String(error?.stack ?? error) })),
);
