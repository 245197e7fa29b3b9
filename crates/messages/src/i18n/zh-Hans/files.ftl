# 实参与结果的文件。

file-unreadable = 无法读取 { $file }：{ $error }
array-memory = { $file } 超过所有值合计允许占用的 { $limit } MiB
array-parameter = { $file } 的形状是 { $shape }，大于对应的参数 { $parameter }
array-more = { $file } 在 { $shape } 的元素之后还有内容
array-value = { $file } 的元素中第 { $number } 个字节是 { $byte }，不是 { $type } 的值
array-json = { $file } 不是 UTF-8 文本
array-length = { $file } 有 { $found } 字节的元素，而 { $shape } 需要 { $expected } 字节
npy-header = { $file } 不是 NumPy 保存的数组：无法读取文件头
npy-type = { $file } 的元素是 NumPy 的 { $type } 类型，XLA 没有与之对应的元素类型
npz-archive = { $file } 不是 NumPy 保存的归档文件
npz-empty = { $file } 中没有数组
npz-count = { $file } 中有 { $found } 个数组，但只有 { $left } 个参数还没有实参
npz-member = { $file } 已损坏：内容与归档目录的记录不符
npz-method = { $file } 已加密，或使用了 deflate 以外的压缩方法
raw-parameter = { $file } 本身不含形状，也没有与之对应的数组参数
array-impossible = { $name }：{ $error }
file-format = { $file } 不是数组文件：请使用 .npy、.npz、.json 或 .raw
npz-no-member = { $file } 不存在：归档文件中是其他数组
array-other-type = { $file } 是 { $shape }，而参数是 { $parameter }；请转换类型（例如用 NumPy 的 astype）后重新保存
array-other-shape = { $file } 是 { $shape }，而参数是 { $parameter }
export-host = 程序需要主机（infeed、outfeed 或自定义调用的函数），脚本无法向 XLA 提供：请截取其余部分
export-partitions = 程序已经过分区（{ $partitions } 个分区），而 XLA 会自行分区：请导出该编译遍之前的程序，或用 eval --devices 运行
export-nothing = 程序不计算任何数组
export-large = 参数或值过大，无法放入归档文件
