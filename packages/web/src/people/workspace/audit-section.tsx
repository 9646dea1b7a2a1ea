import type { AuditEntry } from "@parley/client";
import { createSignal, For, onMount, Show } from "solid-js";
import { Button } from "../../app/button.tsx";
import { SelectField, TextField } from "../../app/fields.tsx";
import { createWork } from "../../app/loaded.ts";
import { useParley } from "../../app/parley.ts";
import { Section } from "../../app/section.tsx";
import { shownTime, t } from "../../app/strings/language.ts";

const ID = "workspace-audit";
const PAGE = 20;
const KINDS = ["key", "member", "invitation", "session", "workspace", "agent", "settings", "login"] as const;

/** For owners: who did what in the workspace, the newest first, by kind and by whom. */
export function AuditSection() {
  const { client } = useParley();
  const [entries, setEntries] = createSignal<readonly AuditEntry[]>([]);
  const [next, setNext] = createSignal<number>();
  const [kind, setKind] = createSignal("");
  const [who, setWho] = createSignal("");
  const work = createWork();
  const words = () => t().workspacePage;
  let asked = 0;
  const load = (before?: number) =>
    work.run(async () => {
      const mine = ++asked;
      const found = await client.audit({
        limit: PAGE,
        ...(before !== undefined && { before }),
        ...(kind() !== "" && { action: kind() }),
        ...(who().trim() !== "" && { who: who().trim() }),
      });
      // Somebody who types on has asked for something else meanwhile.
      if (mine !== asked) return;
      setEntries((shown) => (before === undefined ? found.entries : [...shown, ...found.entries]));
      setNext(found.next);
    });
  onMount(() => void load());
  const detailsOf = ({ details = {}, address }: AuditEntry) =>
    Object.entries({ ...details, ...(address !== undefined && { address }) })
      .map(([name, value]) => `${name}: ${value}`)
      .join(", ");
  const actionOf = ({ action }: AuditEntry) =>
    (words().actions as Readonly<Record<string, string>>)[action] ?? action;
  return (
    <Section id={ID} title={words().audit} hint={words().auditHint} failure={work.failure()}>
      <search class="inline-form">
        <SelectField
          label={words().kind}
          value={kind()}
          options={[["", words().allKinds], ...KINDS.map((each) => [each, words().kinds[each]] as const)]}
          onChoose={(chosen) => {
            setKind(chosen);
            void load();
          }}
        />
        <TextField
          label={words().byWhom}
          type="search"
          maxLength={100}
          value={who()}
          onText={(text) => {
            setWho(text);
            void load();
          }}
        />
      </search>
      <ol class="audit-list" aria-labelledby={ID} aria-busy={work.isBusy()}>
        <For each={entries()} fallback={<li class="muted small">{words().nothingNoted}</li>}>
          {(entry) => (
            <li>
              <span class="muted small">{shownTime(entry.at)}</span>
              <span>
                <strong>{entry.name}</strong> {actionOf(entry)} <code class="small">{entry.target}</code>{" "}
                <Show when={detailsOf(entry)}>
                  {(details) => <span class="muted small">{details()}</span>}
                </Show>
              </span>
            </li>
          )}
        </For>
      </ol>
      <Show when={next() !== undefined}>
        <Button label={words().older} disabled={work.isBusy()} onClick={() => void load(next())} />
      </Show>
    </Section>
  );
}
