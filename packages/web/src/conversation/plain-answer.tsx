import { createMemo } from "solid-js";
import type { SessionView } from "../app/session-view.ts";
import { AnswerText } from "./answer-text.tsx";

/** An answer whose run is in another session, of which this one is a fork. */
export function PlainAnswer(props: { view: SessionView; messageId: string }) {
  const message = createMemo(() => props.view.message(props.messageId));
  return (
    <article class="run" data-message={props.messageId} aria-label={message()?.metadata.agent ?? ""}>
      <AnswerText text={message()?.content ?? ""} done={true} />
    </article>
  );
}
