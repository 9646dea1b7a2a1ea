import type { AuditEntry } from "@parley/client";
import { createSignal, For, onMount, Show } from "solid-js";
import { useParley } from "../../app/parley.ts";
import { t } from "../../app/strings/language.ts";
import { createWork } from "./create-work.ts";
import { Section } from "./section.tsx";
import { shownTime } from "./shown-time.ts";

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
        <label class="field role-field">
          <span>{words().kind}</span>
          <select
            value={kind()}
            onChange={(event) => {
              setKind(event.currentTarget.value);
              void load();
            }}
          >
            <option value="">{words().allKinds}</option>
            <For each={KINDS}>{(each) => <option value={each}>{words().kinds[each]}</option>}</For>
          </select>
        </label>
        <label class="field">
          <span>{words().byWhom}</span>
          <input
            type="search"
            maxLength={100}
            value={who()}
            onInput={(event) => {
              setWho(event.currentTarget.value);
              void load();
            }}
          />
        </label>
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
        <button type="button" class="button" disabled={work.isBusy()} onClick={() => void load(next())}>
          {words().older}
        </button>
      </Show>
    </Section>
  );
}
