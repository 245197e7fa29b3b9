module @jit_attention_block attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
  func.func private @region_0.1(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @region_1.2(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @tril.3(%arg0: tensor<6x6xi1>) -> tensor<6x6xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<6xi32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<6xi32>) -> tensor<6x6xi32>
    %2 = stablehlo.iota dim = 0 : tensor<6xi32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<6xi32>) -> tensor<6x6xi32>
    %4 = stablehlo.compare  GE, %1, %3 : (tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6xi1>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<6x6xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<6x6xi1>, tensor<6x6xi1>
    return %6 : tensor<6x6xi1>
  }
  func.func private @_where.4(%arg0: tensor<6x6xi1>, %arg1: tensor<2x6x6xf32>, %arg2: tensor<f32>) -> tensor<2x6x6xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<6x6xi1>) -> tensor<2x6x6xi1>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<2x6x6xf32>
    %2 = stablehlo.select %0, %arg1, %1 : tensor<2x6x6xi1>, tensor<2x6x6xf32>
    return %2 : tensor<2x6x6xf32>
  }
  func.func private @region_2.5(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.maximum %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @region_3.6(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @main(%arg0: tensor<6x8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8x8xf32>, %arg4: tensor<8x8xf32>, %arg5: tensor<8x8xf32>, %arg6: tensor<8x8xf32>) -> tensor<6x8xf32> {
    %c = stablehlo.constant dense<true> : tensor<i1>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<6x6xi1>
    %1 = call @tril.3(%0) : (tensor<6x6xi1>) -> tensor<6x6xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<6xf32>
    %3 = stablehlo.reshape %2 : (tensor<6xf32>) -> tensor<6x1xf32>
    %cst_0 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %5 = stablehlo.divide %3, %4 : tensor<6x1xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x1xf32>
    %7 = stablehlo.reshape %6 : (tensor<6x1xf32>) -> tensor<6xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<6xf32>) -> tensor<6x8xf32>
    %9 = stablehlo.subtract %arg0, %8 : tensor<6x8xf32>
    %10 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x1xf32>
    %11 = stablehlo.reshape %10 : (tensor<6x1xf32>) -> tensor<6xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<6xf32>) -> tensor<6x8xf32>
    %13 = stablehlo.subtract %arg0, %12 : tensor<6x8xf32>
    %14 = stablehlo.multiply %13, %13 : tensor<6x8xf32>
    %15 = stablehlo.reduce(%14 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<6xf32>
    %16 = stablehlo.reshape %15 : (tensor<6xf32>) -> tensor<6x1xf32>
    %17 = stablehlo.divide %16, %4 : tensor<6x1xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %19 = stablehlo.add %17, %18 : tensor<6x1xf32>
    %20 = stablehlo.rsqrt %19 : tensor<6x1xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x1xf32>
    %22 = stablehlo.reshape %21 : (tensor<6x1xf32>) -> tensor<6xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0] : (tensor<6xf32>) -> tensor<6x8xf32>
    %24 = stablehlo.multiply %9, %23 : tensor<6x8xf32>
    %25 = stablehlo.reshape %arg1 : (tensor<8xf32>) -> tensor<1x8xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<1x8xf32>
    %27 = stablehlo.reshape %26 : (tensor<1x8xf32>) -> tensor<8xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [1] : (tensor<8xf32>) -> tensor<6x8xf32>
    %29 = stablehlo.multiply %24, %28 : tensor<6x8xf32>
    %30 = stablehlo.reshape %arg2 : (tensor<8xf32>) -> tensor<1x8xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<1x8xf32>
    %32 = stablehlo.reshape %31 : (tensor<1x8xf32>) -> tensor<8xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [1] : (tensor<8xf32>) -> tensor<6x8xf32>
    %34 = stablehlo.add %29, %33 : tensor<6x8xf32>
    %35 = stablehlo.dot %34, %arg3, precision = [DEFAULT, DEFAULT] : (tensor<6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
    %36 = stablehlo.reshape %35 : (tensor<6x8xf32>) -> tensor<6x2x4xf32>
    %37 = stablehlo.transpose %36, dims = [1, 0, 2] {result_layout = dense<[2, 0, 1]> : tensor<3xindex>, xla_shape = "f32[2,6,4]{2,0,1}"} : (tensor<6x2x4xf32>) -> tensor<2x6x4xf32>
    %38 = stablehlo.dot %34, %arg4, precision = [DEFAULT, DEFAULT] : (tensor<6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
    %39 = stablehlo.reshape %38 : (tensor<6x8xf32>) -> tensor<6x2x4xf32>
    %40 = stablehlo.transpose %39, dims = [1, 0, 2] {result_layout = dense<[2, 0, 1]> : tensor<3xindex>, xla_shape = "f32[2,6,4]{2,0,1}"} : (tensor<6x2x4xf32>) -> tensor<2x6x4xf32>
    %41 = stablehlo.dot_general %37, %40, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x6x4xf32>, tensor<2x6x4xf32>) -> tensor<2x6x6xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x6x6xf32>
    %43 = stablehlo.divide %41, %42 : tensor<2x6x6xf32>
    %cst_3 = stablehlo.constant dense<-1.000000e+30> : tensor<f32>
    %44 = call @_where.4(%1, %43, %cst_3) : (tensor<6x6xi1>, tensor<2x6x6xf32>, tensor<f32>) -> tensor<2x6x6xf32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %45 = stablehlo.reduce(%44 init: %cst_4) applies stablehlo.maximum across dimensions = [2] : (tensor<2x6x6xf32>, tensor<f32>) -> tensor<2x6xf32>
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %47 = stablehlo.maximum %45, %46 : tensor<2x6xf32>
    %48 = stablehlo.reshape %47 : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %50 = stablehlo.reshape %49 : (tensor<2x6x1xf32>) -> tensor<2x6xf32>
    %51 = stablehlo.broadcast_in_dim %50, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x6xf32>
    %52 = stablehlo.subtract %44, %51 : tensor<2x6x6xf32>
    %53 = stablehlo.exponential %52 : tensor<2x6x6xf32>
    %54 = stablehlo.reduce(%53 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<2x6x6xf32>, tensor<f32>) -> tensor<2x6xf32>
    %55 = stablehlo.reshape %54 : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [0, 1, 2] : (tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %57 = stablehlo.reshape %56 : (tensor<2x6x1xf32>) -> tensor<2x6xf32>
    %58 = stablehlo.broadcast_in_dim %57, dims = [0, 1] : (tensor<2x6xf32>) -> tensor<2x6x6xf32>
    %59 = stablehlo.divide %53, %58 : tensor<2x6x6xf32>
    %60 = stablehlo.dot %34, %arg5, precision = [DEFAULT, DEFAULT] : (tensor<6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
    %61 = stablehlo.reshape %60 : (tensor<6x8xf32>) -> tensor<6x2x4xf32>
    %62 = stablehlo.transpose %61, dims = [1, 0, 2] {result_layout = dense<[2, 0, 1]> : tensor<3xindex>, xla_shape = "f32[2,6,4]{2,0,1}"} : (tensor<6x2x4xf32>) -> tensor<2x6x4xf32>
    %63 = stablehlo.dot_general %59, %62, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x6x6xf32>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
    %64 = stablehlo.transpose %63, dims = [1, 0, 2] {result_layout = dense<[2, 0, 1]> : tensor<3xindex>, xla_shape = "f32[6,2,4]{2,0,1}"} : (tensor<2x6x4xf32>) -> tensor<6x2x4xf32>
    %65 = stablehlo.reshape %64 : (tensor<6x2x4xf32>) -> tensor<6x8xf32>
    %66 = stablehlo.dot %65, %arg6, precision = [DEFAULT, DEFAULT] : (tensor<6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
    %67 = stablehlo.add %arg0, %66 : tensor<6x8xf32>
    return %67 : tensor<6x8xf32>
  }
}
