import { createSignal } from "solid-js";

/** Whether the user is told on the desktop: `unasked` until the user or the browser has decided. */
type NoticeStanding = "missing" | "blocked" | "unasked" | "on" | "off";

const KEPT_AS = "parley-notices";
const [standing, setStanding] = createSignal<NoticeStanding>(standingNow());

export { standing as noticeStanding };

/** Asks the browser for its permission, which it gives only after a click of the user's. */
export async function turnNoticesOn(): Promise<void> {
  localStorage.setItem(KEPT_AS, "on");
  await Notification.requestPermission();
  setStanding(standingNow());
}

/** The browser's permission stays; it is not made use of. */
export function turnNoticesOff(): void {
  localStorage.setItem(KEPT_AS, "off");
  setStanding(standingNow());
}

function standingNow(): NoticeStanding {
  if (typeof Notification === "undefined") return "missing";
  if (Notification.permission === "denied") return "blocked";
  const choice = localStorage.getItem(KEPT_AS);
  if (choice === "off") return "off";
  return choice === "on" && Notification.permission === "granted" ? "on" : "unasked";
}
