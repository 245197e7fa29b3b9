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
speed-too-large = The arrays take { $size } MB; the limit is { $limit } MB.
speed-too-long = This takes { $steps } billion multiply-adds; the limit is { $limit } billion.
speed-smaller = use { $sizes }
speed-link-part = “{ $part }” in the link is not recognized and was ignored

## Measuring
speed-title = Measure on this machine
speed-lead = Computes the same result in several ways and times each on this machine. Nothing leaves the page.
speed-measure = Measure
speed-stop = Stop
speed-views = What to measure
speed-view-ways = Ways to compute it
speed-view-sizes = Over sizes
speed-view-layouts = Over layouts
speed-view-ways-about = The reference evaluator; kernels without SIMD, with SIMD, and with fused multiply-add; and several workers. All elements are f32.
speed-view-sizes-about = Kernel throughput as the arrays outgrow the caches. The size below sets every dimension (for a convolution, only the features).
speed-view-layouts-about = The same arrays in every layout (minor_to_major), with the strict SIMD kernels: the results are equal, the memory access is not.
speed-nothing-yet = Nothing measured yet.
speed-running = Measuring
speed-done = Fastest: { $row }, { $rate } { $unit }
speed-stopped = Stopped. Finished measurements are kept.
speed-isolated = This frame has no origin of its own, so it cannot start workers. Open the full app to measure.
speed-of-before = These results are of { $setup }, not of the current settings.

## Results
speed-results = Results
speed-chart-ways = Throughput of each way to compute it; the longest bar is the fastest. The table below has the same numbers.
speed-chart-sizes = Throughput over sizes. The table below has the same numbers.
speed-chart-layouts = Throughput over layouts. The table below has the same numbers.
speed-axis-size = size
speed-column-row = variant
speed-column-median = median ms
speed-column-ratio = × scalar
speed-column-ratio-layout = × row-major
speed-column-kernel = kernel
speed-row-major = { $order } row-major
speed-column-samples = samples
speed-way-reference = Reference
speed-way-scalar = Scalar
speed-way-strict = SIMD (strict)
speed-way-fast = SIMD (fast)
speed-way-workers = { $count } workers
speed-out-too-long = skipped: the reference evaluator would take too long at this size
speed-out-no-kernel = skipped: no kernel supports this, so the app uses the reference evaluator
speed-out-unavailable = skipped. { $cause }
speed-out-see-table = skipped: the table says why
speed-out-no-simd = skipped: this browser has no WebAssembly SIMD
speed-out-no-relaxed-simd = skipped: this browser has no relaxed SIMD
speed-out-not-split = skipped: too few rows for this many workers
speed-out-no-workers = skipped: the browser did not start this many workers
speed-out-failed = skipped: the kernel refused the task, a bug in the app
speed-limit-mul-add = multiply + add, registers only
speed-limit-fused = fused multiply-add, registers only
speed-limit-copy = copying the same number of bytes
speed-how = Minimum of interleaved samples, each far longer than the timer’s resolution. Operands stay in WebAssembly memory; worker times include transfers.
speed-machine = { $browser }, { $cores } { $cores ->
    [one] core
   *[other] cores
}
speed-copy = Copy as text
speed-key-measure = measure
speed-key-stop = stop
speed-key-share = the link
speed-key-help = show this help
speed-help-bars = A longer bar is faster. The dashed line is the peak of this machine: arithmetic in registers, or copying memory.
speed-help-strict = Strict kernels give the same bits on every machine. Fast kernels may round a product and a sum together.
speed-help-layout = The layout decides which dimension is contiguous in memory. Access along another one jumps between cache lines.
speed-help-quiet = Close other busy tabs and programs: they slow down every sample.
