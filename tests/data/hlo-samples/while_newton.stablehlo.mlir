module @jit_while_newton attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
  func.func private @region_0.1(%arg0: tensor<i32>, %arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<f32>) -> (tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.divide %arg3, %arg1 : tensor<f32>
    %2 = stablehlo.add %arg1, %1 : tensor<f32>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %3 = stablehlo.multiply %2, %cst : tensor<f32>
    %4 = stablehlo.subtract %3, %arg1 : tensor<f32>
    %5 = stablehlo.abs %4 : tensor<f32>
    return %0, %3, %5, %arg3 : tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>
  }
  func.func private @region_1.2(%arg0: tensor<i32>, %arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<f32>) -> tensor<i1> {
    %c = stablehlo.constant dense<50> : tensor<i32>
    %0 = stablehlo.compare  LT, %arg0, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %cst = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %1 = stablehlo.compare  GT, %arg2, %cst : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.and %0, %1 : tensor<i1>
    return %2 : tensor<i1>
  }
  func.func @main(%arg0: tensor<f32>) -> (tensor<i32>, tensor<f32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst = stablehlo.constant dense<1.000000e+09> : tensor<f32>
    %0:4 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0, %iterArg_1 = %cst, %iterArg_2 = %arg0) : tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>
    cond {
      %c_3 = stablehlo.constant dense<50> : tensor<i32>
      %1 = stablehlo.compare  LT, %iterArg, %c_3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
      %2 = stablehlo.compare  GT, %iterArg_1, %cst_4 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.and %1, %2 : tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %iterArg, %c_3 : tensor<i32>
      %2 = stablehlo.divide %iterArg_2, %iterArg_0 : tensor<f32>
      %3 = stablehlo.add %iterArg_0, %2 : tensor<f32>
      %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %4 = stablehlo.multiply %3, %cst_4 : tensor<f32>
      %5 = stablehlo.subtract %4, %iterArg_0 : tensor<f32>
      %6 = stablehlo.abs %5 : tensor<f32>
      stablehlo.return %1, %4, %6, %iterArg_2 : tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>
    }
    return %0#0, %0#1 : tensor<i32>, tensor<f32>
  }
}
