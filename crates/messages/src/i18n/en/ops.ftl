# The English catalogue. Other languages copy its keys. Arguments are named in braces after a dollar sign.

## HLO text
hlo-expected = expected { $expected }, found “{ $found }”
hlo-no-header = the text does not begin with HloModule and a name
hlo-other-language = this is { $language }, not HLO
hlo-hint-export = in JAX, print the HLO with jax.jit(f).lower(…).as_text("hlo")
hlo-async-operand = { $opcode } must have the instruction that it ends as its operand
hlo-async-other = { $opcode } does not belong to { $start }
hlo-async-thread = the thread is { $found }, but the op was started on { $expected }
hlo-async-callers = the computation is called by another async-start, too; each needs its own
hlo-single-user = { $name } must be used once, by the instruction that ends it
hlo-channel = channel and host transfer must be those of { $name }
hlo-tables = the tables of source locations must be FileNames, FunctionNames, FileLocations and StackFrames, with all their fields
hlo-after-single-instruction = without a header, the text is a single instruction, and nothing may follow it
hlo-hint-header = for several instructions, write a module: HloModule, a name, and ENTRY with the instructions in braces
hlo-no-entry = there is no computation to run
hlo-two-entries = two computations are marked ENTRY; only one can be
hlo-two-roots = the computation has a second ROOT; only one instruction can be the result
hlo-empty = the computation has no instructions
hlo-unclosed = this body is not closed
hlo-too-deep = nested deeper than { $limit } levels
hlo-leaves = the tuples of the module have more than { $limit } leaves together
hlo-hint-leaves = use fewer or smaller tuples
hlo-name-equals = without a space before “=”, { $name } is read as the name of an attribute
hlo-name-twice = the name { $name } is already used
hlo-opcode = unknown opcode { $opcode }
hlo-operand = no instruction above is named { $name }
hlo-hint-define = define it above, in the same computation
hlo-operand-shape = { $name } is written as { $written }, but its shape is { $found }
hlo-attribute-twice = duplicate attribute { $name }
hlo-attribute-unknown = { $op } has no attribute { $name }; it has: { $allowed }
hlo-computation = no computation above is named { $name }
hlo-parameter-twice = duplicate parameter number { $number }
hlo-parameter-missing = parameter number { $number } is missing
hlo-interface = the entry layout has { $written }, but the computation has { $found }
hlo-interface-count = the entry layout has { $written } parameters, but the computation has { $found }
hlo-expected-end = expected { $expected }, found the end of the text
hlo-a-closing-bracket = a closing bracket
hlo-a-computation = a computation
hlo-a-name = a name
hlo-a-parameter = a name and a colon
hlo-a-shape = a shape
hlo-a-number = a number
hlo-an-attribute = an attribute name directly followed by “=”
hlo-an-instruction = an instruction
hlo-an-opcode = an opcode
hlo-an-operand = an operand
hlo-attribute-blank = there must be no space between { $name } and “=”
hlo-open-string = this string is not closed on its line
hlo-escape = “{ $text }” is not an escape sequence of C
hlo-hint-backslash = Double the backslash to write a backslash.
hlo-control = the control character U+{ $code } is only allowed inside quotation marks
hlo-stopped = Parsing stopped here after { $errors } errors. Fix those first.
hlo-too-many = The text has more than { $limit } { $what ->
    [instructions] instructions
    [work] parts that need rereading
   *[entries] operands, attributes and list entries
 }, the limit. Split the module or remove what is not needed.
hlo-open-comment = this comment is not closed
hlo-operand-number = { $number } is a number; an operand is the name of an instruction, such as a constant
hlo-operand-below = { $name } is defined further below
hlo-reserved = { $name } is a reserved word
hlo-hint-blank = write a plain space
hlo-hint-callee = define it above: called computations come first
hlo-hint-move-callee = move { $name } up: called computations come first
hlo-stray-word = { $word } stands alone; an instruction is name = shape opcode(operands)
hlo-hint-remove = remove it
hlo-is-mlir = this is MLIR, such as StableHLO, not HLO text
hlo-hint-mlir = open it as StableHLO, or print the program as HLO: lowered.as_text(dialect='hlo') in JAX

## Running modules
eval-cancelled = the run was cancelled
eval-bytes = the values need more than { $limit } bytes of memory at the same time
eval-steps = the run takes more than { $limit } steps
eval-hint-smaller = use smaller arrays or fewer iterations
eval-operand = an operand has no value
trace-no-cell = there is no such cell
trace-no-device = there is no such device
trace-limit = more than { $limit } cells are involved
trace-steps = finding the source cells takes more than { $limit } steps

## ComputationBuilder
builder-operand = operand { $operand } belongs to another builder
builder-attribute = { $op } does not take { $name }={ $value }; its attributes: { $allowed }
builder-lengths = { $name } has { $found } entries where { $other } has { $expected }
builder-broadcast-ranks = { $small } and { $large } have different ranks: broadcast_dimensions must map the dimensions of the smaller one
builder-broadcast-count = broadcast_dimensions has { $found } entries; it needs one for every dimension of { $small }
builder-broadcast-size = dimension { $dimension } has size { $size } and cannot become dimension { $to } of size { $found }: neither is 1
builder-broadcast-order = broadcast_dimensions={"{"}{ $found }{"}"} is not ascending
builder-broadcast-same-rank = both operands have the same rank: omit broadcast_dimensions={"{"}{ $found }{"}"}
builder-broadcast-sizes = dimension { $dimension } has size { $lhs } in { $lhsshape } and { $rhs } in { $rhsshape }: neither is 1
builder-collapse = dimensions={"{"}{ $found }{"}"} are not consecutive and ascending
builder-dot-rank = { $operand } must be a vector or a matrix, but is { $shape }
builder-hint-dot-general = use dot_general, which takes any rank
builder-order = { $type } has neither a lowest nor a highest value: complex numbers have no order
builder-conv-rank = lhs must have a spatial dimension besides batch and feature, but is { $shape }
builder-infeed-layout = the infeed shape { $shape } has no layout
builder-bernoulli-mean = the mean must be f32[], but is { $shape }
builder-bernoulli-shape = the result must be a u32 array, not { $shape }

## Forms of the ComputationBuilder in text
lowering-broadcasting = The builder broadcasts the operands to one shape.
lowering-broadcast-sizes = The builder maps the operand's dimensions to the last dimensions of the result.
lowering-collapse = The builder lowers collapse to a reshape.
lowering-reshape-order = The builder transposes the operand into the order of dimensions first.
lowering-padding = The builder computes the numbers of the named padding.
lowering-static-operands = The builder passes static operands to every call: scalars by a broadcast, others by a loop.
lowering-bernoulli = The builder compares uniform numbers in [0, 1) with the mean.
lowering-dimension = Dimensions counted from the end or named by letter are written as numbers from 0.
lowering-form = HLO lacks { $form }, a form of the builder
lowering-no-padding = named padding needs a window of one size per dimension of the base, without dilation
lowering-becomes = It becomes { $text }
lowering-insert-broadcast = Insert broadcast
lowering-insert-transpose = Insert transpose
lowering-join-starts = Join the start indices to one vector
lowering-write-hlo = Write it as HLO
builder-argument-broadcast-dimensions = For each dimension of the operand of lower rank, the result dimension it becomes.
builder-argument-broadcast-sizes = The sizes of the new dimensions, which are inserted on the left.
builder-argument-dimension-order = The order in which dimensions are collapsed, the slowest-varying first.
builder-argument-named-padding = SAME or VALID; the numbers are computed.
builder-argument-static-operands = The names of the operands that are passed whole to every call.
builder-arguments = Arguments of the builder ({ $count })
named-padding = Named padding
named-padding-alike = No difference here: the windows cover the whole operand, so that SAME adds no padding.
named-padding-rule = SAME: one window per stride, ⌈operand size / stride⌉ in each dimension. Of an odd padding, the extra element is at the end.
named-padding-stride-one = Use SAME with strides of 1
lowered-title = Lowered like the builder does
op-dynamic-slice-starts-2017 = XLA 2017 takes all start indices in one vector

## Operations: violations
op-hint-operand-shape = make { $operand } { $shape }
op-hint-write = write { $text }
op-mixed-precision = { $op } mixes { $types }: XLA accepts the text, but runs it only after a pass has unified the types
op-unbounded = dimension { $dimension } of the operand has an unknown size (?), which { $op } does not support here
op-hint-static = lower the program with static shapes
op-argument-unbounded = parameter { $number } of { $name } is { $shape }: a run needs the size of each dimension
op-hint-convert = convert it first
op-hint-convert-to = insert convert to { $shape }
op-hint-all-gather-multiple = make dimension { $dimension } of the result a multiple of { $size }
op-hint-broadcast = broadcast or reshape it first
op-hint-broadcast-instead = or keep this shape, and insert a broadcast or reshape before the op
op-hint-result = write the result shape before { $op }
op-operand-count = { $op } takes { $expected } operands ({ $names }), not { $found }
op-operand-array = { $operand } must be an array, but is { $shape }
op-result-missing = the shape of { $op } cannot be inferred from its operands and must be written
op-result-array = the result must be an array, but is { $shape }
op-result-differs = the shape is { $inferred }, not { $written }
op-result-type = the result has type { $found }, the operand { $expected }; they must be the same
op-attribute-missing = { $op } needs the attribute { $name }
op-dimension-range = dimension { $dimension } in { $name } is out of range; the rank is { $rank }
op-dimension-repeated = { $name } lists dimension { $dimension } twice
op-entries = { $name } has { $found } entries, but the operand has rank { $rank }
op-other-type = { $other } is { $expected }, { $operand } is { $found }; their types must be the same
op-other-sizes = { $other } is { $expected }, { $operand } is { $found }; their sizes must match
op-element-type = { $op } does not support { $found }; supported element types: { $supported }
op-scalar = { $operand } must be a scalar, but is { $shape }
op-pred = the predicate must be pred, but is { $shape }
op-ordered = { $found } is not ordered
op-permutation = dimensions={"{"}{ $found }{"}"} is not a permutation of the { $rank } dimensions
op-broadcast-size = operand dimension { $dimension } has size { $size }, result dimension { $to } has { $found }
op-reshape-count = the operand has { $operand } elements, but the result has { $result }
op-slice-stride = the stride { $stride } of dimension { $dimension } is not positive
op-slice-range = { $start } to { $limit } is not a valid range of dimension { $dimension }, whose size is { $size }
op-one-dimension = dimensions must list one dimension, not { $found }
op-pad-interior = the interior padding { $interior } of dimension { $dimension } is negative
op-pad-size = negative padding removes more elements than dimension { $dimension } of size { $size } has
op-iota-type = iota does not support { $found }
op-constant-elided = the values of this constant are elided in the text
op-parameter-number = a parameter's number cannot be { $number }
op-convert-sizes = the operand is { $operand }, but the result is { $result }; only the type may differ
op-compare-complex = complex numbers are not ordered: { $direction } is not defined
op-compare-type = type={ $found } does not match { $type }, which needs { $expected }
op-tuple-wanted = the operand must be a tuple, but is { $shape }
op-tuple-index = a tuple of { $count } elements has no element { $index }
op-argument-count = { $name } takes { $expected } { $expected ->
    [one] argument
   *[other] arguments
 }, not { $found }
op-argument-shape = parameter { $number } of { $name } is { $expected }, but the argument is { $found }
op-reduce-pairs = each array needs one initial value, but there are { $found } operands
op-reducer-parameters = { $name } must take { $expected } parameters, but takes { $found }
op-reducer-types = { $name } must take and return { $expected }, but takes { $found } and returns { $result }
op-init = init must be { $expected }, but is { $found }
op-window-entries = the window has { $found } dimensions, but needs { $expected }
op-window-size = the window has size { $found } in dimension { $dimension }; sizes are positive
op-window-stride = the window has stride { $found } in dimension { $dimension }; strides are positive
op-window-base-dilation = the base is dilated by { $found } in dimension { $dimension } (lhs_dilate); dilations are positive
op-window-window-dilation = the window is dilated by { $found } in dimension { $dimension } (rhs_dilate); dilations are positive
op-window-cropped = negative padding removes { $by } elements more than dimension { $dimension } of size { $size } has
op-window-huge = the window or the padded base is too large in dimension { $dimension }
op-window-2017 = XLA 2017 supports neither negative padding nor dilation in windows of { $op }
op-group-count = { $name } is { $found }, but must be positive
op-group-counts = there are { $features } feature groups and { $batches } batch groups; only one of the two counts may exceed one
op-dim-labels = { $found } must label every dimension once: b, f and 0, 1, … for lhs and the result, o, i and 0, 1, … for rhs
op-convolution-rank = { $operand } is { $found }, but dim_labels need rank { $rank }
op-convolution-features = lhs has { $features } features in { $groups } groups, but rhs takes { $inputs }
op-convolution-groups = { $dimension }, of size { $size }, is not divisible into { $count } groups ({ $name })
op-output-features = the output feature dimension
op-batch = the batch dimension
op-convolution-kernel = the window has sizes { $found }, but the kernel has { $kernel }
op-convolution-2017 = XLA 2017 convolutions need a spatial dimension and support neither groups nor reversal
op-select-function = { $name } must take two values of { $expected } and return pred[], but takes { $found } and returns { $result }
op-source-sizes = source is { $found }, but the windows need { $expected }
op-dot-batch-contracting = dimension { $dimension } is in both { $batch } and { $contracting }
op-dot-pairs = { $left } has { $leftcount } entries, but { $right } has { $rightcount }
op-dot-sizes = dimension { $left } of lhs has size { $leftsize }, but dimension { $right } of rhs has { $rightsize }
op-bitcast-memory = { $operand } and { $result } take different amounts of memory
op-region-missing = the called computation cannot be run
op-region-size = a computation called per element takes more than { $limit } steps
op-region-scalar = { $instruction } of { $name } is { $shape }; computations called per element take and return scalars
op-called-shapes = { $name } has { $found }, but { $expected } is needed
op-while-condition = { $name } must return pred[], but returns { $found }
op-conditional-branches = a branch selector of type { $type } needs { $name }
op-conditional-choice = the branch selector must be pred[] or s32[], but is { $shape }
op-start-count = there are { $found } start indices, but the operand has rank { $rank }
op-start-type = start indices must be integer scalars of one type, but this is { $shape }
op-slice-fits = the slice takes { $found } elements of dimension { $dimension }, whose size is { $size }
op-map-dimensions = map must list all dimensions in order: { $expected }
op-map-result = { $name } must return a scalar, but returns { $found }
op-bitcast-complex = the bits of { $from } cannot be read as { $to }: one is complex and the other real
op-bitcast-widths = the widths of { $from } and { $to } do not divide each other
op-bitcast-sizes = { $operand } as { $type } does not match the sizes of { $found }: a narrower type appends a dimension, a wider one removes it
op-at-least = { $name } must be at least { $least }, but is { $found }
op-at-most = { $name } must be at most { $most }, but is { $found }
op-ascending = { $name } must be strictly ascending, but is {"{"}{ $found }{"}"}
op-disjoint = dimension { $dimension } is in both { $a } and { $b }
op-indices-type = indices must be integers, but are { $found }
op-index-vector-dim = index_vector_dim is { $found }, but must be between 0 and { $rank }, the rank of the indices
op-index-components = { $name } has { $found } entries, but an index vector has { $components } components
op-batching-sizes = operand dimension { $operand } has size { $size }, but the paired dimension { $indices } of the indices has { $found }
op-gather-window = the window has { $found } dimensions, but the operand keeps { $kept }
op-gather-collapsed = dimension { $dimension } is collapsed, so its slice size must be at most 1, not { $found }
op-scatter-operands = scatter needs as many updates as operands and one array of indices, but there are { $found } operands
op-updates-type = the updates are { $found }, but the operand is { $expected }
op-updates-rank = the updates are { $found }, but need rank { $rank }
op-updates-batch = dimension { $dimension } of the updates has size { $found }, but the indices have { $size }
op-comparator = { $name } must take { $expected } and return pred[], but takes { $found } and returns { $result }
op-sort-comparator = sort needs a comparator: to_apply is missing
op-topk-rank = topk needs a last dimension, but { $shape } has none
op-topk-k = k is { $found }, but a row has { $size } elements
op-rng-state = the state of { $algorithm } is { $expected }, not { $found }
op-rng-result = the result must be the bits, or a tuple of { $state } and the bits, but is { $found }

## Operations: rules
rule-same-type = The element types are the same.
rule-same-sizes = The sizes are the same.
rule-elementwise-sizes = The sizes are the same. HLO text spells out what the builder broadcasts: scalars, sizes of 1 and lower ranks.
rule-same-shape = Type and sizes are the same.
rule-same-count = The number of elements stays the same.
rule-same-other-sizes = All other sizes are the same.
rule-element-type = The element type is one of { $types }.
rule-entry-a-dimension = There is one entry per dimension of the operand.
rule-dimension-range = Every listed dimension exists.
rule-dimension-once = Every dimension is listed at most once.
rule-one-dimension = One dimension is listed.
rule-permutation = Every dimension is listed once.
rule-broadcast-sizes = A dimension keeps its size.
rule-slice-stride = Strides are positive.
rule-slice-range = Ranges lie within the operand.
rule-scalar = The padding value is a scalar.
rule-pad-interior = Interior padding is not negative.
rule-pad-size = No size becomes negative.
rule-iota-type = The type is numeric.
rule-parameter-number = The number is not negative.
rule-compare-complex = Complex numbers are only compared by EQ and NE.
rule-compare-type = The type of the comparison matches the element type.
rule-pred = The predicate is pred.
rule-select-sizes = The predicate is a scalar or has the sizes of the arrays.
rule-clamp-sizes = Bounds are scalars or have the sizes of the operand.
rule-ordered = The elements are ordered.
rule-tuple = The operand is a tuple.
rule-tuple-index = The element exists.
rule-argument-count = There is one argument per parameter.
rule-argument-shape = Arguments have the shapes of the parameters.
rule-reduce-pairs = There is one initial value per array.
rule-reducer-parameters = The computation takes two parameters per array.
rule-reducer-types = Parameters and results of the computation are scalars of the types of the arrays and initial values.
rule-window-entries = The window has an entry for each dimension it moves along.
rule-window-size = Sizes of the window are positive.
rule-window-stride = Strides are positive.
rule-window-base-dilation = Dilations of the base are positive.
rule-window-window-dilation = Dilations of the window are positive.
rule-window-padded = Padding removes at most the whole dimension, and no size overflows.
rule-group-counts = Group counts are positive, and only one of them exceeds one.
rule-dim-labels = Every dimension has a label, and each label is used once.
rule-convolution-rank = The operands have as many dimensions as labels.
rule-convolution-features = rhs has as many input features as a group of lhs.
rule-convolution-groups = Output features and batch are divisible by the group counts.
rule-convolution-kernel = The window has the sizes of the kernel.
rule-select-function = The selecting computation takes two elements and returns pred[].
rule-source-sizes = The source has one element per window.
rule-dot-pairs = Both sides list the same number of dimensions.
rule-dot-sizes = Paired dimensions have the same size.
rule-same-memory = Both have the same number of slots, of the same width.
rule-while-condition = The condition returns pred[].
rule-while-shapes = Both computations take the operand’s shape, and the body returns it.
rule-conditional-choice = The branch selector is pred[] or s32[].
rule-conditional-branches = There is a computation for each branch.
rule-conditional-shapes = Each computation takes its operand, and all return the same shape.
rule-start-count = There is one start index per dimension.
rule-start-type = Start indices are integer scalars of one type.
rule-slice-fits = The slice fits into the operand.
rule-map-dimensions = All dimensions are listed in order.
rule-map-scalars = The computation takes a scalar of each operand's type.
rule-map-result = The computation returns a scalar.
rule-bitcast-complex = Both types are complex, or neither is.
rule-bitcast-widths = One width divides the other.
rule-bitcast-sizes = Sizes stay the same, except for a last dimension of the narrower parts of an element.
rule-float = The elements are floats.
rule-exponent-bits = There is at least one exponent bit, and the number fits 32 bits.
rule-mantissa-bits = The number of mantissa bits is not negative and fits 32 bits.
rule-indices-type = Indices are integers.
rule-index-vector-dim = index_vector_dim is a dimension of the indices, or their rank.
rule-window-dims-order = Window dimensions are strictly ascending.
rule-window-dims-range = Window dimensions are dimensions of the array that holds the windows.
rule-index-components = An index vector has one component per dimension it addresses.
rule-index-map = Each component addresses a different dimension of the operand.
rule-dropped-dims = Collapsed or inserted dimensions are dimensions of the operand, strictly ascending.
rule-batching-dims = Batching dimensions exist, are listed once, and are neither collapsed nor indexed.
rule-batching-sizes = Batching dimensions come in pairs of equal size.
rule-gather-window = The window has a dimension for each operand dimension that is not collapsed.
rule-gather-collapsed = The slice size of a collapsed dimension is at most 1.
rule-scatter-operands = There are as many updates as operands, and one array of indices between them.
rule-scatter-window = The window has a dimension for each operand dimension that is not inserted.
rule-updates-rank = The updates have the dimensions of the windows and of the indices.
rule-updates-batch = The updates hold one window per index vector.
rule-comparator = The comparator takes two scalars of each operand’s type and returns pred[].
rule-sort-comparator = There is a comparator; only XLA 2017 sorts without one.
rule-topk-rank = The operand has a dimension.
rule-topk-k = A row has at least k elements, and k is not negative.
rule-rng-scalars = The parameters are scalars.
rule-rng-type = A uniform distribution supports integers and floats, a normal one floats.
rule-rng-state = The state matches the algorithm.
rule-rng-result = The result is the bits, or a tuple of the state and the bits.
rule-rng-bits = The bits are read as integers or floats.
rule-rng-state-shape = The state is u64[2].
rule-delta = The delta is not negative.

## Operations: attributes
attr-permutation = The operand dimension of each result dimension.
attr-broadcast-dimensions = The result dimension of each operand dimension.
attr-inferred-dimension = The dimension whose size is inferred.
attr-slice = Start, limit and stride of each dimension.
attr-concatenate-dimension = The dimension along which the arrays are joined.
padding-form = low_high or low_high_interior for each dimension, joined by x: { $example }
fix-of = { $fix } ({ $name })
attr-padding = Low, high and interior padding of each dimension.
attr-dimensions = The dimensions the op applies to.
attr-iota-dimension = The dimension along which values increase.
attr-literal = The value.
attr-parameter-number = The number of the parameter.
attr-direction = How the values are compared.
attr-compare-type = The order by which floats are compared.
attr-index = The index of the element.
attr-to-apply = The computation that is called.
attr-is-composite = Whether the call represents a higher-level op.
attr-fusion-kind = The compiler’s kind of fusion.
attr-aliasing = Which results share memory with operands.
attr-reducer = Combines two values.
attr-window = Size, stride, padding and dilation of the window in each dimension it moves along.
attr-dim-labels = The role of each dimension: b batch, f feature, o and i output and input feature, digits spatial.
attr-feature-group-count = The number of feature groups that are convolved independently.
attr-batch-group-count = The number of batch groups that are convolved independently.
attr-convolution-kind = The compiler’s kind of convolution.
attr-select = Returns whether the first of two elements is selected.
attr-scatter = Combines a value with a source value.
attr-batch-dims = Batch dimensions: paired and kept.
attr-contracting-dims = Contracting dimensions: paired and summed over.
attr-operand-precision = The precision that hardware may compute with.
attr-dot-algorithm = The algorithm that hardware may use.
constant-of = Constant { $name } of { $computation }
attr-condition = Returns whether to run another iteration.
attr-body = Runs in each iteration.
attr-true-computation = Runs if the predicate is true.
attr-false-computation = Runs if the predicate is false.
attr-branch-computations = The computation of each branch index.
attr-dynamic-slice-sizes = The size of the slice in each dimension.
attr-map-dimensions = All dimensions, in order.
attr-exponent-bits = The number of exponent bits that are kept.
attr-mantissa-bits = The number of mantissa bits that are kept.
attr-offset-dims = The result dimensions of the window.
attr-collapsed-slice-dims = The operand dimensions that the result omits.
attr-update-window-dims = The dimensions of the updates that belong to the window.
attr-inserted-window-dims = The operand dimensions that the window omits.
attr-index-map = The operand dimension that each component of an index vector addresses.
attr-operand-batching-dims = The operand dimensions that are paired with dimensions of the indices.
attr-indices-batching-dims = The dimensions of the indices that they are paired with.
attr-index-vector-dim = The dimension of the indices that holds the components of an index vector.
attr-slice-sizes = The size of a window in each dimension of the operand.
attr-indices-are-sorted = Promises that the indices are sorted; values do not change.
attr-unique-indices = Promises that no element is updated twice; values do not change.
attr-sort-dimension = The dimension to sort along.
attr-is-stable = Whether equal elements keep their order.
attr-comparator = Returns whether the left element comes first.
attr-k = The number of elements to return.
attr-largest = Whether to return the largest or the smallest elements.
attr-distribution = The distribution of the numbers.
attr-algorithm = The algorithm that generates the bits.
attr-delta = Added to the state.

## Operations: descriptions
op-abs = The absolute value of each element.
op-negate = The negative of each element.
op-sign = The sign of each element: -1, 0 or 1.
op-ceil = Each element rounded up.
op-floor = Each element rounded down.
op-round-nearest-afz = Each element rounded to the nearest integer, halves away from zero.
op-round-nearest-even = Each element rounded to the nearest integer, halves to even.
op-exponential = e to the power of each element.
op-exponential-minus-one = e to the power of each element, minus one; accurate near zero.
op-log = The natural logarithm of each element.
op-log-plus-one = The natural logarithm of one plus each element; accurate near zero.
op-logistic = The logistic function of each element.
op-tanh = The hyperbolic tangent of each element.
op-sine = The sine of each element.
op-cosine = The cosine of each element.
op-tan = The tangent of each element.
op-erf = The error function of each element.
op-sqrt = The square root of each element.
op-rsqrt = One over the square root of each element.
op-cbrt = The cube root of each element.
op-is-finite = Whether each element is neither infinite nor NaN.
op-not = Each element negated: logically for pred, bit by bit for integers.
op-real = The real part of each element.
op-imag = The imaginary part of each element.
op-popcnt = How many bits of each element are one.
op-count-leading-zeros = How many bits of each element are zero before the first one.
op-add = Sums, element by element; logical or for pred.
op-subtract = Differences, element by element.
op-multiply = Products, element by element; logical and for pred.
op-divide = Quotients, element by element; integers toward zero.
op-remainder = Remainders of the division, with the sign of the dividend.
op-power = Powers, element by element.
op-maximum = The maximum of two arrays, element by element.
op-minimum = The minimum of two arrays, element by element.
op-and = Logical and of pred, bitwise and of integers.
op-or = Logical or of pred, bitwise or of integers.
op-xor = Exclusive or of pred, bitwise of integers.
op-shift-left = Shifts bits left, filling with zeros.
op-shift-right-logical = Shifts bits right, filling with zeros.
op-shift-right-arithmetic = Shifts bits right, filling with the sign bit.
op-atan2 = The angle of the point (rhs, lhs), element by element.
op-complex = Complex numbers from real and imaginary parts.
op-broadcast = Repeats an array along new dimensions.
op-call = Calls a computation.
op-fusion = Runs several instructions as one.
op-clamp = Limits every element to a range.
op-compare = Compares two arrays element by element.
op-concatenate = Joins arrays along a dimension.
op-constant = A value written in the text.
op-convert = Converts every element to another type.
op-copy = The same value, possibly in another layout.
op-dot = Sums products over dimensions of two arrays.
op-get-tuple-element = Returns an element of a tuple.
op-iota = Counts along a dimension.
op-pad = Pads an array at its edges and between elements.
op-parameter = An argument of the computation.
op-reduce = Reduces dimensions of an array with a computation.
op-reduce-window = Reduces each window of an array with a computation.
op-convolution = Slides a kernel over a base and sums products.
op-select-and-scatter = Picks one element per window and adds the source value there.
op-reshape = Changes the sizes of an array; the elements keep their order.
op-reverse = Reverses the order of elements along dimensions.
op-select = Picks every element from one of two arrays.
op-slice = Extracts a range of each dimension.
op-transpose = Reorders the dimensions of an array.
op-while = Repeats body while condition is true.
op-conditional = Runs one of several computations.
op-dynamic-slice = Extracts a block at the given start indices.
op-dynamic-update-slice = Writes one array into another at the given start indices.
op-map = Runs a computation on scalars for every index.
op-bitcast = The same bytes under another shape and layout.
op-bitcast-convert = Reads the bits of each element as another type.
op-reduce-precision = Rounds floats to fewer bits.
op-gather = Reads slices at the given start indices.
op-scatter = Combines updates into an array at the given start indices.
op-sort = Sorts along a dimension, by a comparator.
op-topk = The k largest or smallest elements of each row, and their indices.
op-rng = Random numbers, uniform or normal.
op-rng-bit-generator = Random bits from a named algorithm, and the next state.
op-rng-get-and-update-state = Returns the state of the random numbers and advances it.
op-tuple = Groups values.

## What came after XLA 2017, and what to use instead
edition-op = { $op } is not available in XLA 2017
edition-attribute = the attribute { $name } of { $op } is not available in XLA 2017
edition-operands = { $op } of { $found } operands is not available in XLA 2017, where it takes { $expected }
edition-type = the element type { $type } is not available in XLA 2017
edition-token = tokens are not available in XLA 2017
edition-buffer = buffers are not available in XLA 2017
edition-dynamic = dynamic sizes are not available in XLA 2017
edition-layout = the layout property { $property } is not available in XLA 2017
edition-rewrite = Rewrite it for XLA 2017
edition-remove = Remove { $name }
edition-while-nested = a loop in a loop is not available in XLA 2017: { $name } contains the loop { $instruction }
op-dot-2017-rank = dot takes vectors and matrices in XLA 2017; { $operand } is { $shape }
op-dot-2017-dimension = dot contracts the last dimension of lhs with the first of rhs in XLA 2017: { $name } can only be { $dimension }
op-slice-2017-empty = dimension { $dimension }: empty ranges are not available in XLA 2017; the limit must be greater than the start { $start }
op-slice-2017-stride = dimension { $dimension }: strides are not available in XLA 2017
op-dynamic-slice-2017 = dimension { $dimension }: sizes must be greater than zero in XLA 2017
op-all-reduce-2017 = CrossReplicaSum of XLA 2017 can only add
instead-async = Use the op itself: its two halves came later.
instead-batch-norm = Compute it from Sub, Mul, Add and Reduce.
instead-bitcast = Use Reshape, which keeps the order of the elements.
instead-call = Use Call.
instead-cbrt = Use Pow with 1/3, for numbers that are not negative.
instead-complex = Use two arrays, one of real and one of imaginary parts.
instead-conditional = Compute all branches and select with Select.
instead-copy = Use the operand itself.
instead-dimension-size = Use a constant: in XLA 2017 every size is fixed.
instead-dot = Use Slice, then a Dot for each part.
instead-dynamic = Use Reshape or Pad: in XLA 2017 every size is fixed.
instead-expm1 = Use Exp, then Sub of one.
instead-gather = Use DynamicSlice, in a loop for several slices.
instead-hyperbolic = Use Exp of x and of -x.
instead-iota = Use a constant.
instead-log1p = Use Log of one plus the operand.
instead-logistic = Use Exp: 1 / (1 + exp(-x)).
instead-rng = Use RngUniform.
instead-round = Use Floor of the number plus 0.5.
instead-rsqrt = Use Pow with -0.5.
instead-scan = Use While with DynamicSlice and DynamicUpdateSlice.
instead-scatter = Use DynamicUpdateSlice, in a loop for several updates.
instead-shift-left = Use Mul by a power of two.
instead-shift-right = Use Div by a power of two, for numbers that are not negative.
instead-sine = Use Cos of x - π/2.
instead-sqrt = Use Pow with 0.5.
instead-tan = Use Cos: cos(x - π/2) / cos(x).
instead-token = Omit tokens: in XLA 2017 an Infeed has no operand and returns only the item; the order follows from the data.
instead-tokenless = In XLA 2017 it took no token; that form is not supported here.
instead-topk = Use Sort, then Slice; it gives no indices.
instead-while = Merge both loops into one, with a counter for each in the tuple.
instead-xor = Use Ne, for pred.

## Where the editions differ
difference-all-reduce = A reduction that does not add
difference-compare = A total order of NaN and -0
difference-convert = Widening across signedness
difference-dot = No dimension numbers
difference-groups = Feature groups
difference-infeed = No token
difference-nan = NaN and a number
difference-reduce = A repeated dimension
difference-select = Selection between tuples
difference-sign = The sign of NaN and -0
difference-slice = A stride
difference-sort = No comparator
difference-start = An out-of-bounds start in both editions
difference-types = Other element types
difference-while = A loop in a loop
difference-window = Negative padding
then-all-reduce = CrossReplicaSum sums over all replicas and takes one array.
now-all-reduce = AllReduce reduces with any computation, in groups of replicas, and takes several arrays.
then-clamp = A NaN in the value or a bound is ignored: Clamp is Min of Max, and these return the number.
now-clamp = The result is NaN if the value or a bound is NaN.
then-compare = IEEE order only: with NaN, every comparison but Ne is false, and -0 equals 0.
now-compare = The same by default; type=TOTALORDER orders -0 before 0, and NaN beyond the infinities.
then-convert = An integer widens by the sign of the new type: u8 200 becomes s32 -56.
now-convert = An integer widens by the sign of its own type: u8 200 becomes s32 200.
then-dot = Vectors and matrices only; the last dimension of lhs is contracted with the first of rhs.
now-dot = Any rank; dimension numbers specify the contracting and batch dimensions. Without them nothing is contracted: an outer product.
then-groups = At least one spatial dimension; no groups, no reversed windows.
now-groups = Any number of spatial dimensions, groups of features or batches, and reversed windows.
then-infeed = Infeed has no operand and returns only the item; the order follows from the data.
now-infeed = Infeed takes a token and returns the item with a token, which orders what follows.
then-logical = Logical operations take pred only.
now-logical = Logical operations also take integers, bit by bit.
then-nan = If one operand is NaN, the result is the other one.
now-nan = The result is NaN if either operand is.
then-reduce = One array; a repeated dimension counts once.
now-reduce = Any number of arrays together; repeating a dimension is an error.
then-select = A scalar predicate also selects between two tuples, which count as scalars.
now-select = Only arrays: select each element of a tuple separately.
then-sign = The sign is (0 < x) - (x < 0): 0 for NaN and for -0. Unsigned integers are allowed.
now-sign = The sign of NaN is NaN, and -0 stays -0. Unsigned integers are an error.
then-slice = Ranges without stride; the limit must be greater than the start.
now-slice = Strides are allowed, and so are empty ranges.
then-sort = One array, without comparator. The documents say only “sorts the elements”; here ascending, along the last dimension.
now-sort = A comparator and a dimension; several arrays are sorted together.
then-start = Start indices are not clamped: they wrap around, modulo the size of the dimension. Slice sizes must be greater than zero.
now-start = A start index is clamped to 0 … size - slice size, so the slice is within the operand.
then-unsigned = Unsigned integers are allowed and stay unchanged.
now-unsigned = Unsigned integers are an error.
then-update = Cells of the update past the end are dropped, and a negative start writes nothing. The documents say “modulo update dimension sizes” and call it implementation-defined.
now-update = A start index is clamped to 0 … size - update size, so the whole update is written.
then-while = Neither condition nor body may contain a loop.
now-while = Loops may contain loops.
then-window = Padding is not negative, and there is no dilation.
now-window = Negative padding crops, and base and window may be dilated.

## Operations: formulas that have words in them.
formula-done = out = result of started
formula-all-to-all = out_of_device_j[part i] = operand_of_device_i[part j]
formula-bitcast-convert = bits(out[o]) = bits(operand[o]); narrower: out[o,k] is its k-th part, the lowest first
formula-broadcast = out[o] = operand[e] where e[i] = o[dimensions[i]]
formula-collective-permute = out_of_device_target[i] = operand_of_device_source[i], or 0
formula-concatenate = out[…, o, …] = operand_k[…, o - Σ sizes before k, …]
formula-is-finite = out[i] = operand[i] is neither infinite nor NaN
formula-count-leading-zeros = out[i] = zeros before the first one of operand[i]
formula-dynamic-reshape = out = operand in row-major order, of the sizes given
formula-dynamic-update-slice = out[i] = update[i - s] inside, operand[i] outside, s = clamp(0, start, size - update size)
formula-dynamic-update-slice-2017 = out[i] = update[i - start] inside, operand[i] outside; what lies past the end is dropped
formula-get-dimension-size = out = size of a dimension of operand
formula-infeed = out = (next item of the queue, token)
formula-infeed-2017 = out = next item of the queue
formula-pad = out[o] = operand[(o - low) / (interior + 1)] where that is an element, else padding value
formula-partition-id = out = id of the partition
formula-popcnt = out[i] = number of ones in operand[i]
formula-ragged-all-to-all = out_of_device_j[output_offsets_i[j] + r] = input_i[input_offsets_i[j] + r] for r < send_sizes_i[j]
formula-ragged-dot = out[m, n] = Σₖ lhs[m, k] · rhs[group of m, k, n], or out[g, m, n] = Σ_{"{"}k in group g{"}"} lhs[m, k] · rhs[k, n]
formula-recv = out = (buffer for the value, number, token)
formula-reduce = out[o] = reduce(init, operand[i] for all i that agree with o outside dimensions)
formula-reduce-precision = out[o] = operand[o] rounded to 1 + exponent_bits + mantissa_bits bits
formula-reduce-window = out[y] = reduce(init, operand[(y · stride + k · window dilation - low) / base dilation] for all k inside)
formula-replica-id = out = id of the replica
formula-reshape = out[o] = operand[e] where o and e have the same row-major number
formula-reverse = out[i] = operand[i with size_d - 1 - i_d for d in dimensions]
formula-rng = out[o] ~ U[a, b) or N(mu, sigma)
formula-scan = out[t], carry = to_apply(operand[t], carry) for t = 0, 1, …
formula-select-and-scatter = out[i] = reduce(init, source[y] for all windows y whose chosen element is i)
formula-set-dimension-size = out[i] = operand[i] for i below size
formula-sort = out[.., i, ..] = operand[.., p(i), ..] where p sorts the row
formula-sort-2017 = out[.., i] = the i-th smallest of the row
formula-stochastic-convert = out[i] = trunc(operand[i]) ± (random[i] / 2^bits < fraction of |operand[i]|)
formula-topk = values[.., i] = operand[.., indices[.., i]], the i-th largest of the row
formula-transpose = out[o] = operand[e] where e[dimensions[i]] = o[i]
formula-triangular-solve = op(a) · x = b, or x · op(a) = b

## Literals as JSON
json-at = { $path }: { $message }
json-error = this is not a literal: { $error }
json-shape-or-tuple = a literal has a shape and values, or a tuple
json-no-values = the values are missing
json-not-an-array = values can be given for arrays only, and the shape is { $shape }
json-values-list = the values must be a flat list
json-boolean = { $found } is not true or false
json-integer = { $found } is not an integer, as { $type } needs
json-float = { $found } is not a number, as { $type } needs
json-complex = { $found } is not a pair [re, im], as { $type } needs
json-hint-form = write {"{"}"shape": "f32[2]{"{"}0{"}"}", "values": [1, 2]{"}"} or {"{"}"tuple": […]{"}"}; infinities, NaN and -0 are the strings "Infinity", "-Infinity", "NaN" and "-0"
## The Ops screen
gallery-title = XLA operations, cell by cell
gallery-lead = Open one to change its operands, step through its result, and see which cells every number comes from.
gallery-own-program = Or paste an HLO or StableHLO program: each of its instructions is run and drawn.
gallery-open-own-program = Open the program
gallery-pad = Adds a value around an array and, optionally, between its elements.
gallery-reduce-window = Slides a window over an array: each position becomes one number, as in max pooling.
gallery-convolution = Slides a kernel over an image: each position is a sum of products.
gallery-dot = Row times column: which numbers are multiplied, and in which order.
gallery-gather = Reads slices at the positions given by another array.
gallery-while = Repeats a computation: the carried value, iteration by iteration.
gallery-iteration = after iteration { $number } of { $count }
gallery-more = The list has all { $count } operations.
gallery-more-documents = The list has the { $count } operations of the 2017 document.
catalogue = Operations
catalogue-order = Order of the list
catalogue-documents = 2017 document
catalogue-all = All
entry-2017 = Operation Semantics, 2017
entry-today = today
entry-arguments = Arguments, as the documents name them
examples-documents = From the documents: { $name }
examples-more = More examples
find-op = Find an operation
found-ops = { $count ->
    [one] 1 operation found
   *[other] { $count } operations found
}
find-keys = Arrow down moves to the list below; arrow keys, Home and End move within it.
share-last-valid = The text has an error: the link, the page and the files are of the last program without one.
find-in-all = Under All: { $count ->
    [one] { $count } operation
   *[other] { $count } operations
}
no-such-op = No operation matches. Try another word.
category-movement = Movement
category-reduction = Reductions and windows
category-contraction = Contractions
category-unary = Element-wise, one operand
category-binary = Element-wise, more operands
category-conversion = Conversion
category-control = Control
category-tuple = Tuples
category-source = Sources
op-examples = Examples
op-definition = Formula and rules
open-in-program = Open in Program
large-program = This program has { $instructions } instructions, which is too large for this screen. The Program screen reads it without blocking.
hlo-text = HLO text
hlo-line = Line { $line }:
working-clamped = The start index { $given } in d{ $dimension } is out of range: { $used } is used.
working-wraps = The slice from { $given } runs past the end of d{ $dimension }: XLA 2017 wraps indices around, modulo { $size }.
working-wraps-unsigned = XLA 2017 reads the start index { $given } in d{ $dimension } as the unsigned { $read }, and wraps indices around, modulo { $size }.
working-cut = The update at { $given } runs past the end of d{ $dimension }: XLA 2017 drops the excess.
working-dropped = The start index { $given } is outside d{ $dimension }: XLA 2017 drops the whole update.
role-winner = selected in its window: { $cells }
winner-of-window = { $cell } of { $window }
winners = selected: { $cells }
legend-skipped-padding = padding: skipped
role-slice = copied from the slice { $ranges }
working-more = … { $count } more
made-from = depends on { $count } { $count ->
    [one] cell
   *[other] cells
 }
cell-type-hint = Double-click the cell, or press Enter, to type its value.
use-layout-array = Use { $shape } from Layout
used-by = Used by { $count } { $count ->
    [one] output cell
   *[other] output cells
 }
used-by-named = { $used }: { $cells }
uses-too-many = Too many cells are read to find the uses of this one.
role-value = value
role-fill = padding value
role-lhs = left operand
role-rhs = right operand
role-low = lower bound
role-high = upper bound
role-start = start index
role-update = { $operand }
role-init = initial value
role-choice = compared
attribute-cell = { $name } of dimension { $dimension }
attribute-absent = not set
no-attributes = This operation takes no attributes.
more-attributes = { $count } more { $count ->
    [one] attribute
   *[other] attributes
 }
computation-in-text = Edit in the HLO text
computation-in-text-of = Edit in the HLO text: { $name }
padding-low = low
padding-high = high
padding-interior = interior
slice-start = start
slice-limit = limit
slice-stride = stride
window-size = size
window-stride = stride
window-base-dilation = lhs dilate
window-dilation = rhs dilate
window-reversal = reversal
move-earlier = Move dimension { $dimension } earlier
move-later = Move dimension { $dimension } later
panel-label = { $title }, { $shape }
operand-shape = Shape
result-shape-field = Shape and layout of the result
operand-cell = { $index }: { $value }
operand-no-cell = no cell chosen
show-memory = Memory
open-in-layout = Open in Layout
open-in-layout-iota = With the values 0, 1, 2 …: there are too many values for a link
values-of = Values
values-typed = typed
values-iota = 0, 1, 2 …
values-random = random
values-again = Draw again
values-typed-of = Values of { $name }
values-pending = Enter applies the values
values-name = { $name }
values-on-replica = { $name } on replica { $replica }
values-show-replica = Show replica { $number }
values-unreadable = the values cannot be read: { $why }
values-stale = Result of the previous values; fix { $name }{ $more ->
    [0] {""}
   *[other] {" "}and { $more } more
} to run.
values-not-run = Nothing has run; fix { $name }{ $more ->
    [0] {""}
   *[other] {" "}and { $more } more
} to run.
text-stale = Result of the last program without errors; fix the error to run.
stale = previous result
attribute-not-number = Enter an integer; { $typed } is ignored.
operands-window = Operands
results-window = Results
chain-window = Instructions
queue-window = Items
functions-window = Functions
signature-more = … { $count } more
parameters = Parameters
result = Result
result-shape = shape
steps = steps
previous-output = Previous output cell
next-output = Next output cell
output-cell = Output cell
output-of = output { $cell } / { $last }
output-alone = The result has one cell: there is nothing to play.
copy-as = Copy as
ops-key-arrows = move in an array
ops-key-step = previous, next output cell
ops-key-play = play or pause
ops-key-pin = pin a cell of an operand, or clear the pin
ops-key-zoom = zoom the array
ops-key-undo = undo, redo
ops-key-share = share
ops-key-help = show this help
ops-help-cells = Step through the output cells, or point at one: its source cells are highlighted and numbered in the order they are read, and the line below shows the arithmetic.
ops-help-back = Point at a cell of an operand to see every output cell that uses it.
ops-help-text = Everything is one HLO text. The form edits it; you can also edit it yourself, paste your own, or copy it into any other XLA tool.
ops-help-values = Operands hold typed values, 0, 1, 2 … in row-major order, or random numbers from a seed.
ops-help-private = Everything runs in this page. Nothing is sent anywhere.
chain = Instructions
chain-choose = Apply an operation to { $shape }
chain-rejected = These operations do not accept { $shape }
chain-no-operand = It has no array operand.
chain-pair = It is half of a pair: write both in the HLO text.
chain-constant = Its other values have another shape: write it in the HLO text.
graph = Graph of the program
graph-part = { $shown } of { $total } instructions, those nearest to the selected one
graph-numbers = Lines go from an operand down to its user; where there are several, numbers give their order.
graph-loop = The body runs while the condition is true, and its result is the next value of both.
graph-operands = operands: { $names }
graph-undrawn = { $count } more { $count ->
    [one] computation
   *[other] computations
 }
graph-in-text = Show in the HLO text
chain-from-layout = This is your array of the Layout screen, with its order but without padding and tiles. Add an operation to run it on this array; the list of operations opens examples with arrays of their own.
chain-append = Add operation…
chain-origins = Depends on { $count } { $count ->
    [one] input cell
   *[other] input cells
 }
result-value = value
## Host and devices: deadlocks
hlo-infeed-order = { $second } does not depend on { $first }; tokens must order all instructions that read the infeed
hlo-hint-token = pass it the token of the other instruction, or of its caller
waiting = Deadlock: { $waits }
wait-for = { $name } waits for { $what }
wait-and = { $first }; { $second }
wait-device = on device { $device } { $waits }
wait-finished = device { $device } has finished
wait-future = a value
wait-infeed = an infeed item { $shape }, and the queue is empty
wait-custom = the function { $name }
wait-meet = { $count ->
    [one] device { $devices }
   *[other] devices { $devices }
 }
wait-receive = an item on channel { $channel }
wait-received = a receiver on channel { $channel }
wait-hint-async = provide it before the run, or run asynchronously
trace-outside = a host value that this cell depends on was not kept
outside-shape = the host sent { $found }, but { $expected } is needed
custom-failed = the function { $name } failed: { $why }
replicas-partitions = Each replica of the module has { $partitions } partitions, so that { $devices } devices cannot run it. Use a multiple of { $partitions }.
replicas-arguments = there are { $expected } devices, but arguments for { $found }

## Host and devices: violations
op-token = the operand must be a token, but is { $shape }
op-hint-token = use the token of an after-all
op-infeed-shape = the shape of an infeed must be (item shape, token[]), not { $shape }
op-infeed-nested = an item is an array or a tuple of arrays, not { $shape }
op-outfeed-shape = outfeed_shape is { $found }, but the operand is { $expected }
op-custom-target = the target of a custom call cannot be empty
op-custom-layouts = { $found } are not the shapes of the operands, with layouts
op-custom-unknown = no function is registered for the target { $name }; registered: { $known }
op-hint-custom = register a function named { $name } with the host
op-transfer = the operand of a send-done or recv-done, and the result of a recv, is (value, u32[], token[]), not { $shape }
op-async-operand = this is not the result of the matching start: { $shape }
op-groups-iota = { $found } is not a list of groups; expected [groups,size]<=[count] or [groups,size]<=[sizes]T(order)
op-groups-empty = a group cannot be empty
op-groups-number = { $number } is not a device number
op-groups-twice = device { $number } is in the groups twice
op-groups-missing = device { $number } is in no group
op-groups-sizes = the groups have different sizes
op-groups-devices = the groups list { $named } devices, but { $count } run
op-group-size = the shapes need { $needs } devices, but a group has { $found }
op-group-divides = { $size } is not divisible by the { $found } devices of a group
op-global-ids = use_global_device_ids needs a channel_id
op-all-gather-size = dimension { $dimension } of the result has size { $found }, which is not { $size } from each of { $count } devices
op-reduce-scatter-size = dimension { $dimension } of the result has size { $found }, which is not { $size } split among { $count } devices
op-all-to-all-array = with dimensions there must be one operand, not { $found }
op-all-to-all-operands = there must be one operand for each of the { $count } devices, not { $found }
op-parts = dimension { $dimension } has size { $size }, which is not divisible by { $count } devices
op-permute-pair = { $found } is not a pair of a source and a target
op-permute-source = device { $number } is the source of two pairs
op-permute-target = device { $number } is the target of two pairs
op-permute-devices = a pair lists device { $number }, but only { $count } run
op-hint-permute-devices = list only devices 0 to { $last }, or run more devices
op-permute-number = a pair lists device { $number }; device numbers must be below { $limit }
op-permute-in-place = slices that are sent into a buffer are read, but not run
op-ragged-numbers = { $operand } must be a list of integers as long as the others, but is { $shape }
op-ragged-count = the lists have { $found } entries, which is not divisible by { $count } devices

## Host and devices: rules
rule-token = The operand is a token.
rule-infeed-shape = The shape is that of an item and a token.
rule-infeed-nested = The item is an array or a tuple of arrays.
rule-outfeed-shape = The written shape is the operand’s.
rule-custom-target = The target is not empty.
rule-custom-layouts = The layouts are those of the operands' shapes.
rule-custom-shape = The shape of the result is written.
rule-transfer = The operand is the result of the matching start.
rule-transfer-shape = The shape is that of a value, a number and a token.
rule-async-operand = The operand is the result of the matching start.
rule-groups = Groups are lists of device numbers.
rule-groups-once = Each device is in one group.
rule-groups-all = Every device is in a group.
rule-groups-sizes = All groups have the same size.
rule-global-ids = Global device numbers need a channel.
rule-all-gather-size = The result has the size of all operands together.
rule-reduce-scatter-size = The result has the size of one part.
rule-all-to-all-array = One operand is split along a dimension.
rule-all-to-all-parts = All devices get parts of the same size.
rule-all-to-all-operands = There is one operand for each device.
rule-permute-pairs = Each pair is a source and a target.
rule-permute-once = A device sends once and receives once.
rule-permute-devices = Device numbers are below 65,536.
rule-permute-in-place = With slice_sizes the operands are a buffer to send from, one to receive into, and for each a tuple with the offsets of the slices
rule-ragged-rows = Input and output have the same type and rows of the same sizes.
rule-ragged-numbers = Offsets and sizes are lists of integers of the same length.
rule-ragged-count = Each device has the same number of entries.

## Host and devices: attributes
attr-replica-groups = The groups of devices that communicate: lists of numbers.
attr-channel = The channel number.
attr-constrain-layout = Whether all devices must use the same layout; values do not change.
attr-global-ids = Whether the groups list devices rather than replicas.
attr-permute-slices = The sizes of the slices that are sent, of a permutation in place
attr-group-mode = What the numbers in the groups identify; the channel and use_global_device_ids decide it
attr-one-dimension = The dimension along which arrays are split or joined.
attr-source-target-pairs = Pairs of a sending and a receiving device.
attr-feed-config = Passed to the queue; values do not change.
attr-outfeed-shape = The shape and layout that is sent to the host.
attr-domain = The shardings on both sides; values do not change.
attr-custom-target = The name of the function.
attr-custom-layouts = The layouts that the function requires.
attr-custom-effect = Whether the function has side effects.
attr-custom-called = Computations that the function may call.
attr-custom-kept = Passed to the function; not interpreted here.
attr-host-transfer = Whether the other side is the host.
attr-async-thread = The name of the thread; values do not change.
attr-prefetch = The number of a prefetch; values do not change.

## Host and devices: descriptions of ops
op-all-reduce = Reduces arrays across devices, element by element.
op-all-gather = Concatenates arrays of all devices along a dimension.
op-all-to-all = Sends a part from every device to each device.
op-reduce-scatter = Reduces arrays across devices and distributes the result.
op-collective-permute = Sends arrays between devices.
op-collective-broadcast = Sends the first device’s array to all devices.
op-ragged-all-to-all = Sends some rows from every device to each device.
op-replica-id = The id of the current replica.
op-partition-id = The id of the current partition.
op-custom-call = Calls a user-supplied function.
op-infeed = Takes the next item from a queue.
op-outfeed = Sends a value to the host.
op-after-all = A token that depends on other tokens.
op-add-dependency = The same value, depending on a token.
op-opt-barrier = The same value; the compiler moves nothing across it.
op-domain = The same value, at the boundary of two shardings.
op-send = Sends a value to a channel.
op-send-done = Completes a send.
op-recv = Starts receiving a value from a channel.
op-recv-done = Returns the value received from a channel.
op-async-start = Starts an op.
op-async-update = Continues an op that was started.
op-async-done = Returns the result of an op that was started.

## Host and devices: panels of the Ops screen
world = Host and devices
world-simulated = simulated in this page
queue = Infeed queue
queue-wants = A run takes items of shape { $shapes } from the top.
queue-each = Every replica has a queue like this.
queue-stops = The run waits here for another item.
queue-item = item { $number }
queue-remove = remove item { $number }
queue-taken = taken
queue-left = queued
queue-empty = The queue is empty.
queue-add = Add an item
outfeed = Outfeed
outfeed-none = Nothing was sent.
replicas = Replicas
replicas-count = Number of replicas
replicas-rule = Each replica holds values { $step } higher than the one before; random values use the next seed. To give a replica its own values, choose it and edit its operands.
replicas-crossed = { $count ->
    [0] The highlighted cell depends on no cell of another replica.
    [one] The highlighted cell depends on one cell of another replica.
   *[other] The highlighted cell depends on { $count } cells of other replicas.
}
replica = Replica { $number }
replica-array = replica { $number }, { $name }, { $shape }
replica-lit = { $count ->
    [0] no cell highlighted
    [one] one cell highlighted
   *[other] { $count } cells highlighted
}
replica-reset = Reset its values
replica-more = { $count } more { $count ->
    [one] array
   *[other] arrays
}
replica-finished = Finished.
draw = Random numbers
draw-seed = Seed
draw-again = Draw again
draw-note = The numbers come from this page’s own generator (Philox): the same for the same seed on every machine, but not XLA’s.
draw-said = { $count } numbers with mean { $mean } and standard deviation { $deviation }; the distribution has { $wanted-mean } and { $wanted-deviation }.
js-label = Function { $name }
js-help = JavaScript: inputs[i].shape and inputs[i].data are an operand, row by row; write the result into output.data. A tuple is a list. It runs in a sandbox without network, for at most { $seconds } seconds.
js-run = Run this code
js-held = This code came with the link. It has not run: read it first.
js-unseen = This code came with the link and has not run. Scroll to its end to enable the button.
js-too-long = This code came with the link and does not run: more than 64 KiB cannot be reviewed.
js-review = Code that came with the link
js-size = { $lines ->
    [one] One line
   *[other] { $lines } lines
}, { $characters ->
    [one] one character.
   *[other] { $characters } characters.
}
js-hidden = { $count ->
    [one] One invisible or text-moving character is written as an escape.
   *[other] { $count } invisible or text-moving characters are written as escapes.
}
js-framed = In a frame this code can only be read: open the page by itself to change it, or to run what came with a link.
js-missing = This function does not exist yet. Start from this template.
js-running = Running…
js-ready = It runs again whenever its operands change; edited code runs only when you start it.
sandbox-failed = the sandbox could not be started
sandbox-time = it ran longer than { $seconds } seconds and was stopped
sandbox-error = { $why }
sandbox-line = line { $line }: { $why }
sandbox-shape = it did not return { $shape }
op-asin = The arcsine of each element.
op-acos = The arccosine of each element.
op-sinh = The hyperbolic sine of each element.
op-cosh = The hyperbolic cosine of each element.
op-asinh = The inverse hyperbolic sine of each element.
op-acosh = The inverse hyperbolic cosine of each element.
op-atanh = The inverse hyperbolic tangent of each element.
op-mulhi = The upper half of each product, element by element.
op-batch-norm-training = Normalizes an array feature by feature, and returns the means and variances.
op-batch-norm-inference = Normalizes an array feature by feature with given means and variances.
op-batch-norm-grad = The gradients of a normalization, by the operand, the scale and the offset.
op-cholesky = Factors positive definite matrices into a triangular one and its conjugate transpose.
op-triangular-solve = Solves systems of equations with triangular matrices.
op-fft = The discrete Fourier transform over up to three dimensions.
attr-epsilon = Added to variances before the square root.
attr-feature-index = The feature dimension; each feature is normalized separately.
attr-cholesky-lower = Whether the lower or the upper triangle is read and returned.
attr-left-side = Whether the matrices are to the left of the unknowns.
attr-lower = Whether the lower or the upper triangle is read.
attr-unit-diagonal = Whether the diagonal is taken as 1 and not read.
attr-transpose-a = Whether the matrices are transposed, or transposed and conjugated.
attr-fft-type = Forward or inverse, of complex numbers or of real ones.
attr-fft-length = The sizes of the transformed dimensions, the last ones of the operand.
rule-feature-index = The feature dimension exists.
rule-feature-vector = Vectors have one float per feature.
rule-float-complex = The elements are floats or complex numbers.
rule-matrices = The operand has at least two dimensions.
rule-square = The matrices are square.
rule-same-rank = The ranks are the same.
rule-shared-dimension = As many equations as unknowns.
rule-same-batch = The batches have the same sizes.
rule-fft-rank = One to three dimensions are transformed.
rule-fft-operand-rank = The operand has the transformed dimensions.
rule-fft-type = FFT, IFFT and IRFFT take c64 or c128, RFFT takes f32 or f64.
rule-fft-length = The lengths are the operand's sizes; the last one of IRFFT is that of the result.
op-feature-vector = { $operand } must be a vector of { $count } floats, but is { $shape }
op-square = the last two dimensions of { $operand } must be equal, but it is { $shape }
op-matrices = { $operand } must have at least two dimensions, but is { $shape }
op-shared-dimension = a is { $a } and b is { $b }; dimension { $dimension } of b must be as large as the matrices of a
op-fft-rank = one to three dimensions can be transformed, not { $found }
op-fft-operand-rank = { $found } dimensions are to be transformed, but the operand is { $shape }
op-fft-length = the length { $length } does not match size { $size } of dimension { $dimension }
op-stochastic-convert = Rounds floats to integers, up or down by random bits.
op-ragged-dot = Sums products of groups of rows, each with its own right operand or its own sum.
op-scaled-dot = Sums products of arrays whose blocks have scales.
op-scan = Scans arrays slice by slice with carried values.
attr-ragged-dims = The dimension of lhs that is divided into groups.
attr-group-dims = The dimension of rhs with one entry per group.
attr-scan-dimension = The dimension to scan along.
attr-num-carries = How many of the last operands are carried.
attr-is-reverse = Whether the scan starts at the end.
attr-is-associative = Whether steps may be combined in another order.
rule-random-type = The random numbers are unsigned and as wide as the operand's type.
rule-stochastic-result = The result holds signed integers.
rule-ragged-dimension = One dimension of lhs is ragged.
rule-group-dimension = A free ragged dimension has one group dimension, which is free too; other ragged dimensions have none.
rule-group-sizes = There is one size per group.
rule-group-sizes-type = The sizes are integers.
rule-scale-sizes = Scales have the rank of their array, and their sizes divide its sizes.
rule-scaled-dot-result = The result holds floats.
rule-num-carries = There is an array before the carries.
rule-scan-sizes = All arrays have the same number of slices.
rule-scan-carries = The last results are the carries.
op-random-type = the random numbers must be { $expected }, but are { $found }
op-ragged-dimension = one dimension must be ragged, not { $found }
op-group-dimension = { $found } group dimensions are listed, or one is a batch or contracting dimension
op-group-sizes = the group sizes must be [{ $expected }], but are { $found }
op-group-sizes-type = the group sizes must be integers, but are { $found }
op-scale-sizes = the scales are { $scale }, which does not match { $array }
op-num-carries = { $found } of { $operands } operands cannot be carried
op-scan-result = { $name } returns { $found }, which cannot be stacked
op-get-dimension-size = The size of a dimension when the module runs.
op-set-dimension-size = Limits a dimension to the size that an operand gives.
op-dynamic-reshape = Reshapes an array to sizes that operands give.
attr-size-dimension = The dimension whose size is read or set.
rule-size-scalar = The size is s32[].
rule-size-count = There is one size per dimension of the result.
rule-size-scalars = Sizes are integer scalars.
op-size-scalar = the size must be s32[], but is { $found }
op-size-count = there are { $found } sizes, but the result has rank { $rank }
op-size-scalars = sizes must be integer scalars, but this is { $found }
op-dynamic-size = the size { $size } does not match { $bound } elements
op-dynamic-fixed = the shape of { $op } is fixed by the text, but an operand is smaller than its bound

## Running off the main thread
run-under-way = Running …
run-escape = Press Esc to cancel.
run-cancel = Cancel
run-at = { $instruction }: { $steps } steps so far
run-again = Run again
run-stopped = The run was cancelled.
run-as-of-before = Showing the previous run.
run-held = This calls a function that came with the link. It does not run in a frame: open it in the playground and read it first.
run-failed-at = At { $instruction }.
run-left-out = Some values are too large to show here.
uses-counting = Finding the uses of this cell …
values-continued = The consecutive values of { $name } were continued to { $shape }.
values-fitted = The values of { $name } were fitted to { $shape }: elements of both shapes were kept, new ones are 0.
values-too-long = The text of the values has { $bytes } bytes; the limit is { $limit }. Choose random or ascending values for larger arrays.

## The Ops screen: steps within a cell, moved elements, editions
ops-key-within = previous, next step within the output cell
category-collective = Collectives
category-outside = Host and devices
inner = Inside this cell
inner-previous = Previous step within the cell
inner-next = Next step within the cell
inner-application = application
inner-product = product
inner-read = read
inner-step = { $what } { $number } of { $count }: { $text }
inner-whole = inside this cell: { $count } { $count ->
    [one] { $what }
   *[other] { $what }s
  }
iterations = Carried values
iteration = Iteration
iteration-previous = Previous iteration
iteration-next = Next iteration
iteration-of = after { $number } of { $count } iterations
iteration-of-more = after { $number } of at least { $count } iterations
iterations-cut = The loop had not ended here: its condition was still true.
iterations-endless = This loop never ends: the carried values repeat, and its condition stays true.
iterations-first = The first { $count } parts are shown.
result-without-array = It contains no array: a token only orders instructions and has no cells.
hlo-hint-back = Discard the edits: revert to the program that ran last
result-not-run = This did not run: the result of the program does not need it.
iterations-call = This loop calls your function. It is not called a second time just to show the carried values.
moving-nothing = bitcast: nothing moves
moving-copies = { $all } elements, each a copy of one of { $from } { $from ->
    [one] element
   *[other] elements
  }
moving-some = { $moved } of { $all } { $count ->
    [one] elements moves
   *[other] elements move
  } to another slot{ $new ->
    [0] { "" }
    [one] { "" }, 1 is filled in
   *[other] { "" }, { $filled } are filled in
  }
moving-large = Too many elements to show each move in memory.
moving-show = Show moves in memory
moving-from = Memory of the operand
moving-to = Memory of the result
edition = Edition
edition-now = Current XLA
edition-2017 = XLA 2017
computed-2017 = Computed with XLA 2017.
entry-current = Computed with current XLA.
entry-use-2017 = Use XLA 2017
edition-joined = XLA 2017 takes the start indices in one vector: { $scalars } became { $vector }, with the same values.
edition-joined-one = XLA 2017 takes start indices in a vector: { $vector } became a vector of one element, with the same value.
edition-split-one = The start index { $vector } is a scalar again, with the same value.
edition-split = The start indices are scalars again: { $vector } became { $scalars }, with the same values.
edition-shown-current = Shown in current XLA: { $why }. The next operation opens in XLA 2017 again.
edition-shown-2017 = Shown in XLA 2017: { $why }. The next operation opens in current XLA again.
edition-of-example = This example demonstrates XLA 2017. The next operation opens in current XLA again.
example-edited = Edited: { $title }
example-restart = Back to the example
example-open = Open the first example
edition-switch = Use current XLA
edition-both = The same in both editions.
edition-example = Example
edition-later = Not available in XLA 2017.
editions-compare = Compare with the other edition, cell by cell
editions-rejected = { $edition } rejects this: { $why }
editions-other-form = { $edition } does not accept this program, whatever its values: { $why }
editions-show-example = Show the example of { $edition }
editions-call = Not compared: your function would have to be called again for the other edition.
editions-shape = { $edition } returns another shape: { $shape }
editions-agree = The editions agree here: { $count ->
    [one] the one cell is the same
   *[other] all { $all } cells are the same
  }.
editions-differ = The editions differ in { $count } of { $all } cells, marked by a corner.
editions-values = Values in { $edition }:
choose-op = Choose an operation
attribute-numbers = Numbers of each dimension

## Copy as
export-text = Text and programs
export-picture = The picture, { $cell } highlighted
export-picture-of = The picture of { $instruction }, { $cell } highlighted (select another instruction for its own)
as-rust = Rust, builder calls
as-jax = JAX
as-numpy = NumPy
as-tikz = LaTeX (TikZ)
as-gif = Animated GIF
copy-format = Copy { $format }
save-format = Save { $format } as a file
save-as-file = Save
export-missing = Not exported: { $ops }. The program stops there with an error.
export-unknown = The text has errors, or an unknown opcode.
export-too-large = There are too many values to write out.
export-no-array = There is no array to draw.
export-many-arrays = { $arrays } arrays are too many for one picture; the limit is { $most }.
export-saved = Saved.
export-failed = The browser could not draw it.
picture-of-op = The operands, the op and its result as grids. The source cells of the highlighted output cell are coloured by role.
tikz-too-large = More than { $cells } cells take too long in TeX.
gif-frames = { $frames ->
    [one] One frame.
   *[other] { $frames } frames, one per output cell.
}
gif-too-large = { $frames ->
    [one] The picture is too large for an animation.
   *[other] Too large: { $frames } output cells. An animation has at most { $most } frames and 160 million pixels.
}
gif-making = Frame { $frame } of { $frames }
gif-cancel = Cancel
## What computed a value, and why
run = Run settings
run-on-kernels = on SIMD kernels
run-on-fast = on fast SIMD kernels
run-on-scalar = on kernels without SIMD
run-fast = fast kernels allowed
run-off = reference evaluator only
run-checked = compared with the reference evaluator
made = computed by
made-strict = kernel { $name }{ $workers ->
    [1] { "" }
   *[other] , in { $workers } workers
}, the same bits on every machine
made-fast = kernel { $name }{ $workers ->
    [1] { "" }
   *[other] , in { $workers } workers
}, fast: rounding may differ
made-scalar = kernel { $name }, without SIMD, the same bits on every machine
kernels = Compute large ops with
kernels-strict = strict kernels (same bits everywhere)
kernels-fast = fast kernels (rounding may differ)
kernels-off = reference evaluator
kernels-compare = Compare with the reference evaluator, cell by cell
kernels-same = { $count ->
    [one] The one cell has the same bits as in the reference evaluator.
   *[other] All { $all } cells have the same bits as in the reference evaluator.
  }
kernels-near = { $differing } of { $all } cells differ from the reference evaluator, none by more than { $units ->
    [one] one step between neighbouring values of the element type
   *[other] { $units } steps between neighbouring values of the element type
  }: { $cell } is { $kernel } by the kernel, { $definition } by the reference evaluator.
kernels-other = { $differing } of { $all } cells differ from the reference evaluator: { $cell } is { $kernel } by the kernel, { $definition } by the reference evaluator.
fallback-no-kernel = reference evaluator (no kernel for this op)
fallback-small = reference evaluator (too small for a kernel)
fallback-layout = reference evaluator (kernels support neither tiles nor packed elements)
fallback-page = reference evaluator (small enough to run on the page)
fallback-host = reference evaluator (no kernels in runs with a host or several devices)
fallback-element-type = reference evaluator (no kernel supports { $opcode } with these element types: { $types })
fallback-unsupported = reference evaluator (no kernel supports { $opcode } with these shapes and attributes: { $types })
fallback-unavailable = reference evaluator, with the same values but slower. { $cause }
fallback-computation = reference evaluator (no kernel supports this computation)
fallback-observed = reference evaluator (every call is being observed)
fallback-edition = reference evaluator (the op differs in this edition)
fallback-values = reference evaluator (no kernel supports these values)
fallback-off = reference evaluator
## Links to the documents
op-sections = Documentation
ops-key-find = find an operation

## Examples of ops
shows-training = Normalize, with mean and variance
shows-normalized = Only the normalized array
shows-elements = Element by element
shows-gradients = All three gradients
shows-one-of-tuple = Only the gradient of the scale
shows-same-bytes = The same bytes under another shape
shows-float-bits = The bits of a float as an integer
shows-float-bytes = Each float as four bytes
shows-bytes-to-floats = Four bytes as one float
shows-nibbles = Each byte as two 4-bit integers
shows-scalar-everywhere = A scalar in every cell
shows-vector-columns = One element for each row
shows-square = A function that squares
shows-fused = A fused negation
shows-lower = Lower triangle
shows-complex-numbers = Complex numbers
shows-not-definite = Not positive definite: NaN
shows-clamped = Clamped to 0 … 6
shows-one-replica = A single replica
shows-one-replica-tuple = A single replica, as a tuple
shows-one-partition = A single partition
shows-to-itself = One replica sends to itself
shows-nothing-sent = Nothing arrives: zeros
shows-less = Less than
shows-nan-zero = NaN and negative zero
shows-total-order = NaN and negative zero in total order
shows-three-vectors = Three vectors
shows-one-more-row = One more row
shows-if-else = If and else
shows-by-index = A branch by its index
shows-index-outside = An index out of range: the last branch
shows-two-numbers = Two numbers
shows-truncated = Floats to integers: the fraction is dropped
shows-integers-to-floats = Integers to floats
shows-saturated = Out of range and NaN
shows-valid = Windows within the image (valid)
shows-same = As large as the image (same)
shows-stride-two = Every second position
shows-uneven-padding = Padding on two sides
shows-dilated-kernel = Dilated kernel (atrous)
shows-dilated-image = Dilated image (deconvolution)
shows-reversed-kernel = Reversed kernel
shows-depthwise = A kernel for each channel (depthwise)
shows-negative-padding = Negative padding crops the image
shows-other-layout = The same values in another layout
shows-registered-topk = TopK, a built-in function
shows-matrices = Matrix times matrix
shows-inner-product = Vector times vector
shows-static-size = The size of a dimension
shows-dynamic-size = A size that is set at run time
shows-first-three = Only the first three elements count
shows-sum-of-dynamic = A sum up to the dynamic size
shows-dynamic-rows = Rows of a dynamic size
shows-from-start = Two elements from index 2
shows-block = A block of a matrix
shows-starts-in-vector = Start indices in one vector
shows-clamped-start = A start index out of range
shows-written-from-start = Two elements written at index 2
shows-written-block = A block written into a matrix
shows-empty-item = An item without arrays
shows-forward-transform = Forward transform
shows-inverse-transform = Inverse transform in two dimensions
shows-real-transform = Transform of real numbers
shows-inverse-real-transform = Back to real numbers
shows-rows = Rows 2 and 0
shows-one-per-row = One element of each row
shows-clamped-index = Indices out of range
shows-second-element = The second element
shows-count-along-rows = 0, 1, 2 along each row
shows-two-arrays = A function of two arrays
shows-scalar-and-array = A scalar with every element
shows-edges = At the edges
shows-between = Between rows and columns
shows-cropped = Negative padding crops
shows-edges-between-cropped = Edges, between, and cropped
shows-shifted = Shifted down and cropped
shows-rows-of-groups = Groups of rows, a matrix for each
shows-contracted-groups = Groups of the contracted dimension
shows-batched-groups = Groups within a batch
shows-as-bf16 = As precise as bf16
shows-as-f16 = As precise as f16: overflow and tiny numbers
shows-max-pooling = Max pooling
shows-overlapping = Overlapping windows
shows-padded-sum = Sums with padding
shows-running-sum = Running sum
shows-dilated = Dilated array and window
shows-argmax = Largest element and its index
shows-two-by-three = Two rows of three become three rows of two
shows-flatten = Flattened to one dimension
shows-merge-first = The first two dimensions merged
shows-merge-last = The last two dimensions merged
shows-other-order = Transposed, then flattened
shows-other-order-merged = Transposed, then two dimensions merged
shows-split = Transposed, then split differently
shows-to-scalar = One element becomes a scalar
shows-from-scalar = A scalar becomes one element
shows-rows-reversed = Each row reversed
shows-die = Rolls of a die
shows-normal-without-spread = A normal distribution without spread
shows-bernoulli = 1 with probability 1
shows-philox = Philox
shows-threefry = ThreeFry
shows-state = The state
shows-state-advances = How far the state advances
shows-scaled-blocks = A scale for each block
shows-scaled-vectors = Vectors with one scale each
shows-from-the-end = Running sum from the end
shows-rows-added = Added to rows 2 and 0
shows-rows-replaced = Rows replaced: the last update wins
shows-block-outside = A block out of range is dropped
shows-index-dropped = Indices out of range are dropped
shows-choose-each = A selection for each element
shows-choose-all = One selection for all elements
shows-pooling-gradient = Gradient of max pooling
shows-first-of-equals = Ties: the first wins
shows-last-of-equals = Ties: the last wins
shows-middle = From the middle
shows-ascending = Ascending
shows-columns-descending = Each column, descending
shows-values-by-keys = Values by their keys
shows-random-rounding = Random rounding
shows-joined = Two joined tokens
shows-after-token = A value that waits for a token
shows-unchanged-tuple = A tuple, unchanged
shows-unchanged = A value, unchanged
shows-two-largest = The two largest
shows-smallest-of-rows = The smallest of each row
shows-ties-nan = Equal elements, NaN and infinity
shows-rows-to-columns = Rows become columns
shows-rank-three = Three dimensions
shows-layout-only = Only the layout changes: nothing moves
shows-from-the-left = The unknown at the right
shows-from-the-right = The unknown at the left
shows-array-and-scalar = An array and a scalar
shows-doubling = Doubling until 100
shows-counting-to-five = Counting from 0 to 5
shows-counting = A thousand additions
shows-sum-of-two = Sum over two replicas
shows-sum-of-pairs = Four replicas in pairs
shows-waits-for-ever = One replica waits forever
shows-many-normal = A thousand normal numbers
shows-many-uniform = A thousand uniform numbers
shows-two-items = Two of three items are read
shows-empty-queue = The queue is empty
shows-your-function = A function that you write
shows-column-sums = Sum of each column
shows-row-sums = Sum of each row
shows-cube-front = A cube: sum over d0
shows-cube-rows = A cube: sum over d2
shows-cube-two = A cube: sum over d0 and d1
shows-cube-all = A cube: sum of all elements
shows-sent-received = Sent and received
shows-started-finished = Started, then finished
shows-gathered = Two replicas concatenated
shows-exchanged = Two replicas exchange halves
shows-from-first = The first replica's values for both
shows-ring = Three replicas in a ring
shows-summed-shared = Summed, and each replica keeps a part
shows-three-ids = Three replicas

# The page of a snapshot.
snapshot-program = Program
snapshot-omitted = The values are not in this file: they are too large, or the result does not need them.
snapshot-untraced = This file does not record which cells were read for this instruction.
snapshot-version = This file was written by another version of XLA Playground. Export it again.
snapshot-header = The data of this file is damaged. Export it again.
snapshot-entry = The data of instruction { $number } is damaged. Export the file again.

## Arrays and layouts of instructions
literal-not-a-value = values of { $shape } cannot be written as a literal
literal-other-sizes = a layout can only replace one of the same array: the sizes or types differ
literal-narrow-cells = E({ $bits }) cells are too narrow for { $type }
layout-copy-structure = the layout cannot be copied: the tuple structures differ
layout-copy-rank = a layout of rank { $rank } cannot be copied to a shape of rank { $to }
