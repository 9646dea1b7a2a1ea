import { createSignal } from "solid-js";

type NoticeStanding = "missing" | "blocked" | "unasked" | "on" | "off";

const KEPT_AS = "parley-notices";
const [standing, setStanding] = createSignal<NoticeStanding>(standingNow());

export { standing as noticeStanding };

/** Asks the browser for permission; it must be called from a click. */
export async function turnNoticesOn(): Promise<void> {
  localStorage.setItem(KEPT_AS, "on");
  await Notification.requestPermission();
  setStanding(standingNow());
}

/** Stops notifications; the browser's permission stays. */
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
