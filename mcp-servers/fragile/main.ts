import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { answer, readsOnly } from "../tool-answer.ts";

// A demo of failure: the one tool kills the program that serves it, as a crash or the system would, in mid-call.
serveStdio(() => {
  const server = new McpServer({ name: "fragile", version: "1.0.0" });
  server.registerTool(
    "break",
    {
      title: "Break",
      description: "Breaks the fragile demo: the program that serves this tool dies before it has answered.",
      inputSchema: z.object({}),
      annotations: { ...readsOnly, openWorldHint: false },
    },
    () => {
      process.kill(process.pid, "SIGKILL");
      return answer("This is never said.", {});
    },
  );
  return server;
});
