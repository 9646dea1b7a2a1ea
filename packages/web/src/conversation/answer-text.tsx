import { t } from "../app/strings/language.ts";
import { StreamingMarkdown } from "../markdown/streaming-markdown.tsx";

/** What an agent says. Nothing else draws an agent's words, so how they are drawn is decided here. */
export function AnswerText(props: { text: string; done: boolean }) {
  return (
    <div class="answer-text" classList={{ streaming: !props.done }}>
      <StreamingMarkdown text={props.text} done={props.done} labels={t().markdown} />
    </div>
  );
}
