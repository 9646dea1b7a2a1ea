import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { guardedServer } from "./guarded-server.ts";
import { listen } from "./listen.ts";

it("never writes a second answer into a connection that is being answered", async () => {
  const server = guardedServer((_request, response) => response.writeHead(200).write("the beginning"));
  const port = await listen(server, "127.0.0.1", 0);
  onTestFinished(() => void server.close());
  const socket = connect(port, "127.0.0.1");
  const headers = "Host: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
  socket.write(`POST / HTTP/1.1\r\n${headers}`);
  const [first] = await once(socket, "data");
  socket.write("this is no chunk\r\n");
  const rest = await text(socket).catch(() => "cut");
  expect(String(first)).toContain("HTTP/1.1 200 OK");
  expect(rest).not.toContain("HTTP/1.1");
});
