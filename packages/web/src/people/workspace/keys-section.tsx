import type { ApiKey, Role } from "@parley/client";
import { createSignal, For, Show } from "solid-js";
import { Button } from "../../app/button.tsx";
import { CopyButton } from "../../app/copy-button.tsx";
import { SelectField, submitted, TextField } from "../../app/fields.tsx";
import { createLoaded, createWork } from "../../app/loaded.ts";
import { useParley } from "../../app/parley.ts";
import { focusHeading, Section } from "../../app/section.tsx";
import { shownTime, t } from "../../app/strings/language.ts";
import { ConfirmButton } from "./confirm-button.tsx";
import { RoleSelect } from "./role-select.tsx";

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
  const [speaker, setSpeaker] = createSignal<"me" | "account">("me");
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
        ...(speaker() === "account" && { owner: name().trim() }),
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
      <form class="inline-form" onSubmit={submitted(make)}>
        <TextField label={words().keyName} required maxLength={100} value={name()} onText={setName} />
        <RoleSelect label={words().role} value={role()} onChoose={setRole} />
        <SelectField
          label={words().lasts}
          value={days()}
          options={[
            ...DAYS.map((each) => [String(each), words().days(each)] as const),
            ["", words().neverExpires],
          ]}
          onChoose={setDays}
        />
        <SelectField
          label={words().speaksAs}
          value={speaker()}
          options={[
            ["me", words().asYou],
            ["account", words().asServiceAccount],
          ]}
          onChoose={setSpeaker}
        />
        <Button type="submit" label={words().makeKey} disabled={work.isBusy()} />
      </form>
      <div aria-live="polite">
        <Show when={made()}>
          {(key) => (
            <div class="made-key">
              <p>{words().keyMade(key().name)}</p>
              <code>{key().secret}</code>
              <div class="people-actions">
                <CopyButton label={words().copyKey} text={() => key().secret} />
                <Button kind="quiet" label={words().keyKept} onClick={() => setMade(undefined)} />
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
