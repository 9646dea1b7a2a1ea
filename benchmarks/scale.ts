// npm run bench -- scale [--rounds N] [--only nodes|clients]: nodes on one Postgres. How many tokens a second 50 runs
// commit and deliver with 1 and with 2 nodes; and 5,000 clients of the event stream on 200 live runs. Which part of the
// machine sets the limit is in the figures: how many cores each part used.
import { parseArgs } from "node:util";
import { startPostgres } from "@parley/testing/postgres-server.ts";
import { type Bar, finish } from "./report/bars.ts";
import { manyClients } from "./scale/many-clients.ts";
import { moreNodes } from "./scale/more-nodes.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, only: { type: "string" } },
});
const rounds = Math.max(1, Number(values.rounds) || 5);
const parts: Record<string, (postgresUrl: string, rounds: number) => Promise<Bar[]>> = {
  nodes: moreNodes,
  clients: manyClients,
};

const postgres = await startPostgres();
const bars: Bar[] = [];
try {
  for (const [name, measure] of Object.entries(parts))
    if (values.only === undefined || values.only === name)
      bars.push(...(await measure(postgres.url, rounds)));
} finally {
  await postgres.stop();
}
finish("scale", bars);
