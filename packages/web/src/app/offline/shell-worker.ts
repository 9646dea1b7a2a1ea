// Keeps the client itself, so that a page loads though its server is away; what it shows then is in the browser's database.
// The build takes the types away, and puts before the rest what is declared here.
declare const VERSION: string;
declare const FILES: readonly string[];

interface WorkerEvents {
  install: { waitUntil(work: Promise<void>): void };
  activate: { waitUntil(work: Promise<void>): void };
  fetch: { readonly request: Request; respondWith(response: Promise<Response>): void };
}
declare const self: {
  readonly location: Location;
  addEventListener<Name extends keyof WorkerEvents>(
    name: Name,
    listener: (event: WorkerEvents[Name]) => void,
  ): void;
};

const BASE = self.location.pathname.slice(0, -"/s/worker.js".length);
const ENTRY = `${BASE}/s/`;
const ASSETS = `${BASE}/s/assets/`;
const PAGES = [ENTRY, `${BASE}/docs/`];
const TIMEOUT_MS = 5_000;

self.addEventListener("install", (event) =>
  event.waitUntil(kept([ENTRY, ...FILES.map((path) => BASE + path)])),
);

self.addEventListener("activate", (event) => event.waitUntil(othersForgotten()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  const isPage = pathname === `${BASE}/` || PAGES.some((page) => `${pathname}/`.startsWith(page));
  if (pathname.startsWith(ASSETS)) event.respondWith(asset(request));
  else if (request.mode === "navigate" && isPage) event.respondWith(page(request));
  // All else is the server's alone: nothing of the API is ever kept here.
});

async function kept(paths: readonly string[]): Promise<void> {
  const cache = await caches.open(VERSION);
  await cache.addAll([...paths]);
}

async function othersForgotten(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== VERSION).map((name) => caches.delete(name)));
}

/** Asset names contain a content hash, so a cached asset is never outdated. */
async function asset(request: Request): Promise<Response> {
  const known = await caches.match(request);
  if (known) return known;
  const response = await fetch(request);
  if (response.ok) await (await caches.open(VERSION)).put(request, response.clone());
  return response;
}

/** The server's page, or the cached one while the server is unreachable. */
async function page(request: Request): Promise<Response> {
  const shell = await caches.match(ENTRY);
  if (!shell) return fetch(request);
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, TIMEOUT_MS));
  // By its address alone: what leads here from another site would be taken for that site's own request, and refused.
  const asked = fetch(request.url, { redirect: "manual" }).catch(() => undefined);
  const response = await Promise.race([asked, late]);
  // A proxy in front of an unreachable server answers with these.
  const isThere = response !== undefined && ![502, 503, 504].includes(response.status);
  if (isThere) return response;
  // The client's pages are below its own path; the server would lead there too.
  return new URL(request.url).pathname === `${BASE}/` ? Response.redirect(ENTRY) : shell;
}

export {};
