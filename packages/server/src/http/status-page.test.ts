import { describe, expect, it } from "vitest";
import { statusPage } from "./status-page.ts";

describe("the status page", () => {
  it("shows agents, their warnings and file issues, and escapes them", async () => {
    const nasty = `<script>alert("x")</script>`;
    const agent = { description: "Broken.", troubles: [], model: "offline", mcpServers: [] };
    const page = String(
      await statusPage({
        version: "1.0.0",
        ready: true,
        draining: false,
        startedAt: new Date(0),
        agents: [
          { ...agent, name: "good", description: nasty, url: "http://localhost:1", state: "up" },
          { ...agent, name: "bad", state: "failed", troubles: [`Port 1 is taken ${nasty}`] },
          { ...agent, name: "new", description: "Comes.", state: "starting" },
        ],
        problems: [{ file: `/agents/${nasty}.md`, line: 3, message: nasty, severity: "error" }],
        journal: { storage: "SQLite", place: nasty, works: true, degraded: undefined },
      }),
    );
    expect(page).not.toContain("<script");
    expect(page.match(/&lt;script&gt;/g)).toHaveLength(5);
    expect(page).toContain('href="http://localhost:1/.well-known/agent-card.json"');
    expect(page).toMatch(/<dd class="good">.*<dd class="bad">.*<dd class="waiting">/s);
    expect(page).toContain(":3: ");
  });
});
