import type { PrintOptions } from "../server-address.ts";
import { printJson, printText, tell } from "./print.ts";
import { table } from "./table.ts";

/** Prints items as JSON or as a table; `empty` is the message where there are none. */
export async function printList(
  { json }: Pick<PrintOptions, "json">,
  document: object,
  {
    head,
    rows,
    empty,
    after = "",
  }: {
    readonly head: readonly string[];
    readonly rows: readonly (readonly string[])[];
    readonly empty: string;
    /** Printed below the table. */
    readonly after?: string;
  },
): Promise<void> {
  if (json) return printJson(document);
  if (rows.length === 0) return tell(empty);
  await printText(`${table(head, rows)}${after}`);
}
