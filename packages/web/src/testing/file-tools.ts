// An MCP server on standard input and output whose one tool gives files of every kind, one of them too large for an event.
import { createInterface } from "node:readline";

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const HOSTILE = `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8" onload="parent.name='run'; localStorage.run='1'">
  <script>localStorage.run = "1"</script><script href="/api/v1/me"/><image href="http://away.invalid/i.png"/>
  <rect width="8" height="8" fill="green"/></svg>`;

const file = (name: string, mimeType: string, text: string) => ({
  ...{ type: "resource", annotations: { audience: ["user"] } },
  resource: { uri: `box://${name}`, mimeType, blob: Buffer.from(text).toString("base64") },
});

const content = [
  { type: "text", text: "See the files." },
  file("report.md", "text/markdown", "# Report\n\n- all **well**"),
  file("figures.json", "application/json", '{"rows":[1,2]}'),
  { type: "image", data: PIXEL, mimeType: "image/png" },
  file("hostile.svg", "image/svg+xml", HOSTILE),
  file("broken.svg", "image/svg+xml", "<script>alert(1)</script>"),
  file("page.html", "text/html", "<script>alert(2)</script>"),
  file("kept.txt", "text/plain", `kept in a blob ${"x".repeat(100_000)}`),
  { type: "resource_link", uri: "http://127.0.0.1:1/far.png", name: "far.png", mimeType: "image/png" },
  file("setup.exe", "application/x-msdownload", "MZ"),
];

const tool = {
  ...{
    name: "fetch_files",
    description: "Fetches the files out of the box.",
    inputSchema: { type: "object" },
  },
  annotations: { readOnlyHint: true },
};

function answerTo(method: string, params: { readonly protocolVersion?: string } = {}): object {
  switch (method) {
    case "initialize":
      return {
        ...{ protocolVersion: params.protocolVersion, capabilities: { tools: {} } },
        serverInfo: { name: "box", version: "1.0.0" },
      };
    case "tools/list":
      return { tools: [tool] };
    case "tools/call":
      return { content };
    default:
      return {};
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined)
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: answerTo(method, params) })}\n`);
}
