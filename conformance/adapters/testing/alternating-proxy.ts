import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { requestBody } from "@parley/testing/request-body.ts";
import { onTestFinished } from "vitest";

/** One address for several nodes: a round-robin load balancer without affinity. */
export interface AlternatingProxy {
  readonly url: string;
  /** Which node each request went to, by its method and the words of its body. */
  readonly taken: readonly { readonly node: string; readonly what: string }[];
}

/** Starts one; it ends with the test. A node that does not answer is skipped. */
export async function startAlternatingProxy(nodes: readonly string[]): Promise<AlternatingProxy> {
  const taken: { node: string; what: string }[] = [];
  let turn = 0;
  const pass = (incoming: IncomingMessage, body: string, answer: ServerResponse, tries: number) => {
    const node = nodes[turn++ % nodes.length] ?? "";
    const { method = "", url = "", headers } = incoming;
    const outgoing = request(new URL(url, node), { method, headers }, (response) => {
      taken.push({ node, what: `${method} ${body}` });
      answer.writeHead(response.statusCode ?? 502, response.headers);
      answer.flushHeaders();
      response.pipe(answer);
      // A broken upstream connection breaks the client's.
      response.on("error", () => answer.destroy());
    });
    outgoing.on("error", () => {
      if (answer.headersSent || tries === 0) answer.destroy();
      else pass(incoming, body, answer, tries - 1);
    });
    answer.on("close", () => outgoing.destroy());
    outgoing.end(body);
  };
  const server = createServer(async (incoming, answer) => {
    const body = await requestBody(incoming);
    if (body !== undefined) pass(incoming, body, answer, nodes.length);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://localhost:${(server.address() as AddressInfo).port}`, taken };
}
