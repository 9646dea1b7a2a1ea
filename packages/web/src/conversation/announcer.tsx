import { createEffect, createMemo, createSignal } from "solid-js";
import type { SessionView } from "../app/session-view.ts";
import { wholeSentences } from "./sentences.ts";

/** Reads the answer that is under way out to screen readers, sentence by sentence, each once. */
export function Announcer(props: { view: SessionView }) {
  const [said, setSaid] = createSignal("");
  const runId = createMemo<string | undefined>((before) => props.view.activeRun()?.id ?? before);
  let position = 0;
  let announced: string | undefined;
  createEffect(() => {
    const id = runId();
    const run = id === undefined ? undefined : props.view.run(id);
    if (!run) return;
    if (announced !== id) position = 0;
    announced = id;
    const text = Object.values(run.texts)
      .filter(({ channel }) => channel === "answer")
      .map((each) => each.text)
      .join("\n");
    const end = wholeSentences(text, run.completedAt !== undefined);
    if (end <= position) return;
    setSaid(text.slice(position, end).trim());
    position = end;
  });
  return (
    <div class="visually-hidden" aria-live="polite">
      {said()}
    </div>
  );
}
