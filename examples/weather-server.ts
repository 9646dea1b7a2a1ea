// An MCP server in one file. In agents/mcp.json: { "mcpServers": { "weather": { "command": "node", "args":
// ["../examples/weather-server.ts"] } } }, and `mcpServers: [weather]` in an agent's file.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const WEATHER: Readonly<Record<string, string>> = { Oslo: "snow, -4 °C", Rome: "sun, 17 °C" };

serveStdio(() => {
  const server = new McpServer({ name: "weather", version: "1.0.0" });
  server.registerTool(
    "forecast",
    {
      description: "Tells tomorrow's weather in a city.",
      inputSchema: z.object({ city: z.string().describe("The city's name, like Oslo.") }),
      // A tool that only reads may run without asking.
      annotations: { readOnlyHint: true },
    },
    ({ city }) => {
      const text =
        WEATHER[city] ?? `Nothing is known of ${city}: ask for ${Object.keys(WEATHER).join(" or ")}.`;
      return { isError: !(city in WEATHER), content: [{ type: "text", text }] };
    },
  );
  return server;
});
