// An MCP server with one tool, which must not be called twice for the same thing: it writes a line to the file given.
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const [, , ledger = ""] = process.argv;
const WORK_MS = 200;

serveStdio(() => {
  const server = new McpServer({ name: "ledger", version: "1.0.0" });
  server.registerTool(
    "enter",
    {
      title: "Enter",
      description: "Enters something in the ledger. It is not to be entered twice.",
      inputSchema: z.object({ entry: z.string() }),
      annotations: { readOnlyHint: false, idempotentHint: false, destructiveHint: false },
    },
    async ({ entry }) => {
      const file = openSync(ledger, "a");
      writeSync(file, `${entry}\n`);
      fsyncSync(file);
      closeSync(file);
      await sleep(WORK_MS);
      return { content: [{ type: "text", text: `${entry} is entered` }] };
    },
  );
  return server;
});
