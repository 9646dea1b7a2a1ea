import { createSignal, For, Show } from "solid-js";
import { BASE_PATH } from "../../app/base-path.ts";
import { CopyButton } from "../../app/copy-button.tsx";
import { useParley } from "../../app/parley.ts";
import { t } from "../../app/strings/language.ts";
import { createWork } from "./create-work.ts";
import { Section } from "./section.tsx";

/** Which workspace this is, the way to another, and to a new one; and by what others know the user. */
export function SwitchSection() {
  const { me, client } = useParley();
  const [name, setName] = createSignal("");
  const work = createWork();
  const words = () => t().workspacePage;
  const go = async (id: string) => {
    await client.chooseWorkspace(id);
    location.assign(`${BASE_PATH}/s/workspace`);
  };
  const make = () =>
    work.run(async () => {
      const { workspace } = await client.createWorkspace(name().trim());
      await go(workspace.id);
    });
  return (
    <Section
      id="workspace-switch"
      title={me.workspace.name}
      hint={words().youAre(words().roles[me.workspace.role])}
      failure={work.failure()}
    >
      <Show when={me.isLogin}>
        <div class="settings-fields">
          <label class="field">
            <span>{words().switchTo}</span>
            <select
              value={me.workspace.id}
              onChange={(event) => {
                const { value } = event.currentTarget;
                void work.run(() => go(value));
              }}
            >
              <For each={me.workspaces}>
                {({ id, name: each }) => (
                  <option value={id} selected={id === me.workspace.id}>
                    {each}
                  </option>
                )}
              </For>
            </select>
          </label>
          <form
            class="inline-form"
            onSubmit={(event) => {
              event.preventDefault();
              void make();
            }}
          >
            <label class="field">
              <span>{words().newWorkspace}</span>
              <input
                required
                maxLength={100}
                autocomplete="off"
                value={name()}
                onInput={(event) => setName(event.currentTarget.value)}
              />
            </label>
            <button type="submit" class="button" disabled={work.isBusy()}>
              {words().make}
            </button>
          </form>
        </div>
        <div class="settings-row">
          <p class="muted small">
            {words().yourId} <code>{me.user.id}</code>
          </p>
          <CopyButton label={words().copyId} text={() => me.user.id} />
        </div>
      </Show>
    </Section>
  );
}
