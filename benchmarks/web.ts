// npm run bench -- web [--rounds N] [--only opening|speaking|loading]: the web client in Chromium against the platform,
// on SQLite, over HTTP: from navigation to a readable session of 10,000 events, with and without a cache; a long answer at
// 200 tokens a second, its long frames and how its cost grows; and the JavaScript of a first load.
import { parseArgs } from "node:util";
import { openChromium } from "@parley/testing/chromium.ts";
import { Chain } from "./chain/chain.ts";
import { type Bar, finish } from "./report/bars.ts";
import { loading } from "./web/loading.ts";
import { opening } from "./web/opening.ts";
import { speaking } from "./web/speaking.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, only: { type: "string" } },
});
const rounds = Math.max(1, Number(values.rounds) || 5);
const parts = { opening, speaking, loading };

const bars: Bar[] = [];
const chain = await Chain.start({ speaker: "executor" });
const browser = await openChromium();
try {
  for (const [name, measure] of Object.entries(parts))
    if (values.only === undefined || values.only === name)
      bars.push(...(await measure({ url: chain.url, browser, rounds })));
} finally {
  await browser.close();
  await chain.stop();
}
finish("web", bars);
