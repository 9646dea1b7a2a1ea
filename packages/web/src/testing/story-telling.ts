import type { Page } from "playwright-core";
import type { WebFixtureOptions } from "./web-fixture.ts";

/** A text of so many paragraphs, whose numbers show whether anything of it is missing or there twice. */
export function storyOf(lines: number): string {
  const told = (_: unknown, at: number) => `Line ${at + 1} of the story tells what came next.`;
  return Array.from({ length: lines }, told).join("\n\n");
}

/** What is asked for the long story, for the short one, and for one between them. */
export const READ = "What is in story.txt?";
export const READ_SHORT = "What is in episode.txt?";
export const READ_CHAPTER = "What is in chapter.txt?";

/** How long the short story is: some five seconds. */
export const SHORT_LINES = 90;

/** How long the chapter is: some fifteen seconds, for what has to happen while it is told. */
export const CHAPTER_LINES = 300;

/**
 * A ground whose agent `files` tells a story by reading a file: twenty lines a second, as a language model would. The long
 * one goes on for longer than a test looks at it, unless somebody stops it.
 */
export const STORY_TELLING: WebFixtureOptions = {
  agents: ["calculator", "files"],
  files: {
    ...{ "story.txt": storyOf(4_000), "episode.txt": storyOf(SHORT_LINES) },
    "chapter.txt": storyOf(CHAPTER_LINES),
  },
  environment: { PARLEY_MODEL: "offline:180" },
};

/** Ends the story that is being told. */
export async function stopped(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Stop" }).click();
  await page.locator(".run").last().locator(".ending").getByText("Stopped").waitFor();
}
