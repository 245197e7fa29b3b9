module @jit_mlp_train_step attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
  func.func private @region_0.1(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.maximum %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @region_1.2(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @log_softmax.3(%arg0: tensor<32x3xf32>) -> (tensor<32x3xf32>, tensor<32x3xf32>, tensor<32x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<32x3xf32>, tensor<f32>) -> tensor<32xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %2 = stablehlo.maximum %0, %1 : tensor<32xf32>
    %3 = stablehlo.reshape %2 : (tensor<32xf32>) -> tensor<32x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x1xf32>
    %5 = stablehlo.reshape %4 : (tensor<32x1xf32>) -> tensor<32xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<32xf32>) -> tensor<32x3xf32>
    %7 = stablehlo.subtract %arg0, %6 : tensor<32x3xf32>
    %8 = stablehlo.exponential %7 : tensor<32x3xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<32x3xf32>, tensor<f32>) -> tensor<32xf32>
    %10 = stablehlo.reshape %9 : (tensor<32xf32>) -> tensor<32x1xf32>
    %11 = stablehlo.log %10 : tensor<32x1xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x1xf32>
    %13 = stablehlo.reshape %12 : (tensor<32x1xf32>) -> tensor<32xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<32xf32>) -> tensor<32x3xf32>
    %15 = stablehlo.subtract %7, %14 : tensor<32x3xf32>
    return %15, %8, %10 : tensor<32x3xf32>, tensor<32x3xf32>, tensor<32x1xf32>
  }
  func.func private @_one_hot.4(%arg0: tensor<32xi32>) -> tensor<32x3xf32> {
    %0 = stablehlo.reshape %arg0 : (tensor<32xi32>) -> tensor<32x1xi32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<32x1xi32>) -> tensor<32x1xi32>
    %2 = stablehlo.reshape %1 : (tensor<32x1xi32>) -> tensor<32xi32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<32xi32>) -> tensor<32x3xi32>
    %4 = stablehlo.iota dim = 0 : tensor<3xi32>
    %5 = stablehlo.reshape %4 : (tensor<3xi32>) -> tensor<1x3xi32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<1x3xi32>) -> tensor<1x3xi32>
    %7 = stablehlo.reshape %6 : (tensor<1x3xi32>) -> tensor<3xi32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<3xi32>) -> tensor<32x3xi32>
    %9 = stablehlo.compare  EQ, %3, %8 : (tensor<32x3xi32>, tensor<32x3xi32>) -> tensor<32x3xi1>
    %10 = stablehlo.convert %9 : (tensor<32x3xi1>) -> tensor<32x3xf32>
    return %10 : tensor<32x3xf32>
  }
  func.func private @region_2.5(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
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
  func.func private @log_softmax_0.9(%arg0: tensor<32x3xf32>, %arg1: tensor<32x1xf32>, %arg2: tensor<32x3xf32>) -> tensor<32x3xf32> {
    %0 = stablehlo.negate %arg2 : tensor<32x3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<32x3xf32>, tensor<f32>) -> tensor<32xf32>
    %2 = stablehlo.reshape %1 : (tensor<32xf32>) -> tensor<32x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<32x1xf32>
    %4 = stablehlo.reduce(%3 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<32x1xf32>, tensor<f32>) -> tensor<32xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<32xf32>) -> tensor<32x3xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<32x3xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<32x3xf32>
    return %7 : tensor<32x3xf32>
  }
  func.func private @region_6.10(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @region_7.11(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @region_8.12(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @region_9.13(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @main(%arg0: tensor<2x16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<16x3xf32>, %arg3: tensor<3xf32>, %arg4: tensor<32x2xf32>, %arg5: tensor<32xi32>) -> (tensor<f32>, tensor<2x16xf32>, tensor<16xf32>, tensor<16x3xf32>, tensor<3xf32>) {
    %0 = stablehlo.dot %arg4, %arg0, precision = [DEFAULT, DEFAULT] : (tensor<32x2xf32>, tensor<2x16xf32>) -> tensor<32x16xf32>
    %1 = stablehlo.reshape %arg1 : (tensor<16xf32>) -> tensor<1x16xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %3 = stablehlo.reshape %2 : (tensor<1x16xf32>) -> tensor<16xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<16xf32>) -> tensor<32x16xf32>
    %5 = stablehlo.add %0, %4 : tensor<32x16xf32>
    %6 = stablehlo.tanh %5 : tensor<32x16xf32>
    %7 = stablehlo.dot %6, %arg2, precision = [DEFAULT, DEFAULT] : (tensor<32x16xf32>, tensor<16x3xf32>) -> tensor<32x3xf32>
    %8 = stablehlo.reshape %arg3 : (tensor<3xf32>) -> tensor<1x3xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<1x3xf32>
    %10 = stablehlo.reshape %9 : (tensor<1x3xf32>) -> tensor<3xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [1] : (tensor<3xf32>) -> tensor<32x3xf32>
    %12 = stablehlo.add %7, %11 : tensor<32x3xf32>
    %13:3 = call @log_softmax.3(%12) : (tensor<32x3xf32>) -> (tensor<32x3xf32>, tensor<32x3xf32>, tensor<32x1xf32>)
    %14 = call @_one_hot.4(%arg5) : (tensor<32xi32>) -> tensor<32x3xf32>
    %15 = stablehlo.multiply %13#0, %14 : tensor<32x3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.reduce(%15 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<32x3xf32>, tensor<f32>) -> tensor<32xf32>
    %17 = stablehlo.reduce(%16 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<32xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %18 = stablehlo.divide %17, %cst_0 : tensor<f32>
    %19 = stablehlo.negate %18 : tensor<f32>
    %cst_1 = stablehlo.constant dense<-3.125000e-02> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<32x3xf32>
    %21 = stablehlo.multiply %14, %20 : tensor<32x3xf32>
    %22 = call @log_softmax_0.9(%13#1, %13#2, %21) : (tensor<32x3xf32>, tensor<32x1xf32>, tensor<32x3xf32>) -> tensor<32x3xf32>
    %23 = stablehlo.dot_general %22, %arg2, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<32x3xf32>, tensor<16x3xf32>) -> tensor<32x16xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %25 = stablehlo.subtract %24, %6 : tensor<32x16xf32>
    %26 = stablehlo.multiply %23, %25 : tensor<32x16xf32>
    %27 = stablehlo.multiply %26, %6 : tensor<32x16xf32>
    %28 = stablehlo.add %26, %27 : tensor<32x16xf32>
    %29 = stablehlo.dot_general %28, %arg4, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x16xf32>, tensor<32x2xf32>) -> tensor<16x2xf32>
    %30 = stablehlo.transpose %29, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[2,16]{0,1}"} : (tensor<16x2xf32>) -> tensor<2x16xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x16xf32>
    %32 = stablehlo.multiply %30, %31 {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[2,16]{0,1}"} : tensor<2x16xf32>
    %33 = stablehlo.subtract %arg0, %32 : tensor<2x16xf32>
    %34 = stablehlo.reduce(%28 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<32x16xf32>, tensor<f32>) -> tensor<16xf32>
    %35 = stablehlo.reshape %34 : (tensor<16xf32>) -> tensor<1x16xf32>
    %36 = stablehlo.reduce(%35 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %cst_4 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %38 = stablehlo.multiply %36, %37 : tensor<16xf32>
    %39 = stablehlo.subtract %arg1, %38 : tensor<16xf32>
    %40 = stablehlo.dot_general %22, %6, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x3xf32>, tensor<32x16xf32>) -> tensor<3x16xf32>
    %41 = stablehlo.transpose %40, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[16,3]{0,1}"} : (tensor<3x16xf32>) -> tensor<16x3xf32>
    %cst_5 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<16x3xf32>
    %43 = stablehlo.multiply %41, %42 {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[16,3]{0,1}"} : tensor<16x3xf32>
    %44 = stablehlo.subtract %arg2, %43 : tensor<16x3xf32>
    %45 = stablehlo.reduce(%22 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<32x3xf32>, tensor<f32>) -> tensor<3xf32>
    %46 = stablehlo.reshape %45 : (tensor<3xf32>) -> tensor<1x3xf32>
    %47 = stablehlo.reduce(%46 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<1x3xf32>, tensor<f32>) -> tensor<3xf32>
    %cst_6 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %49 = stablehlo.multiply %47, %48 : tensor<3xf32>
    %50 = stablehlo.subtract %arg3, %49 : tensor<3xf32>
    return %19, %33, %39, %44, %50 : tensor<f32>, tensor<2x16xf32>, tensor<16xf32>, tensor<16x3xf32>, tensor<3xf32>
  }
}
