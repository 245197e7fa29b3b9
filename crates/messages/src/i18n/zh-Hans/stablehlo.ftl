# 简体中文。键与英语目录相同。

## StableHLO 文本
stablehlo-expected = 此处应为 { $expected }，却是“{ $found }”
stablehlo-expected-end = 此处应为 { $expected }，但文本已结束
stablehlo-hint-write = 写成 { $text }
stablehlo-too-deep = 嵌套超过 { $limit } 层
stablehlo-element-type = { $name } 不是元素类型
stablehlo-no-function = 没有可运行的函数
stablehlo-recursion = 函数 { $name } 调用了自身，HLO 不允许递归
stablehlo-callee = 没有名为 { $name } 的函数
stablehlo-value = 上文没有名为 { $name } 的值
stablehlo-results = { $op } 有 { $expected } 个结果，却写了 { $found } 个名称
stablehlo-attribute = { $op }：{ $name } 缺失或无法读取
stablehlo-captured = { $op } 的计算体使用了外部的 { $name }；在 HLO 中它只能使用自己的参数
stablehlo-unknown = { $op } 不是 StableHLO 的运算
stablehlo-unsupported = { $op } 尚不能转换为 HLO
stablehlo-elided = 文本省略了这个常量的值
stablehlo-hint-elided = 请打印包含全部数值的程序：JAX 的 as_text()，或不带 large_elements_limit 的 get_asm()。
stablehlo-dynamic = { $op } 在运行时计算形状，HLO 没有这种运算
stablehlo-hint-static = 请用静态形状导出程序。
stablehlo-quantized = 量化类型不能转换为 HLO
stablehlo-hint-quantized = 请在导出前反量化，或以浮点形式导出程序。
stablehlo-hint-platform = 请面向其他平台导出程序，例如 platforms=["tpu"]。
stablehlo-device-control = { $op } 包含集合通信：循环或分支内的多设备计算无法译为一个程序
stablehlo-hint-one-device = 请针对单个设备导出该程序，或把集合通信移到外面。
stablehlo-dialect = { $op } 是方言 { $dialect } 的运算，此处不读取
stablehlo-hint-dialect = 请在进一步降级之前输出模块：jax.jit(f).lower(*args).as_text() 即为 StableHLO。
stablehlo-hint-vhlo = 请先转换：stablehlo-opt --vhlo-legalize-to-stablehlo。
stablehlo-edition = XLA 2017 没有 StableHLO
stablehlo-hint-edition = 请使用当前 XLA，或先把文本转换为 HLO。
stablehlo-lapack = 自定义调用 { $name } 是 LAPACK 的函数，此处不可用
stablehlo-unwritable = { $op } 无法用 StableHLO 写出
stablehlo-hint-unwritable = 请以 HLO 输出该模块。
