import type { Approval } from "@parley/client";
import { A } from "@solidjs/router";
import { createEffect, createMemo, For, on, Show } from "solid-js";
import { createLoaded } from "../app/loaded.ts";
import { setPageTitle } from "../app/page-title.ts";
import { useParley } from "../app/parley.ts";
import { sessionWholeName } from "../app/session-name.ts";
import { t } from "../app/strings/language.ts";
import { ApprovalCard } from "./approval-card.tsx";
import { useInbox } from "./inbox.ts";
import "./inbox-page.css";

/** All open approvals and questions, and the recent decisions. */
export default function InboxPage() {
  const { client, state } = useParley();
  const inbox = useInbox();
  let list: HTMLDivElement | undefined;
  const answered = createLoaded(
    async (signal) => (await client.listApprovals({ open: false, limit: 10 }, { signal })).approvals,
  );
  const cursor = createMemo(() => state().list.cursor);
  createEffect(on(cursor, () => void answered.reload(), { defer: true }));
  setPageTitle(() => t().app.inbox);
  // Who answers one with a key answers the next with a key.
  const focusFirst = () =>
    queueMicrotask(() => list?.querySelector<HTMLElement>(".approval.waiting")?.focus());
  return (
    <div class="plain-page inbox">
      <h1>{t().app.inbox}</h1>
      <Show when={inbox.isKnown() && !inbox.isCurrent()}>
        <p class="muted small">{t().approvals.old}</p>
      </Show>
      <Show
        when={inbox.open().length > 0}
        fallback={
          <Show when={inbox.isKnown()}>
            <p>{t().approvals.none}</p>
            <p class="muted small">{t().approvals.noneHint}</p>
          </Show>
        }
      >
        <p class="muted small">{t().approvals.keysHint}</p>
        <div class="inbox-list" ref={list}>
          <For each={inbox.open()}>
            {(approval) => (
              <ApprovalCard
                approval={approval}
                isOpen
                origin={<Origin approval={approval} />}
                onAnswered={focusFirst}
              />
            )}
          </For>
        </div>
      </Show>
      <Show when={(answered.value()?.length ?? 0) > 0}>
        <h2>{t().approvals.recent}</h2>
        <div class="inbox-list">
          <For each={answered.value()}>
            {(approval) => (
              <ApprovalCard approval={approval} isOpen={false} origin={<Origin approval={approval} />} />
            )}
          </For>
        </div>
      </Show>
    </div>
  );
}

function Origin(props: { approval: Approval }) {
  const { state } = useParley();
  const session = () => state().list.sessions[props.approval.sessionId];
  const name = () => {
    const known = session();
    return known ? sessionWholeName(known, t()) : t().app.untitled;
  };
  const when = () => new Date(props.approval.requestedAt);
  const time = () => {
    const isToday = when().toDateString() === new Date().toDateString();
    const style = { ...(!isToday && { dateStyle: "medium" as const }), timeStyle: "short" as const };
    return new Intl.DateTimeFormat(document.documentElement.lang, style).format(when());
  };
  return (
    <span class="muted small approval-origin">
      {t().approvals.in} <A href={`/${props.approval.sessionId}`}>{name()}</A>
      {" · "}
      <time dateTime={when().toISOString()}>{time()}</time>
    </span>
  );
}
