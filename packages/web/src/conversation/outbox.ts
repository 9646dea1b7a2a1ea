import type { ApiFile, NextMessage, SyncEngine } from "@parley/client";
import { type Accessor, createMemo, untrack } from "solid-js";
import { sameItems } from "../app/same-items.ts";
import type { SessionView } from "../app/session-view.ts";

/** What the user wants to say next: sent at once, or, while an answer is under way, after it. */
export interface Outbox {
  readonly waiting: Accessor<readonly NextMessage[]>;
  add(text: string, files?: readonly ApiFile[]): void;
  remove(key: string): void;
  /** Tells the run that is under way. */
  sendNow(key: string): void;
}

/** Makes the outbox of a conversation; what waits in it is the engine's, so that it outlives the page. */
export function createOutbox(view: SessionView, engine: SyncEngine): Outbox {
  const keys = createMemo(() => view.shown()?.next.map(({ key }) => key) ?? [], [], { equals: sameItems });
  const waiting = createMemo(() => {
    keys();
    return untrack(() => view.shown()?.next ?? []);
  });
  const isBusy = () => {
    const isSending = view.shown()?.messages.some(({ pending }) => pending) ?? false;
    return view.activeRun()?.status === "running" || isSending || waiting().length > 0;
  };
  return {
    waiting,
    add(text, files = []) {
      const options = withFiles(files);
      if (isBusy()) engine.sendNext(view.id(), text, options);
      else engine.send(view.id(), text, options);
    },
    remove: (key) => engine.discardCommand(key),
    sendNow: (key) => engine.sendNow(key),
  };
}

/** What a message's files add to it. */
export function withFiles(files: readonly ApiFile[]) {
  return files.length > 0 ? { files: files.map(({ id }) => id), attached: files } : {};
}
