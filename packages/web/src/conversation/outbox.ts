import type { ApiFile, SyncEngine } from "@parley/client";
import { createMemo, untrack } from "solid-js";
import { createListMemo } from "../app/list-memo.ts";
import type { SessionView } from "../app/session-view.ts";

/** The outbox of a conversation; the engine stores it, so that it survives a reload. */
export function createOutbox(view: SessionView, engine: SyncEngine) {
  const keys = createListMemo(() => view.shown()?.next.map(({ key }) => key) ?? []);
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
    add(text: string, files: readonly ApiFile[] = []) {
      const options = withFiles(files);
      if (isBusy()) engine.sendNext(view.id(), text, options);
      else engine.send(view.id(), text, options);
    },
    remove: (key: string) => engine.discardCommand(key),
    sendNow: (key: string) => engine.sendNow(key),
  };
}

/** What a message's files add to it. */
export function withFiles(files: readonly ApiFile[]) {
  return files.length > 0 ? { files: files.map(({ id }) => id), attached: files } : {};
}
