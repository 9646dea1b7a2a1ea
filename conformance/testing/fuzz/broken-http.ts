import { ODD_TEXTS } from "./odd-values.ts";
import type { Random } from "./random.ts";

const HEAD = "Host: localhost\r\nContent-Type: application/json\r\n";
const CALL = '{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{}}';
/** What an attacker hides in the body of another request. */
const HIDDEN = "GET /.well-known/agent-card.json HTTP/1.1\r\nHost: localhost\r\n\r\n";

/** Ways to say two things about where a body ends; a server that believes either serves the hidden request. */
const SMUGGLING: readonly string[] = [
  `Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  `Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\n${HIDDEN}`,
  `Content-Length: 0\r\nContent-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
  `Content-Length: 0, ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
  `Content-Length: +0\r\n\r\n${HIDDEN}`,
  `Content-Length: -1\r\n\r\n${HIDDEN}`,
  `Content-Length: 0x10\r\n\r\n${HIDDEN}`,
  `Content-Length: 99999999999999999999\r\n\r\n${HIDDEN}`,
  `Content-Length : 0\r\n\r\n${HIDDEN}`,
  `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
  `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${HIDDEN}`,
  `Transfer-Encoding:\r\n chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${HIDDEN}`,
  `Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${HIDDEN}`,
  `Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n\r\n${HIDDEN}`,
  `Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n${HIDDEN}`,
  `Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n${HIDDEN}`,
  `Transfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n${HIDDEN}`,
];

const REQUEST_LINES = [
  "GET",
  "GET /",
  "GET / HTTP/9.9",
  "GET\t/\tHTTP/1.1",
  "get / HTTP/1.1",
  "GE\u0000T / HTTP/1.1",
  "GET /\u0007 HTTP/1.1",
  "GET http://evil.example/ HTTP/1.1",
  "GET * HTTP/1.1",
  "CONNECT evil.example:80 HTTP/1.1",
  "PRI * HTTP/2.0\r\n\r\nSM",
  "POST / HTTP/1.1 extra",
  `GET /${"a".repeat(20_000)} HTTP/1.1`,
  "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
];

const HEADERS = [
  "Host: evil.example",
  "Host: localhost\r\nHost: evil.example",
  "Host: localhost\u0000.evil.example",
  "Host : localhost",
  ": empty",
  "no colon here",
  "X\u0000Y: z",
  "X: a\rb",
  "X: a\nHost: evil.example",
  `X: ${"x".repeat(30_000)}`,
  Array.from({ length: 3_000 }, (_, n) => `X-${n}: 1`).join("\r\n"),
  "Origin: https://evil.example",
  "Expect: 200-ok",
  "Upgrade: websocket\r\nConnection: Upgrade",
];

/** Bytes that are no request that anyone should serve. */
export function brokenHttp(random: Random): Buffer {
  switch (random.below(5)) {
    case 0:
      return latin1(`POST / HTTP/1.1\r\n${HEAD}${random.pick(SMUGGLING)}`);
    case 1:
      return latin1(`${random.pick(REQUEST_LINES)}\r\n${HEAD}\r\n`);
    case 2:
      return latin1(
        `POST / HTTP/1.1\r\n${random.pick(HEADERS)}\r\nContent-Length: ${CALL.length + 10}\r\n\r\n${CALL}`,
      );
    case 3:
      return Buffer.from(Array.from({ length: random.below(500) + 1 }, () => random.below(256)));
    default:
      return latin1(
        `GET /a2a/rest/tasks/${random.pick(ODD_TEXTS)} HTTP/1.1\r\n${HEAD}Content-Length: x\r\n\r\n`,
      );
  }
}

function latin1(text: string): Buffer {
  return Buffer.from(text, "latin1");
}
