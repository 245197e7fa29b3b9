// Literals: the values of arrays, tuples and tokens.

import { arrayType, checkArray, entriesPerElement, toFloat32 } from './elements.js';
import { throwInvalid, preview, XlaError } from './errors.js';
import { call } from './runtime.js';
import { Shape } from './shape.js';

/** The value of an array, a tuple or a token. Its typed arrays are not copied. */
export class Literal {
  #arrays;

  constructor(shape, data = []) {
    this.shape = Shape.of(shape);
    const arrays = this.shape.kind === 'tuple' ? data : this.shape.kind === 'token' ? [] : [data];
    if (!Array.isArray(arrays)) throwInvalid('literal-data', `the data of a tuple is a list of typed arrays, not ${preview(data)}`);
    const leaves = this.shape.leaves;
    if (this.shape.kind === 'opaque' || this.shape.kind === 'buffer') {
      throwInvalid('literal-shape', `${this.shape.text} has no values`);
    }
    if (arrays.length !== leaves.length) {
      throwInvalid('literal-data', `${this.shape.text} has ${leaves.length} arrays, ${arrays.length} were given`);
    }
    this.#arrays = arrays.slice();
    this.#check();
    Object.freeze(this);
  }

  #check() {
    const { leaves } = this.shape;
    leaves.forEach((leaf, i) => checkArray(this.#arrays[i], leaf, leaves.length > 1 ? `array ${i}` : 'data'));
  }

  /** A literal of typed arrays, nested lists, numbers, or literals of these shapes. */
  static of(shape, value) {
    const parsed = Shape.of(shape);
    const literal = literalOf(parsed, value, 'value');
    // Literals keep their own shapes.
    if (!haveSameArrays(literal.shape, parsed)) {
      throwInvalid('literal-shape', `value is a literal of ${literal.shape.text}, not of ${parsed.text}`);
    }
    return literal;
  }

  /** A literal of zeros. */
  static zeros(shape) {
    const parsed = Shape.of(shape);
    const zero = (leaf) => {
      const Type = arrayType(leaf.elementType);
      try {
        return new Type(Number(leaf.elementCount ?? NaN) * entriesPerElement(leaf.elementType));
      } catch (cause) {
        throw new XlaError({ code: 'limit', rule: 'array-size', message: `${leaf.text} is too large for a typed array` }, { cause });
      }
    };
    const arrays = parsed.leaves.map(zero);
    return new Literal(parsed, parsed.kind === 'array' ? arrays[0] : arrays);
  }

  /** A tuple of literals. */
  static tuple(elements) {
    if (!Array.isArray(elements) || !elements.every((element) => element instanceof Literal)) {
      throwInvalid('literal-data', 'the elements of a tuple are a list of literals');
    }
    const shape = new Shape(`(${elements.map((element) => element.shape.text).join(', ')})`);
    return new Literal(shape, elements.flatMap((element) => element.#arrays));
  }

  /** The literal of a shape and its values as XLA's text, such as `f32[2] {1, 2}`. */
  static parse(text) {
    if (typeof text !== 'string') throwInvalid('literal-text', `a literal is a string such as f32[2] {1, 2}, not ${preview(text)}`);
    return Literal.fromRecord(call((module) => module.literalOfText(text)));
  }

  /** The literal of JSON, `{"shape": "f32[2]", "values": [1, 2]}`. */
  static fromJson(json) {
    if (typeof json !== 'string') throwInvalid('literal-text', `JSON is a string, not ${preview(json)}`);
    return Literal.fromRecord(call((module) => module.literalOfJson(json)));
  }

  /** The literal of a record of the module. */
  static fromRecord({ shape, arrays }) {
    const parsed = new Shape(shape);
    return new Literal(parsed, parsed.kind === 'array' ? arrays[0] : arrays);
  }

  /** The elements of an array in row-major order. */
  get data() {
    if (this.shape.kind !== 'array') throwInvalid('literal-data', `${this.shape.text} is not an array: use elements`);
    return this.#arrays[0];
  }

  /** The elements of a tuple. */
  get elements() {
    if (this.shape.kind !== 'tuple') throwInvalid('literal-data', `${this.shape.text} is not a tuple: use data`);
    let used = 0;
    return this.shape.elements.map((element) => {
      const arrays = this.#arrays.slice(used, (used += element.leaves.length));
      return new Literal(element, element.kind === 'array' ? arrays[0] : arrays);
    });
  }

  /** The elements as 32-bit floats, rounded where the type is wider. */
  toFloat32() {
    return toFloat32(this.shape.elementType, this.data);
  }

  /** The record for the module. The arrays are those of the caller, who may have changed or detached them. */
  toRecord() {
    this.#check();
    return { shape: this.shape.text, arrays: this.#arrays };
  }

  /** JSON as the terminal prints it. */
  toJson() {
    const { shape, arrays } = this.toRecord();
    return call((module) => module.jsonOfLiteral(shape, arrays));
  }

  /** The shape and the values as XLA's text; reading it gives the same bits. */
  toString() {
    const { shape, arrays } = this.toRecord();
    return call((module) => module.textOfLiteral(shape, arrays));
  }
}

/** A number as JSON of a literal. */
function entry(value, path) {
  if (typeof value === 'number') {
    if (Number.isNaN(value)) return '"NaN"';
    if (!Number.isFinite(value)) return value > 0 ? '"Infinity"' : '"-Infinity"';
    if (Object.is(value, -0)) return '"-0"';
    // The text of a large double is the shortest that rounds to it, not its digits.
    const isLarge = Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21;
    return String(isLarge ? BigInt(value) : value);
  }
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  return throwInvalid('literal-data', `${path} is ${preview(value)}, not a number`);
}

/** Appends the entries of nested lists, whose lengths are the sizes. */
function flatten(value, sizes, path, entries, isComplex) {
  const [size, ...inner] = sizes;
  if (size === undefined) {
    const parts = isComplex && Array.isArray(value) && value.length === 2 ? value.map((part) => entry(part, path)) : undefined;
    entries.push(isComplex ? `[${(parts ?? [entry(value, path), '0']).join(',')}]` : entry(value, path));
    return;
  }
  if (!Array.isArray(value) || value.length !== size) {
    const found = Array.isArray(value) ? `a list of ${value.length}` : preview(value);
    throwInvalid('literal-data', `${path} is ${found}, the shape has ${size} there`);
  }
  for (let i = 0; i < size; i += 1) flatten(value[i], inner, `${path}[${i}]`, entries, isComplex);
}

/** Whether two shapes have arrays of the same types and sizes; their layouts may differ. */
function haveSameArrays(a, b) {
  const arrays = (shape) => JSON.stringify(shape.leaves.map((leaf) => [leaf.elementType, leaf.dimensions]));
  return arrays(a) === arrays(b);
}

/** The literal of a value for a shape: a literal, a typed array, nested lists or a number. */
export function literalOf(shape, value, path) {
  if (value instanceof Literal) return value;
  if (shape.kind === 'token') return new Literal(shape);
  if (shape.kind === 'tuple') {
    if (!Array.isArray(value) || value.length !== shape.elements.length) {
      throwInvalid('literal-data', `${path} is ${preview(value)}, not a list of the ${shape.elements.length} elements of ${shape.text}`);
    }
    return Literal.tuple(shape.elements.map((element, i) => literalOf(element, value[i], `${path}[${i}]`)));
  }
  if (shape.kind !== 'array') throwInvalid('literal-shape', `${path}: ${shape.text} has no values`);
  if (ArrayBuffer.isView(value)) {
    checkArray(value, shape, path);
    return new Literal(shape, value);
  }
  const isComplex = shape.elementType === 'c64' || shape.elementType === 'c128';
  const entries = [];
  flatten(value, shape.dimensions, path, entries, isComplex);
  // The module reads the numbers exactly, rounds them once, and rejects those that the type does not have.
  return Literal.fromJson(`{"shape":${JSON.stringify(shape.text)},"values":[${entries.join(',')}]}`);
}
