import { expect, it } from "vitest";
import { converse } from "./testing/converse.ts";
import { text, tool } from "./testing/tool-definition.ts";

const shelf: Readonly<Record<string, string>> = {
  "tide-tables.txt": "High at noon.",
  "crew-names.txt": "Ann, Bo",
  "wish-names.txt": "A parrot",
};
const tools = [
  tool("read_file", "Reads a file.", { path: text }, { run: ({ path }) => shelf[String(path)] }),
  tool(
    "list_directory",
    "Lists a folder.",
    { path: text },
    {
      run: () => ["[DIR] old", ...Object.keys(shelf).map((name) => `[FILE] ${name}`)].join("\n"),
    },
  ),
  tool("delete_file", "Deletes a file.", { path: text }),
];

it("a file is looked for by what is said of it, and read when it is found", async () => {
  const { turns, answers } = await converse(tools, ["What is in the tide tables?"]);
  expect(turns.flat().map((call) => [call.tool, call.arguments])).toEqual([
    ["list_directory", { path: "." }],
    ["read_file", { path: "tide-tables.txt" }],
  ]);
  expect(answers[0]).toBe("High at noon.");
});

it.each([
  ["several could be meant", "read the names"],
  ["none is like it", "what is the captain's age?"],
])("a file is asked for, with those there are, where %s", async (_, said) => {
  const { turns, answers } = await converse(tools, [said]);
  expect(turns.flat().map((call) => call.tool)).toEqual(["list_directory"]);
  expect(answers[0]).toMatch(/- crew-names\.txt\n- wish-names\.txt.*path.*\?$/s);
});

it("the answer to that question is taken", async () => {
  const { answers } = await converse(tools, ["read the names", "wish-names.txt"]);
  expect(answers[1]).toBe("A parrot");
});

it("nothing is looked for where nobody can look, or nothing is spoken of", async () => {
  expect((await converse(tools.slice(0, 1), ["What is in the tide tables?"])).turns).toEqual([]);
  expect((await converse(tools, ["What can you do?"])).turns).toEqual([]);
});
