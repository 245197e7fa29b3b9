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
cli-letters = letters
cli-order = order
cli-elements = elements
cli-cells = slots
cli-strides = strides
cli-tiled = none, the layout has tiles
cli-byte = byte
cli-index-head = index
cli-more = { $rows } more, shown with --all
cli-file = { $file } cannot be read: { $error }
cli-bytecode = { $file } is MLIR bytecode, not text: print the module, e.g. by as_text() of JAX
cli-not-text = { $file } is not text: byte { $byte } is not UTF-8
cli-counts = { $errors } { $errors ->
    [one] error
   *[other] errors
 }, { $warnings } { $warnings ->
    [one] warning
   *[other] warnings
 }
cli-argument = argument { $number }
cli-hint-memory = Raise the limit with --memory
cli-infeed = infeed value { $number }
cli-value = { $name }: { $error }
cli-infeed-left = { $count } infeed { $count ->
    [one] value was
   *[other] values were
 } not taken
cli-hint-waiting = give a value for each infeed with --infeed; collectives need every replica (--replicas)
cli-replica = replica { $replica }:
cli-replica-error = replica { $replica }: { $error }
cli-single-device = The module is for { $devices } devices; device 0 runs alone. --devices { $devices } runs all of them.
cli-replica-count = expected a number of replicas from 1 to { $limit }
cli-replica-arguments = { $found } { $found ->
    [one] argument is
   *[other] arguments are
 } given, but { $parameters } are needed for all replicas together, or { $all } for one set each
cli-hint-replica-arguments = give --arg once per parameter, or once per parameter and replica, those of replica 0 first
cli-call-form = expected NAME=FILE.js
cli-call-node = Node.js could not be started: { $error }. --call needs the program node on the path
cli-call-ended = Node.js ended without an answer ({ $status }): { $error }
cli-call-error = { $file }: { $error }
cli-call-line = { $file }, line { $line }: { $error }
cli-call-size = its arrays take more than { $limit } MiB
cli-call-shape = it did not return the arrays of { $shape }
cli-hint-call = provide its JavaScript with --call NAME=FILE.js
cli-case = line { $line }, column { $column } is not a case: { $error }
cli-case-form = write {"{"}"name": "…", "hlo": "HloModule …", "args": [{"{"}"shape": "f32[2]", "values": [1, 2]{"}"}]{"}"}
cli-line-length = line { $line } is too long
cli-answer-length = the result is longer than { $limit } bytes
cli-case-crashed = the process that ran this case ended ({ $status })
cli-hint-crashed = the other cases are not affected; please report this case
cli-batch-interrupted = interrupted at line { $line }
cli-time-limit = the time limit of { $seconds } s was reached
cli-hint-time = use a smaller input, or raise the limit with --time-limit
cli-language = expected one of { $tags }
cli-seconds = expected a number of seconds, or none
cli-interrupted = interrupted
cli-stopped-at = { $why }, { $where }
cli-at = at { $name }: { $steps } steps, { $seconds } s
cli-at-cells = at { $name }: { $done } of { $all } cells, { $steps } steps, { $seconds } s
cli-needs-arguments = the program has parameters: give their values with --arg, or random ones with --random SEED
cli-diff-summary = { $matched } { $matched ->
    [one] instruction corresponds
   *[other] instructions correspond
 }, { $unchanged } without any difference
cli-diff-equivalent = The programs compute the same with the same operations
cli-diff-deleted-computation = deleted computation { $name } ({ $instructions } { $instructions ->
    [one] instruction
   *[other] instructions
 })
cli-diff-inserted-computation = inserted computation { $name } ({ $instructions } { $instructions ->
    [one] instruction
   *[other] instructions
 })
cli-diff-changed = changed { $opcode } × { $count }
cli-diff-deleted = deleted { $opcode } × { $count }
cli-diff-inserted = inserted { $opcode } × { $count }
cli-diff-moved = moved { $opcode } × { $count }
cli-diff-layout = other layout of { $opcode } × { $count }
cli-diff-annotations = other annotations of { $opcode } × { $count }
cli-diff-renamed = renamed { $opcode } × { $count }
cli-diff-reordered = other order of { $opcode } × { $count }
cli-diff-more = … and { $count } more; --all lists them
cli-diff-values = { $compared } { $compared ->
    [one] value
   *[other] values
 } compared: { $different } differ, { $missing } without a counterpart
cli-diff-begins = the difference begins at { $name }: { $what }
cli-diff-follows = { $name } also differs: { $what }
cli-diff-shape = other shape
cli-diff-elements = { $beyond } of { $elements } elements, first at { $index }: { $a } and { $b }; at most { $max } ulps between numbers
cli-diff-elements-integers = { $beyond } of { $elements } elements, first at { $index }: { $a } and { $b }; integers differ by at most { $max }
cli-diff-elements-alone = { $beyond } of { $elements } elements, first at { $index }: { $a } and { $b }
cli-diff-unknown = no instruction of the entry computation has the name of the array { $name }, or several might have it
cli-cut-instruction = there is no instruction { $name } in the computation, or its name is ambiguous
cli-cut-computation = there is no computation { $name }
cli-cut-nothing = nothing is selected
cli-cut-large = not printed because it has more than { $limit } elements
cli-shrink-property = expected nan, inf, error, or differs: followed by a file
cli-shrink-not-reproduced = the program does not have this problem with these arguments
cli-shrink-end = { $before } → { $after } { $after ->
    [one] instruction
   *[other] instructions
 } after { $tries } { $tries ->
    [one] run
   *[other] runs
 }: { $why }
cli-shrink-minimal = no further instruction can be removed
cli-shrink-tries = the number of runs is reached (--tries)

## Inspecting a program
cli-inspect-flops = FLOPs
cli-inspect-transcendentals = transcendentals
cli-inspect-read = bytes read
cli-inspect-written = bytes written
cli-inspect-intensity = FLOPs per byte
cli-inspect-unknown = custom calls (no cost)
cli-inspect-loops = loops counted once
cli-inspect-peak = peak memory
cli-inspect-padding = padding
cli-inspect-copies = Copies and transposes: { $count }, { $bytes }
cli-inspect-reads = reads
cli-inspect-writes = writes
cli-inspect-entry-parameter = the layout of parameter { $number }
cli-inspect-entry-result = the layout of the result
cli-inspect-loop-state = the layout of a loop's state
cli-inspect-branch = the layout that all branches share
cli-inspect-call = the layout of a function's parameter or result
cli-inspect-constant = the layout of a constant
cli-inspect-operand = the layout of operand { $number } of { $opcode }
cli-inspect-result = the layout that { $opcode } writes
cli-inspect-movement = the layout of another { $opcode }
cli-inspect-unused = a layout that no instruction requires
cli-inspect-padded = Padded shapes
cli-inspect-saves = saves { $bytes }
cli-inspect-live = Live at the peak: { $name }
cli-inspect-sources = Source locations
cli-inspect-group = { $count } { $count ->
    [one] instruction
   *[other] instructions
 }, { $flops } FLOPs, { $bytes }
cli-inspect-nowhere = (unknown)
cli-inspect-used = needed
cli-inspect-capacity = available
cli-inspect-requested = requested
cli-inspect-buffers = Padding of { $count } { $count ->
    [one] buffer
   *[other] buffers
 }
cli-inspect-of = of { $bytes }
cli-export-picture = the result of the program has no array, or too many, so there is no picture
cli-export-nothing = there is no array to export, or the template is none
cli-export-arguments = the program has parameters: give an --arg for each, or --random SEED
cli-export-template = cannot read the template { $file }: { $error }
cli-export-site = the site has no snapshot-*.html: build it again (cargo xtask dist)
cli-out-write = cannot write { $file }: { $error }
cli-out-format = { $file } is no file of values: its name must end in .npy, .npz, .json, .raw or .bin
cli-out-one = { $file } holds one array, but the result is a tuple or a token: write .npz or .json
cli-out-archive = { $file } would be larger than an archive may be
cli-out-padding = { $file } holds elements only, but the layout of the result has padding: write .npy
cli-man-unknown = there is no command { $name }: `help` lists the commands
cli-man-folder = { $file } cannot be written: { $error }
cli-serve-site = there is no built site in { $folders }: build it with `cargo xtask dist` in the project, and name its folder with --site
cli-serve-port = the address cannot be served: { $error }. Choose another port with --port
cli-serve-token = the system provides no random numbers: { $error }
cli-serve-end = Ctrl+C ends the server
cli-serve-no-browser = no browser could be opened: open the address above
cli-serve-opening = Opening { $file }…
cli-serve-ended = The server of this program has ended. Run the command again.
cli-serve-too-large = The program is too large for the storage of a tab. Open its file on the Program screen.
cli-export-partial = only the first { $mib } MiB of values are compared
cli-export-written = wrote { $folder }: run it with python { $folder }/run.py
