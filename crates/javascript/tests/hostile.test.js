// Hostile input: an error of this package, never a crash, a freeze or a wrong number.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { Project, xla } from './package.js';

const { applyHint, check, closeWorkers, describeLayout, evaluate, explain, init, Literal, Module, ops, program, provenance, registerCustomCall, Shape, svg, XlaError } = xla;

await init();
after(closeWorkers);

const NEGATE = 'HloModule m ENTRY e { x = f32[2] parameter(0) ROOT y = negate(x) }';

/** Values that are none of the expected ones. */
const STRANGE = [
  undefined, null, true, -1, NaN, 1n, Symbol('s'), {}, [], [[]], () => 1, new Date(0), Object.create(null),
  new Proxy({}, { get() { throw new Error('trap'); } }), { toString() { throw new Error('trap'); } },
];

const isOurs = (error) => error instanceof XlaError && error.code !== 'internal';

test('calls with values of other types are rejected', async () => {
  for (const value of STRANGE) {
    for (const call of [
      () => new Shape(value), () => describeLayout(value), () => svg(value), () => Literal.parse(value), () => Literal.fromJson(value),
      () => new Literal('f32[2]', value), () => Literal.of('f32[2]', value), () => Module.parse(value), () => check(value),
      () => explain(NEGATE, value), () => explain(value, 0), () => registerCustomCall(value, () => 1), () => registerCustomCall('f', value === STRANGE[10] ? 1 : value),
      () => new Shape('f32[2]').slotOf(value), () => applyHint(value, value),
    ]) {
      assert.throws(call, isOurs, String(call));
    }
    if (value === undefined || value === null) continue;
    for (const call of [
      () => evaluate(value), () => evaluate(NEGATE, value), () => evaluate(NEGATE, [value]), () => program(value), () => provenance(value),
      () => evaluate(NEGATE, [[1, 2]], { signal: value }), () => evaluate(NEGATE, [[1, 2]], { infeed: value === STRANGE[8] ? [1] : value }),
      () => evaluate(NEGATE, [[1, 2]], { maxSteps: value }), () => evaluate(NEGATE, [[1, 2]], { worker: 'yes', extra: value }),
    ]) {
      await assert.rejects(call, isOurs, String(call));
    }
  }
});

test('unknown options are errors that list the known ones', async () => {
  await assert.rejects(evaluate(NEGATE, [[1, 2]], { workers: true }), (error) => error.rule === 'options' && error.hints[0].message.includes('worker,'));
  await assert.rejects(evaluate(NEGATE, [[1, 2]], JSON.parse('{"__proto__": 1}')), { rule: 'options' });
  assert.throws(() => ops({ edition: '2018' }), { rule: 'options' });
  await assert.rejects(evaluate(NEGATE, [[1, 2]], { replicas: 2 ** 40 }), { rule: 'options' });
});

test('names of prototypes are names like any other', async () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    const call = `HloModule m ENTRY e { x = f32[1] parameter(0) ROOT y = f32[1] custom-call(x), custom_call_target="${name}" }`;
    await assert.rejects(evaluate(call, [[1]]), { code: 'run', op: 'custom-call' });
    const remove = registerCustomCall(name, () => [7]);
    assert.equal((await evaluate(call, [[1]])).data[0], 7);
    remove();
    assert.throws(() => Literal.fromJson(`{"shape":"f32[1]","values":[1],"${name}":1}`), { code: 'text' });
    assert.throws(() => new Shape(`${name}[2]`), { code: 'text' });
    await assert.rejects(provenance(NEGATE, [[1, 2]], { instruction: name, index: [0] }), { code: 'argument' });
  }
  assert.equal({}.polluted, undefined);
});

test('typed arrays of other types, lengths and values are rejected', async () => {
  for (const array of [new Float64Array(2), new Int32Array(2), new Float32Array(3), new Float32Array(0), new DataView(new ArrayBuffer(8)), new Uint8ClampedArray(2)]) {
    await assert.rejects(evaluate(NEGATE, [array]), { code: 'argument' });
  }
  assert.throws(() => new Literal('pred[2]', Uint8Array.of(1, 2)), { rule: 'array-value' });
  assert.throws(() => new Literal('s4[1]', Int8Array.of(8)), { rule: 'array-value' });
  assert.throws(() => new Literal('u2[1]', Uint8Array.of(4)), { rule: 'array-value' });
  assert.throws(() => new Literal('f4e2m1fn[1]', Uint8Array.of(16)), { rule: 'array-value' });
  assert.throws(() => new Literal('f6e2m3fn[1]', Uint8Array.of(64)), { rule: 'array-value' });
  const other = Literal.of('s32[3]', [1, 2, 3]);
  assert.throws(() => Literal.of('f32[2]', other), { rule: 'literal-shape' });
  assert.throws(() => Literal.of('(f32[2], s32[3])', [other, other]), { rule: 'literal-shape' });
  assert.equal(Literal.of('s32[3]', other), other);
  assert.throws(() => Literal.of('s8[1]', [128]), { rule: 'literal-range' });
  assert.throws(() => Literal.of('s32[1]', [0.5]), { code: 'text' });
  assert.throws(() => Literal.of('f32[1]', [1e39]), { rule: 'literal-range' });
  assert.throws(() => Literal.of('f32[1]', ['1']), { rule: 'literal-data' });
  assert.throws(() => Literal.of('f32[3]', [1, , 3]), { rule: 'literal-data' });
});

test('a detached or shrunken buffer is an error, here and in a worker', async () => {
  for (const worker of [false, true]) {
    const array = new Float32Array(2);
    const literal = new Literal('f32[2]', array);
    structuredClone(array.buffer, { transfer: [array.buffer] });
    await assert.rejects(evaluate(NEGATE, [array], { worker }), (error) => error.rule === 'array-length' && error.hints.length === 1);
    await assert.rejects(evaluate(NEGATE, [literal], { worker }), isOurs);
    assert.throws(() => literal.toJson(), isOurs);
  }
  const buffer = new ArrayBuffer(8, { maxByteLength: 8 });
  const view = new Float32Array(buffer);
  buffer.resize(4);
  await assert.rejects(evaluate(NEGATE, [view]), { code: 'argument' });
});

test('enormous shapes are errors or exact numbers, at once', () => {
  const large = new Shape('f32[4294967296,1048576]');
  assert.equal(large.byteSize, 2n ** 54n);
  assert.equal(large.elementCount, 2 ** 52);
  assert.throws(() => Literal.zeros(large), { code: 'limit' });
  assert.throws(() => new Literal(large, new Float32Array(1)), { rule: 'array-length' });
  assert.throws(() => new Literal('f32[9223372036854775807]', new Float32Array(1)), isOurs);
  assert.throws(() => new Shape('f32[9223372036854775807,9223372036854775807]'), { code: 'text' });
  assert.throws(() => svg('f32[1048576,1048576]'), { code: 'limit' });
  assert.equal(describeLayout('f32[1048576,1048576]').memory, undefined);
  assert.throws(() => describeLayout('f32[1048576,1048576]', { allSlots: true }), { code: 'limit' });
  assert.throws(() => describeLayout(`(${'f32[65536], '.repeat(2_000)}f32[])`), { code: 'limit' });
  assert.equal(describeLayout('u8[70000]', { allSlots: true }).memory.length, 70_000);
  assert.throws(() => new Shape(`${'('.repeat(100_000)}`), { code: 'text' });
  assert.throws(() => new Literal('f32[<=4,?]', new Float32Array(4)), isOurs);
});

test('bombs of programs end with a limit', async () => {
  const tuples = Array.from({ length: 60 }, (_, i) => `t${i + 1} = tuple(t${i}, t${i})`).join(' ');
  const text = `HloModule m ENTRY e { t0 = f32[] parameter(0) ${tuples} ROOT r = tuple(t60) }`;
  await assert.rejects(async () => evaluate(text, [1]), isOurs);
  const broadcast = 'HloModule m ENTRY e { x = f32[] parameter(0) ROOT y = f32[67108864,1048576] broadcast(x), dimensions={} }';
  await assert.rejects(async () => evaluate(broadcast, [1]), isOurs);
});

test('texts with mistakes have positions within them', () => {
  const pieces = NEGATE.split(' ');
  for (let i = 0; i < pieces.length; i += 1) {
    for (const piece of ['', '\u0000', '𝄞', '{'.repeat(500), '"', '/*', pieces[i].repeat(3)]) {
      const text = [...pieces.slice(0, i), piece, ...pieces.slice(i + 1)].join(' ');
      for (const { span, hints } of check(text)) {
        assert.ok(span.start >= 0 && span.start <= span.end && span.end <= text.length, text);
        hints.forEach((hint) => assert.equal(typeof applyHint(text, hint), 'string'));
      }
      for (let at = 0; at <= text.length; at += 7) explain(text, at);
    }
  }
});

test('a freed module is an error', async () => {
  const module = Module.parse(NEGATE);
  module.free();
  module.free();
  assert.throws(() => module.toHlo(), { rule: 'freed' });
  await assert.rejects(evaluate(module, [[1, 2]]), { rule: 'freed' });
});

test('a callback that throws does not end the run, and is reported as uncaught', () => {
  const project = new Project();
  project.write('callback.js', `import { evaluate } from 'xla-playground';
    process.on('uncaughtException', ({ message }) => console.log('uncaught', message));
    const text = 'HloModule m ENTRY e { t = token[] after-all() x = s32[] constant(1) o = token[] outfeed(x, t), outfeed_shape=s32[] ROOT y = s32[] negate(x) }';
    console.log(String(await evaluate(text, [], { onOutfeed: () => { throw new Error('callback'); } })));`);
  assert.equal(project.run('callback.js'), 'uncaught callback\ns32[] -1\n');
  project.remove();
});
