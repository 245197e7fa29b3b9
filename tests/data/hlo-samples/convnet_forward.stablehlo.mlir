module @jit_convnet_forward attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
  func.func private @relu.1(%arg0: tensor<2x14x14x4xf32>) -> tensor<2x14x14x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x14x14x4xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x14x14x4xf32>
    return %1 : tensor<2x14x14x4xf32>
  }
  func.func private @region_0.2(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.maximum %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @relu_0.3(%arg0: tensor<2x5x5x8xf32>) -> tensor<2x5x5x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x5x5x8xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x5x5x8xf32>
    return %1 : tensor<2x5x5x8xf32>
  }
  func.func private @region_1.4(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.maximum %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @main(%arg0: tensor<2x14x14x1xf32>, %arg1: tensor<3x3x1x4xf32>, %arg2: tensor<4xf32>, %arg3: tensor<3x3x4x8xf32>, %arg4: tensor<8xf32>, %arg5: tensor<32x10xf32>, %arg6: tensor<10xf32>) -> tensor<2x10xf32> {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x14x14x1xf32>, tensor<3x3x1x4xf32>) -> tensor<2x14x14x4xf32>
    %1 = stablehlo.reshape %arg2 : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>
    %3 = stablehlo.reshape %2 : (tensor<1x1x1x4xf32>) -> tensor<4xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [3] : (tensor<4xf32>) -> tensor<2x14x14x4xf32>
    %5 = stablehlo.add %0, %4 : tensor<2x14x14x4xf32>
    %6 = call @relu.1(%5) : (tensor<2x14x14x4xf32>) -> tensor<2x14x14x4xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %7 = "stablehlo.reduce_window"(%6, %cst) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      %23 = stablehlo.maximum %arg7, %arg8 : tensor<f32>
      stablehlo.return %23 : tensor<f32>
    }) : (tensor<2x14x14x4xf32>, tensor<f32>) -> tensor<2x7x7x4xf32>
    %8 = stablehlo.convolution(%7, %arg3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x7x7x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x5x5x8xf32>
    %9 = stablehlo.reshape %arg4 : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<1x1x1x8xf32>
    %11 = stablehlo.reshape %10 : (tensor<1x1x1x8xf32>) -> tensor<8xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [3] : (tensor<8xf32>) -> tensor<2x5x5x8xf32>
    %13 = stablehlo.add %8, %12 : tensor<2x5x5x8xf32>
    %14 = call @relu_0.3(%13) : (tensor<2x5x5x8xf32>) -> tensor<2x5x5x8xf32>
    %15 = "stablehlo.reduce_window"(%14, %cst) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      %23 = stablehlo.maximum %arg7, %arg8 : tensor<f32>
      stablehlo.return %23 : tensor<f32>
    }) : (tensor<2x5x5x8xf32>, tensor<f32>) -> tensor<2x2x2x8xf32>
    %16 = stablehlo.reshape %15 : (tensor<2x2x2x8xf32>) -> tensor<2x32xf32>
    %17 = stablehlo.dot %16, %arg5, precision = [DEFAULT, DEFAULT] : (tensor<2x32xf32>, tensor<32x10xf32>) -> tensor<2x10xf32>
    %18 = stablehlo.reshape %arg6 : (tensor<10xf32>) -> tensor<1x10xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (tensor<1x10xf32>) -> tensor<1x10xf32>
    %20 = stablehlo.reshape %19 : (tensor<1x10xf32>) -> tensor<10xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [1] : (tensor<10xf32>) -> tensor<2x10xf32>
    %22 = stablehlo.add %17, %21 : tensor<2x10xf32>
    return %22 : tensor<2x10xf32>
  }
}
