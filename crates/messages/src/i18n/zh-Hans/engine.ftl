# 简体中文

## HLO 文本
hlo-expected = 应为 { $expected }，实为“{ $found }”
hlo-no-header = 文本开头缺少 HloModule 和名称
hlo-no-entry = 没有可以运行的计算
hlo-two-entries = 有两个计算标有 ENTRY；只能有一个
hlo-two-roots = 该计算有第二个 ROOT；只能有一条指令作为结果
hlo-empty = 该计算没有指令
hlo-unclosed = 这个计算体没有闭合
hlo-too-deep = 嵌套超过 { $limit } 层
hlo-leaves = 模块中各元组的叶子总数超过 { $limit }
hlo-hint-leaves = 减少元组的数量或大小
hlo-name-equals = “=”前没有空格，{ $name } 会被读作属性名
hlo-name-twice = 名称 { $name } 已被使用
hlo-opcode = 未知的操作码 { $opcode }
hlo-operand = 上文没有名为 { $name } 的指令
hlo-hint-define = 请在同一计算的上文定义它
hlo-operand-shape = { $name } 写作 { $written }，实为 { $found }
hlo-attribute-twice = 属性 { $name } 重复
hlo-attribute-unknown = { $op } 没有属性 { $name }；它的属性有：{ $allowed }
hlo-computation = 上文没有名为 { $name } 的计算
hlo-parameter-twice = 参数编号 { $number } 重复
hlo-parameter-missing = 缺少编号为 { $number } 的参数
hlo-interface = 入口布局是 { $written }，而计算中是 { $found }
hlo-interface-count = 入口布局有 { $written } 个参数，而计算有 { $found } 个
hlo-expected-end = 应为 { $expected }，而文本已结束
hlo-a-closing-bracket = 右括号
hlo-a-computation = 计算
hlo-a-name = 名称
hlo-a-parameter = 名称和冒号
hlo-a-shape = 形状
hlo-an-attribute = 属性名和紧跟其后的“=”
hlo-an-instruction = 指令
hlo-an-opcode = 操作码
hlo-an-operand = 操作数
hlo-attribute-blank = { $name } 与“=”之间不能有空格
hlo-open-string = 这个字符串没有在行内结束
hlo-escape = “{ $text }”不是 C 的转义序列
hlo-hint-backslash = 如需反斜杠本身，请写两个反斜杠。
hlo-control = 控制字符 U+{ $code } 只能出现在引号内
hlo-stopped = 发现 { $errors } 个错误后，解析在此停止。请先修正它们。
hlo-too-many = 文本中的{ $what ->
    [instructions] 指令
    [work] 需要重复读取的部分
   *[entries] 操作数、属性和列表项
 }超过 { $limit } 个，这是可读取的上限。请拆分模块或删去不需要的部分。
hlo-open-comment = 这段注释没有结束
hlo-operand-below = { $name } 在更下面才定义
hlo-reserved = { $name } 是保留字，不能作名称
hlo-hint-blank = 请写普通空格
hlo-hint-callee = 请在上面定义：被调用的计算在前
hlo-hint-remove = 请删除

## 运行模块
eval-cancelled = 运行已取消
eval-bytes = 各值同时需要的内存超过 { $limit } 字节
eval-steps = 运行超过 { $limit } 步
eval-hint-smaller = 请使用更小的数组或更少的迭代
eval-operand = 有操作数没有值
trace-no-cell = 没有这个单元格
trace-limit = 涉及的单元格超过 { $limit } 个

## ComputationBuilder
builder-operand = 操作数 { $operand } 属于另一个构建器
builder-attribute = { $op } 不接受 { $name }={ $value }；它的属性有：{ $allowed }
builder-lengths = { $name } 有 { $found } 项，而 { $other } 有 { $expected } 项
builder-broadcast-ranks = { $small } 与 { $large } 的秩不同：须用 broadcast_dimensions 给出较小者各维的对应关系
builder-broadcast-count = broadcast_dimensions 有 { $found } 项；{ $small } 的每一维需要一项
builder-broadcast-size = 第 { $dimension } 维大小为 { $size }，不能成为大小为 { $found } 的第 { $to } 维：两者都不是 1
builder-broadcast-order = broadcast_dimensions={"{"}{ $found }{"}"} 不是升序
builder-broadcast-same-rank = 两个操作数的秩相同：请省略 broadcast_dimensions={"{"}{ $found }{"}"}
builder-broadcast-sizes = 第 { $dimension } 维在 { $lhsshape } 中大小为 { $lhs }，在 { $rhsshape } 中为 { $rhs }：两者都不是 1
builder-collapse = dimensions={"{"}{ $found }{"}"} 不是升序相邻的维度
builder-dot-rank = { $operand } 必须是向量或矩阵，实为 { $shape }
builder-hint-dot-general = 请使用 dot_general，它接受任意秩
builder-conv-rank = lhs 除批量和特征维外必须有空间维，实为 { $shape }
builder-while-nested = { $name } 中有循环 { $instruction }；XLA 2017 不支持嵌套循环
builder-infeed-layout = infeed 的形状 { $shape } 没有布局
builder-bernoulli-mean = 均值必须是 f32[]，实为 { $shape }
builder-bernoulli-shape = 结果必须是 u32 数组，而不是 { $shape }

## 运算：违反的规则
op-hint-write = 写作 { $text }
op-hint-convert = 请先转换类型
op-hint-broadcast = 请先广播或改变形状
op-hint-result = 请在 { $op } 之前写上形状
op-operand-count = { $op } 需要 { $expected } 个操作数（{ $names }），这里有 { $found } 个
op-operand-array = { $operand } 必须是数组，实为 { $shape }
op-result-missing = { $op } 的形状不能由操作数推出，必须写明
op-result-array = 结果必须是数组，实为 { $shape }
op-result-differs = 形状是 { $inferred }，而不是 { $written }
op-result-type = 结果类型是 { $found }，操作数类型是 { $expected }；两者必须相同
op-attribute-missing = { $op } 需要属性 { $name }
op-dimension-range = { $name } 中的第 { $dimension } 维在秩为 { $rank } 的数组中不存在
op-dimension-repeated = { $name } 中第 { $dimension } 维出现了两次
op-entries = { $name } 有 { $found } 项，而操作数的秩是 { $rank }
op-other-type = { $operand } 是 { $found }，{ $other } 是 { $expected }；类型必须相同
op-other-sizes = { $operand } 是 { $found }，{ $other } 是 { $expected }；两者不相容
op-element-type = { $op } 不支持 { $found }；支持的元素类型：{ $takes }
op-scalar = { $operand } 必须是标量，实为 { $shape }
op-pred = 谓词必须是 pred，实为 { $shape }
op-ordered = { $found } 没有大小顺序
op-permutation = dimensions={"{"}{ $found }{"}"} 不是 { $rank } 个维度的排列
op-broadcast-size = 操作数第 { $dimension } 维的大小是 { $size }，结果第 { $to } 维是 { $found }
op-reshape-count = 操作数有 { $operand } 个元素，结果有 { $result } 个
op-slice-stride = 第 { $dimension } 维的步长 { $stride } 不是正数
op-slice-range = { $start } 到 { $limit } 不是第 { $dimension } 维（大小 { $size }）中的区间
op-one-dimension = dimensions 必须只有一个维度，这里有 { $found } 个
op-pad-interior = 第 { $dimension } 维的内部填充 { $interior } 是负数
op-pad-size = 负填充裁去的超出第 { $dimension } 维的大小 { $size }
op-iota-type = iota 不支持 { $found }
op-constant-elided = 该常量的值在文本中被省略
op-parameter-number = 参数编号不能是 { $number }
op-convert-sizes = 操作数是 { $operand }，结果是 { $result }；只有类型可以不同
op-compare-complex = 复数没有大小顺序：{ $direction } 没有定义
op-compare-type = type={ $found } 不适用于 { $type }；应为 { $expected }
op-tuple-wanted = 操作数必须是元组，实为 { $shape }
op-tuple-index = { $count } 个元素的元组中没有第 { $index } 个元素
op-argument-count = { $name } 需要 { $expected } 个实参，这里有 { $found } 个
op-argument-shape = { $name } 的参数 { $number } 是 { $expected }，实参是 { $found }
op-reduce-pairs = 每个数组需要一个初始值，但这里有 { $found } 个操作数
op-reducer-parameters = { $name } 必须有 { $expected } 个参数，实有 { $found } 个
op-reducer-types = { $name } 的参数和结果必须是 { $expected }，实为 { $found } 和 { $result }
op-init = 初始值必须是 { $expected }，实为 { $found }
op-window-entries = 窗口有 { $found } 维，必须有 { $expected } 维
op-window-size = 窗口第 { $dimension } 维的大小是 { $found }；大小必须为正
op-window-stride = 窗口第 { $dimension } 维的步长是 { $found }；步长必须为正
op-window-base-dilation = 基底第 { $dimension } 维的膨胀系数（lhs_dilate）是 { $found }；膨胀系数必须为正
op-window-window-dilation = 窗口第 { $dimension } 维的膨胀系数（rhs_dilate）是 { $found }；膨胀系数必须为正
op-window-cropped = 第 { $dimension } 维大小为 { $size }，负填充多裁去了 { $by }
op-window-huge = 第 { $dimension } 维的窗口或填充后的基底过大
op-window-2017 = XLA 2017 不支持 { $op } 窗口的负填充和膨胀
op-group-count = { $name } 是 { $found }，必须为正
op-group-counts = 特征分为 { $features } 组，批量分为 { $batches } 组；两者只能有一个大于一
op-dim-labels = { $found } 必须为每一维恰好标记一次：lhs 和结果为 b、f 和 0、1、…，rhs 为 o、i 和 0、1、…
op-convolution-rank = { $operand } 是 { $found }，按 dim_labels 其秩应为 { $rank }
op-convolution-features = lhs 有 { $features } 个特征，分 { $groups } 组，而 rhs 取 { $inputs } 个
op-convolution-groups = { $dimension }的大小 { $size } 不能分为 { $count } 组（{ $name }）
op-output-features = 输出特征维
op-batch = 批量维
op-convolution-kernel = 窗口的大小是 { $found }，卷积核是 { $kernel }；必须相同
op-convolution-2017 = XLA 2017 的卷积至少有一个空间维，不支持分组和反转
op-select-function = { $name } 必须取两个 { $expected } 并返回 pred[]，实取 { $found } 并返回 { $result }
op-source-sizes = source 是 { $found }；按窗口应为 { $expected }
op-dot-batch-contracting = 第 { $dimension } 维同时出现在 { $batch } 和 { $contracting } 中
op-dot-pairs = { $left } 有 { $leftcount } 项，{ $right } 有 { $rightcount } 项
op-dot-sizes = lhs 第 { $left } 维的大小是 { $leftsize }，rhs 第 { $right } 维是 { $rightsize }；必须相等
op-bitcast-memory = { $operand } 与 { $result } 占用的内存不同
op-region-missing = 被调用的计算无法运行
op-region-size = 逐元素调用的计算超过 { $limit } 步
op-region-scalar = { $name } 中的 { $instruction } 是 { $shape }；逐元素调用的计算只能取用和返回标量
op-called-shapes = { $name } 的形状是 { $found }，需要 { $expected }
op-while-condition = { $name } 必须返回 pred[]，实为 { $found }
op-conditional-branches = 分支选择值为 { $type } 时需要 { $name }
op-conditional-choice = 分支选择值必须是 pred[] 或 s32[]，实为 { $shape }
op-start-count = 起始索引有 { $found } 个，而操作数的秩是 { $rank }
op-start-type = 起始索引必须是同一类型的整数标量，这里是 { $shape }
op-slice-fits = 切片取第 { $dimension } 维的 { $found } 个元素，而该维的大小是 { $size }
op-map-dimensions = map 必须按顺序列出全部维度：{ $expected }
op-map-result = { $name } 必须返回标量，实为 { $found }
op-bitcast-complex = { $from } 的位不能读作 { $to }：一个是复数，另一个是实数
op-bitcast-widths = { $from } 与 { $to } 的位宽不能整除
op-bitcast-sizes = { $operand } 读作 { $type } 时的大小与 { $found } 不符：较窄的类型增加一个表示各部分的末维，较宽的类型去掉末维
op-at-least = { $name } 至少为 { $least }，实为 { $found }
op-at-most = { $name } 最多为 { $most }，实为 { $found }
op-ascending = { $name } 必须递增且不重复，实为 {"{"}{ $found }{"}"}
op-disjoint = 第 { $dimension } 维同时出现在 { $a } 和 { $b } 中
op-indices-type = 索引必须是整数，实为 { $found }
op-index-vector-dim = index_vector_dim 是 { $found }；索引的秩为 { $rank }，它应在 0 到 { $rank } 之间
op-index-components = { $name } 有 { $found } 项，而索引向量有 { $components } 个分量
op-batching-sizes = 操作数第 { $operand } 维的大小是 { $size }，索引第 { $indices } 维是 { $found }；两者成对，必须相等
op-gather-window = 窗口内有 { $found } 个维度，而操作数保留 { $kept } 个
op-gather-collapsed = 第 { $dimension } 维被省去，其切片大小最多为 1，实为 { $found }
op-scatter-operands = 需要个数相等的操作数与更新，以及一个索引数组，这里有 { $found } 个操作数
op-updates-type = 更新是 { $found }，而操作数的类型是 { $expected }
op-updates-rank = 更新是 { $found }，秩必须为 { $rank }
op-updates-batch = 更新第 { $dimension } 维的大小是 { $found }，索引在该处是 { $size }
op-comparator = { $name } 的参数必须是 { $expected }，结果必须是 pred[]，实为 { $found } 和 { $result }
op-sort-comparator = 排序需要比较器：缺少 to_apply
op-topk-rank = topk 作用于最后一维，而 { $shape } 没有维度
op-topk-k = k 是 { $found }，而一行有 { $size } 个元素
op-rng-state = { $algorithm } 的状态是 { $expected }，而不是 { $found }
op-rng-result = 结果必须是随机位，或由 { $state } 与随机位组成的元组，实为 { $found }

## 运算：规则
rule-same-type = 元素类型相同。
rule-same-sizes = 大小相同。
rule-same-shape = 类型和大小相同。
rule-same-count = 元素个数不变。
rule-same-other-sizes = 除该维外，其余大小相同。
rule-element-type = 运算接受该元素类型。
rule-entry-a-dimension = 操作数的每一维有一项。
rule-dimension-range = 所列的每一维都存在。
rule-dimension-once = 每一维最多出现一次。
rule-one-dimension = 只列出一个维度。
rule-permutation = 每一维恰好出现一次。
rule-broadcast-sizes = 维度的大小保持不变。
rule-slice-stride = 步长为正数。
rule-slice-range = 区间位于操作数之内。
rule-scalar = 填充值是标量。
rule-pad-interior = 内部填充不为负。
rule-pad-size = 大小不会变成负数。
rule-iota-type = 类型是数值类型。
rule-parameter-number = 编号不为负。
rule-compare-complex = 复数只能用 EQ 和 NE 比较。
rule-compare-type = 比较类型与元素类型相符。
rule-pred = 谓词是 pred。
rule-select-sizes = 谓词是标量，或与数组大小相同。
rule-clamp-sizes = 上下界是标量，或与操作数大小相同。
rule-ordered = 元素有大小顺序。
rule-tuple = 操作数是元组。
rule-tuple-index = 该元素存在。
rule-argument-count = 每个参数对应一个实参。
rule-argument-shape = 实参与参数的形状相同。
rule-reduce-pairs = 每个数组有一个初始值。
rule-reducer-parameters = 计算为每个数组取两个参数。
rule-reducer-types = 计算的参数和结果是标量，类型与数组和初始值相同。
rule-window-entries = 窗口移动的每一维有一项。
rule-window-size = 窗口的大小为正。
rule-window-stride = 步长为正。
rule-window-base-dilation = 基底的膨胀系数为正。
rule-window-window-dilation = 窗口的膨胀系数为正。
rule-window-padded = 负填充最多裁去整个维度，且大小不会溢出。
rule-group-counts = 分组数为正，且只有一个大于一。
rule-dim-labels = 每一维都有标记，每个标记只用一次。
rule-convolution-rank = 操作数的维数与标记一样多。
rule-convolution-features = lhs 每组的特征数与 rhs 所取的相同。
rule-convolution-groups = 输出特征和批量能被分组数整除。
rule-convolution-kernel = 窗口的大小与卷积核相同。
rule-select-function = 选择计算取两个元素，返回 pred[]。
rule-source-sizes = source 对每个窗口有一个元素。
rule-dot-pairs = 两边列出的维度一样多。
rule-dot-sizes = 成对的维度大小相同。
rule-same-memory = 两者的槽位数和槽位宽度都相同。
rule-while-condition = 条件返回 pred[]。
rule-while-shapes = 两个计算的参数与操作数形状相同，循环体的结果也相同。
rule-conditional-choice = 分支选择值是 pred[] 或 s32[]。
rule-conditional-branches = 每个分支有一个计算。
rule-conditional-shapes = 每个计算接受各自的操作数，且结果形状都相同。
rule-start-count = 每一维有一个起始索引。
rule-start-type = 起始索引是同一类型的整数标量。
rule-slice-fits = 切片不超出操作数。
rule-map-dimensions = 按顺序列出全部维度。
rule-map-scalars = 计算对每个操作数取一个同类型的标量。
rule-map-result = 计算返回标量。
rule-bitcast-complex = 两种类型同为复数，或都不是复数。
rule-bitcast-widths = 一个位宽整除另一个。
rule-bitcast-sizes = 大小不变，只有末维表示一个元素的各个较窄部分。
rule-float = 元素是浮点数。
rule-exponent-bits = 至少有一个指数位，且位数不超出 32 位整数。
rule-mantissa-bits = 尾数位数不为负，且不超出 32 位整数。
rule-indices-type = 索引是整数。
rule-index-vector-dim = index_vector_dim 是索引的一维，或等于其秩。
rule-window-dims-order = 窗口维度递增且不重复。
rule-window-dims-range = 窗口维度是存放窗口的数组的维度。
rule-index-components = 索引向量为其所指的每一维有一个分量。
rule-index-map = 每个分量指向操作数的不同维度。
rule-dropped-dims = 被省去的维度属于操作数，递增且不重复。
rule-batching-dims = 批量维度存在且不重复，既不被省去，也不由索引指定。
rule-batching-sizes = 批量维度成对，大小相等。
rule-gather-window = 操作数每个未省去的维度在窗口中都有一维。
rule-gather-collapsed = 在被省去的维度上切片大小最多为 1。
rule-scatter-operands = 更新与操作数一样多，中间是一个索引数组。
rule-scatter-window = 操作数每个未省去的维度在窗口中都有一维。
rule-updates-rank = 更新具有窗口和索引的维度。
rule-updates-batch = 更新为每个索引向量存放一个窗口。
rule-comparator = 比较器对每个操作数取两个同类型标量，返回 pred[]。
rule-sort-comparator = 有比较器；只有 XLA 2017 的排序没有。
rule-topk-rank = 操作数至少有一维。
rule-topk-k = 一行至少有 k 个元素，且 k 不为负。
rule-rng-scalars = 参数是标量。
rule-rng-type = 均匀分布接受整数和浮点数，正态分布接受浮点数。
rule-rng-state = 状态符合算法的要求。
rule-rng-result = 结果是随机位，或由状态与随机位组成的元组。
rule-rng-bits = 随机位读作整数或浮点数。
rule-rng-state-shape = 状态是 u64[2]。
rule-delta = delta 不为负。

## 运算：属性
attr-permutation = 结果的每一维对应操作数的哪一维。
attr-broadcast-dimensions = 操作数的每一维成为结果的哪一维。
attr-inferred-dimension = 大小由推断得出的维度。
attr-slice = 每一维的起点、终点和步长。
attr-concatenate-dimension = 数组沿其连接的维度。
attr-padding = 每一维的前、后和内部填充。
attr-dimensions = 运算作用的维度。
attr-iota-dimension = 值沿其递增的维度。
attr-literal = 值。
attr-parameter-number = 参数的编号。
attr-direction = 比较的方式。
attr-compare-type = 浮点数按何种顺序比较。
attr-index = 元素的编号。
attr-to-apply = 被调用的计算。
attr-is-composite = 该调用是否代表更高层的运算。
attr-fusion-kind = 编译器的融合类型。
attr-aliasing = 哪些结果与操作数共用内存。
attr-reducer = 合并两个值。
attr-window = 窗口在其移动的每一维的大小、步长、填充和膨胀。
attr-dim-labels = 每一维是什么：b 批量，f 特征，o 和 i 输出与输入特征，数字为空间维。
attr-feature-group-count = 独立卷积的特征组数。
attr-batch-group-count = 独立卷积的批量组数。
attr-convolution-kind = 编译器的卷积类型。
attr-select = 返回是否选择两个元素中的第一个。
attr-scatter = 把一个值与 source 的值合并。
attr-batch-dims = 批量维度：成对且保留。
attr-contracting-dims = 收缩维度：成对并求和。
attr-operand-precision = 硬件计算可用的精度。
attr-dot-algorithm = 硬件可用的算法。
attr-condition = 返回是否继续迭代。
attr-body = 在每次迭代中运行。
attr-true-computation = 谓词为真时运行。
attr-false-computation = 谓词为假时运行。
attr-branch-computations = 每个分支编号对应的计算。
attr-dynamic-slice-sizes = 切片在每一维的大小。
attr-map-dimensions = 按顺序的全部维度。
attr-exponent-bits = 指数保留的位数。
attr-mantissa-bits = 尾数保留的位数。
attr-offset-dims = 结果中位于窗口内的维度。
attr-collapsed-slice-dims = 结果省去的操作数维度。
attr-update-window-dims = 更新中位于窗口内的维度。
attr-inserted-window-dims = 窗口省去的操作数维度。
attr-index-map = 索引向量的每个分量所指的操作数维度。
attr-operand-batching-dims = 与索引的维度成对的操作数维度。
attr-indices-batching-dims = 与之成对的索引维度。
attr-index-vector-dim = 存放索引向量各分量的索引维度。
attr-slice-sizes = 窗口在操作数每一维的大小。
attr-indices-are-sorted = 承诺索引递增；不改变结果。
attr-unique-indices = 承诺没有元素被更新两次；不改变结果。
attr-sort-dimension = 排序所沿的维度。
attr-is-stable = 相等的元素是否保持原来的顺序。
attr-comparator = 返回左边的元素是否排在前面。
attr-k = 返回的元素个数。
attr-largest = 返回最大的还是最小的元素。
attr-distribution = 随机数的分布。
attr-algorithm = 产生随机位的算法。
attr-delta = 加到状态上的数。

## 运算：作用
op-abs = 各元素的绝对值。
op-negate = 各元素取相反数。
op-sign = 各元素的符号：-1、0 或 1。
op-ceil = 各元素向上取整。
op-floor = 各元素向下取整。
op-round-nearest-afz = 各元素舍入到最近的整数，一半时远离零。
op-round-nearest-even = 各元素舍入到最近的整数，一半时取偶数。
op-exponential = 以各元素为指数的 e 的幂。
op-exponential-minus-one = 以各元素为指数的 e 的幂减一；在零附近精确。
op-log = 各元素的自然对数。
op-log-plus-one = 一加各元素的自然对数；在零附近精确。
op-logistic = 各元素的逻辑斯谛函数。
op-tanh = 各元素的双曲正切。
op-sine = 各元素的正弦。
op-cosine = 各元素的余弦。
op-tan = 各元素的正切。
op-erf = 各元素的误差函数。
op-sqrt = 各元素的平方根。
op-rsqrt = 各元素平方根的倒数。
op-cbrt = 各元素的立方根。
op-is-finite = 各元素是否既非无穷也非 NaN。
op-not = 各元素取反：pred 按逻辑，整数按位。
op-real = 各元素的实部。
op-imag = 各元素的虚部。
op-popcnt = 各元素中为一的位数。
op-count-leading-zeros = 各元素首个一之前的零的位数。
op-add = 逐元素相加；pred 为或。
op-subtract = 逐元素相减。
op-multiply = 逐元素相乘；pred 为与。
op-divide = 逐元素相除；整数向零取整。
op-remainder = 除法的余数，符号与被除数相同。
op-power = 逐元素求幂。
op-maximum = 逐元素取两个数组的最大值。
op-minimum = 逐元素取两个数组的最小值。
op-and = pred 的逻辑与，整数的按位与。
op-or = pred 的逻辑或，整数的按位或。
op-xor = pred 的异或，整数的按位异或。
op-shift-left = 各位左移；补零。
op-shift-right-logical = 各位右移；补零。
op-shift-right-arithmetic = 各位右移；补符号位。
op-atan2 = 逐元素求点 (rhs, lhs) 的辐角。
op-complex = 由实部和虚部组成复数。
op-broadcast = 沿新的维度重复数组。
op-call = 调用一个计算。
op-fusion = 把多条指令作为一条运行。
op-clamp = 把各元素限制在一个范围内。
op-compare = 逐元素比较两个数组。
op-concatenate = 沿一个维度连接数组。
op-constant = 写在文本中的值。
op-convert = 转换各元素的类型。
op-copy = 相同的值，布局可能不同。
op-dot = 沿两个数组的维度对乘积求和。
op-get-tuple-element = 返回元组的一个元素。
op-iota = 沿一个维度计数。
op-pad = 在数组边缘和元素之间填充一个值。
op-parameter = 计算的一个参数。
op-reduce = 用一个计算归约数组的维度。
op-reduce-window = 用一个计算归约数组上的每个窗口。
op-convolution = 让卷积核在基底上滑动并对乘积求和。
op-select-and-scatter = 在每个窗口中选一个元素，把 source 的值加到那里。
op-reshape = 改变数组的大小；元素顺序不变。
op-reverse = 沿维度翻转数组。
op-select = 各元素取自两个数组之一。
op-slice = 取出每一维的一个区间。
op-transpose = 重新排列数组的维度。
op-while = 条件成立时重复运行循环体。
op-conditional = 运行若干计算中的一个。
op-dynamic-slice = 从给定的起始索引取出一块。
op-dynamic-update-slice = 在给定的起始索引处把一个数组写入另一个。
op-map = 对每个索引在标量上运行一个计算。
op-bitcast = 同样的字节，换一种形状和布局。
op-bitcast-convert = 把每个元素的位读作另一种类型。
op-reduce-precision = 把浮点数舍入到更少的位数。
op-gather = 从给定的起始索引读取切片。
op-scatter = 在给定的起始索引处把更新合并到数组中。
op-sort = 用比较器沿一个维度排序。
op-topk = 每行中最大或最小的 k 个元素及其索引。
op-rng = 均匀或正态分布的随机数。
op-rng-bit-generator = 用指定算法产生随机位，并给出下一个状态。
op-rng-get-and-update-state = 返回随机数的状态，并使其前进。
op-tuple = 组合若干值。

## 运算：含有词语的公式
formula-all-reduce-done = out = started 的结果
formula-all-gather-done = out = started 的结果
formula-collective-permute-done = out = started 的结果
formula-copy-done = out = started 的结果
formula-async-done = out = started 的结果
formula-all-to-all = out_of_device_j[第 i 份] = operand_of_device_i[第 j 份]
formula-bitcast-convert = bits(out[o]) = bits(operand[o])；类型变窄时 out[o,k] 是其第 k 部分，从最低部分起
formula-broadcast = out[o] = operand[e]，其中 e[i] = o[dimensions[i]]
formula-collective-permute = out_of_device_target[i] = operand_of_device_source[i]，否则为 0
formula-concatenate = out[…, o, …] = operand_k[…, o - Σ k 之前的大小, …]
formula-count-leading-zeros = out[i] = operand[i] 首个一之前零的个数
formula-dynamic-reshape = out = 按行主序排列的 operand，大小由操作数给出
formula-dynamic-update-slice = 在更新范围内 out[i] = update[i - s]，否则为 operand[i]，s = clamp(0, start, 大小 - 更新的大小)
formula-get-dimension-size = out = operand 某一维的大小
formula-infeed = out = (队列的下一项, token)
formula-pad = out[o] = operand[(o - low) / (interior + 1)]（若为元素），否则为填充值
formula-partition-id = out = 分区的编号
formula-popcnt = out[i] = operand[i] 中一的个数
formula-ragged-all-to-all = out_of_device_j[output_offsets_i[j] + r] = input_i[input_offsets_i[j] + r]，对 r < send_sizes_i[j]
formula-ragged-dot = out[m, n] = Σ_k lhs[m, k] · rhs[m 所在的组, k, n]，或 out[g, m, n] = Σ_{"{"}组 g 中的 k{"}"} lhs[m, k] · rhs[k, n]
formula-recv = out = (值的位置, 编号, token)
formula-reduce = out[o] = fold(初始值, operand[i]，对所有在 dimensions 之外与 o 一致的 i)
formula-reduce-precision = out[o] = 舍入到 1 + exponent_bits + mantissa_bits 位的 operand[o]
formula-reduce-window = out[y] = fold(初始值, operand[(y · 步长 + k · 窗口膨胀 - 前填充) / 基底膨胀]，对窗口内的所有 k)
formula-replica-id = out = 副本的编号
formula-reshape = out[o] = operand[e]，其中 o 与 e 的行主序编号相同
formula-reverse = out[i] = operand[i]，其中对 dimensions 中的 d 取 size_d - 1 - i_d
formula-rng = out[o] ~ U[a, b) 或 N(mu, sigma)
formula-scan = out[t], carry = to_apply(operand[t], carry)，对 t = 0, 1, …
formula-select-and-scatter = out[i] = fold(初始值, source[y]，对所有选中元素为 i 的窗口 y)
formula-set-dimension-size = out[i] = operand[i]，对小于 size 的 i
formula-sort = out[.., i, ..] = operand[.., p(i), ..]，其中 p 将该行排序
formula-stochastic-convert = out[i] = trunc(operand[i]) ± (random[i] / 2^位数 < |operand[i]| 的小数部分)
formula-topk = values[.., i] = operand[.., indices[.., i]]，该行第 i 大的元素
formula-transpose = out[o] = operand[e]，其中 e[dimensions[i]] = o[i]
formula-triangular-solve = op(a) · x = b，或 x · op(a) = b

## JSON 字面量
json-at = { $place }：{ $message }
json-error = 这不是字面量：{ $error }
json-shape-or-tuple = 字面量由 shape 和 values 组成，或者是 tuple
json-no-values = 缺少 values
json-not-an-array = 只有数组才能给出 values，而形状是 { $shape }
json-values-list = values 必须是一维列表
json-truth = { $found } 不是 true 或 false
json-integer = { $found } 不是 { $type } 所需的整数
json-float = { $found } 不是 { $type } 所需的数
json-complex = { $found } 不是 { $type } 所需的 [re, im]
json-hint-form = 请写成 {"{"}"shape": "f32[2]{"{"}0{"}"}", "values": [1, 2]{"}"} 或 {"{"}"tuple": […]{"}"}；无穷、NaN 和 -0 写成字符串 "Infinity"、"-Infinity"、"NaN" 和 "-0"
## 运算界面
catalogue = 运算
find-op = 查找运算
found-ops = 找到 { $count } 个运算
find-keys = 按下方向键进入下面的列表；方向键、Home 和 End 在列表中移动。
no-such-op = 没有符合的运算。请换一个词。
category-movement = 移动
category-reduction = 归约与窗口
category-contraction = 收缩
category-unary = 逐元素，一个操作数
category-binary = 逐元素，多个操作数
category-conversion = 转换
category-control = 控制流
category-tuple = 元组
category-source = 来源
op-examples = 示例
op-definition = 公式与规则
hlo-text = HLO 文本
hlo-line = 第 { $line } 行：
working-more = …… 另有 { $count } 个
made-from = 依赖 { $count } 个单元格
used-by = 被 { $count } 个输出单元格使用
uses-too-many = 读取的单元格过多，无法列出它的用处。
role-value = 值
role-fill = 填充值
role-lhs = 左操作数
role-rhs = 右操作数
role-start = 起始索引
role-update = 更新
role-init = 初始值
role-choice = 参与比较
attribute-cell = 第 { $dimension } 维的{ $name }
attribute-absent = 未设置
no-attributes = 此运算没有属性。
more-attributes = 另有 { $count } 个属性
computation-in-text = 请在下方的 HLO 文本中编辑此计算。
padding-low = 前
padding-high = 后
padding-interior = 内部
slice-start = 起点
slice-limit = 终点
slice-stride = 步长
window-size = 大小
window-stride = 步长
window-base-dilation = 基底膨胀
window-dilation = 窗口膨胀
window-reversal = 反转
move-earlier = 将第 { $dimension } 维前移
move-later = 将第 { $dimension } 维后移
panel-label = { $title }，{ $shape }
operand-shape = 形状
result-shape-field = 结果的形状与布局
operand-cell = { $index }：{ $value }
operand-no-cell = 未选择单元格
show-memory = 内存
values-of = 值
values-typed = 手动输入
values-iota = 0、1、2 ……
values-random = 随机
values-again = 重新抽取
values-typed-of = { $name } 的值
values-name = { $name }
values-on-replica = 副本 { $replica } 的 { $name }
values-show-replica = 显示副本 { $number }
values-unreadable = 无法读取这些值：{ $why }
values-stale = 这是先前的值的结果；请修正 { $name }{ $more ->
    [0] {""}
   *[other] {" "}及另外 { $more } 处
}，然后才会运行。
values-not-run = 尚未运行；请修正 { $name }{ $more ->
    [0] {""}
   *[other] {" "}及另外 { $more } 处
}，然后才会运行。
text-stale = 这是上一个无误程序的结果；请修正 HLO 文本，然后才会运行。
stale = 先前的结果
attribute-not-number = 请输入整数；{ $typed } 未被采用。
operands-window = 操作数
results-window = 结果
chain-window = 指令
queue-window = 队列项
functions-window = 函数
signature-more = ……另有 { $count } 个
parameters = 参数
result = 结果
result-shape = 形状
steps = 步数
previous-output = 上一个输出单元格
next-output = 下一个输出单元格
output-cell = 输出单元格
output-of = 输出 { $cell } / { $last }
copy-as = 复制为
ops-key-arrows = 在数组中移动
ops-key-step = 上一个、下一个输出单元格
ops-key-play = 播放或暂停
ops-key-pin = 固定操作数的一个单元格，或取消固定
ops-key-zoom = 缩放数组
ops-key-undo = 撤销、重做
ops-key-share = 分享
ops-key-help = 显示本帮助
ops-help-cells = 逐个查看输出单元格，或指向其中一个：它的来源单元格会高亮，按读取顺序编号，下方一行写出算式。
ops-help-back = 指向操作数的一个单元格，可以看到所有使用它的输出单元格。
ops-help-text = 一切都在一段 HLO 文本中。表单会修改它，您也可以编辑、粘贴自己的文本，或复制到任何其他 XLA 工具。
ops-help-values = 操作数可以是手动输入的值，按行主序的 0、1、2 ……，或由种子产生的随机数。
ops-help-private = 一切都在本页中运行，不会向任何地方发送数据。
chain = 指令
chain-append = 添加运算…
chain-origins = 依赖 { $count } 个输入单元格
result-value = 值
## 主机与设备：等待
hlo-infeed-order = { $second } 不依赖 { $first }；读取 infeed 的指令必须由 token 排定先后
hlo-hint-token = 把另一条指令（或其调用者）的 token 传给它
waiting = 死锁：{ $waits }
wait-for = { $name } 在等待{ $what }
wait-and = { $first }；{ $second }
wait-device = 设备 { $device } 上 { $waits }
wait-finished = 设备 { $device } 已结束
wait-future = 一个值
wait-infeed = infeed 的一项 { $shape }，而队列是空的
wait-custom = 函数 { $name }
wait-meet = { $count ->
   *[other] 设备 { $devices }
 }
wait-receive = 通道 { $channel } 的一项
wait-received = 通道 { $channel } 的接收方
wait-hint-async = 请在运行前提供，或异步运行
trace-outside = 这个单元格所依赖的主机值没有保留
outside-shape = 主机送来的是 { $found }，需要的是 { $expected }
custom-failed = 函数 { $name } 失败：{ $why }
replicas-arguments = 有 { $expected } 个设备，却给了 { $found } 个设备的参数

## 主机与设备：违反的规则
op-token = 操作数必须是 token，这里是 { $shape }
op-hint-token = 使用 after-all 的 token
op-infeed-shape = infeed 的形状是一项加一个 token：(形状, token[])，不是 { $shape }
op-infeed-nested = 一项是数组或数组的元组，不是 { $shape }
op-outfeed-shape = outfeed_shape 写的是 { $found }，操作数是 { $expected }
op-custom-target = custom-call 的目标不能为空
op-custom-layouts = { $found } 不是各操作数的形状及布局
op-custom-unknown = 没有为目标 { $name } 注册函数；已知的有：{ $known }
op-hint-custom = 在主机中注册名为 { $name } 的函数
op-transfer = send-done 与 recv-done 的操作数以及 recv 的结果是 (值, u32[], token[])，不是 { $shape }
op-async-operand = 这不是对应 start 的结果：{ $shape }
op-groups-iota = { $found } 不是分组：应写 [组数,组大小]<=[总数] 或 [组数,组大小]<=[大小]T(次序)
op-groups-empty = 组不能为空
op-groups-number = { $number } 不是设备号
op-groups-twice = 设备 { $number } 在分组中出现两次
op-groups-missing = 设备 { $number } 不在任何组中
op-groups-sizes = 各组大小不同
op-groups-devices = 分组写了 { $named } 个设备，运行的有 { $count } 个
op-group-size = 形状对应 { $needs } 个设备，而一组有 { $found } 个
op-group-divides = { $size } 不能被一组的 { $found } 个设备整除
op-global-ids = use_global_device_ids 需要 channel_id
op-all-gather-size = 结果第 { $dimension } 维的大小为 { $found }，不等于 { $count } 个设备各 { $size }
op-reduce-scatter-size = 结果第 { $dimension } 维的大小为 { $found }，不等于 { $size } 分给 { $count } 个设备
op-all-to-all-array = 写了 dimensions 时只有一个操作数，这里有 { $found } 个
op-all-to-all-operands = { $count } 个设备各有一个操作数，这里有 { $found } 个
op-parts = 第 { $dimension } 维的大小 { $size } 不能被 { $count } 个设备整除
op-permute-pair = { $found } 不是一对源和目标
op-permute-source = 设备 { $number } 是两对的源
op-permute-target = 设备 { $number } 是两对的目标
op-permute-devices = 有一对写了设备 { $number }，而只有 { $count } 个设备运行
op-hint-permute-devices = 只写设备 0 到 { $last }，或运行更多设备
op-permute-number = 有一对写了设备 { $number }；设备号必须小于 { $limit }
op-ragged-numbers = { $operand } 必须是与其他列表等长的整数列表，这里是 { $shape }
op-ragged-count = 列表有 { $found } 项，不能被 { $count } 个设备整除

## 主机与设备：规则
rule-token = 操作数是 token。
rule-infeed-shape = 形状是一项加一个 token。
rule-infeed-nested = 一项是数组或数组的元组。
rule-outfeed-shape = 所写的形状就是操作数的形状。
rule-custom-target = 目标不为空。
rule-custom-layouts = 布局对应各操作数的形状。
rule-custom-shape = 写出结果的形状。
rule-transfer = 操作数是对应 start 的结果。
rule-transfer-shape = 形状是一个值、一个数和一个 token。
rule-async-operand = 操作数是对应 start 的结果。
rule-groups = 分组是设备号的列表。
rule-groups-once = 一个设备只在一组中。
rule-groups-all = 每个设备都在某组中。
rule-groups-sizes = 各组大小相同。
rule-global-ids = 使用全部设备号时需要通道。
rule-all-gather-size = 结果的大小是所有操作数之和。
rule-reduce-scatter-size = 结果的大小是一份。
rule-all-to-all-array = 一个操作数沿一个维度划分。
rule-all-to-all-parts = 每个设备得到同样大小的一份。
rule-all-to-all-operands = 每个设备有一个操作数。
rule-permute-pairs = 每对是一个源和一个目标。
rule-permute-once = 一个设备只发送一次、接收一次。
rule-permute-devices = 设备号小于 65,536。
rule-ragged-rows = 输入与输出类型相同，行的大小相同。
rule-ragged-numbers = 偏移与大小是等长的整数列表。
rule-ragged-count = 每个设备的项数相同。

## 主机与设备：属性
attr-replica-groups = 相互通信的设备组：编号列表。
attr-channel = 通道的编号。
attr-constrain-layout = 各设备是否必须使用同样的布局；不改变值。
attr-global-ids = 分组写的是设备而不是副本。
attr-one-dimension = 划分或连接数组所沿的维度。
attr-source-target-pairs = 发送设备与接收设备的配对。
attr-feed-config = 传给队列；不改变值。
attr-outfeed-shape = 发送给主机的形状与布局。
attr-domain = 两侧的分片；不改变值。
attr-custom-target = 函数的名字。
attr-custom-layouts = 函数要求的布局。
attr-custom-effect = 函数是否有副作用。
attr-custom-called = 函数可能调用的计算。
attr-custom-kept = 传给函数；此处不作解释。
attr-host-transfer = 另一端是否是主机。
attr-async-thread = 线程的名称；不改变值。
attr-prefetch = 预取的编号；不改变值。

## 主机与设备：运算的作用
op-all-reduce = 逐元素归约所有设备的数组。
op-all-gather = 沿一个维度连接所有设备的数组。
op-all-to-all = 每个设备给每个设备送一份。
op-reduce-scatter = 归约所有设备的数组并分发结果。
op-collective-permute = 在设备之间传送数组。
op-collective-broadcast = 把第一个设备的数组发送给所有设备。
op-ragged-all-to-all = 每个设备给每个设备送若干行。
op-replica-id = 副本的编号。
op-partition-id = 分区的编号。
op-custom-call = 调用用户提供的函数。
op-infeed = 从队列取出下一项。
op-outfeed = 把一个值发送给主机。
op-after-all = 依赖其他 token 的 token。
op-add-dependency = 相同的值，并依赖一个 token。
op-opt-barrier = 相同的值；编译器不会越过它移动任何运算。
op-domain = 相同的值，位于两种分片的边界。
op-send = 把一个值发送到通道。
op-send-done = 完成发送。
op-recv = 开始从通道接收一个值。
op-recv-done = 返回从通道接收的值。
op-async-start = 开始一个运算。
op-async-update = 继续一个已开始的运算。
op-async-done = 返回已开始的运算的结果。

## 主机与设备：运算界面的面板
world = 主机与设备
world-simulated = 在本页中模拟
queue = infeed 队列
queue-wants = 一次运行从顶部取出形状为 { $shapes } 的条目。
queue-each = 每个副本各有一个这样的队列。
queue-stops = 运行停在这里，直到有下一项。
queue-item = 第 { $number } 项
queue-remove = 删除第 { $number } 项
queue-taken = 已取出
queue-left = 排队中
queue-empty = 队列为空。
queue-add = 添加一项
outfeed = Outfeed
outfeed-none = 没有发送任何值。
replicas = 副本
replicas-count = 副本数
replicas-rule = 每个副本的值比前一个大 { $step }，随机值则用下一个种子；要给它自己的值，请选择该副本并编辑其操作数。
replicas-crossed = { $count ->
    [0] 高亮的单元格不依赖其他副本的单元格。
   *[other] 高亮的单元格依赖其他副本的 { $count } 个单元格。
}
replica = 副本 { $number }
replica-array = 副本 { $number }，{ $name }，{ $shape }
replica-lit = { $count ->
    [0] 没有高亮的单元格
   *[other] { $count } 个高亮的单元格
}
replica-reset = 重置它的值
replica-more = 另有 { $count } 个数组
replica-finished = 已结束。
draw = 随机数
draw-seed = 种子
draw-again = 重新抽取
draw-note = 这些数来自本页自己的生成器（Philox），同一种子在任何机器上都相同；XLA 的数不同。
draw-said = { $count } 个数，均值 { $mean }，标准差 { $deviation }；分布的均值为 { $wanted-mean }，标准差为 { $wanted-deviation }。
js-label = 函数 { $name }
js-help = JavaScript：inputs[i].shape 和 inputs[i].data 是操作数（按行排列）；把结果写入 output.data。元组是列表。它在没有网络的沙箱中运行，最多 { $seconds } 秒。
js-run = 运行这段代码
js-held = 这段代码来自链接，尚未运行：请先阅读。
js-unseen = 这段代码来自链接，尚未运行。滚动到末尾后按钮才可用。
js-too-long = 这段代码来自链接，不会运行：超过 64 KiB 的代码无法审阅。
js-review = 链接带来的代码
js-size = { $lines } 行，{ $characters } 个字符。
js-hidden = { $count } 个不可见或会改变文字方向的字符已写成转义形式。
js-framed = 在框架中只能阅读这段代码：要修改它，或运行链接带来的代码，请单独打开本页。
js-missing = 还没有这个函数。可以从这个模板开始。
js-running = 正在运行……
js-ready = 操作数改变时会再次运行；修改后的代码要由您来运行。
sandbox-failed = 沙箱无法启动
sandbox-time = 运行超过 { $seconds } 秒，已被停止
sandbox-error = { $why }
sandbox-line = 第 { $line } 行：{ $why }
sandbox-shape = 返回的值不是 { $shape }
op-asin = 每个元素的反正弦。
op-acos = 每个元素的反余弦。
op-sinh = 每个元素的双曲正弦。
op-cosh = 每个元素的双曲余弦。
op-asinh = 每个元素的反双曲正弦。
op-acosh = 每个元素的反双曲余弦。
op-atanh = 每个元素的反双曲正切。
op-mulhi = 逐元素求乘积的高半部分。
op-batch-norm-training = 按特征归一化数组，并返回均值和方差。
op-batch-norm-inference = 用给定的均值和方差按特征归一化数组。
op-batch-norm-grad = 归一化对操作数、缩放和偏移的梯度。
op-cholesky = 将正定矩阵分解为三角矩阵与其共轭转置之积。
op-triangular-solve = 求解矩阵为三角形的方程组。
op-fft = 最多三个维度上的离散傅里叶变换。
attr-epsilon = 对方差开方之前加上的数。
attr-feature-index = 特征维度；各特征分别归一化。
attr-cholesky-lower = 读取并生成下三角，还是上三角。
attr-left-side = 矩阵是否位于未知数左侧。
attr-lower = 读取下三角，还是上三角。
attr-unit-diagonal = 对角线是否视为 1 而不读取。
attr-transpose-a = 矩阵是否转置，或转置并取共轭。
attr-fft-type = 正变换或逆变换，复数或实数。
attr-fft-length = 被变换维度的长度，即操作数最后几维。
rule-feature-index = 特征维度存在。
rule-feature-vector = 向量中每个特征有一个浮点数。
rule-float-complex = 元素是浮点数或复数。
rule-matrices = 操作数至少有两个维度。
rule-square = 矩阵是方阵。
rule-same-rank = 秩相同。
rule-shared-dimension = 方程与未知数一样多。
rule-same-batch = 批量大小相同。
rule-fft-rank = 变换一到三个维度。
rule-fft-operand-rank = 操作数具有被变换的维度。
rule-fft-type = FFT、IFFT 和 IRFFT 接受 c64 或 c128，RFFT 接受 f32 或 f64。
rule-fft-length = 长度等于操作数的大小；IRFFT 的最后一个长度是结果的。
op-feature-vector = { $operand } 必须是含 { $count } 个浮点数的向量，实为 { $shape }
op-square = { $operand } 的最后两维必须相等，实为 { $shape }
op-matrices = { $operand } 必须至少有两个维度，实为 { $shape }
op-shared-dimension = a 是 { $a }，b 是 { $b }；b 的第 { $dimension } 维必须与 a 的矩阵一样大
op-fft-rank = 只能变换一到三个维度，这里有 { $found } 个
op-fft-operand-rank = 要变换 { $found } 个维度，而操作数是 { $shape }
op-fft-length = 长度 { $length } 与第 { $dimension } 维的大小 { $size } 不符
op-stochastic-convert = 按随机位向上或向下将浮点数舍入为整数。
op-ragged-dot = 对各组行求积之和，每组有自己的右操作数或自己的和。
op-scaled-dot = 对各块带有缩放因子的数组求积之和。
op-scan = 逐片扫描数组，并传递携带的值。
attr-ragged-dims = lhs 中分为若干组的维度。
attr-group-dims = rhs 中每组一项的维度。
attr-scan-dimension = 扫描所沿的维度。
attr-num-carries = 最后若干个操作数作为携带值传递。
attr-is-reverse = 是否从末尾开始扫描。
attr-is-associative = 各步是否可以按其他次序结合。
rule-random-type = 随机数是无符号的，且与操作数类型等宽。
rule-stochastic-result = 结果是有符号整数。
rule-ragged-dimension = lhs 有一个参差维度。
rule-group-dimension = 自由的参差维度对应一个同样自由的组维度；其他情形没有组维度。
rule-group-sizes = 每组有一个大小。
rule-group-sizes-type = 组大小是整数。
rule-scale-sizes = 缩放因子与其数组秩相同，且大小整除数组的大小。
rule-scaled-dot-result = 结果是浮点数。
rule-num-carries = 携带值之前至少有一个数组。
rule-scan-sizes = 所有数组的片数相同。
rule-scan-carries = 最后几个结果就是携带值。
op-random-type = 随机数必须是 { $expected }，实为 { $found }
op-ragged-dimension = 必须有一个参差维度，这里有 { $found } 个
op-group-dimension = 列出了 { $found } 个组维度，或其中一个是批量或收缩维度
op-group-sizes = 组大小必须是 [{ $expected }]，实为 { $found }
op-group-sizes-type = 组大小必须是整数，实为 { $found }
op-scale-sizes = 缩放因子是 { $scale }，与 { $array } 不符
op-num-carries = { $operands } 个操作数中不能传递 { $found } 个
op-scan-result = { $name } 返回 { $found }，无法堆叠
op-get-dimension-size = 运行时某一维度的大小。
op-set-dimension-size = 保留某一维度的前若干个元素，数目由操作数给出。
op-dynamic-reshape = 将数组改为操作数给出的大小。
attr-size-dimension = 读取或设置其大小的维度。
rule-size-scalar = 大小是 s32[]。
rule-size-count = 结果的每个维度有一个大小。
rule-size-scalars = 大小是整数标量。
op-size-scalar = 大小必须是 s32[]，实为 { $found }
op-size-count = 有 { $found } 个大小，而结果的秩是 { $rank }
op-size-scalars = 大小必须是整数标量，实为 { $found }
op-dynamic-size = 大小 { $size } 与 { $bound } 个元素不符
op-dynamic-fixed = { $op } 的形状由文本固定，而某个操作数小于其上界

## 在主线程之外运行
run-under-way = 正在运行……
run-escape = 按 Esc 取消。
run-cancel = 取消
run-at = { $instruction }：已运行 { $steps } 步
run-again = 重新运行
run-stopped = 运行已取消。
run-as-of-before = 显示的是上一次运行。
run-held = 这里调用了链接带来的函数。它不在框架中运行：请在 Playground 中打开，先阅读它。
run-place = 位置：{ $instruction }。
run-left-out = 有些值太大，无法在此显示。
uses-counting = 正在查找这个单元格的用处……
values-too-long = 数值的文本有 { $bytes } 字节，上限是 { $limit } 字节。更大的数组请选择随机值或递增值。

## 运算页面：单元格内部、移动、版本
ops-key-within = 输出单元格内的上一步、下一步
category-collective = 集合通信
category-outside = 主机与设备
inner = 此单元格内部
inner-previous = 单元格内的上一步
inner-next = 单元格内的下一步
inner-application = 应用
inner-product = 乘积
inner-read = 单元格
inner-step = { $what } { $number } / { $count }：{ $text }
inner-whole = 此单元格内部：{ $count } 次{ $what }
iterations = 携带的值
iteration = 迭代
iteration-previous = 上一次迭代
iteration-next = 下一次迭代
iteration-of = { $count } 次迭代中的第 { $number } 次之后
iterations-cut = 循环仍在继续；这里显示到目前为止携带的值。
iterations-first = 显示前 { $count } 个部分。
result-without-array = 其中没有数组：token 只规定指令的先后，没有单元格。
hlo-hint-back = 恢复为上一个有效的文本
result-not-run = 未运行：程序的结果不需要它。
iterations-call = 此循环会调用您的函数。不会仅为显示携带的值而再次调用。
moving-nothing = bitcast：没有元素移动
moving-some = { $all } 个元素中有 { $count ->
    [0] 0
   *[other] { $moved }
  } 个移到别的槽位{ $new ->
    [0] { "" }
   *[other] ，{ $filled } 个是填入的
  }
moving-large = 元素太多，无法逐个显示在内存中的移动。
moving-show = 显示内存中的移动
moving-from = 操作数的内存
moving-to = 结果的内存
edition = 版本
edition-now = 当前 XLA
edition-2017 = XLA 2017
editions-compare = 与另一版本逐单元格比较
editions-refused = { $edition } 拒绝它：{ $why }
editions-call = 未比较：需要为另一版本再次调用您的函数。
editions-shape = { $edition } 返回另一个形状：{ $shape }
editions-agree = 两个版本在此一致：{ $count ->
    [one] 唯一的单元格相同
   *[other] { $all } 个单元格全部相同
  }。
editions-differ = 两个版本在 { $all } 个单元格中有 { $count } 个不同，以角标标出。
editions-values = { $edition } 中的值：
choose-op = 选择运算
attribute-numbers = 各维的数

## 复制为
export-text = 文本与程序
export-picture = 图片，高亮输出 { $cell }
as-rust = Rust（构建器调用）
as-jax = JAX
as-numpy = NumPy
as-tikz = LaTeX（TikZ）
as-gif = GIF 动画
copy-format = 复制{ $format }
save-format = 将{ $format }保存为文件
save-as-file = 保存
export-missing = 未导出：{ $ops }。程序会在该处报错并停止。
export-unknown = 文本有错误，或含有未知的操作码。
export-too-large = 值太多，无法写出。
export-no-array = 没有可绘制的数组。
export-many-arrays = { $arrays } 个数组太多，无法放入一幅图；最多 { $most } 个。
export-saved = 已保存。
export-failed = 浏览器无法绘制。
picture-of-op = 以网格显示操作数、运算及其结果。高亮的输出单元格的来源单元格按角色着色。
tikz-too-large = 超过 { $cells } 个单元格，TeX 处理太慢。
gif-frames = { $frames } 帧，每个输出单元格一帧。
gif-too-large = 太大：{ $frames } 个输出单元格。动画最多 { $most } 帧、1.6 亿像素。
gif-making = 第 { $frame } 帧，共 { $frames } 帧
gif-cancel = 取消
## 由什么计算，以及原因
made = 计算方式
made-strict = 内核 { $name }{ $workers ->
    [1] { "" }
   *[other] （{ $workers } 个工作线程）
}，在任何机器上逐位相同
made-fast = 内核 { $name }{ $workers ->
    [1] { "" }
   *[other] （{ $workers } 个工作线程）
}，快速：舍入可能不同
made-scalar = 内核 { $name }，不用 SIMD，在任何机器上逐位相同
kernels = 大运算的计算方式
kernels-strict = 严格内核（处处逐位相同）
kernels-fast = 快速内核（舍入可能不同）
kernels-off = 参考求值器
kernels-compare = 与参考求值器逐个单元格比较
kernels-same = { $count ->
   *[other] 全部 { $all } 个单元格与参考求值器逐位相同。
  }
kernels-near = { $all } 个单元格中有 { $differing } 个与参考求值器不同，最多相差该元素类型的 { $units } 个值：{ $cell } 由内核得 { $kernel }，由参考求值器得 { $definition }。
kernels-other = { $all } 个单元格中有 { $differing } 个与参考求值器不同：{ $cell } 由内核得 { $kernel }，由参考求值器得 { $definition }。
fallback-no-kernel = 参考求值器（没有内核执行此运算）
fallback-small = 参考求值器（规模太小，不值得用内核）
fallback-layout = 参考求值器（内核不支持分块或打包的元素）
fallback-page = 参考求值器（规模小，直接在页面上运行）
fallback-host = 参考求值器（涉及主机或多个设备的运行不使用内核）
fallback-element-type = 参考求值器（没有内核支持这些元素类型的 { $opcode }：{ $types }）
fallback-unsupported = 参考求值器（没有内核支持此形状与属性的 { $opcode }：{ $types }）
fallback-unavailable = 参考求值器，结果相同但更慢。{ $cause }
fallback-computation = 参考求值器（没有内核支持此计算）
fallback-watched = 参考求值器（正在观察每一次调用）
fallback-edition = 参考求值器（此版本中该运算不同）
fallback-values = 参考求值器（没有内核支持这些值）
fallback-off = 参考求值器
## 文档链接
op-sections = 文档章节
ops-key-find = 查找运算
