module @jit_cond_switch attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
  func.func private @region_0.1(%arg0: tensor<5xf32>) -> tensor<5xf32> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<5xf32>
    return %1 : tensor<5xf32>
  }
  func.func private @region_1.2(%arg0: tensor<5xf32>) -> tensor<5xf32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<5xf32>
    return %0 : tensor<5xf32>
  }
  func.func private @region_2.3(%arg0: tensor<5xf32>) -> tensor<5xf32> {
    %0 = stablehlo.sine %arg0 : tensor<5xf32>
    return %0 : tensor<5xf32>
  }
  func.func private @region_3.4(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @region_4.5(%arg0: tensor<5xf32>) -> tensor<5xf32> {
    %0 = stablehlo.negate %arg0 : tensor<5xf32>
    return %0 : tensor<5xf32>
  }
  func.func private @region_5.6(%arg0: tensor<5xf32>) -> tensor<5xf32> {
    return %arg0 : tensor<5xf32>
  }
  func.func @main(%arg0: tensor<i32>, %arg1: tensor<5xf32>) -> tensor<5xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<2> : tensor<i32>
    %0 = stablehlo.clamp %c, %arg0, %c_0 : tensor<i32>
    %1 = "stablehlo.case"(%0) ({
      %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<5xf32>
      %7 = stablehlo.add %arg1, %6 : tensor<5xf32>
      stablehlo.return %7 : tensor<5xf32>
    }, {
      %6 = stablehlo.multiply %arg1, %arg1 : tensor<5xf32>
      stablehlo.return %6 : tensor<5xf32>
    }, {
      %6 = stablehlo.sine %arg1 : tensor<5xf32>
      stablehlo.return %6 : tensor<5xf32>
    }) : (tensor<i32>) -> tensor<5xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
    %3 = stablehlo.compare  GT, %2, %cst : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.convert %3 : (tensor<i1>) -> tensor<i32>
    %5 = "stablehlo.case"(%4) ({
      %6 = stablehlo.negate %1 : tensor<5xf32>
      stablehlo.return %6 : tensor<5xf32>
    }, {
      stablehlo.return %1 : tensor<5xf32>
    }) : (tensor<i32>) -> tensor<5xf32>
    return %5 : tensor<5xf32>
  }
}
