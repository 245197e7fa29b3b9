// Golden cases of XLA through the package: the same bits, here and in a worker.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';

import { xla } from './package.js';

const { closeWorkers, evaluate, init, Literal, program } = xla;

await init();
after(closeWorkers);

/** Files with cases whose results XLA defines bit for bit. */
const FILES = ['binary', 'bitcast_convert', 'compare', 'concatenate', 'convert', 'dynamic_slice', 'gather', 'iota', 'pad', 'reduce_window', 'scatter', 'select', 'sort', 'transpose', 'tuple', 'while'];

/** Maximum cases of a file. */
const MAX_CASES = 60;

/** The end of the JSON value at a position. */
function valueEnd(text, start) {
  let depth = 0;
  for (let i = start; i < text.length; i += 1) {
    if (text[i] === '"') i = text.indexOf('"', i + 1);
    else if ('[{'.includes(text[i])) depth += 1;
    else if (']}'.includes(text[i])) depth -= 1;
    if (depth === 0) return i + 1;
  }
  throw new Error('no JSON');
}

/** The text of a field, since JSON.parse would round 64-bit integers. */
function fieldText(line, name) {
  const start = line.indexOf(`"${name}": `) + name.length + 4;
  return line.slice(start, valueEnd(line, start));
}

function listItems(text) {
  const items = [];
  for (let at = 1; text[at] !== ']' && at < text.length; at += 1) {
    if (text[at] !== '{') continue;
    const end = valueEnd(text, at);
    items.push(text.slice(at, end));
    at = end - 1;
  }
  return items;
}

function cases(name) {
  const text = readFileSync(new URL(`../../../tests/data/goldens/${name}.jsonl`, import.meta.url), 'utf8');
  const lines = text.split('\n').filter((line) => line.includes('"rtol": 0, "atol": 0') && line.includes('"expected": '));
  return lines.slice(0, MAX_CASES).map((line) => ({
    name: JSON.parse(line).name,
    hlo: JSON.parse(line).hlo,
    args: listItems(fieldText(line, 'args')).map(Literal.fromJson),
    expected: Literal.fromJson(fieldText(line, 'expected')),
  }));
}

/** The shapes and the bytes of a literal. */
function bits(literal) {
  const { shape, arrays } = literal.toRecord();
  return [shape, arrays.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength).toString('hex'))];
}

for (const name of FILES) {
  test(name, async () => {
    const golden = cases(name);
    assert.ok(golden.length > 0, 'the file has exact cases');
    for (const { name: title, hlo, args, expected } of golden) {
      const prepared = await program(hlo);
      const results = [await evaluate(hlo, args), await evaluate(hlo, args, { worker: true }), await prepared.run(args)];
      prepared.close();
      for (const result of results) assert.deepEqual(bits(result), bits(expected), title);
    }
  });
}
