import { JournalError } from "@parley/journal";
import { readConfiguration } from "./configuration.ts";
import { startPlatform } from "./platform.ts";
import { StartError } from "./start-error.ts";
import { agentsReport, startupReport } from "./startup-report.ts";
import { stopRequested } from "./stop-signals.ts";

const GIVE_UP_AFTER_MS = 1_900;

// What people say to their agents is nobody else's business on this machine.
process.umask(0o077);
// Whoever read our output may leave (`npm start | head`); that is no reason to end.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});

try {
  const stopping = stopRequested();
  const configuration = await readConfiguration(process.env);
  const platform = await startPlatform(configuration);
  process.stdout.write(startupReport(configuration, platform.port));
  void platform.agentsStarted.then((agents) =>
    process.stdout.write(agentsReport(agents, configuration.model)),
  );
  await stopping;
  setTimeout(() => process.exit(1), GIVE_UP_AFTER_MS).unref();
  await platform.stop();
  process.exit(0);
} catch (error) {
  // What an operator can mend is one sentence; anything else is our fault and comes with its stack.
  const expected = error instanceof StartError || error instanceof JournalError;
  process.stderr.write(`${expected ? error.message : (error as Error).stack}\n`);
  process.exit(1);
}
