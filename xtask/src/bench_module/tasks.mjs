// Benchmark cases as tasks, serialized as described in crates/kernels/src/description/words.rs: all f32, row-major or, for images,
// channels minor. `cargo xtask bench-module` writes the numbers of tasks, types and functions from the kernels' sources.
import { BINARY, REDUCER, TASK, TYPE, UNARY } from './numbers.mjs';

const REDUCERS = { sum: REDUCER.Add, max: REDUCER.Max };
const UNARY_FUNCTIONS = {
  abs: UNARY.Abs, neg: UNARY.Negate, exp: UNARY.Exponential, log: UNARY.Log, logistic: UNARY.Logistic, tanh: UNARY.Tanh, sqrt: UNARY.Sqrt,
};
const BINARY_FUNCTIONS = {
  add: BINARY.Add, sub: BINARY.Subtract, mul: BINARY.Multiply, div: BINARY.Divide, max: BINARY.Maximum, min: BINARY.Minimum, pow: BINARY.Power,
};
const product = (sizes) => sizes.reduce((a, b) => a * b, 1);

function strides(sizes) {
  const all = new Array(sizes.length).fill(1);
  for (let d = sizes.length - 1; d > 0; d--) all[d - 1] = all[d] * sizes[d];
  return all;
}
/// The strides of images with contiguous channels.
const channelsMinorStrides = ([, c, h, w]) => [c * h * w, 1, c * w, c];
const list = (items) => [items.length, ...items];
const view = (sizes, steps = strides(sizes), offset = 0) => [offset, ...list(sizes), ...list(steps)];
const array = (sizes, steps) => [TYPE.F32, ...view(sizes, steps)];
const window = (size, stride = 1, low = 0, high = 0, dilation = 1) => [size, stride, low, high, 1, dilation, 0];
const windows = (all) => [all.length, ...all.flat()];

/// The tasks of each op. `read` has the data of each buffer, or `null` for the operand of that index.
const cases = {
  dot({ m, k, n }) {
    return { words: [TASK.Dot, ...array([m, k]), ...array([k, n]), ...array([m, n]), ...list([]), ...list([]), ...list([1]), ...list([0])], read: [null, null], written: m * n };
  },
  conv({ N, C, H, W, O, k, s, g, d, pad, oh, ow }, _, stridesOf) {
    const high = (size, out) => (out - 1) * s + d * (k - 1) + 1 - size - pad;
    return {
      words: [TASK.Convolution, ...array([N, C, H, W], stridesOf([N, C, H, W])), ...array([O, C / g, k, k]), ...array([N, O, oh, ow], stridesOf([N, O, oh, ow])),
        ...windows([window(k, s, pad, high(H, oh), d), window(k, s, pad, high(W, ow), d)]), g, 1],
      read: [null, null], written: N * O * oh * ow, shape: [N, O, oh, ow],
    };
  },
  reduce({ kind, axes }, [sizes]) {
    const remaining = sizes.filter((_, d) => !axes.includes(d));
    return {
      words: [TASK.Reduce, ...array(sizes), ...array(remaining), ...list(axes), REDUCERS[kind]],
      read: [null, new Float32Array([kind === 'max' ? -Infinity : 0])], written: product(remaining),
    };
  },
  maxpool({ k, s, pad }, [[N, C, H, W]], stridesOf) {
    const out = (size) => Math.floor((size + 2 * pad - k) / s) + 1;
    const sizes = [N, C, out(H), out(W)];
    return {
      words: [TASK.ReduceWindow, ...array([N, C, H, W], stridesOf([N, C, H, W])), ...array(sizes, stridesOf(sizes)), ...windows([window(1), window(1), window(k, s, pad, (sizes[2] - 1) * s + k - H - pad), window(k, s, pad, (sizes[3] - 1) * s + k - W - pad)]), REDUCERS.max],
      read: [null, new Float32Array([-Infinity])], written: product(sizes), shape: sizes,
    };
  },
  /// Window sums, then a division by the number of elements within each window: two tasks, the second of which reads the
  /// result of the first.
  avgpool({ k, s, pad }, [[N, C, H, W]], stridesOf) {
    const out = (size) => Math.floor((size + 2 * pad - k) / s) + 1;
    const sizes = [N, C, out(H), out(W)], [, , h, w] = sizes;
    const inside = (size, index) => Math.min(index * s - pad + k, size) - Math.max(index * s - pad, 0);
    const counts = Float32Array.from({ length: h * w }, (_, i) => inside(H, Math.floor(i / w)) * inside(W, i % w));
    return [
      {
        words: [TASK.ReduceWindow, ...array([N, C, H, W], stridesOf([N, C, H, W])), ...array(sizes, stridesOf(sizes)), ...windows([window(1), window(1), window(k, s, pad, (h - 1) * s + k - H - pad), window(k, s, pad, (w - 1) * s + k - W - pad)]), REDUCERS.sum],
        read: [null, new Float32Array([0])], written: product(sizes),
      },
      { words: [TASK.Binary, ...array(sizes, stridesOf(sizes)), ...array(sizes, [0, 0, w, 1]), ...array(sizes, stridesOf(sizes)), BINARY.Divide], read: [null, counts], written: product(sizes), shape: sizes },
    ];
  },
  unary: ({ f }, [sizes]) => ({ words: [TASK.Unary, ...array(sizes), ...array(sizes), UNARY_FUNCTIONS[f]], read: [null], written: product(sizes) }),
  binary({ f }, [a, b]) {
    b = b || a;
    const sizes = a.map((size, d) => Math.max(size, b[d]));
    const repeated = (own) => array(sizes, strides(own).map((step, d) => (own[d] === 1 && sizes[d] !== 1 ? 0 : step)));
    return { words: [TASK.Binary, ...repeated(a), ...repeated(b), ...array(sizes), BINARY_FUNCTIONS[f]], read: [null, null], written: product(sizes) };
  },
  transpose({ perm }, [sizes]) {
    const to = perm.map((d) => sizes[d]), steps = strides(sizes);
    return { words: [TASK.Move, TYPE.F32, 1, ...view(to, perm.map((d) => steps[d])), ...view(to), 0], read: [null], written: product(to) };
  },
  pad({ lo, hi }, [sizes]) {
    const to = sizes.map((size, d) => lo[d] + size + hi[d]), steps = strides(to);
    return { words: [TASK.Move, TYPE.F32, 1, ...view(sizes), ...view(sizes, steps, lo.reduce((sum, low, d) => sum + low * steps[d], 0)), 1], read: [null, new Float32Array(1)], written: product(to) };
  },
  concat({ axis }, all) {
    const to = all[0].map((size, d) => (d === axis ? all.reduce((sum, sizes) => sum + sizes[d], 0) : size)), steps = strides(to);
    let at = 0;
    const parts = all.map((sizes) => { const part = [...view(sizes), ...view(sizes, steps, at * steps[axis])]; at += sizes[axis]; return part; });
    return { words: [TASK.Move, TYPE.F32, parts.length, ...parts.flat(), 0], read: all.map(() => null), written: product(to) };
  },
  slice({ start, size }, [sizes]) {
    const steps = strides(sizes);
    return { words: [TASK.Move, TYPE.F32, 1, ...view(size, steps, start.reduce((sum, from, d) => sum + from * steps[d], 0)), ...view(size), 0], read: [null], written: product(size) };
  },
  sort(_, [sizes]) {
    return { words: [TASK.Sort, 1, ...array(sizes), 1, ...view(sizes), sizes.length - 1, 0, 0, 0], read: [null], written: product(sizes) };
  },
  softmax: (_, [sizes]) => ({ words: [TASK.Softmax, ...array(sizes), ...array(sizes), sizes.length - 1], read: [null], written: product(sizes) }),
};

/// Whether an op on images is faster with channels minor: depthwise convolutions are, pooling is not.
export const isFasterChannelsMinor = (op, { C, O, g }) => op === 'conv' && g > 1 && g === C && g === O;

/// Row-major images of these sizes with channels minor; the inverse if `isInverse`.
export function withChannelsMinor(data, [n, c, h, w], isInverse = false) {
  const to = new Float32Array(data.length), pixels = h * w;
  for (let image = 0; image < n * c * pixels; image += c * pixels)
    for (let i = 0; i < pixels; i++)
      for (let k = 0; k < c; k++) {
        const minor = image + i * c + k, major = image + k * pixels + i;
        if (isInverse) to[major] = data[minor];
        else to[minor] = data[major];
      }
  return to;
}

/// The tasks of an op, in order; the first operand of each but the first is the result of the previous one. With
/// `channelsMinor`, images (the first operand and the results) have channels minor.
export function tasks(op, params, sizes, channelsMinor = false) {
  const make = cases[op];
  if (!make) throw new Error(`${op}: no such op`);
  return [make(params, sizes, channelsMinor ? channelsMinorStrides : strides)].flat();
}
