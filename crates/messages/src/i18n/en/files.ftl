# Files of arguments and of results, in English. Other languages copy its keys.

file-unreadable = { $file } cannot be read: { $error }
array-memory = { $file } takes more than the { $limit } MiB that all values may have together
array-parameter = { $file } has the shape { $shape }, which is larger than its parameter { $parameter }
array-more = { $file } has more data after the elements of { $shape }
array-value = byte { $number } of the elements in { $file } is { $byte }, which is not a value of { $type }
array-json = { $file } is not UTF-8 text
array-length = { $file } has { $found } bytes of elements, but { $shape } takes { $expected }
npy-header = { $file } is not an array as NumPy saves it: its header cannot be read
npy-type = { $file } has elements of NumPy type { $type }, which has no counterpart among the element types of XLA
npz-archive = { $file } is not an archive as NumPy saves it
npz-empty = { $file } contains no arrays
npz-count = { $file } contains { $found } { $found ->
    [one] array
   *[other] arrays
 }, but { $left } { $left ->
    [one] parameter has
   *[other] parameters have
 } no argument yet
npz-member = { $file } is damaged: it differs from its entry in the directory of the archive
npz-method = { $file } is encrypted, or compressed by a method other than deflate
raw-parameter = { $file } has no shape of its own, and there is no array parameter for it
array-impossible = { $name }: { $error }
file-format = { $file } is no array file: use .npy, .npz, .json, or .raw
npz-no-member = { $file } does not exist: the archive has other arrays
array-other-type = { $file } has { $shape }, but the parameter is { $parameter }; convert it, e.g. with astype of NumPy, and save it again
array-other-shape = { $file } has { $shape }, but the parameter is { $parameter }
export-host = the program needs a host (an infeed, an outfeed, or the function of a custom call), which XLA cannot get from a script: cut out the rest
export-partitions = the program is already partitioned ({ $partitions } partitions), and XLA partitions programs by itself: export the program before that pass, or run it with eval --devices
export-nothing = the program computes no array
export-large = the arguments or the values are too large for an archive
