import { expect, it } from "vitest";
import { providerPrompt } from "./provider-prompt.ts";

it("a lone surrogate is never sent to a provider, which would refuse the whole request (S0.3)", () => {
  const text = "cut \ud83d";
  const { prompt, tools } = providerPrompt(
    {
      system: text,
      messages: [
        { role: "user", text },
        { role: "assistant", text, calls: [{ id: "c", tool: "t", arguments: {}, text: "{}" }] },
        { role: "tool", outcomes: [{ id: "c", tool: "t", failed: false, text }] },
      ],
      tools: [{ name: "t", description: text, inputSchema: { type: "object" } }],
    },
    { provider: "test" },
    new AbortController().signal,
  );
  const sent = JSON.stringify({ prompt, tools });
  expect(sent).toContain("cut \ufffd");
  expect(sent).not.toContain("\\ud83d");
});
