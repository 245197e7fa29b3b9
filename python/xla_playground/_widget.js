// The view of a widget: a frame with the page, which gets the values and a port. The selection of the frame is the model's, both ways.
const VERSION = 1;
// A frontend whose kernel has restarted asks again.
const ASK_AGAIN_MS = 5000;

// The pages of this browser tab by their hashes: a text, or the views that wait for it. All widgets share them.
const pages = (globalThis[Symbol.for("xla-playground.pages")] ??= new Map());

const pageOf = (hash) => {
  if (!pages.has(hash)) pages.set(hash, { text: undefined, askedAt: -Infinity, waiting: new Set() });
  return pages.get(hash);
};

// Calls `show` with the page, now or when the kernel has sent it; returns what cancels that.
const withPage = (model, show) => {
  const page = pageOf(model.get("_page"));
  if (page.text !== undefined) {
    show(page.text);
    return () => {};
  }
  const ask = () => {
    if (performance.now() - page.askedAt < ASK_AGAIN_MS) return;
    page.askedAt = performance.now();
    model.send({ type: "page" });
  };
  const timer = setInterval(ask, ASK_AGAIN_MS);
  const cancel = () => {
    clearInterval(timer);
    page.waiting.delete(receive);
  };
  const receive = (text) => {
    cancel();
    show(text);
  };
  page.waiting.add(receive);
  ask();
  return cancel;
};

const initialize = ({ model }) => {
  const receive = (content, buffers) => {
    if (content?.type !== "page" || content.page !== model.get("_page") || !buffers?.length) return;
    const page = pageOf(content.page);
    page.text = new TextDecoder().decode(buffers[0]);
    for (const show of [...page.waiting]) show(page.text);
  };
  model.on("msg:custom", receive);
  return () => model.off("msg:custom", receive);
};

const element = (name, properties, style) => {
  const made = Object.assign(document.createElement(name), properties);
  made.style.cssText = style;
  return made;
};

const render = ({ model, el }) => {
  const title = model.get("_title");
  const box = element("div", {}, `position:relative;height:${model.get("_height")}px;overflow:hidden`);
  const picture = element("img", { alt: title, src: `data:image/svg+xml,${encodeURIComponent(model.get("_picture"))}` }, "max-width:100%");
  const frame = element(
    "iframe",
    { title, className: "xla-playground-frame" },
    "position:absolute;inset:0;width:100%;height:100%;border:0;background:Canvas",
  );
  frame.setAttribute("sandbox", "allow-scripts allow-popups allow-popups-to-escape-sandbox");
  box.append(picture);
  el.append(box);

  let port;
  // The selection of the frame as text; nothing until it is ready.
  let shown;
  const selection = () => ({ instruction: model.get("instruction"), path: model.get("path"), index: model.get("index") });
  const select = () => {
    const wanted = selection();
    if (shown === undefined || JSON.stringify(wanted) === shown) return;
    const { instruction, path, index } = wanted;
    port.postMessage({ xlaPlayground: VERSION, type: "select", instruction, ...(index ? { path, index } : {}) });
  };
  let isWaiting = false;
  // Instruction and index change one after the other.
  const selectSoon = () => {
    if (isWaiting) return;
    isWaiting = true;
    queueMicrotask(() => {
      isWaiting = false;
      select();
    });
  };
  const hear = ({ data }) => {
    if (data?.xlaPlayground !== VERSION) return;
    const { type, instruction, path, index, text } = data;
    if (type === "error") console.warn(`XLA Playground: ${text}`);
    if (type !== "ready" && type !== "selected") return;
    shown = JSON.stringify({ instruction, path, index });
    if (type === "ready") return select();
    for (const [name, value] of Object.entries({ instruction, path, index })) model.set(name, value);
    model.save_changes();
  };
  // A frame that has been moved in the document loads its page again.
  const connect = () => {
    port?.close();
    shown = undefined;
    const channel = new MessageChannel();
    port = channel.port1;
    port.onmessage = hear;
    const { buffer, byteOffset, byteLength } = model.get("_record");
    const snapshot = buffer.slice(byteOffset, byteOffset + byteLength);
    frame.contentWindow.postMessage({ xlaPlayground: VERSION, type: "connect", snapshot }, "*", [channel.port2, snapshot]);
  };
  frame.addEventListener("load", connect);
  const cancel = withPage(model, (text) => {
    frame.srcdoc = text;
    box.append(frame);
  });
  const names = ["instruction", "path", "index"].map((name) => `change:${name}`);
  for (const name of names) model.on(name, selectSoon);
  return () => {
    cancel();
    for (const name of names) model.off(name, selectSoon);
    port?.close();
    box.remove();
  };
};

export default { initialize, render };
