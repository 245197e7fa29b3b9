# Explanations of a program's text, for the pop-up of the editor. Sentences are about the program at hand.

## Titles
inspect-keyword = Keyword
inspect-mark = Mark
inspect-comment = Comment
inspect-element-type = Element type { $type }
inspect-array = Array shape
inspect-dimension = Dimension { $dimension }
inspect-order-title = Dimension order (minor to major)
inspect-layout = Layout
inspect-tile = Tile
inspect-tuple = Tuple shape
inspect-padding-2017 = Padding (XLA 2017)
inspect-element-size-title = Element size
inspect-memory-space-title = Memory space
inspect-tail-alignment-title = Tail padding
inspect-splits-title = Split over memories
inspect-metadata-prefix-title = Dynamic-shape metadata
inspect-sparse-title = Sparse layout
inspect-opcode = Operation { $title }
inspect-opcode-unknown = Unknown operation
inspect-instruction = Instruction { $name }
inspect-operand = Operand { $name }
inspect-computation = Computation { $name }
inspect-module-name = Module
inspect-signature-parameter = Parameter in the signature
inspect-parameter-number = Parameter number
inspect-attribute = Attribute { $name }
inspect-attribute-value = Value of { $name }
inspect-window-field = Window: { $name }
inspect-metadata-field = Metadata: { $name }
inspect-table-field = Source location: { $name }
inspect-literal = Literal
inspect-literal-element = Element of a constant

## Keywords, marks, comments
inspect-word-module = Begins the module. Its name and its attributes follow.
inspect-word-entry = Marks the computation that runs first. Without it, the last computation is the entry.
inspect-word-root = Marks the instruction whose value is the result of the computation. Without it, that is the last instruction.
inspect-word-file-names = Table of the source files. Metadata refers to its rows by their number.
inspect-word-function-names = Table of the source functions.
inspect-word-file-locations = Table of source positions: a file, a function, lines and columns.
inspect-word-stack-frames = Table of call stacks: each row is a source position and the number of its caller’s row.
inspect-word-token = A token has no data. It only orders side effects.
inspect-word-opaque = An opaque value has no elements that XLA interprets.
inspect-mark-arrow = The result follows.
inspect-mark-equals = Shape, opcode and operands of the instruction follow.
inspect-comment-index = XLA’s printer numbers every fifth entry of a long list. The next entry has index { $index }.
inspect-comment-ignored = Comments do not change the program.

## Shapes
inspect-type-float = { $type } is a floating-point type of { $bits } bits: { $exponent } exponent bits and { $mantissa } mantissa bits.
inspect-type-complex = { $type } is a complex number of { $bits } bits: real and imaginary part in { $part }.
inspect-type-signed = { $type } is a signed integer of { $bits } bits, in two’s complement.
inspect-type-unsigned = { $type } is an unsigned integer of { $bits } bits.
inspect-type-pred = { $type } is a truth value. It takes one byte unless the layout packs it.
inspect-scalar = A scalar of { $type }: one value, no dimensions.
inspect-array-sizes = { $sizes } = { $elements } { $elements ->
    [one] element
   *[other] elements
 } of { $type }.
inspect-array-unbounded = An array of rank { $rank } whose size is not known at compile time.
inspect-tuple-elements = A tuple of { $count } { $count ->
    [one] value
   *[other] values
 }.
inspect-bytes = Takes { $bytes } bytes.
inspect-bytes-padded = Takes { $bytes } bytes. { $padding } of them are padding ({ $percent } %).
inspect-dimension-size = Dimension { $dimension } has size { $size }.
inspect-dimension-bounded = Dimension { $dimension } is dynamic: its size is known at run time and is at most { $size }.
inspect-dimension-unbounded = The size of dimension { $dimension } is not known at compile time.
inspect-dimension-stride = Neighbours along it are { $bytes } bytes apart.
inspect-order-row-major = Row-major, the default: dimension { $minor } changes fastest in memory, dimension { $major } slowest.
inspect-order-column-major = Column-major: dimension { $minor } changes fastest in memory, dimension { $major } slowest.
inspect-order = From minor to major: { $order }. Dimension { $minor } changes fastest in memory, dimension { $major } slowest.
inspect-order-only = The only dimension, of size { $size }: its elements are adjacent in memory.
inspect-order-minor = Dimension { $dimension } (size { $size }) is the most minor: its elements are adjacent in memory.
inspect-order-between = Dimension { $dimension } (size { $size }) is at position { $position }, counted from the most minor.
inspect-order-major = Dimension { $dimension } (size { $size }) is the most major: it changes slowest in memory.
inspect-tile-outer = { $count ->
    [one] Dimension { $dimensions } is
   *[other] Dimensions { $dimensions } are
 } stored in blocks of { $sizes } elements, one block after the other.
inspect-tile-inner = Each block of { $outer } is divided again, into blocks of { $sizes }.
inspect-tile-rounds = Dimension { $dimension } is padded from { $size } to { $padded }.
inspect-tile-combine = “*” merges a dimension with the next more minor one before the tile applies.
inspect-element-size = Each element takes { $bits } { $bits ->
    [one] bit
   *[other] bits
 }.
inspect-memory-space-default = Memory space 0 is the device’s main memory.
inspect-memory-space-fast = Memory space 1 is fast on-chip memory (VMEM on TPU).
inspect-memory-space-host = Memory space 5 is the host’s memory.
inspect-memory-space = Memory space { $space } is defined by the compiler’s backend.
inspect-tail-alignment = The number of slots is rounded up to a multiple of { $slots }.
inspect-splits = The physical dimension is split at these indices, and each part is in a memory of its own.
inspect-metadata-prefix = { $bytes } bytes with the dynamic sizes precede the data.
inspect-sparse = Describes a sparse array, which XLA no longer compiles.
inspect-padding-2017-text = XLA 2017 pads the array to these sizes in memory. Current XLA uses tiles instead.

## Names
inspect-opcode-unknown-text = This program does not know the operation { $opcode }.
inspect-formula = Formula: { $formula }
inspect-opcode-required = Required attributes: { $names }.
inspect-instruction-shape = { $op } → { $shape }
inspect-instruction-users = { $count ->
    [0] No instruction uses it.
    [one] One instruction uses it.
   *[other] { $count } instructions use it.
 }
inspect-instruction-root = It is the result of its computation.
inspect-operand-role = Operand { $number } of { $op }: { $role }.
inspect-op-name = In the source program: { $name }
inspect-source = { $file }, line { $line }
inspect-source-function = { $file }, line { $line }, in { $function }
inspect-computation-signature = Takes ({ $parameters }) and returns { $result }.
inspect-computation-size = It has { $instructions } { $instructions ->
    [one] instruction
   *[other] instructions
 }.
inspect-computation-single = It only computes { $op }.
inspect-computation-entry = It is the entry of the module: it runs first.
inspect-computation-callers = { $count ->
    [0] Nothing calls it.
    [one] One instruction calls it.
   *[other] { $count } instructions call it.
 }
inspect-module-name-text = The module has { $computations } { $computations ->
    [one] computation
   *[other] computations
 } and { $instructions } { $instructions ->
    [one] instruction
   *[other] instructions
 }.
inspect-signature-parameter-text = Signatures are only for readers. The parameter instructions in the body decide.
inspect-parameter-number-text = Argument { $number } of the computation, which takes { $count }. Its shape is { $shape }.

## Attributes
inspect-attribute-required = { $op } requires it.
inspect-attribute-optional = It may be omitted.
inspect-note-metadata = Where the instruction comes from in the source program. It does not change values.
inspect-note-sharding = How the value is divided over devices. Values do not change.
inspect-note-frontend-attributes = Notes of the framework for later passes. They do not change values.
inspect-note-backend-config = Settings that one backend’s compiler reads. They do not change values.
inspect-note-control-predecessors = These instructions must run first, although no data flows from them.
inspect-note-parameter-replication = Whether each leaf of the parameter has the same value on all replicas.
inspect-note-statistics = Numbers for profiling tools. They do not change values.
inspect-note-origin = The instruction of the unoptimized program that has the same value.
inspect-note-result-accuracy = How accurate the result must be.
inspect-note-execution-thread = The thread that runs the computation. Values do not change.
inspect-direction-eq = True where both values are equal.
inspect-direction-ne = True where the values differ.
inspect-direction-ge = True where the left value is greater or equal.
inspect-direction-gt = True where the left value is greater.
inspect-direction-le = True where the left value is less or equal.
inspect-direction-lt = True where the left value is less.
inspect-compare-float = Floating-point order: NaN is unequal to everything.
inspect-compare-total = Total order: -NaN < -inf < … < -0 < +0 < … < inf < NaN.
inspect-compare-signed = Order of signed integers.
inspect-compare-unsigned = Order of unsigned integers.
inspect-fusion-loop = One loop over the result computes every element by itself.
inspect-fusion-input = A reduction or scatter is fused with the instructions that compute its input.
inspect-fusion-output = The instructions after a dot or convolution are fused with it.
inspect-fusion-custom = A backend-specific kernel computes the fusion.
inspect-fft = Forward transform of complex numbers.
inspect-ifft = Inverse transform of complex numbers.
inspect-rfft = Forward transform of real numbers. The redundant half of the result is omitted.
inspect-irfft = Inverse transform to real numbers.
inspect-rng-uniform = Uniform in the interval from the first operand up to the second.
inspect-rng-normal = Normal, with the operands as mean and standard deviation.
inspect-rng-three-fry = Threefry 2x32, a counter-based generator.
inspect-rng-philox = Philox 4x32, a counter-based generator.
inspect-rng-default = The generator that the backend prefers.
inspect-transpose-no = The matrices are used as they are.
inspect-transpose-yes = The matrices are transposed.
inspect-transpose-adjoint = The matrices are transposed and conjugated.

## Dimension numbers
inspect-result = the result
inspect-operand-named = { $role } ({ $name })
inspect-dimension-of = Dimension { $dimension } of { $array }, of size { $size }.
inspect-dimension-range = { $array } has no such dimension: its rank is { $rank }.
inspect-index-vector-scalar = One beyond the last dimension: every index is a scalar.
inspect-contracting-lhs = It is paired with dimension { $other } of rhs and summed over.
inspect-contracting-rhs = It is paired with dimension { $other } of lhs and summed over.
inspect-batch-lhs = It is paired with dimension { $other } of rhs and kept.
inspect-batch-rhs = It is paired with dimension { $other } of lhs and kept.
inspect-batching-operand = It is paired with dimension { $other } of the indices: each batch has its own indices.
inspect-batching-indices = It is paired with dimension { $other } of the operand: each batch has its own indices.
inspect-broadcast-entry = Dimension { $index } of the operand becomes dimension { $number } of the result. The result repeats along its other dimensions.
inspect-transpose-entry = Dimension { $index } of the result is dimension { $number } of the operand.
inspect-reduce-entry = The elements along dimension { $number } are reduced to one, so the result does not have it.
inspect-index-map-entry = Component { $index } of an index vector addresses dimension { $number } of the operand.
inspect-offset-entry = Along it the result contains the window’s elements of operand dimension { $dimension }.
inspect-update-window-entry = Along it the update contains the window’s elements of operand dimension { $dimension }.
inspect-slice-size-entry = { $number } of the { $size } elements along operand dimension { $index } are taken.

## Windows
inspect-window-size = Elements of the window in each dimension.
inspect-window-stride = Elements from one window to the next.
inspect-window-pad = Padding before and after the base; negative numbers crop.
inspect-window-lhs-dilate = Distance between adjacent elements of the base. Above 1, holes are between them (transposed convolution).
inspect-window-rhs-dilate = Distance between adjacent elements of the window. Above 1, it has holes (atrous convolution).
inspect-window-reversal = 1: the window’s elements are taken in reverse order.
inspect-window-dimension = Window dimension { $dimension }: { $number }
inspect-window-dimension-pad = Window dimension { $dimension }: { $low } before, { $high } after
inspect-window-whole = Window dimension { $dimension }: { $size } { $size ->
    [one] element
   *[other] elements
 }, stride { $stride }, padding { $low } before and { $high } after
inspect-pad-dimension = Dimension { $dimension }: { $low } before, { $high } after, { $interior } between elements
inspect-slice-dimension = Dimension { $dimension }: indices { $start } up to and without { $limit } of { $size }, in steps of { $stride }
inspect-labels-lhs = lhs { $labels }: dimension { $first } is the batch, { $second } the features; spatial dimensions: { $spatial }
inspect-labels-rhs = rhs { $labels }: dimension { $first } is the input features, { $second } the output features; spatial dimensions: { $spatial }
inspect-labels-out = Result { $labels }: dimension { $first } is the batch, { $second } the features; spatial dimensions: { $spatial }

## Devices
inspect-groups-all = Empty: all devices are one group.
inspect-groups-uniform = { $count } { $count ->
    [one] group
   *[other] groups
 } of { $size }: { $groups }
inspect-groups-mixed = { $count } groups of different sizes: { $groups }
inspect-groups-iota = Short form: the numbers from 0 to { $total }, exclusive, in order.
inspect-groups-iota-transposed = Short form: the numbers from 0 to { $total }, exclusive, as an array of { $sizes }, transposed by { $order }.
inspect-groups-mesh = The groups are the devices along these axes of the mesh.
inspect-groups-replicas = The numbers are replicas: the devices of a group have the same partition.
inspect-groups-partitions = The numbers are partitions of one replica.
inspect-groups-devices = The numbers are devices: replica × number of partitions + partition.
inspect-groups-replicas-and-partitions = The numbers are replicas: a group has all partitions of them.
inspect-pair = { $source } sends to { $target }.
inspect-sharding-replicated = Every device has the whole value.
inspect-sharding-manual = The program divides the value itself: each device has its own.
inspect-sharding-unknown = The sharding is not known yet.
inspect-sharding-unreduced = Each device has a partial sum of the value.
inspect-sharding-maximal = The whole value is on device { $device } alone.
inspect-sharding-mesh = The axes of the mesh in each dimension’s braces divide that dimension.
inspect-sharding-tuple = One sharding for each array of the tuple.
inspect-sharding-dimension = Dimension { $dimension } of size { $size } is divided into { $count } parts of { $part }.
inspect-sharding-copies = Each part is on { $count } devices.
inspect-sharding-iota = “<=” numbers the devices: an iota of the sizes after it, transposed if T follows, assigned to the parts in order.

## Metadata and other annotations
inspect-metadata-op-name = The path of the operation in the source program; in JAX, the nested functions and transformations.
inspect-metadata-op-type = The kind of operation in the source program.
inspect-metadata-source-file = The source file.
inspect-metadata-source-line = The position in the source file.
inspect-metadata-stack-frame = The number of a row of StackFrames: the call stack in the source program.
inspect-metadata-scheduling-name = The name by which schedulers and profiles refer to the instruction.
inspect-metadata-deduplicated-name = The name of an identical fusion that has the same code.
inspect-metadata-profile-type = The kind of profile that guided the compiler here.
inspect-metadata-other = A field for tools. It does not change values.
inspect-backend-window-config = TPU: how the loop over tiles is divided.
inspect-backend-flag-configs = TPU: compiler flags of this instruction.
inspect-backend-scoped-memory = TPU: on-chip memory that the instruction reserves.
inspect-backend-estimated-cycles = TPU: the compiler’s estimate of clock cycles.
inspect-backend-trip-count = The number of iterations of the loop, as the compiler derived it.
inspect-backend-partitions = CPU: into how many parallel tasks the outer dimensions are divided.
inspect-backend-queue = GPU: the stream on which the operation runs.
inspect-frontend-scheduling-group = Instructions of the same group are scheduled together.
inspect-frontend-meshes = The device meshes of Shardy, the partitioner, as MLIR text.

## Header
inspect-header-is-scheduled = Whether the order of the instructions is the order in which they run.
inspect-header-scheduled = Scheduled: instructions run in the order in which they are written.
inspect-header-unscheduled = Not scheduled: only data and control dependences order the instructions.
inspect-header-entry-layout = Shapes and layouts of the arguments and of the result, in memory of the caller.
inspect-header-alias = Results that reuse the memory of an argument.
inspect-header-donor = Arguments whose memory the program may reuse for anything.
inspect-header-alias-passthrough = Whether arguments that are returned unchanged share memory with the result.
inspect-header-replica-count = The number of replicas, which run the same program on different data.
inspect-header-num-partitions = The number of partitions, into which one replica’s arrays are divided.
inspect-header-spmd-parameters = For each parameter, whether the SPMD partitioner may choose its sharding.
inspect-header-spmd-output = For each result, whether the SPMD partitioner may choose its sharding.
inspect-header-spmd-true = The partitioner may choose the sharding of parameter { $number }.
inspect-header-spmd-false = Parameter { $number } keeps the sharding that is written.
inspect-header-origin = How values of the unoptimized program are recomputed from this one.
inspect-header-debug = For debuggers. It does not change values.
inspect-header-stack-frames = The tables of source locations.
inspect-whole-value = the whole value
inspect-element-at = element { $index }
inspect-alias-may = Output { $output } may reuse the memory of parameter { $number }: { $part }.
inspect-alias-must = Output { $output } must reuse the memory of parameter { $number }: { $part }.
inspect-donor = The program may reuse the memory of parameter { $number }: { $part }.
inspect-table-file = The number of a row of FileNames.
inspect-table-function = The number of a row of FunctionNames.
inspect-table-position = Lines and columns, from 1.
inspect-table-location = The number of a row of FileLocations.
inspect-table-parent = The number of the caller’s row, plus one; 1 is the outermost frame.

## Literals
inspect-literal-elided = The printer omitted the values, so results that depend on them are unknown. Print the program with all constants to run it.
inspect-literal-index = Index { $index }.
inspect-literal-exact = { $type } stores { $value }.
inspect-literal-rounded = { $type } cannot store the written number. The nearest value is { $value }.

## Renaming
inspect-rename-nothing = There is no name of this program here.
inspect-rename-invalid = “{ $name }” is not a name. Names begin with a letter or “_”; letters, digits, “_”, “.” and “-” follow.
inspect-rename-taken = The name { $name } is already used here.
inspect-rename-reserved = { $name } is a reserved word, which is a name only after “%”.
inspect-format-errors = Only a program without errors can be formatted: { $error }
