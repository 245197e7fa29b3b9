# 简体中文

language-name = 简体中文

## 诊断
diagnostic-error = 错误
diagnostic-warning = 警告
diagnostic-hint = 建议：{ $hint }

## 形状与布局：违反的规则
shape-negative-size = 第 { $dimension } 维的大小是 { $size }，大小不能为负
shape-too-large = 数组的元素数或字节数超出 64 位整数的范围
layout-length = minor_to_major 有 { $entries } 项，但形状的秩是 { $rank }
layout-out-of-range = minor_to_major 中出现第 { $dimension } 维，但秩为 { $rank } 的形状没有这一维
layout-repeated = minor_to_major 中第 { $dimension } 维出现了两次；每一维只能出现一次
layout-padded-length = 边缘填充有 { $entries } 项，但形状的秩是 { $rank }
layout-padded-small = 第 { $dimension } 维的大小是 { $size }，不能填充到更小的 { $padded }
layout-padded-tiled = 2017 版布局的 padded_dimensions 不能与现在的分块同时使用
layout-tail = 尾部填充对齐是 { $alignment }，至少应为 1
layout-sparse = 索引类型、指针类型和物理形状属于稀疏数组，而这是稠密数组
layout-tile-empty = 分块至少需要一个大小
layout-tile-size = 分块的大小是 { $size }，大小必须为正
layout-tile-combine-last = “*” 把一维并入下一个更次要的维，因此不能是分块的最后一项
layout-element-size = 元素大小是 { $bits } 位，不能为负
layout-split-dimension = 切分重复使用了物理维 { $dimension }，或超出了秩 { $rank }
layout-split-indices = 物理维 { $dimension } 的切分位置必须递增，并在 0 与其大小 { $size } 之间
layout-cells = 加上填充和分块后，数组的单元数或位数超出 64 位整数的范围

## 内存：没有确定位置的情况
memory-unbounded = 第 { $dimension } 维没有上界，因此无法确定元素在内存中的位置
padding-cell-unset = 未设置：布局没有说明填充单元的内容
padding-cell-unknown = 未知：可以是任何值，包括 NaN
layout-copy-structure = 不能复制布局：两个形状的元组结构不同
layout-copy-rank = 秩为 { $rank } 的布局不能复制到秩为 { $to } 的形状
