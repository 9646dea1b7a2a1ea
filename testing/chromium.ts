import { type Browser, type BrowserContextOptions, chromium } from "playwright-core";
import { systemTool } from "./system-tool.ts";

/** What a test does with a browser. */
export type TestBrowser = Pick<Browser, "newContext" | "newPage" | "close">;

/**
 * Opens a Chromium (`CHROMIUM`, or the system's) without a window, with a fresh profile and no traffic of its own. The
 * build without windows takes a third less of the processor than the one that hides them.
 */
export async function openChromium(): Promise<Browser> {
  return await chromium.launch({
    executablePath: process.env.CHROMIUM || systemTool("chromium-headless-shell", "chromium"),
    args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}

let ofThisWorker: Promise<Browser> | undefined;

/** The one Chromium of this process, launched by the first caller; `close` closes only the caller's own pages. */
export async function sharedChromium(): Promise<TestBrowser> {
  ofThisWorker ??= launchForThisWorker();
  const browser = await ofThisWorker;
  const contexts: Awaited<ReturnType<Browser["newContext"]>>[] = [];
  const newContext = async (options?: BrowserContextOptions) => {
    const context = await browser.newContext(options);
    contexts.push(context);
    return context;
  };
  return {
    newContext,
    newPage: async (options) => (await newContext(options)).newPage(),
    close: async () => {
      await Promise.all(contexts.map((context) => context.close()));
    },
  };
}

async function launchForThisWorker(): Promise<Browser> {
  try {
    const browser = await openChromium();
    // One that crashed takes down the tests that use it, and no others.
    browser.once("disconnected", () => (ofThisWorker = undefined));
    return browser;
  } catch (error) {
    ofThisWorker = undefined;
    throw error;
  }
}
