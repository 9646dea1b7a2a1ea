import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { ApiError } from "@parley/client";
import { CommandError, EXIT } from "../../command-error.ts";
import { fromHere } from "../../from-here.ts";
import { connected, type ServerOptions } from "../../server-address.ts";
import { plainText } from "../../terminal/plain-text.ts";
import { printJson, printText, tell } from "../../terminal/print.ts";
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
  if (output === undefined) return printText(process.stdout.isTTY ? plainText(text) : text);
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

/** Takes an exported session in and prints the id that it has here. */
export async function importSession(
  file: string,
  options: ServerOptions & { readonly json?: boolean },
): Promise<void> {
  const content = await contentOf(file);
  const client = await connected(options);
  const imported = await client.importSession({ content }).catch((error: unknown) => {
    throw error instanceof ApiError && error.status === 422 ? notAnExport(file, error) : error;
  });
  await (options.json ? printJson(imported) : printText(imported.session.id));
}

function notAnExport(file: string, { fields, message }: ApiError): CommandError {
  return new CommandError(
    `${file} is not what "parley sessions export" wrote: ${fields[0]?.message ?? message}`,
  );
}

async function contentOf(file: string): Promise<string> {
  const content = file === "-" ? await text(process.stdin) : await read(file);
  if (content.trim() !== "") return content;
  throw new CommandError(`${file} is empty: it must be what "parley sessions export" wrote`, EXIT.usage);
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(fromHere(file), "utf8");
  } catch (error) {
    throw new CommandError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`, EXIT.usage);
  }
}
