import { runSoleAgent } from "@parley/server";

/** Serves one agent's file until it is stopped. */
export function hostAgent(
  file: string,
  { port, data }: { readonly port?: string; readonly data?: string },
): Promise<never> {
  const options = [
    ...(port === undefined ? [] : ["--port", port]),
    ...(data === undefined ? [] : ["--data", data]),
  ];
  return runSoleAgent([file, ...options], process.env);
}
