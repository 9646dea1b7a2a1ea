import { createMemo, For } from "solid-js";
import { t } from "../app/strings/language.ts";
import { findingOf } from "./finding.ts";

/** The validator's findings on a card, errors first. */
export function FindingsList(props: { findings: readonly string[] }) {
  const findings = createMemo(() => {
    const all = props.findings.map(findingOf);
    const of = (severity: string) => all.filter((finding) => finding.severity === severity);
    return [...of("error"), ...of("warning")];
  });
  const count = (severity: string) => findings().filter((finding) => finding.severity === severity).length;
  const summary = () =>
    [
      count("error") > 0 && t().agentsPage.errors(count("error")),
      count("warning") > 0 && t().agentsPage.warnings(count("warning")),
    ]
      .filter(Boolean)
      .join(", ");
  return (
    <section class="findings" aria-label={t().agentsPage.findings}>
      <h3>
        {t().agentsPage.findings} <span class="muted">({summary()})</span>
      </h3>
      <ul>
        <For each={findings()}>
          {({ severity, path, message }) => (
            <li data-severity={severity}>
              <code>{path}</code> {message}
            </li>
          )}
        </For>
      </ul>
    </section>
  );
}
