const article = `## What was found

The **cluster** runs version \`2.14\`, which is [supported](https://example.org) until *next spring*; nothing needs to be done now.

1. First, look at the pods
2. Then at the events, which say
   what happened **last**
3. At last, restart

\`\`\`ts
export function restart(name: string): void {
  queue.push({ name, at: Date.now() });
}
\`\`\`

| pod | state |
|-----|-------|
| api | ready |
| web | waiting |

`;

/** Answers of any length, one for each shape that could make reading them again expensive. */
export const longAnswers: Record<string, (length: number) => string> = {
  "an article": (length) => repeat(article, length),
  "one list": (length) => repeat("- an item with **some** words\n", length),
  "one item": (length) =>
    repeat("- an item\n  with *many* words in lines\n\n", length, "  of a paragraph\n\n"),
  "one table": (length) => `| a | b |\n|---|---|\n${repeat("| one **cell** | two |\n", length)}`,
  "one paragraph": (length) => repeat("words and *words* that go on\n", length),
  "one quote": (length) => repeat("> words in a **quote**\n>\n", length),
  "one block of code": (length) => `\`\`\`ts\n${repeat("const one = 1;\n", length)}`,
  "code in an item": (length) => `- code\n\n  \`\`\`ts\n${repeat("  const one = 1;\n", length)}`,
  "one line": (length) => repeat("words without a break ", length),
  "one word": (length) => repeat("a", length),
  "open brackets": (length) => repeat("[", length),
  "blank lines": (length) => repeat("\n", length),
};

function repeat(text: string, length: number, other = text): string {
  return (text + other.repeat(Math.ceil(length / other.length))).slice(0, length);
}
