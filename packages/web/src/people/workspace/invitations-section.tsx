import type { Invitation, Members, Role } from "@parley/client";
import { createSignal, For } from "solid-js";
import { SERVER_URL } from "../../app/base-path.ts";
import { Button } from "../../app/button.tsx";
import { CopyButton } from "../../app/copy-button.tsx";
import { submitted, TextField } from "../../app/fields.tsx";
import { createWork, type Loaded } from "../../app/loaded.ts";
import { useParley } from "../../app/parley.ts";
import { focusHeading, Section } from "../../app/section.tsx";
import { t } from "../../app/strings/language.ts";
import { showToast } from "../../app/toasts.ts";
import { RoleSelect } from "./role-select.tsx";

const ID = "workspace-invitations";

/** Invites people by email address; the link only names the workspace and is not a secret. */
export function InvitationsSection(props: { people: Loaded<Members> }) {
  const { me, client } = useParley();
  const [email, setEmail] = createSignal("");
  const [role, setRole] = createSignal<Role>("editor");
  const work = createWork();
  const words = () => t().workspacePage;
  const address = `${SERVER_URL}/s/join/${encodeURIComponent(me.workspace.id)}`;
  const invite = async (invited: { readonly email: string; readonly role: Role }) => {
    const { email: to, role: as } = invited;
    const isDone = await work.run(() => client.addMember(me.workspace.id, { email: to, role: as }));
    await props.people.reload();
    return isDone;
  };
  const revoke = async (invitation: Invitation) => {
    const isDone = await work.run(() => client.uninvite(me.workspace.id, invitation.email));
    await props.people.reload();
    focusHeading(ID);
    if (!isDone) return;
    const undo = { label: t().app.undo, run: () => void invite(invitation) };
    showToast({ text: words().uninvited(invitation.email), action: undo });
  };
  return (
    <Section id={ID} title={words().invitations} hint={words().invitationsHint} failure={work.failure()}>
      <form
        class="inline-form"
        onSubmit={submitted(async () => {
          if (await invite({ email: email().trim(), role: role() })) setEmail("");
        })}
      >
        <TextField
          label={words().email}
          type="email"
          required
          maxLength={320}
          placeholder="name@example.com"
          value={email()}
          onText={setEmail}
        />
        <RoleSelect label={words().role} value={role()} onChoose={setRole} />
        <Button type="submit" label={words().invite} disabled={work.isBusy()} />
      </form>
      <ul class="people-list" aria-labelledby={ID}>
        <For
          each={props.people.value()?.invitations}
          fallback={<li class="muted small">{words().noInvitations}</li>}
        >
          {(invitation) => (
            <li>
              <div class="people-who">
                <strong>{invitation.email}</strong>
                <p class="muted small">{words().roles[invitation.role]}</p>
              </div>
              <CopyButton label={t().people.copyLink} text={() => address} />
              <Button
                kind="quiet"
                aria-label={words().uninvite(invitation.email)}
                label={t().people.revoke}
                disabled={work.isBusy()}
                onClick={() => void revoke(invitation)}
              />
            </li>
          )}
        </For>
      </ul>
    </Section>
  );
}
