import { For } from "solid-js";
import { language, t } from "../app/strings/language.ts";
import { shortDuration } from "./short-duration.ts";
import type { Trace } from "./span.ts";

/** A run in figures: how long it took, when the first words came, what it used and cost. */
export function RunFigures(props: { trace: Trace }) {
  const figures = (): readonly (readonly [string, string])[] => {
    const { start, end, firstToken, spent } = props.trace;
    const words = t().trace;
    const count = (value: number | undefined) => (value ?? 0).toLocaleString(language());
    return [
      [words.duration, shortDuration(end - start)],
      [words.firstToken, firstToken === undefined ? words.unknown : shortDuration(firstToken - start)],
      [
        words.tokens,
        spent ? words.tokensOf(count(spent.inputTokens), count(spent.outputTokens)) : words.unknown,
      ],
      [words.cost, costText(spent?.cost) ?? words.unknown],
      ...(spent?.model ? [[words.model, spent.model] as const] : []),
    ];
  };
  return (
    <dl class="run-figures">
      <For each={figures()}>
        {([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        )}
      </For>
    </dl>
  );
}

function costText(cost: { readonly amount: number; readonly currency: string } | undefined) {
  if (!cost) return undefined;
  const { amount, currency } = cost;
  // Most runs cost a fraction of a cent, and currencies may be anybody's.
  return `${amount.toLocaleString(language(), { maximumSignificantDigits: 3 })} ${currency}`;
}
