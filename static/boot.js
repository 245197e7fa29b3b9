// Loads the screen that the address names, and shows the progress. Failures are shown by trouble.js.
(async () => {
  const page = globalThis.xlaPlayground;
  const { say, files } = page;
  const address = (name) => new URL(files[name]?.name ?? name, document.baseURI).href;
  const screen = page.screen();
  // A script that a screen loads when it needs it; only a script can import one.
  page.load = (url) => import(new URL(url, document.baseURI).href);
  const names = { code: `${screen}_bg.wasm`, script: `${screen}.js` };
  document.documentElement.dataset.screen = screen;

  // Only an embed talks to the page around it: the app that a visitor opens from one keeps its address short.
  const isAsked = new URLSearchParams(location.search).has("talk");
  if (isAsked && !page.isEmbed) history.replaceState(history.state, "", location.pathname + location.hash);

  let isMounted = false;
  let isLeaving = false;
  // A link that arrives before the app is there may be for another screen.
  addEventListener("hashchange", () => {
    if (isMounted || page.hasCrashed()) return;
    isLeaving = true;
    location.reload();
  });
  const parsed = document.readyState === "loading"
    ? new Promise((done) => document.addEventListener("DOMContentLoaded", done, { once: true })) : Promise.resolve();

  // How much has arrived. Sizes are those of the files, not of what a host sends of them compressed.
  const bytes = (name) => files[name]?.bytes ?? 0;
  const total = bytes(names.code) + bytes(names.script);
  const arrived = { code: 0, script: 0 };
  const show = () => {
    const bar = document.getElementById("boot-bar");
    if (!bar || !total) return;
    const share = Math.min((arrived.code + arrived.script) / total, 1);
    bar.value = share;
    document.getElementById("boot-percent").textContent = `${Math.floor(share * 100)} %`;
  };
  const words = (key) => {
    const title = document.getElementById("boot-title");
    if (!title) return;
    title.textContent = say(key, { screen: say(screen === "app" ? "screen-layout" : `screen-${screen}`) });
    document.getElementById("boot-what").textContent = say(`boot-what-${screen}`);
  };

  class Failure extends Error {
    constructor(cause, details) {
      super(details);
      this.kind = cause;
    }
  }
  const where = (cause) => (location.protocol === "file:" ? "disk" : origin === "null" ? "frame" : cause);
  const get = async (name, cache) => {
    let answer;
    try {
      answer = await fetch(address(name), { cache });
    } catch (error) {
      throw new Failure(where("network"), `${address(name)}: ${error.message}`);
    }
    // A host may answer with a page of its own where it has no such file.
    const isPage = /^text\/html/i.test(answer.headers.get("Content-Type") ?? "");
    if (!answer.ok || isPage) throw new Failure("missing", `${address(name)}: ${answer.status} ${isPage ? "text/html" : answer.statusText}`);
    return answer;
  };
  const compiled = async (cache = "default") => {
    const answer = await get(names.code, cache);
    arrived.code = 0;
    const counted = (async () => {
      // A copy is counted, so that the answer itself is compiled while it arrives, and the browser keeps the result.
      const reader = answer.clone().body?.getReader();
      for (let part; reader && !(part = await reader.read()).done;) {
        arrived.code += part.value.length;
        show();
      }
    })();
    try {
      const streams = /^application\/wasm\b/i.test(answer.headers.get("Content-Type") ?? "");
      const [module] = await Promise.all([
        streams ? WebAssembly.compileStreaming(answer) : answer.arrayBuffer().then((all) => WebAssembly.compile(all)),
        counted,
      ]);
      return module;
    } catch (error) {
      await counted.catch(() => {});
      const details = `${address(names.code)}: ${error.message} (${arrived.code} of ${bytes(names.code)} bytes)`;
      if (error instanceof RangeError) throw new Failure("memory", details);
      // What came may be what an earlier visit left unfinished in the cache.
      if (cache === "default") return compiled("reload");
      throw new Failure(error instanceof WebAssembly.CompileError || arrived.code !== bytes(names.code) ? "damaged" : "network", details);
    }
  };
  const imported = async () => {
    try {
      const script = await import(address(names.script));
      arrived.script = bytes(names.script);
      show();
      return script.default;
    } catch (error) {
      // Imports fail without a reason; asking for the file gives one.
      await get(names.script, "default");
      throw new Failure("damaged", `${address(names.script)}: ${error.message}`);
    }
  };
  // The sentences of the visitor's language, beside the code. Where they do not come, the app tries once more and says why.
  page.translations = {};
  const translated = async () => {
    const { lang } = document.documentElement;
    // English is in the code, and not every screen has sentences of its own.
    const own = screen === "ops" ? ["documents", "ops"] : [screen];
    const names = ["core", ...own].map((domain) => `${domain}.${lang}.txt`);
    await Promise.all(names.filter((name) => files[name]).map(async (name) => {
      try {
        page.translations[name] = await (await get(name, "default")).text();
      } catch (error) {
        console.warn(error);
      }
    }));
  };
  // The offline copy of the site. A site that is served for development has none, and removes that of a release at its address.
  const keepOffline = async () => {
    // Frames with an opaque origin may not even ask.
    if (origin === "null" || !isSecureContext || !/^https?:$/.test(location.protocol)) return;
    const { serviceWorker } = navigator;
    if (!serviceWorker) return;
    serviceWorker.addEventListener("message", ({ ports }) => ports[0]?.postMessage(page.release));
    serviceWorker.startMessages();
    if (page.isFramed || page.isEmbed) return;
    if (!files["service-worker.js"]) {
      await page.removeOffline();
      return;
    }
    const started = () => serviceWorker.controller?.postMessage("started");
    serviceWorker.addEventListener("controllerchange", started);
    started();
    // Not from the browser's cache: it might be that of an older release.
    await serviceWorker.register(address("service-worker.js"), { updateViaCache: "none" });
  };
  const idle = (then) => setTimeout(() => (window.requestIdleCallback ? requestIdleCallback(then, { timeout: 5000 }) : setTimeout(then, 200)));

  try {
    const openingRecord = page.recall();
    if (openingRecord) {
      await parsed;
      const skeleton = [...document.getElementById("app").childNodes];
      if (!(await page.ask(openingRecord))) return;
      document.getElementById("app").replaceChildren(...skeleton);
    }
    if (typeof WebAssembly !== "object") throw new Failure("browser", "WebAssembly is undefined");
    const loaded = Promise.all([imported(), compiled(), translated()]);
    loaded.catch(() => {});
    await parsed;
    for (const each of document.querySelectorAll("[data-say]")) each.textContent = say(each.dataset.say);
    words("boot-loading");
    show();
    const [start, module] = await loaded;
    // Until the page is replaced the screen would read the link of another one, and overwrite it with its own.
    if (isLeaving) return;
    // The address changes before its event.
    if (page.screen() !== screen) {
      location.reload();
      return;
    }
    words("boot-starting");
    page.setOpening(true);
    try {
      await start({ module_or_path: module });
      // What the link shows may be of another file.
      await page.mounting;
    } catch (error) {
      if (error instanceof RangeError && !/call stack/i.test(error.message)) throw new Failure("memory", error.message);
      throw error;
    }
    isMounted = true;
    dispatchEvent(new CustomEvent("TrunkApplicationStarted"));
    // The page around this frame asks for messages by the frame's address.
    if (isAsked && page.isEmbed && page.isFramed) import(address("talk.js")).catch((error) => console.warn(error));
    idle(() => {
      page.setOpening(false);
      keepOffline().catch((error) => console.info(error));
    });
  } catch (error) {
    console.error(error);
    await parsed;
    const hasTrapped = !error.kind && page.trapped(error, true);
    if (!hasTrapped) page.fail(error.kind ?? "start", error.kind ? error.message : `${error.stack ?? error}`);
  }
})();
