// The service worker of the web site: keeps its files, so that the site works without a network. It prefers the newer version of the
// network, and requests only files of the site.

const KEPT = "quarterply";
const FILES = ["index.html", "tutorial.html", "rules.html", "glossary.html", "quarterply.wasm", "quarterply-scalar.wasm"];

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(caches.open(KEPT).then((kept) => kept.addAll(FILES)));
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

/** The file from the network, which is kept, or else the kept one. */
async function answer(request) {
  const kept = await caches.open(KEPT);
  try {
    const found = await fetch(request);
    // If the disk is full, the file is still returned.
    if (found.ok) await kept.put(request.url.split(/[?#]/)[0], found.clone()).catch(() => {});
    return found;
  } catch (error) {
    const old = await kept.match(request, { ignoreSearch: true }) || (request.mode === "navigate" && await kept.match("index.html"));
    if (old) return old;
    throw error;
  }
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && new URL(request.url).origin === self.location.origin) event.respondWith(answer(request));
});
