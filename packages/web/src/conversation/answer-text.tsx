import { t } from "../app/strings/language.ts";
import { StreamingMarkdown } from "../markdown/streaming-markdown.tsx";

/** Draws all text that comes from an agent. */
export function AnswerText(props: { text: string; done: boolean }) {
  return (
    <div class="answer-text" classList={{ streaming: !props.done }}>
      <StreamingMarkdown text={props.text} done={props.done} labels={t().markdown} />
    </div>
  );
}
