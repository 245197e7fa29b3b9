# The Program screen, in English. Other languages copy its keys.

## Without a program
program-title = Open a program and see every value
program-for-read = Read HLO or StableHLO of any size: text, structure and data flow side by side.
program-for-run = Run it here and look into each instruction: picture, histogram, the first NaN.
program-for-trace = Follow a cell back to the cells it was computed from.
program-private = Everything happens in this browser; nothing is uploaded.
program-open = Open or paste a program
program-paste = Paste HLO or StableHLO text here
program-open-typed = Open
program-file = Choose a file…
program-drop = or drop a file anywhere
program-file-unreadable = The file cannot be read as text.
program-file-too-large = The file has more than 64 MB.
program-samples = Or start from a sample
program-sample-softmax = Softmax
program-sample-softmax-about = Four fusions over f32[8,16], as XLA compiles it for the CPU
program-sample-attention = Attention
program-sample-attention-about = Layer norm, two heads, a causal mask: compiled and scheduled
program-sample-resnet = ResNet-18
program-sample-resnet-about = A whole image classifier with 11.7 million weights, random until you load them
program-sample-convnet = Gradient of a convnet
program-sample-convnet-about = Reverse, select-and-scatter and transposed convolutions, before optimization
program-sample-scan = Scan
program-sample-scan-about = A loop over a recurrent cell: while, dynamic-slice, nested calls
program-sample-tpu = TPU layouts
program-sample-tpu-about = Tiles T(8,128)(2,1) and memory space S(1): a transposed copy and much padding
program-missing = This tab does not have the text of this link: it was too long for a link. Open the file again.

## The program
program-summary = { $count ->
    [one] { $instructions } instruction
   *[other] { $instructions } instructions
} in { $bodies ->
    [one] { $computations } computation
   *[other] { $computations } computations
}
program-fetching = Loading the program…
program-reading = Reading the program…
program-open-another = Open another program
program-link-too-long = The program is too long for a link. Save it as a file, and open that elsewhere.
program-export = The program with its values
program-export-page-about = One HTML file: the instructions of the entry computation, their values, and the cells that each was computed from. It opens from disk, without this site.
program-export-jax = Export to JAX
program-export-jax-about = A .zip with the program as StableHLO, its arguments, the values found here, and run.py: it runs the program with XLA on any device and names the first value that differs.
program-export-saved = Saved as { $name }.
program-export-partial = Saved as { $name }. All values would be too large: run.py compares the first ones.
program-export-template = The template of exported pages is damaged. Reload the page.
program-save = Save as a file

## Views
program-views = Views
program-view-read = Read
program-view-graph = Graph
program-view-costs = Costs

## Graph
graph-of = Graph of { $name }
graph-laying-out = Laying out… { $percent } %
graph-nodes = { $count } nodes
graph-oversized = A body is too large to be drawn in place
program-selected = Selected instruction
graph-operands-are = Operands: { $names }
graph-users-are = Users: { $names }
graph-calls = Calls { $names }
graph-keys = ↑ ↓ operand and user, into and out of open bodies · ← → beside it · 0–9 operand by number · Enter opens a body here, Shift+Enter alone · Backspace to the caller · + − F zoom · Shift+arrows pan
graph-kind-data = data
graph-kind-contraction = dot, convolution
graph-kind-reduction = reduction
graph-kind-movement = movement
graph-kind-elementwise = element-wise
graph-kind-call = calls
graph-kind-communication = communication
graph-kind-unknown = unknown

## Costs
costs-computing = Analyzing…
costs-flops = FLOPs
costs-transcendentals = transcendental functions
costs-bytes-read = bytes read
costs-bytes-written = bytes written
costs-intensity = FLOPs per byte
costs-peak = peak memory
costs-padding-bytes = padding
costs-unknown-instructions = { $count } custom calls have no known cost.
costs-unknown-loops = { $count } loops have an unknown trip count and count as one iteration.
costs-memory = Memory over time
costs-scheduled = In the order of the schedule; bytes that are live while each instruction of the entry computation runs.
costs-unscheduled = The text has no schedule, so its order is assumed; bytes that are live while each instruction of the entry computation runs.
costs-at = { $name }: { $bytes } live
costs-permanent = parameters and constants, live throughout: { $bytes }
costs-temporary = temporary values at the peak: { $bytes }
costs-live = Live at the peak
costs-peak-at = The peak is at
costs-throughout = throughout
costs-at-the-time = temporary
costs-bytes = bytes
costs-part = share
costs-instruction = instruction
costs-shape = shape
costs-cause = why
costs-moving = Copies and transposes that move bytes
costs-moving-sum = They read and write { $bytes } in total.
costs-no-moving = No copy or transpose moves bytes.
costs-relayout = changes the order in memory
costs-copy = copies in the same order
costs-reads = reads
costs-writes = writes
costs-free = Bitcasts
costs-free-note = Their layouts make them free: no byte moves.
costs-padding = Padding by tiles
costs-padding-total = padding by tiles
costs-padding-sum = { $bytes } of padding, { $percent } of all values.
costs-no-padding = No value is padded.
costs-better = better order
costs-saves = saves { $bytes }
costs-expensive = Most memory traffic
costs-most-flops = Most FLOPs
costs-more = Show { $count } more
costs-show-list = { $what } { $value }: show the list
costs-rest = … and { $count } more
costs-reason-parameter = the layout of parameter { $number }
costs-reason-result = the layout of the program's result
costs-reason-loop = the layout of a loop's state
costs-reason-branch = the layout that all branches share
costs-reason-call = the layout of a function's parameter or result
costs-reason-constant = the layout of a constant
costs-reason-operand = the layout of operand { $number } of { $opcode }
costs-reason-written = the layout that { $opcode } writes
costs-reason-movement = the layout of another { $opcode }
costs-reason-none = a layout that no instruction requires
program-view-compare = Compare
program-view-cut = Cut out

## Text
program-text = Text
program-lines = { $count } { $count ->
    [one] line
   *[other] lines
}
program-edit = Edit
program-edit-end = Close editor
program-edit-too-long = Text of more than 4 MB is read-only here.
program-folded = =…
program-line = Line { $line }

## Structure
program-structure = Structure
program-outline = Outline
program-root = root
program-open-body = Show the body
program-fold-body = Hide the body
program-open-all = Show all bodies
program-fold-all = Hide all bodies
program-search = Search instructions
program-search-results = Instructions found
program-found = { $count } { $count ->
    [one] instruction
   *[other] instructions
}
program-path = Path of calls
program-neighbours = Operands and users
program-operand = operand { $number }:
program-user = used as operand { $number } of
program-more-operands = … and { $count } more operands
program-more-users = … and { $count } more users
program-bodies = Called computations
program-size = { $count } { $count ->
    [one] instruction
   *[other] instructions
}
program-shape = Shape
program-op-name = op_name
program-source = Source
program-annotations = Annotations

## Values
program-values = Values
program-run = Run
program-run-again = Run again
program-cancel = Cancel
program-not-run = Run the program to see its values.
program-run-after-errors = Fix the errors; then the program can run.
program-long-run = A run takes about { $billions } billion operations, so it does not start by itself.
program-running = Running…
program-progress = { $name } · { $steps } steps
program-cancelled = Cancelled.
program-stale = The program or its parameters have changed since the run.
program-ran = Finished in { $milliseconds } ms.
program-parameters = { $count } { $count ->
    [one] parameter
   *[other] parameters
}
program-no-parameters = The program has no parameters.
program-seed = Seed
program-random-seed = random values, seed { $seed }
program-some-random-seed = some values random, seed { $seed }
program-show-value = Show its value
program-values-of = Values of { $name }
program-random = random
program-random-starts = Start indices of slices: drawn in bounds, 0 to { $max }.
program-iota = 0, 1, 2 …
program-typed = typed
program-value-of = Value of { $name }
program-no-cells = This value has no cells.
program-cell-hint = Point at a cell, or move to it by arrow keys, to see its value and its sources.
program-element = Element
program-execution = Execution { $number } of { $count }
program-window = d{ $dimension }: { $from } … { $to } of { $size }
program-sources = Computed from { $count } { $count ->
    [one] cell
   *[other] cells
}:
program-kernel = Computed by the kernel { $kernel }.
program-min = min
program-mean = mean
program-max = max
program-show-first = show the first
program-padded = { $bytes }; with padding { $padded }
program-nans = NaN
program-infinities = ±inf
program-zeros = zeros
program-subnormals = subnormal
program-elements = elements
program-histogram = Histogram of the values from { $low } to { $high }
program-first-nan = First NaN: { $name }
program-first-infinity = First inf: { $name }
program-largest-jump = Largest finite growth: { $name }, ×{ $ratio }

## Arguments from files and values to files
program-from-file = file
program-choose-file = File…
program-choose-files = Values of all parameters from a file…
program-choose-file-for = Values of { $name } from a file
program-drop-arrays = or drop it here: .npy, .npz, .json, .raw
program-arrays-by-name = The arrays of an .npz go to the parameters of their names, otherwise in order.
program-file-assigned = { $file }: { $names }
program-file-unlinked = Values from files are not in the link, which only names the files.
program-file-missing = choose { $file } again: the link has its name, not its values
program-file-again = Choose { $file } again: the link has its name, not its values.
program-file-several = { $file } has several arrays, and none has the name of this parameter: { $names }
program-file-unused = { $file }: no parameter for { $names }
program-file-whose = { $file }: choose the parameter that it belongs to, with its button “File…”
program-file-opened-as-text = This is an array file. Open a program first, then drop the array on its values.
program-save-value = Save the value as
program-save-too-large = The value is too large for one file.

## Devices
program-devices = Devices
program-devices-note = Random parameters use the next seed on each device; all others are equal on every device.
program-devices-range = Enter a number from 1 to { $limit }.
program-devices-multiple = Enter 1 or a multiple of { $partitions }: each replica has { $partitions } partitions.
program-devices-slower = Run by the evaluator, which takes longer: only a run on one device is compiled.
program-devices-single = Runs on one device.
program-device = Device { $number } of { $count }
program-device-back = Previous device
program-device-on = Next device
program-device-position = id { $device }: replica { $replica }, partition { $partition }
program-on-device = device { $number }
program-device-error = device { $device }: { $error }
program-device-limit = a program runs on 1 to { $limit } devices

## Memory reports
program-report-oom = Out of memory
program-report-assignment = Buffer assignment
program-report-usage = Memory usage
program-report-summary = { $count } { $count ->
    [one] buffer
   *[other] buffers
}
program-report-exceeds = The program needs { $used } of { $capacity }: { $excess } too much.
program-report-fits = The program needs { $used } of { $capacity }.
program-report-requested = The allocation of { $bytes } failed.
program-report-padding = { $padding } of { $memory } in the listed buffers are padding ({ $percent } %).
program-report-ranked = Buffers by wasted memory
program-report-more = … and { $count } more buffers
program-report-text = Text of the report
program-report-waste = { $memory }, of which { $padding } are padding ({ $percent } %)
program-report-line = line { $line }
program-report-layout-part = Open a smaller one in Layout
program-report-better = Less waste:
program-report-order = another order of the dimensions:
program-report-merge = d{ $first } and d{ $second } as one dimension:
program-report-size = d{ $dimension } of size { $size }:
program-report-saves = saves { $saved }, takes { $memory }
program-report-same = takes { $memory }, with less padding
program-report-columns = { $size } of { $padded } columns hold data
program-report-rows = { $size } of { $padded } rows hold data
program-sample-memory = Out of memory
program-sample-memory-about = The error of a TPU compiler: which buffers are mostly padding, and what would fit

## Traces and time
program-trace-back = Computed from, step by step
program-trace-on = Used by
program-trace-on-hint = Click a cell to see the cells that are computed from it.
program-trail-back = Back to { $cell }
program-trace-none = Nothing in this computation reads the cell.
program-trace-parameters = It depends on { $count } { $count ->
    [one] parameter
   *[other] parameters
} of the program:
program-trace-known-parameters = It depends on at least { $count } { $count ->
    [one] parameter
   *[other] parameters
} of the program:
program-region-array = { $count ->
    [one] its cell
   *[other] all { $count } cells
}
program-region-slice = { $slice }, { $count } { $count ->
    [one] cell
   *[other] cells
}
program-region-part = { $count } cells in { $slice }
program-marks-back = Marked: { $region }, sources of { $cell }
program-marks-on = Marked: { $region }, computed from { $cell }
program-trace-hidden = { $count } { $count ->
    [one] value
   *[other] values
} in between without a picture: follow a cell to see more.
program-trace-partial = Further cells are not traced: there are too many, or a value on the way was not computed.
program-trace-execution = execution { $number }
program-trace-step = { $distance } { $distance ->
    [one] step
   *[other] steps
} away
program-step-back = Previous instruction
program-step-on = Next instruction
program-iteration = Iteration { $number } of { $count }
program-iteration-back = Previous execution
program-iteration-on = Next execution
program-timeline = Smallest and largest value of each execution
program-timeline-show = Show all executions
program-timeline-nan = NaN in execution { $number }
program-timeline-infinity = ±inf in execution { $number }
program-at-execution = { $label }, execution { $number }
program-key-step = previous and next instruction

## Source
program-view-source = Source
program-source-none = The program has no source locations: it was printed without metadata.
program-source-files = Source files
program-source-lines = Lines with instructions
program-source-file = { $file }: { $count } { $count ->
    [one] instruction
   *[other] instructions
}
program-source-line = { $file }:{ $line }, { $count } { $count ->
    [one] instruction
   *[other] instructions
}
program-source-drop = Drop the source file here, or choose it, to see its lines.
program-source-choose = Choose a source file…
program-source-shown = { $file } as you chose it. It stays in this tab.
program-source-unmatched = No instruction names a file like { $file }.
program-source-short = { $file } has { $lines } lines, but instructions come from line { $line }: it may be another version.
program-source-instructions = Instructions of line { $line }
program-source-select = Select a line with a mark to see its instructions.

## Help
program-key-search = search instructions
program-key-move = move through the outline
program-key-fold = show and hide a body
program-key-enter = enter a body
program-key-lines = in the text: move to a line, select its instruction
program-key-leave = return to the call
program-key-run = run
program-key-cancel = cancel
program-key-share = share
program-key-help = this help
program-help-edges = An edge carries the shape of the value along it; the wider it is, the more bytes.
program-help-values = A value that is not kept is computed again when it is shown.
program-help-large = Small programs run as soon as they are read; larger ones when you say so.

## Failures
program-argument = parameter { $number }: { $problem }
program-argument-unreadable = the text is not a value of its shape
program-argument-memory = the value does not fit in memory
program-no-entry = the program has no entry computation
program-not-executed = This instruction was not executed in the run.

## Editor
program-plain-field = Plain text field
program-editor-failed = The editor did not load; this field does the same.
program-token-help = Meaning of the token at the caret
editor-link-layout = Open in Layout
editor-link-instruction = Show in Structure
editor-link-definition = Go to definition
editor-new-name = New name
editor-show-annotation = Show annotation
editor-control-character = Control character
editor-selection-deleted = Selection deleted
editor-fold-line = Fold line
editor-unfold-line = Unfold line
editor-folded-lines = Folded lines
editor-unfolded-lines = Unfolded lines
editor-to = to
editor-folded-code = folded code
editor-unfold = unfold
editor-completions = Completions
editor-diagnostics = Diagnostics
editor-no-diagnostics = No diagnostics
editor-find = Find
editor-replace = Replace
editor-next = next
editor-previous = previous
editor-all = all
editor-match-case = match case
editor-regexp = regular expression
editor-by-word = whole words
editor-replace-one = replace
editor-replace-all = replace all
editor-close = close
editor-current-match = current match
editor-on-line = on line
editor-go-to-line = Go to line

## Compare
program-compare-title = Compare with another program
program-compare-about = Both are matched by structure: renamed and moved instructions are recognized. Then run both and see the first instruction whose value differs.
program-compare-paste = Paste the other program here
program-compare-choose = Compare
program-compare-unedited = The text before your edits
program-compare-files = Choose files…
program-compare-folder = Choose a folder of dumps…
program-compare-drop = or drop files here; several files are compared pass by pass, an .npz by the names of its arrays
program-compare-text-missing = This tab does not have the other program of this link: it was too long for a link. Choose it again.
program-compare-matching = Matching the programs…
program-compare-first-rejected = The first program cannot be read, line { $line }: { $message }
program-compare-second-rejected = The second program cannot be read, line { $line }: { $message }
program-compare-same = The programs are the same.
program-compare-equivalent = Both compute the same with the same operations; { $count } instructions differ in layout, annotations, name or order only.
program-compare-summary = { $count } { $count ->
    [one] difference
   *[other] differences
}; { $unchanged } instructions are unchanged.
program-compare-computations = Only in the first: { $first } computations; only in the second: { $second }.
program-compare-shown = Shown rows
program-compare-changed = changed
program-compare-deleted = only in the first
program-compare-inserted = only in the second
program-compare-moved = in another computation
program-compare-layout = other layout
program-compare-annotations = other annotations
program-compare-renamed = renamed
program-compare-reordered = reordered
program-compare-unchanged = same instruction
program-compare-counterparts = Operands of the same name are different instructions: → names the match in the second program, ← the one in the first, – means none.
program-compare-previous = Previous difference
program-compare-next = Next difference
program-compare-list = Both programs
program-compare-details = Difference and values
program-compare-none-shown = No instruction is of the kinds that are shown.
program-compare-first = First
program-compare-second = Second
program-compare-show = Show in the program
program-compare-exchange = Swap the programs
program-compare-other = Compare with another…
program-compare-resume = Back to the last comparison
program-compare-values = Values
program-compare-ulps = Tolerance in ulp
program-compare-absolute = or absolute
program-compare-run = Run both and compare
program-compare-equal = All { $compared } compared instructions have equal values.
program-compare-different = { $different } of { $compared } compared instructions differ.
program-compare-missing = { $count } have no counterpart.
program-compare-first-difference = First instruction that differs
program-compare-largest = Largest difference
program-compare-all = All that differ, in the order of the data flow
program-compare-archive-about = The values of the program beside the arrays of { $file }, which are named like instructions.
program-compare-unknown = No instruction has these names: { $names }.
program-compare-cell = Cell
program-compare-distance = { $ulps } ulp
program-compare-distance-label = Distance
program-compare-integer-label = Difference
program-compare-beyond = { $beyond } of { $elements } elements
program-compare-shapes = other shape or element type
program-compare-show-values = both values
program-compare-origin = operands agree
program-compare-parameter-count = The first program has { $first } parameters, the second { $second }: they cannot run with the same arguments.
program-compare-parameter = Parameter { $number } is { $first } in the first program and { $second } in the second: they cannot run with the same arguments.
program-series = Passes
program-series-module = Module
program-series-unnamed = other files
program-series-step = Pass { $number } of { $count }, compared with { $before }
program-series-same = no change
program-series-unreadable = cannot be read
program-series-open = Open this pass

## Cut out
program-cut = Cut out
program-cut-about = The instructions become a program of their own. What they read becomes constants, or parameters with the values of a run.
program-cut-names = Instructions
program-cut-within = Of computation { $name }. Separate names by commas.
program-cut-operands = Together with
program-cut-alone = nothing else
program-cut-levels = { $count } { $count ->
    [one] level of operands
   *[other] levels of operands
}
program-cut-all-operands = everything they depend on
program-cut-constants = Constants of at most this many elements
program-cut-errors = Fix the errors of the program first: only a valid program can be cut.
program-cut-result = Result
program-cut-no-result = The program that you cut out or shrink appears here. The one that is open stays until you open the result.
program-cut-done = { $count } { $count ->
    [one] instruction
   *[other] instructions
} and { $count ->
    [one] what it reads
   *[other] what they read
}.
program-cut-run-failed = The run failed; values that it had not computed are random in the result.
program-cut-nothing = No instruction is selected.
program-cut-unknown = Computation { $computation } has no instruction { $name }, or several that might be meant.
program-cut-open = Open as the program
program-cut-copy = Copy
program-cut-link = Copy link
program-cut-back = The browser's Back returns to this program.
program-cut-unknown-values = { $count } { $count ->
    [one] parameter has
   *[other] parameters have
} no recorded value: random ones take its place.
program-cut-long-values = { $count } { $count ->
    [one] parameter has
   *[other] parameters have
} more than 16,384 elements, which are not written out: random values take their place, and the result may behave differently.
program-shrink = Shrink while …
program-shrink-about = Removes everything that is not needed for what you see: instructions, sizes, values. Each candidate is run.
program-shrink-while = Keep what makes
program-shrink-nan = a NaN appear
program-shrink-inf = an infinity appear
program-shrink-error = the run fail as it does now
program-shrink-differs = a value differ from the compared program
program-shrink-needs-other = (choose one under Compare)
program-shrink-kernels = fast kernels differ from the reference evaluator
program-shrink-start = Shrink
program-shrinking = { $instructions } of { $original } instructions left, { $tries } candidates run
program-shrink-minimal = Minimal: { $count } of { $original } instructions, after { $tries } runs.
program-shrink-tries = { $count } of { $original } instructions; stopped after { $tries } runs, so smaller ones may exist.
program-shrink-cancelled = The smallest program before you cancelled: { $count } { $count ->
    [one] instruction
   *[other] instructions
}.
program-shrink-no-nan = No NaN is computed with these arguments.
program-shrink-no-infinity = No infinity is computed with these arguments.
program-shrink-no-error = The run does not fail with these arguments.
program-shrink-no-difference = No value differs from the compared program with these arguments and this tolerance.
program-shrink-same-kernels = The kernels agree with the reference evaluator within this tolerance.
program-shrink-memory = The values of the program need { $megabytes } MB; at most { $limit } MB can be kept. Cut a part out first.
program-task-first = First program: { $name } · { $steps } steps
program-task-second = Second program: { $name } · { $steps } steps
