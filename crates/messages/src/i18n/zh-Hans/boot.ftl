# 应用出现之前和失败之后页面上的句子，由 static/trouble.js 和 static/boot.js 显示。构建时写入页面，因此每句只占一行，参数只写作 { $name }。

boot-loading = 正在加载“{ $screen }”界面…
boot-starting = 正在启动“{ $screen }”界面…
boot-what-app = 形状、布局与数组绘制
boot-what-ops = 全部运算、HLO 解析器与求值器
boot-what-program = 整个程序的文本、结构和值
boot-what-speed = 测量与图表

failed-title = 无法在此处加载本页面
failed-network = 有文件未能下载。请检查网络连接，然后重新加载。
failed-missing = 服务器上已没有此版本的某个文件，可能已发布新版本。请重新加载以获取新版本。
failed-damaged = 有文件下载不完整。请重新加载以再次下载。
failed-browser = 此浏览器无法运行 WebAssembly，或该功能已关闭。请启用它，或换用较新的浏览器。
failed-memory = 浏览器没有足够的内存打开本页面。请关闭其他标签页，然后重新加载。
failed-frame = 本页面所在的框架不允许它加载自己的文件。请在单独的标签页中打开。
failed-disk = 本页面是从磁盘直接打开的，浏览器在这种情况下不加载模块。请通过 Web 服务器打开。
failed-start = 文件均已下载，但页面未能启动。请重新加载，或从空白开始。

broke-title = 页面出错了
broke-panic = 页面发生内部错误，已停止运行。您输入的内容保留在下方。
broke-memory = 页面已停止运行，很可能是内存耗尽。您输入的内容保留在下方。
broke-stack = 页面已停止运行，很可能是输入嵌套过深。您输入的内容保留在下方。

ask-title = 上次打开此链接时页面出错
ask-broke = 此链接打开期间页面出错。当时输入的内容保留在下方。
ask-opening = 打开此链接时页面停止了响应。链接的内容列在下方。
ask-open = 仍要打开

boot-reload = 重新加载
boot-empty = 从空白开始
boot-tab = 在标签页中打开
boot-typed = 您输入的内容
boot-copy = 复制
boot-copy-link = 复制链接
boot-copied = 已复制。
boot-copy-by-hand = 浏览器禁止了复制。文字已选中，请用键盘复制。
boot-details = 详细信息
boot-release = 版本 { $release }
boot-link = 链接
boot-hlo = HLO 文本
