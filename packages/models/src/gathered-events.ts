import type { ModelEvent } from "./model.ts";

/** The number of unread characters above which the model waits. */
const MAX_WAITING_CHARACTERS = 65_536;

type Hear = (event: ModelEvent) => Promise<void> | undefined;

/**
 * What a model says, and as one what it says within one turn of the event loop: a token alone would pay for every
 * await between here and the journal, which joins it with its neighbours anyway. `speak` waits where `hear` asks it to.
 */
export async function* gatheredEvents(
  speak: (hear: Hear) => Promise<void>,
): AsyncGenerator<ModelEvent, void, undefined> {
  const gathered = new Gathered();
  const spoken = speak((event) => gathered.add(event)).finally(() => gathered.end());
  // Awaited below; until then a failure must not count as unhandled.
  spoken.catch(() => {});
  while (await gathered.any()) for (const event of gathered.take()) yield event;
  await spoken;
}

class Gathered {
  #events: ModelEvent[] = [];
  #characters = 0;
  #isOver = false;
  #turn: NodeJS.Immediate | undefined;
  #news = Promise.withResolvers<void>();
  #room: PromiseWithResolvers<void> | undefined;

  add(event: ModelEvent): Promise<void> | undefined {
    const joined = join(this.#events.at(-1), event);
    if (joined) this.#events[this.#events.length - 1] = joined;
    else this.#events.push(event);
    this.#turn ??= setImmediate(() => this.#news.resolve());
    if ("text" in event) this.#characters += event.text.length;
    if (this.#characters < MAX_WAITING_CHARACTERS) return undefined;
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  end(): void {
    this.#isOver = true;
    this.#news.resolve();
  }

  /** Waits for events; false when none will come. */
  async any(): Promise<boolean> {
    await this.#news.promise;
    return this.#events.length > 0 || !this.#isOver;
  }

  take(): readonly ModelEvent[] {
    const taken = this.#events;
    clearImmediate(this.#turn);
    this.#turn = undefined;
    this.#events = [];
    this.#characters = 0;
    if (!this.#isOver) this.#news = Promise.withResolvers();
    this.#room?.resolve();
    this.#room = undefined;
    return taken;
  }
}

function join(last: ModelEvent | undefined, next: ModelEvent): ModelEvent | undefined {
  if (last?.type === "text" && next.type === "text") return { type: "text", text: last.text + next.text };
  if (last?.type === "thinking" && next.type === "thinking")
    return { type: "thinking", text: last.text + next.text };
  if (last?.type === "tool-input" && next.type === "tool-input" && last.id === next.id)
    return { ...last, text: last.text + next.text };
  return undefined;
}
