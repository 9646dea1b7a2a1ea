import { type Browser, chromium } from "playwright-core";
import { systemTool } from "./system-tool.ts";

/** Opens a Chromium (`CHROMIUM`, or the system's) without a window, with a fresh profile and no traffic of its own. */
export async function openChromium(): Promise<Browser> {
  return await chromium.launch({
    executablePath: process.env.CHROMIUM || systemTool("chromium"),
    args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}
