// What the scripts share that exchange messages with the page around a frame: talk.js and snapshot/port.js. A message is a plain
// object with the version of the protocol as `xlaPlayground`; only its own fields count.
const VERSION = 1;
const MAX_ID_CHARS = 100;
// Frames outside of the view have no animation frames.
const MAX_FRAME_MS = 100;

export const message = (type, values) => ({ xlaPlayground: VERSION, type, ...values });

export const field = (data, name) => (Object.hasOwn(data, name) ? data[name] : undefined);

export const isMessage = (data) => typeof data === "object" && data !== null && field(data, "xlaPlayground") === VERSION;

// The id by which a message wants its answer, or null.
export const idOf = (data) => {
  const id = field(data, "id");
  return typeof id === "number" || (typeof id === "string" && id.length <= MAX_ID_CHARS) ? id : null;
};

export const atNextFrame = (work) => {
  let isDone = false;
  const once = () => {
    if (!isDone) work();
    isDone = true;
  };
  requestAnimationFrame(once);
  setTimeout(once, MAX_FRAME_MS);
};

// A function that does the work at the next frame of the screen, once for all calls before it.
export const oncePerFrame = (work) => {
  let isWaiting = false;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    atNextFrame(() => {
      isWaiting = false;
      work();
    });
  };
};
