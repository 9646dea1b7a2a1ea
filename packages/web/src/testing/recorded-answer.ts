import type { Page } from "playwright-core";

/** The last answer of the session that the page shows, as the server has it. */
export async function recordedAnswer(page: Page): Promise<string> {
  const { origin, pathname } = new URL(page.url());
  const response = await fetch(`${origin}/api/v1/sessions/${pathname.split("/").at(-1)}`);
  const { messages } = (await response.json()) as {
    messages: readonly { readonly role: string; readonly content: string }[];
  };
  return messages.findLast(({ role }) => role === "assistant")?.content ?? "";
}

/** A text without the spaces and line ends that are a matter of layout. */
export function unspaced(text: string): string {
  return text.replaceAll(/\s+/g, "");
}
