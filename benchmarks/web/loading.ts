import { gzipSync } from "node:zlib";
import { atMost, type Bar, print, progress, round } from "../report/bars.ts";
import type { WebBenchmark } from "./web-benchmark.ts";

/** The JavaScript that a first visit loads before anything can be done, gzipped. */
export async function loading({ url, browser }: WebBenchmark): Promise<Bar[]> {
  progress("a first load");
  const page = await browser.newPage();
  const scripts: Promise<{ name: string; bytes: number }>[] = [];
  page.on("response", (response) => {
    if (response.request().resourceType() !== "script") return;
    const name = new URL(response.url()).pathname;
    scripts.push(response.body().then((body) => ({ name, bytes: gzipSync(body, { level: 9 }).length })));
  });
  await page.goto(url);
  await page.getByRole("textbox").waitFor();
  const loaded = await Promise.all(scripts);
  await page.close();
  const kilobytes = loaded.reduce((sum, { bytes }) => sum + bytes, 0) / 1_000;
  print({ loaded: "JavaScript", scripts: loaded, kilobytes: round(kilobytes) });
  return [atMost("kB of JavaScript on first load, gzipped", kilobytes, 150)];
}
