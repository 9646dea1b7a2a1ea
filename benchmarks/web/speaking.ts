import type { Page } from "playwright-core";
import { type Load, words } from "../chain/wording.ts";
import { atMost, type Bar, median, print, progress, round } from "../report/bars.ts";
import type { WebBenchmark } from "./web-benchmark.ts";

const PER_SECOND = 200;
const [SHORT, LONG] = [500, 5_000];
const LONG_FRAME_MS = 50;

interface Spoken {
  /** The number of frames longer than 50 ms. */
  readonly longFrames: number;
  readonly frames: number;
  /** Milliseconds of script, style and layout per token. */
  readonly work: number;
}

/** An answer at 200 tokens a second: how many frames are long, and whether a token costs the same in a long answer as in a short one. */
export async function speaking({ url, browser, rounds }: WebBenchmark): Promise<Bar[]> {
  const short: Spoken[] = [];
  const long: Spoken[] = [];
  const times = Math.min(rounds, 3);
  for (let n = 0; n < times; n++) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(url);
    await spoken(page, { tokens: 100 });
    for (const [tokens, all] of [
      [SHORT, short],
      [LONG, long],
    ] as const) {
      progress(`an answer of ${tokens} tokens: round ${n + 1} of ${times}`);
      all.push(await spoken(page, { tokens, pace: { waitMs: 0, perSecond: PER_SECOND } }));
    }
    await context.close();
  }
  const share = median(long.map(({ longFrames, frames }) => (100 * longFrames) / frames));
  const [cheap, dear] = [median(short.map(({ work }) => work)), median(long.map(({ work }) => work))];
  print({
    spoken: LONG,
    perSecond: PER_SECOND,
    short,
    long,
    millisecondsPerToken: { short: round(cheap), long: round(dear) },
  });
  return [
    atMost(
      `per cent of frames longer than ${LONG_FRAME_MS} ms in an answer of ${LONG} tokens at ${PER_SECOND}/s`,
      share,
      5,
    ),
    atMost(`work for a token of ${LONG}, of one of ${SHORT}`, dear / cheap, 1.5),
  ];
}

async function spoken(page: Page, load: Load): Promise<Spoken> {
  await page.goto(new URL("/s/", page.url()).href);
  await page.getByRole("textbox").fill(words(load));
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  await page.evaluate(countFrames);
  const before = await workOf(session);
  await page.keyboard.press("Enter");
  await page.locator(".run-foot").waitFor({ timeout: 120_000 });
  const work = ((await workOf(session)) - before) / load.tokens;
  const frames = await page.evaluate(() => (window as unknown as { frames: number[] }).frames);
  await session.detach();
  const longFrames = frames.filter((each) => each > LONG_FRAME_MS).length;
  return { longFrames, frames: frames.length, work };
}

/** Records the duration of each frame from now on. */
function countFrames(): void {
  const frames: number[] = [];
  Object.assign(window, { frames });
  let last = performance.now();
  const next = (now: number) => {
    frames.push(now - last);
    last = now;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}

/** Milliseconds of work of the page's main thread so far. */
async function workOf(session: {
  send(method: "Performance.getMetrics"): Promise<{ metrics: { name: string; value: number }[] }>;
}): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  const of = (name: string) => metrics.find((each) => each.name === name)?.value ?? Number.NaN;
  return 1_000 * (of("ScriptDuration") + of("LayoutDuration") + of("RecalcStyleDuration"));
}
