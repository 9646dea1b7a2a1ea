/** One frame of an event stream. */
export interface SseFrame {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: unknown;
}

/** The frames of a response as they come; leaving the loop closes the connection. */
export async function* sseFrames(response: Response): AsyncGenerator<SseFrame, void, void> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = fieldOf(block, "data");
      if (data !== undefined)
        yield { id: fieldOf(block, "id"), event: fieldOf(block, "event"), data: JSON.parse(data) };
    }
  }
}

// By line feeds alone: a regular expression would also end a line at U+2028.
function fieldOf(block: string, name: string): string | undefined {
  const line = block.split("\n").find((it) => it.startsWith(`${name}: `));
  return line?.slice(name.length + 2);
}
