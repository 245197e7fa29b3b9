// Shapes and layouts.

import { throwInvalid, preview, XlaError } from './errors.js';
import { call } from './runtime.js';

/** The properties of a layout. */
export class Layout {
  constructor(record) {
    Object.assign(this, record);
    Object.freeze(this);
  }

  /** The text of the Layout proto. */
  toString() {
    return this.proto;
  }
}

/** The shape of a value. */
export class Shape {
  constructor(text) {
    if (typeof text !== 'string') throwInvalid('shape-text', `a shape is a string such as f32[2,3], not ${preview(text)}`);
    adopt(this, call((module) => module.shapeRecord(text)));
  }

  /** The shape of the text, or the shape itself. */
  static of(shape) {
    return shape instanceof Shape ? shape : new Shape(shape);
  }

  /** The arrays in the shape, depth first. */
  get leaves() {
    if (this.kind === 'tuple') return this.elements.flatMap((element) => element.leaves);
    return this.kind === 'array' || this.kind === 'buffer' ? [this] : [];
  }

  /** The memory slot of an element; throws if there is no such element. */
  slotOf(index) {
    const integers = indexOf(index);
    const slot = call((module) => module.slotOfIndex(this.text, integers));
    if (slot === undefined) throwInvalid('index', `${this.text} has no element at [${integers.join(',')}]`);
    return Number(slot);
  }

  /** The index of the element in a slot; null for padding. Throws outside the array. */
  indexOf(slot) {
    if (!Number.isSafeInteger(slot)) throwInvalid('slot', `a slot is an integer, not ${preview(slot)}`);
    const index = call((module) => module.indexOfSlot(this.text, BigInt(slot)));
    if (index === undefined) throwInvalid('slot', `${this.text} has no slot ${slot}`);
    return index;
  }

  /** The memory layout in full. */
  describe() {
    return describeLayout(this);
  }

  toString() {
    return this.text;
  }
}

function adopt(shape, record) {
  Object.assign(shape, record);
  shape.layout = record.layout && new Layout(record.layout);
  shape.elements = record.elements.map((element) => adopt(Object.create(Shape.prototype), element));
  return Object.freeze(shape);
}

/** An index as 64-bit integers. */
export function indexOf(index) {
  const isList = Array.isArray(index) || ArrayBuffer.isView(index);
  if (!isList) throwInvalid('index', `an index is a list of integers, not ${preview(index)}`);
  const numbers = Array.from(index);
  const wrong = numbers.findIndex((number) => typeof number !== 'bigint' && !Number.isSafeInteger(number));
  if (wrong >= 0) throwInvalid('index', `an index has integers, not ${preview(numbers[wrong])}`);
  return BigInt64Array.from(numbers, BigInt);
}

/** Arrays with more slots are described without them. */
const MAX_LISTED_SLOTS = 65_536;
/** Maximum slots that all arrays of a shape may list together: each is an array of JavaScript. */
const MAX_ALL_SLOTS = 1 << 22;

/** The memory layout of a shape, with the slots of arrays that have at most 65,536, or of all. */
export function describeLayout(shape, options = {}) {
  const parsed = Shape.of(shape);
  const allSlots = options?.allSlots === true;
  const counts = parsed.leaves.map((leaf) => Number(leaf.slotCount ?? 0));
  const listed = counts.filter((count) => allSlots || count <= MAX_LISTED_SLOTS).reduce((sum, count) => sum + count, 0);
  if (listed > MAX_ALL_SLOTS) {
    const message = `${listed} slots would be listed, at most ${MAX_ALL_SLOTS} are: use indexOf for single slots`;
    throw new XlaError({ code: 'limit', rule: 'slots', message });
  }
  // The text that was given may have 2017 padding and the form of a proto.
  const text = shape instanceof Shape ? shape.text : shape;
  return call((module) => module.layoutReport(text, allSlots));
}
