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

## XLA 文本形式的形状：无法读取的内容
text-too-long = 文本有 { $bytes } 字节，最多读取 { $limit } 字节
text-too-deep = 元组嵌套超过 { $limit } 层
text-empty = 这里缺少一个形状
text-comment = 注释没有结束
text-wide = “{ $text }” 用了全角字符
text-unknown-type = “{ $word }” 不是元素类型
text-no-type = 尺寸前面缺少元素类型
text-number = “{ $text }” 不是普通整数
text-int64 = { $text } 超出 64 位整数的范围
text-missing = 缺少 “{ $token }”
text-bracket = 应为 “{ $token }” 的地方写成了 “{ $found }”
text-comma = 逗号用来分隔两项，这里缺了一项
text-bound = “<=” 后面需要一个数：大小的上界
text-unexpected = “{ $text }” 不应出现在这里
text-trailing = 形状结束之后还有 “{ $text }”
text-no-dimensions = { $type }[] 没有维度
text-no-layout = { $type }[] 没有布局
text-buffer = 缓冲区 b(…) 只能包含一个数组
text-empty-braces = 空的花括号不会被读作布局；请去掉，或从次到主列出各维
text-property-case = 属性要大写：{ $property }
text-property-repeated = 属性 { $property } 出现了两次
text-property-order = 属性必须按此顺序书写：D T L # * E S SC P M
text-property-value = 属性 { $property } 需要括号中的值
text-property-type = “{ $type }” 不是整数类型
text-level-types = D(…) 的层级类型只能是 D、C、S、H，需要时加 “+” 和 “~”
text-read-as = XLA 在这里把 { $given } 读作 { $read }
text-padding-value = “{ $word }” 不是填充值：zero、one、lowest、highest、unknown 或 invalid
text-hint-write = 写成 { $text }
text-hint-insert = 插入 { $text }
text-hint-remove = 删除 { $text }
text-hint-type = 写成 { $type }
text-hint-tuple = 给多个形状加上圆括号，成为元组
text-hint-shorter = 拆分元组，或缩短文本
text-hint-flatten = 减少元组的嵌套层数
