import { writeFileSync } from "node:fs";
import { CommandError } from "../../command-error.ts";
import { fromHere } from "../../from-here.ts";
import { connected, type ServerOptions } from "../../server-address.ts";
import { plainText } from "../../terminal/plain-text.ts";
import { print, tell } from "../../terminal/print.ts";
import { sessionId } from "./session-id.ts";

export interface ExportOptions extends ServerOptions {
  readonly format: "jsonl" | "markdown";
  readonly output?: string;
}

/** Writes a session to standard output, or into a file that is not there yet. */
export async function exportSession(given: string, options: ExportOptions): Promise<void> {
  const { format, output } = options;
  const client = await connected(options);
  const text = await client.exportSession(await sessionId(client, given), format);
  // What goes into a file or a program goes as it is.
  if (output === undefined) return print(process.stdout.isTTY ? plainText(text) : text);
  try {
    writeFileSync(fromHere(output), text, { flag: "wx" });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CommandError(
      code === "EEXIST"
        ? `${output} is there already: choose another name`
        : `${output} cannot be written (${message})`,
    );
  }
  tell(`Written to ${output}`);
}
