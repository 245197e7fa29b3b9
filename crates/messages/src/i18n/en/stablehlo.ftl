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
stablehlo-dynamic = { $op } computes a shape at run time, which HLO does not have
stablehlo-hint-static = Lower the program with static shapes.
stablehlo-quantized = quantized types are not translated to HLO
stablehlo-hint-quantized = Dequantize before exporting, or export the program in floating point.
stablehlo-library = the custom call { $name } is a library function of a specific platform
stablehlo-hint-platform = Lower the program for another platform, such as platforms=["tpu"].
