module @jit_kv_cache_update attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
  func.func private @region_0.1(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @cumsum_0.2(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1>, padding = dense<[[7, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 8>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @cumsum.3(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @cumsum_0.2(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @_pad.4(%arg0: tensor<4x8xf32>, %arg1: tensor<f32>) -> tensor<7x9xf32> {
    %0 = stablehlo.pad %arg0, %arg1, low = [1, 0], high = [2, 1], interior = [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<7x9xf32>
    return %0 : tensor<7x9xf32>
  }
  func.func @main(%arg0: tensor<10x8xf32>, %arg1: tensor<1x8xf32>, %arg2: tensor<i32>, %arg3: tensor<8xf32>) -> (tensor<10x8xf32>, tensor<4xf32>, tensor<8xf32>, tensor<7x9xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare  LT, %arg2, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<10> : tensor<i32>
    %1 = stablehlo.add %arg2, %c_0 : tensor<i32>
    %2 = stablehlo.select %0, %1, %arg2 : tensor<i1>, tensor<i32>
    %3 = stablehlo.dynamic_update_slice %arg0, %arg1, %2, %c : (tensor<10x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<10x8xf32>
    %c_1 = stablehlo.constant dense<3> : tensor<i32>
    %4 = stablehlo.subtract %arg2, %c_1 : tensor<i32>
    %5 = stablehlo.maximum %4, %c : tensor<i32>
    %6 = stablehlo.compare  LT, %5, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = stablehlo.add %5, %c_0 : tensor<i32>
    %8 = stablehlo.select %6, %7, %5 : tensor<i1>, tensor<i32>
    %9 = stablehlo.dynamic_slice %3, %8, %c, sizes = [4, 8] : (tensor<10x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
    %10 = stablehlo.dot %9, %arg3, precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4xf32>
    %11 = call @cumsum.3(%arg3) : (tensor<8xf32>) -> tensor<8xf32>
    %cst = stablehlo.constant dense<7.000000e+00> : tensor<f32>
    %12 = call @_pad.4(%9, %cst) : (tensor<4x8xf32>, tensor<f32>) -> tensor<7x9xf32>
    return %3, %10, %11, %12 : tensor<10x8xf32>, tensor<4xf32>, tensor<8xf32>, tensor<7x9xf32>
  }
}
