// The offline copy of a release. `cargo xtask assets` writes the release's id and the names of its files into the first line.
//
// Names contain the hash of the content, so a stored file is right for every page that asks for it, of whichever release: this
// worker serves the pages of an older release, too. The page itself comes from the host, and from the copy only if the host does
// not answer. So no visitor can be left with an old version while the host can be reached.
const { release, first, later } = self.xlaPlayground;
const { scope } = self.registration;
// Caches belong to the whole origin, which may have the app at several paths.
const PREFIX = `xla-playground ${new URL(scope).pathname} `;
const OWN = PREFIX + release;
const HASH = /-([0-9a-f]{12})(\.\w+)?$/;
// How long the host may take to answer before the stored page is shown.
const PAGE_TIMEOUT_MS = 3000;
// How long a page may take to say its release. One that does not, as it is loading or suspended, keeps all old copies.
const RELEASE_TIMEOUT_MS = 2000;

const address = (name) => new URL(name, scope).href;
const stored = (url, cacheName) => caches.match(url, { cacheName, ignoreSearch: true, ignoreVary: true });

// The hash in a file's name, as `hash` in xtask/src/assets.rs: SHA-256 of the length as 64 bits, and the content.
const hash = async (content) => {
  const bytes = new Uint8Array(8 + content.byteLength);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(content.byteLength), true);
  bytes.set(new Uint8Array(content), 8);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest.subarray(0, 6)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
};
const isIntact = async (answer, name) => {
  if (!answer.ok || answer.redirected) return false;
  const [, expected] = HASH.exec(name) ?? [];
  return !expected || expected === await hash(await answer.clone().arrayBuffer());
};
const load = async (name) => {
  // A browser's own cache may have an incomplete file; pages without a hash may have changed.
  for (const cache of HASH.test(name) ? ["default", "reload"] : ["no-cache"]) {
    const answer = await fetch(address(name), { cache, priority: "low" });
    if (await isIntact(answer, name)) return answer;
  }
  throw new Error(`${name} is not the file of release ${release}`);
};
const store = async (name) => {
  const own = await caches.open(OWN);
  const url = address(name);
  if (await own.match(url)) return;
  await own.put(url, (HASH.test(name) && await stored(url)) || await load(name));
};
// Stored last: a copy that has the page is complete.
const storePage = async () => {
  const answer = await fetch(scope, { cache: "no-cache" });
  const text = await answer.text();
  if (!answer.ok || !text.includes(`"release":"${release}"`)) throw new Error(`the host does not have release ${release}`);
  const headers = new Headers(answer.headers);
  for (const ofTransfer of ["Content-Encoding", "Content-Length"]) headers.delete(ofTransfer);
  await (await caches.open(OWN)).put(scope, new Response(text, { headers }));
};

const install = async () => {
  try {
    for (const name of first) await store(name);
    await storePage();
  } catch (error) {
    // What was stored is kept for the next attempt, except where there is no room.
    if (error.name === "QuotaExceededError") await caches.delete(OWN);
    throw error;
  }
  await self.skipWaiting();
};

const releaseOf = (client) => new Promise((done) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }) => done(data);
  setTimeout(done, RELEASE_TIMEOUT_MS);
  client.postMessage("release", [port2]);
});
const isPage = (url) => ["", "index.html"].map(address).includes(url.split(/[?#]/)[0]);
// Removes the copies of releases that no page is of.
const removeOld = async () => {
  // The other copy may be that of the next release.
  if (registration.installing || registration.waiting) return;
  const old = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== OWN);
  if (!old.length) return;
  const pages = (await clients.matchAll()).filter(({ url }) => isPage(url));
  const used = await Promise.all(pages.map(releaseOf));
  if (used.includes(undefined)) return;
  for (const name of old) if (!used.includes(name.slice(PREFIX.length))) await caches.delete(name);
};
const complete = async () => {
  await removeOld();
  // Without room for one of these, the rest still works offline.
  for (const name of later) await store(name).catch(() => {});
};

// From the host, or else from the copy.
const current = async (request, url) => {
  const abort = new AbortController();
  const answered = fetch(request, { cache: "no-cache", signal: abort.signal });
  answered.catch(() => {});
  const late = new Promise((done) => setTimeout(done, PAGE_TIMEOUT_MS));
  const answer = await Promise.race([answered, late]).catch(() => {});
  if (answer && answer.status < 500) return answer;
  const copy = await stored(url, OWN).catch(() => {});
  if (!copy) return answered;
  // A request that goes on would hold up the next one of this address.
  abort.abort();
  return copy;
};
const unchanging = async (request) => (await stored(request.url).catch(() => {})) ?? fetch(request);

const UNHASHED = later.filter((name) => !HASH.test(name)).map(address);

addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
// A page has started.
addEventListener("message", (event) => event.waitUntil(complete()));
addEventListener("fetch", (event) => {
  const { request } = event;
  const [url] = request.url.split(/[?#]/);
  // The page asks like this for a file whose copy it could not use, and whether the host can be reached.
  const isForHost = request.method !== "GET" || ["reload", "no-store"].includes(request.cache);
  if (!url.startsWith(scope) || isForHost && request.mode !== "navigate") return;
  if (HASH.test(url)) event.respondWith(unchanging(request));
  else if (request.mode === "navigate" && isPage(url)) event.respondWith(current(request, scope));
  else if (UNHASHED.includes(url)) event.respondWith(current(request, url));
});
