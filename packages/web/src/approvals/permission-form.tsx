import { type Answer, type Approval, toolName } from "@parley/client";
import { createSignal, createUniqueId, Show } from "solid-js";
import { Button } from "../app/button.tsx";
import { t } from "../app/strings/language.ts";
import { type EditedArguments, readArguments } from "./edited-arguments.ts";

/** Approves or denies a tool call, with edited arguments where wanted, once or always. */
export function PermissionForm(props: {
  approval: Approval;
  onAnswer: (answer: Answer) => void;
  onAlways: () => void;
  /** Receives the handler for the keys `y` and `n`. */
  keys: (press: (key: "y" | "n") => void) => void;
}) {
  const asked = () => JSON.stringify(props.approval.arguments ?? {}, null, 2);
  const [text, setText] = createSignal<string>();
  const [reason, setReason] = createSignal("");
  const isChanged = () => text() !== undefined && text() !== asked();
  const edited = () => readArguments(text() ?? asked());
  const said = () => (reason().trim() === "" ? {} : { text: reason().trim() });
  const approve = () => {
    const read = edited();
    if (!read.isRight) return;
    props.onAnswer({ decision: "approved", ...said(), ...(isChanged() && { arguments: read.value }) });
  };
  const deny = () => props.onAnswer({ decision: "denied", ...said() });
  props.keys((key) => (key === "y" ? approve() : deny()));
  return (
    <>
      <Show when={text() !== undefined} fallback={<pre class="value">{asked()}</pre>}>
        <ArgumentsEditor text={text() ?? ""} onText={setText} />
      </Show>
      <Button
        kind="link"
        label={text() === undefined ? t().approvals.edit : t().approvals.reset}
        onClick={() => setText((before) => (before === undefined ? asked() : undefined))}
      />
      <input
        class="approval-reason"
        aria-label={t().approvals.reason}
        placeholder={t().approvals.reason}
        value={reason()}
        onInput={(event) => setReason(event.currentTarget.value)}
      />
      <div class="approval-buttons">
        <Button
          kind="primary"
          data-key="Y"
          label={isChanged() ? t().approvals.approveEdited : t().approvals.approve}
          disabled={!edited().isRight}
          onClick={approve}
        />
        <Button data-key="N" label={t().approvals.deny} onClick={deny} />
        <Button
          label={t().approvals.always(toolName(props.approval.tool ?? ""))}
          disabled={isChanged()}
          onClick={props.onAlways}
        />
      </div>
    </>
  );
}

function ArgumentsEditor(props: { text: string; onText: (text: string) => void }) {
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
        {t().conversation.arguments}
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
      <p id={`${id}-problem`} class="small bad" role="status">
        <Show when={problem()}>
          {(wrong) => (
            <>
              {t().approvals[wrong().kind]}
              {": "}
              <Button
                kind="link"
                label={t().approvals.atLine(wrong().line, wrong().column)}
                onClick={() => goTo(wrong().offset)}
              />
            </>
          )}
        </Show>
      </p>
    </div>
  );
}
