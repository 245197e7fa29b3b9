/** XLA shapes, layouts and HLO programs: parsed, checked, run and traced, with the same bits as XLA Playground. */

/** The version of the package. */
export const version: string;

/** What the WebAssembly module is loaded from. */
export type WasmSource = URL | string | Response | Promise<Response> | ArrayBuffer | ArrayBufferView<ArrayBuffer> | WebAssembly.Module;

/**
 * Loads the WebAssembly module, once. `evaluate`, `program` and `provenance` do so themselves; `applyHint`, `registerCustomCall`,
 * `closeWorkers` and `version` do not need it; everything else does.
 * Without `wasm`, the module is the file beside the package, or the one within `xla-playground/inline`.
 */
export function init(options?: { wasm?: WasmSource }): Promise<void>;

/** The version of XLA whose rules apply. */
export type Edition = 'current' | '2017';

/**
 * The kind of an error. `text`: invalid HLO, shape or literal text. `argument`: an argument of the wrong type or shape. `run`: an
 * op failed. `limit`: a limit of size, steps or memory was exceeded. `cancelled`: the signal was aborted. `unsupported`: not possible in this mode.
 * `unavailable`: the module is not loaded, or a worker cannot be started. `internal`: a bug of this package.
 */
export type ErrorCode = 'text' | 'argument' | 'run' | 'limit' | 'cancelled' | 'unsupported' | 'unavailable' | 'internal';

/** A part of the text: `text.slice(start, end)`. */
export interface TextSpan {
  start: number;
  end: number;
  /** The line of its start, from 1. */
  line: number;
  /** The column of its start in characters, from 1. */
  column: number;
}

/** A replacement of `text.slice(start, end)`. */
export interface TextEdit {
  start: number;
  end: number;
  text: string;
}

/** A suggestion. */
export interface Hint {
  message: string;
  /** The edits that apply it, ascending and disjoint; empty for advice. `applyHint` makes them. */
  edits: TextEdit[];
}

/** Every error of this package. A custom call's function may throw anything; its message is in the error of the run. */
export class XlaError extends Error {
  private constructor();
  readonly code: ErrorCode;
  /** The opcode of the instruction; null if the error belongs to none. */
  readonly op: string | null;
  /** The identifier of the rule, such as `layout-4`. */
  readonly rule: string | null;
  /** Where in the text; null if the error is in no text. */
  readonly span: TextSpan | null;
  /** Suggestions, the likeliest first. */
  readonly hints: Hint[];
}

/** A diagnostic of the text. */
export interface Diagnostic {
  code: 'text';
  message: string;
  op: string | null;
  rule: string;
  severity: 'error' | 'warning' | 'note';
  span: TextSpan;
  hints: Hint[];
}

export type ElementType =
  | 'pred' | 's1' | 's2' | 's4' | 's8' | 's16' | 's32' | 's64' | 'u1' | 'u2' | 'u4' | 'u8' | 'u16' | 'u32' | 'u64'
  | 'f4e2m1fn' | 'f6e2m3fn' | 'f6e3m2fn' | 'f8e3m4' | 'f8e4m3' | 'f8e4m3b11fnuz' | 'f8e4m3fn' | 'f8e4m3fnuz' | 'f8e5m2'
  | 'f8e5m2fnuz' | 'f8e8m0fnu' | 'bf16' | 'f16' | 'f32' | 'f64' | 'c64' | 'c128';

/** The memory layout of an array. */
export class Layout {
  private constructor();
  /** Dimension numbers, the most minor first. */
  readonly minorToMajor: number[];
  /** The tiles as XLA writes them, `(8,128)`, the outermost first. */
  readonly tiles: string[];
  /** The padded sizes of XLA 2017; null without padding. */
  readonly paddedDimensions: number[] | null;
  readonly paddingValue: 'zero' | 'one' | 'lowest' | 'highest' | 'unknown' | 'invalid' | null;
  /** Bits per element; 0 means the whole bytes of the type. */
  readonly elementSizeInBits: number;
  readonly memorySpace: number;
  readonly tailPaddingAlignment: number;
  /** The text of the Layout proto. */
  readonly proto: string;
  toString(): string;
}

/** The shape of a value. Sizes above 2^53 are bigints. */
export class Shape {
  /** Parses XLA's text, such as `f32[2,3]{0,1}`; throws its first error. */
  constructor(text: string);
  /** The text, with the layout. */
  readonly text: string;
  readonly kind: 'array' | 'buffer' | 'tuple' | 'token' | 'opaque';
  /** Null unless it is an array. */
  readonly elementType: ElementType | null;
  /** Sizes; of a bounded dimension the bound, of an unbounded one null. */
  readonly dimensions: (number | bigint | null)[];
  readonly isStatic: boolean;
  /** Null if a dimension is unbounded. */
  readonly elementCount: number | bigint | null;
  /** Memory slots, with padding. */
  readonly slotCount: number | bigint | null;
  /** Bytes in memory, with padding. */
  readonly byteSize: number | bigint | null;
  readonly layout: Layout | null;
  /** The elements of a tuple. */
  readonly elements: Shape[];
  /** The arrays in the shape, depth first. */
  readonly leaves: Shape[];
  static of(shape: Shape | string): Shape;
  /** The memory slot of an element. */
  slotOf(index: ArrayLike<number>): number;
  /** The index of the element in a slot; null for padding. */
  indexOf(slot: number): number[] | null;
  /** The memory layout in full. */
  describe(): LayoutReport;
  toString(): string;
}

/** The memory layout of an array. */
export interface ArrayReport {
  /** In XLA's syntax, without 2017 padding. */
  shape: string;
  /** The padded size of each dimension (2017); null without padding. */
  padded: number[] | null;
  /** The content of padding (2017); null without padding. */
  padding_value: 'zero' | 'one' | 'lowest' | 'highest' | 'unknown' | 'invalid' | null;
  /** The number of dimensions. */
  rank: number;
  /** The number of dimensions whose size is not 1, as XLA's code counts. */
  true_rank: number;
  /** The number of dimensions whose size is greater than 1, as XLA's documentation counts: it differs if a size is 0. */
  documented_true_rank: number;
  /** The letters of the dimensions in XLA's documentation, `['y', 'x']` at rank 2; null at rank 0 and above 4. */
  letters: string[] | null;
  /**
   * Both names of the dimension order in XLA's documentation, `['dim 0 is minor', 'column-major']`: the second is exact at rank 2, and
   * by analogy above. Null below rank 2 and for other orders.
   */
  order: [string, string] | null;
  /** Elements between adjacent indices of each dimension; null if tiled. */
  strides: (number | bigint)[] | null;
  /** Slots in memory, with padding; null if a dimension is unbounded. */
  cells: number | bigint | null;
  /** Bytes in memory, with padding; null if a dimension is unbounded. */
  bytes: number | bigint | null;
  /** The index of each slot, null for padding, in memory order; omitted above 65,536 slots. */
  memory?: (number[] | null)[];
}

/** What `xla-playground layout --json` prints. */
export type LayoutReport = ArrayReport | { shape: string; elements: LayoutReport[] } | { shape: string };

/** The memory layout of a shape. `allSlots` lists the slots of large arrays, too; at most 4,194,304 are listed. */
export function describeLayout(shape: Shape | string, options?: { allSlots?: boolean }): LayoutReport;

/**
 * The elements of an array in row-major order. `pred` is a Uint8Array of 0 and 1; f16 and bf16 are their bits in a Uint16Array,
 * narrower floats their bits in a Uint8Array; complex numbers are interleaved, real before imaginary; types of fewer than 8 bits
 * have a byte each.
 */
export type TypedArray =
  | Int8Array | Int16Array | Int32Array | BigInt64Array
  | Uint8Array | Uint16Array | Uint32Array | BigUint64Array
  | Float32Array | Float64Array;

/** Numbers in nested lists, one level per dimension; `[re, im]` of a complex number. */
export type Nested = number | bigint | boolean | Nested[];

/** Anything that converts to a value of a known shape: a tuple is the list of its elements. */
export type Value = Literal | TypedArray | Nested | Value[];

/** The value of an array, a tuple or a token. */
export class Literal {
  /** Takes the typed array of an array, or those of all arrays of a tuple, depth first. They are not copied. */
  constructor(shape: Shape | string, data?: TypedArray | TypedArray[]);
  readonly shape: Shape;
  /** The elements of an array; throws for a tuple. */
  readonly data: TypedArray;
  /** The elements of a tuple; throws for an array. */
  readonly elements: Literal[];
  /** Numbers are read exactly and rounded once; out-of-range numbers are an error. */
  static of(shape: Shape | string, value: Value): Literal;
  static zeros(shape: Shape | string): Literal;
  static tuple(elements: Literal[]): Literal;
  /** XLA's text after its shape: `f32[2] {1, 2}`. */
  static parse(text: string): Literal;
  /** `{"shape": "f32[2]", "values": [1, 2]}` or `{"tuple": […]}`, as the command line prints it. */
  static fromJson(json: string): Literal;
  /** The elements as 32-bit floats: exact for f16, bf16, f32 and integers up to 2^24. */
  toFloat32(): Float32Array<ArrayBuffer>;
  toJson(): string;
  /** XLA's text after the shape; parsing it gives the same bits. */
  toString(): string;
  /** @internal */
  static fromRecord(record: { shape: string; arrays: TypedArray[] }): Literal;
  /** @internal */
  toRecord(): { shape: string; arrays: TypedArray[] };
}

export interface Parameter {
  name: string;
  shape: Shape;
}

export interface Instruction {
  name: string;
  opcode: string;
  shape: string;
  /** Names of its operands. */
  operands: string[];
  isRoot: boolean;
}

/** A parsed module, HLO or StableHLO text. */
export class Module {
  /** Parses text; throws its first error. */
  constructor(text: string, options?: { edition?: Edition });
  static parse(text: string, options?: { edition?: Edition }): Module;
  static of(program: Module | string, options?: { edition?: Edition }): Module;
  readonly text: string;
  readonly edition: Edition;
  readonly name: string;
  readonly dialect: 'hlo' | 'stablehlo';
  /** The parameters of the entry computation. */
  readonly parameters: Parameter[];
  readonly result: Shape;
  /** Names of the computations, callees first. */
  readonly computations: string[];
  /** The instructions of the entry computation. */
  readonly instructions: Instruction[];
  /** Warnings and notes. */
  readonly diagnostics: Diagnostic[];
  /** The targets of the custom calls, sorted. */
  readonly customCallTargets: string[];
  /** The module as XLA prints it; `annotations` adds metadata, sharding and backend configuration. */
  toHlo(options?: { layouts?: boolean; annotations?: boolean }): string;
  /** The module as StableHLO; throws if StableHLO has no op for an instruction. */
  toStableHlo(): string;
  /** Converts arguments to literals of the parameters' shapes, starting at parameter `skipped`. */
  argumentsOf(values: Value[], skipped?: number): Literal[];
  /** Frees its memory at once; garbage collection frees it eventually. The module cannot be used afterwards. */
  free(): void;
}

/** All diagnostics of the text; empty if there are none. */
export function check(text: string, options?: { edition?: Edition }): Diagnostic[];

/** The text with the edits of a hint. */
export function applyHint(text: string, hint: Hint): string;

/** Progress of a run. */
export interface Progress {
  /** Steps so far; a step is a cell read or written, or an instruction. */
  steps: number;
  /** The running instruction of the entry computation. */
  instruction: string;
}

export interface RunOptions {
  /** Whether to run in a worker; false by default. Text is still parsed on the calling thread, for the shapes of its parameters. */
  worker?: boolean;
  /**
   * Cancels the run. In a worker it ends at once. On this thread, a run with a signal yields to the event loop between instructions
   * about every 12 ms: one instruction is never interrupted.
   */
  signal?: AbortSignal;
  /** Called about every 50 ms. */
  onProgress?: (progress: Progress) => unknown;
  /** The edition of the text; a `Module` has its own. */
  edition?: Edition;
  /** The seed of random numbers, 0 by default. */
  seed?: number;
  /** The maximum number of steps, 2,000,000,000 by default: about 30 seconds on a slow machine. */
  maxSteps?: number;
  /** The maximum number of bytes of all values, 512 MiB by default. */
  maxBytes?: number;
  /** The values that infeed instructions read. */
  infeed?: Literal[];
}

export interface EvaluateOptions extends RunOptions {
  /** Called after the run with each value of the outfeed. */
  onOutfeed?: (value: Literal) => unknown;
}

/**
 * Runs a program. An argument that is not a literal is converted to the shape of its parameter.
 *
 * With `replicas`, the program runs on that many devices: the result is a list with the result of each, and the arguments are
 * those of one device, for all, or those of every device, one list after the other.
 */
export function evaluate(program: Module | string, args: Value[], options: EvaluateOptions & { replicas: number }): Promise<Literal[]>;
export function evaluate(program: Module | string, args?: Value[], options?: EvaluateOptions): Promise<Literal>;

export interface ProgramOptions extends Pick<RunOptions, 'worker' | 'edition' | 'seed' | 'maxSteps' | 'maxBytes'> {
  /** The first arguments, which are the same in every run: they are copied once, and packed. */
  constants?: Value[];
}

/** Compiles a program for repeated runs. It keeps its buffers; with `worker`, it has a worker of its own. */
export function program(program: Module | string, options?: ProgramOptions): Promise<Program>;

/** A program for repeated runs. */
export class Program {
  private constructor();
  /**
   * Why the evaluator runs it; null if it is compiled to a plan, which is faster. The values are the same. `effect`: an op has a side
   * effect, or needs the host or other devices. `layout`: a layout has tiles or padding. `shape`: a size is not static, or a value is
   * opaque or a buffer. `length`: the plan with all calls inlined would be too long. `edition`: XLA 2017. `invalid`: the plan does not
   * support the module for another reason.
   */
  readonly fallbackReason: 'effect' | 'layout' | 'shape' | 'length' | 'edition' | 'invalid' | null;
  /**
   * Runs it on the arguments after the constants. Calls are performed one after another. A signal cancels a run in a worker; on this
   * thread, it is checked only before the run begins.
   */
  run(args?: Value[], options?: Pick<RunOptions, 'signal' | 'onProgress'>): Promise<Literal>;
  /** Frees its memory, or terminates its worker. */
  close(): void;
}

/** A cell that a value was computed from. */
export interface SourceCell {
  /** The index of the operand; of an origin, that of the parameter. */
  operand: number;
  /** The name of the operand's instruction, or of the parameter. */
  name: string;
  /** Tuple indices, the outermost first. */
  path: number[];
  index: number[];
  /** What the cell does in the result. */
  role: 'value' | 'fill' | 'lhs' | 'rhs' | 'low' | 'high' | 'start' | 'update' | 'init' | 'choice';
  /** Its value as XLA prints it; null if it is not known. */
  value: string | null;
}

export interface Provenance {
  instruction: string;
  /** The value of the cell. */
  value: string | null;
  /** The operand cells that were read for it, in order. */
  sources: SourceCell[];
  /** The parameter cells that it depends on, through all instructions between. */
  origins: SourceCell[];
}

export interface ProvenanceOptions extends RunOptions {
  /** The name of an instruction of the entry computation; its root by default. */
  instruction?: string;
  /** The index of the cell; `[]` for a scalar. */
  index?: ArrayLike<number>;
  /** The tuple indices of the array with the cell. */
  path?: ArrayLike<number>;
  /** The maximum number of cells that a trace visits, 16,384 by default. */
  maxCells?: number;
}

/** Runs a program and returns the cells that one cell was computed from. */
export function provenance(program: Module | string, args?: Value[], options?: ProvenanceOptions): Promise<Provenance>;

/**
 * Registers the function that `custom-call` instructions with this target call, and returns a function that removes it. It runs on this
 * thread: a run with `worker: true` and a program for repeated runs reject it with the code `unsupported`.
 */
export function registerCustomCall(target: string, fn: (args: Literal[], shape: Shape) => Value | Promise<Value>): () => void;

/** A picture of an array as the text of an SVG file: its grid above its memory. */
export function svg(
  shape: Shape | string,
  options?: {
    theme?: 'light' | 'dark';
    /** The values of the elements: letters in row-major order (default), numbers, or those of a literal. */
    values?: 'letters' | 'iota' | Literal;
    /** What colours show: the memory slot (default) or the value. */
    colour?: 'slot' | 'value';
  },
): string;

export interface Op {
  opcode: string;
  title: string;
  category: 'unary' | 'binary' | 'movement' | 'reduction' | 'contraction' | 'conversion' | 'source' | 'tuple' | 'control' | 'collective' | 'host';
  summary: string;
  /** The formula of one output cell. */
  formula: string;
  /** Names of the required operands. */
  operands: string[];
  /** The name of further operands; null if there are none. */
  rest: string | null;
  attributes: { name: string; kind: string; isRequired: boolean; description: string }[];
  rules: { rule: string; description: string }[];
  /** Instructions of an entry computation without parameters, and their result. */
  examples: { title: string; hlo: string; result: string }[];
  /** URLs of its sections in XLA's Operation Semantics. */
  documents: string[];
  since: Edition;
}

/** The ops of an edition. */
export function ops(options?: { edition?: Edition }): Op[];

export interface Explanation {
  span: TextSpan;
  /** What the token is. */
  title: string;
  /** What it means here, one sentence each. */
  sentences: string[];
}

/** The explanation of the token at an offset of HLO text, valid or not; null if there is none. Throws `unsupported` for StableHLO. */
export function explain(program: Module | string, offset: number): Explanation | null;

/** Terminates the idle worker that is kept for the next run. */
export function closeWorkers(): void;
