// What the page says when it cannot go on: the app trapped, a file did not load, a link made the page fail before. Inline and before
// everything else, so that nothing that fails takes it along. It shares with boot.js, and with the app, the global `xlaPlayground`.
globalThis.xlaPlayground = (() => {
  const slot = document.getElementById("release").textContent;
  const { release = "", files = {}, sentences = {} } = slot.trim() ? JSON.parse(slot) : {};
  const root = document.documentElement;
  const isEmbed = location.hash.startsWith("#embed/");
  const isFramed = window.parent !== window;

  // The visitor's theme and language, as the app takes them; an embed reads no storage.
  const saved = (key) => {
    try {
      return isEmbed ? null : localStorage.getItem(`xla-playground.${key}`);
    } catch {
      return null;
    }
  };
  // Releases of before kept all preferences in one entry.
  try {
    const old = JSON.parse(saved("preferences"));
    for (const key of ["language", "theme", "map", "letter_keys", "kernels"]) {
      const value = old?.[key];
      const kept = typeof value === "boolean" ? (value ? "on" : "off") : key === "language" ? value : value?.toLowerCase?.();
      if (typeof kept === "string") localStorage.setItem(`xla-playground.${key.replace("_", "-")}`, kept);
    }
    if (old) localStorage.removeItem("xla-playground.preferences");
  } catch { /* Nothing that could be taken over. */ }
  const primary = (tag) => tag.split(/[-_]/)[0].toLowerCase();
  const catalogue = (wanted) => {
    const tags = typeof wanted === "string" ? Object.keys(sentences) : [];
    return tags.find((tag) => tag.toLowerCase() === wanted.toLowerCase()) ?? tags.find((tag) => primary(tag) === primary(wanted));
  };
  root.lang = [saved("language"), ...(navigator.languages ?? [])].map(catalogue).find(Boolean) ?? "en";
  const theme = saved("theme");
  const isDark = theme === "dark" || (theme !== "light" && Boolean(window.matchMedia?.("(prefers-color-scheme: dark)").matches));
  root.dataset.theme = isDark ? "dark" : "light";
  root.toggleAttribute("data-embed", isEmbed);
  const say = (key, values = {}) => {
    const text = sentences[root.lang]?.[key] ?? sentences.en?.[key] ?? key;
    return text.replace(/\{ \$(\w+) \}/g, (_, name) => values[name] ?? "");
  };

  const link = () => location.hash.replace(/^#embed\//, "#");
  const screen = () => ["ops", "program", "speed"].find((name) => link().startsWith(`#${name}`)) ?? "app";
  const empty = () => `${isEmbed ? "#embed/" : "#"}${screen() === "app" ? "" : `${screen()}/`}`;

  // What happened to a link outlives a reload: in the tab's storage, or else, as in an embed, in the entry of its history. Some browsers
  // empty that entry where the page has no origin, as in a sandboxed frame: there it is in the frame's name, unless the page around named
  // it. The next page in the frame can read its name, so what was typed stays out of it.
  const KEY = "xla-playground.opening";
  const attempt = (access) => {
    try {
      return access();
    } catch {
      return undefined;
    }
  };
  const named = () => attempt(() => JSON.parse(window.name)?.[KEY]);
  const remember = (mark) => {
    const kept = mark?.text ? [mark, { ...mark, text: "" }] : [mark];
    const store = (mark) => {
      if (isEmbed) return false;
      if (mark) sessionStorage.setItem(KEY, JSON.stringify(mark));
      else sessionStorage.removeItem(KEY);
      return true;
    };
    const enter = (mark) => {
      if (mark || history.state?.[KEY]) history.replaceState(mark ? { [KEY]: mark } : null, "");
      return true;
    };
    // There is no storage, or it is full, or the mark is too large for it.
    if (kept.some((mark) => attempt(() => store(mark)))) return;
    if (self.origin === "null" && (!window.name || named())) {
      window.name = mark ? JSON.stringify({ [KEY]: { ...mark, text: "" } }) : "";
    }
    kept.some((mark) => attempt(() => enter(mark)));
  };
  const recall = () => {
    const stored = () => attempt(() => (isEmbed ? null : JSON.parse(sessionStorage.getItem(KEY))));
    const mark = history.state?.[KEY] ?? stored() ?? named();
    const isOurs = mark?.link === location.hash && !/^#?(embed\/)?((ops|program|speed)\/?)?$/.test(location.hash);
    return isOurs && ["opening", "broke"].includes(mark.state) ? mark : undefined;
  };
  // A page that goes away in order answers; one that hangs in its link says nothing any more, and the mark stays.
  let isOpening = false;
  const opening = (is) => {
    if (is) remember({ link: location.hash, state: "opening" });
    else if (isOpening && !isBroke) remember(null);
    isOpening = is;
  };
  addEventListener("pagehide", () => opening(false));

  // The HLO text in a link of the Ops screen. A link is anybody's text: what it unpacks to is bounded.
  const LONGEST = 1 << 20;
  const hlo = async (fragment) => {
    const [, isPacked, rest] = /^#?(?:embed\/)?ops1(z?)\/([^@].*)$/s.exec(fragment) ?? [];
    if (!rest) return "";
    try {
      let plain = "";
      if (isPacked) {
        const bytes = Uint8Array.from(atob(rest.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
        const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
        const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
        for (let part; plain.length < LONGEST && !(part = await reader.read()).done;) plain += part.value;
        reader.cancel().catch(() => {});
      } else plain = decodeURIComponent(rest.replace(/\+/g, " "));
      return plain.split(";")[0].replace(/%3B/g, ";").replace(/%25/g, "%");
    } catch {
      return "";
    }
  };
  const fields = () => [...document.querySelectorAll("textarea, input[type=text], input:not([type])")]
    .filter((field) => !field.readOnly && field.value.trim())
    .map((field) => ({ name: field.ariaLabel ?? field.labels?.[0]?.textContent.trim() ?? field.id, id: field.id, value: field.value }));
  const written = async (address, fields) => {
    const parts = [[say("boot-link"), address], ...fields.map(({ name, value }) => [name, value])];
    const text = fields.some(({ id }) => id === "hlo") ? "" : await hlo(new URL(address).hash);
    if (text) parts.splice(1, 0, [say("boot-hlo"), text]);
    return parts.map(([name, value]) => `${name}:\n${value}`).join("\n\n");
  };

  const element = (name, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };
  const copy = async (field, status) => {
    try {
      await navigator.clipboard.writeText(field.value);
      status.textContent = say("boot-copied");
    } catch {
      field.focus();
      field.select();
      // Frames without leave for the one way may have it for the other.
      status.textContent = say(document.execCommand("copy") ? "boot-copied" : "boot-copy-by-hand");
    }
  };
  // A title, what happened, the text to keep, what can be done, and the details.
  const contentOf = ({ id, title, what, text, details, actions }) => {
    const status = element("p", { className: "good", role: "status" });
    const kept = () => {
      const field = element("textarea", { className: "text", id: `${id}-typed`, readOnly: true, rows: 6, value: text, spellcheck: false });
      const button = element("button", { className: "btn small", id: `${id}-copy`, type: "button", onclick: () => copy(field, status) },
        say("boot-copy"));
      const label = element("label", { className: "caption", htmlFor: field.id }, say("boot-typed"));
      return [element("div", { className: "row trouble-head" }, label, button), field, status];
    };
    return [
      element(id === "broke" ? "h2" : "h1", { id: `${id}-title` }, say(title)),
      element("p", { id: `${id}-what` }, say(what)),
      ...(text ? kept() : []),
      element("div", { className: "row wrap trouble-actions" }, ...actions),
      element("details", {}, element("summary", {}, say("boot-details")),
        element("pre", { tabIndex: 0 }, [details, say("boot-release", { release })].filter(Boolean).join("\n"))),
    ];
  };
  const button = (id, key, onclick, isPrimary) =>
    element("button", { className: `btn${isPrimary ? " primary" : ""}`, id, type: "button", onclick }, say(key));
  const startEmpty = () => {
    remember(null);
    try {
      history.replaceState(null, "", empty());
    } catch {
      location.hash = empty();
    }
    location.reload();
  };
  const inPage = (panel) => {
    const brand = element("p", { className: "brand" }, "XLA Playground");
    const main = element("main", { className: "trouble", id: panel.id }, brand, ...contentOf(panel));
    main.setAttribute("aria-labelledby", `${panel.id}-title`);
    document.getElementById("app").replaceChildren(main);
    document.title = `${say(panel.title)} · XLA Playground`;
    // In a frame it would take the focus from the page around it.
    if (!isFramed) main.querySelector(".btn.primary").focus();
  };

  // A link that made the page fail is opened when the visitor says so. Answers whether it is to be opened.
  const ask = async (mark) => {
    const text = mark.text || await written(location.href, []);
    return new Promise((open) => {
      const anyway = () => {
        remember(null);
        open(true);
      };
      const copyLink = button("ask-copy-link", "boot-copy-link", () => {
        const field = document.getElementById("ask-typed");
        const all = field.value;
        field.value = location.href;
        copy(field, document.querySelector("#ask [role=status]")).finally(() => { field.value = all; });
      });
      inPage({
        id: "ask", title: "ask-title", what: `ask-${mark.state}`, text, details: mark.message ?? "",
        actions: [button("ask-empty", "boot-empty", startEmpty, true), button("ask-open", "ask-open", anyway), copyLink],
      });
    });
  };

  // Removes the offline copy, for a page that does not start: it then comes from the host in every part.
  const removeOffline = async () => {
    const base = new URL("./", document.baseURI);
    const registration = await navigator.serviceWorker.getRegistration(base);
    if (registration?.scope === base.href) await registration.unregister();
    for (const name of await caches.keys()) if (name.startsWith(`xla-playground ${base.pathname} `)) await caches.delete(name);
  };
  const LONGEST_REMOVAL_MS = 3000;
  const reloadFromHost = async () => {
    const removed = async () => {
      // Without a network the copy is all there is.
      const answer = await fetch(location.href, { method: "HEAD", cache: "no-store" });
      if (answer.ok) await removeOffline();
    };
    await Promise.race([removed().catch(() => {}), new Promise((done) => setTimeout(done, LONGEST_REMOVAL_MS))]);
    location.reload();
  };

  // The page did not start: why, by the name of a sentence.
  const fail = (cause, details) => {
    const tab = element("a", { className: "btn primary", href: `./${link()}`, target: "_blank", rel: "noopener" }, say("boot-tab"));
    const reload = button("failed-reload", "boot-reload", reloadFromHost, !isFramed);
    inPage({
      id: "failed", title: "failed-title", what: `failed-${cause}`, text: "", details,
      actions: isFramed ? [tab, reload] : cause === "start" ? [reload, button("failed-empty", "boot-empty", startEmpty)] : [reload],
    });
  };

  // After a trap the app's memory is in no state to go on with: nothing reaches it any more, and a dialog covers it.
  let isBroke = false;
  let dialog;
  const EVENTS = ["keydown", "keyup", "keypress", "beforeinput", "input", "change", "submit", "click", "dblclick", "contextmenu", "wheel", "scroll",
    "pointerdown", "pointerup", "pointermove", "pointerover", "pointerout", "pointercancel", "mousedown", "mouseup", "mousemove", "mouseover",
    "mouseout", "touchstart", "touchmove", "touchend", "focus", "blur", "focusin", "focusout", "paste", "copy", "cut", "dragstart", "dragover",
    "drop", "resize", "hashchange", "popstate", "storage", "visibilitychange"];
  for (const type of EVENTS) {
    addEventListener(type, (event) => {
      if (isBroke && !(event.target instanceof Node && dialog?.contains(event.target))) event.stopImmediatePropagation();
    }, true);
  }
  const broke = (message, cause = "panic") => {
    if (isBroke) return;
    isBroke = true;
    const mark = { link: location.hash, state: "broke", message: String(message).slice(0, 2000) };
    const [address, typed] = [location.href, fields()];
    remember(mark);
    // Once the app has returned to the browser, for the last time.
    setTimeout(async () => {
      const [timer, frame] = [setTimeout(() => {}), requestAnimationFrame(() => {})];
      for (let k = 0; k < 10000; k++) {
        clearTimeout(timer - k);
        cancelAnimationFrame(frame - k);
      }
      const text = await written(address, typed);
      remember({ ...mark, text });
      const reload = button("broke-reload", "boot-reload", () => location.reload(), true);
      dialog = element("dialog", { id: "broke", className: "trouble" }, ...contentOf({
        id: "broke", title: "broke-title", what: `broke-${cause}`, text, details: mark.message,
        actions: [reload, button("broke-empty", "boot-empty", startEmpty)],
      }));
      dialog.setAttribute("role", "alertdialog");
      dialog.setAttribute("aria-labelledby", "broke-title");
      dialog.setAttribute("aria-describedby", "broke-what");
      dialog.addEventListener("cancel", (event) => event.preventDefault());
      dialog.addEventListener("close", () => dialog.showModal());
      for (const type of EVENTS) dialog.addEventListener(type, (event) => event.stopPropagation());
      document.body.append(dialog);
      dialog.showModal();
      reload.focus();
    });
  };
  const STACK = /call stack|recursion/i;
  // The app's own stack grows towards address 0.
  const BOUNDS = /out of bounds/i;
  const trapped = (error, isUncaught) => {
    const isTrap = error instanceof WebAssembly.RuntimeError;
    const isStack = STACK.test(error?.message ?? "");
    // An error that passed through the app on its way here left it in the middle of something.
    const isThrough = (isUncaught || isStack) && /wasm-function|\.wasm/.test(error?.stack ?? "");
    if (!isTrap && !isThrough) return isBroke;
    // Panics have been reported by now: `unreachable` without one is memory that could not be had.
    const cause = isStack || (isTrap && BOUNDS.test(error.message)) ? "stack" : isTrap && /unreachable/.test(error.message) ? "memory" : "panic";
    broke(error.stack?.includes(error.message) ? error.stack : `${error}\n${error.stack ?? ""}`, cause);
    return true;
  };
  if (typeof WebAssembly === "object") {
    addEventListener("error", (event) => trapped(event.error, true));
    addEventListener("unhandledrejection", (event) => trapped(event.reason, false));
  }

  return { release, files, isEmbed, isFramed, removeOffline, broke, say, link, screen, opening, recall, ask, fail, trapped, hasBroken: () => isBroke };
})();
