import { appendFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { testFolder } from "@parley/testing/test-folder.ts";
import { describe, expect, it } from "vitest";
import { pastTime } from "../../option-values.ts";
import { LogFiles } from "./log-files.ts";
import { readLogLine, shownLogLine } from "./show-logs.ts";

describe("LogFiles", () => {
  it("reads files in order and follows the newest, over partial lines, split characters and a rotation", async () => {
    const folder = await testFolder({ "log.1": "one\n", log: "two\nthr" });
    const newest = join(folder, "log");
    const files = new LogFiles([join(folder, "log.2"), join(folder, "log.1"), newest]);
    const seen: string[] = [];
    for await (const line of files.history()) seen.push(line);
    expect(seen).toEqual(["one", "two"]);

    const ending = new AbortController();
    const following = (async () => {
      for await (const line of files.appended(ending.signal)) seen.push(line);
    })();
    appendFileSync(newest, "ee\nfo");
    await expect.poll(() => seen).toContain("three");
    const umlaut = Buffer.from("ür\n");
    appendFileSync(newest, umlaut.subarray(0, 1));
    appendFileSync(newest, umlaut.subarray(1));
    appendFileSync(newest, "five\n");
    renameSync(newest, join(folder, "log.1"));
    writeFileSync(newest, "six\n");
    await expect.poll(() => seen.at(-1)).toBe("six");
    expect(seen).toEqual(["one", "two", "three", "foür", "five", "six"]);
    ending.abort();
    await expect(following).rejects.toThrow(/abort/);
    await files.close();
  });
});

describe("readLogLine and shownLogLine", () => {
  it("show a line with its fields and its stack, without control sequences", () => {
    const line = readLogLine(
      JSON.stringify({
        level: "error",
        time: "2026-11-15T20:43:16.123Z",
        service: "parley",
        msg: "failed\x1b[2J",
        agent: "a b",
        count: 2,
        err: { message: "broken", stack: "Error: broken\n  at here\x1b[31m" },
      }),
    );
    expect(line && shownLogLine(line)).toMatch(
      /^\S+ \d\d:\d\d:16\.123 ERROR failed agent="a b" count=2\n {4}Error: broken\n {6}at here\n$/,
    );
  });

  it.each(["", "{", "[]", '{"level":"loud","time":"x"}', '{"msg":"x"}'])("reject %j", (text) => {
    expect(readLogLine(text)).toBeUndefined();
  });
});

it.each([
  ["90s", 1_000_000 - 90_000],
  ["1.5h", 1_000_000 - 5_400_000],
  ["2d", 1_000_000 - 172_800_000],
  ["2026-01-31T12:00Z", Date.UTC(2026, 0, 31, 12)],
])("pastTime(%j) returns %i", (text, time) => {
  expect(pastTime(text, 1_000_000)).toBe(time);
});

it.each(["yesterday", "5", "2026-13-45"])("pastTime rejects %j", (text) => {
  expect(() => pastTime(text)).toThrow(/It must be like 90s/);
});
