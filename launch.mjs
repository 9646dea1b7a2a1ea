// Starts every command of Parley on a machine that has only git, Node 20 or newer, and npm.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { runCommand } from "./launcher/commands.mjs";
import { endWithNpm } from "./launcher/end-with-npm.mjs";
import { reportFailure } from "./launcher/report-failure.mjs";

const project = dirname(fileURLToPath(import.meta.url));
const [name = "", ...args] = process.argv.slice(2);

endWithNpm();
try {
  process.exitCode = await runCommand(project, name, args);
} catch (error) {
  process.exitCode = reportFailure(error, project);
}
