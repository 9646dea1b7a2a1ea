import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { McpServerConfiguration } from "../mcp/server-configuration.ts";
import { parseAgentFile } from "./agent-file.ts";
import { problemText } from "./located-document.ts";
import { parseMcpFile } from "./mcp-file.ts";

const calculator: McpServerConfiguration = {
  transport: "stdio",
  command: "node",
  args: [],
  env: {},
  cwd: "/",
};
const context = { servers: new Map([["calculator", calculator]]), variables: { HOST: "example.com" } };

function parse(text: string) {
  return parseAgentFile(text, "agents/helper.md", context);
}

function problems(text: string): string[] {
  return parse(text).problems.map(problemText);
}

const whole = `---
name: helper
description: Helps.
version: 2.1.0
outputModes: [image/png]
skills:
  - id: add
    name: Add
    description: Adds numbers
    tags: [maths]
    examples: ["What is 2+2?"]
model: anthropic:claude
mcpServers:
  - calculator
  - web:
      url: https://\${HOST}/mcp
approval:
  default: ask
  tools:
    "calculator__*": always
    "*__sync": never
limits: { steps: 8, seconds: 60, tokens: 10000, parallel: 2, toolSeconds: 5.5 }
thinking: true
tokens: status
port: +1
---

# You help

Be brief.
`;

describe("an agent file", () => {
  it("defines the agent and its system prompt", () => {
    expect(parse(whole)).toEqual({
      problems: [],
      agent: {
        file: "agents/helper.md",
        name: "helper",
        description: "Helps.",
        version: "2.1.0",
        skills: [
          {
            id: "add",
            name: "Add",
            description: "Adds numbers",
            tags: ["maths"],
            examples: ["What is 2+2?"],
          },
        ],
        outputModes: ["image/png"],
        model: "anthropic:claude",
        mcpServers: { calculator, web: { transport: "http", url: "https://example.com/mcp", headers: {} } },
        approval: {
          default: "ask",
          tools: [
            { pattern: "calculator__*", mode: "always" },
            { pattern: "*__sync", mode: "never" },
          ],
        },
        limits: { steps: 8, seconds: 60, tokens: 10_000, parallel: 2, toolSeconds: 5.5 },
        thinking: true,
        tokens: "status",
        port: { afterMain: 1 },
        instructions: "# You help\n\nBe brief.",
      },
    });
  });

  it("needs only a description and a prompt, with any line endings", () => {
    expect(parse("\uFEFF---\r\ndescription: Helps.\r\n---\r\nBe brief.\r\n").agent).toEqual({
      file: "agents/helper.md",
      name: "helper",
      description: "Helps.",
      version: "1.0.0",
      skills: [],
      outputModes: [],
      mcpServers: {},
      approval: { default: undefined, tools: [] },
      limits: {},
      thinking: false,
      tokens: "artifact",
      instructions: "Be brief.",
    });
  });

  it("may name a program instead of a model and tools, and then no settings of those (S0.1)", () => {
    const program = "program: { command: node, args: [a.mjs] }";
    const { agent, problems } = parse(`---\ndescription: x\n${program}\n---\nx`);
    expect(problems).toEqual([]);
    expect(agent?.program).toMatchObject({ transport: "stdio", command: "node", args: ["a.mjs"] });
    const wrong = parse(`---\ndescription: x\n${program}\nmodel: offline\nlimits: { steps: 3 }\n---\nx`);
    expect(wrong.agent).toBeUndefined();
    expect(wrong.problems.map(problemText)).toEqual([
      "agents/helper.md:4: model: an agent that is a program has none; leave it out",
      "agents/helper.md:5: limits: an agent that is a program has none; leave it out",
    ]);
    for (const value of ["a.mjs", "{ args: [a.mjs] }", '{ url: "http://localhost" }']) {
      const problem = parse(`---\ndescription: x\nprogram: ${value}\n---\nx`).problems[0];
      expect(problem?.message).toMatch(/^program/);
    }
  });

  it("may reference servers by name, and set a fixed port and one rule for all tools", () => {
    const { agent } = parse(
      "---\ndescription: x\nmcpServers:\n  own: { command: node, args: [a.ts] }\nport: 9001\napproval: never\n---\nx",
    );
    expect(agent?.mcpServers.own).toMatchObject({ transport: "stdio", args: ["a.ts"] });
    expect(agent?.port).toEqual({ fixed: 9_001 });
    expect(agent?.approval).toEqual({ default: "never", tools: [] });
  });

  it("reports every issue with its line", () => {
    const text = `---
nmae: helper
description: ""
skills:
  - id: a
    name: A
    tags: maths
    exampels: []
aproval: ask
limits:
  steps: 0
  secs: 5
thinking: "yes"
tokens: both
port: 99999
model: 4
---
`;
    expect(problems(text)).toEqual([
      "agents/helper.md:2: nmae is not known here: did you mean name?",
      "agents/helper.md:3: description is empty",
      "agents/helper.md:5: skills[0].description is missing: expected text",
      "agents/helper.md:7: skills[0].tags: expected a list, but this is text",
      "agents/helper.md:8: skills[0].exampels is not known here: did you mean examples?",
      "agents/helper.md:9: aproval is not known here: did you mean approval?",
      "agents/helper.md:11: limits.steps: expected at least 1, but this is 0",
      "agents/helper.md:12: limits.secs is not known here",
      "agents/helper.md:13: thinking: expected true or false, but this is text",
      'agents/helper.md:14: tokens: expected one of artifact, status, but this is "both"',
      "agents/helper.md:15: port: expected a port like 8001, or +1 for the one after the main port, but this is 99999",
      "agents/helper.md:16: model: expected text, but this is a number: put it in quotes",
      "agents/helper.md:18: the text after the front matter is the system prompt, and it is empty",
    ]);
    expect(parse(text).agent).toBeUndefined();
  });

  it.each([
    ["Just text.", ":1: expected --- in the first line: an agent's file begins with front matter"],
    ["", ":1: expected --- in the first line: an agent's file begins with front matter"],
    ["---\ndescription: x\n", ":1: expected a line --- that ends the front matter"],
    ["---\n---\nx", ":2: the document: expected keys with values, but this is empty"],
    ["---\n- a\n---\nx", ":2: the document: expected keys with values, but this is a list"],
    ["---\ndescription: x\ndescription: y\n---\nx", ":3: Map keys must be unique"],
    [
      "---\ndescription: x\nname: Big Name\n---\nx",
      `:3: name: expected small letters, digits, - and _, beginning with a letter, but this is "Big Name"`,
    ],
    [
      "---\ndescription: *nobody\n---\nx",
      ":2: Unresolved alias (the anchor must be set before the alias): nobody",
    ],
    [
      "---\ndescription: x\napproval: maybe\n---\nx",
      `:3: approval.default: expected one of ask, always, never, but this is "maybe"`,
    ],
    [
      "---\ndescription: x\napproval:\n  tools:\n    a: sometimes\n---\nx",
      `:5: approval.tools.a: expected one of ask, always, never, but this is "sometimes"`,
    ],
    [
      "---\ndescription: x\napproval:\n  defualt: ask\n---\nx",
      ":4: approval.defualt is not known here: did you mean default?",
    ],
    [
      "---\ndescription: x\nmcpServers: calculator\n---\nx",
      ":3: mcpServers: expected a list of names from mcp.json, or servers by name",
    ],
    [
      "---\ndescription: x\nmcpServers:\n  - 7\n---\nx",
      ":4: mcpServers[0]: expected a name from mcp.json, or a server by name",
    ],
    [
      "---\ndescription: x\nmcpServers:\n  - own:\n      comand: x\n---\nx",
      ":4: mcpServers[0].own.command is missing: expected text",
    ],
    [
      "---\ndescription: x\nport: -1\n---\nx",
      ":3: port: expected a port like 8001, or +1 for the one after the main port, but this is -1",
    ],
    [
      "---\ndescription: x\nport: +123456\n---\nx",
      `:3: port: expected a port like 8001, or +1 for the one after the main port, but this is "+123456"`,
    ],
  ])("that is %j is refused with its line", (text, expected) => {
    expect(problems(text)[0]).toBe(`agents/helper.md${expected}`);
    expect(parse(text).agent).toBeUndefined();
  });

  it("with invalid YAML is reported with the line", () => {
    expect(parse("---\ndescription: x\nname: [a\nport: 1\n---\nx").problems[0]).toMatchObject({ line: 4 });
    expect(parse("---\ndescription: x\n\tname: y\n---\nx").problems[0]).toMatchObject({ line: 3 });
  });

  it("that references an unknown server works without it, with a warning", () => {
    const { agent, problems } = parse("---\ndescription: x\nmcpServers:\n  - calculater\n---\nx");
    const reason = "mcp.json has no server calculater: did you mean calculator?";
    expect(agent?.mcpServers).toEqual({ calculater: { transport: "invalid", reason } });
    expect(problems).toMatchObject([{ line: 4, severity: "warning", message: `mcpServers: ${reason}` }]);
  });

  it("with arbitrary content is read or refused with valid line numbers, and never throws", () => {
    const pieces = [
      "---",
      "\n",
      "name",
      ": ",
      "[",
      "{",
      "&a ",
      "*a",
      "- ",
      "mcpServers",
      "approval",
      "+1",
      "\t",
      "|",
      "!!x ",
    ];
    const text = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 5 })), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(text, (parts) => {
        const body = `---\n${parts.join("")}\n---\nHelp.`;
        for (const { line } of [
          ...parse(body).problems,
          ...parseMcpFile(parts.join(""), "mcp.json", {}).problems,
        ]) {
          expect(line).toBeGreaterThan(0);
          expect(line).toBeLessThanOrEqual(body.split("\n").length + 1);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
