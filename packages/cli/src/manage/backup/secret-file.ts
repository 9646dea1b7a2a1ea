import { readFile } from "node:fs/promises";
import { CommandError } from "../../command-error.ts";
import { fromHere } from "../../from-here.ts";

/** What a file holds, without the line break at its end; a `CommandError` where it holds nothing. */
export async function secretIn(file: string): Promise<string> {
  const text = await readFile(fromHere(file), "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${file} cannot be read (${error.code})`);
  });
  const secret = text.replace(/\r?\n$/, "");
  if (secret === "") throw new CommandError(`${file} is empty`);
  return secret;
}

/** The secret keys in a file as age writes it: one a line, beside comments. */
export async function identitiesIn(file: string): Promise<readonly string[]> {
  const lines = (await secretIn(file)).split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}
