# The Speed screen, in English. Other languages copy its keys.

## What can be measured
speed-op = Operation
speed-op-dot = Dot
speed-op-convolution = Convolution
speed-op-sum = Reduce: sum
speed-op-max = Reduce: maximum
speed-op-add = Add
speed-op-exp = Exponential
speed-op-tanh = Tanh
speed-op-transpose = Transpose
speed-op-sort = Sort
speed-op-softmax = Softmax
speed-size-m = m, rows
speed-size-k = k, summed over
speed-size-n = n, columns
speed-size-batch = batch
speed-size-side = height and width
speed-size-in = input features
speed-size-out = output features
speed-size-window = window
speed-dimension = dimension { $dimension }
speed-rank = Dimensions
speed-over = Reduce over
speed-over-dimension = reduce over dimension { $dimension }
speed-to = Order of the result’s dimensions
speed-size-range = A size is a whole number from 1 to { $limit }.
speed-too-large = The arrays take { $size } MB; { $limit } MB at most are measured.
speed-too-long = This takes { $steps } billion multiply-adds; { $limit } billion at most are measured.
speed-smaller = take { $sizes }
speed-link-part = “{ $part }” of the link is not understood and left out

## Measuring
speed-title = Measure on this machine
speed-lead = The same result, computed in several ways, timed here and now. Nothing leaves the page.
speed-measure = Measure
speed-stop = Stop
speed-views = What to measure
speed-view-ways = Ways to compute it
speed-view-sizes = Over sizes
speed-view-layouts = Over layouts
speed-view-ways-about = The definition, cell by cell; kernels without SIMD, with it, with fused multiply-add; and several workers. All elements are f32.
speed-view-sizes-about = The rate of the kernels as the arrays grow past the caches. Every size is the number below, features only for a convolution.
speed-view-layouts-about = The same arrays with their dimensions in every order (minor_to_major), by the strict SIMD kernels: what is the same to mathematics is not the same to memory.
speed-nothing-yet = Nothing is measured yet.
speed-running = Measuring
speed-done = Measured: { $count } { $count ->
    [one] row
   *[other] rows
}, the fastest { $row } with { $rate } { $unit }
speed-stopped = Stopped. What was measured stays.
speed-isolated = This frame has no origin of its own, so it cannot start workers. Open the full app to measure.
speed-of-before = These are results of { $setup }, not of what is set now.

## Results
speed-results = Results
speed-chart-ways = Rates of the ways to compute it, the longest bar is the fastest. The table below has the same numbers.
speed-chart-sizes = Rates over sizes. The table below has the same numbers.
speed-chart-layouts = Rates over layouts. The table below has the same numbers.
speed-axis-size = size
speed-column-row = what
speed-column-median = median ms
speed-column-ratio = × scalar
speed-column-ratio-layout = × row-major
speed-column-kernel = kernel
speed-row-major = { $order } row-major
speed-column-samples = samples
speed-way-reference = Reference
speed-way-scalar = Scalar
speed-way-strict = SIMD, strict
speed-way-fast = SIMD, fast
speed-way-workers = { $count } workers
speed-out-too-long = left out: the definition would take too long at this size
speed-out-no-kernel = left out: no kernel does this yet, the app runs the definition
speed-out-unavailable = left out. { $cause }
speed-out-see-table = left out: the table says why
speed-out-no-simd = left out: this browser has no WebAssembly SIMD
speed-out-no-relaxed-simd = left out: this browser has no relaxed SIMD
speed-out-not-split = left out: too few rows for so many workers
speed-out-no-workers = left out: the browser did not start so many workers
speed-out-failed = left out: the kernel refused the task, a bug of the app
speed-limit-mul-add = multiply + add, registers only
speed-limit-fused = fused multiply-add, registers only
speed-limit-copy = copying as many bytes
speed-how = The fastest of interleaved samples counts, each long against the clock. Operands and results lie in the module’s memory; for workers, handing rows and results over is part of the time, the right operand lies there.
speed-machine = { $browser }, { $cores } { $cores ->
    [one] core
   *[other] cores
}
speed-copy = Copy as text
speed-key-measure = measure
speed-key-stop = stop
speed-key-share = the link
speed-key-help = this help
speed-help-bars = A longer bar is faster. The dashed line is what this machine does at best: sums and products that never leave the registers, or memory copied.
speed-help-strict = Strict kernels give the same bits on every machine. Fast ones may round a product and a sum together.
speed-help-layout = A layout says which dimension lies side by side in memory. Reading against it means jumping from cache line to cache line.
speed-help-quiet = Close what else is busy: other tabs and programs take their share of every sample.
