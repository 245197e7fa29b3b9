# The English catalogue. Other languages copy its keys. Arguments are named in braces after a dollar sign.

## HLO text
hlo-expected = expected { $expected }, found “{ $found }”
hlo-no-header = the text does not begin with HloModule and a name
hlo-no-entry = there is no computation to run
hlo-two-entries = two computations are marked ENTRY; only one can be
hlo-two-roots = the computation has a second ROOT; only one instruction can be the result
hlo-empty = the computation has no instructions
hlo-unclosed = this body is not closed
hlo-too-deep = nested deeper than { $limit } levels
hlo-leaves = the tuples of the module have more than { $limit } leaves together
hlo-hint-leaves = use fewer or smaller tuples
hlo-name-equals = without a blank before the “=”, { $name } is read as the name of an attribute
hlo-name-twice = the name { $name } is taken
hlo-opcode = there is no opcode { $opcode }
hlo-operand = no instruction above has the name { $name }
hlo-hint-define = define it above, in the same computation
hlo-operand-shape = { $name } is written as { $written } and is { $found }
hlo-attribute-twice = the attribute { $name } stands twice
hlo-attribute-unknown = { $op } has no attribute { $name }; it has: { $allowed }
hlo-computation = no computation above has the name { $name }
hlo-parameter-twice = parameter number { $number } stands twice
hlo-parameter-missing = parameter number { $number } is missing
hlo-interface = the entry layout says { $written } where the computation has { $found }
hlo-interface-count = the entry layout has { $written } parameters where the computation has { $found }
hlo-expected-end = expected { $expected }, and the text ends
hlo-a-closing-bracket = a closing bracket
hlo-a-computation = a computation
hlo-a-name = a name
hlo-a-parameter = a name and a colon
hlo-a-shape = a shape
hlo-an-attribute = the name of an attribute and at once “=”
hlo-an-instruction = an instruction
hlo-an-opcode = an opcode
hlo-an-operand = an operand
hlo-attribute-blank = { $name } and its “=” stand together
hlo-open-string = this text is not closed on its line
hlo-escape = “{ $text }” is not an escape sequence of C
hlo-hint-backslash = Double the backslash to write a backslash.
hlo-control = the control character U+{ $code } is only allowed inside quotation marks
hlo-stopped = Reading stopped here: { $errors } errors were found before. Fix those first.
hlo-too-many = The text has more than { $limit } { $what ->
    [instructions] instructions
    [work] parts that have to be read again
   *[entries] operands, attributes and list entries
 }, the most that are read. Split the module or remove what is not needed.
hlo-open-comment = this comment is not closed
hlo-operand-below = { $name } is only defined further down
hlo-reserved = { $name } is a word of its own and no name
hlo-hint-blank = write a plain blank
hlo-hint-callee = define it above: callees come first
hlo-hint-remove = remove it

## Running modules
eval-cancelled = the run was cancelled
eval-bytes = the values need more than { $limit } bytes of memory at once
eval-steps = the run takes more than { $limit } steps
eval-hint-smaller = use smaller arrays or fewer iterations
eval-operand = an operand has no value
trace-no-cell = there is no such cell
trace-limit = more than { $limit } cells take part

## ComputationBuilder
builder-operand = operand { $operand } is a value of another builder
builder-attribute = { $op } does not take { $name }={ $value }; its attributes: { $allowed }
builder-lengths = { $name } has { $found } entries where { $other } has { $expected }
builder-broadcast-ranks = { $small } and { $large } have different ranks: broadcast_dimensions must say which dimension becomes which
builder-broadcast-count = broadcast_dimensions has { $found } entries; it needs one for every dimension of { $small }
builder-broadcast-size = dimension { $dimension } has size { $size } and cannot become dimension { $to } of size { $found }: neither is 1
builder-broadcast-order = broadcast_dimensions={"{"}{ $found }{"}"} does not ascend
builder-broadcast-same-rank = both operands have the same rank: broadcast_dimensions={"{"}{ $found }{"}"} has nothing to say
builder-broadcast-sizes = dimension { $dimension } has size { $lhs } in { $lhsshape } and { $rhs } in { $rhsshape }: neither is 1
builder-collapse = dimensions={"{"}{ $found }{"}"} are not neighbours in ascending order
builder-dot-rank = { $operand } must be a vector or a matrix, and is { $shape }
builder-hint-dot-general = use dot_general, which takes any rank
builder-conv-rank = lhs must have a spatial dimension beside batch and feature, and is { $shape }
builder-while-nested = { $name } holds the loop { $instruction }; in 2017 loops could not be nested
builder-infeed-layout = the infeed of { $shape } does not say how it lies in memory
builder-bernoulli-mean = the mean must be f32[], and is { $shape }
builder-bernoulli-shape = the result must be a u32 array, not { $shape }

## Operations: what is wrong
op-hint-write = write { $text }
op-hint-convert = convert it first
op-hint-broadcast = broadcast or reshape it first
op-hint-result = write the shape before { $op }
op-operand-count = { $op } takes { $expected } operands ({ $names }), here are { $found }
op-operand-array = { $operand } must be an array, and is { $shape }
op-result-missing = the shape of { $op } does not follow from its operands and must be written
op-result-array = the result must be an array, and is { $shape }
op-result-differs = the shape is { $inferred }, not { $written }
op-result-type = the result has type { $found }, the operand { $expected }; they must be the same
op-attribute-missing = { $op } needs the attribute { $name }
op-dimension-range = { $name } names dimension { $dimension }, which rank { $rank } does not have
op-dimension-repeated = { $name } names dimension { $dimension } twice
op-entries = { $name } has { $found } entries and the operand has rank { $rank }
op-other-type = { $operand } is { $found } and { $other } is { $expected }; their types must be the same
op-other-sizes = { $operand } is { $found } and { $other } is { $expected }; they do not fit
op-element-type = { $op } takes types that are { $takes }, not { $found }
op-scalar = { $operand } must be a scalar, and is { $shape }
op-pred = the predicate must be pred, and is { $shape }
op-ordered = { $found } has no order
op-permutation = dimensions={"{"}{ $found }{"}"} is not a permutation of the { $rank } dimensions
op-broadcast-size = operand dimension { $dimension } has size { $size }, result dimension { $to } has { $found }
op-reshape-count = the operand has { $operand } elements and the result { $result }
op-slice-stride = the stride { $stride } of dimension { $dimension } is not positive
op-slice-range = { $start } to { $limit } is no range of dimension { $dimension }, whose size is { $size }
op-one-dimension = dimensions must name one dimension, here are { $found }
op-pad-interior = the interior padding { $interior } of dimension { $dimension } is negative
op-pad-size = the padding leaves no size for dimension { $dimension }, which has { $size }
op-iota-type = { $found } cannot count
op-constant-elided = the values of this constant were left out of the text
op-parameter-number = a parameter's number cannot be { $number }
op-convert-sizes = the operand is { $operand } and the result { $result }; only the type may differ
op-compare-complex = complex numbers have no order: { $direction } is not defined
op-compare-type = type={ $found } does not go with { $type }; that is { $expected }
op-tuple-wanted = the operand must be a tuple, and is { $shape }
op-tuple-index = there is no element { $index } in a tuple of { $count }
op-argument-count = { $name } takes { $expected } arguments, here are { $found }
op-argument-shape = parameter { $number } of { $name } is { $expected }, the argument { $found }
op-reduce-pairs = as many inits as arrays are needed, here are { $found } operands
op-reducer-parameters = { $name } must take { $expected } parameters, and takes { $found }
op-reducer-types = { $name } must take and give { $expected }, and takes { $found } and gives { $result }
op-init = init must be { $expected }, and is { $found }
op-window-entries = the window has { $found } dimensions; it must have { $expected }
op-window-size = the window has size { $found } in dimension { $dimension }; sizes are positive
op-window-stride = the window has stride { $found } in dimension { $dimension }; strides are positive
op-window-base-dilation = the base is dilated by { $found } in dimension { $dimension } (lhs_dilate); dilations are positive
op-window-window-dilation = the window is dilated by { $found } in dimension { $dimension } (rhs_dilate); dilations are positive
op-window-cropped = the padding crops { $by } more than there is of dimension { $dimension }, whose size is { $size }
op-window-huge = the window or the padded base is too large in dimension { $dimension }
op-window-2017 = in 2017, windows of { $op } had neither negative padding nor dilation
op-group-count = { $name } is { $found }, and must be positive
op-group-counts = there are { $features } groups of features and { $batches } of the batch; only one of both may be more than one
op-dim-labels = { $found } does not name every dimension once: b, f and 0, 1, … of lhs and the result, o, i and 0, 1, … of rhs
op-convolution-rank = { $operand } is { $found }, and by dim_labels has rank { $rank }
op-convolution-features = lhs has { $features } features in { $groups } groups, and rhs takes { $inputs }
op-convolution-groups = { $dimension }, of size { $size }, cannot be split into { $count } groups ({ $name })
op-output-features = the output feature dimension
op-batch = the batch dimension
op-convolution-kernel = the window has sizes { $found }, the kernel { $kernel }; they must be the same
op-convolution-2017 = in 2017, convolutions had spatial dimensions, and neither groups nor reversal
op-select-function = { $name } must take two values of { $expected } and give pred[], and takes { $found } and gives { $result }
op-source-sizes = source is { $found }; the windows make { $expected }
op-dot-batch-contracting = dimension { $dimension } stands in { $batch } and in { $contracting }
op-dot-pairs = { $left } has { $leftcount } entries, { $right } has { $rightcount }
op-dot-sizes = dimension { $left } of lhs has size { $leftsize }, dimension { $right } of rhs { $rightsize }; they must be equal
op-bitcast-memory = { $operand } and { $result } do not take the same memory
op-region-missing = the called computation cannot be run
op-region-size = a computation that is called on elements takes more than { $limit } steps
op-region-scalar = { $instruction } of { $name } is { $shape }; computations that are called on elements work on scalars
op-called-shapes = { $name } has { $found } where { $expected } is needed
op-while-condition = { $name } must give pred[], and gives { $found }
op-conditional-branches = with a choice that is { $type }, { $name } is needed
op-conditional-choice = the choice must be pred[] or s32[], and is { $shape }
op-start-count = there are { $found } starts and the operand has rank { $rank }
op-start-type = starts must be integer scalars of one type, and this is { $shape }
op-slice-fits = { $found } elements of dimension { $dimension } are asked for, which has { $size }
op-map-dimensions = map goes over all dimensions, in order: { $expected }
op-map-result = { $name } must give a scalar, and gives { $found }
op-bitcast-complex = the bits of { $from } cannot be read as { $to }: one is complex and the other real
op-bitcast-widths = the widths of { $from } and { $to } do not divide each other
op-bitcast-sizes = { $operand } as { $type } has not the sizes of { $found }: a narrower type adds a last dimension of parts, a wider one takes it away
op-at-least = { $name } must be at least { $least }, and is { $found }
op-at-most = { $name } must be at most { $most }, and is { $found }
op-ascending = { $name } must ascend, each dimension once, and is {"{"}{ $found }{"}"}
op-disjoint = dimension { $dimension } stands in { $a } and in { $b }
op-indices-type = indices must be integers, and are { $found }
op-index-vector-dim = index_vector_dim is { $found }; the indices have rank { $rank }, so it lies between 0 and { $rank }
op-index-components = { $name } has { $found } entries and an index vector has { $components } components
op-batching-sizes = operand dimension { $operand } has size { $size }, dimension { $indices } of the indices { $found }; they go together and must be equal
op-gather-window = { $found } dimensions lie within a window and the operand keeps { $kept }
op-gather-collapsed = dimension { $dimension } is left out, so its slice must be one wide at most, not { $found }
op-scatter-operands = as many updates as operands and one array of indices are needed, here are { $found } operands
op-updates-type = the updates are { $found } and the operand holds { $expected }
op-updates-rank = the updates are { $found } and must have rank { $rank }
op-updates-batch = dimension { $dimension } of the updates has size { $found }, the indices have { $size } there
op-comparator = { $name } must take { $expected } and give pred[], and takes { $found } and gives { $result }
op-sort-comparator = without to_apply it is not said which of two elements comes first
op-topk-rank = topk works along the last dimension, and { $shape } has none
op-topk-k = k is { $found } and a row has { $size } elements
op-rng-state = the state of { $algorithm } is { $expected }, not { $found }
op-rng-result = the result must be the bits, or a tuple of { $state } and the bits, and is { $found }

## Operations: rules
rule-same-type = The element types are the same.
rule-same-sizes = The sizes are the same.
rule-same-shape = Type and sizes are the same.
rule-same-count = There are as many elements as before.
rule-same-other-sizes = All sizes but that of the dimension are the same.
rule-element-type = The op takes the element type.
rule-entry-a-dimension = There is one entry a dimension of the operand.
rule-dimension-range = Every dimension named is there.
rule-dimension-once = Every dimension is named once at most.
rule-one-dimension = One dimension is named.
rule-permutation = Every dimension is named once.
rule-broadcast-sizes = A dimension keeps its size.
rule-slice-stride = Strides are positive.
rule-slice-range = Ranges lie within the operand.
rule-scalar = The padding value is a scalar.
rule-pad-interior = Interior padding is not negative.
rule-pad-size = No size becomes negative.
rule-iota-type = The type holds numbers.
rule-parameter-number = The number is not negative.
rule-compare-complex = Complex numbers are only compared by EQ and NE.
rule-compare-type = The type of the comparison goes with the element type.
rule-pred = The predicate is pred.
rule-select-sizes = The predicate is a scalar or has the sizes of the arrays.
rule-clamp-sizes = Bounds are scalars or have the sizes of the operand.
rule-ordered = The elements have an order.
rule-tuple = The operand is a tuple.
rule-tuple-index = The element is there.
rule-argument-count = There is one argument a parameter.
rule-argument-shape = Arguments have the shapes of the parameters.
rule-reduce-pairs = There are as many inits as arrays.
rule-reducer-parameters = The computation takes two parameters an array.
rule-reducer-types = Parameters, results, arrays and inits of the computation have the same types, and are scalars.
rule-window-entries = The window has an entry for each dimension it moves in.
rule-window-size = Sizes of the window are positive.
rule-window-stride = Strides are positive.
rule-window-base-dilation = Dilations of the base are positive.
rule-window-window-dilation = Dilations of the window are positive.
rule-window-padded = Padding crops no more than there is, and all sizes can be counted.
rule-group-counts = Group counts are positive, and only one of both is more than one.
rule-dim-labels = Every dimension is labelled, each label stands once.
rule-convolution-rank = The operands have as many dimensions as labels.
rule-convolution-features = A group of the features of lhs is what rhs takes.
rule-convolution-groups = Output features and batch can be split into the groups.
rule-convolution-kernel = The window has the sizes of the kernel.
rule-select-function = The choosing computation takes two elements and gives pred[].
rule-source-sizes = The source has an element a window.
rule-dot-pairs = Both sides name as many dimensions.
rule-dot-sizes = Dimensions that go together have the same size.
rule-same-memory = Both take as many cells, equally wide.
rule-while-condition = The condition gives pred[].
rule-while-shapes = Both computations take what the operand is, and the body gives it.
rule-conditional-choice = The choice is pred[] or s32[].
rule-conditional-branches = There are the computations that the choice asks for.
rule-conditional-shapes = Each computation takes its operand, and all give the same.
rule-start-count = There is one start a dimension.
rule-start-type = Starts are integer scalars of one type.
rule-slice-fits = The box fits into the operand.
rule-map-dimensions = All dimensions are listed in order.
rule-map-scalars = The computation takes a scalar of each operand's type.
rule-map-result = The computation gives a scalar.
rule-bitcast-complex = Both types are complex, or neither is.
rule-bitcast-widths = One width divides the other.
rule-bitcast-sizes = Sizes stay, but for a last dimension that holds the narrower parts of an element.
rule-float = The elements are floats.
rule-exponent-bits = There is at least one exponent bit, and the number fits 32 bits.
rule-mantissa-bits = The number of mantissa bits is not negative and fits 32 bits.
rule-indices-type = Indices are integers.
rule-index-vector-dim = index_vector_dim is a dimension of the indices, or their rank.
rule-window-dims-order = Window dimensions ascend, each once.
rule-window-dims-range = Window dimensions are dimensions of the array that holds the windows.
rule-index-components = An index vector has a component for each dimension it says.
rule-index-map = Each component says another dimension of the operand.
rule-dropped-dims = Dimensions that are left out are the operand's, ascend, each once.
rule-batching-dims = Batching dimensions are there, each once, and are neither left out nor said by indices.
rule-batching-sizes = Batching dimensions come in pairs of equal size.
rule-gather-window = The window has a dimension for each of the operand's that is not left out.
rule-gather-collapsed = A slice is at most one wide in a dimension that is left out.
rule-scatter-operands = There are as many updates as operands, and one array of indices between.
rule-scatter-window = The window has a dimension for each of the operand's that is not left out.
rule-updates-rank = The updates have the dimensions of the windows and of the indices.
rule-updates-batch = The updates hold a window for each index vector.
rule-comparator = The comparator takes two scalars of each operand's type and gives pred[].
rule-sort-comparator = There is a comparator; only in 2017 there was none.
rule-topk-rank = The operand has a dimension.
rule-topk-k = A row has at least k elements, and k is not negative.
rule-rng-scalars = The parameters are scalars.
rule-rng-type = A uniform distribution takes integers and floats, a normal one floats.
rule-rng-state = The state is one of the algorithm.
rule-rng-result = The result is the bits, or a tuple of the state and the bits.
rule-rng-bits = The bits are read as integers or floats.
rule-rng-state-shape = The state is u64[2].
rule-delta = The state does not go back.

## Operations: attributes
attr-permutation = For each result dimension, the operand dimension it is.
attr-broadcast-dimensions = For each operand dimension, the result dimension it becomes.
attr-inferred-dimension = A dimension whose size is inferred.
attr-slice = Start, limit and stride of each dimension.
attr-concatenate-dimension = The dimension along which the arrays are joined.
attr-padding = Low, high and interior padding of each dimension.
attr-dimensions = The dimensions it works on.
attr-iota-dimension = The dimension that is counted.
attr-literal = The value.
attr-parameter-number = The number of the parameter.
attr-direction = How the values are compared.
attr-compare-type = By which order floats are compared.
attr-index = The number of the element.
attr-to-apply = The computation that is called.
attr-is-composite = Whether the call stands for an op of a higher level.
attr-fusion-kind = What the compiler made the fusion for.
attr-aliasing = Which results share memory with operands.
attr-reducer = The computation that takes two values together.
attr-window = Size, stride, padding and dilation of the window in each dimension it moves in.
attr-dim-labels = What each dimension is: b batch, f feature, o and i output and input feature, digits spatial.
attr-feature-group-count = In how many groups the features go side by side.
attr-batch-group-count = In how many groups the batch goes side by side.
attr-convolution-kind = What the compiler made the convolution for.
attr-select = The computation that says whether the first of two elements is chosen.
attr-scatter = The computation that takes a value and one of the source together.
attr-batch-dims = Dimensions that go side by side.
attr-contracting-dims = Dimensions that are summed over.
attr-operand-precision = How exactly a machine may compute.
attr-dot-algorithm = Which algorithm a machine may use.
attr-condition = The computation that says whether to go on.
attr-body = The computation that is run in each iteration.
attr-true-computation = What is run where the choice is true.
attr-false-computation = What is run where the choice is false.
attr-branch-computations = What is run for each number.
attr-dynamic-slice-sizes = The size of the box in each dimension.
attr-map-dimensions = All dimensions, in order.
attr-exponent-bits = How many bits the exponent keeps.
attr-mantissa-bits = How many bits the mantissa keeps.
attr-offset-dims = The result dimensions that lie within a window.
attr-collapsed-slice-dims = The operand dimensions of size one that the result leaves out.
attr-update-window-dims = The dimensions of the updates that lie within a window.
attr-inserted-window-dims = The operand dimensions that a window does not have.
attr-index-map = For each component of an index vector, the operand dimension it says.
attr-operand-batching-dims = The operand dimensions that go along with dimensions of the indices.
attr-indices-batching-dims = The dimensions of the indices they go along with.
attr-index-vector-dim = The dimension of the indices that holds the components of an index vector.
attr-slice-sizes = The size of a window in each dimension of the operand.
attr-indices-are-sorted = A promise that the indices ascend; it changes nothing.
attr-unique-indices = A promise that no element is updated twice; it changes nothing.
attr-sort-dimension = The dimension that is sorted along.
attr-is-stable = Whether elements that are equal keep their order.
attr-comparator = The computation that says whether the left comes before the right.
attr-k = How many elements are taken.
attr-largest = Whether the largest are taken, or the smallest.
attr-distribution = How the numbers are distributed.
attr-algorithm = Which algorithm makes the bits.
attr-delta = What is added to the state.

## Operations: what they do
op-abs = The absolute value of each element.
op-negate = Each element with the other sign.
op-sign = The sign of each element: -1, 0 or 1.
op-ceil = Each element rounded up.
op-floor = Each element rounded down.
op-round-nearest-afz = Each element rounded to the nearest integer, halves away from zero.
op-round-nearest-even = Each element rounded to the nearest integer, halves to even.
op-exponential = e to the power of each element.
op-exponential-minus-one = e to the power of each element, less one; exact near zero.
op-log = The natural logarithm of each element.
op-log-plus-one = The natural logarithm of one plus each element; exact near zero.
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
op-add = Sums, element by element; for pred, or.
op-subtract = Differences, element by element.
op-multiply = Products, element by element; for pred, and.
op-divide = Quotients, element by element; integers toward zero.
op-remainder = Remainders of the division, with the sign of the dividend.
op-power = Powers, element by element.
op-maximum = The greater of two, element by element.
op-minimum = The smaller of two, element by element.
op-and = Logical and of pred, bitwise and of integers.
op-or = Logical or of pred, bitwise or of integers.
op-xor = Exclusive or of pred, bitwise of integers.
op-shift-left = Bits moved up; zeros come in.
op-shift-right-logical = Bits moved down; zeros come in.
op-shift-right-arithmetic = Bits moved down; copies of the top bit come in.
op-atan2 = The angle of the point (rhs, lhs), element by element.
op-complex = Complex numbers from real and imaginary parts.
op-broadcast = Repeats an array along new dimensions.
op-call = Calls a computation.
op-fusion = Runs several instructions as one.
op-clamp = Brings every element between two bounds.
op-compare = Compares two arrays element by element.
op-concatenate = Joins arrays along a dimension.
op-constant = A value written in the text.
op-convert = Gives every element another type.
op-copy = The same value, perhaps in another layout.
op-dot = Sums products over dimensions of two arrays.
op-get-tuple-element = Takes an element out of a tuple.
op-iota = Counts along a dimension.
op-pad = Surrounds an array with a value, and puts it between elements.
op-parameter = An argument of the computation.
op-reduce = Folds dimensions of an array with a computation.
op-reduce-window = Folds each window over an array with a computation.
op-convolution = Slides a kernel over a base and sums products.
op-select-and-scatter = Chooses an element in each window, and brings a value of the source there.
op-reshape = Gives an array other sizes; the elements keep their order.
op-reverse = Turns an array round along dimensions.
op-select = Takes every element from one of two arrays.
op-slice = Takes a box of elements out of an array.
op-transpose = Reorders the dimensions of an array.
op-while = Runs a computation as long as another says so.
op-conditional = Runs one of several computations.
op-dynamic-slice = Takes a box out of an array, from where operands say.
op-dynamic-update-slice = Writes an array into another, to where operands say.
op-map = Runs a computation on scalars for every index.
op-bitcast = The same bytes under another shape and layout.
op-bitcast-convert = Reads the bits of each element as another type.
op-reduce-precision = Rounds floats to fewer bits.
op-gather = Takes windows out of an array, from where indices say.
op-scatter = Writes windows into an array, to where indices say.
op-sort = Sorts along a dimension, by a comparator.
op-topk = The largest elements of each row, and where they were.
op-rng = Random numbers, uniform or normal.
op-rng-bit-generator = Random bits by a named algorithm, and the state that follows.
op-rng-get-and-update-state = The state of the run's random numbers, which then goes on.
op-tuple = Holds values together.

## Literals as JSON
json-at = { $place }: { $message }
json-error = this is no literal: { $error }
json-shape-or-tuple = a literal has a shape and values, or a tuple
json-no-values = the values are missing
json-not-an-array = values can be given for arrays only, and the shape is { $shape }
json-values-list = the values must be a flat list
json-truth = { $found } is not true or false
json-integer = { $found } is not an integer, as { $type } needs
json-float = { $found } is not a number, as { $type } needs
json-complex = { $found } is not a pair [re, im], as { $type } needs
json-hint-form = write {"{"}"shape": "f32[2]{"{"}0{"}"}", "values": [1, 2]{"}"} or {"{"}"tuple": […]{"}"}; infinities, NaN and -0 are the strings "Infinity", "-Infinity", "NaN" and "-0"
## The Ops screen
catalogue = Operations
find-op = Find an operation
found-ops = { $count ->
    [one] 1 operation found
   *[other] { $count } operations found
}
find-keys = Arrow down goes to the list below; arrow keys, Home and End move in it.
no-such-op = No operation fits. Try another word.
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
hlo-text = HLO text
hlo-line = Line { $line }:
working-more = … { $count } more
made-from = made from { $count } { $count ->
    [one] cell
   *[other] cells
 }
used-by = Used by { $count } { $count ->
    [one] output cell
   *[other] output cells
 }
uses-too-many = Too many cells are read to say here where this one went.
role-value = value
role-fill = padding value
role-lhs = left operand
role-rhs = right operand
role-start = says which cells are read
role-update = update
role-init = initial value
role-choice = decides
attribute-cell = { $name } of dimension { $dimension }
attribute-absent = not set
no-attributes = This operation takes no attributes.
more-attributes = { $count } more { $count ->
    [one] attribute
   *[other] attributes
 }
computation-in-text = Edit this computation in the HLO text below.
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
values-of = Values
values-typed = typed
values-iota = 0, 1, 2 …
values-random = random
values-again = Draw again
values-typed-of = Values of { $name }
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
text-stale = Result of the last program without errors; fix the HLO text to run.
stale = previous result
attribute-not-number = Write a whole number; { $typed } is not used.
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
output-of = output { $cell } of 0 … { $last }
copy-as = Copy as
ops-key-arrows = move in an array
ops-key-step = previous, next output cell
ops-key-play = play or pause
ops-key-pin = keep a cell of an operand lit, or clear it
ops-key-zoom = zoom the array
ops-key-undo = undo, redo
ops-key-share = share
ops-key-help = this help
ops-help-cells = Step through the output cells, or point at one: the cells it was made from light up, numbered in the order they are read, and the line below shows the arithmetic.
ops-help-back = Point at a cell of an operand to see every output cell that used it.
ops-help-text = Everything is one HLO text. The form changes it, and you can edit it, paste your own, or copy it into any other XLA tool.
ops-help-values = Operands hold typed values, 0, 1, 2 … in row-major order, or random numbers of a seed.
ops-help-private = Everything runs in this page. Nothing is sent anywhere.
chain = Instructions
chain-append = Then run …
chain-origins = Through the whole chain it is made from { $count } { $count ->
    [one] cell of a parameter
   *[other] cells of the parameters
 }
result-value = value
## The world outside: waiting
hlo-infeed-order = { $second } does not depend on { $first }; of any two instructions that read the infeed one must depend on the other
hlo-hint-token = let it take the token of the other, or of what calls it
waiting = the run waits for ever: { $waits }
wait-for = { $name } waits for { $what }
wait-and = { $first }; { $second }
wait-device = on device { $device } { $waits }
wait-finished = device { $device } has finished
wait-future = a value
wait-infeed = an item { $shape } of the infeed, whose queue is empty
wait-custom = the function { $name }
wait-meet = { $count ->
    [one] device { $devices }
   *[other] devices { $devices }
 }
wait-receive = an item of channel { $channel }
wait-received = somebody to receive what it sent into channel { $channel }
wait-hint-async = give what it waits for before the run, or run it asynchronously
trace-outside = an answer from outside that this cell comes from was not kept
outside-shape = what came from outside is { $found }, and { $expected } is needed
custom-failed = the function { $name } failed: { $why }
replicas-arguments = there are { $expected } devices, and arguments for { $found }

## The world outside: what is wrong
op-token = the operand must be a token, and is { $shape }
op-hint-token = use the token of an after-all
op-infeed-shape = the shape of an infeed is that of the item and a token: (shape, token[]), not { $shape }
op-infeed-nested = an item is an array or a tuple of arrays, not { $shape }
op-outfeed-shape = outfeed_shape says { $found }, and the operand is { $expected }
op-custom-target = the target of a custom call cannot be empty
op-custom-layouts = { $found } are not the shapes of the operands, with layouts
op-custom-unknown = no function is registered for the target { $name }; known are: { $known }
op-hint-custom = register a function of the name { $name } with the host
op-transfer = the operand of a send-done or recv-done, and the result of a recv, is (value, u32[], token[]), not { $shape }
op-async-operand = this is not what the first half gives: { $shape }
op-groups-iota = { $found } are no groups: [groups,size]<=[count] or [groups,size]<=[sizes]T(order) is expected
op-groups-empty = a group cannot be empty
op-groups-number = { $number } is no number of a device
op-groups-twice = device { $number } stands twice in the groups
op-groups-missing = device { $number } stands in no group
op-groups-sizes = the groups have different sizes
op-groups-devices = the groups name { $named } devices, and { $count } run
op-group-size = the shapes are those of { $needs } devices, and a group has { $found }
op-group-divides = { $size } cannot be shared out among the { $found } devices of a group
op-global-ids = use_global_device_ids needs a channel_id
op-all-gather-size = dimension { $dimension } of the result has size { $found }; from { $size } on each of { $count } devices that cannot come
op-reduce-scatter-size = dimension { $dimension } of the result has size { $found }; { $size } shared out among { $count } devices does not give that
op-all-to-all-array = with dimensions there is one operand, here are { $found }
op-all-to-all-operands = there is one operand for each of the { $count } devices, here are { $found }
op-parts = dimension { $dimension } has size { $size }, which { $count } devices cannot share
op-permute-pair = { $found } is no pair of a source and a target
op-permute-source = device { $number } is the source of two pairs
op-permute-target = device { $number } is the target of two pairs
op-permute-devices = a pair names device { $number }, and only { $count } run
op-hint-permute-devices = name only devices 0 to { $last }, or run more devices
op-permute-number = a pair names device { $number }; device numbers must be below { $limit }
op-ragged-numbers = { $operand } must be a list of integers as long as the others, and is { $shape }
op-ragged-count = the lists have { $found } entries, which { $count } devices cannot share

## The world outside: rules
rule-token = The operand is a token.
rule-infeed-shape = The shape is that of an item and a token.
rule-infeed-nested = The item is an array or a tuple of arrays.
rule-outfeed-shape = The shape that is written is the operand's.
rule-custom-target = The target has a name.
rule-custom-layouts = The layouts are those of the operands' shapes.
rule-custom-shape = The shape of the result is written.
rule-transfer = The operand is what the first half gave.
rule-transfer-shape = The shape is that of a value, a number and a token.
rule-async-operand = The operand is what the first half gave.
rule-groups = Groups are lists of numbers of devices.
rule-groups-once = A device stands in one group.
rule-groups-all = Every device stands in a group.
rule-groups-sizes = Groups have the same size.
rule-global-ids = Numbers of all devices need a channel.
rule-all-gather-size = The result has the size of all operands together.
rule-reduce-scatter-size = The result has the size of one part.
rule-all-to-all-array = One operand is split along a dimension.
rule-all-to-all-parts = Each device gets a part of the same size.
rule-all-to-all-operands = There is one operand for each device.
rule-permute-pairs = Each pair is a source and a target.
rule-permute-once = A device sends once and receives once.
rule-permute-devices = Device numbers are below 65,536.
rule-ragged-rows = Input and output have the same type and rows of the same sizes.
rule-ragged-numbers = Offsets and sizes are lists of integers of the same length.
rule-ragged-count = Each device has the same number of entries.

## The world outside: attributes
attr-replica-groups = The devices that go together: a list of lists of numbers.
attr-channel = The number of the channel.
attr-constrain-layout = Whether all devices must use the same layout; values do not change.
attr-global-ids = Whether the groups name devices rather than replicas.
attr-one-dimension = The dimension along which arrays are split or joined.
attr-source-target-pairs = Who sends to whom.
attr-feed-config = What the queue is to know; values do not change.
attr-outfeed-shape = The shape, with its layout, that is put out.
attr-domain = What lies on both sides of the border; values do not change.
attr-custom-target = The name of the function.
attr-custom-layouts = The layouts the function wants.
attr-custom-effect = Whether the function does something beside giving its value.
attr-custom-called = Computations that the function may call.
attr-custom-kept = What the function is to know; it is only kept.
attr-host-transfer = Whether the other side is the caller.
attr-async-thread = The name of the thread it runs in; values do not change.
attr-prefetch = The number of a prefetch; values do not change.

## The world outside: what ops do
op-all-reduce = Folds arrays of all devices, cell by cell.
op-all-gather = Joins arrays of all devices along a dimension.
op-all-to-all = Every device sends a part to each.
op-reduce-scatter = Folds arrays of all devices and shares out the result.
op-collective-permute = Sends arrays from devices to devices.
op-collective-broadcast = Gives every device the array of the first.
op-ragged-all-to-all = Every device sends some rows to each.
op-replica-id = The number of the replica.
op-partition-id = The number of the partition.
op-custom-call = Calls a function of the embedder.
op-infeed = Takes the next item out of a queue.
op-outfeed = Puts a value out.
op-after-all = A token that comes after others.
op-add-dependency = The same value, after a token.
op-opt-barrier = The same value; nothing is moved past it.
op-domain = The same value, at the border of two shardings.
op-send = Puts a value into a channel.
op-send-done = The value is on its way.
op-recv = Gets ready for a value of a channel.
op-recv-done = Takes a value out of a channel.
op-async-start = Begins an op.
op-async-update = Goes on with an op that was begun.
op-async-done = The result of an op that was begun.

## The world outside: panels of the Ops screen
world = The world outside
world-simulated = simulated in this page
queue = Infeed queue
queue-wants = A run takes items from the top, of the shape { $shapes }.
queue-each = Every replica has a queue like this.
queue-stops = The run stops here until there is another item.
queue-item = item { $number }
queue-remove = remove item { $number }
queue-taken = taken
queue-left = still there
queue-empty = The queue is empty.
queue-add = Add an item
outfed = Put out
outfed-none = Nothing was put out.
replicas = Replicas
replicas-count = How many run the module
replicas-rule = Each holds values { $step } higher than the one before, or random ones from the next seed, until it is given its own: choose a replica and edit its operands.
replicas-crossed = { $count ->
    [0] No cell of another replica went into the cell looked at.
    [one] One cell of another replica went into the cell looked at.
   *[other] { $count } cells of other replicas went into the cell looked at.
}
replica = Replica { $number }
replica-array = replica { $number }, { $name }, { $shape }
replica-lit = { $count ->
    [0] no cell lit
    [one] one cell lit
   *[other] { $count } cells lit
}
replica-reset = Drop its own values
replica-more = { $count } more { $count ->
    [one] array
   *[other] arrays
}
replica-finished = It has finished.
draw = Random numbers
draw-seed = Seed
draw-again = Draw again
draw-note = The numbers come from a generator of this page's own (Philox), the same for the same seed on every machine; XLA's differ.
draw-said = { $count } numbers with mean { $mean } and standard deviation { $deviation }; the curve has { $wanted-mean } and { $wanted-deviation }.
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
js-missing = There is no such function yet. This is a start.
js-running = It is running.
js-ready = It runs again whenever its operands change; edited code runs when you say so.
sandbox-failed = the sandbox could not be started
sandbox-time = it ran longer than { $seconds } seconds and was ended
sandbox-error = { $why }
sandbox-line = line { $line }: { $why }
sandbox-shape = it gave something else than { $shape }
op-asin = The arcsine of each element.
op-acos = The arccosine of each element.
op-sinh = The hyperbolic sine of each element.
op-cosh = The hyperbolic cosine of each element.
op-asinh = The inverse hyperbolic sine of each element.
op-acosh = The inverse hyperbolic cosine of each element.
op-atanh = The inverse hyperbolic tangent of each element.
op-mulhi = The upper half of each product, element by element.
op-batch-norm-training = Normalizes an array feature by feature, and gives the means and variances.
op-batch-norm-inference = Normalizes an array feature by feature with given means and variances.
op-batch-norm-grad = The gradients of a normalization, by the operand, the scale and the offset.
op-cholesky = Factors positive definite matrices into a triangular one and its conjugate transpose.
op-triangular-solve = Solves systems of equations whose matrices are triangular.
op-fft = The discrete Fourier transform over up to three dimensions.
attr-epsilon = What is added to variances before their root is taken.
attr-feature-index = The dimension whose entries are normalized apart.
attr-cholesky-lower = Whether the lower triangle is read and made, or the upper one.
attr-left-side = Whether the matrices stand to the left of the unknowns.
attr-lower = Whether the lower triangle is read, or the upper one.
attr-unit-diagonal = Whether the diagonal is taken for 1 and not read.
attr-transpose-a = Whether the matrices are transposed, or transposed and conjugated.
attr-fft-type = Forward or inverse, of complex numbers or of real ones.
attr-fft-length = The lengths of the dimensions that are transformed, the last ones of the operand.
rule-feature-index = The feature dimension is there.
rule-feature-vector = Vectors have one float a feature.
rule-float-complex = The elements are floats or complex numbers.
rule-matrices = The operand has two dimensions at least.
rule-square = The matrices are square.
rule-same-rank = The ranks are the same.
rule-shared-dimension = As many equations as unknowns.
rule-same-batch = The batches have the same sizes.
rule-fft-rank = One to three dimensions are transformed.
rule-fft-operand-rank = The operand has the dimensions that are transformed.
rule-fft-type = FFT, IFFT and IRFFT take c64 or c128, RFFT takes f32 or f64.
rule-fft-length = The lengths are the operand's sizes; the last one of IRFFT is that of the result.
op-feature-vector = { $operand } must be a vector of { $count } floats, and is { $shape }
op-square = { $operand } must be square in its last two dimensions, and is { $shape }
op-matrices = { $operand } must have two dimensions at least, and is { $shape }
op-shared-dimension = a is { $a } and b is { $b }; dimension { $dimension } of b must be as large as the matrices of a
op-fft-rank = one to three dimensions can be transformed, here are { $found }
op-fft-operand-rank = { $found } dimensions are to be transformed, and the operand is { $shape }
op-fft-length = the length { $length } does not go with size { $size } of dimension { $dimension }
op-stochastic-convert = Rounds floats to integers, up or down by random bits.
op-ragged-dot = Sums products of groups of rows, each with its own right operand or its own sum.
op-scaled-dot = Sums products of arrays whose blocks have scales.
op-scan = Goes through arrays slice by slice and carries values along.
attr-ragged-dims = The dimension of lhs whose groups stand one behind the other.
attr-group-dims = The dimension of rhs that has an entry a group.
attr-scan-dimension = The dimension along which it goes.
attr-num-carries = How many of the last operands are carried along.
attr-is-reverse = Whether it goes from the end.
attr-is-associative = Whether steps may be taken together in another order.
rule-random-type = The random numbers are unsigned and as wide as the operand's type.
rule-stochastic-result = The result holds signed integers.
rule-ragged-dimension = One dimension of lhs is ragged.
rule-group-dimension = A free ragged dimension has one group dimension, which is free too; any other has none.
rule-group-sizes = There is one size a group.
rule-group-sizes-type = The sizes are integers.
rule-scale-sizes = Scales have the rank of their array, and their sizes divide its sizes.
rule-scaled-dot-result = The result holds floats.
rule-num-carries = There is an array before the carries.
rule-scan-sizes = All arrays have as many slices.
rule-scan-carries = The last results are the carries.
op-random-type = the random numbers must be { $expected }, and are { $found }
op-ragged-dimension = one dimension must be ragged, here are { $found }
op-group-dimension = { $found } group dimensions are named, or one that is a batch or contracting dimension
op-group-sizes = the group sizes must be [{ $expected }], and are { $found }
op-group-sizes-type = the group sizes must be integers, and are { $found }
op-scale-sizes = the scales are { $scale }, which does not go with { $array }
op-num-carries = { $found } of { $operands } operands cannot be carried
op-scan-result = { $name } gives { $found }, which cannot be stacked
op-get-dimension-size = The size of a dimension when the module runs.
op-set-dimension-size = Keeps the first elements of a dimension, as many as an operand says.
op-dynamic-reshape = Gives an array sizes that operands say.
attr-size-dimension = The dimension whose size is meant.
rule-size-scalar = The size is s32[].
rule-size-count = There is one size a dimension of the result.
rule-size-scalars = Sizes are integer scalars.
op-size-scalar = the size must be s32[], and is { $found }
op-size-count = there are { $found } sizes and the result has rank { $rank }
op-size-scalars = sizes must be integer scalars, and this is { $found }
op-dynamic-size = the size { $size } does not go with { $bound } elements
op-dynamic-fixed = the shape of { $op } is fixed by the text, and an operand is smaller than its bound

## Running off the main thread
run-under-way = Running …
run-escape = Esc ends it.
run-cancel = Cancel
run-at = { $instruction }: { $steps } steps so far
run-again = Run again
run-stopped = The run was ended.
run-as-of-before = The arrays below are those of before.
run-held = This calls a function that came with the link. In a frame it does not run: open it in the playground and read it first.
run-place = At { $instruction }.
run-left-out = Some values are too large to be brought to the page.
uses-counting = Finding out where this cell went …
values-too-long = The text of the values has { $bytes } bytes; { $limit } is the most. Choose random or ascending values for larger arrays.

## The Ops screen: what is inside a cell, what moves, editions
ops-key-within = previous, next step within the output cell
category-collective = Several devices
category-outside = The world outside
inner = Inside this cell
inner-previous = Previous step within the cell
inner-next = Next step within the cell
inner-application = application
inner-product = product
inner-read = cell
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
iterations-cut = The loop goes on; what it carried so far is shown.
iterations-first = The first { $count } parts are shown.
result-without-array = It holds no array: a token only says what comes after what, and there are no cells to step through.
hlo-hint-back = go back to the text of what is shown
result-not-run = It was not run: the result of the program does not need it.
iterations-call = This loop calls a function of yours. It is called once for the result, and not again to show what the loop carries.
moving-nothing = bitcast: nothing moves
moving-some = { $moved } of { $all } { $count ->
    [one] elements moves
   *[other] elements move
  } to another slot{ $new ->
    [0] { "" }
    [one] { "" }, 1 is filled in
   *[other] { "" }, { $filled } are filled in
  }
moving-large = Too many elements to follow each of them in memory.
moving-show = Show what moves in memory
moving-from = Memory of the operand
moving-to = Memory of the result
edition = Edition
edition-now = XLA of today
edition-2017 = XLA of 2017
editions-compare = Compare with the other edition, cell by cell
editions-refused = { $edition } refuses this: { $why }
editions-call = Not compared: a function of yours would have to be called again for the other edition.
editions-shape = { $edition } gives another shape: { $shape }
editions-agree = The editions agree here: { $count ->
    [one] the one cell is the same
   *[other] all { $all } cells are the same
  }.
editions-differ = The editions differ in { $count } of { $all } cells, marked by a corner.
editions-values = Values in the { $edition }:
choose-op = Choose an op
attribute-numbers = Numbers of each dimension

## Copy as
export-text = Text and programs
export-picture = The picture, output { $cell } lit
as-rust = Rust, builder calls
as-jax = JAX
as-numpy = NumPy
as-tikz = LaTeX (TikZ)
as-gif = Animated GIF
copy-format = Copy { $format }
save-format = Save { $format } as a file
save-as-file = Save
export-missing = Without: { $ops }. The program says so and stops there.
export-unknown = The text has errors, or an opcode that is not known.
export-too-large = Too many values to write them out.
export-no-array = There is no array to draw.
export-many-arrays = { $arrays } arrays are too many for one picture; { $most } is the most.
export-saved = Saved.
export-failed = The browser could not paint it.
picture-of-op = The operands, the op and its result as grids. The cells that the lit output cell was made from are lit by role.
tikz-too-large = More than { $cells } cells take TeX too long.
gif-frames = { $frames ->
    [one] One frame.
   *[other] { $frames } frames, one an output cell.
}
gif-too-large = { $frames ->
    [one] The picture is too large for an animation.
   *[other] Too large: { $frames } output cells. An animation has at most { $most } frames and 160 million pixels.
}
gif-making = Frame { $frame } of { $frames }
gif-cancel = Cancel
# What computes, and why.
made = computed by
made-strict = kernel { $name }{ $workers ->
    [1] { "" }
   *[other] , in { $workers } workers
}, the same bits on every machine
made-fast = kernel { $name }{ $workers ->
    [1] { "" }
   *[other] , in { $workers } workers
}, fast: may round otherwise
made-scalar = kernel { $name }, without SIMD, the same bits on every machine
kernels = heavy ops by
kernels-strict = strict kernels, same bits everywhere
kernels-fast = fast kernels, may round otherwise
kernels-off = the definition, cell by cell
kernels-compare = Compare with the definition, cell by cell
kernels-same = { $count ->
    [one] The one cell is the same bits by its definition.
   *[other] All { $all } cells are the same bits by their definition.
  }
kernels-near = { $differing } of { $all } cells differ from the definition, none by more than { $units ->
    [one] one value of the element type
   *[other] { $units } values of the element type
  }: { $cell } is { $kernel } by the kernel, { $definition } by the definition.
kernels-other = { $differing } of { $all } cells differ from the definition: { $cell } is { $kernel } by the kernel, { $definition } by the definition.
fallback-no-kernel = the definition: no kernel does this op
fallback-small = the definition: too small for a kernel to matter
fallback-layout = the definition: kernels take no tiles and nothing packed
fallback-page = reference evaluator: small enough to run on the page
fallback-host = reference evaluator: runs with a host or several devices use no kernels
fallback-element-type = reference evaluator: no kernel supports { $opcode } with these element types: { $types }
fallback-unsupported = reference evaluator: no kernel supports { $opcode } with these shapes and attributes: { $types }
fallback-unavailable = reference evaluator, with the same values but slower. { $cause }
fallback-computation = the definition: the computation is not one that kernels know
fallback-watched = the definition: each application is looked at
fallback-edition = the definition: in this edition the op is another
fallback-values = the definition: kernels do not take these values
fallback-off = the definition, cell by cell
## The documents' own pages
op-sections = Described under
ops-key-find = find an operation
