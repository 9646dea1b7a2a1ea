import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Sessions } from "../../sessions.ts";
import { ann } from "../testing/facade-moves.ts";
import { openRecord, STORAGES } from "../testing/storages.ts";
import { excerptOf, searchWords } from "./search-table.ts";

const TEXTS: Readonly<Record<string, string>> = {
  m0: "The quick brown fox jumps over the lazy dog",
  m1: "Die Überprüfung der Größe ist abgeschlossen",
  m2: "明日は東京で会議があります",
  m3: "Call fetch('https://example.com/a-b?c=1') -- DROP TABLE sessions; \"quoted\" AND OR NOT *",
  m4: "हिन्दी में एक संदेश, und ½ Liter; error E1234 in v2.0",
  m5: "planning PLANNED plan",
};

async function filled(sessions: Sessions): Promise<void> {
  await sessions.execute(ann, "s", { type: "create", ...ann, title: "Trip to Zürich" });
  for (const [messageId, content] of Object.entries(TEXTS)) {
    const run = { runId: `r${messageId}`, agent: "a", agentUrl: "http://a", contextId: "c" };
    await sessions.execute(ann, "s", { type: "postMessage", messageId, content, run });
  }
}

const found = async (sessions: Sessions, text: string) =>
  (await sessions.search(ann, text, 20)).map(({ messageId }) => messageId ?? "title");

describe.each(STORAGES)("search on %s", (storage) => {
  it("finds titles and messages by words, beginnings of words and characters, without case and accents (S4.1–2)", async () => {
    const { sessions } = await openRecord(storage);
    await filled(sessions);
    const expected: [string, string[]][] = [
      ["fox", ["m0"]],
      ["QUICK dog", ["m0"]],
      ["quick cat", []],
      ["zurich", ["title"]],
      ["überprüfung", ["m1"]],
      ["uberpr", ["m1"]],
      ["東京", ["m2"]],
      ["हिन्दी", ["m4"]],
      ["plan", ["m5"]],
      ["planne", ["m5"]],
      ["e1234", ["m4"]],
      ["example.com", ["m3"]],
      ["", []],
      ["!? -- ''", []],
    ];
    for (const [text, messages] of expected) expect(await found(sessions, text), text).toEqual(messages);
  });

  it("takes whatever is typed as words: nothing in it is a command to the database", async () => {
    const { sessions } = await openRecord(storage);
    await filled(sessions);
    for (const text of [
      "'",
      '"',
      "fox OR NOT",
      "fox*",
      "a:*",
      "NEAR(fox)",
      "words:fox",
      "fox'--",
      "fox\0",
      "\ud83d fox",
      "(",
      "&|!<->",
      "%",
    ])
      expect(Array.isArray(await sessions.search(ann, text, 5)), text).toBe(true);
    expect(await found(sessions, "drop table sessions")).toEqual(["m3"]);
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 40 }), async (text) => {
        await sessions.search(ann, text, 5);
      }),
      { numRuns: 100 },
    );
    expect((await sessions.list(ann, { limit: 5 })).sessions).toHaveLength(1);
  });

  it("follows a rename, finds answers, and shows where the words stand", async () => {
    const { sessions, journal } = await openRecord(storage);
    await filled(sessions);
    await sessions.execute(ann, "s", { type: "rename", title: "Weekend in Bern" });
    expect([await found(sessions, "zürich"), await found(sessions, "bern")]).toEqual([[], ["title"]]);
    const lease = await journal.acquire("run/rm0");
    const content = `${"word ".repeat(100)}needle ${"word ".repeat(100)}`;
    const end = {
      type: "agent_complete",
      runId: "rm0",
      state: "completed",
      messageId: "answer",
      content,
    } as const;
    await sessions.session("s").append(lease, "rm0", [end], [{}]);
    const [hit] = await sessions.search(ann, "NEEDLE", 5);
    expect(hit).toMatchObject({ sessionId: "s", messageId: "answer", title: "Weekend in Bern" });
    expect(hit?.excerpt).toMatch(/^….*needle.*…$/);
    expect(hit?.excerpt.length).toBeLessThan(260);
  });
});

it("words are letters and digits alone, whatever the text, and an excerpt is a part of it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      for (const word of searchWords(text)) expect(word).toMatch(/^[\p{L}\p{N}\p{M}]{1,64}$/u);
      expect(excerptOf(text, searchWords(text)).length).toBeLessThanOrEqual(text.length + 2);
    }),
  );
  expect(searchWords("Größe GRÖSSE ½")).toEqual(["grosse", "1", "2"]);
  // A radical is of the script Han, and a symbol.
  expect(searchWords("⺀ 東京")).toEqual(["東", "京"]);
});
