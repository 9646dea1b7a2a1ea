import type { Answer } from "@parley/client";
import { createSignal } from "solid-js";
import { t } from "../app/strings/language.ts";

/** Where a plain question is answered in words: Enter sends, Shift+Enter is a new line. */
export function QuestionForm(props: { onAnswer: (answer: Answer) => void }) {
  const [text, setText] = createSignal("");
  const send = () => {
    if (text().trim() !== "") props.onAnswer({ decision: "answered", text: text().trim() });
  };
  return (
    <form
      class="question-form"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        class="approval-reason"
        rows="2"
        aria-label={t().approvals.answer}
        placeholder={t().approvals.answer}
        value={text()}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <button type="submit" class="button primary" disabled={text().trim() === ""}>
        {t().approvals.send}
      </button>
    </form>
  );
}
