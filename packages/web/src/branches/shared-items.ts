import type { SessionView } from "../app/session-view.ts";
import { idOf, type TimelineItem } from "../conversation/timeline.ts";

type Shown = Pick<SessionView, "timeline" | "answer">;

/** How many of the first things in these conversations are the same in all of them. */
export function sharedItems(views: readonly Shown[]): number {
  const [first, ...others] = views.map((view) => view.timeline().map((item) => sameKey(view, item)));
  if (!first) return 0;
  const end = first.findIndex((key, at) => others.some((keys) => keys[at] !== key));
  return end < 0 ? first.length : end;
}

/** An answer is part of its run in the original and stands alone in forks: both are the same item. */
function sameKey(view: Shown, item: TimelineItem): string {
  const id = idOf(item);
  return item.startsWith("run/") ? (view.answer(id)?.id ?? id) : id;
}
