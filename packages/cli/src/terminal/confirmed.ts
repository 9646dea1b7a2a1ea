import { createInterface } from "node:readline/promises";
import { interruption } from "./interruption.ts";

/** Whether the person says yes; where nobody can be asked, no. */
export async function confirmed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  const { signal, interrupt } = interruption();
  asking.on("SIGINT", interrupt);
  try {
    return /^y(es)?$/i.test((await asking.question(`${question} [y/N] `, { signal })).trim());
  } finally {
    asking.close();
  }
}
