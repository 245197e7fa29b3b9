"use strict";
// Runs one function of `eval --call` in Node.js. The first line of standard input is {code, file}; every further line is a
// call {inputs, output, milliseconds}, answered by one line: {arrays}, or {error, line} or {error, timeout}.
//
// The function runs in a context of its own, which has the built-ins of JavaScript and nothing of Node.js: neither files nor
// network. Only texts cross to it and back.
const { readSync, writeSync } = require("node:fs");
const vm = require("node:vm");

const prelude = `(() => {
  "use strict";
  const { parse, stringify } = JSON;
  const bytesOf = (hex) => {
    const bytes = new Uint8Array(hex.length / 2);
    for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(hex.slice(2 * i, 2 * i + 2), 16);
    return bytes;
  };
  const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
  const hexOf = (bytes) => {
    const out = new Array(bytes.length);
    for (let i = 0; i < bytes.length; i++) out[i] = digits[bytes[i]];
    return out.join("");
  };
  const classes = { Int8Array, Uint8Array, Int16Array, Uint16Array, Int32Array, Uint32Array, BigInt64Array, BigUint64Array, Float32Array, Float64Array };
  const unpack = (given) => {
    if (Array.isArray(given)) return given.map(unpack);
    if (!given) return given;
    const { type, shape, class: name, hex, length } = given;
    return { type, shape, data: new classes[name](hex === undefined ? length : bytesOf(hex).buffer) };
  };
  const pack = (wanted, found, arrays) => {
    if (Array.isArray(wanted)) {
      wanted.forEach((each, i) => pack(each, found?.[i], arrays));
    } else if (wanted) {
      const { class: name, shape, type, length } = wanted;
      const data = found?.data ?? [];
      if (data.length !== length) {
        throw new RangeError("output.data has " + data.length + " elements, " + type + "[" + shape + "] has " + length);
      }
      arrays.push(hexOf(new Uint8Array(classes[name].from(data).buffer)));
    }
  };
  return (main, file, request) => {
    try {
      const { inputs, output } = parse(request);
      const found = unpack(output);
      const given = main(found, unpack(inputs));
      if (typeof given?.then === "function") throw new TypeError("the function gave a promise; it must be done when it returns");
      const arrays = [];
      pack(output, found, arrays);
      return stringify({ arrays });
    } catch (error) {
      const lines = String(error?.stack ?? "").split("\\n").map((line) => line.split(file + ":")[1]);
      return stringify({ error: String(error).slice(0, 1000), line: parseInt(lines.find((line) => line), 10) || 0 });
    }
  };
})()`;

let pending = Buffer.alloc(0);
const chunk = Buffer.alloc(1 << 16);

// The next line of standard input; undefined at its end.
function nextLine() {
  const parts = [pending];
  for (;;) {
    const last = parts.at(-1);
    const end = last.indexOf(10);
    if (end >= 0) {
      pending = Buffer.from(last.subarray(end + 1));
      parts[parts.length - 1] = last.subarray(0, end);
      return Buffer.concat(parts).toString();
    }
    const count = readSync(0, chunk);
    if (count === 0) return undefined;
    parts.push(Buffer.from(chunk.subarray(0, count)));
  }
}

function say(text) {
  const bytes = Buffer.from(`${text}\n`);
  for (let written = 0; written < bytes.length;) written += writeSync(1, bytes, written);
}

const { code, file } = JSON.parse(nextLine());
const context = vm.createContext(Object.create(null), {
  codeGeneration: { strings: false, wasm: false },
  microtaskMode: "afterEvaluate",
});
const run = (text, options) => vm.runInContext(text, context, options);
let broken;
try {
  run(`const answer = ${prelude};`);
  run(`const main = (function (output, inputs) {\n${code}\n});`, { filename: file, lineOffset: -1 });
} catch (error) {
  const line = parseInt(String(error.stack).split("\n")[0].split(`${file}:`)[1], 10) || 0;
  broken = JSON.stringify({ error: `${error.name}: ${error.message}`, line });
}
const call = new vm.Script("answer(main, file, request)");
for (let line = nextLine(); line !== undefined; line = nextLine()) {
  if (broken) {
    say(broken);
    continue;
  }
  const { milliseconds, ...request } = JSON.parse(line);
  context.file = file;
  context.request = JSON.stringify(request);
  try {
    say(call.runInContext(context, milliseconds === null ? {} : { timeout: Math.max(1, milliseconds) }));
  } catch (error) {
    const timeout = error?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
    say(JSON.stringify({ error: timeout ? "" : String(error).slice(0, 1000), line: 0, timeout }));
  }
}
