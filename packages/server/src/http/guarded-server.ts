import { createServer, type RequestListener, type Server, STATUS_CODES } from "node:http";
import { type ErrorAnswer, errorBody } from "./error-answer.ts";
import { foreignRequest } from "./foreign-request.ts";
import { SECURITY_HEADERS } from "./security-headers.ts";

const MALFORMED: ErrorAnswer = {
  status: 400,
  code: "malformed_request",
  message: "This is not an HTTP request",
};

/** An HTTP server that lets no foreign request through to its routes and answers every error as JSON; all ports are such. */
export function guardedServer(routes: RequestListener): Server {
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 30_000 }, (request, response) => {
    const refused = foreignRequest(request);
    if (!refused) return routes(request, response);
    response.writeHead(refused.status, headersOf(refused)).end(JSON.stringify(errorBody(refused)));
  });
  return server.on("clientError", (_, socket) => {
    if (socket.writable) socket.end(rawAnswer(MALFORMED));
    else socket.destroy();
  });
}

function headersOf(answer: ErrorAnswer): Record<string, string | number> {
  const length = Buffer.byteLength(JSON.stringify(errorBody(answer)));
  return {
    ...SECURITY_HEADERS,
    "Content-Type": "application/json",
    "Content-Length": length,
    Connection: "close",
  };
}

function rawAnswer(answer: ErrorAnswer): string {
  const headers = Object.entries(headersOf(answer)).map(([name, value]) => `${name}: ${value}`);
  const start = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`;
  return [start, ...headers, "", JSON.stringify(errorBody(answer))].join("\r\n");
}
