/** What an agent says. Nothing else draws an agent's words, so how they are drawn is decided here. */
export function AnswerText(props: { text: string; done: boolean }) {
  return (
    <div class="answer-text plain" classList={{ streaming: !props.done }}>
      {props.text}
    </div>
  );
}
