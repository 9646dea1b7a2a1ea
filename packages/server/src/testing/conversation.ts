/** An event of a stream as v0.3 has it, as far as tests look at it. */
export interface StreamedEvent {
  readonly kind: "task" | "status-update" | "artifact-update";
  readonly id?: string;
  readonly taskId?: string;
  readonly contextId?: string;
  readonly final?: boolean;
  readonly append?: boolean;
  readonly lastChunk?: boolean;
  readonly status?: { readonly state: string; readonly message?: { readonly parts: readonly Part[] } };
  readonly artifact?: {
    readonly artifactId: string;
    readonly name?: string;
    readonly parts: readonly Part[];
  };
}

interface Part {
  readonly text?: string;
}

/** The request of `message/stream` as the first seed writes it. */
export function streamRequest(text: string, message: Readonly<Record<string, string>> = {}): string {
  const parts = [{ kind: "text", text }];
  const params = { message: { role: "user", parts, messageId: crypto.randomUUID(), ...message } };
  return JSON.stringify({ id: "test", method: "message/stream", params });
}

/** Says something to an agent and returns all events until the stream ends. */
export async function say(
  url: string,
  text: string,
  message: Readonly<Record<string, string>> = {},
): Promise<StreamedEvent[]> {
  const headers = { "Content-Type": "application/json", Accept: "text/event-stream" };
  const response = await fetch(url, { method: "POST", headers, body: streamRequest(text, message) });
  return eventsIn(await response.text());
}

/** The events in the text of a stream. */
export function eventsIn(stream: string): StreamedEvent[] {
  return [...stream.matchAll(/^data: (.+)$/gm)].map(([, data = ""]) => JSON.parse(data).result);
}

/** What an event says. */
export function wordsOf({ status, artifact }: StreamedEvent): string {
  return (artifact?.parts ?? status?.message?.parts ?? []).map(({ text }) => text ?? "").join("");
}

/** The answer: all text of artifacts. */
export function answerIn(events: readonly StreamedEvent[]): string {
  return events
    .filter(({ artifact }) => artifact)
    .map(wordsOf)
    .join("");
}

/** The state in which a stream ended. */
export function endOf(events: readonly StreamedEvent[]): string | undefined {
  return events.at(-1)?.status?.state;
}
