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

## Memory: what has no place in it
memory-unbounded = dimension { $dimension } has no bound, so where its elements lie in memory is not known

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
