import { describe, expect, it } from "vitest";
import { parseAgentsFile } from "./parse-agents-file.ts";

const variables = { TOKEN: "t0p-secret", EMPTY: "", HOST: "agents.internal" };

function problems(text: string): string[] {
  const found = parseAgentsFile(text, "agents.json", variables).problems;
  return found.map(({ file, line, message }) => `${file}:${line}: ${message}`);
}

describe("agents.json (S4.25)", () => {
  it("has agents with credentials of every kind, by variables and defaults", () => {
    const text = `{
      "agents": {
        "argocd": { "url": "https://\${HOST}:8443", "auth": { "token": { "kind": "bearer", "token": "\${TOKEN}" } } },
        "plain": { "url": "\${NOWHERE:-http://127.0.0.1:8001}" },
        "many": {
          "url": "https://agent.example/card.json",
          "auth": {
            "key": { "kind": "apiKey", "value": "k-\${TOKEN}" },
            "basic": { "kind": "basic", "username": "me", "password": "\${EMPTY:-x}" },
            "oauth": {
              "kind": "clientCredentials", "clientId": "c", "clientSecret": "\${TOKEN}",
              "scopes": ["read"], "secretIn": "post", "tokenUrl": "https://id.example/token"
            }
          }
        }
      }
    }`;
    const { listings, problems } = parseAgentsFile(text, "agents.json", variables);
    expect(problems).toEqual([]);
    expect(listings).toEqual([
      {
        name: "argocd",
        url: "https://agents.internal:8443",
        vouched: true,
        credentials: { token: { kind: "bearer", token: "t0p-secret" } },
      },
      { name: "plain", url: "http://127.0.0.1:8001", vouched: true },
      {
        name: "many",
        url: "https://agent.example/card.json",
        vouched: true,
        credentials: {
          key: { kind: "apiKey", value: "k-t0p-secret" },
          basic: { kind: "basic", username: "me", password: "x" },
          oauth: {
            kind: "clientCredentials",
            clientId: "c",
            clientSecret: "t0p-secret",
            scopes: ["read"],
            secretIn: "post",
            tokenUrl: "https://id.example/token",
          },
        },
      },
    ]);
  });

  it("keeps valid entries beside invalid ones, and reports line and expectation, but no value", () => {
    const text = `{
  "agents": {
    "good": { "url": "https://agent.example" },
    "Bad Name": { "url": "https://agent.example" },
    "none": {},
    "ftp": { "url": "ftp://t0p-secret.example" },
    "user": { "url": "https://me:t0p-secret@agent.example" },
    "unset": { "url": "https://agent.example",
      "auth": { "a": { "kind": "bearer",
        "token": "\${NOT_SET}" } } },
    "kind": { "url": "https://agent.example", "auth": {
      "a": { "kind": "t0p-secret", "token": "t0p-secret" },
      "b": "t0p-secret",
      "c": { "kind": "bearer", "value": "t0p-secret" } } },
    "typo": { "url": "https://agent.example",
      "atuh": {} },
    "word": "https://t0p-secret.example"
  }
}`;
    expect(parseAgentsFile(text, "agents.json", variables).listings?.map(({ name }) => name)).toEqual([
      "good",
    ]);
    const url = "expected a URL with https:// or http://, without user and password";
    const kind = "expected a kind: apiKey, bearer, basic or clientCredentials";
    expect(problems(text)).toEqual([
      "agents.json:4: agents.Bad Name: expected a name of at most 64 of a–z, 0–9, _ and -",
      "agents.json:5: agents.none.url: Invalid input: expected string, received undefined",
      `agents.json:6: agents.ftp.url: ${url}`,
      `agents.json:7: agents.user.url: ${url}`,
      `agents.json:10: agents.unset.auth.a.token: the variable NOT_SET is not set: set it, or write \${NOT_SET:-default}`,
      `agents.json:12: agents.kind.auth.a.kind: ${kind}`,
      `agents.json:13: agents.kind.auth.b: ${kind}`,
      "agents.json:14: agents.kind.auth.c.token: Invalid input: expected string, received undefined",
      "agents.json:14: agents.kind.auth.c.value: it is not known here",
      "agents.json:16: agents.typo.atuh: it is not known here",
      "agents.json:17: agents.word: Invalid input: expected object, received string",
    ]);
  });

  it.each([
    ["[]", "agents.json:1: the file: Invalid input: expected object, received array"],
    ["{}", "agents.json:1: agents: Invalid input: expected record, received undefined"],
    ['{"agents": {\n"a": {"url": t0p-secret}}}', "agents.json:2: expected a value"],
  ])("is rejected as a whole when it is %j", (text, expected) => {
    expect(problems(text)).toEqual([expected]);
    expect(parseAgentsFile(text, "agents.json", variables).listings).toBeUndefined();
  });
});
