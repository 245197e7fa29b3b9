module @jit_convnet_grad attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
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
  func.func private @region_2.5(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<i1> {
    %0 = stablehlo.compare  GE, %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    return %0 : tensor<i1>
  }
  func.func private @region_3.6(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @region_4.7(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @region_5.8(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @region_6.9(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<i1> {
    %0 = stablehlo.compare  GE, %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    return %0 : tensor<i1>
  }
  func.func private @region_7.10(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @region_8.11(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @region_9.12(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @main(%arg0: tensor<2x14x14x1xf32>, %arg1: tensor<3x3x1x4xf32>, %arg2: tensor<4xf32>, %arg3: tensor<3x3x4x8xf32>, %arg4: tensor<8xf32>, %arg5: tensor<32x10xf32>, %arg6: tensor<10xf32>) -> (tensor<3x3x1x4xf32>, tensor<4xf32>, tensor<3x3x4x8xf32>, tensor<8xf32>) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x14x14x1xf32>, tensor<3x3x1x4xf32>) -> tensor<2x14x14x4xf32>
    %1 = stablehlo.reshape %arg2 : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>
    %3 = stablehlo.reshape %2 : (tensor<1x1x1x4xf32>) -> tensor<4xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [3] : (tensor<4xf32>) -> tensor<2x14x14x4xf32>
    %5 = stablehlo.add %0, %4 : tensor<2x14x14x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x14x14x4xf32>
    %7 = stablehlo.compare  GT, %5, %6 : (tensor<2x14x14x4xf32>, tensor<2x14x14x4xf32>) -> tensor<2x14x14x4xi1>
    %8 = call @relu.1(%5) : (tensor<2x14x14x4xf32>) -> tensor<2x14x14x4xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %9 = "stablehlo.reduce_window"(%8, %cst_0) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      %45 = stablehlo.maximum %arg7, %arg8 : tensor<f32>
      stablehlo.return %45 : tensor<f32>
    }) : (tensor<2x14x14x4xf32>, tensor<f32>) -> tensor<2x7x7x4xf32>
    %10 = stablehlo.convolution(%9, %arg3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x7x7x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x5x5x8xf32>
    %11 = stablehlo.reshape %arg4 : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<1x1x1x8xf32>
    %13 = stablehlo.reshape %12 : (tensor<1x1x1x8xf32>) -> tensor<8xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [3] : (tensor<8xf32>) -> tensor<2x5x5x8xf32>
    %15 = stablehlo.add %10, %14 : tensor<2x5x5x8xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x5x5x8xf32>
    %17 = stablehlo.compare  GT, %15, %16 : (tensor<2x5x5x8xf32>, tensor<2x5x5x8xf32>) -> tensor<2x5x5x8xi1>
    %18 = call @relu_0.3(%15) : (tensor<2x5x5x8xf32>) -> tensor<2x5x5x8xf32>
    %19 = "stablehlo.reduce_window"(%18, %cst_0) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      %45 = stablehlo.maximum %arg7, %arg8 : tensor<f32>
      stablehlo.return %45 : tensor<f32>
    }) : (tensor<2x5x5x8xf32>, tensor<f32>) -> tensor<2x2x2x8xf32>
    %20 = stablehlo.reshape %19 : (tensor<2x2x2x8xf32>) -> tensor<2x32xf32>
    %21 = stablehlo.dot %20, %arg5, precision = [DEFAULT, DEFAULT] : (tensor<2x32xf32>, tensor<32x10xf32>) -> tensor<2x10xf32>
    %22 = stablehlo.reshape %arg6 : (tensor<10xf32>) -> tensor<1x10xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1] : (tensor<1x10xf32>) -> tensor<1x10xf32>
    %24 = stablehlo.reshape %23 : (tensor<1x10xf32>) -> tensor<10xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [1] : (tensor<10xf32>) -> tensor<2x10xf32>
    %26 = stablehlo.add %21, %25 : tensor<2x10xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x10xf32>
    %28 = stablehlo.multiply %26, %27 : tensor<2x10xf32>
    %29 = stablehlo.dot_general %28, %arg5, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x10xf32>, tensor<32x10xf32>) -> tensor<2x32xf32>
    %30 = stablehlo.reshape %29 : (tensor<2x32xf32>) -> tensor<2x2x2x8xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = "stablehlo.select_and_scatter"(%18, %30, %cst_3) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      %45 = stablehlo.compare  GE, %arg7, %arg8 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %45 : tensor<i1>
    }, {
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      %45 = stablehlo.add %arg7, %arg8 : tensor<f32>
      stablehlo.return %45 : tensor<f32>
    }) : (tensor<2x5x5x8xf32>, tensor<2x2x2x8xf32>, tensor<f32>) -> tensor<2x5x5x8xf32>
    %32 = stablehlo.select %17, %31, %16 : tensor<2x5x5x8xi1>, tensor<2x5x5x8xf32>
    %33 = stablehlo.reverse %arg3, dims = [0, 1] : tensor<3x3x4x8xf32>
    %34 = stablehlo.convolution(%32, %33) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 2], [2, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x5x5x8xf32>, tensor<3x3x4x8xf32>) -> tensor<2x7x7x4xf32>
    %35 = "stablehlo.select_and_scatter"(%8, %34, %cst_3) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      %45 = stablehlo.compare  GE, %arg7, %arg8 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %45 : tensor<i1>
    }, {
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      %45 = stablehlo.add %arg7, %arg8 : tensor<f32>
      stablehlo.return %45 : tensor<f32>
    }) : (tensor<2x14x14x4xf32>, tensor<2x7x7x4xf32>, tensor<f32>) -> tensor<2x14x14x4xf32>
    %36 = stablehlo.select %7, %35, %6 : tensor<2x14x14x4xi1>, tensor<2x14x14x4xf32>
    %37 = stablehlo.convolution(%arg0, %36) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x14x14x1xf32>, tensor<2x14x14x4xf32>) -> tensor<3x3x1x4xf32>
    %38 = stablehlo.reduce(%36 init: %cst_3) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x14x14x4xf32>, tensor<f32>) -> tensor<4xf32>
    %39 = stablehlo.reshape %38 : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %40 = stablehlo.reduce(%39 init: %cst_3) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x4xf32>, tensor<f32>) -> tensor<4xf32>
    %41 = stablehlo.convolution(%9, %32) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x7x7x4xf32>, tensor<2x5x5x8xf32>) -> tensor<3x3x4x8xf32>
    %42 = stablehlo.reduce(%32 init: %cst_3) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x5x5x8xf32>, tensor<f32>) -> tensor<8xf32>
    %43 = stablehlo.reshape %42 : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %44 = stablehlo.reduce(%43 init: %cst_3) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    return %37, %40, %41, %44 : tensor<3x3x1x4xf32>, tensor<4xf32>, tensor<3x3x4x8xf32>, tensor<8xf32>
  }
}
