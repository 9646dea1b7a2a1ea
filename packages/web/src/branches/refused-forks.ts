import { type Accessor, createEffect, createMemo } from "solid-js";
import { useParley } from "../app/parley.ts";
import { t } from "../app/strings/language.ts";
import { showToast } from "../app/toasts.ts";

/** Says why a fork or a retry of the session was refused; of an edit, the editor says it, which still has the words. */
export function tellOfRefusedForks(id: Accessor<string>): void {
  const { engine, state } = useParley();
  const queue = createMemo(() => state().queue);
  createEffect(() => {
    for (const { key, command, phase } of queue()) {
      const makesFork = command.type === "fork" || command.type === "branch" || command.type === "retry";
      if (phase.name !== "refused" || !makesFork || command.sessionId !== id()) continue;
      showToast({ text: t().branches.refused(phase.refusal.message) });
      engine.discardCommand(key);
    }
  });
}
