// Words of the prose light cells in a frame, and the prose says which cell the frame shows: the messages of an embed. A word is
// <span data-cell="4">, a sentence <p data-said="… {slot} … {index} … {result} …">; both belong to the frame of their section.
// Without this script, or before a frame has answered, they are plain text.
for (const section of document.querySelectorAll("section")) {
  const frame = section.querySelector("iframe");
  if (!frame) continue;
  const app = new URL(frame.src).origin;
  const send = (type, values) => frame.contentWindow.postMessage({ xlaPlayground: 1, type, ...values }, app);
  const words = new Map();
  const asButtons = () => {
    for (const span of section.querySelectorAll("[data-cell]")) {
      const at = Number(span.dataset.cell);
      const word = document.createElement("button");
      word.type = "button";
      word.className = "word";
      word.append(...span.childNodes);
      word.addEventListener("click", () => {
        send("select", { at });
        frame.scrollIntoView({ block: "nearest" });
      });
      span.replaceWith(word);
      words.set(word, at);
    }
  };
  const shown = { slot: "", index: "", result: "" };
  const say = () => {
    for (const each of section.querySelectorAll("[data-said]")) {
      each.textContent = each.dataset.said.replace(/\{(\w+)\}/g, (_, name) => shown[name] ?? "");
    }
    for (const [word, at] of words) word.setAttribute("aria-pressed", String(at === shown.slot));
  };
  addEventListener("message", ({ source, origin, data }) => {
    if (source !== frame.contentWindow || origin !== app || data?.xlaPlayground !== 1) return;
    if (data.type === "ready") asButtons();
    else if (data.type === "select") Object.assign(shown, { slot: data.slot, index: data.index?.join(", ") ?? "" });
    else if (data.type === "result") shown.result = data.text;
    else return;
    say();
  });
}
