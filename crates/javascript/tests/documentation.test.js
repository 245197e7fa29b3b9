// Every example of docs/javascript.md runs, and prints the documented output.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';

import { Project, tools } from './package.js';

const guide = readFileSync(new URL('../../../docs/javascript.md', import.meta.url), 'utf8');
const project = new Project();
after(() => project.remove());

/** The examples of the guide in a language, with the heading above each. */
function examples(language) {
  const found = [];
  let heading = '';
  for (const [, title, code] of guide.matchAll(new RegExp(`^#+ (.*)$|^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))) {
    if (title !== undefined) heading = title;
    else found.push({ heading, code });
  }
  return found;
}

const scripts = examples('js');

test('the guide has examples', () => assert.ok(scripts.length >= 10));

scripts.forEach(({ heading, code }, number) => {
  test(`${heading} (${number})`, () => {
    const name = `example-${number}.js`;
    project.write(name, code);
    const expected = [...code.matchAll(/\/\/ → (.*)$/gm)].map(([, line]) => line);
    assert.ok(expected.length > 0, 'the example says what it prints');
    assert.deepEqual(project.run(name).trimEnd().split('\n'), expected);
  });
});

test('the examples have correct types', { skip: tools === '' && 'TypeScript is not installed' }, () => {
  scripts.forEach(({ code }, number) => project.write(`typed-${number}.ts`, code));
  project.write('tsconfig.json', JSON.stringify({
    compilerOptions: { strict: true, noEmit: true, target: 'es2022', module: 'nodenext', lib: ['es2023', 'dom'], types: [], skipLibCheck: false },
    include: ['typed-*.ts'],
  }));
  let output = '';
  try {
    output = project.run(`${tools}/node_modules/typescript/bin/tsc`, '--project', '.');
  } catch (error) {
    output = error.stdout;
  }
  assert.equal(output, '');
});
