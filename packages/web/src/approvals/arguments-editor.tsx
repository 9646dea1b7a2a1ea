import { createUniqueId, Show } from "solid-js";
import { t } from "../app/strings/language.ts";
import { type EditedArguments, readArguments } from "./edited-arguments.ts";

/** Arguments as text that can be changed; what is wrong with them is said below, and leads to its place. */
export function ArgumentsEditor(props: { text: string; onText: (text: string) => void }) {
  const id = createUniqueId();
  let field: HTMLTextAreaElement | undefined;
  const problem = () => {
    const read: EditedArguments = readArguments(props.text);
    return read.isRight ? undefined : read.problem;
  };
  const goTo = (offset: number) => {
    field?.focus();
    field?.setSelectionRange(offset, offset + 1);
  };
  return (
    <div class="arguments-editor">
      <label class="visually-hidden" for={id}>
        {t().approvals.arguments}
      </label>
      <textarea
        ref={field}
        id={id}
        class="value"
        rows={Math.min(16, props.text.split("\n").length + 1)}
        spellcheck={false}
        value={props.text}
        aria-invalid={problem() !== undefined}
        aria-describedby={`${id}-problem`}
        onInput={(event) => props.onText(event.currentTarget.value)}
      />
      <p id={`${id}-problem`} class="small approval-problem" role="status">
        <Show when={problem()}>
          {(wrong) => (
            <>
              {t().approvals[wrong().kind]}
              {": "}
              <button type="button" class="link-button" onClick={() => goTo(wrong().offset)}>
                {t().approvals.atLine(wrong().line, wrong().column)}
              </button>
            </>
          )}
        </Show>
      </p>
    </div>
  );
}
