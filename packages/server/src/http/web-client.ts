import { readdir, readFile } from "node:fs/promises";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { extname, join, sep } from "node:path";
import { errorBody, etagOf, SECURITY_HEADERS } from "./answer-parts.ts";

/** The path of the web client's files and pages; the documentation is one more page of it. */
const ROOT = "/s";
const PAGES = ["/s/", "/docs/"];
const ASSETS = "/s/assets/";
const ENTRY = "/s/index.html";
/** The service worker; its scope is the whole origin. */
const WORKER = "/s/worker.js";

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");
const HEADERS = { ...SECURITY_HEADERS, "Content-Security-Policy": CONTENT_SECURITY_POLICY };

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".json": "application/json",
};

/** A built file and its compressed forms. */
interface BuiltFile {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly br?: Buffer;
  readonly gzip?: Buffer;
}

/** The web client's files by path, in memory: a later build does not affect a running server. */
export type WebClient = ReadonlyMap<string, BuiltFile>;

/** Resolves to the web client when it is built; undefined where there is none. */
export type WebClientSource = () => Promise<WebClient | undefined>;

/** Reads a built web client. */
export async function readWebClient(folder: string): Promise<WebClient> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => extname(name) in TYPES);
  const read = (name: string) => readFile(join(folder, name)).catch(() => undefined);
  const files = names.map(async (name): Promise<[string, BuiltFile]> => {
    const plain = await readFile(join(folder, name));
    const [br, gzip] = [await read(`${name}.br`), await read(`${name}.gz`)];
    const type = TYPES[extname(name)] ?? "";
    const file = { type, etag: etagOf(plain), plain, ...(br && { br }), ...(gzip && { gzip }) };
    return [`${ROOT}/${name.split(sep).join("/")}`, file];
  });
  return new Map(await Promise.all(files));
}

/** Whether the web client answers at this path. */
export function isWebClientPath(path: string): boolean {
  return PAGES.some((page) => `${path}/`.startsWith(page));
}

/** Serves the web client: files at their paths, and the entry at every page's path. */
export function webClientListener(
  source: WebClientSource = async () => undefined,
  basePath = "",
): RequestListener {
  let entry: BuiltFile | undefined;
  return async (request, response) => {
    const [path = ""] = (request.url ?? "").split("?");
    if (request.method !== "GET" && request.method !== "HEAD") return refuse(response, 405, path);
    const client = await source();
    if (!client) return refuse(response, 503, path);
    const isAsset = path.startsWith(ASSETS);
    const isOwnPath = isAsset || path === WORKER;
    entry ??= entryBelow(basePath, client.get(ENTRY));
    const file = isOwnPath ? client.get(path) : entry;
    if (!file) return refuse(response, 404, path);
    if (path === WORKER) response.setHeader("Service-Worker-Allowed", "/");
    send(request, response, file, isAsset);
  };
}

/** Prefixes the absolute paths in the entry with the base path. */
function entryBelow(basePath: string, built: BuiltFile | undefined): BuiltFile | undefined {
  if (basePath === "" || !built) return built;
  const { type, etag, plain } = built;
  const page = plain.toString().replace(/(src|href)="\/(?!\/)/g, `$1="${basePath}/`);
  return { type, etag, plain: Buffer.from(page) };
}

function send(request: IncomingMessage, response: ServerResponse, file: BuiltFile, isAsset: boolean): void {
  const headers = {
    ...HEADERS,
    "Content-Type": file.type,
    ETag: file.etag,
    Vary: "Accept-Encoding",
    // Names of assets contain the hash of their content; the entry is revalidated.
    "Cache-Control": isAsset ? "public, max-age=31536000, immutable" : "no-cache",
  };
  if (request.headers["if-none-match"]?.includes(file.etag)) {
    response.writeHead(304, headers).end();
    return;
  }
  const accepted = String(request.headers["accept-encoding"] ?? "");
  const encoding = (["br", "gzip"] as const).find((each) => file[each] && accepts(accepted, each));
  const body = (encoding && file[encoding]) ?? file.plain;
  response.writeHead(200, {
    ...{ ...headers, "Content-Length": body.length },
    ...(encoding && { "Content-Encoding": encoding }),
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

function accepts(header: string, encoding: string): boolean {
  return new RegExp(`(^|[ ,])${encoding}(?! *;q=0(\\.0*)?( |,|$))`).test(header);
}

const REFUSALS = {
  404: { code: "not_found", message: "Not found:" },
  405: { code: "method_not_allowed", message: "Only GET and HEAD are allowed at" },
  503: {
    code: "web_client_missing",
    message: 'The web client is not built; "npm start" builds it:',
  },
} as const;

function refuse(response: ServerResponse, status: keyof typeof REFUSALS, path: string): void {
  const { code, message } = REFUSALS[status];
  const allow = status === 405 ? { Allow: "GET, HEAD" } : {};
  response.writeHead(status, { ...HEADERS, ...allow, "Content-Type": "application/json" });
  response.end(JSON.stringify(errorBody({ code, message: `${message} ${path}` })));
}
