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

## 字面量与键入的值
literal-not-a-number = “{ $token }”不是 { $type } 类型的数
literal-out-of-range = { $token } 超出 { $type } 的范围：{ $low } 到 { $high }
literal-float-for-integer = { $token } 不是整数，而 { $type } 只能存放整数
literal-special-for-integer = { $type } 没有 { $token }，只有浮点类型才有
literal-truth-for-number = “{ $token }”是布尔值，而 { $type } 存放的是数
literal-not-a-truth = { $token } 不是布尔值：{ $type } 只接受 true、false、1 和 0
literal-nan-payload = { $token } 的载荷放不进 { $type } 的 NaN
literal-no-such-special = { $type } 没有 { $token }，该元素变为 { $held }
literal-negative-zero = XLA 把 { $token } 读作整数，而整数没有负零：该元素变为 +0
literal-complex-parts = { $type } 的元素写作（实部, 虚部）
literal-parens-for-real = 圆括号用于复数，而 { $type } 是实数类型
literal-too-many = 这一组有 { $found } 项，但第 { $dimension } 维的大小是 { $size }
literal-too-few = 这一组只有 { $found } 项，但第 { $dimension } 维的大小是 { $size }
literal-value-count = 数组有 { $size } 个元素，但给出了 { $found } 个值
literal-too-deep = 多了一层花括号：{ $rank ->
    [0] 标量没有花括号
   *[other] 秩为 { $rank } 的数组有 { $rank } 层
}
literal-too-shallow = 此处的值在第 { $depth } 层，但秩为 { $rank } 的数组的值在第 { $rank } 层花括号内
literal-expected = 此处应为 { $expected }
literal-unclosed = “{ $open }”没有闭合
literal-extra-text = 字面量之后不能再有其他内容
literal-elided = 值被省略（“...”），因而未知；各元素读作零
literal-too-large = 数组占用 { $cells } 个内存单元，最多只能容纳 { $limit } 个
literal-no-memory = 内存不足，放不下 { $cells } 个单元
literal-not-a-value = { $shape } 的值不能写成字面量
literal-other-sizes = 布局只能在同一个数组上更换：尺寸或类型不同
literal-bytes = 数组占用 { $expected } 字节，但给出了 { $found } 字节
literal-narrow-cells = E({ $bits }) 的单元太窄，放不下 { $type }
literal-hint-write = 写成 { $text }
literal-hint-remove = 去掉多余的部分
literal-hint-fill = 用 { $text } 补足
literal-hint-close = 将其闭合
literal-hint-full-dump = 粘贴编译之前的转储，其中有全部的值
