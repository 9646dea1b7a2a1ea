import { spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { inputRequired, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

/** A server with a tool for each thing that a tool can do to its client; `text` goes into each answer of `echo`. */
export function scriptedServer(text: string): McpServer {
  const server = new McpServer({ name: "scripted", version: "1.0.0" });
  server.registerTool(
    "echo",
    {
      title: "Echo",
      description: "Says what it is told.",
      inputSchema: z.object({ say: z.string() }),
      annotations: { readOnlyHint: true, idempotentHint: true },
    },
    ({ say }) => ({ content: [{ type: "text", text: `${text}${say}` }] }),
  );
  server.registerTool(
    "add",
    { inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) },
    ({ a, b }) => ({ content: [], structuredContent: { sum: a + b } }),
  );
  const patterned = z.string().meta({ pattern: "^(([a-z])+.)+[A-Z]([a-z])+$" });
  server.registerTool("patterned", { outputSchema: z.object({ tag: patterned }) }, () => ({
    content: [],
    structuredContent: { tag: "a".repeat(40) },
  }));
  server.registerTool("fail", { annotations: { destructiveHint: true } }, () => ({
    isError: true,
    content: [{ type: "text", text: "there is no more coffee" }],
  }));
  server.registerTool(
    "slow",
    { inputSchema: z.object({ steps: z.number() }) },
    async ({ steps }, context) => {
      const progressToken = context.mcpReq._meta?.progressToken;
      for (let progress = 1; progress <= steps; progress++) {
        if (progressToken !== undefined) {
          const params = { progressToken, progress, total: steps, message: `step ${progress}` };
          await context.mcpReq.notify({ method: "notifications/progress", params });
        }
        await pause(20);
        if (context.mcpReq.signal.aborted) {
          process.stderr.write("slow was told to stop\n");
          break;
        }
      }
      return { content: [{ type: "text", text: "done" }] };
    },
  );
  server.registerTool("big", { inputSchema: z.object({ bytes: z.number() }) }, ({ bytes }) => ({
    content: [{ type: "text", text: "ü".repeat(bytes / 2) }],
  }));
  server.registerTool("everything", {}, () => ({
    content: [
      { type: "text", text: "first" },
      { type: "image", data: Buffer.from("pixels").toString("base64"), mimeType: "image/png" },
      { type: "resource", resource: { uri: "memo://1", mimeType: "text/markdown", text: "# memo" } },
      { type: "resource", resource: { uri: "memo://2", blob: Buffer.from("bytes").toString("base64") } },
      { type: "resource_link", uri: "memo://3", name: "third memo" },
    ],
  }));
  server.registerTool("environment", {}, () => ({
    content: [
      { type: "text", text: JSON.stringify({ variables: Object.keys(process.env), cwd: process.cwd() }) },
    ],
  }));
  server.registerTool("log", { inputSchema: z.object({ line: z.string() }) }, ({ line }) => {
    process.stderr.write(`${line}\n`);
    return { content: [{ type: "text", text: "logged" }] };
  });
  server.registerTool("have_child", {}, () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" });
    return { content: [{ type: "text", text: String(child.pid) }] };
  });
  server.registerTool("die", { inputSchema: z.object({ words: z.string() }) }, ({ words }) => {
    process.stderr.write(`${words}\n`, () => process.exit(3));
    return new Promise(() => {});
  });
  server.registerTool("ask", {}, () =>
    inputRequired({
      inputRequests: {
        sure: inputRequired.elicit({ message: "Sure?", requestedSchema: z.object({ sure: z.boolean() }) }),
      },
    }),
  );
  server.registerTool("grow", {}, () => {
    server.registerTool("grown", { description: "came later" }, () => ({ content: [] }));
    return { content: [] };
  });
  return server;
}
