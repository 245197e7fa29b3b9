// Loads the screen that the address names.
(async () => {
  const manifest = document.querySelector("#release").textContent;
  globalThis.xlaPlayground = manifest ? JSON.parse(manifest) : { files: {} };
  const address = (name) => xlaPlayground.files[name]?.name ?? name;
  const link = location.hash.replace(/^#embed\//, "#");
  const screen = ["ops", "speed"].find((name) => link.startsWith("#" + name)) ?? "app";
  try {
    // The code of the page and its module come side by side.
    const code = fetch(address(`${screen}_bg.wasm`));
    code.catch(() => {});
    const { default: start } = await import(new URL(address(`${screen}.js`), document.baseURI).href);
    if (document.readyState === "loading") await new Promise((done) => addEventListener("DOMContentLoaded", done));
    await start({ module_or_path: code });
    dispatchEvent(new CustomEvent("TrunkApplicationStarted"));
  } catch (error) {
    // As in a sandboxed frame, where the host must share its files with every origin (docs/embedding.md).
    const failed = document.querySelector("#failed");
    document.querySelector("#app").replaceChildren(failed);
    failed.querySelector("a").href = "./" + link;
    failed.hidden = false;
    throw error;
  }
})();
