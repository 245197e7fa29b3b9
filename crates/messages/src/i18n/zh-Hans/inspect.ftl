# 对程序文本的解释，显示在编辑器的悬浮框中。句子针对当前程序。

## Titles
inspect-keyword = 关键字
inspect-mark = 标记
inspect-comment = 注释
inspect-element-type = 元素类型 { $type }
inspect-array = 数组形状
inspect-dimension = 维度 { $dimension }
inspect-order-title = 维度顺序（次到主）
inspect-layout = 布局
inspect-tile = 分块
inspect-tuple = 元组形状
inspect-padding-2017 = 填充（XLA 2017）
inspect-element-size-title = 元素大小
inspect-memory-space-title = 内存空间
inspect-tail-alignment-title = 尾部填充
inspect-splits-title = 分布到多个内存
inspect-metadata-prefix-title = 动态形状元数据
inspect-sparse-title = 稀疏布局
inspect-opcode = 运算 { $title }
inspect-opcode-unknown = 未知运算
inspect-instruction = 指令 { $name }
inspect-operand = 操作数 { $name }
inspect-computation = 计算 { $name }
inspect-module-name = 模块
inspect-signature-parameter = 签名中的参数
inspect-parameter-number = 参数编号
inspect-attribute = 属性 { $name }
inspect-attribute-value = { $name } 的值
inspect-window-field = 窗口：{ $name }
inspect-metadata-field = 元数据：{ $name }
inspect-table-field = 源码位置：{ $name }
inspect-literal = 字面量
inspect-literal-element = 常量的元素

## Keywords, marks, comments
inspect-word-module = 模块的开头，后面是模块名和属性。
inspect-word-entry = 标记最先运行的计算。没有该标记时，最后一个计算是入口。
inspect-word-root = 标记其值即为计算结果的指令。没有该标记时，最后一条指令是结果。
inspect-word-file-names = 源文件表。元数据按行号引用各行。
inspect-word-function-names = 源函数表。
inspect-word-file-locations = 源码位置表：文件、函数、行和列。
inspect-word-stack-frames = 调用栈表：每行是一个源码位置及其调用者的行号。
inspect-word-token = token 不含数据，只用于排定副作用的先后。
inspect-word-opaque = opaque 值没有 XLA 能解释的元素。
inspect-mark-arrow = 后面是结果。
inspect-mark-equals = 后面依次是指令的形状、操作码和操作数。
inspect-comment-index = XLA 打印长列表时每五项标一次序号。下一项的序号是 { $index }。
inspect-comment-ignored = 注释不影响程序。

## Shapes
inspect-type-float = { $type } 是 { $bits } 位浮点类型：指数 { $exponent } 位，尾数 { $mantissa } 位。
inspect-type-complex = { $type } 是 { $bits } 位复数：实部和虚部均为 { $part }。
inspect-type-signed = { $type } 是 { $bits } 位有符号整数，采用二进制补码。
inspect-type-unsigned = { $type } 是 { $bits } 位无符号整数。
inspect-type-pred = { $type } 是布尔值。除非布局将其压缩，否则占一个字节。
inspect-scalar = { $type } 标量：一个值，没有维度。
inspect-array-sizes = { $sizes } = { $elements } 个 { $type } 元素。
inspect-array-unbounded = 秩为 { $rank } 的数组，其大小在编译时未知。
inspect-tuple-elements = 含 { $count } 个值的元组。
inspect-bytes = 占 { $bytes } 字节。
inspect-bytes-padded = 占 { $bytes } 字节，其中 { $padding } 字节是填充（{ $percent } %）。
inspect-dimension-size = 维度 { $dimension } 的大小为 { $size }。
inspect-dimension-bounded = 维度 { $dimension } 是动态的：大小在运行时确定，不超过 { $size }。
inspect-dimension-unbounded = 维度 { $dimension } 的大小在编译时未知。
inspect-dimension-stride = 沿该维相邻的元素相距 { $bytes } 字节。
inspect-order-row-major = 行主序（默认）：在内存中维度 { $minor } 变化最快，维度 { $major } 最慢。
inspect-order-column-major = 列主序：在内存中维度 { $minor } 变化最快，维度 { $major } 最慢。
inspect-order = 从次到主：{ $order }。在内存中维度 { $minor } 变化最快，维度 { $major } 最慢。
inspect-order-only = 唯一的维度，大小为 { $size }：其元素在内存中相邻。
inspect-order-minor = 维度 { $dimension }（大小 { $size }）最次：其元素在内存中相邻。
inspect-order-between = 维度 { $dimension }（大小 { $size }）从最次算起位于第 { $position } 位。
inspect-order-major = 维度 { $dimension }（大小 { $size }）最主：在内存中变化最慢。
inspect-tile-outer = { $count ->
   *[other] 维度 { $dimensions }
 } 按 { $sizes } 个元素分块存储，块与块依次相接。
inspect-tile-inner = 每个 { $outer } 的块再划分为 { $sizes } 的块。
inspect-tile-rounds = 维度 { $dimension } 从 { $size } 填充到 { $padded }。
inspect-tile-combine = “*” 表示在分块之前将该维并入下一个更次的维度。
inspect-element-size = 每个元素占 { $bits } 位。
inspect-memory-space-default = 内存空间 0 是设备的主内存。
inspect-memory-space-fast = 内存空间 1 是快速的片上内存（TPU 上为 VMEM）。
inspect-memory-space-host = 内存空间 5 是主机内存。
inspect-memory-space = 内存空间 { $space } 由编译器后端定义。
inspect-tail-alignment = 槽位数向上取整到 { $slots } 的倍数。
inspect-splits = 该物理维度在这些索引处切开，每一部分位于各自的内存中。
inspect-metadata-prefix = 数据之前有 { $bytes } 字节存放动态大小。
inspect-sparse = 描述稀疏数组，XLA 已不再编译这种数组。
inspect-padding-2017-text = XLA 2017 在内存中把数组填充到这些大小。当前 XLA 改用分块。

## Names
inspect-opcode-unknown-text = 本程序不认识运算 { $opcode }。
inspect-formula = 公式：{ $formula }
inspect-opcode-required = 必需的属性：{ $names }。
inspect-instruction-shape = { $op } → { $shape }
inspect-instruction-users = { $count ->
    [0] 没有指令使用它。
   *[other] 有 { $count } 条指令使用它。
 }
inspect-instruction-root = 它是所在计算的结果。
inspect-operand-role = { $op } 的第 { $number } 个操作数（从 0 起）：{ $role }。
inspect-op-name = 源程序中：{ $name }
inspect-source = { $file } 第 { $line } 行
inspect-source-function = { $file } 第 { $line } 行，函数 { $function }
inspect-computation-signature = 接受 ({ $parameters })，返回 { $result }。
inspect-computation-size = 含 { $instructions } 条指令。
inspect-computation-single = 只计算 { $op }。
inspect-computation-entry = 它是模块的入口，最先运行。
inspect-computation-callers = { $count ->
    [0] 没有指令调用它。
   *[other] 有 { $count } 条指令调用它。
 }
inspect-module-name-text = 模块含 { $computations } 个计算、{ $instructions } 条指令。
inspect-signature-parameter-text = 签名只供阅读，以函数体中的 parameter 指令为准。
inspect-parameter-number-text = 计算的第 { $number } 个实参（从 0 起，共 { $count } 个）。形状为 { $shape }。

## Attributes
inspect-attribute-required = { $op } 必须有该属性。
inspect-attribute-optional = 可以省略。
inspect-note-metadata = 指令在源程序中的来源。不影响值。
inspect-note-sharding = 值如何划分到各设备。值不变。
inspect-note-frontend-attributes = 框架留给后续遍的说明。不影响值。
inspect-note-backend-config = 某个后端的编译器读取的设置。不影响值。
inspect-note-control-predecessors = 这些指令必须先运行，尽管没有数据从它们流出。
inspect-note-parameter-replication = 参数的各叶子在所有副本上的值是否相同。
inspect-note-statistics = 供性能分析工具使用的数字。不影响值。
inspect-note-origin = 未优化程序中值相同的指令。
inspect-note-result-accuracy = 结果必须达到的精度。
inspect-note-execution-thread = 运行该计算的线程。值不变。
inspect-direction-eq = 两值相等处为真。
inspect-direction-ne = 两值不等处为真。
inspect-direction-ge = 左值大于或等于右值处为真。
inspect-direction-gt = 左值大于右值处为真。
inspect-direction-le = 左值小于或等于右值处为真。
inspect-direction-lt = 左值小于右值处为真。
inspect-compare-float = 浮点序：NaN 与任何值都不相等。
inspect-compare-total = 全序：-NaN < -inf < … < -0 < +0 < … < inf < NaN。
inspect-compare-signed = 有符号整数的序。
inspect-compare-unsigned = 无符号整数的序。
inspect-fusion-loop = 一个遍历结果的循环，逐个元素独立计算。
inspect-fusion-input = 归约或 scatter 与计算其输入的指令融合。
inspect-fusion-output = dot 或卷积与其后的指令融合。
inspect-fusion-custom = 由后端专用的内核计算该融合。
inspect-fft = 复数的正变换。
inspect-ifft = 复数的逆变换。
inspect-rfft = 实数的正变换，省略结果中冗余的一半。
inspect-irfft = 变换回实数的逆变换。
inspect-rng-uniform = 在第一个操作数到第二个操作数之间均匀分布。
inspect-rng-normal = 正态分布，两个操作数为均值和标准差。
inspect-rng-three-fry = Threefry 2x32，基于计数器的生成器。
inspect-rng-philox = Philox 4x32，基于计数器的生成器。
inspect-rng-default = 后端首选的生成器。
inspect-transpose-no = 矩阵保持原样。
inspect-transpose-yes = 矩阵转置。
inspect-transpose-adjoint = 矩阵共轭转置。

## Dimension numbers
inspect-result = 结果
inspect-operand-named = { $role }（{ $name }）
inspect-dimension-of = { $array } 的维度 { $dimension }，大小为 { $size }。
inspect-dimension-range = { $array } 没有该维度：其秩为 { $rank }。
inspect-index-vector-scalar = 位于最后一维之后：每个索引都是标量。
inspect-contracting-lhs = 与 rhs 的维度 { $other } 配对并求和。
inspect-contracting-rhs = 与 lhs 的维度 { $other } 配对并求和。
inspect-batch-lhs = 与 rhs 的维度 { $other } 配对并保留。
inspect-batch-rhs = 与 lhs 的维度 { $other } 配对并保留。
inspect-batching-operand = 与索引数组的维度 { $other } 配对：每个批次有各自的索引。
inspect-batching-indices = 与操作数的维度 { $other } 配对：每个批次有各自的索引。
inspect-broadcast-entry = 操作数的维度 { $index } 成为结果的维度 { $number }。结果沿其余维度重复。
inspect-transpose-entry = 结果的维度 { $index } 是操作数的维度 { $number }。
inspect-reduce-entry = 沿维度 { $number } 的元素归约为一个，结果不再有该维。
inspect-index-map-entry = 索引向量的第 { $index } 个分量指向操作数的维度 { $number }。
inspect-offset-entry = 结果沿该维存放窗口在操作数维度 { $dimension } 上的元素。
inspect-update-window-entry = 更新值沿该维存放窗口在操作数维度 { $dimension } 上的元素。
inspect-slice-size-entry = 沿操作数维度 { $index } 取 { $size } 个元素中的 { $number } 个。

## Windows
inspect-window-size = 窗口在各维的元素数。
inspect-window-stride = 相邻窗口之间相距的元素数。
inspect-window-pad = 在前后的填充；负数表示裁剪。
inspect-window-lhs-dilate = 被滑动数组中相邻元素的距离。大于 1 时元素之间有空洞（转置卷积）。
inspect-window-rhs-dilate = 窗口中相邻元素的距离。大于 1 时窗口有空洞（空洞卷积）。
inspect-window-reversal = 1：窗口的元素按相反顺序取用。
inspect-window-dimension = 窗口维度 { $dimension }：{ $number }
inspect-window-dimension-pad = 窗口维度 { $dimension }：前 { $low }，后 { $high }
inspect-window-whole = 窗口维度 { $dimension }：{ $size } 个元素，步长 { $stride }，前填充 { $low }，后填充 { $high }
inspect-pad-dimension = 维度 { $dimension }：前 { $low }，后 { $high }，元素之间 { $interior }
inspect-slice-dimension = 维度 { $dimension }（大小 { $size }）：索引从 { $start } 到 { $limit }（不含），步长 { $stride }
inspect-labels-lhs = lhs { $labels }：维度 { $first } 是批次，{ $second } 是特征；空间维度：{ $spatial }
inspect-labels-rhs = rhs { $labels }：维度 { $first } 是输入特征，{ $second } 是输出特征；空间维度：{ $spatial }
inspect-labels-out = 结果 { $labels }：维度 { $first } 是批次，{ $second } 是特征；空间维度：{ $spatial }

## Devices
inspect-groups-all = 为空：所有设备为一组。
inspect-groups-uniform = { $count } 组，每组 { $size } 个：{ $groups }
inspect-groups-mixed = { $count } 组，大小不一：{ $groups }
inspect-groups-iota = 简写：从 0 到 { $total }（不含）的编号，依次排列。
inspect-groups-iota-transposed = 简写：从 0 到 { $total }（不含）的编号排成 { $sizes } 的数组，再按 { $order } 转置。
inspect-groups-mesh = 各组是网格沿这些轴的设备。
inspect-groups-replicas = 编号为副本：同组设备属于同一分区。
inspect-groups-partitions = 编号为同一副本的分区。
inspect-groups-devices = 编号为设备：副本 × 分区数 + 分区。
inspect-groups-replicas-and-partitions = 编号为副本：一组包含它们的所有分区。
inspect-pair = { $source } 发送给 { $target }。
inspect-sharding-replicated = 每个设备都有完整的值。
inspect-sharding-manual = 程序自行划分：每个设备有各自的值。
inspect-sharding-unknown = 分片方式尚未确定。
inspect-sharding-unreduced = 每个设备持有该值的部分和。
inspect-sharding-maximal = 完整的值只在设备 { $device } 上。
inspect-sharding-mesh = 各维花括号中的网格轴划分该维。
inspect-sharding-tuple = 元组的每个数组各有一个分片方式。
inspect-sharding-dimension = 维度 { $dimension }（大小 { $size }）划分为 { $count } 份，每份 { $part }。
inspect-sharding-copies = 每份存放在 { $count } 个设备上。
inspect-sharding-iota = “<=” 给设备编号：由其后的大小生成 iota，若有 T 则转置，再依次分配给各份。

## Metadata and other annotations
inspect-metadata-op-name = 运算在源程序中的路径；在 JAX 中是嵌套的函数和变换。
inspect-metadata-op-type = 运算在源程序中的种类。
inspect-metadata-source-file = 源文件。
inspect-metadata-source-line = 在源文件中的位置。
inspect-metadata-stack-frame = StackFrames 的行号：源程序中的调用栈。
inspect-metadata-scheduling-name = 调度器和性能分析用来称呼该指令的名字。
inspect-metadata-deduplicated-name = 与之相同、共用代码的融合的名字。
inspect-metadata-profile-type = 此处指导编译器的性能剖析种类。
inspect-metadata-other = 供工具使用的字段。不影响值。
inspect-backend-window-config = TPU：遍历分块的循环如何划分。
inspect-backend-flag-configs = TPU：该指令的编译选项。
inspect-backend-scoped-memory = TPU：该指令预留的片上内存。
inspect-backend-estimated-cycles = TPU：编译器估计的时钟周期数。
inspect-backend-trip-count = 编译器推导出的循环次数。
inspect-backend-partitions = CPU：外层维度划分为多少个并行任务。
inspect-backend-queue = GPU：运算所在的流。
inspect-frontend-scheduling-group = 同组指令一起调度。
inspect-frontend-meshes = 分区器 Shardy 的设备网格，为 MLIR 文本。

## Header
inspect-header-is-scheduled = 指令的书写顺序是否就是运行顺序。
inspect-header-scheduled = 已调度：指令按书写顺序运行。
inspect-header-unscheduled = 未调度：只有数据依赖和控制依赖决定先后。
inspect-header-entry-layout = 实参和结果在调用者内存中的形状与布局。
inspect-header-alias = 复用实参内存的结果。
inspect-header-donor = 内存可被程序任意复用的实参。
inspect-header-alias-passthrough = 原样返回的实参是否与结果共用内存。
inspect-header-replica-count = 副本数。各副本对不同数据运行同一程序。
inspect-header-num-partitions = 分区数。一个副本的数组划分到这些分区。
inspect-header-spmd-parameters = 对每个参数，SPMD 分区器是否可以选择其分片方式。
inspect-header-spmd-output = 对每个结果，SPMD 分区器是否可以选择其分片方式。
inspect-header-spmd-true = 分区器可以选择参数 { $number } 的分片方式。
inspect-header-spmd-false = 参数 { $number } 保持所写的分片方式。
inspect-header-origin = 如何由本程序重新算出未优化程序的值。
inspect-header-debug = 供调试器使用。不影响值。
inspect-header-stack-frames = 源码位置表。
inspect-whole-value = 整个值
inspect-element-at = 元素 { $index }
inspect-alias-may = 输出（{ $output }）可以复用参数 { $number } 的内存：{ $part }。
inspect-alias-must = 输出（{ $output }）必须复用参数 { $number } 的内存：{ $part }。
inspect-donor = 程序可以复用参数 { $number } 的内存：{ $part }。
inspect-table-file = FileNames 的行号。
inspect-table-function = FunctionNames 的行号。
inspect-table-position = 行和列，从 1 起。
inspect-table-location = FileLocations 的行号。
inspect-table-parent = 调用者的行号加一；1 表示最外层。

## Literals
inspect-literal-elided = 打印时省略了这些值，因此依赖它们的结果未知。要运行程序，请打印全部常量。
inspect-literal-index = 索引 { $index }。
inspect-literal-exact = { $type } 存储的值为 { $value }。
inspect-literal-rounded = { $type } 无法存储所写的数，最接近的值是 { $value }。

## Renaming
inspect-rename-nothing = 此处没有本程序的名字。
inspect-rename-invalid = “{ $name }”不是名字。名字以字母或“_”开头，后接字母、数字、“_”、“.”和“-”。
inspect-rename-taken = 名字 { $name } 在此处已被使用。
inspect-rename-reserved = { $name } 是保留字，只有加上“%”才能作名字。
inspect-format-errors = 只有没有错误的程序才能格式化：{ $error }
