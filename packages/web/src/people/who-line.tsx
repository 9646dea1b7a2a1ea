import { Show } from "solid-js";
import { BASE_PATH } from "../app/base-path.ts";
import { SelectField } from "../app/fields.tsx";
import { IconButton } from "../app/icon.tsx";
import { useParley } from "../app/parley.ts";
import { t } from "../app/strings/language.ts";
import { showToast } from "../app/toasts.ts";
import { clearKept } from "../settings/clear-kept.ts";
import { cacheName, isSomebody, signOut } from "./who.ts";
import "./people.css";

/** The signed-in user, the workspace and the logout button. */
export function WhoLine() {
  const { me, client, state } = useParley();
  const choose = async (id: string) => {
    await client.chooseWorkspace(id);
    location.assign(`${BASE_PATH}/s/`);
  };
  const hasUnsent = () => state().queue.some(({ phase }) => phase.name !== "acknowledged");
  const leave = async () => {
    try {
      await signOut(me);
    } catch {
      showToast({ text: t().people.away });
      return;
    }
    // What was not sent yet is there for them when they come back; of all else nothing stays in the browser.
    if (!hasUnsent()) await clearKept(cacheName(me)).catch(() => {});
    location.assign(`${BASE_PATH}/s/`);
  };
  return (
    <Show when={isSomebody(me)}>
      <div class="who-line">
        <Show when={me.workspaces.length > 1}>
          <SelectField
            class="who-workspace"
            label={t().app.workspace}
            isLabelHidden
            value={me.workspace.id}
            options={me.workspaces.map(({ id, name }) => [id, name])}
            onChoose={(id) => void choose(id)}
          />
        </Show>
        <span class="who-name" title={me.user.email ?? me.user.id}>
          {me.user.name}
        </span>
        <IconButton icon="leave" label={t().people.signOut} hasTooltip onClick={() => void leave()} />
      </div>
    </Show>
  );
}
