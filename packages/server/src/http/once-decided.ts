import type { ServerResponse } from "node:http";

/** Calls back as soon as the answer has a status, whether or not anybody is there to read it. */
export function onceDecided(response: ServerResponse, decided: () => void): void {
  const { writeHead } = response;
  response.writeHead = (...given: unknown[]) => {
    response.writeHead = writeHead;
    const written = Reflect.apply(writeHead, response, given);
    decided();
    return written;
  };
}
