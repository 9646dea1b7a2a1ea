import { exportJWK, generateKeyPair } from "jose";
import { describe, expect, it } from "vitest";
import { signCard } from "../cards/card-signature.ts";
import { CardSignatureError } from "../cards/card-verification.ts";
import { loopbackServer } from "../egress/testing/loopback-server.ts";
import { AgentCards } from "./agent-cards.ts";
import { NoAgentCardError, NoUsableEndpointError } from "./client-errors.ts";
import { oddCard, QUICK } from "./testing/odd-agent.ts";

interface Served {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** A server with these documents, and what it was asked for. */
async function site(documents: Record<string, Served | ((tag: string | undefined) => Served)>) {
  const asked: string[] = [];
  const { port } = await loopbackServer((request, response) => {
    asked.push(request.url ?? "");
    const found = documents[request.url ?? ""] ?? { status: 404, body: "<html>no</html>" };
    const served = typeof found === "function" ? found(request.headers["if-none-match"]) : found;
    const { status = 200, headers = {}, body = "" } = served;
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
  });
  const url = `http://127.0.0.1:${port}`;
  const limits = { ...QUICK, card: 1_000, cardBytes: 20_000 };
  const cards = new AgentCards({ policy: { allowOrigins: [url] }, limits });
  return { url, asked, cards };
}

const card = (more: object = {}) => ({ body: JSON.stringify(oddCard("http://127.0.0.1:1", more)) });
const NEW = "/.well-known/agent-card.json";
const OLD = "/.well-known/agent.json";

describe("an agent's card (S1.2)", () => {
  it.each([
    ["at its new place", NEW, "", [NEW]],
    ["at its old place", OLD, "/", [NEW, OLD]],
    ["below a base path", `/agents/one${NEW}`, "/agents/one/", [`/agents/one${NEW}`]],
    ["at the root, for a path that has none", NEW, "/a2a", [`/a2a${NEW}`, `/a2a${OLD}`, NEW]],
    ["where it was said to be", "/cards/one.json", "/cards/one.json", ["/cards/one.json"]],
  ])("is found %s", async (_, place, given, tried) => {
    const { url, asked, cards } = await site({ [place]: card() });
    const agent = await cards.find(url + given);
    expect([agent.card.name, agent.cardUrl, asked]).toEqual(["Odd", url + place, tried]);
  });

  it("is cached for its lifetime and then revalidated by its ETag", async () => {
    let control = "max-age=60";
    const serve = (tag: string | undefined) => {
      const headers = { etag: '"one"', "cache-control": control };
      return tag === '"one"' ? { status: 304, headers } : { ...card(), headers };
    };
    const { url, asked, cards } = await site({ [NEW]: serve });
    const first = await cards.find(url);
    expect(await cards.find(url)).toBe(first);
    expect(asked).toHaveLength(1);
    control = "no-cache";
    const other = await site({ [NEW]: serve });
    const kept = await other.cards.find(other.url);
    expect(await other.cards.find(other.url)).toBe(kept);
    expect(other.asked).toHaveLength(2);
    control = "no-store";
    const third = await site({ [NEW]: serve });
    expect(await third.cards.find(third.url)).not.toBe(await third.cards.find(third.url));
  });

  it("is revalidated by its ETag while fresh when the caller asks for that", async () => {
    const tags: (string | undefined)[] = [];
    const serve = (tag: string | undefined) => {
      tags.push(tag);
      const headers = { etag: '"one"', "cache-control": "max-age=60" };
      return tag === '"one"' ? { status: 304, headers } : { ...card(), headers };
    };
    const { url, cards } = await site({ [NEW]: serve });
    const first = await cards.find(url);
    expect(await cards.find(url, { revalidate: true })).toBe(first);
    expect(tags).toEqual([undefined, '"one"']);
  });

  it("is looked up at all locations again when it has moved", async () => {
    const documents: Record<string, Served> = { [OLD]: card() };
    const { url, cards } = await site(documents);
    expect((await cards.find(url)).cardUrl).toBe(url + OLD);
    delete documents[OLD];
    documents[NEW] = card();
    expect((await cards.find(url, { revalidate: true })).cardUrl).toBe(url + NEW);
  });

  it("keeps its findings", async () => {
    const { url, cards } = await site({ [NEW]: card({ version: 7 }) });
    expect((await cards.find(url)).findings).toMatchObject([{ path: "$.version" }]);
  });

  it("is reported as NoAgentCardError with all locations when it is missing", async () => {
    const { url, cards } = await site({ [OLD]: { status: 500 } });
    const error = await cards.find(url).catch((it) => it);
    expect(error).toBeInstanceOf(NoAgentCardError);
    expect(error.attempts).toEqual([`${NEW}: HTTP 404`, `${OLD}: HTTP 500`]);
  });

  it.each<[string, Served, string]>([
    ["is too large", { body: JSON.stringify("x".repeat(30_000)) }, "no_agent_card"],
    ["is a page of HTML", { body: "<html>" }, "no_agent_card"],
    ["is behind a redirect", { status: 302, headers: { location: "https://example.com" } }, "no_agent_card"],
    ["needs a password", { status: 401 }, "authentication_required"],
  ])("that %s is refused", async (_, served, code) => {
    const { url, cards } = await site({ [NEW]: served });
    await expect(cards.find(url)).rejects.toMatchObject({ code });
  });

  it("without a supported interface is a typed error", async () => {
    const { url, cards } = await site({ [NEW]: card({ supportedInterfaces: [] }) });
    const error = await cards.find(url).catch((it) => it);
    expect(error).toBeInstanceOf(NoUsableEndpointError);
    expect(error.findings).toMatchObject([{ path: "$", severity: "error" }]);
  });

  it("is requested again while the agent is busy", async () => {
    let busy = 2;
    const { url, cards } = await site({ [NEW]: () => (busy-- > 0 ? { status: 503 } : card()) });
    expect((await cards.find(url)).card.name).toBe("Odd");
  });

  it("of an unreachable or unresponsive agent is a typed error", async () => {
    const { url } = await site({});
    const port = await loopbackServer(() => undefined);
    const slow = `http://127.0.0.1:${port.port}`;
    const options = {
      policy: { allowOrigins: [slow, "http://127.0.0.1:1"] },
      limits: { ...QUICK, card: 40 },
    };
    const cards = new AgentCards(options);
    await expect(cards.find(slow)).rejects.toMatchObject({ code: "agent_timeout" });
    await expect(cards.find("http://127.0.0.1:1")).rejects.toMatchObject({ code: "agent_unreachable" });
    await expect(cards.find(url)).rejects.toMatchObject({ code: "egress_refused" });
  });

  it("is accepted only with a signature of a pinned key, if one is required", async () => {
    const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
    const document = JSON.parse(card().body);
    const signed = await signCard(document, { keyId: "k1", algorithm: "ES256", key: privateKey });
    const { url, cards } = await site({ [NEW]: { body: JSON.stringify(signed) } });
    const keys = [{ keyId: "k1", jwk: await exportJWK(publicKey) }];
    expect((await cards.find(url, { trust: { keys } })).verifiedBy).toBe("k1");
    const others = [{ keyId: "k2", jwk: await exportJWK(publicKey) }];
    await expect(cards.find(url, { trust: { keys: others } })).rejects.toBeInstanceOf(CardSignatureError);
  });
});
