import type { ShownMessage } from "@parley/client";
import { A, useNavigate } from "@solidjs/router";
import { createEffect, createMemo, Show } from "solid-js";
import { Button } from "../app/button.tsx";
import { Icon, IconButton } from "../app/icon.tsx";
import { useParley } from "../app/parley.ts";
import type { SessionView } from "../app/session-view.ts";
import { t } from "../app/strings/language.ts";
import { alternativesAt, type Place } from "./alternatives.ts";
import { useBranches } from "./branches.ts";
import "./branches.css";

type Step = -1 | 1;

/** The last step, so that the same button on the next page gets the focus. */
let walked: { readonly place: Place; readonly step: Step; readonly until: number } | undefined;
const REMEMBERED_MS = 3_000;

/** `‹ 2/3 ›`: walks between the branches that differ here; nothing where there is only one. */
export function BranchWalker(props: { place: Place }) {
  const branches = useBranches();
  const navigate = useNavigate();
  const alternatives = createMemo(
    () => branches && alternativesAt(branches.family(), branches.id(), props.place),
  );
  const go = (step: Step) => {
    const { sessions, at } = alternatives() ?? { sessions: [], at: 0 };
    const next = sessions[at + step];
    if (next === undefined) return;
    walked = { place: props.place, step, until: performance.now() + REMEMBERED_MS };
    navigate(`/${next}`);
  };
  let group: HTMLFieldSetElement | undefined;
  createEffect(() => {
    if (!alternatives() || walked?.place !== props.place) return;
    const { step, until } = walked;
    walked = undefined;
    if (performance.now() > until) return;
    // The page has to be laid out first: being focused brings the message into view.
    requestAnimationFrame(() => requestAnimationFrame(() => focusIn(group, step)));
  });
  return (
    <Show when={alternatives()}>
      {(known) => (
        <fieldset
          class="branch-walker"
          aria-label={t().branches.position(known().at + 1, known().sessions.length)}
          ref={group}
        >
          <IconButton
            icon="chevron"
            label={t().branches.previous}
            hasTooltip
            class="back"
            disabled={known().at === 0}
            onClick={() => go(-1)}
          />
          <span aria-hidden="true">{`${known().at + 1}/${known().sessions.length}`}</span>
          <IconButton
            icon="chevron"
            label={t().branches.next}
            hasTooltip
            disabled={known().at === known().sessions.length - 1}
            onClick={() => go(1)}
          />
        </fieldset>
      )}
    </Show>
  );
}

function focusIn(group: HTMLElement | undefined, step: Step): void {
  const [back, next] = group?.querySelectorAll("button") ?? [];
  const wanted = step === 1 ? [next, back] : [back, next];
  wanted.find((button) => button && !button.disabled)?.focus();
}

/** Forks the conversation after a message. */
export function ForkButton(props: { messageId: string | undefined }) {
  const { engine } = useParley();
  const branches = useBranches();
  return (
    <Show when={branches && props.messageId}>
      {(messageId) => (
        <Button
          kind="quiet"
          label={t().branches.forkHere}
          onClick={() => branches && engine.fork(branches.id(), { messageId: messageId() })}
          icon="branch"
        />
      )}
    </Show>
  );
}

/** Marks an empty branch and links to its origin. */
export function NewBranchNote(props: { view: SessionView }) {
  const branches = useBranches();
  const parent = createMemo(() => {
    const family = branches?.family();
    const origin = family?.get(props.view.id())?.origin;
    const isNew = origin?.messages === props.view.shown()?.messages.length;
    return origin && isNew
      ? { id: origin.sessionId, title: family?.get(origin.sessionId)?.title }
      : undefined;
  });
  return (
    <Show when={parent()}>
      {(from) => (
        <div class="new-branch muted small">
          <Icon name="branch" />
          <span>
            {t().branches.newBranch} <A href={`/${from().id}`}>{from().title || t().app.untitled}</A>
          </span>
          <BranchWalker place={props.view.shown()?.messages.length ?? 0} />
        </div>
      )}
    </Show>
  );
}

/** The tools below a user's message: edit, fork, and switch between versions. */
export function UserTools(props: { message: ShownMessage | undefined; onEdit: () => void }) {
  const branches = useBranches();
  const recorded = () => (branches && props.message && !props.message.pending ? props.message : undefined);
  return (
    <Show when={recorded()}>
      {(message) => (
        <span class="user-tools">
          <span class="on-demand">
            <Button kind="quiet" label={t().branches.edit} onClick={props.onEdit} icon="edit" />
            <ForkButton messageId={message().id} />
          </span>
          <BranchWalker place={message().index} />
        </span>
      )}
    </Show>
  );
}
