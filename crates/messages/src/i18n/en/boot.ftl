# The page before the app is there and after it has failed, said by static/trouble.js and static/boot.js. The build writes these
# sentences into the page, so they are plain: one line each, arguments only as { $name }.

boot-loading = Loading the { $screen } screen…
boot-starting = Starting the { $screen } screen…
boot-what-app = Shapes, layouts and the drawing of arrays
boot-what-ops = All operations, the HLO parser and the evaluator
boot-what-program = The text, structure and values of whole programs
boot-what-speed = Measurements and their charts

failed-title = This page could not be loaded here
failed-network = A file did not arrive. Check the connection, then reload.
failed-missing = A file of this release is no longer on the server; a newer release may have replaced it. Reload to get the newer one.
failed-damaged = A file arrived incomplete. Reload to download it again.
failed-browser = This browser cannot run WebAssembly, or it is turned off. Turn it on, or use a current browser.
failed-memory = The browser has no memory left for this page. Close other tabs, then reload.
failed-frame = The page is in a frame that keeps it from loading its files. Open it in its own tab.
failed-disk = The page was opened from disk, where browsers do not load modules. Open it through a web server.
failed-start = All files arrived, but the page did not start. Reload, or start empty.

broke-title = Something went wrong
broke-panic = The page stopped because of an internal error. What you typed is kept below.
broke-memory = The page stopped, probably out of memory. What you typed is kept below.
broke-stack = The page stopped, probably because the input is nested too deeply. What you typed is kept below.

ask-title = This link made the page fail last time
ask-broke = The page failed while it had this link open. What was typed is kept below.
ask-opening = The page stopped responding while it opened this link. The content of the link is below.
ask-open = Open anyway

boot-reload = Reload
boot-empty = Start empty
boot-tab = Open in a tab
boot-typed = What you typed
boot-copy = Copy
boot-copy-link = Copy link
boot-copied = Copied.
boot-copy-by-hand = The browser blocked copying. The text is selected: copy it by keyboard.
boot-details = Details
boot-release = Release { $release }
boot-link = Link
boot-hlo = HLO text
