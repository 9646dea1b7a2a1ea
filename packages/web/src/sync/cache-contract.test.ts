import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { CACHE_CONTRACT } from "@parley/client/cache-contract";
import { sharedChromium } from "@parley/testing/chromium.ts";
import { build, type Rolldown } from "vite";
import { expect, it, onTestFinished } from "vitest";

it("the cache contract holds in a real browser's database (S4.12)", {
  timeout: 180_000,
}, async () => {
  const { output } = (await build({
    root: join(import.meta.dirname, "testing"),
    configFile: false,
    logLevel: "error",
    build: { write: false, target: "esnext", modulePreload: { polyfill: false } },
  })) as Rolldown.RolldownOutput;
  const files = new Map(
    output.map((file) => [file.fileName, file.type === "chunk" ? file.code : file.source]),
  );
  const server = createServer((request, response) => {
    const name = request.url?.slice(1) || "index.html";
    response.setHeader("content-type", name.endsWith(".js") ? "text/javascript" : "text/html");
    response.writeHead(files.has(name) ? 200 : 404).end(files.get(name));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const browser = await sharedChromium();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`);
  await page.waitForFunction(() => "checked" in window);
  const outcomes = await page.evaluate(() =>
    (window as unknown as { checked(): Promise<[string, string][]> }).checked(),
  );
  expect(outcomes).toEqual(CACHE_CONTRACT.map(({ title }) => [title, ""]));
});
