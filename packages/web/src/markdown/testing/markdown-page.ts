import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname } from "node:path";
import { sharedChromium, type TestBrowser } from "@parley/testing/chromium.ts";
import type { Page } from "playwright-core";
import { build, type Rolldown } from "vite";
import solid from "vite-plugin-solid";

/** The page of these tests, built as the client is, on a server of its own, with or without the strict policy. */
export class MarkdownPage implements AsyncDisposable {
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  /** The addresses that were asked for, as the browser saw them. */
  readonly requests: string[] = [];
  readonly #server = createServer((request, response) => this.#answer(request.url ?? "/", response));
  #browser: TestBrowser | undefined;

  static async open(): Promise<MarkdownPage> {
    const page = new MarkdownPage(await builtFiles());
    await new Promise<void>((resolve) => page.#server.listen(0, "127.0.0.1", resolve));
    page.#browser = await sharedChromium();
    return page;
  }

  private constructor(files: ReadonlyMap<string, string | Uint8Array>) {
    this.files = files;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** A fresh tab; `strict` puts it under the policy that the platform sends. */
  async tab(options: { strict?: boolean; width?: number } = {}): Promise<Page> {
    if (!this.#browser) throw new Error("Open the page first.");
    const tab = await this.#browser.newPage({ viewport: { width: options.width ?? 900, height: 900 } });
    tab.on("request", (request) => this.requests.push(request.url()));
    await tab.goto(`${this.origin}/${options.strict ? "strict" : "open"}/`);
    await tab.waitForFunction(() => "markdown" in window);
    return tab;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser?.close();
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer(url: string, response: import("node:http").ServerResponse): void {
    const [, policy, ...rest] = new URL(url, "http://page").pathname.split("/");
    const name = rest.join("/") || "index.html";
    const body = this.files.get(name);
    const types: Record<string, string> = {
      ".html": "text/html",
      ".js": "text/javascript",
      ".css": "text/css",
    };
    response.setHeader("content-type", types[extname(name)] ?? "text/plain");
    if (policy === "strict") {
      response.setHeader(
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:",
      );
    }
    response.writeHead(body === undefined ? 404 : 200).end(body);
  }
}

async function builtFiles(): Promise<Map<string, string | Uint8Array>> {
  const result = (await build({
    root: import.meta.dirname,
    base: "./",
    configFile: false,
    logLevel: "error",
    plugins: [solid()],
    worker: { format: "es" },
    build: { write: false, target: "esnext", modulePreload: { polyfill: false } },
  })) as Rolldown.RolldownOutput;
  return new Map(
    result.output.map((file) => [file.fileName, file.type === "chunk" ? file.code : file.source]),
  );
}
