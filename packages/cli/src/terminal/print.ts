import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

/** Writes a result to standard output; resolves when it is flushed, because the process exits right after its command. */
export function printText(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(text.endsWith("\n") || text === "" ? text : `${text}\n`, () => resolve());
  });
}

/** Writes one JSON document to standard output. */
export function printJson(value: unknown): Promise<void> {
  return printText(JSON.stringify(value, undefined, 2));
}

/** Writes a message that is not the result to standard error. */
export function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Styles a text for standard output, where that is a terminal with colours. */
export function styled(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}
