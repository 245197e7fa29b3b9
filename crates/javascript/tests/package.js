// The package under test, in a folder as a user has it.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The folder of the built package. */
export const folder = process.env.XLA_PACKAGE;

/** The folder of the type checker and the bundlers; empty if they are not installed. */
export const tools = process.env.XLA_PACKAGE_TOOLS ?? '';

/** A folder of a project that uses the package. */
export class Project {
  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'xla-package-'));
    mkdirSync(join(this.folder, 'node_modules'));
    symlinkSync(folder, join(this.folder, 'node_modules', 'xla-playground'), 'dir');
    this.write('package.json', '{ "type": "module" }');
  }

  /** A copy of the package in place of the link: some bundlers resolve links to files outside. */
  copyPackage() {
    const link = join(this.folder, 'node_modules', 'xla-playground');
    rmSync(link);
    cpSync(folder, link, { recursive: true });
  }

  write(name, text) {
    writeFileSync(join(this.folder, name), text);
  }

  path(name) {
    return join(this.folder, name);
  }

  /** The output of a script; a script that fails throws with its output. */
  run(script, ...args) {
    return execFileSync(process.execPath, [script, ...args], { cwd: this.folder, encoding: 'utf8', stdio: 'pipe', timeout: 60_000 });
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The package itself. */
export const xla = await import(`file://${folder}/node.js`);
