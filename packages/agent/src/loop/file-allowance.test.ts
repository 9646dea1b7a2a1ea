import { expect, it } from "vitest";
import { FileAllowance } from "./file-allowance.ts";

const file = (megabytes: number, filename: string) => ({ raw: "A".repeat(megabytes * 1_048_576), filename });

it("lets files pass as long as there is room for them in the task, and names the others", () => {
  const before = { artifactId: "a", parts: [file(4, "old.bin"), { text: "words" }] };
  const allowance = new FileAllowance([before]);
  const { files, notes } = allowance.take([file(1, "one.bin"), file(2, "two.bin"), file(1, "three.bin")]);
  expect(files.map(({ filename }) => filename)).toEqual(["one.bin", "three.bin"]);
  expect(notes).toEqual([expect.stringContaining("two.bin did not reach the user")]);
  expect(allowance.take([{ url: "https://elsewhere.example/" }])).toMatchObject({ files: [{}], notes: [] });
});

it("lets no more than 64 of them pass, however small", () => {
  const links = Array.from({ length: 70 }, (_, at) => ({ url: `https://elsewhere.example/${at}` }));
  const { files, notes } = new FileAllowance().take(links);
  expect([files.length, notes.length]).toEqual([64, 6]);
});
