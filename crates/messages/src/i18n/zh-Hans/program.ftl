program-argument = 参数 { $number }：{ $problem }
program-argument-unreadable = 文本不是该形状的值
program-argument-memory = 该值超出可用内存
program-no-entry = 程序没有入口计算
program-not-executed = 本次运行没有执行该指令。
program-sources-not-kept = 只有保留了值的程序，其入口计算才能追溯来源。
