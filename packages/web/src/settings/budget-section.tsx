import type { Settings } from "@parley/client";
import { createSignal, Show } from "solid-js";
import { TextField } from "../app/fields.tsx";
import { Section } from "../app/section.tsx";
import { language, t } from "../app/strings/language.ts";
import { defaultBudget, setDefaultBudget, wholeNumber } from "./default-budget.ts";

/** The maximum usage of an answer, in new conversations. */
export function BudgetSection(props: { limits: Settings["limits"]["supervisor"] | undefined }) {
  const [isSaved, setSaved] = createSignal(false);
  const before = defaultBudget();
  const [seconds, setSeconds] = createSignal(String(before.seconds ?? ""));
  const [tokens, setTokens] = createSignal(String(before.tokens ?? ""));
  const isWrong = (text: string) => text.trim() !== "" && wholeNumber(text) === undefined;
  const save = () => {
    if (isWrong(seconds()) || isWrong(tokens())) return;
    const [most, many] = [wholeNumber(seconds()), wholeNumber(tokens())];
    setDefaultBudget({
      ...(most !== undefined && { seconds: most }),
      ...(many !== undefined && { tokens: many }),
    });
    setSaved(true);
  };
  const field = (
    name: "seconds" | "tokens",
    { value, set }: { readonly value: () => string; readonly set: (text: string) => void },
  ) => {
    const limit = () => props.limits?.[name];
    const hint = () => {
      if (isWrong(value())) return t().settingsPage.notNumber;
      const [given, most] = [wholeNumber(value()), limit()];
      if (given !== undefined && most !== undefined && given > most) return t().settingsPage.tooHigh;
      return most === undefined ? "" : t().settingsPage.platform(most.toLocaleString(language()));
    };
    return (
      <TextField
        label={t().settingsPage[name]}
        inputmode="numeric"
        value={value()}
        aria-invalid={isWrong(value())}
        aria-describedby={`budget-${name}`}
        onText={(text) => {
          setSaved(false);
          set(text);
        }}
        onChange={save}
      >
        <span
          id={`budget-${name}`}
          class="small"
          classList={{ muted: !isWrong(value()), bad: isWrong(value()) }}
        >
          {hint()}
        </span>
      </TextField>
    );
  };
  return (
    <Section id="settings-budget" title={t().settingsPage.budget} hint={t().settingsPage.budgetHint}>
      <div class="settings-fields">
        {field("seconds", { value: seconds, set: setSeconds })}
        {field("tokens", { value: tokens, set: setTokens })}
      </div>
      <p class="small good" role="status">
        <Show when={isSaved()}>{t().settingsPage.saved}</Show>
      </p>
    </Section>
  );
}
