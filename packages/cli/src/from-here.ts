import { resolve } from "node:path";

/** A path as the user means it: npm runs us in the project's folder, wherever the user is. */
export function fromHere(path: string): string {
  return resolve(process.env.INIT_CWD ?? process.cwd(), path);
}
