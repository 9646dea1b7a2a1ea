import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

const TRANSITIONS_ENDED = `Promise.allSettled(
  document.getAnimations().flatMap((each) => (each instanceof CSSTransition ? [each.finished] : [])),
).then(() => undefined)`;

type Theme = "light" | "dark";

/** What axe finds wrong with a page in both themes, or in those that are named: rule, theme, element. */
export async function accessibilityViolations(
  page: Page,
  themes: readonly Theme[] = ["light", "dark"],
): Promise<readonly string[]> {
  const found: string[] = [];
  // A page that was not loaded anew still has it.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(await readFile(AXE, "utf8"));
  for (const colorScheme of themes) {
    // Colours halfway through a transition are nobody's choice: none begins, and those under way end.
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.evaluate(TRANSITIONS_ENDED);
    const violations = await page.evaluate(violationsHere);
    found.push(...violations.map((violation) => `${colorScheme}: ${violation}`));
  }
  await page.emulateMedia({ reducedMotion: null });
  return found;
}

interface Axe {
  run(options: { readonly resultTypes: readonly "violations"[] }): Promise<{
    readonly violations: readonly {
      readonly id: string;
      readonly nodes: readonly { readonly target: unknown }[];
    }[];
  }>;
}

async function violationsHere(): Promise<string[]> {
  const { axe } = globalThis as unknown as { axe: Axe };
  // All rules are checked; what is in order need not be described.
  const { violations } = await axe.run({ resultTypes: ["violations"] });
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id} at ${String(target)}`));
}
