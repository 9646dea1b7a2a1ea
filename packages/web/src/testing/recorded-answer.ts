import type { Page } from "playwright-core";

interface Recorded {
  readonly role: string;
  readonly content: string;
}

/** The last answer of the session that the page shows, as the server has it. */
export async function recordedAnswer(page: Page): Promise<string> {
  return (await recorded(page)).findLast(({ role }) => role === "assistant")?.content ?? "";
}

/** The user's messages in the session that the page shows, as the server has them. */
export async function recordedRequests(page: Page): Promise<string[]> {
  return (await recorded(page)).filter(({ role }) => role === "user").map(({ content }) => content);
}

async function recorded(page: Page): Promise<readonly Recorded[]> {
  const { origin, pathname } = new URL(page.url());
  const response = await fetch(`${origin}/api/v1/sessions/${pathname.split("/").at(-1)}`);
  return ((await response.json()) as { messages: readonly Recorded[] }).messages;
}

/** A text without the spaces and line ends that are a matter of layout. */
export function unspaced(text: string): string {
  return text.replaceAll(/\s+/g, "");
}
