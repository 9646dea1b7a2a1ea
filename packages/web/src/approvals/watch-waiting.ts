import type { Approval } from "@parley/client";
import { useNavigate } from "@solidjs/router";
import { createEffect } from "solid-js";
import { onShortcut } from "../app/keys.ts";
import { type Parley, useParley } from "../app/parley.ts";
import { t } from "../app/strings/language.ts";
import { type Inbox, useInbox } from "./inbox.ts";
import { noticeStanding } from "./notices.ts";

const MAX_TEXT_LENGTH = 200;

/**
 * Shows a desktop notification for new approvals while this page is hidden. Of several tabs only the leader does;
 * approvals that were pending when the page opened are skipped.
 */
function tellOfWaiting(
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
    body: approval.question.slice(0, MAX_TEXT_LENGTH),
    tag: approval.id,
  });
  notice.addEventListener("click", () => {
    window.focus();
    goTo(approval);
    notice.close();
  });
}

/** Shows desktop notifications of new requests, and binds the shortcut that leads to them. */
export function watchWaiting(): void {
  const navigate = useNavigate();
  tellOfWaiting(useInbox(), useParley(), ({ sessionId }) => navigate(`/${sessionId}`));
  onShortcut("waiting", () => {
    const card = document.querySelector<HTMLElement>(".approval.waiting");
    if (card) card.focus();
    else navigate("/inbox");
  });
}
