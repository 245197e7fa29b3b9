# 简体中文

## 终端
cli-not-an-array = 这里需要一个数组，而给出的不是数组
cli-no-array = 没有这个数组：形状中共有 { $arrays } 个
cli-unbounded = 有一维没有上界，无法确定元素的位置
cli-slot = 位置 { $slot } 在内存之外；内存从 0 起共有 { $cells } 个位置
cli-empty = 数组没有元素，任何索引都没有对应的元素
cli-index-count = 索引有 { $given } 个数，但数组的秩是 { $rank }
cli-index-outside = 索引 { $index } 超出第 { $dimension } 维，其大小为 { $size }
cli-hint-one-array = 请指定元组中的一个数组
cli-hint-empty = 请选择没有大小为 0 的维的数组
cli-hint-smaller = 请选择更小的数组
cli-true-rank = 真秩
cli-true-ranks = { $code }（文档的定义：{ $documents }）
cli-elements = 元素数
cli-cells = 位置数
cli-strides = 步长
cli-tiled = 无，布局含有分块
cli-byte = 字节
cli-index-head = 索引
cli-more = 另有 { $rows } 行，用 --all 显示
cli-file = 无法读取 { $file }：{ $error }
cli-not-text = { $file } 不是文本：第 { $byte } 个字节不是 UTF-8
cli-counts = { $errors } 个错误，{ $warnings } 个警告
cli-argument = 第 { $number } 个参数：{ $error }
cli-case = 第 { $line } 行第 { $column } 列不是一个用例：{ $error }
cli-case-form = 请写成 {"{"}"name": "…", "hlo": "HloModule …", "args": [{"{"}"shape": "f32[2]", "values": [1, 2]{"}"}]{"}"}
cli-line-length = 第 { $line } 行太长
