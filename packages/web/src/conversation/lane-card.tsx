import type { Lane, RunRecord } from "@parley/client";
import { For, Index, Show } from "solid-js";
import { ScrollBox } from "../app/scroll-box.tsx";
import { t } from "../app/strings/language.ts";
import { AnswerText } from "./answer-text.tsx";
import { CallLine } from "./call-line.tsx";

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
          {/* A call changes as it goes on, and keeps its place. */}
          <Index each={lane().calls}>
            {(call) => (
              <CallLine
                call={call()}
                now={props.now}
                isInner
                isOver={props.isOver || lane().delegation.outcome !== undefined}
              />
            )}
          </Index>
          <For each={lane().texts}>
            {(id) => (
              <ScrollBox class="lane-text" label={t().conversation.agentSays(lane().agent)}>
                <AnswerText text={text(id)?.text ?? ""} done={!text(id)?.isOpen} />
              </ScrollBox>
            )}
          </For>
        </article>
      )}
    </Show>
  );
}
