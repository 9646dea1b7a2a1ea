import { expect, it } from "vitest";
import { filesOf, safeName, sizeText } from "./artifact-file.ts";

it("makes files of parts as agents send them, and passes over what it cannot understand", () => {
  const artifacts = {
    a: {
      ...{ name: "report", agent: "files" },
      parts: [
        { raw: "YWI=", filename: "a.txt", mediaType: "Text/Plain; charset=utf-8" },
        { data: { rows: 2 } },
        { blob: "abc", size: 70_000, mediaType: "image/png" },
        { url: "https://elsewhere.example/x.png", mediaType: "image/png" },
        ...[null, "text", { raw: 5 }, {}],
      ],
    },
  };
  expect(filesOf(artifacts)).toMatchObject([
    { key: "a/0", name: "a.txt", mediaType: "text/plain", size: 2, agent: "files" },
    { key: "a/1", name: "report", mediaType: "application/json", source: { kind: "data" } },
    { key: "a/2", name: "report", size: 70_000, source: { kind: "blob", blob: "abc" } },
    { key: "a/3", source: { kind: "link" } },
  ]);
  expect(filesOf({})).toEqual([]);
});

it("says sizes as people do, and takes nothing of a path into a name", () => {
  expect([812, 14_200, 3_240_000, 999_999].map(sizeText)).toEqual(["812 B", "14 kB", "3.2 MB", "1000 kB"]);
  expect(safeName("../../etc/pass\u0000wd", "file")).toBe(".._.._etc_pass_wd");
  expect(safeName("\u202Etxt.exe", "file")).toBe("_txt.exe");
  expect(["", ".", ".."].map((name) => safeName(name, "file"))).toEqual(["file", "file", "file"]);
});
