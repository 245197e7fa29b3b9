# The English catalogue. Other languages copy its keys. Arguments are named in braces after a dollar sign.

## StableHLO text
stablehlo-expected = expected { $expected }, found “{ $found }”
stablehlo-expected-end = expected { $expected }, found the end of the text
stablehlo-hint-write = write { $text }
stablehlo-too-deep = nested deeper than { $limit } levels
stablehlo-element-type = { $name } is not an element type
stablehlo-no-function = there is no function to run
stablehlo-recursion = the function { $name } calls itself, which HLO does not allow
stablehlo-callee = there is no function { $name }
stablehlo-value = no value above is named { $name }
stablehlo-results = { $op } has { $expected } results, but { $found } names are written
stablehlo-attribute = { $op }: { $name } is missing or cannot be read
stablehlo-captured = the body of { $op } uses { $name } from outside; in HLO it can only use its parameters
stablehlo-unknown = { $op } is not an operation of StableHLO
stablehlo-unsupported = { $op } is not translated to HLO
stablehlo-elided = the values of this constant are elided in the text
stablehlo-hint-elided = Print the program with all values: as_text() of JAX prints them, get_asm() without large_elements_limit.
stablehlo-dynamic = { $op } computes a shape at run time, which HLO does not have
stablehlo-hint-static = Lower the program with static shapes.
stablehlo-quantized = quantized types are not translated to HLO
stablehlo-hint-quantized = Dequantize before exporting, or export the program in floating point.
stablehlo-hint-platform = Lower the program for another platform, such as platforms=["tpu"].
stablehlo-device-control = { $op } contains a collective: within a loop or a branch, devices are not translated to a specific program
stablehlo-hint-one-device = Lower the program for one device, or take the collective out of it.
stablehlo-dialect = { $op } is an operation of the dialect { $dialect }, which is not read here
stablehlo-hint-dialect = Print the module before it is lowered further: jax.jit(f).lower(*args).as_text() is StableHLO.
stablehlo-hint-vhlo = Convert it first: stablehlo-opt --vhlo-legalize-to-stablehlo.
stablehlo-edition = XLA 2017 has no StableHLO
stablehlo-hint-edition = Use current XLA, or convert the text to HLO first.
stablehlo-lapack = the custom call { $name } is a function of LAPACK, which is not available
stablehlo-unwritable = { $op } cannot be written in StableHLO
stablehlo-hint-unwritable = Print the module as HLO.
