import { setTimeout as sleep } from "node:timers/promises";
import type { Journal, RecordedEvent } from "@parley/journal";

/** A journal whose storage takes 2 to 3 ms: what is appended is acknowledged, and what is read arrives, that much later. */
export function slowJournal(journal: Journal): Journal {
  const late = () => sleep(2 + Math.random());
  const delayed: Pick<Journal, "append" | "read" | "follow"> = {
    async append(stream, events, options) {
      const appended = await journal.append(stream, events, options);
      await late();
      return appended;
    },
    async read<Payload>(stream: string, after: number, limit: number): Promise<RecordedEvent<Payload>[]> {
      await late();
      return journal.read<Payload>(stream, after, limit);
    },
    async *follow<Payload>(stream: string, after: number, signal?: AbortSignal) {
      for await (const batch of journal.follow<Payload>(stream, after, signal)) {
        await late();
        yield batch;
      }
    },
  };
  return new Proxy(journal, {
    get(target, name) {
      if (Object.hasOwn(delayed, name)) return delayed[name as keyof typeof delayed];
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
