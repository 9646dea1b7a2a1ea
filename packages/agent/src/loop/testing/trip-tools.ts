// An MCP server that writes every call into a file before it works on it: trip-tools.ts LOG LIFE.
import { appendFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const [log = "", life = ""] = process.argv.slice(2);
const WORK_MS = 25;

function tripServer(): McpServer {
  const server = new McpServer({ name: "trips", version: "1.0.0" });
  const offer = (tool: string, annotations: { readOnlyHint?: boolean; idempotentHint?: boolean }) =>
    server.registerTool(
      tool,
      { inputSchema: z.object({ trip: z.string() }), annotations },
      async ({ trip }) => {
        appendFileSync(log, `${JSON.stringify({ trip, tool, life: Number(life) })}\n`);
        await pause(WORK_MS);
        const done = `${tool} done in life ${life}`;
        const resource = { uri: `trips://${tool}.txt`, text: done };
        const forUser = { annotations: { audience: ["user" as const] } };
        return {
          content: [
            { type: "text", text: done },
            { type: "resource", resource, ...forUser },
          ],
        };
      },
    );
  offer("look", { readOnlyHint: true });
  offer("reserve", { idempotentHint: true });
  offer("pay", {});
  return server;
}

serveStdio(tripServer);
