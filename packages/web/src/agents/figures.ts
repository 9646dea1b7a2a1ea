import type { Agent } from "@parley/client";

/** A figure of an agent, under its name in the catalogue. */
export interface Figure {
  readonly name: "asked" | "delegated" | "failed" | "latency" | "firstToken" | "tokens" | "cost";
  readonly text: string;
}

/** How an agent has done, of what people asked it and what was delegated to it together; what is not known is left out. */
export function figuresOf(
  { runs, delegations, inputTokens, outputTokens, cost }: NonNullable<Agent["statistics"]>,
  language: string,
): readonly Figure[] {
  const number = (value: number) => value.toLocaleString(language);
  const ended = runs.ended + delegations.ended;
  const failed = runs.failed + delegations.failed;
  const share = ended === 0 ? 0 : failed / ended;
  const percent = share.toLocaleString(language, { style: "percent", maximumFractionDigits: 1 });
  const latency = meanOf([runs, delegations], "meanMs");
  const first = meanOf([runs, delegations], "meanFirstTokenMs");
  const spent = cost.map(({ amount, currency }) =>
    amount.toLocaleString(language, { style: "currency", currency, maximumFractionDigits: 4 }),
  );
  return [
    { name: "asked", text: number(runs.ended) },
    { name: "delegated", text: number(delegations.ended) },
    { name: "failed", text: failed === 0 ? "0" : `${number(failed)} (${percent})` },
    ...(latency === undefined ? [] : [{ name: "latency", text: timeText(latency, language) } as const]),
    ...(first === undefined ? [] : [{ name: "firstToken", text: timeText(first, language) } as const]),
    { name: "tokens", text: `${number(inputTokens)} / ${number(outputTokens)}` },
    ...(spent.length === 0 ? [] : [{ name: "cost", text: spent.join(" + ") } as const]),
  ];
}

type Work = NonNullable<Agent["statistics"]>["runs"];

function meanOf(works: readonly Work[], of: "meanMs" | "meanFirstTokenMs"): number | undefined {
  const known = works.flatMap((work) => {
    const mean = work[of];
    return mean === undefined || work.ended === 0 ? [] : [{ mean, count: work.ended }];
  });
  const count = known.reduce((sum, each) => sum + each.count, 0);
  return count === 0 ? undefined : known.reduce((sum, each) => sum + each.mean * each.count, 0) / count;
}

function timeText(milliseconds: number, language: string): string {
  const [value, unit] = milliseconds < 1_000 ? [milliseconds, "ms"] : [milliseconds / 1_000, "s"];
  return `${value.toLocaleString(language, { maximumFractionDigits: unit === "s" ? 1 : 0 })} ${unit}`;
}
