# The English catalogue. Other languages copy its keys. Arguments are named in braces after a dollar sign.

language-name = English

## Diagnostics
diagnostic-error = error
diagnostic-warning = warning
diagnostic-note = note
diagnostic-hint = hint: { $hint }

## Shapes and layouts: violations
shape-negative-size = dimension { $dimension } has size { $size }, but a size cannot be negative
shape-too-large = the array has more elements or bytes than a 64-bit integer can hold
layout-length = minor_to_major has { $entries } { $entries ->
    [one] entry
   *[other] entries
} but the shape has rank { $rank }
layout-out-of-range = minor_to_major lists dimension { $dimension }, but a shape of rank { $rank } has no such dimension
layout-repeated = minor_to_major lists dimension { $dimension } twice; list each dimension once
layout-padded-length = the padding has { $entries } { $entries ->
    [one] size
   *[other] sizes
} but the shape has rank { $rank }
layout-padded-small = dimension { $dimension } has size { $size } and cannot be padded to { $padded }, which is smaller
layout-padded-tiled = padded_dimensions (XLA 2017) and tiles (current XLA) cannot be combined
layout-tail = the tail padding alignment is { $alignment }, but must be at least 1
layout-sparse = index types, pointer types and physical shapes belong to sparse arrays; this array is dense
layout-tile-empty = a tile needs at least one size
layout-tile-size = a tile has size { $size }, but sizes must be positive
layout-tile-combine-last = "*" merges a dimension into the next more minor one, so it cannot be last in a tile
layout-element-size = the element size is { $bits } bits, but cannot be negative
layout-split-dimension = the split lists physical dimension { $dimension } twice, or the dimension is outside rank { $rank }
layout-split-indices = the split of physical dimension { $dimension } needs increasing positions between 0 and its size { $size }
layout-slots = with padding and tiles the array takes more slots or bits than a 64-bit integer can hold

## Limits and edits
limit-tiles = the layout has { $tiles } tiles; at most { $limit } are supported
limit-tiles-fix = keep the first { $count } tiles
limit-tile-sizes = the tiles have { $sizes } sizes together; at most { $limit } are supported
limit-tile-sizes-fix = keep the first { $count } sizes
limit-dimensions = the array has { $rank } dimensions; at most { $limit } are supported
limit-dimensions-fix = keep the first { $count } dimensions
limit-leaves = the tuple has { $leaves } leaves; at most { $limit } are supported
limit-depth = tuples are nested { $depth } deep; at most { $limit } levels are supported
limit-rank = the array has rank { $rank }; this page shows arrays up to rank { $limit }
limit-cells = the array takes { $cells } slots in memory; this page shows at most { $limit }
limit-cells-hint = use smaller sizes
limit-cells-fix = change the size of dimension { $dimension } to { $size }
values-replaced = The typed values do not fit the new shape. Undo restores them.
edit-no-array = the shape contains no array to edit

## Memory: what has no address
memory-unbounded = dimension { $dimension } has no bound, so the addresses of its elements are unknown
padding-cell-unset = unset: the layout does not define the padding value
padding-cell-unknown = unknown: anything, NaN included

## Literals and typed values
literal-not-a-number = "{ $token }" is not a number of type { $type }
literal-out-of-range = { $token } is out of the range of { $type }, which is { $low } to { $high }
literal-float-for-integer = { $token } is not an integer, and { $type } holds integers only
literal-special-for-integer = { $type } has no { $token }; only floats have
literal-truth-for-number = "{ $token }" is a Boolean, and { $type } holds numbers
literal-not-a-truth = { $token } is not a Boolean: { $type } takes true, false, 1 and 0
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
literal-too-deep = too many braces: { $rank ->
    [0] a scalar has none
   *[other] in an array of rank { $rank } they are nested { $rank } deep
}
literal-too-shallow = this value is { $depth } braces deep, but the values of an array of rank { $rank } are { $rank } braces deep
literal-expected = { $expected } expected here
literal-value-expected = a value expected here, such as { $example }
literal-unclosed = "{ $open }" is never closed
literal-extra-text = nothing may follow the literal
literal-elided = the values are elided ("..."), so they are unknown; the elements read as zero
literal-too-large = the array takes { $cells } slots of memory; at most { $limit } are supported
literal-no-memory = there is not enough memory for { $cells } slots
literal-bytes = the array takes { $expected } bytes, but { $found } are given
text-proto-field = a Layout has no field { $name }; it has: { $fields }
literal-hint-write = write { $text }
literal-hint-remove = remove the excess
literal-hint-fill = fill the rest with { $text }
literal-hint-close = close it
literal-hint-full-dump = paste the dump from before compilation, which has every value

## Shapes in XLA's text form: syntax errors
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
text-bracket = expected "{ $token }", found "{ $found }"
text-comma = an entry is missing next to this comma
text-bound = "<=" must be followed by a number: the upper bound of the size
text-unexpected = unexpected "{ $text }"
text-trailing = unexpected "{ $text }" after the end of the shape
text-no-dimensions = { $type }[] has no dimensions
text-no-layout = { $type }[] has no layout
text-buffer = a buffer b(…) holds exactly one array
text-empty-braces = empty braces are not a layout; remove them, or list the dimensions from minor to major
text-property-case = properties are uppercase: { $property }
text-property-repeated = duplicate property { $property }
text-property-order = the properties must be in this order: D T L # * E S SC P M
text-layout-form = write the layout in one pair of braces: order, colon, tiles; not as "{ $text }"
text-property-value = the property { $property } needs a value in parentheses
text-property-type = "{ $type }" is not an integer type
text-level-types = D(…) takes the level types D, C, S and H, optionally followed by "+" and "~"
text-read-as = XLA reads { $given } as { $read } here
text-padding-value = "{ $word }" is not a padding value: zero, one, lowest, highest, unknown or invalid
text-hint-write = write { $text }
text-hint-insert = insert { $text }
text-hint-remove = remove { $text }
text-hint-type = write { $type }
text-hint-tuple = put several shapes in parentheses to make a tuple
text-hint-shorter = split the tuple, or shorten the text
text-hint-flatten = nest the elements in fewer tuples

## The page
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
quick-order = Order
quick-example = Example
definition = Definition
no-array = This shape contains no array: tokens and opaque values have no elements to show.
tuple-elements = Arrays of the tuple
window-shown = { $first }–{ $last } of { $total }, counted from 0
window-previous = Previous { $count }
window-next = Next { $count }
window-find = Go to number

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
chip = Dimension { $dimension }, position { $position } of { $count } from minor to major
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
values-hold = Fill with
values-letters = letters a b c
values-iota = numbers 0 1 2
values-random = random
values-typed = custom
values-unknown = These values cannot be read, so cells show “?”.
problems-more = { $count } more { $count ->
    [one] error
   *[other] errors
}
seed = Seed

## Grid, cell and memory
array = Array
caption-scalar = A scalar is one element without dimensions.
caption-empty = One of the sizes is 0: there are no elements, and no memory.
caption-vector = Elements lie in memory one after another.
caption-rows = Memory runs along the rows: { $minor } changes fastest from slot to slot.
caption-columns = Memory runs down the columns: { $minor } changes fastest from slot to slot.
caption-order = From slot to slot, { $minor } changes fastest and { $major } slowest.
caption-tiled = Memory holds the tiles of { $tile } one after another.
caption-tiles = Memory holds the tiles of { $tile } one after another, each divided into tiles of { $inner }.
caption-padding = { $padding } of { $slots } slots are padding (hatched): they hold no element.
run-an-op = Run an op on it
document-shapes = Shapes and layout
document-of-screen = XLA’s document on this screen
rule-title = Rule
array-padded = Array, padded to { $sizes }
coloured-by = Colour cells
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
zoom-fit = Fit
visible-columns = columns { $first }–{ $last } of { $count }
visible-rows = rows { $first }–{ $last } of { $count }
visible-facets = d{ $dimension } { $first }–{ $last } of { $count }
minimap = Overview of the array; click to jump
where-it-lives = Index → slot
and-back = Slot → index
no-index = Tile padding: no index maps to this cell.
nothing-to-divide = A scalar has one slot, so there is nothing to compute.
cell = Cell
index = index
value = value
value-unset = not set
bits = bits
bits-sign = sign
bits-exponent = exponent
bits-mantissa = mantissa
bits-integer = integer
bits-truth = Boolean
bits-real = real
bits-imaginary = imaginary
kind-element = element
kind-padding = padding
kind-tile-padding = tile padding
letter-for = { $letter } (= { $value })
address-label = address
address = { $hex } · byte { $byte }, line { $line }
address-bytes = { $hex } · bytes { $byte }–{ $last }, line { $line }
address-bit = { $hex } · byte { $byte }, bit { $bit }, line { $line }
word-slot = slot
word-index = index
word-stride = stride
word-tile = tile
word-physical = major to minor
word-within = within
memory = Memory
memory-second = Memory in the second layout
slots-show = Slots show
bytes = bytes
cache-line = cache line
line-of = { $bytes } B
overview = Overview of memory; click to jump
phrase-element = index { $index }, value { $value }, slot { $slot }
phrase-scalar = value { $value }, slot 0
phrase-padding = index { $index }, padding, value { $value }, slot { $slot }
phrase-padding-unset = index { $index }, padding, slot { $slot }
phrase-tile-padding = tile padding, slot { $slot }

## Player
player = Memory player
previous-slot = Previous slot
next-slot = Next slot
play = Play
pause = Pause
memory-slot = Memory slot
slot-of = slot { $slot } / { $last }
speed = Speed
speed-option = { $steps } per second
go-to = Go to…
go = Go
goto-label = A slot, an index with commas (-1 is the last), or a byte address
goto-unreadable = write a slot as 6, an index as 0,2 or a byte address as 0x18
goto-outside = slot { $slot } is outside memory; the last slot is { $last }
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
true-rank-differs = XLA’s code counts every size other than 1, including 0: { $rank }
order-row-major = row-major (d0 is major)
order-column-major = column-major (d0 is minor)
order-dim0-major = d0 is major (like row-major)
order-dim0-minor = d0 is minor (like column-major)
cost = Cache lines touched
walk-along = along
walk-lines = { $lines } { $count ->
    [one] line
   *[other] lines
} for { $steps } elements
wasted = wasted
walk-not-counted = not counted: { $steps } elements across tiles
wasted-of = { $waste } of { $bytes } bytes

## Comparing
second-layout = Second layout
compare-end = Stop comparing
counting-moves = Counting moved elements…
not-counted = The moved elements could not be counted. { $cause }
nothing-moves = Bitcast: nothing moves.
moves = { $count ->
    [one] { $shown } of { $elements } elements changes slot ({ $bytes } bytes).
   *[other] { $shown } of { $elements } elements change slot ({ $bytes } bytes).
}
slot-goes = Slot { $from } of the first layout holds the same element as slot { $to } of the second.
layout-unreadable = write a layout as {"{"}0,1{"}"}, with tiles as {"{"}0,1:T(2,2){"}"}

## Workers and kernel modules: why one did not do its work, and what to do
part-worker = The background worker
part-kernels = The kernel module
part-translation = The translation
part-extras = This part of the page
cause-offline = { $part } could not be loaded: the browser is offline. Connect, then try again.
cause-unreachable = { $part } could not be loaded: the server cannot be reached. Check the connection, then try again.
cause-status = { $part } could not be loaded: the server answered with status { $status }. Try again; if the site was updated meanwhile, reload the page.
cause-damaged = { $part } could not be loaded: its file is damaged or incomplete. Try again, or reload the page.
cause-timed-out = { $part } did not load: nothing was received for { $seconds } seconds. Check the connection, then try again.
cause-out-of-memory = { $part } ran out of memory. Use smaller arrays, or close other tabs, then try again.
cause-out-of-memory-of = { $part } ran out of memory: it asked for { $size }. Use smaller arrays, or close other tabs, then try again.
cause-trapped-worker = { $part } crashed. This is a bug in the app, and nothing you typed is lost. Try again. The error: { $detail }
cause-trapped-code = { $part } could not be used. This is a bug in the app. Try again. The error: { $detail }
cause-trapped-kernels = { $part } crashed in { $detail }. This is a bug in the app. Try again.
cause-other-release = { $part } is from a different release than this page. Reload the page; the link keeps your work.
cause-no-simd = This browser has no WebAssembly SIMD, so the scalar kernels were used: the same values, but slower.
cause-no-relaxed-simd = This browser has no relaxed SIMD, so the strict kernels were used instead of the fast ones.
cause-not-allowed = { $part } could not be started: this frame does not allow workers. Open the page in its own tab.
cause-ended = { $part } stopped, and the browser does not say why. Try again; if it stops again, use smaller arrays.
retry = Try again
reload = Reload the page

## Links and exports
link-problems = Part of this link could not be read. The rest is shown.
link-too-long = The link has { $characters } characters; at most { $limit } are read.
link-dense = The link decompresses to more than { $limit } bytes, the limit for its length; the rest is ignored.
link-more = { $count } more { $count ->
    [one] part
   *[other] parts
} could not be read.
link-no-version = The link has no version; links of this page start with { $version }/.
link-unknown-version = The link has version { $version }, which this page does not know; it may come from a newer one.
link-damaged = The compressed part of the link is damaged.
link-not-unpacked = The link is compressed, and the part of the page that decompresses it did not load. Reload the page.
link-shape = The shape: { $problem }.
link-field = “{ $name }={ $value }” is not recognized.
link-label = Link to this state
link-length = { $characters } characters.
link-restores = The link holds all settings and selections but language and theme; nothing is uploaded.
link-long = Some programs truncate links as long as this one; save a file instead.
save-file = Save as a file
copy = Copy
copied = Copied.
copy-by-hand = The browser blocked copying; select the text and copy it by hand.
export = Export the picture
copy-text = Copy memory as text
copy-proto = Copy the Layout proto
strip-text = Memory as text
picture-of = The array as a grid, and its memory as a strip of slots. Hatched cells are padding.

## Help
lecture = Read the lecture with live pictures
help-reading = Reading the picture
help-layout = minor_to_major lists the dimensions from the one that changes fastest in memory to the one that changes slowest.
help-padding = Hatched cells are padding: they take memory but hold no elements. Padding is always at the high end of a dimension.
help-padding-text = Padding of the 2017 layout is written after the shape: f32[2,3]{"{"}0,1{"}"} padded[3,5]=zero. The values are zero, one, lowest, highest, unknown and invalid.
help-tiles = Tiles divide the array into contiguous blocks: T(8,128) after the colon. Further tiles divide the inside of the first; * merges dimensions. Tiles add padding, too.
help-limit = Arrays up to 67,108,864 slots and rank 12 can be shown.
help-private = Everything runs in this page. Nothing you type leaves your browser.
keys = Keys
key-arrows = move in the grid and in memory
key-slots = previous and next memory slot
key-play = play or pause
key-goto = go to a slot, an index or an address
key-pin = pin the cell, or clear all pins
key-chip = move a dimension, on its chip
key-zoom = zoom the grid
key-panels = go to tiles, padding, formula
key-undo = undo and redo
key-share = share and export
key-help = show this help
preferences = Preferences
letter-keys = Single-letter shortcuts
value-map = Value colours
map-viridis = Viridis
map-cividis = Cividis

## Examples
group-documents = From the XLA documents
group-practice = Real-world
group-corners = Edge cases
preset-row-major = Row-major
preset-column-major = Column-major
preset-padded = Padded, column-major
preset-padded-row = Padded, row-major
preset-padded-equal = Equivalent array without padding
preset-tile = Tiled 2 × 2
preset-nested-tile = Nested tiles
preset-combine = Dimensions merged by *
preset-nhwc = Image, NHWC
preset-nchw = Image, NCHW
preset-nchw-as-nhwc = NCHW compared with NHWC
preset-tpu = Matrix with TPU tiles
preset-packed = Four bits per element
preset-lowest = Padded with the lowest value
preset-transposed = Row-major compared with column-major
preset-tuple = A tuple
preset-rank-5 = Five dimensions
preset-scalar = A scalar
preset-empty = An empty array
preset-million = A million elements
preset-sixteen-million = Sixteen million, tiled

## The screens
screens = Screens
screen-layout = Layout
door-layout = where each element is in memory
screen-ops = Ops
door-ops = where each cell comes from
screen-program = Program
door-program = what every value is
screen-speed = Speed
door-speed = how fast it runs here

## Embeds
open-full = Open in full app
embed-label = Embed: one line of HTML for your page
copy-embed = Copy the HTML
page-export = Export as one page
page-export-about = One HTML file with everything in it. It opens from disk, without this site.
page-export-working = Recording …
page-export-saved = Saved.
page-export-nothing = There is nothing to export: the shape has no array that can be shown.
