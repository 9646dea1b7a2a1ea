import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** For tests: where a Postgres would be, a server that ends every session with this error before it begins. */
export async function refusingServer(
  url: string,
  { severity, code, message }: { readonly severity: string; readonly code: string; readonly message: string },
): Promise<{ readonly url: string; close(): void }> {
  const fields = Buffer.from(`S${severity}\0V${severity}\0C${code}\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write("E");
  head.writeInt32BE(fields.length + 4, 1);
  const server = createServer((client) => {
    client.on("error", () => {});
    client.once("data", () => client.end(Buffer.concat([head, fields])));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const own = new URL(url);
  own.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: own.href, close: () => server.close() };
}
