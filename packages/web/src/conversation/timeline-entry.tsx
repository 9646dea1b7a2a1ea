import { Match, Switch } from "solid-js";
import type { SessionView } from "../app/session-view.ts";
import { PlainAnswer } from "./plain-answer.tsx";
import { Run } from "./run.tsx";
import { idOf, type TimelineItem } from "./timeline.ts";
import { UserMessage } from "./user-message.tsx";

/** One thing in a conversation, wherever that is shown. */
export function TimelineEntry(props: { view: SessionView; item: TimelineItem }) {
  const id = () => idOf(props.item);
  return (
    <Switch>
      <Match when={props.item.startsWith("run/")}>
        <Run view={props.view} runId={id()} />
      </Match>
      <Match when={props.view.message(id())?.role === "user"}>
        <UserMessage view={props.view} messageId={id()} />
      </Match>
      <Match when={true}>
        <PlainAnswer view={props.view} messageId={id()} />
      </Match>
    </Switch>
  );
}
