import { existsSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const [folder = ""] = process.argv.slice(2);

// Tells what it was told of a trace. Given a folder, it answers only when there is a file `go` in it, and says by a file
// `called` that it waits.
serveStdio(() => {
  const server = new McpServer({ name: "traced", version: "1.0.0" });
  server.registerTool(
    "lighthouse",
    {
      description: "Tells how the lighthouse is doing.",
      inputSchema: z.object({}),
      annotations: { readOnlyHint: true },
    },
    async (_, context) => {
      if (folder !== "") writeFileSync(`${folder}/called`, "");
      while (folder !== "" && !existsSync(`${folder}/go`)) await pause(20);
      const { traceparent = "none" } = context.mcpReq._meta ?? {};
      return { content: [{ type: "text" as const, text: `The lighthouse saw ${traceparent}.` }] };
    },
  );
  return server;
});
