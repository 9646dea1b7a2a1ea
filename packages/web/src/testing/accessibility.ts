import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** What axe finds wrong with a page in both themes: rule, theme, element. */
export async function accessibilityViolations(page: Page): Promise<readonly string[]> {
  const source = await readFile(AXE, "utf8");
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(source);
    const violations = await page.evaluate(violationsHere);
    found.push(...violations.map((violation) => `${colorScheme}: ${violation}`));
  }
  return found;
}

interface Axe {
  run(): Promise<{
    readonly violations: readonly {
      readonly id: string;
      readonly nodes: readonly { readonly target: unknown }[];
    }[];
  }>;
}

async function violationsHere(): Promise<string[]> {
  const { axe } = globalThis as unknown as { axe: Axe };
  const { violations } = await axe.run();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id} at ${String(target)}`));
}
