// npm run conformance:agent: PORT (default 9999), gRPC on the next one; JOURNAL=memory keeps the journal in memory
// instead of in a temporary folder, PARLEY_DATA in a folder that stays; COALESCE=off makes every chunk an event of its
// own; PARLEY_LOG (warn) says how much is logged to standard error.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger, logLevel, StartError } from "@parley/server";
import { startConformanceAgent } from "./conformance-agent.ts";

const port = Number(process.env.PORT ?? 9_999);
const temporary = process.env.JOURNAL !== "memory" && !process.env.PARLEY_DATA;
const folder = temporary ? mkdtempSync(join(tmpdir(), "parley-conformance-")) : process.env.PARLEY_DATA;
const coalesce = process.env.COALESCE !== "off";
const grpcPort = port === 0 ? 0 : port + 1;
const log = createLogger(logLevel(process.env.PARLEY_LOG, "warn"));
const agent = await startConformanceAgent({
  ...{ port, grpcPort, coalesce, log },
  ...(folder && { folder }),
}).catch((error: unknown) => {
  if (!(error instanceof StartError)) throw error;
  process.stderr.write(`✗ ${error.message}\n`);
  process.exit(1);
});
process.stdout.write(
  `✓ conformance agent   ${agent.url}   gRPC :${agent.grpcPort}   (journal in ${folder ?? "memory"})\n`,
);

const stopped = new Promise<void>((resolve) => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve());
});
await stopped;
await agent.stop();
if (temporary && folder) rmSync(folder, { recursive: true, force: true });
process.exit(0);
