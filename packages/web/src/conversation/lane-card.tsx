import type { RunRecord } from "@parley/client";
import { For, Show } from "solid-js";
import { AnswerText } from "./answer-text.tsx";
import { CallLine } from "./call-line.tsx";
import type { Lane } from "./work.ts";

/** What one agent does for a run, as it does it. */
export function LaneCard(props: {
  run: RunRecord | undefined;
  lane: Lane | undefined;
  now: number;
  isOver: boolean;
}) {
  const text = (id: string) => props.run?.texts[id];
  return (
    <Show when={props.lane}>
      {(lane) => (
        <article class="lane" aria-label={lane().agent}>
          <CallLine call={lane().delegation} now={props.now} isOver={props.isOver} />
          <For each={lane().calls}>
            {(call) => (
              <CallLine
                call={call}
                now={props.now}
                isInner
                isOver={props.isOver || lane().delegation.outcome !== undefined}
              />
            )}
          </For>
          <For each={lane().texts}>
            {(id) => (
              <div class="lane-text">
                <AnswerText text={text(id)?.text ?? ""} done={!text(id)?.isOpen} />
              </div>
            )}
          </For>
        </article>
      )}
    </Show>
  );
}
