import { join } from "node:path";
import { AgentFolder, McpServers } from "@parley/agent";
import { offlineModel, type ToolCall } from "@parley/models";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, it, onTestFinished } from "vitest";

/** What each example of an agent's skills, and some more sentences, must lead to without a language model. */
const LEADS_TO: Record<string, Record<string, readonly [tool: string, args: object]>> = {
  argocd: {
    "show argocd version": ["version_service__version", {}],
    "Which version of Argo CD do we run?": ["version_service__version", {}],
    "Which applications are out of sync?": ["application_service__list", {}],
    "What differs in checkout?": ["application_service__diff", { name: "checkout" }],
    "Sync checkout": ["application_service__sync", { name: "checkout" }],
    "diff checkout": ["application_service__diff", { name: "checkout" }],
    "list the applications": ["application_service__list", {}],
  },
  calculator: {
    "What's 2+2?": ["calculator__evaluate", { expression: "2+2" }],
    "What is 15% of 80?": ["calculator__evaluate", { expression: "15 / 100 * 80" }],
  },
  charts: {
    "Draw a chart of 3, 5, 8": ["charts__draw_chart", { values: [3, 5, 8] }],
    "Plot 12, 9, 14 and 20 as a line": ["charts__draw_chart", { values: [12, 9, 14, 20], kind: "line" }],
  },
  files: {
    "Which files are there?": ["files__list_directory", { path: "." }],
    "Which product in inventory.csv has to be ordered?": ["files__read_text_file", { path: "inventory.csv" }],
    "read meeting-notes.md": ["files__read_text_file", { path: "meeting-notes.md" }],
  },
  git: {
    "What were the last five commits?": ["git__log", { limit: 5 }],
    "Who changed README.md last?": ["git__blame", { path: "README.md" }],
    "Which branches are there?": ["git__branches", {}],
    "What changed between HEAD~1 and HEAD?": ["git__diff", { from: "HEAD~1", to: "HEAD" }],
  },
};

it.each(Object.entries(LEADS_TO))(
  "the examples of the agent %s lead to the right tool offline",
  async (name, examples) => {
    const variables = { PARLEY_DATA: await testFolder() };
    const folder = await AgentFolder.open({
      folder: join(import.meta.dirname, "..", "agents"),
      variables,
      onChange: () => {},
    });
    onTestFinished(() => folder.close());
    const servers = new McpServers(
      folder.current.agents.find((agent) => agent.name === name)?.mcpServers ?? {},
      { fetch },
    );
    onTestFinished(() => servers.stop());
    await servers.start();
    const tools = servers.tools();
    for (const [text, [tool, args]] of Object.entries(examples)) {
      const calls: ToolCall[] = [];
      const request = { system: "", messages: [{ role: "user", text } as const], tools };
      for await (const event of offlineModel().turn(request, new AbortController().signal)) {
        if (event.type === "tool-call") calls.push(event.call);
      }
      expect(
        calls.map((call) => [call.tool, call.arguments]),
        text,
      ).toEqual([[tool, args]]);
    }
  },
);
