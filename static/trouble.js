// Error screens: the app trapped, a file failed to load, or a link crashed the page on an earlier visit. Inlined before everything
// else, so that no other failure can disable it. It shares with boot.js, and with the app, the global `xlaPlayground`.
globalThis.xlaPlayground = (() => {
  const slot = document.getElementById("release").textContent;
  const { release = "", files = {}, sentences = {} } = slot.trim() ? JSON.parse(slot) : {};
  const root = document.documentElement;
  const isEmbed = location.hash.startsWith("#embed/");
  const isFramed = window.parent !== window;

  // The visitor's theme and language, chosen as in the app; an embed reads no storage.
  const saved = (key) => {
    try {
      return isEmbed ? null : localStorage.getItem(`xla-playground.${key}`);
    } catch {
      return null;
    }
  };
  // Earlier releases stored all preferences in one entry.
  try {
    const old = JSON.parse(saved("preferences"));
    for (const key of ["language", "theme", "map", "letter_keys", "kernels"]) {
      const value = old?.[key];
      const kept = typeof value === "boolean" ? (value ? "on" : "off") : key === "language" ? value : value?.toLowerCase?.();
      if (typeof kept === "string") localStorage.setItem(`xla-playground.${key.replace("_", "-")}`, kept);
    }
    if (old) localStorage.removeItem("xla-playground.preferences");
  } catch { /* Nothing to migrate. */ }
  const primary = (tag) => tag.split(/[-_]/)[0].toLowerCase();
  const matchingLanguage = (wanted) => {
    const tags = typeof wanted === "string" ? Object.keys(sentences) : [];
    return tags.find((tag) => tag.toLowerCase() === wanted.toLowerCase()) ?? tags.find((tag) => primary(tag) === primary(wanted));
  };
  root.lang = [saved("language"), ...(navigator.languages ?? [])].map(matchingLanguage).find(Boolean) ?? "en";
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

  // The outcome of opening a link survives a reload in sessionStorage or, in an embed, in `history.state`. Some browsers clear that for an
  // opaque origin (sandboxed frame); `window.name` is used there, unless the embedding page set it. The next page in the frame can read
  // the name, so it does not contain typed text.
  const KEY = "xla-playground.opening";
  const attempt = (access) => {
    try {
      return access();
    } catch {
      return undefined;
    }
  };
  const recordInFrameName = () => attempt(() => JSON.parse(window.name)?.[KEY]);
  const remember = (openingRecord) => {
    // The second candidate is without the text, which may be too large for storage.
    const candidates = openingRecord?.text ? [openingRecord, { ...openingRecord, text: "" }] : [openingRecord];
    const saveToStorage = (candidate) => {
      if (isEmbed) return false;
      if (candidate) sessionStorage.setItem(KEY, JSON.stringify(candidate));
      else sessionStorage.removeItem(KEY);
      return true;
    };
    const saveToHistory = (candidate) => {
      if (candidate || history.state?.[KEY]) history.replaceState(candidate ? { [KEY]: candidate } : null, "");
      return true;
    };
    if (candidates.some((candidate) => attempt(() => saveToStorage(candidate)))) return;
    if (self.origin === "null" && (!window.name || recordInFrameName())) {
      window.name = openingRecord ? JSON.stringify({ [KEY]: { ...openingRecord, text: "" } }) : "";
    }
    candidates.some((candidate) => attempt(() => saveToHistory(candidate)));
  };
  const recall = () => {
    const recordInStorage = () => attempt(() => (isEmbed ? null : JSON.parse(sessionStorage.getItem(KEY))));
    const openingRecord = history.state?.[KEY] ?? recordInStorage() ?? recordInFrameName();
    const isOurs = openingRecord?.link === location.hash && !/^#?(embed\/)?((ops|program|speed)\/?)?$/.test(location.hash);
    return isOurs && ["opening", "broke"].includes(openingRecord.state) ? openingRecord : undefined;
  };
  // A page that unloads normally removes the record; one that hangs on its link does not, so the record remains.
  let isOpening = false;
  const setOpening = (willOpen) => {
    if (willOpen) remember({ link: location.hash, state: "opening" });
    else if (isOpening && !hasCrashed) remember(null);
    isOpening = willOpen;
  };
  addEventListener("pagehide", () => setOpening(false));

  // The HLO text in a link of the Ops screen. Links are untrusted input, so the decompressed size is bounded.
  const MAX_HLO_CHARS = 1 << 20;
  const hlo = async (fragment) => {
    const [, isPacked, rest] = /^#?(?:embed\/)?ops1(z?)\/([^@].*)$/s.exec(fragment) ?? [];
    if (!rest) return "";
    try {
      let plain = "";
      if (isPacked) {
        const bytes = Uint8Array.from(atob(rest.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
        const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
        const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
        for (let part; plain.length < MAX_HLO_CHARS && !(part = await reader.read()).done;) plain += part.value;
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
  // The text that the visitor can copy: the link, and what was typed.
  const unsavedText = async (address, fields) => {
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
      // A frame without permission for the Clipboard API may still be allowed `execCommand`.
      status.textContent = say(document.execCommand("copy") ? "boot-copied" : "boot-copy-by-hand");
    }
  };
  // A title, what happened, the text to keep, what can be done, and the details.
  const contentOf = ({ id, title, what, text, details, actions }) => {
    const status = element("p", { className: "good", role: "status" });
    const textToKeep = () => {
      const field = element("textarea", { className: "text", id: `${id}-typed`, readOnly: true, rows: 6, value: text, spellcheck: false });
      const button = element("button", { className: "btn small", id: `${id}-copy`, type: "button", onclick: () => copy(field, status) },
        say("boot-copy"));
      const label = element("label", { className: "caption", htmlFor: field.id }, say("boot-typed"));
      return [element("div", { className: "row trouble-head" }, label, button), field, status];
    };
    return [
      element(id === "broke" ? "h2" : "h1", { id: `${id}-title` }, say(title)),
      element("p", { id: `${id}-what` }, say(what)),
      ...(text ? textToKeep() : []),
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
    // In a frame it would take the focus from the embedding page.
    if (!isFramed) main.querySelector(".btn.primary").focus();
  };

  // Asks before reopening a link that crashed the page. Resolves to true if the visitor opens it.
  const ask = async (openingRecord) => {
    const text = openingRecord.text || await unsavedText(location.href, []);
    return new Promise((resolve) => {
      const openAnyway = () => {
        remember(null);
        resolve(true);
      };
      const copyLink = button("ask-copy-link", "boot-copy-link", () => {
        const field = document.getElementById("ask-typed");
        const all = field.value;
        field.value = location.href;
        copy(field, document.querySelector("#ask [role=status]")).finally(() => { field.value = all; });
      });
      inPage({
        id: "ask", title: "ask-title", what: `ask-${openingRecord.state}`, text, details: openingRecord.message ?? "",
        actions: [button("ask-empty", "boot-empty", startEmpty, true), button("ask-open", "ask-open", openAnyway), copyLink],
      });
    });
  };

  // Removes the offline copy of a page that does not start, so that every file is loaded from the server.
  const removeOffline = async () => {
    const base = new URL("./", document.baseURI);
    const registration = await navigator.serviceWorker.getRegistration(base);
    if (registration?.scope === base.href) await registration.unregister();
    for (const name of await caches.keys()) if (name.startsWith(`xla-playground ${base.pathname} `)) await caches.delete(name);
  };
  const REMOVAL_TIMEOUT_MS = 3000;
  const reloadFromServer = async () => {
    const removed = async () => {
      // Without a network the copy is all there is.
      const answer = await fetch(location.href, { method: "HEAD", cache: "no-store" });
      if (answer.ok) await removeOffline();
    };
    await Promise.race([removed().catch(() => {}), new Promise((done) => setTimeout(done, REMOVAL_TIMEOUT_MS))]);
    location.reload();
  };

  // Shows why the page did not start; `cause` selects the message.
  const fail = (cause, details) => {
    const tab = element("a", { className: "btn primary", href: `./${link()}`, target: "_blank", rel: "noopener" }, say("boot-tab"));
    const reload = button("failed-reload", "boot-reload", reloadFromServer, !isFramed);
    inPage({
      id: "failed", title: "failed-title", what: `failed-${cause}`, text: "", details,
      actions: isFramed ? [tab, reload] : cause === "start" ? [reload, button("failed-empty", "boot-empty", startEmpty)] : [reload],
    });
  };

  // After a trap the app's memory may be inconsistent, so it receives no more events and a modal dialog covers it.
  let hasCrashed = false;
  let dialog;
  const EVENTS = ["keydown", "keyup", "keypress", "beforeinput", "input", "change", "submit", "click", "dblclick", "contextmenu", "wheel", "scroll",
    "pointerdown", "pointerup", "pointermove", "pointerover", "pointerout", "pointercancel", "mousedown", "mouseup", "mousemove", "mouseover",
    "mouseout", "touchstart", "touchmove", "touchend", "focus", "blur", "focusin", "focusout", "paste", "copy", "cut", "dragstart", "dragover",
    "drop", "resize", "hashchange", "popstate", "storage", "visibilitychange"];
  for (const type of EVENTS) {
    addEventListener(type, (event) => {
      if (hasCrashed && !(event.target instanceof Node && dialog?.contains(event.target))) event.stopImmediatePropagation();
    }, true);
  }
  const reportCrash = (message, cause = "panic") => {
    if (hasCrashed) return;
    hasCrashed = true;
    const crashRecord = { link: location.hash, state: "broke", message: String(message).slice(0, 2000) };
    const [address, typed] = [location.href, fields()];
    remember(crashRecord);
    // After the app's last call has returned to the event loop. Cancels its timers and frames.
    setTimeout(async () => {
      const [timer, frame] = [setTimeout(() => {}), requestAnimationFrame(() => {})];
      for (let k = 0; k < 10000; k++) {
        clearTimeout(timer - k);
        cancelAnimationFrame(frame - k);
      }
      const text = await unsavedText(address, typed);
      remember({ ...crashRecord, text });
      const reload = button("broke-reload", "boot-reload", () => location.reload(), true);
      dialog = element("dialog", { id: "broke", className: "trouble" }, ...contentOf({
        id: "broke", title: "broke-title", what: `broke-${cause}`, text, details: crashRecord.message,
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
    // An exception that unwound through WebAssembly frames left the app's state inconsistent.
    const hasUnwoundApp = (isUncaught || isStack) && /wasm-function|\.wasm/.test(error?.stack ?? "");
    if (!isTrap && !hasUnwoundApp) return hasCrashed;
    // Panics were already reported, so `unreachable` here means a failed allocation.
    const cause = isStack || (isTrap && BOUNDS.test(error.message)) ? "stack" : isTrap && /unreachable/.test(error.message) ? "memory" : "panic";
    reportCrash(error.stack?.includes(error.message) ? error.stack : `${error}\n${error.stack ?? ""}`, cause);
    return true;
  };
  if (typeof WebAssembly === "object") {
    addEventListener("error", (event) => trapped(event.error, true));
    addEventListener("unhandledrejection", (event) => trapped(event.reason, false));
  }

  return {
    release, files, isEmbed, isFramed, removeOffline, reportCrash, say, link, screen, setOpening, recall, ask, fail, trapped,
    hasCrashed: () => hasCrashed,
  };
})();
