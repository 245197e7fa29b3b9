// Messages between an exported page and the embedding page, which wrote it into the `srcdoc` of a frame: docs/exported-pages.md.
//
// Only a page in `srcdoc` listens, and only until its parent has handed it a port: the embedding page has written what the page contains,
// so it learns nothing but what the reader selects. A page with an address of its own hears and sends nothing.
import { atNextFrame, field, idOf, isMessage, message, oncePerFrame } from "./frame_messages.js";

const MAX_NAME_CHARS = 4096;
// Of an index or a tuple path; more than any array has.
const MAX_NUMBERS = 64;

const isNumbers = (value) =>
  Array.isArray(value) && value.length <= MAX_NUMBERS && value.every((each) => Number.isSafeInteger(each) && each >= 0);

// What is wrong with a message; nothing if its fields have their types. The page rejects what it does not have.
const problemOf = ({ type, instruction, path, index }) => {
  if (type !== "select") return '`type` must be "select".';
  if (instruction !== undefined && !(typeof instruction === "string" && instruction.length <= MAX_NAME_CHARS)) {
    return `\`instruction\` must be a string of at most ${MAX_NAME_CHARS} characters.`;
  }
  if (path !== undefined && !isNumbers(path)) return "`path` must be a list of at most 64 numbers, counted from 0.";
  if (index !== undefined && !isNumbers(index)) return "`index` must be a list of at most 64 numbers, counted from 0.";
  return undefined;
};

// The list of instructions follows a selection of the embedding page.
const revealStep = () => {
  const [list, step] = [".snapshot-program", ".snapshot-step[aria-current]"].map((each) => document.querySelector(each));
  if (!list || !step) return;
  const [outer, inner] = [list, step].map((each) => each.getBoundingClientRect());
  if (inner.top < outer.top || inner.bottom > outer.bottom) list.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
};

const connect = (page, port) => {
  const post = (type, values) => port.postMessage(message(type, values));
  let sent;
  let request;
  let rejected;
  const flushSoon = oncePerFrame(() => {
    if (request && page.select) {
      const { id, ...wanted } = request;
      request = undefined;
      if (page.select(JSON.stringify(wanted))) atNextFrame(revealStep);
      else rejected = { id, text: "There is no such instruction, array or cell." };
    }
    if (rejected) post("error", rejected);
    rejected = undefined;
    if (page.selection !== undefined && page.selection !== sent) {
      post(sent === undefined ? "ready" : "selected", JSON.parse(page.selection));
      sent = page.selection;
    }
  });
  page.onselection = flushSoon;
  // Of several messages in a frame of the screen, the newest counts.
  port.onmessage = ({ data }) => {
    if (!isMessage(data)) return;
    const [type, instruction, path, index] = ["type", "instruction", "path", "index"].map((name) => field(data, name));
    const id = idOf(data);
    const text = problemOf({ type, instruction, path, index });
    if (text) rejected = { id, text };
    else request = { id, instruction, path, index };
    flushSoon();
  };
  flushSoon();
};

/**
 * Listens for the embedding page; returns a promise of the snapshot that it sends, which is undefined if it sends none. Without an
 * embedding page the result is undefined.
 */
export const listen = (page) => {
  if (location.href !== "about:srcdoc" || window.parent === window) return undefined;
  return new Promise((resolve) => {
    const onMessage = ({ source, data, ports }) => {
      if (source !== window.parent || !isMessage(data) || field(data, "type") !== "connect" || ports.length !== 1) return;
      removeEventListener("message", onMessage);
      connect(page, ports[0]);
      const bytes = field(data, "snapshot");
      resolve(bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : undefined);
    };
    addEventListener("message", onMessage);
  });
};
