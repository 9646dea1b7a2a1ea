import type { SyncEngine } from "@parley/client";
import { type Accessor, createEffect, createSignal } from "solid-js";
import type { SessionView } from "../app/session-view.ts";

/** A message that waits for the answer before it. */
export interface WaitingMessage {
  readonly id: number;
  readonly text: string;
  /** Ids of files that go with it. */
  readonly files: readonly string[];
}

/** What the user wants to say next: sent at once, or, while an answer is under way, after it. */
export interface Outbox {
  readonly waiting: Accessor<readonly WaitingMessage[]>;
  add(text: string, files?: readonly string[]): void;
  remove(id: number): void;
  /** Tells the run that is under way. */
  sendNow(id: number): void;
}

/** Makes the outbox of a conversation. */
export function createOutbox(view: SessionView, engine: SyncEngine): Outbox {
  const [waiting, setWaiting] = createSignal<readonly WaitingMessage[]>([]);
  let last = 0;
  const remove = (id: number) => setWaiting((before) => before.filter((each) => each.id !== id));
  const send = ({ id, text, files }: WaitingMessage) => {
    remove(id);
    engine.send(view.id(), text, files.length > 0 ? { files } : {});
  };
  const isBusy = () => {
    const isSending = view.shown()?.messages.some(({ pending }) => pending) ?? false;
    return view.activeRun()?.status === "running" || isSending;
  };
  createEffect(() => {
    const [next] = waiting();
    if (next && !isBusy()) send(next);
  });
  return {
    ...{ waiting, remove },
    add: (text, files = []) => setWaiting((before) => [...before, { id: ++last, text, files }]),
    sendNow(id) {
      const message = waiting().find((each) => each.id === id);
      if (message) send(message);
    },
  };
}
