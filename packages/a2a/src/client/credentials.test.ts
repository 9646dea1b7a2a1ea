import { describe, expect, it } from "vitest";
import { loopbackServer } from "../egress/testing/loopback-server.ts";
import type { Credentials } from "./credentials.ts";
import { type OddCall, oddAgent, oddCard, task } from "./testing/odd-agent.ts";

/** An agent whose card asks for these schemes, all of them together. */
function guarded(
  schemes: object,
  answer: (call: OddCall) => void = (call) => call.result(task("COMPLETED")),
) {
  const names = Object.keys(schemes);
  const requirement = { schemes: Object.fromEntries(names.map((name) => [name, { list: [] }])) };
  return oddAgent(answer, (url) =>
    oddCard(url, { securitySchemes: schemes, securityRequirements: [requirement] }),
  );
}

const apiKey = (location: string) => ({ apiKeySecurityScheme: { location, name: "X-Key" } });
const http = (scheme: string) => ({ httpAuthSecurityScheme: { scheme } });
const oauth = (tokenUrl: string) => ({
  oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl, scopes: {} } } },
});

describe("credentials", () => {
  it.each<[string, object, Credentials[string], (call: OddCall) => unknown, unknown]>([
    ["a header", apiKey("header"), { kind: "apiKey", value: "s3" }, (it) => it.headers["x-key"], "s3"],
    ["the query", apiKey("query"), { kind: "apiKey", value: "s 3" }, (it) => it.url, "/rpc?X-Key=s+3"],
    [
      "a cookie",
      apiKey("cookie"),
      { kind: "apiKey", value: "s;3" },
      (it) => it.headers.cookie,
      "X-Key=s%3B3",
    ],
    [
      "a bearer",
      http("Bearer"),
      { kind: "bearer", token: "t" },
      (it) => it.headers.authorization,
      "Bearer t",
    ],
    [
      "a password",
      http("basic"),
      { kind: "basic", username: "u", password: "p" },
      (it) => it.headers.authorization,
      "Basic dTpw",
    ],
  ])("are sent as %s, as the card requires", async (_, scheme, credential, sent, expected) => {
    const agent = await guarded({ main: scheme });
    const client = await agent.connect({ credentials: { main: credential } });
    await client.get({ id: "t1" });
    expect(sent(agent.calls[0] as OddCall)).toBe(expected);
  });

  it("are named in the error when they are missing, and nothing is sent", async () => {
    const agent = await guarded({ first: apiKey("header"), second: http("bearer") });
    const client = await agent.connect({ credentials: { first: { kind: "apiKey", value: "secret-1" } } });
    const error = await client.get({ id: "t1" }).catch((it) => it);
    expect([error.code, error.schemes]).toEqual(["missing_credential", ["second"]]);
    expect(error.message).not.toContain("secret-1");
    expect(agent.calls).toEqual([]);
  });

  it("are refused without being quoted when no header can carry them", async () => {
    const agent = await guarded({ main: http("bearer") });
    const client = await agent.connect({ credentials: { main: { kind: "bearer", token: "secret-4\n" } } });
    const error = await client.get({ id: "t1" }).catch((it) => it);
    expect(error.code).toBe("invalid_credential");
    expect(error.stack).not.toContain("secret-4");
  });

  it("are not sent with the card, and only to the endpoint's own origin", async () => {
    const seen: unknown[] = [];
    const elsewhere = await loopbackServer((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(302, { location: "http://127.0.0.1:1/" }).end();
    });
    const agent = await oddAgent(
      () => undefined,
      () =>
        oddCard(`http://127.0.0.1:${elsewhere.port}`, {
          securitySchemes: { main: http("bearer") },
          securityRequirements: [{ schemes: { main: {} } }],
        }),
    );
    const policy = { allowOrigins: [agent.url, `http://127.0.0.1:${elsewhere.port}`] };
    const client = await agent.connect({ policy, credentials: { main: { kind: "bearer", token: "t" } } });
    await expect(client.get({ id: "t1" })).rejects.toMatchObject({ code: "agent_response", status: 302 });
    expect(seen).toEqual(["Bearer t"]);
    expect(agent.calls).toEqual([]);
  });

  it.each([401, 403])(
    "raise AuthenticationRequiredError without the secret when refused with %i",
    async (status) => {
      const agent = await guarded({ main: http("bearer") }, ({ response }) =>
        response.writeHead(status).end("<html>"),
      );
      const client = await agent.connect({ credentials: { main: { kind: "bearer", token: "secret-2" } } });
      const error = await client.get({ id: "t1" }).catch((it) => it);
      expect([error.code, error.status, error.schemes]).toEqual([
        "authentication_required",
        status,
        ["main"],
      ]);
      expect(JSON.stringify(error) + error.message).not.toContain("secret-2");
      expect(agent.calls).toHaveLength(1);
    },
  );
});

describe("OAuth client credentials", () => {
  async function tokenServer(lifetime = 3_600) {
    const asked: URLSearchParams[] = [];
    const { port } = await loopbackServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      asked.push(new URLSearchParams(Buffer.concat(chunks).toString()));
      const basic = `Basic ${Buffer.from("me:right").toString("base64")}`;
      const isKnown =
        request.headers.authorization === basic || asked.at(-1)?.get("client_secret") === "right";
      response.writeHead(isKnown ? 200 : 401, { "content-type": "application/json" });
      const token = { access_token: `token-${asked.length}`, token_type: "bearer", expires_in: lifetime };
      response.end(JSON.stringify(isKnown ? token : { error: "invalid_client" }));
    });
    return { url: `http://127.0.0.1:${port}`, asked };
  }
  const credential = (clientSecret = "right") =>
    ({ kind: "clientCredentials", clientId: "me", clientSecret, scopes: ["a", "b"] }) as const;

  it("yield a cached token, which is requested once more after a 401", async () => {
    const tokens = await tokenServer();
    let good = "Bearer token-1";
    const agent = await guarded({ main: oauth(`${tokens.url}/token`) }, (call) => {
      if (call.headers.authorization === good) call.result(task("COMPLETED"));
      else call.response.writeHead(401).end();
    });
    const policy = { allowOrigins: [agent.url, tokens.url] };
    const client = await agent.connect({ policy, credentials: { main: credential() } });
    await Promise.all([client.get({ id: "t1" }), client.get({ id: "t1" })]);
    await client.get({ id: "t1" });
    expect(tokens.asked).toHaveLength(1);
    expect(tokens.asked[0]?.get("scope")).toBe("a b");
    good = "Bearer token-2";
    await client.get({ id: "t1" });
    good = "nothing will do";
    await expect(client.get({ id: "t1" })).rejects.toMatchObject({ code: "authentication_required" });
    expect(tokens.asked).toHaveLength(3);
  });

  it("yield a new token when the current one is about to expire", async () => {
    const tokens = await tokenServer(20);
    const agent = await guarded({ main: oauth(`${tokens.url}/token`) });
    const policy = { allowOrigins: [agent.url, tokens.url] };
    const client = await agent.connect({ policy, credentials: { main: credential() } });
    await client.get({ id: "t1" });
    await client.get({ id: "t1" });
    expect(tokens.asked).toHaveLength(2);
    const main = { ...credential(), secretIn: "post" } as const;
    await (await agent.connect({ policy, credentials: { main } })).get({ id: "t1" });
    expect(tokens.asked.map((it) => it.get("client_secret"))).toEqual([null, null, "right"]);
  });

  it("raise typed errors without the secret when the token endpoint or the egress guard refuses them", async () => {
    const tokens = await tokenServer();
    const agent = await guarded({ main: oauth(`${tokens.url}/token`) });
    const credentials = { main: credential("secret-3") };
    const policy = { allowOrigins: [agent.url, tokens.url] };
    for (const options of [{ policy, credentials }, { credentials }]) {
      const error = await (await agent.connect(options)).get({ id: "t1" }).catch((it) => it);
      expect(error.code).toBe("token_request");
      expect(`${error.message} ${JSON.stringify(error)}`).not.toContain("secret-3");
    }
    expect(tokens.asked).toHaveLength(1);
    expect(agent.calls).toEqual([]);
  });
});
