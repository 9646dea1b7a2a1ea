import { createSignal, Show } from "solid-js";
import { BASE_PATH } from "../../app/base-path.ts";
import { Button } from "../../app/button.tsx";
import { CopyButton } from "../../app/copy-button.tsx";
import { SelectField, submitted, TextField } from "../../app/fields.tsx";
import { createWork } from "../../app/loaded.ts";
import { useParley } from "../../app/parley.ts";
import { Section } from "../../app/section.tsx";
import { t } from "../../app/strings/language.ts";

/** The current workspace, switching to another, and creating one. */
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
          <SelectField
            class="field"
            label={words().switchTo}
            value={me.workspace.id}
            options={me.workspaces.map((each) => [each.id, each.name])}
            onChoose={(id) => void work.run(() => go(id))}
          />
          <form class="inline-form" onSubmit={submitted(make)}>
            <TextField
              label={words().newWorkspace}
              required
              maxLength={100}
              value={name()}
              onText={setName}
            />
            <Button type="submit" label={words().make} disabled={work.isBusy()} />
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
