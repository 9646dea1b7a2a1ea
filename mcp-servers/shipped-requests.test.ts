import { join } from "node:path";
import { AgentFolder, McpServers } from "@parley/agent";
import { type ModelMessage, offlineModel, type ToolCall, type ToolDefinition } from "@parley/models";
import { testFolder } from "@parley/testing/test-folder.ts";
import { expect, it, onTestFinished } from "vitest";

/** A call as it is expected, what is expected after it, or a question back; "nothing" is an honest no. */
type Expected = readonly (readonly [tool: string, args: object])[] | "question" | "nothing";

const read = (path: string): Expected => [
  ["files__list_directory", { path: "." }],
  ["files__read_text_file", { path }],
];
const calculated = (expression: string): Expected => [["calculator__evaluate", { expression }]];

/** What people say to each agent, and what should come of it without a language model. */
const REQUESTS: Record<string, Record<string, Expected>> = {
  argocd: {
    "what applications are out of sync?": [["application_service__list", {}]],
    "show the status of checkout": [["application_service__get", { name: "checkout" }]],
    "tell me about the guestbook app": [["application_service__get", { name: "guestbook" }]],
    "how is the payments application doing?": [["application_service__get", { name: "payments" }]],
    "what would a sync of checkout change?": [["application_service__diff", { name: "checkout" }]],
    "deploy checkout": [["application_service__sync", { name: "checkout" }]],
    "list apps": [["application_service__list", {}]],
    "check argocd": [["application_service__list", {}]],
    "what's the argo cd build date?": [["version_service__version", {}]],
    "sync it": "question",
  },
  calculator: {
    "what is 15% of 80 plus 4": calculated("15 / 100 * 80 + 4"),
    "20 minus 5 plus 3": calculated("20 - 5 + 3"),
    "square root of 144": calculated("144 ^ 0.5"),
    "average of 3, 5 and 10": calculated("(3 + 5 + 10) / 3"),
    "how much is 99 divided by 3?": calculated("99 / 3"),
    "calculate something": "question",
  },
  charts: {
    "draw a chart of 3, 5, 8": [["charts__draw_chart", { values: [3, 5, 8] }]],
    "a bar chart of 1.5, -2 and 4, please": [["charts__draw_chart", { kind: "bar", values: [1.5, -2, 4] }]],
    'draw a line chart of 4, 8, 15 called "Visitors"': [
      ["charts__draw_chart", { kind: "line", values: [4, 8, 15], title: "Visitors" }],
    ],
    "plot 10, 20 and 30": [["charts__draw_chart", { values: [10, 20, 30] }]],
    "draw a chart": "question",
  },
  files: {
    "What is in the meeting notes?": read("meeting-notes.md"),
    "read the notes": read("meeting-notes.md"),
    "show me the inventory": read("inventory.csv"),
    "what are the opening hours?": read("opening-hours.txt"),
    "list the files": [["files__list_directory", { path: "." }]],
    "check files": [["files__list_directory", { path: "." }]],
    "how big is inventory.csv?": [["files__get_file_info", { path: "inventory.csv" }]],
    "when was inventory.csv changed?": [["files__get_file_info", { path: "inventory.csv" }]],
    "show the folder tree": [["files__directory_tree", { path: "." }]],
    "find files named notes": [["files__search_files", { path: ".", pattern: "**/*notes*" }]],
    "create a folder called archive": [["files__create_directory", { path: "archive" }]],
    "rename inventory.csv to stock.csv": [
      ["files__move_file", { source: "inventory.csv", destination: "stock.csv" }],
    ],
    "show the last 3 lines of inventory.csv": [["files__read_text_file", { path: "inventory.csv", tail: 3 }]],
    "Add a line to the notes": "question",
    "delete inventory.csv": "nothing",
  },
  git: {
    "show the last commits": [["git__log", {}]],
    "show the last 3 commits": [["git__log", { limit: 3 }]],
    "commits by Ada": [["git__log", { author: "Ada" }]],
    "history of README.md": [["git__log", { path: "README.md" }]],
    "show commit HEAD~1": [["git__show", { revision: "HEAD~1" }]],
    "what changed in the last commit?": [["git__show", {}]],
    "which branch am I on?": [["git__status", {}]],
    "check git": [["git__status", {}]],
    "search for TODO in the repository": [["git__grep", { text: "TODO" }]],
    "compare main with HEAD~3": [["git__diff", { from: "main", to: "HEAD~3" }]],
    "who changed the readme last?": "question",
  },
};

/** What is known to go wrong: these have to be right by their own words, and are not. */
const MISSED = [
  "when was inventory.csv changed?",
  "what changed in the last commit?",
  "which branch am I on?",
];

async function turnFor(messages: readonly ModelMessage[], tools: readonly ToolDefinition[]) {
  const calls: ToolCall[] = [];
  let text = "";
  const request = { system: "", messages, tools };
  for await (const event of offlineModel().turn(request, new AbortController().signal)) {
    if (event.type === "tool-call") calls.push(event.call);
    if (event.type === "text") text += event.text;
  }
  return { calls, text };
}

/** What comes of a request: calls one after the other, of which only the last is not really made. */
async function outcomeOf(said: string, servers: McpServers, most: number): Promise<unknown> {
  const messages: ModelMessage[] = [{ role: "user", text: said }];
  const made: unknown[] = [];
  while (true) {
    const { calls, text } = await turnFor(messages, servers.tools());
    if (calls.length === 0) return text.endsWith("?") ? "question" : "nothing";
    made.push(...calls.map((call) => [call.tool, call.arguments]));
    if (made.length >= most) return made;
    const outcomes = await Promise.all(
      calls.map(async ({ id, tool, arguments: args = {} }) => {
        const result = await servers.call(tool, args);
        return { id, tool, failed: false, text: result.text };
      }),
    );
    messages.push({ role: "assistant", text, calls }, { role: "tool", outcomes });
  }
}

async function shippedAgents() {
  const folder = await AgentFolder.open({
    folder: join(import.meta.dirname, "..", "agents"),
    variables: { PARLEY_DATA: await testFolder() },
    onChange: () => {},
  });
  onTestFinished(() => folder.close());
  return folder.current.agents;
}

it.each(Object.entries(REQUESTS))(
  "requests to the agent %s lead to the expected tool calls",
  async (name, requests) => {
    const agent = (await shippedAgents()).find((one) => one.name === name);
    const servers = new McpServers(agent?.mcpServers ?? {}, { fetch });
    onTestFinished(() => servers.stop());
    await servers.start();
    const missed: string[] = [];
    for (const [said, expected] of Object.entries(requests)) {
      const outcome = await outcomeOf(said, servers, Array.isArray(expected) ? expected.length : 1);
      if (MISSED.includes(said)) expect(outcome, said).not.toEqual(expected);
      else if (JSON.stringify(outcome) !== JSON.stringify(expected))
        missed.push(`${said} → ${JSON.stringify(outcome)}`);
    }
    expect(missed).toEqual([]);
  },
);

/** What people say to the supervisor: who does it, and after which steps; none where it needs nobody or has nobody. */
const PLANS: Record<string, readonly (readonly [agent: string, request: string, ...after: string[]])[]> = {
  "show argocd version": [["argocd", "show argocd version"]],
  "check git and files simultaneously": [
    ["git", "check git"],
    ["files", "check files"],
  ],
  "first list the files, then add 2 and 3": [
    ["files", "list the files"],
    ["calculator", "add 2 and 3", "step-1"],
  ],
  "multiply 6 by 7 and then list the branches": [
    ["calculator", "multiply 6 by 7"],
    ["git", "list the branches", "step-1"],
  ],
  "list the branches and what's 2+2?": [
    ["git", "list the branches"],
    ["calculator", "what's 2+2?"],
  ],
  "check the argocd applications, the branches and the inventory": [
    ["argocd", "check the argocd applications"],
    ["git", "check the branches"],
    ["files", "check the inventory"],
  ],
  "Which applications are out of sync, and what were the last five commits?": [
    ["argocd", "Which applications are out of sync"],
    ["git", "what were the last five commits?"],
  ],
  "Break the fragile demo and show argocd version": [
    ["fragile", "Break the fragile demo"],
    ["argocd", "show argocd version"],
  ],
  "What is in the meeting notes?": [["files", "What is in the meeting notes?"]],
  "what's in inventory.csv?": [["files", "what's in inventory.csv?"]],
  "Add a line to the notes": [["files", "Add a line to the notes"]],
  "who changed the readme last?": [["git", "who changed the readme last?"]],
  "show the last commits": [["git", "show the last commits"]],
  "find TODO in the code": [["git", "find TODO in the code"]],
  "what applications are out of sync?": [["argocd", "what applications are out of sync?"]],
  "is everything in sync?": [["argocd", "is everything in sync?"]],
  "what is 15% of 80 plus 4": [["calculator", "what is 15% of 80 plus 4"]],
  "draw a chart of 3, 5, 8": [["charts", "draw a chart of 3, 5, 8"]],
  "plot 4, 8 and 15 as a line": [["charts", "plot 4, 8 and 15 as a line"]],
  "ask the git agent: what is 2+2?": [["git", "ask the git agent: what is 2+2?"]],
  hello: [],
  "what can you do?": [],
  "who are you?": [],
  "what's the weather?": [],
};

it("requests to a supervisor of the shipped agents become the right plans (S0.1, S0.4)", async () => {
  const text = { type: "string" };
  const agents = (await shippedAgents()).map(({ name, description, skills }) => ({
    name,
    description: [
      description,
      ...skills.map((skill) => [skill.description, ...(skill.examples ?? [])].join("\n")),
    ].join("\n"),
    inputSchema: { type: "object", properties: { request: text }, required: ["request"] },
  }));
  const step = {
    type: "object",
    properties: {
      id: text,
      title: text,
      agent: { ...text, enum: agents.map(({ name }) => name) },
      request: text,
      dependencies: { type: "array", items: text },
    },
    required: ["id", "title", "agent", "request", "dependencies"],
  };
  const inputSchema = {
    type: "object",
    properties: { steps: { type: "array", items: step } },
    required: ["steps"],
  };
  const plan = { name: "carry_out_plan", description: "Makes a plan and carries it out.", inputSchema };
  for (const [said, expected] of Object.entries(PLANS)) {
    const { calls } = await turnFor([{ role: "user", text: said }], [...agents, plan]);
    expect(calls.map(({ tool }) => tool)).toEqual(expected.length > 0 ? ["carry_out_plan"] : []);
    const steps = (calls[0]?.arguments?.steps ?? []) as {
      agent: string;
      request: string;
      dependencies: string[];
    }[];
    expect(
      steps.map(({ agent, request, dependencies }) => [agent, request, ...dependencies]),
      said,
    ).toEqual(expected);
  }
});
