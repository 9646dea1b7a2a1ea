import { connected, type ServerOptions } from "../../server-address.ts";
import { oneLine } from "../../terminal/one-line.ts";
import { print, printJson, tell } from "../../terminal/print.ts";
import { table } from "../../terminal/table.ts";

/** Prints where something was said, the best first. */
export async function searchSessions(
  words: string,
  options: ServerOptions & { readonly limit: number; readonly json?: boolean },
): Promise<void> {
  const { hits } = await (await connected(options)).search(words, { limit: Math.min(100, options.limit) });
  if (options.json) return printJson({ hits });
  if (hits.length === 0) return tell(`Nothing was found for ${words}`);
  const rows = hits.map(({ sessionId, title, excerpt }) => [
    oneLine(sessionId, 150),
    oneLine(title, 40),
    oneLine(excerpt, 80),
  ]);
  await print(table(["session", "title", "said"], rows));
}
