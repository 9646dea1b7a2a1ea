import type { Approval } from "@parley/client";
import { createEffect } from "solid-js";
import type { Parley } from "../app/parley.ts";
import { t } from "../app/strings/language.ts";
import type { Inbox } from "./inbox.ts";
import { noticeStanding } from "./notices.ts";

const LONGEST_TEXT = 200;

/**
 * Tells on the desktop of what begins to wait while nobody looks at this page. Of several tabs only the leader tells;
 * what waited already when the page was opened was told of before.
 */
export function tellOfWaiting(
  { open, isKnown }: Inbox,
  { state }: Pick<Parley, "state">,
  goTo: (approval: Approval) => void,
): void {
  let known: ReadonlySet<string> | undefined;
  createEffect(() => {
    if (!isKnown()) return;
    const before = known;
    known = new Set([...(before ?? []), ...open().map(({ id }) => id)]);
    if (!before || noticeStanding() !== "on" || !state().isLeading || !document.hidden) return;
    for (const approval of open()) if (!before.has(approval.id)) tell(approval, goTo);
  });
}

function tell(approval: Approval, goTo: (approval: Approval) => void): void {
  const title = t().approvals.noticeTitle(approval.agent ?? t().approvals.someone);
  const notice = new Notification(title, {
    body: approval.question.slice(0, LONGEST_TEXT),
    tag: approval.id,
  });
  notice.addEventListener("click", () => {
    window.focus();
    goTo(approval);
    notice.close();
  });
}
