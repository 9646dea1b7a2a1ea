// npm run screenshots: pictures of the web client's main screens, in both themes, into docs/screenshots/.
import { mkdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { openChromium } from "@parley/testing/chromium.ts";
import { Platform } from "./platform.ts";
import { SCENES } from "./scenes.ts";

const FOLDER = resolve(import.meta.dirname, "../../docs/screenshots");
/** Kept small, because every clone downloads them. */
const MAX_BYTES = 200_000;

await mkdir(FOLDER, { recursive: true });
const platform = await Platform.start();
const browser = await openChromium();
try {
  for (const colorScheme of ["light", "dark"] as const) {
    for (const { name, width = 1_100, show } of SCENES) {
      const viewport = { width, height: 720 };
      const context = await browser.newContext({ colorScheme, viewport, reducedMotion: "reduce" });
      const page = await context.newPage();
      await page.goto(platform.url);
      await show(page, platform.url);
      const path = join(FOLDER, `${name}-${colorScheme}.png`);
      await page.screenshot({ path, caret: "hide", animations: "disabled" });
      await context.close();
      const { size } = await stat(path);
      process.stdout.write(`${path.slice(FOLDER.length + 1)}  ${Math.round(size / 1_000)} kB\n`);
      if (size > MAX_BYTES) throw new Error(`${path} has ${size} bytes: at most ${MAX_BYTES} are fine`);
    }
  }
} finally {
  await browser.close();
  await platform.stop();
}
