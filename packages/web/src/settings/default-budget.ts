import type { Configuration } from "@parley/client";

/** What an answer may use at most, as the user set it; nothing: only the platform's own limits hold. */
export interface DefaultBudget {
  readonly seconds?: number;
  readonly tokens?: number;
}

const KEPT_AS = "parley-budget";

/** The budget that was set in this browser. */
export function defaultBudget(): DefaultBudget {
  const [seconds, tokens] = (localStorage.getItem(KEPT_AS) ?? "").split("/").map(wholeNumber);
  return { ...(seconds !== undefined && { seconds }), ...(tokens !== undefined && { tokens }) };
}

/** Applies to new conversations. */
export function setDefaultBudget({ seconds, tokens }: DefaultBudget): void {
  if (seconds === undefined && tokens === undefined) localStorage.removeItem(KEPT_AS);
  else localStorage.setItem(KEPT_AS, `${seconds ?? ""}/${tokens ?? ""}`);
}

/** Parses a whole number above 0; undefined if invalid. */
export function wholeNumber(text: string): number | undefined {
  const value = Number(text);
  return text.trim() !== "" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

export function newSessionConfig(budget = defaultBudget()): { readonly config?: Configuration } {
  const { seconds, tokens } = budget;
  if (seconds === undefined && tokens === undefined) return {};
  const limits = {
    ...(seconds !== undefined && { timeMs: seconds * 1_000 }),
    ...(tokens !== undefined && { tokens }),
  };
  return { config: { budget: limits } };
}
