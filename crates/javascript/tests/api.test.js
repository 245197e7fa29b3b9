// The interface in Node.js, beyond the examples of the guide.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';

import { folder, Project, xla } from './package.js';

const { check, closeWorkers, describeLayout, evaluate, explain, init, Literal, Module, ops, program, provenance, registerCustomCall, Shape, svg, version, XlaError } = xla;

const NEGATE = 'HloModule m ENTRY e { x = f32[2] parameter(0) ROOT y = negate(x) }';
const LOOP = `HloModule l
body { i = s32[] parameter(0) one = s32[] constant(1) ROOT j = add(i, one) }
condition { i = s32[] parameter(0) n = s32[] constant(2000000000) ROOT c = pred[] compare(i, n), direction=LT }
ENTRY e { zero = s32[] constant(0) ROOT end = s32[] while(zero), condition=condition, body=body }`;

test('before it is loaded, the module is asked for', async () => {
  const project = new Project();
  project.write('early.js', `import { Shape } from 'xla-playground';
    try { new Shape('f32[]'); } catch (error) { console.log(error.code, error.rule, error.hints[0].message); }`);
  assert.equal(project.run('early.js'), 'unavailable init Call `await init()` first.\n');
  project.write('missing.js', `import { init } from 'xla-playground';
    await init({ wasm: new Uint8Array([1, 2]) }).catch((error) => console.log(error.code, error.rule));
    await init();
    console.log('loaded');`);
  assert.equal(project.run('missing.js'), 'unavailable load\nloaded\n');
  project.remove();
});

await init();
after(closeWorkers);

test('the version is that of the package', () => {
  assert.equal(version, JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')).version);
});

test('npm packs it, with types, module and licenses, and without the sources of the single file', () => {
  const [packed] = JSON.parse(execFileSync('npm', ['pack', '--dry-run', '--json', '--loglevel=error'], { cwd: folder, encoding: 'utf8', shell: process.platform === 'win32' }));
  const files = packed.files.map(({ path }) => path);
  for (const name of ['index.js', 'node.js', 'inline.js', 'index.d.ts', 'inline.d.ts', 'bindings.js', 'xla_playground_bg.wasm', 'README.md', 'LICENSE-MIT']) {
    assert.ok(files.includes(name), name);
  }
  assert.ok(!files.some((name) => name.includes('inlined')), String(files));
});

test('the exports are those of the types', () => {
  const types = readFileSync(`${folder}/index.d.ts`, 'utf8');
  const declared = [...types.matchAll(/^export (?:class|function|const) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(Object.keys(xla).sort(), [...new Set(declared)].sort());
});

test('a layout is the object that the terminal prints', () => {
  const report = describeLayout('f32[2,3]{0,1} padded[3,5]=zero');
  assert.equal(report.shape, 'f32[2,3]{0,1}');
  assert.equal(report.cells, 15);
  assert.equal(report.memory.length, 15);
  assert.deepEqual(report.memory.slice(0, 3), [[0, 0], [1, 0], null]);
  assert.deepEqual(report.order, ['dim 0 is minor', 'column-major']);
});

test('a value of every element type survives: typed array, text and JSON', () => {
  const types = readFileSync(`${folder}/index.d.ts`, 'utf8');
  const names = [...types.match(/type ElementType =([^;]*);/)[1].matchAll(/'(\w+)'/g)].map(([, name]) => name);
  assert.equal(names.length, 32);
  for (const name of names) {
    const literal = Literal.of(`${name}[2]`, name === 'pred' ? [true, false] : name === 'f8e8m0fnu' ? [1, 2] : name === 's1' ? [-1, 0] : [1, 0]);
    for (const same of [Literal.parse(String(literal)), Literal.fromJson(literal.toJson()), new Literal(literal.shape, literal.data)]) {
      assert.deepEqual(same.data, literal.data, name);
    }
  }
});

test('arguments and results keep every bit, in any layout', async () => {
  const data = Float32Array.of(1.5, -0, Infinity, 1e-45, 3, NaN);
  const text = 'HloModule m ENTRY e { x = f32[2,3]{0,1} parameter(0) ROOT y = f32[2,3]{0,1} copy(x) }';
  for (const options of [{}, { worker: true }]) {
    const result = await evaluate(text, [data], options);
    assert.equal(result.shape.text, 'f32[2,3]{0,1}');
    assert.deepEqual(new Uint32Array(result.data.buffer), new Uint32Array(data.buffer));
  }
  const transposed = 'HloModule m ENTRY e { x = s64[2,3] parameter(0) ROOT y = s64[3,2] transpose(x), dimensions={1,0} }';
  assert.deepEqual((await evaluate(transposed, [BigInt64Array.of(1n, 2n, 3n, 4n, 5n, 2n ** 62n)])).data, BigInt64Array.of(1n, 4n, 2n, 5n, 3n, 2n ** 62n));
});

test('tuples are lists, in and out', async () => {
  const text = 'HloModule m ENTRY e { t = (f32[2], s32[]) parameter(0) a = f32[2] get-tuple-element(t), index=0 b = s32[] get-tuple-element(t), index=1 ROOT r = tuple(b, a, t) }';
  for (const options of [{}, { worker: true }]) {
    const [b, a, t] = (await evaluate(text, [[[1, 2], 3]], options)).elements;
    assert.deepEqual([b.data, a.data], [Int32Array.of(3), Float32Array.of(1, 2)]);
    assert.deepEqual(t.elements.map(String), ['f32[2]{0} {1, 2}', 's32[] 3']);
  }
});

test('an argument is not detached, and a result is of its own', async () => {
  const x = Float32Array.of(1, 2);
  const [here, there] = [await evaluate(NEGATE, [x]), await evaluate(NEGATE, [x], { worker: true })];
  assert.deepEqual(x, Float32Array.of(1, 2));
  here.data[0] = 9;
  assert.deepEqual(there.data, Float32Array.of(-1, -2));
});

test('runs may overlap', async () => {
  const runs = [1, 2, 3, 4, 5].map((value) => evaluate(NEGATE, [[value, 0]], { worker: value % 2 === 0 }));
  assert.deepEqual((await Promise.all(runs)).map(({ data }) => data[0]), [-1, -2, -3, -4, -5]);
});

test('an aborted signal ends a run here and in a worker, soon', async () => {
  for (const worker of [false, true]) {
    const started = Date.now();
    const reason = new Error('enough');
    const controller = new AbortController();
    const progress = [];
    const onProgress = (report) => progress.push(report) === 2 && controller.abort(reason);
    const run = evaluate(LOOP, [], { worker, signal: controller.signal, onProgress });
    await assert.rejects(run, (error) => error instanceof XlaError && error.code === 'cancelled' && error.cause === reason);
    assert.ok(Date.now() - started < 3_000);
    assert.ok(progress.length >= 2 && progress.every(({ steps, instruction }) => steps > 0 && instruction === 'end'));
  }
  await assert.rejects(evaluate(LOOP, [], { signal: AbortSignal.abort() }), { code: 'cancelled' });
  assert.equal((await evaluate(NEGATE, [[1, 2]], { worker: true })).data[0], -1, 'a new worker takes the next run');
});

test('a program for repeated runs survives a cancelled run', async () => {
  const prepared = await program(LOOP, { worker: true });
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 50);
  await assert.rejects(prepared.run([], { signal: controller.signal }), { code: 'cancelled' });
  prepared.close();
  await assert.rejects(prepared.run(), { code: 'argument', rule: 'closed' });
});

test('a program that no plan supports runs all the same', async () => {
  const text = 'HloModule m ENTRY e { x = f32[16]{0:T(8)} parameter(0) ROOT y = f32[16]{0:T(8)} negate(x) }';
  for (const worker of [false, true]) {
    const prepared = await program(text, { worker });
    assert.equal(prepared.fallbackReason, 'layout');
    assert.equal((await prepared.run([new Float32Array(16).fill(2)])).data[15], -2);
    prepared.close();
  }
});

test('limits are errors with their rule', async () => {
  await assert.rejects(evaluate(LOOP, [], { maxSteps: 1_000 }), { code: 'limit', rule: 'budget-steps' });
  const text = 'HloModule m ENTRY e { x = f32[] parameter(0) ROOT y = f32[1000000] broadcast(x), dimensions={} }';
  await assert.rejects(evaluate(text, [1], { maxBytes: 1_000 }), { code: 'limit', rule: 'budget-bytes' });
});

test('a repeated run needs no more memory than a single one', async () => {
  const text = 'HloModule m ENTRY e { x = f32[1000] parameter(0) n = f32[1000] negate(x) ROOT y = f32[1000] abs(n) }';
  const outcomes = new Set();
  for (let maxBytes = 2_000; maxBytes <= 24_000; maxBytes += 1_000) {
    const outcome = (run) => run.then(() => 'done', (error) => error.rule);
    const argument = [new Float32Array(1_000)];
    const single = await outcome(evaluate(text, argument, { maxBytes }));
    const prepared = await program(text, { maxBytes });
    assert.equal(await outcome(prepared.run(argument)), single, `${maxBytes}`);
    prepared.close();
    outcomes.add(single);
  }
  assert.deepEqual([...outcomes], ['budget-bytes', 'done']);
});

test('XLA 2017 is another edition', async () => {
  const text = 'HloModule m ENTRY e { x = f32[2,2] parameter(0) s = f32[] constant(1) ROOT y = f32[2,2] add(x, s) }';
  assert.throws(() => Module.parse(text), { code: 'text' });
  const module = Module.parse(text, { edition: '2017' });
  assert.equal(module.diagnostics[0].severity, 'note');
  assert.deepEqual((await evaluate(module, [[[1, 2], [3, 4]]])).data, Float32Array.of(2, 3, 4, 5));
  const prepared = await program(module);
  assert.equal(prepared.fallbackReason, 'edition');
  assert.deepEqual((await prepared.run([[[1, 2], [3, 4]]])).data, Float32Array.of(2, 3, 4, 5));
  await assert.rejects(prepared.run([[1, 2]]), { code: 'argument' });
  prepared.close();
  assert.ok(ops({ edition: '2017' }).length < ops().length);
});

test('a custom call that fails names its function and its reason', async () => {
  const text = 'HloModule m ENTRY e { x = f32[2] parameter(0) ROOT y = f32[2] custom-call(x), custom_call_target="f" }';
  const remove = registerCustomCall('f', () => {
    throw new Error('no such luck');
  });
  await assert.rejects(evaluate(text, [[1, 2]]), (error) => error.code === 'run' && error.op === 'custom-call' && error.message.includes('no such luck'));
  registerCustomCall('f', () => [1, 2, 3]);
  await assert.rejects(evaluate(text, [[1, 2]]), { code: 'run' });
  registerCustomCall('f', async ([x]) => evaluate(NEGATE, [x]));
  assert.deepEqual((await evaluate(text, [[1, 2]])).data, Float32Array.of(-1, -2), 'it may run a program itself');
  await assert.rejects(evaluate(text, [[1, 2]], { worker: true }), { code: 'unsupported', rule: 'custom-call-worker' });
  await assert.rejects(program(text), { code: 'unsupported', rule: 'custom-call-program' });
  remove();
  registerCustomCall('f', () => 0)();
  await assert.rejects(evaluate(text, [[1, 2]]), { code: 'run', op: 'custom-call' });
});

test('cells are traced in a worker, too, and unknown ones are errors', async () => {
  const text = 'HloModule m ENTRY e { x = f32[2] parameter(0) a = negate(x) ROOT t = tuple(a, x) }';
  for (const worker of [false, true]) {
    const { sources, origins, value } = await provenance(text, [[1, 2]], { path: [0], index: [1], worker });
    assert.equal(value, '-2');
    assert.deepEqual(sources.map(({ name, index, value: at }) => [name, index, at]), [['a', [1], '-2']]);
    assert.deepEqual(origins, [{ operand: 0, name: 'x', path: [], index: [1], role: 'value', value: '2' }]);
    await assert.rejects(provenance(text, [[1, 2]], { instruction: 'a', index: [2], worker }), { code: 'argument', rule: 'trace-cell' });
    await assert.rejects(provenance(text, [[1, 2]], { instruction: 'b', worker }), { code: 'argument' });
  }
});

test('a picture has the values of a literal', () => {
  const picture = svg('s32[2,2]', { values: Literal.of('s32[2,2]', [[11, 12], [13, 14]]), theme: 'dark', colour: 'value' });
  for (const value of ['11', '12', '13', '14']) assert.ok(picture.includes(`>${value}<`), value);
  assert.notEqual(svg('s32[2,2]'), svg('s32[2,2]', { theme: 'dark' }));
});

test('numbers in lists are rounded once, to the nearest, ties to even', () => {
  const ties = [1 + 2 ** -24, 1 + 3 * 2 ** -24, 0.1, 16777217, 5e-324, 1.1754943508222875e-38];
  assert.deepEqual(Literal.of(`f32[${ties.length}]`, ties).data, Float32Array.from(ties));
  assert.deepEqual(Literal.of('f64[2]', [0.1, 2 ** 60]).data, Float64Array.of(0.1, 2 ** 60));
  assert.deepEqual(Literal.of('s64[2]', [2 ** 60, -(2n ** 63n)]).data, BigInt64Array.of(2n ** 60n, -(2n ** 63n)));
});

test('StableHLO is not explained', () => {
  const module = Module.parse('func.func @main(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }');
  assert.throws(() => explain(module, 3), { code: 'unsupported' });
  assert.equal(typeof explain(module.toHlo(), 0), 'object');
});

test('positions count as JavaScript does', () => {
  const text = '// 𝄞é\nHloModule m ENTRY e { x = f32[2] parameter(0) ROOT y = f32[3] negate(x) }';
  const [error] = check(text);
  assert.equal(text.slice(error.span.start, error.span.end), 'f32[3]');
  assert.equal(error.span.line, 2);
  const { span, title } = explain(text, text.indexOf('negate'));
  assert.equal(text.slice(span.start, span.end), 'negate');
  assert.ok(title.includes('Neg'));
});

test('a large tuple is a value', async () => {
  const names = Array.from({ length: 8_000 }, () => 'x').join(', ');
  const result = await evaluate(`HloModule m ENTRY e { x = f32[] parameter(0) ROOT t = tuple(${names}) }`, [1]);
  assert.equal(result.shape.elements.length, 8_000);
  assert.equal(new Shape(result.shape.text).elements.length, 8_000);
});
