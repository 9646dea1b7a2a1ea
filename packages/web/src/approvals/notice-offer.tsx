import { Show } from "solid-js";
import { Icon } from "../app/icon.tsx";
import { t } from "../app/strings/language.ts";
import { noticeStanding, turnNoticesOn } from "./notices.ts";

/** Beside what waits: offers to tell of the next on the desktop, until the user has decided about that. */
export function NoticeOffer() {
  return (
    <Show when={noticeStanding() === "unasked"}>
      <button type="button" class="quiet-button notice-offer" onClick={() => void turnNoticesOn()}>
        <Icon name="bell" />
        {t().approvals.notify}
      </button>
    </Show>
  );
}
