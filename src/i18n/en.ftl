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
padding-cell-unset = unset: the layout does not say what padding holds
padding-cell-unknown = unknown: anything, NaN included
layout-copy-structure = the layout cannot be copied: one shape is a tuple of other elements, or no tuple at all
layout-copy-rank = a layout of rank { $rank } cannot be copied to a shape of rank { $to }
