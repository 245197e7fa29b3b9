# 简体中文

language-name = 简体中文

## 诊断
diagnostic-error = 错误
diagnostic-warning = 警告
diagnostic-note = 说明
diagnostic-hint = 建议：{ $hint }

## 形状与布局：违反的规则
shape-negative-size = 第 { $dimension } 维的大小是 { $size }，大小不能为负
shape-too-large = 数组的元素数或字节数超出 64 位整数的范围
layout-length = minor_to_major 有 { $entries } 项，但形状的秩是 { $rank }
layout-out-of-range = minor_to_major 中出现第 { $dimension } 维，但秩为 { $rank } 的形状没有这一维
layout-repeated = minor_to_major 中第 { $dimension } 维出现了两次；每一维只列一次
layout-padded-length = 边缘填充有 { $entries } 项，但形状的秩是 { $rank }
layout-padded-small = 第 { $dimension } 维的大小是 { $size }，不能填充到更小的 { $padded }
layout-padded-tiled = padded_dimensions（XLA 2017）不能与分块（当前 XLA）同时使用
layout-tail = 尾部填充对齐是 { $alignment }，至少应为 1
layout-sparse = 索引类型、指针类型和物理形状属于稀疏数组，而这是稠密数组
layout-tile-empty = 分块至少需要一个大小
layout-tile-size = 分块的大小是 { $size }，大小必须为正
layout-tile-combine-last = “*” 把一维并入下一个更次要的维，因此不能是分块的最后一项
layout-element-size = 元素大小是 { $bits } 位，不能为负
layout-split-dimension = 切分重复使用了物理维 { $dimension }，或超出了秩 { $rank }
layout-split-indices = 物理维 { $dimension } 的切分位置必须递增，并在 0 与其大小 { $size } 之间
layout-slots = 加上填充和分块后，数组的槽位数或位数超出 64 位整数的范围

## 限制与编辑
limit-tiles = 布局有 { $tiles } 个分块；最多支持 { $limit } 个
limit-tiles-fix = 只保留前 { $count } 个分块
limit-tile-sizes = 各分块共有 { $sizes } 个大小；最多支持 { $limit } 个
limit-tile-sizes-fix = 只保留前 { $count } 个大小
limit-dimensions = 数组有 { $rank } 维；最多支持 { $limit } 维
limit-dimensions-fix = 只保留前 { $count } 维
limit-leaves = 元组共有 { $leaves } 个叶子；最多支持 { $limit } 个
limit-depth = 元组嵌套了 { $depth } 层；最多支持 { $limit } 层
limit-rank = 数组的秩是 { $rank }；本页最多显示秩为 { $limit } 的数组
limit-cells = 数组在内存中占 { $cells } 个槽位；本页最多显示 { $limit } 个
limit-cells-hint = 请使用较小的大小
limit-cells-fix = 把第 { $dimension } 维的大小改为 { $size }
values-replaced = 输入的值不适合新的形状。撤销可恢复它们。
edit-no-array = 这个形状中没有可编辑的数组

## 内存：没有确定位置的情况
memory-unbounded = 第 { $dimension } 维没有上界，因此元素的地址未知
padding-cell-unset = 未设置：布局没有定义填充值
padding-cell-unknown = 未知：可以是任何值，包括 NaN

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
literal-value-expected = 此处应为一个值，例如 { $example }
literal-unclosed = “{ $open }”没有闭合
literal-extra-text = 字面量之后不能再有其他内容
literal-elided = 值被省略（“...”），因而未知；各元素读作零
literal-too-large = 数组占用 { $cells } 个内存槽位；最多支持 { $limit } 个
literal-no-memory = 内存不足，放不下 { $cells } 个槽位
literal-bytes = 数组占用 { $expected } 字节，但给出了 { $found } 字节
text-proto-field = Layout 没有字段 { $name }；它的字段有：{ $fields }
literal-hint-write = 写成 { $text }
literal-hint-remove = 去掉多余的部分
literal-hint-fill = 其余用 { $text } 填充
literal-hint-close = 将其闭合
literal-hint-full-dump = 粘贴编译之前的转储，其中有全部的值

## XLA 文本形式的形状：无法读取的内容
text-too-long = 文本有 { $bytes } 字节，最多读取 { $limit } 字节
text-too-deep = 元组嵌套超过 { $limit } 层
text-empty = 这里缺少一个形状
text-comment = 注释没有结束
text-wide = “{ $text }” 用了全角字符
text-unknown-type = “{ $word }” 不是元素类型
text-no-type = 大小前面缺少元素类型
text-number = “{ $text }” 不是普通整数
text-int64 = { $text } 超出 64 位整数的范围
text-missing = 缺少 “{ $token }”
text-bracket = 应为 “{ $token }”，实为 “{ $found }”
text-comma = 这个逗号旁边缺少一项
text-bound = “<=” 之后必须是一个数：大小的上界
text-unexpected = 意外的 “{ $text }”
text-trailing = 形状结束之后有意外的 “{ $text }”
text-no-dimensions = { $type }[] 没有维度
text-no-layout = { $type }[] 没有布局
text-buffer = 缓冲区 b(…) 恰好包含一个数组
text-empty-braces = 空的花括号不是布局；请去掉，或从次到主列出各维
text-property-case = 属性使用大写字母：{ $property }
text-property-repeated = 属性 { $property } 重复
text-property-order = 属性必须按此顺序书写：D T L # * E S SC P M
text-layout-form = 布局应写在一对花括号中：顺序、冒号、分块；不能写成 “{ $text }”
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

## 页面
skip = 跳到数组
examples = 示例
language = 语言
theme-to-dark = 深色主题
theme-to-light = 浅色主题
help = 帮助
share = 分享
close = 关闭
undo = 撤销
redo = 重做
quick-order = 顺序
quick-example = 示例
definition = 定义
no-array = 这个形状不含数组：token 和 opaque 没有可显示的元素。
tuple-elements = 元组中的数组
window-shown = 第 { $first }–{ $last } 个（从 0 起），共 { $total } 个
window-previous = 前 { $count } 个
window-next = 后 { $count } 个
window-find = 转到编号

## 形状栏与表单
spec-label = 形状与布局（XLA 的写法）
dimensions = 维度
dimension = 维
size = 大小
padded = 填充后
stride = 步长
size-of = 第 { $dimension } 维的大小
padded-of = 第 { $dimension } 维填充后的大小
remove-dimension = 删除第 { $dimension } 维
add-dimension = 增加一维
scalar-has-none = 标量没有维度。
minor-to-major = 次到主（minor_to_major）
changes-fastest = 变化最快
changes-slowest = 变化最慢
chip = 第 { $dimension } 维，从次到主第 { $position } 位，共 { $count } 位
move-minor = 把第 { $dimension } 维移向次要
move-major = 把第 { $dimension } 维移向主要
storage = 存储
element-type = 元素类型
padding-value = 填充值
pad-invalid = 未设置
pad-zero = 零
pad-one = 一
pad-lowest = 最小值
pad-highest = 最大值
pad-unknown = 未知
tiles = 分块
tiles-unreadable = 分块写作 (8,128)(2,1)
values = 值
values-hold = 填入
values-letters = 字母 a b c
values-iota = 数字 0 1 2
values-random = 随机
values-typed = 自定义
values-unknown = 无法读取这些值，因此单元格显示“?”。
problems-more = 另有 { $count } 个错误
seed = 种子

## 网格、单元格与内存
array = 数组
caption-scalar = 标量只有一个元素，没有维度。
caption-empty = 有一维的大小是 0：没有元素，也不占内存。
caption-vector = 元素在内存中依次排列。
caption-rows = 内存按行存放：槽位递增时 { $minor } 变化最快。
caption-columns = 内存按列存放：槽位递增时 { $minor } 变化最快。
caption-order = 槽位递增时 { $minor } 变化最快，{ $major } 变化最慢。
caption-tiled = 内存依次存放各个 { $tile } 分块。
caption-tiles = 内存依次存放各个 { $tile } 分块，每个分块内部又划分为 { $inner } 分块。
caption-padding = { $slots } 个槽位中有 { $padding } 个是填充（画斜线）：其中没有元素。
run-an-op = 对它执行运算
document-shapes = 形状与布局
document-of-screen = XLA 关于本页内容的文档
rule-title = 规则
array-padded = 数组，填充到 { $sizes }
coloured-by = 单元格着色
by-slot = 按槽位
by-value = 按值
rows = 行
columns = 列
compare = 比较
grid-label = 数组 { $shape }。方向键移动，回车键固定。
empty-array = 数组没有元素。
empty-memory = 数组不占内存。
zoom-in = 放大
zoom-out = 缩小
zoom-fit = 适应
visible-columns = 第 { $first }–{ $last } 列，共 { $count } 列
visible-rows = 第 { $first }–{ $last } 行，共 { $count } 行
visible-facets = d{ $dimension } { $first }–{ $last }，共 { $count } 个
minimap = 数组总览；点击跳转
where-it-lives = 索引 → 槽位
and-back = 槽位 → 索引
no-index = 分块填充：没有索引对应这个单元格。
nothing-to-divide = 标量只有一个槽位，无需计算。
cell = 单元格
index = 索引
value = 值
value-unset = 未设置
bits = 位
bits-sign = 符号
bits-exponent = 指数
bits-mantissa = 尾数
bits-integer = 整数
bits-truth = 布尔值
bits-real = 实部
bits-imaginary = 虚部
kind-element = 元素
kind-padding = 填充
kind-tile-padding = 分块填充
letter-for = { $letter }（= { $value }）
address-label = 地址
address = { $hex } · 第 { $byte } 字节，第 { $line } 缓存行
address-bytes = { $hex } · 第 { $byte }–{ $last } 字节，第 { $line } 缓存行
address-bit = { $hex } · 第 { $byte } 字节第 { $bit } 位，第 { $line } 缓存行
word-slot = 槽位
word-index = 索引
word-stride = 步长
word-tile = 分块
word-physical = 主到次
word-within = 块内
memory = 内存
memory-second = 第二种布局的内存
slots-show = 槽位显示
bytes = 字节
cache-line = 缓存行
line-of = { $bytes } B
overview = 内存总览；点击跳转
phrase-element = 索引 { $index }，值 { $value }，槽位 { $slot }
phrase-scalar = 值 { $value }，槽位 0
phrase-padding = 索引 { $index }，填充，值 { $value }，槽位 { $slot }
phrase-padding-unset = 索引 { $index }，填充，槽位 { $slot }
phrase-tile-padding = 分块填充，槽位 { $slot }

## 播放器
player = 内存播放器
previous-slot = 上一个槽位
next-slot = 下一个槽位
play = 播放
pause = 暂停
memory-slot = 内存槽位
slot-of = 槽位 { $slot } / { $last }
speed = 速度
speed-option = 每秒 { $steps } 步
go-to = 前往…
go = 前往
goto-label = 槽位、用逗号分隔的索引（-1 表示最后一个），或字节地址
goto-unreadable = 槽位写作 6，索引写作 0,2，字节地址写作 0x18
goto-outside = 槽位 { $slot } 超出内存，最后一个槽位是 { $last }
goto-no-index = 索引 { $index } 超出大小 { $sizes }
goto-rank = 索引有 { $given } 个数，但数组的秩是 { $rank }

## 数据与代价
fact-elements = { $count ->
   *[other] 个元素
}
fact-slots = { $count ->
   *[other] 个槽位
}
fact-bytes = { $count ->
   *[other] 字节
}
fact-padding = 填充
rank = 秩
true-rank = 真秩 { $rank }
true-rank-differs = XLA 的代码计入所有不等于 1 的大小，包括 0：{ $rank }
order-row-major = 行主序（d0 是最主序）
order-column-major = 列主序（d0 是最次序）
order-dim0-major = d0 是最主序（类似行主序）
order-dim0-minor = d0 是最次序（类似列主序）
cost = 访问的缓存行
walk-along = 沿
walk-lines = { $steps } 个元素经过 { $lines } { $count ->
   *[other] 行
}
wasted = 浪费
walk-not-counted = 未统计：跨分块的 { $steps } 个元素
wasted-of = { $bytes } 字节中的 { $waste }

## 比较
second-layout = 第二种布局
compare-end = 停止比较
counting-moves = 正在统计移动的元素…
not-counted = 无法统计移动的元素数。{ $cause }
nothing-moves = 位转换（bitcast）：没有元素移动。
moves = { $count ->
   *[other] { $elements } 个元素中有 { $shown } 个换了槽位（{ $bytes } 字节）。
}
slot-goes = 第一种布局的槽位 { $from } 与第二种布局的槽位 { $to } 存放同一个元素。
layout-unreadable = 请把布局写作 {"{"}0,1{"}"}，带分块时写作 {"{"}0,1:T(2,2){"}"}

## 工作线程与内核模块：为何没有完成工作，以及怎么办
part-worker = 后台工作线程
part-kernels = 内核模块
part-translation = 译文
part-extras = 页面的这一部分
cause-offline = { $part }无法加载：浏览器处于离线状态。请联网后重试。
cause-unreachable = { $part }无法加载：连接不到服务器。请检查网络后重试。
cause-status = { $part }无法加载：服务器返回状态码 { $status }。请重试；如果网站刚刚更新过，请重新加载页面。
cause-damaged = { $part }无法加载：文件已损坏或不完整。请重试，或重新加载页面。
cause-timed-out = { $part }未能加载：{ $seconds } 秒内没有收到任何数据。请检查网络后重试。
cause-out-of-memory = { $part }内存不足。请使用更小的数组，或关闭其他标签页后重试。
cause-out-of-memory-of = { $part }内存不足：申请了 { $size }。请使用更小的数组，或关闭其他标签页后重试。
cause-trapped-worker = { $part }已崩溃。这是应用的错误，您输入的内容没有丢失。请重试。错误信息：{ $detail }
cause-trapped-code = { $part }无法使用。这是应用的错误。请重试。错误信息：{ $detail }
cause-trapped-kernels = { $part }在执行 { $detail } 时崩溃。这是应用的错误。请重试。
cause-other-release = { $part }与本页面不是同一版本。请重新加载页面；链接会保留您的工作。
cause-no-simd = 此浏览器不支持 WebAssembly SIMD，因此使用了标量内核：结果相同，但更慢。
cause-no-relaxed-simd = 此浏览器不支持 relaxed SIMD，因此用严格内核代替了快速内核。
cause-not-allowed = { $part }无法启动：此框架不允许工作线程。请在单独的标签页中打开本页面。
cause-ended = { $part }已停止，浏览器没有说明原因。请重试；如果再次发生，请使用更小的数组。
retry = 重试
reload = 重新加载页面

## 链接与导出
link-problems = 这个链接有一部分无法读取，其余部分已显示。
link-too-long = 链接有 { $characters } 个字符，最多读取 { $limit } 个。
link-dense = 链接解压后超过 { $limit } 字节，即此长度所允许的上限；其余部分已忽略。
link-more = 另有 { $count } 处无法读取。
link-no-version = 这个链接没有版本；本页的链接以 { $version }/ 开头。
link-unknown-version = 这个链接的版本是 { $version }，本页无法识别；它可能来自更新的版本。
link-damaged = 链接的压缩部分已损坏。
link-not-unpacked = 链接是压缩的，而用于解压的那部分页面未能加载。请重新加载页面。
link-shape = 形状：{ $problem }。
link-field = 无法识别“{ $name }={ $value }”。
link-label = 当前状态的链接
link-length = { $characters } 个字符。
link-restores = 链接包含除语言和主题外的全部设置与选择；不会上传任何内容。
link-long = 有些程序会截断这么长的链接；请改为保存文件。
save-file = 保存为文件
copy = 复制
copied = 已复制。
copy-by-hand = 浏览器禁止了复制；请选中文字后手动复制。
export = 导出图片
copy-text = 复制内存文本
copy-proto = 复制布局的 proto 文本
strip-text = 内存文本
picture-of = 以网格显示的数组，以及以槽位显示的内存。带斜线的单元格是填充。

## 帮助
lecture = 阅读带有实时图示的讲义
help-reading = 如何看图
help-layout = minor_to_major（次到主）从内存中变化最快的维列到变化最慢的维。
help-padding = 带斜线的单元格是填充：它们占用内存，但不存放元素。填充总在一维的高端。
help-padding-text = 2017 版布局的填充写在形状之后：f32[2,3]{"{"}0,1{"}"} padded[3,5]=zero。填充值有 zero、one、lowest、highest、unknown 和 invalid。
help-tiles = 分块把数组切成连续的小块：冒号后写 T(8,128)。更多的分块切分第一个分块的内部；* 合并维度。分块也会产生填充。
help-limit = 最多可以显示 67,108,864 个槽位、秩为 12 的数组。
help-private = 一切都在本页中运行，您输入的内容不会离开浏览器。
keys = 按键
key-arrows = 在网格和内存中移动
key-slots = 上一个和下一个内存槽位
key-play = 播放或暂停
key-goto = 前往槽位、索引或地址
key-pin = 固定单元格，或清除所有固定
key-chip = 在维度标签上移动该维
key-zoom = 缩放网格
key-panels = 前往分块、填充、公式
key-undo = 撤销和重做
key-share = 分享和导出
key-help = 显示本帮助
preferences = 偏好
letter-keys = 单字母快捷键
value-map = 值的颜色
map-viridis = Viridis
map-cividis = Cividis

## 示例
group-documents = 来自 XLA 文档
group-practice = 实际应用
group-corners = 边界情况
preset-row-major = 行主序
preset-column-major = 列主序
preset-padded = 填充，列主序
preset-padded-row = 填充，行主序
preset-padded-equal = 等价的无填充数组
preset-tile = 2 × 2 分块
preset-nested-tile = 嵌套分块
preset-combine = 用 * 合并维度
preset-nhwc = 图像，NHWC
preset-nchw = 图像，NCHW
preset-nchw-as-nhwc = NCHW 与 NHWC 对比
preset-tpu = TPU 上的分块矩阵
preset-packed = 每个元素四位
preset-lowest = 以最小值填充
preset-transposed = 行主序与列主序对比
preset-tuple = 元组
preset-rank-5 = 五维
preset-scalar = 标量
preset-empty = 空数组
preset-million = 一百万个元素
preset-sixteen-million = 一千六百万个元素，分块

## 各界面
screens = 界面
screen-layout = 布局
door-layout = 每个元素在内存中的位置
screen-ops = 运算
door-ops = 每个单元格的来源
screen-program = 程序
door-program = 每个值是什么
screen-speed = 速度
door-speed = 在本机上的运行速度

## 嵌入
open-full = 在完整应用中打开
embed-label = 嵌入：放进您网页的一行 HTML
copy-embed = 复制这行 HTML
page-export = 导出为单个页面
page-export-about = 一个自包含的 HTML 文件，无需本站即可从磁盘打开。
page-export-working = 正在记录 …
page-export-saved = 已保存。
page-export-nothing = 没有可导出的内容：该形状没有可显示的数组。
