import type { Member, Members, Role } from "@parley/client";
import { For, Show } from "solid-js";
import { BASE_PATH } from "../../app/base-path.ts";
import { createWork, type Loaded } from "../../app/loaded.ts";
import { useParley } from "../../app/parley.ts";
import { focusHeading, Section } from "../../app/section.tsx";
import { t } from "../../app/strings/language.ts";
import { showToast } from "../../app/toasts.ts";
import { ConfirmButton } from "./confirm-button.tsx";
import { RoleSelect } from "./role-select.tsx";

const ID = "workspace-members";

/** The members of the workspace; owners change roles and remove members. */
export function MembersSection(props: { people: Loaded<Members> }) {
  const { me, client } = useParley();
  const work = createWork();
  const words = () => t().workspacePage;
  const isOwner = () => me.workspace.role === "owner";
  const isMe = (member: Member) => member.userId === me.user.id;
  /** Nobody leaves the workspace that is their own, which is the first of theirs. */
  const isFixed = (member: Member) =>
    member.isSet || (isMe(member) && me.workspaces[0]?.id === me.workspace.id && me.isLogin);
  const setRole = async (member: Member, role: Role, canUndo = true) => {
    const before = member.role;
    const isDone = await work.run(() => client.setRole(me.workspace.id, member.userId, role));
    await props.people.reload();
    if (!isDone || !canUndo) return;
    // What one may no more, one cannot take back either.
    if (isMe(member)) return location.reload();
    const undo = { label: t().app.undo, run: () => void setRole({ ...member, role }, before, false) };
    showToast({ text: words().roleIs(member.name, words().roles[role]), action: undo });
  };
  const remove = async (member: Member) => {
    const isDone = await work.run(() => client.removeMember(me.workspace.id, member.userId));
    if (isDone && isMe(member)) return location.assign(`${BASE_PATH}/s/`);
    await props.people.reload();
    focusHeading(ID);
  };
  return (
    <Section
      id={ID}
      title={words().members}
      hint={words().membersHint}
      failure={work.failure() ?? props.people.failure()}
    >
      <ul class="people-list" aria-labelledby={ID}>
        <For each={props.people.value()?.members}>
          {(member) => (
            <li>
              <div class="people-who">
                <strong>{member.name}</strong>
                <Show when={isMe(member)}>
                  <span class="muted small"> {words().you}</span>
                </Show>
                <p class="muted small">{member.email ?? member.userId}</p>
              </div>
              <Show
                when={isOwner() && !isFixed(member)}
                fallback={
                  <span class="muted small" title={member.isSet && words().setByOperator}>
                    {words().roles[member.role]}
                    <Show when={member.isSet}> · {words().setByOperator}</Show>
                  </span>
                }
              >
                <RoleSelect
                  label={words().roleOf(member.name)}
                  isLabelHidden
                  value={member.role}
                  disabled={work.isBusy()}
                  onChoose={(role) => void setRole(member, role)}
                />
              </Show>
              <Show when={!isFixed(member) && (isOwner() || isMe(member))}>
                <ConfirmButton
                  label={isMe(member) ? words().leave : t().app.remove}
                  name={isMe(member) ? words().leave : words().removeName(member.name)}
                  question={isMe(member) ? words().leaveQuestion : words().removeQuestion(member.name)}
                  disabled={work.isBusy()}
                  onConfirm={() => void remove(member)}
                />
              </Show>
            </li>
          )}
        </For>
      </ul>
    </Section>
  );
}
