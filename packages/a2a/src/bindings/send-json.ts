import type { ServerResponse } from "node:http";

/** A whole answer: its status, its JSON text, and headers beside the usual ones. */
export interface JsonAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers with JSON that nobody may keep. */
export function sendJson(response: ServerResponse, { status, text, headers }: JsonAnswer): void {
  const usual = { "Content-Type": "application/json", "Cache-Control": "no-store" };
  response.writeHead(status, { ...usual, ...headers }).end(text);
}
