module @jit_gelu_bf16 attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
  func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<8x8xbf16>) -> tensor<4x8xf32> {
    %0 = stablehlo.convert %arg0 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    %1 = stablehlo.dot %0, %arg1, precision = [DEFAULT, DEFAULT] : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xbf16>
    %2 = stablehlo.multiply %1, %1 : tensor<4x8xbf16>
    %3 = stablehlo.multiply %2, %1 : tensor<4x8xbf16>
    %cst = stablehlo.constant dense<4.467770e-02> : tensor<bf16>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<4x8xbf16>
    %5 = stablehlo.multiply %3, %4 : tensor<4x8xbf16>
    %6 = stablehlo.add %1, %5 : tensor<4x8xbf16>
    %cst_0 = stablehlo.constant dense<7.968750e-01> : tensor<bf16>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<4x8xbf16>
    %8 = stablehlo.multiply %6, %7 : tensor<4x8xbf16>
    %9 = stablehlo.tanh %8 : tensor<4x8xbf16>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<bf16>) -> tensor<4x8xbf16>
    %11 = stablehlo.add %9, %10 : tensor<4x8xbf16>
    %cst_2 = stablehlo.constant dense<5.000000e-01> : tensor<bf16>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<bf16>) -> tensor<4x8xbf16>
    %13 = stablehlo.multiply %11, %12 : tensor<4x8xbf16>
    %14 = stablehlo.multiply %1, %13 : tensor<4x8xbf16>
    %15 = stablehlo.convert %14 : (tensor<4x8xbf16>) -> tensor<4x8xf32>
    return %15 : tensor<4x8xf32>
  }
}
