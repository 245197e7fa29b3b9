# The English catalogue. Other languages copy its keys. Arguments are named in braces after a dollar sign.

language-name = English

## Diagnostics
diagnostic-error = error
diagnostic-warning = warning
diagnostic-hint = hint: { $hint }

## Shapes and layouts: what breaks a rule
shape-negative-size = dimension { $dimension } has size { $size }, but a size cannot be negative
shape-too-large = the array has more elements or bytes than a 64-bit integer can count
layout-length = minor_to_major has { $entries } { $entries ->
    [one] entry
   *[other] entries
} but the shape has rank { $rank }
layout-out-of-range = minor_to_major names dimension { $dimension }, but a shape of rank { $rank } has no such dimension
layout-repeated = minor_to_major names dimension { $dimension } twice; each dimension stands in it once
layout-padded-length = the padding has { $entries } { $entries ->
    [one] size
   *[other] sizes
} but the shape has rank { $rank }
layout-padded-small = dimension { $dimension } has size { $size } and cannot be padded to { $padded }, which is smaller
layout-padded-tiled = padded_dimensions of the 2017 layout and today's tiles cannot be combined
layout-tail = the tail padding alignment is { $alignment }, but must be at least 1
layout-sparse = index types, pointer types and physical shapes belong to sparse arrays; this array is dense
layout-tile-empty = a tile needs at least one size
layout-tile-size = a tile has size { $size }, but sizes must be positive
layout-tile-combine-last = "*" merges a dimension into the next more minor one, so it cannot stand last in a tile
layout-element-size = the element size is { $bits } bits, but cannot be negative
layout-split-dimension = the split names physical dimension { $dimension } a second time, or outside rank { $rank }
layout-split-indices = the split of physical dimension { $dimension } needs increasing positions between 0 and its size { $size }
layout-cells = with its padding and tiles the array takes more cells or bits than a 64-bit integer can count

## Limits and edits
limit-rank = the array has rank { $rank }; this page shows arrays up to rank { $limit }
limit-cells = the array takes { $cells } slots in memory; this page shows at most { $limit }
limit-cells-hint = use smaller sizes
limit-cells-fix = make dimension { $dimension } { $size } long
edit-no-array = the shape holds no array that could be changed
## Memory: what has no place in it
memory-unbounded = dimension { $dimension } has no bound, so where its elements lie in memory is not known
padding-cell-unset = unset: the layout does not say what padding holds
padding-cell-unknown = unknown: anything, NaN included
layout-copy-structure = the layout cannot be copied: one shape is a tuple of other elements, or no tuple at all
layout-copy-rank = a layout of rank { $rank } cannot be copied to a shape of rank { $to }

## Literals and typed-in values
literal-not-a-number = "{ $token }" is not a number of type { $type }
literal-out-of-range = { $token } is out of the range of { $type }, which is { $low } to { $high }
literal-float-for-integer = { $token } is not an integer, and { $type } holds integers only
literal-special-for-integer = { $type } has no { $token }; only floats have
literal-truth-for-number = "{ $token }" is a truth value, and { $type } holds numbers
literal-not-a-truth = { $token } is not a truth value: { $type } takes true, false, 1 and 0
literal-nan-payload = the payload of { $token } does not fit a NaN of { $type }
literal-no-such-special = { $type } has no { $token }; the element becomes { $held }
literal-negative-zero = XLA reads { $token } as an integer, which has no negative zero: the element becomes +0
literal-complex-parts = an element of { $type } is written (real, imaginary)
literal-parens-for-real = parentheses are for complex numbers, and { $type } is a real type
literal-too-many = this group has { $found } { $found ->
    [one] entry
   *[other] entries
}, but dimension { $dimension } has size { $size }
literal-too-few = this group has only { $found } { $found ->
    [one] entry
   *[other] entries
}, but dimension { $dimension } has size { $size }
literal-value-count = the array has { $size } { $size ->
    [one] element
   *[other] elements
}, but { $found } { $found ->
    [one] value is
   *[other] values are
} given
literal-too-deep = a brace too many: { $rank ->
    [0] a scalar has none
   *[other] in an array of rank { $rank } they are nested { $rank } deep
}
literal-too-shallow = a value stands at depth { $depth }, but an array of rank { $rank } has its values { $rank } braces deep
literal-expected = { $expected } expected here
literal-unclosed = "{ $open }" is never closed
literal-extra-text = nothing may follow the literal
literal-elided = the values are left out ("...") and so unknown; the elements read as zero
literal-too-large = the array takes { $cells } cells of memory, and { $limit } are the most that are held
literal-no-memory = there is not enough memory for { $cells } cells
literal-not-a-value = values of { $shape } cannot be written as a literal
literal-other-sizes = a layout can only be exchanged for one of the same array: the sizes or types differ
literal-bytes = the array takes { $expected } bytes, but { $found } are given
literal-narrow-cells = E({ $bits }) cells are too narrow for { $type }
literal-hint-write = write { $text }
literal-hint-remove = remove what is too much
literal-hint-fill = fill up with { $text }
literal-hint-close = close it
literal-hint-full-dump = paste the dump from before compilation, which has every value
## Shapes in XLA's text form: what cannot be read
text-too-long = the text has { $bytes } bytes; at most { $limit } are read
text-too-deep = tuples are nested more than { $limit } deep
text-empty = a shape is missing here
text-comment = the comment is not closed
text-wide = "{ $text }" is written with full-width characters
text-unknown-type = "{ $word }" is not an element type
text-no-type = the element type before the sizes is missing
text-number = "{ $text }" is not a plain integer
text-int64 = { $text } does not fit a 64-bit integer
text-missing = "{ $token }" is missing
text-bracket = "{ $found }" stands where "{ $token }" belongs
text-comma = a comma stands between two entries; here one of them is missing
text-bound = "<=" needs a number behind it: the upper bound of the size
text-unexpected = "{ $text }" does not belong here
text-trailing = "{ $text }" comes after the end of the shape
text-no-dimensions = { $type }[] has no dimensions
text-no-layout = { $type }[] has no layout
text-buffer = a buffer b(…) holds one array and nothing else
text-empty-braces = empty braces are not read as a layout; leave them out, or name the dimensions from minor to major
text-property-case = the property is written with a capital letter: { $property }
text-property-repeated = the property { $property } stands twice
text-property-order = the properties must stand in this order: D T L # * E S SC P M
text-property-value = the property { $property } needs a value in parentheses
text-property-type = "{ $type }" is not an integer type
text-level-types = D(…) takes the level types D, C, S and H, each with "+" and "~" where needed
text-read-as = XLA reads { $given } as { $read } here
text-padding-value = "{ $word }" is not a padding value: zero, one, lowest, highest, unknown or invalid
text-hint-write = write { $text }
text-hint-insert = insert { $text }
text-hint-remove = remove { $text }
text-hint-type = write { $type }
text-hint-tuple = put parentheses around several shapes, which makes a tuple
text-hint-shorter = split the tuple, or shorten the text
text-hint-flatten = put the elements into fewer tuples

## The page
lead = How XLA lays out an array in memory: write a shape, move its dimensions, step through every slot.
skip = Skip to the array
examples = Examples
language = Language
theme-to-dark = Dark theme
theme-to-light = Light theme
help = Help
share = Share
close = Close
undo = Undo
redo = Redo
from-the-documents = Try
definition = Definition
no-array = This shape holds no array: tokens and opaque values have no elements to show.
tuple-elements = Arrays of the tuple

## Spec bar and form
spec-label = Shape and layout, as XLA writes them
dimensions = Dimensions
dimension = Dimension
size = size
padded = padded
stride = stride
size-of = Size of dimension { $dimension }
padded-of = Padded size of dimension { $dimension }
remove-dimension = Remove dimension { $dimension }
add-dimension = Add a dimension
scalar-has-none = A scalar has no dimensions.
minor-to-major = Minor to major
changes-fastest = changes fastest
changes-slowest = changes slowest
chip = Dimension { $dimension }, place { $place } of { $count } from minor to major
dim-short = dim
move-minor = Make dimension { $dimension } more minor
move-major = Make dimension { $dimension } more major
storage = Storage
element-type = Element type
padding-value = Padding value
pad-invalid = not set
pad-zero = zero
pad-one = one
pad-lowest = lowest
pad-highest = highest
pad-unknown = unknown
tiles = Tiles
tiles-unreadable = tiles are written as (8,128)(2,1)
values = Values
values-hold = Elements hold
values-letters = letters a b c
values-iota = numbers 0 1 2
values-random = random
values-typed = typed in
seed = Seed

## Grid, cell and memory
array = Array
array-padded = Array, padded to { $sizes }
coloured-by = Colours show
by-slot = by slot
by-value = by value
rows = rows
columns = columns
compare = Compare
grid-label = Array { $shape }. Arrow keys move, Enter pins.
empty-array = The array has no elements.
empty-memory = The array takes no memory.
zoom-in = Zoom in
zoom-out = Zoom out
minimap = The whole array; click to go there
where-it-lives = Where this cell lives
and-back = And back
no-index = Tiles made this cell: it is padding, and no index leads to it.
nothing-to-divide = A scalar: there is one slot, and nothing to divide.
cell = Cell
index = index
value = value
value-unset = not set
bits = bits
bits-sign = sign
bits-exponent = exponent
bits-mantissa = mantissa
bits-integer = integer
bits-truth = truth
bits-real = real
bits-imaginary = imaginary
kind-element = element
kind-padding = padding
kind-tile-padding = padding made by tiles
letter-for = { $letter } (stands for { $value })
address-label = address
address = { $hex } · byte { $byte }, line { $line }
address-bit = { $hex } · byte { $byte }, bit { $bit }, line { $line }
word-slot = slot
word-index = index
word-stride = stride
word-tile = tile
word-physical = major to minor
memory = Memory
memory-second = Memory in the second layout
slots-show = Slots show
bytes = bytes
cache-line = cache line
line-of = { $bytes } B
overview = All of memory; click to go there
phrase-element = index { $index }, value { $value }, slot { $slot }
phrase-scalar = value { $value }, slot 0
phrase-padding = index { $index }, padding, value { $value }, slot { $slot }
phrase-padding-unset = index { $index }, padding, slot { $slot }
phrase-tile-padding = padding made by tiles, slot { $slot }

## Player
player = Steps through memory
previous-slot = Previous slot
next-slot = Next slot
play = Play
pause = Pause
memory-slot = Memory slot
slot-of = slot { $slot } of 0 … { $last }
speed = Speed
speed-option = { $steps } per second
go-to = Go to…
go = Go
goto-label = A slot, an index with commas, or a byte address
goto-unreadable = write a slot as 6, an index as 0,2 or a byte address as 0x18
goto-outside = slot { $slot } is outside memory, which ends at slot { $last }
goto-no-index = index { $index } is outside the sizes { $sizes }
goto-rank = the index has { $given } numbers but the array has rank { $rank }

## Facts and cost
fact-elements = { $count ->
    [one] element
   *[other] elements
}
fact-slots = { $count ->
    [one] slot
   *[other] slots
}
fact-bytes = { $count ->
    [one] byte
   *[other] bytes
}
fact-padding = padding
rank = rank
true-rank = true rank { $rank }
true-rank-differs = XLA's code counts every size other than 1, so a size of 0 too: { $rank }
order-row-major = row-major
order-column-major = column-major
order-dim0-major = dim 0 is major
order-dim0-minor = dim 0 is minor
cost = Cost of a walk
walk-along = along
walk-lines = { $lines } { $count ->
    [one] cache line
   *[other] cache lines
} for { $steps }
wasted = wasted
wasted-of = { $waste } of { $bytes } bytes

## Comparing
second-layout = Second layout
compare-end = Stop comparing
counting-moves = Counting what moves…
nothing-moves = Bitcast: nothing moves.
moves = { $count ->
    [one] { $shown } of { $elements } elements has another slot: { $bytes } bytes move.
   *[other] { $shown } of { $elements } elements have another slot: { $bytes } bytes move.
}
slot-goes = What stands in slot { $from } of the first layout stands in slot { $to } of the second.
layout-unreadable = a layout is written as {"{"}0,1{"}"}, with tiles as {"{"}0,1:T(2,2){"}"}

## Links and exports
link-problems = Some of this link could not be read. What could is shown.
link-too-long = The link is longer than any this page writes.
link-no-version = The link has no version; links of this page start with { $version }/.
link-unknown-version = The link has version { $version }, which this page does not know; it may come from a newer one.
link-damaged = The compressed part of the link is damaged.
link-shape = The shape: { $problem }.
link-field = "{ $name }={ $value }" means nothing here.
link-label = Link to exactly this
link-length = { $characters } characters.
link-restores = It restores shape, layout, values and what is lit. Nothing is sent to anyone: all of it stands in the link.
link-long = This link is longer than some programs keep; a file holds the same.
save-file = Save as a file
copy = Copy
copied = Copied.
copy-by-hand = The browser did not let the page copy; select the text and copy it by hand.
export = Take the picture along
copy-text = Copy the strip as text
strip-text = Memory as text
picture-of = The array as a grid, and its memory as a strip of slots. Hatched cells are padding.

## Help
help-reading = Reading the picture
help-layout = minor_to_major lists the dimensions from the one that changes fastest in memory to the one that changes slowest.
help-padding = Hatched cells are padding: they take memory but are no elements. Padding always lies at the high end of a dimension.
help-padding-text = Padding of the 2017 layout is written behind the shape: f32[2,3]{"{"}0,1{"}"} padded[3,5]=zero. The values are zero, one, lowest, highest, unknown and invalid.
help-tiles = Tiles cut the array into blocks that lie together: T(8,128) after the colon. More tiles cut the inside of the first; * merges dimensions. Tiles pad too.
help-limit = Arrays up to 67,108,864 slots and rank 12 can be shown.
help-private = Everything runs in this page. Nothing you write leaves your browser.
keys = Keys
key-arrows = move in the grid and in memory
key-slots = previous and next memory slot
key-play = play or pause
key-goto = go to a slot, an index or an address
key-pin = pin the cell, or clear all pins
key-chip = move a dimension, on its chip
key-zoom = zoom the grid
key-panels = to tiles, padding, formula
key-undo = undo and redo
key-share = share and export
key-help = this help
preferences = Preferences
letter-keys = Single letters are commands
value-map = Colours of values
map-viridis = Viridis
map-cividis = Cividis

## Examples
group-documents = From the documents
group-practice = From practice
group-corners = Corners
preset-row-major = Row-major
preset-column-major = Column-major
preset-padded = Padded, column-major
preset-padded-row = Padded, row-major
preset-padded-equal = The array that padding equals
preset-tile = Tiled 2 × 2
preset-nested-tile = Tiles within tiles
preset-combine = Dimensions merged by *
preset-nhwc = Image, NHWC
preset-nchw = Image, NCHW
preset-nchw-as-nhwc = NCHW beside NHWC
preset-tpu = Matrix tiled as on a TPU
preset-packed = Four bits an element
preset-lowest = Padded for a maximum
preset-transposed = Row-major beside column-major
preset-tuple = A tuple
preset-rank-5 = Five dimensions
preset-scalar = A scalar
preset-empty = An empty array
preset-million = A million elements
preset-sixteen-million = Sixteen million, tiled

## In a terminal
cli-not-an-array = an array is needed here, and this is none
cli-no-array = there is no such array: the shape has { $arrays }
cli-unbounded = a dimension has no bound, so nothing says where its elements lie
cli-slot = slot { $slot } is outside memory, which has { $cells } slots counted from 0
cli-empty = the array has no elements, so no index leads to one
cli-index-count = the index has { $given } numbers but the array has rank { $rank }
cli-index-outside = index { $index } is outside dimension { $dimension }, which has size { $size }
cli-hint-one-array = name one array of the tuple
cli-hint-empty = choose an array without a size of 0
cli-hint-smaller = choose a smaller array
cli-true-rank = true rank
cli-true-ranks = { $code } (the documents: { $documents })
cli-elements = elements
cli-cells = slots
cli-strides = strides
cli-tiled = none, the layout has tiles
cli-byte = byte
cli-index-head = index
cli-more = { $rows } more, shown with --all

## HLO text
hlo-expected = expected { $expected }, found “{ $found }”
hlo-no-header = the text does not begin with HloModule and a name
hlo-no-entry = there is no computation to run
hlo-two-entries = two computations are marked ENTRY; only one can be
hlo-two-roots = the computation has a second ROOT; only one instruction can be the result
hlo-empty = the computation has no instructions
hlo-unclosed = this body is not closed
hlo-too-deep = nested deeper than { $limit } levels
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

## Running modules
eval-cancelled = the run was cancelled
eval-cells = the values need more than { $limit } cells at once
eval-steps = the run takes more than { $limit } steps
eval-hint-smaller = use smaller arrays or fewer iterations
eval-operand = an operand has no value
trace-no-cell = there is no such cell
trace-limit = more than { $limit } cells take part

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
op-tuple = Holds values together.
