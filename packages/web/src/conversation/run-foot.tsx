import { phaseOf } from "@parley/client";
import { A } from "@solidjs/router";
import { createMemo, createSignal, Show } from "solid-js";
import { Icon } from "../app/icon.tsx";
import { useParley } from "../app/parley.ts";
import type { SessionView } from "../app/session-view.ts";
import { t } from "../app/strings/language.ts";
import { placeOfRun } from "../branches/answer-place.ts";
import { BranchWalker } from "../branches/branch-walker.tsx";
import { ForkButton } from "../branches/fork-button.tsx";

/** Below an answer: how it ended where that was not well, and what can be done with it. */
export function RunFoot(props: { view: SessionView; runId: string; answer: string }) {
  const { engine } = useParley();
  const [isCopied, setCopied] = createSignal(false);
  const phase = createMemo(() => {
    const run = props.view.run(props.runId);
    return run && phaseOf(run, { now: 0, heardAt: 0, isCancelling: false });
  });
  const ending = () => {
    const current = phase();
    return current && "reason" in current ? current : undefined;
  };
  const copy = async () => {
    await navigator.clipboard.writeText(props.answer);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <footer class="run-foot">
      <Show when={ending()}>
        {(end) => (
          <p class="ending" data-phase={end().name}>
            <strong>{t().phase[end().name]}</strong> {end().reason}
          </p>
        )}
      </Show>
      <div class="run-actions">
        <Show when={props.answer !== ""}>
          <button type="button" class="quiet-button" onClick={copy}>
            <Icon name={isCopied() ? "check" : "copy"} />
            {isCopied() ? t().conversation.copied : t().conversation.copy}
          </button>
        </Show>
        <A class="quiet-button" href={`/${props.view.id()}/trace/${props.runId}`}>
          <Icon name="trace" />
          {t().trace.open}
        </A>
        <button type="button" class="quiet-button" onClick={() => engine.retry(props.view.id(), props.runId)}>
          <Icon name="retry" />
          {t().conversation.retry}
        </button>
        <ForkButton messageId={props.view.answer(props.runId)?.id} />
        <BranchWalker place={placeOfRun(props.view, props.runId)} />
      </div>
    </footer>
  );
}
