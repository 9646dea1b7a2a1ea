import type { ApiKey, Role } from "@parley/client";
import { createSignal, For, Show } from "solid-js";
import { CopyButton } from "../../app/copy-button.tsx";
import { createLoaded } from "../../app/loaded.ts";
import { useParley } from "../../app/parley.ts";
import { t } from "../../app/strings/language.ts";
import { ConfirmButton } from "./confirm-button.tsx";
import { createWork } from "./create-work.ts";
import { RoleSelect } from "./role-select.tsx";
import { focusHeading, Section } from "./section.tsx";
import { shownTime } from "./shown-time.ts";

const ID = "workspace-keys";
const DAY_MS = 86_400_000;
const DAYS = [30, 90, 365] as const;

/** For owners: the API keys of the workspace. A new one is shown once, and only here. */
export function KeysSection() {
  const { client, me } = useParley();
  const keys = createLoaded((signal) => client.listKeys({}, { signal }));
  const [name, setName] = createSignal("");
  const [role, setRole] = createSignal<Role>("editor");
  const [days, setDays] = createSignal("90");
  const [isAccount, setIsAccount] = createSignal(false);
  const [made, setMade] = createSignal<{ readonly name: string; readonly secret: string }>();
  const work = createWork();
  const words = () => t().workspacePage;
  const make = () =>
    work.run(async () => {
      const expiresAt =
        days() === "" ? {} : { expiresAt: new Date(Date.now() + Number(days()) * DAY_MS).toISOString() };
      const { key, secret } = await client.createKey({
        name: name().trim(),
        role: role(),
        ...(isAccount() && { owner: name().trim() }),
        ...expiresAt,
      });
      setMade({ name: key.name, secret });
      setName("");
      await keys.reload();
    });
  const revoke = async (key: ApiKey) => {
    await work.run(() => client.revokeKey(key.id));
    await keys.reload();
    focusHeading(ID);
  };
  const about = ({ owner, expiresAt, lastUsedAt }: ApiKey) =>
    [
      words().speaksFor(owner === me.user.id ? me.user.name : owner),
      expiresAt === undefined ? words().noExpiry : words().expires(shownTime(expiresAt)),
      lastUsedAt === undefined ? words().neverUsed : words().lastUsed(shownTime(lastUsedAt)),
    ].join(" · ");
  return (
    <Section id={ID} title={words().keys} hint={words().keysHint} failure={work.failure() ?? keys.failure()}>
      <form
        class="inline-form"
        onSubmit={(event) => {
          event.preventDefault();
          void make();
        }}
      >
        <label class="field">
          <span>{words().keyName}</span>
          <input
            required
            maxLength={100}
            autocomplete="off"
            value={name()}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <RoleSelect label={words().role} isLabelShown value={role()} onChoose={setRole} />
        <label class="field role-field">
          <span>{words().lasts}</span>
          <select value={days()} onChange={(event) => setDays(event.currentTarget.value)}>
            <For each={DAYS}>
              {(each) => (
                <option value={each} selected={String(each) === days()}>
                  {words().days(each)}
                </option>
              )}
            </For>
            <option value="">{words().neverExpires}</option>
          </select>
        </label>
        <label class="field role-field">
          <span>{words().speaksAs}</span>
          <select onChange={(event) => setIsAccount(event.currentTarget.value === "account")}>
            <option value="me">{words().asYou}</option>
            <option value="account">{words().asServiceAccount}</option>
          </select>
        </label>
        <button type="submit" class="button" disabled={work.isBusy()}>
          {words().makeKey}
        </button>
      </form>
      <div aria-live="polite">
        <Show when={made()}>
          {(key) => (
            <div class="made-key">
              <p>{words().keyMade(key().name)}</p>
              <code>{key().secret}</code>
              <div class="people-actions">
                <CopyButton label={words().copyKey} text={() => key().secret} />
                <button type="button" class="quiet-button" onClick={() => setMade(undefined)}>
                  {words().keyKept}
                </button>
              </div>
            </div>
          )}
        </Show>
      </div>
      <ul class="people-list" aria-labelledby={ID}>
        <For each={keys.value()?.keys} fallback={<li class="muted small">{words().noKeys}</li>}>
          {(key) => (
            <li>
              <div class="people-who">
                <strong>{key.name}</strong> <code class="small">{key.prefix}…</code>{" "}
                <span class="muted small">{words().roles[key.role]}</span>
                <p class="muted small">{about(key)}</p>
              </div>
              <ConfirmButton
                label={t().people.revoke}
                name={words().revokeKey(key.name)}
                question={words().revokeKeyQuestion}
                disabled={work.isBusy()}
                onConfirm={() => void revoke(key)}
              />
            </li>
          )}
        </For>
      </ul>
    </Section>
  );
}
