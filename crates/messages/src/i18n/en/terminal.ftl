# The English catalogue. Other languages copy its keys. Arguments are named in braces after a dollar sign.

## In a terminal
cli-not-an-array = an array is needed here, and this is not one
cli-no-array = there is no such array: the shape has { $arrays }
cli-unbounded = a dimension has no bound, so the addresses of its elements are unknown
cli-slot = slot { $slot } is outside memory, which has { $cells } slots counted from 0
cli-empty = the array has no elements, so no index is valid
cli-index-count = the index has { $given } numbers but the array has rank { $rank }
cli-index-outside = index { $index } is outside dimension { $dimension }, which has size { $size }
cli-hint-one-array = name one array of the tuple
cli-hint-empty = choose an array without a dimension of size 0
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
cli-file = { $file } cannot be read: { $error }
cli-not-text = { $file } is not text: byte { $byte } is not UTF-8
cli-counts = { $errors } { $errors ->
    [one] error
   *[other] errors
 }, { $warnings } { $warnings ->
    [one] warning
   *[other] warnings
 }
cli-argument = argument { $number }: { $error }
cli-case = line { $line }, column { $column } is not a case: { $error }
cli-case-form = write {"{"}"name": "…", "hlo": "HloModule …", "args": [{"{"}"shape": "f32[2]", "values": [1, 2]{"}"}]{"}"}
cli-line-length = line { $line } is too long
cli-answer-length = the answer is longer than { $limit } bytes
cli-case-crashed = the process that ran this case ended ({ $status })
cli-hint-crashed = the other cases are not affected; please report this case
cli-batch-interrupted = interrupted at line { $line }
cli-time-limit = the time limit of { $seconds } s is reached
cli-hint-time = use a smaller input, or raise the limit with --time-limit
cli-seconds = expected a number of seconds, or none
cli-interrupted = interrupted
cli-stopped-at = { $why }, { $where }
cli-at = at { $name }: { $steps } steps, { $seconds } s
cli-at-cells = at { $name }: { $done } of { $all } cells, { $steps } steps, { $seconds } s
