import { describe, expect, it } from "vitest";
import { loopbackBlocks } from "../egress/address-rules.ts";
import { EgressRefusedError } from "../egress/egress-errors.ts";
import { loopbackServer } from "../egress/testing/loopback-server.ts";
import { KeySetError, keySetFetcher } from "./trusted-keys.ts";

const fetchKeySet = keySetFetcher({ allow: loopbackBlocks });

async function serving(status: number, body: string): Promise<string> {
  const { port } = await loopbackServer((_, response) => response.writeHead(status).end(body));
  return `http://127.0.0.1:${port}/keys.json`;
}

describe("a key set", () => {
  it("is fetched with all its keys", async () => {
    const keys = [
      { kty: "EC", kid: "1", crv: "P-256" },
      { kty: "RSA", kid: "2" },
    ];
    expect(await fetchKeySet(await serving(200, JSON.stringify({ keys, more: 1 })))).toEqual(keys);
  });

  it("is never fetched past the egress guard", async () => {
    const url = await serving(200, "{}");
    await expect(keySetFetcher({})(url)).rejects.toThrow(EgressRefusedError);
  });

  it.each([
    [404, "", "answered with status 404"],
    [302, "", "answered with status 302"],
    [200, "<html>", "is not JSON"],
    [200, "[]", "is not a key set"],
    [200, '{"keys":[{"kid":"1"}]}', "is not a key set"],
  ])("fails with KeySetError if the response is %i %j", async (status, body, why) => {
    const url = await serving(status, body);
    await expect(fetchKeySet(url)).rejects.toThrow(KeySetError);
    await expect(fetchKeySet(url)).rejects.toThrow(why);
  });
});
