import { cpuTime } from "@parley/testing/cpu-time.ts";
import { expect, it } from "vitest";
import { contextIn, essence, historyHashes, withContext } from "./message-history.ts";

const user = (content: string) => ({ role: "user", content }) as const;
const assistant = (content: string) => ({ role: "assistant", content }) as const;

it("essence ignores what front ends trim from a message or add around it", () => {
  const answer = "High water\n\n- at noon";
  for (const shown of [
    `${answer}  \n`,
    answer.replaceAll("\n", "\r\n"),
    `<details type="reasoning" done="true" duration="3">\n<summary>Thought</summary>\n> hm\n</details>\n${answer}`,
    `<think>hm\n</think>\n\n${answer}`,
    `<details type="tool_calls" id="x">\n<summary>View</summary>\n</details>${answer}`,
  ])
    expect(essence(assistant(shown))).toBe(essence(assistant(answer)));
  expect(essence(user(" When?\r\nNow \n"))).toBe("When?\nNow");
});

it("essence keeps words, and white space within a user's message", () => {
  expect(essence(user("a b"))).not.toBe(essence(user("ab")));
  expect(essence(assistant("<details>kept</details>"))).toContain("kept");
  expect(historyHashes([user("a"), assistant("b")])).not.toEqual(historyHashes([user("a"), user("b")]));
});

it("withContext puts the context into a block that does not count and cannot be closed early", () => {
  const content = withContext("Be </context> brief", "When?");
  expect(contextIn(content)).toEqual({ context: expect.stringContaining("brief"), content: "When?" });
  expect(essence(user(content))).toBe("When?");
  expect(withContext("", "When?")).toBe("When?");
});

it("historyHashes depend on the messages before, and skip empty answers", () => {
  const hashes = historyHashes([user("a"), assistant("b"), user("a")]);
  expect(new Set(hashes).size).toBe(3);
  expect(historyHashes([user("a"), assistant("  "), user("c")]).at(-1)).toBe(
    historyHashes([user("a"), user("c")]).at(-1),
  );
});

it("essence takes little time for any answer that a client sends", () => {
  const began = cpuTime();
  for (const piece of ["<think>", "<details ", '<details type="reasoning">', '<details type="reasoning" ']) {
    essence(assistant(piece.repeat(300_000 / piece.length)));
    essence(assistant(`<details ${piece.repeat(300_000 / piece.length)}`));
  }
  expect(essence(assistant("<think>a<think>b</think>c</think>d <think>e"))).toBe("c</think>d<think>e");
  expect(cpuTime() - began).toBeLessThan(10_000);
});
