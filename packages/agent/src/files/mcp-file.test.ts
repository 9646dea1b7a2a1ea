import { describe, expect, it } from "vitest";
import { parseMcpFile } from "./mcp-file.ts";

const file = "/config/mcp.json";

function problems(text: string, variables = {}): string[] {
  return parseMcpFile(text, file, variables).problems.map(({ line, message }) => `${line}: ${message}`);
}

describe("mcp.json", () => {
  it("defines programs and URLs, with variables and defaults", () => {
    const text = `{
\t"mcpServers": {
\t\t"git": { "command": "node", "args": ["\${ROOT}/git.ts", "\${REPO:-.}"], "env": { "A": "\${EMPTY:-b}" }, "cwd": "work" },
\t\t"web": { "url": "https://example.com/mcp", "headers": { "authorization": "Bearer \${TOKEN}" } },
\t\t"typed": { "type": "streamable-http", "url": "http://localhost:1" },
\t\t"old": { "type": "sse", "url": "https://example.com/sse" },
\t\t"off": { "command": "x", "disabled": true }
\t}
}`;
    const read = parseMcpFile(text, file, { ROOT: "/root", TOKEN: "t", EMPTY: "" });
    expect(read.problems).toEqual([]);
    expect(Object.fromEntries(read.servers)).toEqual({
      git: {
        transport: "stdio",
        command: "node",
        args: ["/root/git.ts", "."],
        env: { A: "b" },
        cwd: "/config/work",
      },
      web: { transport: "http", url: "https://example.com/mcp", headers: { authorization: "Bearer t" } },
      typed: { transport: "http", url: "http://localhost:1", headers: {} },
      old: { transport: "sse", url: "https://example.com/sse", headers: {} },
      off: { transport: "invalid", reason: "it is disabled" },
    });
  });

  it("keeps valid entries beside invalid ones, and reports each issue's location", () => {
    const text = `{
  "mcpServers": {
    "good": { "command": "a" },
    "empty": {},
    "mixed": {
      "command": 7,
      "args": "one",
      "env": { "PORT": 8080 }
    },
    "unset": { "command": "\${NOWHERE}" },
    "place": { "url": "ftp://example.com" },
    "kind": { "type": "carrier-pigeon", "url": "https://example.com" },
    "word": "npx thing"
  }
}`;
    const { servers } = parseMcpFile(text, file, {});
    expect(servers.get("good")?.transport).toBe("stdio");
    expect([...servers.values()].filter(({ transport }) => transport === "invalid")).toHaveLength(6);
    expect(servers.get("unset")).toEqual({
      transport: "invalid",
      reason: `/config/mcp.json:10: the variable NOWHERE is not set: set it, or write \${NOWHERE:-default}`,
    });
    expect(problems(text)).toEqual([
      "4: mcpServers.empty.command is missing: expected text",
      "6: mcpServers.mixed.command: expected text, but this is a number: put it in quotes",
      "7: mcpServers.mixed.args: expected a list, but this is text",
      "8: mcpServers.mixed.env.PORT: expected text, but this is a number: put it in quotes",
      `10: the variable NOWHERE is not set: set it, or write \${NOWHERE:-default}`,
      "11: url: expected a URL that begins with https:// or http://",
      '12: mcpServers.kind.type: expected one of http, streamable-http, streamableHttp, sse, but this is "carrier-pigeon"',
      "13: mcpServers.word: expected keys with values, but this is text",
    ]);
  });

  it("warns about unknown keys with a suggestion, and accepts the rest", () => {
    const text = `{"mcpServers": {\n"a": {"command": "x",\n"comand": "y",\n"autoApprove": []}}}`;
    const { servers, problems } = parseMcpFile(text, file, {});
    expect(servers.get("a")).toMatchObject({ transport: "stdio", command: "x" });
    expect(problems).toEqual([
      {
        file,
        line: 3,
        message: "mcpServers.a.comand is not known here: did you mean command?",
        severity: "warning",
      },
      { file, line: 4, message: "mcpServers.a.autoApprove is not known here", severity: "warning" },
    ]);
  });

  it.each([
    ["", ["1: the document: expected keys with values, but this is empty"]],
    ["[]", ["1: the document: expected keys with values, but this is a list"]],
    ["{}", ["1: mcpServers is missing: expected keys with values"]],
    ['{"mcpServers": []}', ["1: mcpServers: expected keys with values, but this is a list"]],
    ['{"mcpServers": {\n"a": {"command": "x"},\n"a": {"command": "y"}\n}}', ["3: Map keys must be unique"]],
  ])("with the content %j is reported as an issue", (text, expected) => {
    expect(problems(text)).toEqual(expected);
  });

  it.each([
    ["without its end", '{"mcpServers": {\n"a": {"command": "x"}\n', 3],
    ["with a stray word", '{\n"mcpServers": {}\n} oops', 3],
    ["that is binary", "\u0000\u0001", 1],
  ])("%s is reported as an issue at its line", (_, text, line) => {
    const { servers, problems } = parseMcpFile(text, file, {});
    expect(servers.size).toBe(0);
    expect(problems[0]).toMatchObject({ line, severity: "error" });
  });
});
