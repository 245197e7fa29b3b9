// Starts the page of a snapshot from what the page contains: it loads nothing. A page without a snapshot, in `srcdoc`, gets that from
// the embedding page.
import { listen } from "./port.js";
import start from "./snapshot.js";

const root = document.documentElement;
root.dataset.theme = window.matchMedia?.("(prefers-color-scheme: dark)").matches ? "dark" : "light";

const SENTENCES = {
  en: {
    old: "This browser cannot show the page: it needs a newer version (WebAssembly and DecompressionStream).",
    broken: "The page has stopped because of an error. Reload it to start again.",
    damaged: "The data of this file is damaged. Export it again.",
  },
  zh: {
    old: "此浏览器无法显示该页面：需要更新的版本（WebAssembly 和 DecompressionStream）。",
    broken: "页面因错误而停止。请重新加载。",
    damaged: "此文件的数据已损坏。请重新导出。",
  },
};
const sentences = /^zh/i.test(navigator.language ?? "") ? SENTENCES.zh : SENTENCES.en;
const fail = (key, details) => {
  const notice = document.createElement("main");
  notice.className = "embed";
  notice.innerHTML = '<p class="notice" role="alert"></p><details><pre></pre></details>';
  notice.querySelector("p").textContent = sentences[key];
  notice.querySelector("pre").textContent = details;
  document.getElementById("app").replaceChildren(notice);
};

const text = (id) => JSON.parse(document.getElementById(id).textContent);
const decoded = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
const inflated = async (bytes) => {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
};

const page = { files: {}, translations: {}, reportCrash: (details) => setTimeout(() => fail("broken", details)) };
globalThis.xlaPlayground = page;
// Before the first `await`: the embedding page connects when this page has loaded.
const sent = listen(page);
try {
  if (typeof WebAssembly !== "object" || typeof DecompressionStream !== "function") throw new TypeError("old");
  const [code, translations] = await Promise.all(["code", "translations"].map((id) => inflated(decoded(text(id)))));
  page.translations = JSON.parse(new TextDecoder().decode(translations));
  const recorded = sent && document.getElementById("snapshot").textContent === "" ? undefined : text("snapshot");
  const bytes = async () => (recorded === undefined ? await sent : decoded(recorded));
  // What is damaged is said by the page.
  page.snapshot = await bytes().then(inflated).catch(() => new Uint8Array());
  await start({ module_or_path: code });
} catch (error) {
  console.error(error);
  fail(error.message === "old" ? "old" : error instanceof SyntaxError ? "damaged" : "broken", `${error.stack ?? error}`);
}
