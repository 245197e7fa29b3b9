// Messages between an embed and the page around it: docs/embedding.md. boot.js loads this in a frame whose address asks for it, with
// the origin of that page: `?talk=https://lecture.example#embed/…`, or `?talk=same-origin` on the app's own site.
//
// The page around can do no more by messages than by the frame's address, and sees no more than the visitor: what the frame shows.
import { atNextFrame, field, idOf, isMessage, message, oncePerFrame } from "./frame_messages.js";

// As state::permalink::MAX_LINK_CHARS.
const MAX_LINK_CHARS = 1 << 20;
// Messages that are answered in a frame of the screen; more are dropped.
const MAX_ANSWERS = 32;
// Browsers limit how often a page may change its address.
const LINK_INTERVAL_MS = 100;

const partnerOf = (asked) => {
  if (asked === "same-origin") return self.origin === "null" ? undefined : self.origin;
  try {
    const { origin, protocol } = new URL(asked);
    return /^https?:$/.test(protocol) && origin === asked ? origin : undefined;
  } catch {
    return undefined;
  }
};

const start = (partner) => {
  const post = (type, values) => window.parent.postMessage(message(type, values), partner);

  // What the frame shows; nothing while it loads another screen.
  const shown = () => {
    const [full, spoken] = ["open-full", "spoken"].map((id) => document.getElementById(id));
    if (!full || !spoken) return undefined;
    const { slot, index } = spoken.dataset;
    const formula = document.getElementById("working")?.textContent;
    return {
      link: { link: new URL(full.href).hash.slice(1), problems: [...document.querySelectorAll("#link-problems li")].map((each) => each.textContent) },
      select: {
        slot: slot === undefined ? null : Number(slot),
        index: index === undefined ? null : index.split(", ").filter(Boolean).map(Number),
        text: spoken.textContent,
      },
      result: formula === undefined ? undefined : { text: formula },
    };
  };
  const sent = {};
  const report = () => {
    const all = shown();
    if (!all) return;
    for (const [type, values] of Object.entries(all)) {
      const text = JSON.stringify(values);
      if (text === sent[type]) continue;
      sent[type] = text;
      if (values) post(type, values);
    }
  };

  const answers = [];
  const flushSoon = oncePerFrame(() => {
    report();
    const { link } = shown() ?? {};
    for (const answer of answers.splice(0)) answer(link);
  });
  const answer = (make) => {
    if (answers.length < MAX_ANSWERS) answers.push(make);
    flushSoon();
  };
  const reject = (id, text) => answer(() => post("error", { id, text }));
  const giveLink = (id) => answer((link) => (link ? post("link", { ...link, id }) : post("error", { id, text: "The frame shows nothing yet." })));

  // The newest link, opened as one that the address gets: read by the same parser, and always of an embed.
  let next;
  let timer;
  const openNext = () => {
    timer = undefined;
    if (!next) return;
    const { link, id } = next;
    next = undefined;
    timer = setTimeout(openNext, LINK_INTERVAL_MS);
    const oldURL = location.href;
    history.replaceState(history.state, "", `#embed/${link}`);
    dispatchEvent(new HashChangeEvent("hashchange", { oldURL, newURL: location.href }));
    // The app has taken it by the frame after the next.
    atNextFrame(() => atNextFrame(() => giveLink(id)));
  };
  const handlers = {
    __proto__: null,
    get: ({ id }) => giveLink(id),
    set: ({ id, link }) => {
      if (typeof link !== "string") return reject(id, "`link` must be a string.");
      if (link.length > MAX_LINK_CHARS) return reject(id, `\`link\` must have at most ${MAX_LINK_CHARS} characters.`);
      next = { link: link.replace(/^#?(embed\/)?/, ""), id };
      if (timer === undefined) openNext();
    },
    select: ({ id, at }) => {
      if (!Number.isSafeInteger(at) || at < 0) return reject(id, "`at` must be a number of a cell, counted from 0.");
      const player = document.getElementById("scrub");
      if (!player || player.disabled || at > Number(player.max)) return reject(id, `There is no cell ${at}.`);
      player.value = at;
      player.dispatchEvent(new Event("input", { bubbles: true }));
    },
  };
  addEventListener("message", ({ source, origin, data }) => {
    if (source !== window.parent || origin !== partner || !isMessage(data)) return;
    const [type, link, at] = ["type", "link", "at"].map((name) => field(data, name));
    const id = idOf(data);
    const handle = typeof type === "string" ? handlers[type] : undefined;
    if (handle) handle({ id, link, at });
    else reject(id, "`type` must be \"get\", \"set\" or \"select\".");
  });
  new MutationObserver(flushSoon).observe(document.getElementById("app"), { attributes: true, characterData: true, childList: true, subtree: true });
  post("ready", { screen: globalThis.xlaPlayground.screen() });
  report();
};

const asked = new URLSearchParams(location.search).get("talk");
const partner = partnerOf(asked);
if (partner) start(partner);
else console.warn(`talk=${asked} is no origin such as https://lecture.example: this frame hears and sends no messages.`);
