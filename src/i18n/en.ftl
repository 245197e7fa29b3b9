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
