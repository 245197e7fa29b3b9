// Element types and the typed arrays that hold them.

import { throwInvalid, preview } from './errors.js';

const SIGNED = { s1: Int8Array, s2: Int8Array, s4: Int8Array, s8: Int8Array, s16: Int16Array, s32: Int32Array, s64: BigInt64Array };
const UNSIGNED = { pred: Uint8Array, u1: Uint8Array, u2: Uint8Array, u4: Uint8Array, u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, u64: BigUint64Array };
const FLOAT = { f16: Uint16Array, bf16: Uint16Array, f32: Float32Array, f64: Float64Array, c64: Float32Array, c128: Float64Array };

const ARRAYS = new Map(Object.entries({ ...SIGNED, ...UNSIGNED, ...FLOAT }));

/** The typed array of an element type. */
export function arrayType(elementType) {
  // Floats of at most 8 bits are stored as their codes.
  return ARRAYS.get(elementType) ?? Uint8Array;
}

/** Entries per element: two for complex numbers. */
export function entriesPerElement(elementType) {
  return elementType === 'c64' || elementType === 'c128' ? 2 : 1;
}

/** The smallest and the largest entry of types that do not use all values of their array. */
function entryRange(elementType) {
  const [, letter, bits] = /^([suf])([1246])(?:e|$)/.exec(elementType) ?? [];
  if (elementType === 'pred') return [0, 1];
  if (bits === undefined) return undefined;
  const values = 2 ** Number(bits);
  return letter === 's' ? [-values / 2, values / 2 - 1] : [0, values - 1];
}

/** Checks that a typed array has the elements of an array shape. */
export function checkArray(array, shape, path) {
  const type = arrayType(shape.elementType);
  if (typeof shape.elementCount !== 'number') throwInvalid('array-size', `${path}: ${shape.text} has too many elements, or no fixed number`);
  const expected = shape.elementCount * entriesPerElement(shape.elementType);
  if (!(array instanceof type)) {
    const hint = type.name.startsWith('Uint') && shape.elementType.includes('f') ? 'Narrow floats are passed as their bits; Literal.of converts numbers.' : `Convert it: ${type.name}.from(array).`;
    throwInvalid('array-type', `${path}: ${shape.elementType} takes a ${type.name}, not ${ArrayBuffer.isView(array) ? array.constructor.name : preview(array)}`, hint);
  }
  if (array.length !== expected) {
    const isDetached = array.length === 0 && array.buffer.byteLength === 0;
    const hint = isDetached ? 'Its buffer may have been transferred to a worker: pass a copy.' : undefined;
    throwInvalid('array-length', `${path}: ${shape.text} has ${expected} entries, the array has ${array.length}`, hint);
  }
  const range = entryRange(shape.elementType);
  if (range === undefined) return;
  const wrong = array.findIndex((entry) => entry < range[0] || entry > range[1]);
  if (wrong >= 0) {
    throwInvalid('array-value', `${path}[${wrong}] is ${array[wrong]}, but ${shape.elementType} has ${range[0]} to ${range[1]}`);
  }
}

const scratch = new DataView(new ArrayBuffer(4));

/** The value of 16 bits of an IEEE half. */
function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return exponent ? sign * 2 ** (exponent - 15) * (1 + fraction / 1024) : sign * 2 ** -14 * (fraction / 1024);
}

function brainFloat(bits) {
  scratch.setUint16(0, bits);
  scratch.setUint16(2, 0);
  return scratch.getFloat32(0);
}

/** The elements as 32-bit floats, which f16 and bf16 fit in exactly. */
export function toFloat32(elementType, array) {
  if (elementType === 'f16') return Float32Array.from(array, half);
  if (elementType === 'bf16') return Float32Array.from(array, brainFloat);
  if (elementType === 's64' || elementType === 'u64') return Float32Array.from(array, Number);
  if (/^(f[468]|c)/.test(elementType)) {
    throwInvalid('element-type', `${elementType} has no conversion to 32-bit floats`, 'Read the bits in `data`, or convert in the program.');
  }
  return Float32Array.from(array);
}
