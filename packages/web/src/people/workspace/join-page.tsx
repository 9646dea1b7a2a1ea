import { A, useParams } from "@solidjs/router";
import { onMount, Show } from "solid-js";
import { BASE_PATH } from "../../app/base-path.ts";
import { reasonOf } from "../../app/loaded.ts";
import { setPageTitle } from "../../app/page-title.ts";
import { useParley } from "../../app/parley.ts";
import { t } from "../../app/strings/language.ts";
import { showToast } from "../../app/toasts.ts";

/** The page behind an invitation link. */
export default function JoinPage() {
  const { me, client } = useParley();
  const params = useParams<{ workspace: string }>();
  const words = () => t().workspacePage;
  const isMember = () => me.workspaces.some(({ id }) => id === params.workspace);
  setPageTitle(() => t().app.workspace);
  onMount(async () => {
    if (!isMember()) return;
    try {
      await client.chooseWorkspace(params.workspace);
      location.assign(`${BASE_PATH}/s/`);
    } catch (error) {
      showToast({ text: reasonOf(error) });
    }
  });
  return (
    <Show when={!isMember()} fallback={<p class="plain-page muted">{t().app.loading}</p>}>
      <div class="notice-page">
        <h1>{words().notInvited}</h1>
        <p class="muted">{words().notInvitedHint(me.user.email ?? me.user.name)}</p>
        <A class="button" href="/">
          {t().app.backToStart}
        </A>
      </div>
    </Show>
  );
}
