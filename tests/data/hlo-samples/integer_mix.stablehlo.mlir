module @jit_integer_mix attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
  func.func private @_where.1(%arg0: tensor<8xi1>, %arg1: tensor<8xi32>, %arg2: tensor<8xi32>) -> tensor<8xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<8xi1>, tensor<8xi32>
    return %0 : tensor<8xi32>
  }
  func.func private @floor_divide.2(%arg0: tensor<8xi32>, %arg1: tensor<8xi32>) -> tensor<8xi32> {
    %0 = stablehlo.sign %arg0 : tensor<8xi32>
    %1 = stablehlo.sign %arg1 : tensor<8xi32>
    %2 = stablehlo.compare  NE, %0, %1 : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %3 = stablehlo.remainder %arg0, %arg1 : tensor<8xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %5 = stablehlo.compare  NE, %3, %4 : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %6 = stablehlo.and %2, %5 : tensor<8xi1>
    %7 = stablehlo.divide %arg0, %arg1 : tensor<8xi32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %9 = stablehlo.subtract %7, %8 : tensor<8xi32>
    %10 = call @_where.1(%6, %9, %7) : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    return %10 : tensor<8xi32>
  }
  func.func private @remainder.3(%arg0: tensor<8xi32>, %arg1: tensor<8xi32>) -> tensor<8xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %1 = stablehlo.compare  EQ, %arg1, %0 : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %3 = call @_where.1(%1, %2, %arg1) : (tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<8xi32>
    %5 = stablehlo.compare  LT, %4, %0 : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %6 = stablehlo.compare  LT, %3, %0 : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %7 = stablehlo.compare  NE, %5, %6 : (tensor<8xi1>, tensor<8xi1>) -> tensor<8xi1>
    %8 = stablehlo.compare  NE, %4, %0 : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %9 = stablehlo.and %7, %8 : tensor<8xi1>
    %10 = stablehlo.add %4, %3 : tensor<8xi32>
    %11 = stablehlo.select %9, %10, %4 : tensor<8xi1>, tensor<8xi32>
    return %11 : tensor<8xi32>
  }
  func.func private @clip.4(%arg0: tensor<8xi32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<8xi32> {
    %0 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<8xi32>
    %3 = stablehlo.minimum %0, %2 : tensor<8xi32>
    return %3 : tensor<8xi32>
  }
  func.func @main(%arg0: tensor<8xi32>, %arg1: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xf32>, tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) {
    %0 = call @floor_divide.2(%arg0, %arg1) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %1 = call @remainder.3(%arg0, %arg1) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
    %2 = stablehlo.remainder %arg0, %arg1 : tensor<8xi32>
    %c = stablehlo.constant dense<3> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %4 = stablehlo.shift_left %arg0, %3 : tensor<8xi32>
    %c_0 = stablehlo.constant dense<2> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %6 = stablehlo.shift_right_logical %arg0, %5 : tensor<8xi32>
    %7 = stablehlo.shift_right_arithmetic %arg0, %5 : tensor<8xi32>
    %8 = stablehlo.xor %arg0, %arg1 : tensor<8xi32>
    %9 = stablehlo.and %arg0, %arg1 : tensor<8xi32>
    %10 = stablehlo.not %arg0 : tensor<8xi32>
    %11 = stablehlo.popcnt %arg0 : tensor<8xi32>
    %12 = stablehlo.count_leading_zeros %arg0 : tensor<8xi32>
    %c_1 = stablehlo.constant dense<-3> : tensor<i32>
    %c_2 = stablehlo.constant dense<3> : tensor<i32>
    %13 = call @clip.4(%arg0, %c_1, %c_2) : (tensor<8xi32>, tensor<i32>, tensor<i32>) -> tensor<8xi32>
    %14 = stablehlo.convert %arg0 : (tensor<8xi32>) -> tensor<8xf32>
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %16 = stablehlo.divide %14, %15 : tensor<8xf32>
    %17 = stablehlo.compare  GT, %arg0, %arg1 : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %18 = stablehlo.sign %arg0 : tensor<8xi32>
    %19 = stablehlo.reverse %arg0, dims = [0] : tensor<8xi32>
    return %0, %1, %2, %4, %6, %7, %8, %9, %10, %11, %12, %13, %16, %17, %18, %19 : tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xf32>, tensor<8xi1>, tensor<8xi32>, tensor<8xi32>
  }
}
