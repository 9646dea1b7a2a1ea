import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { demoRepository } from "./demo-repository.ts";
import { runGit } from "./git-command.ts";
import { gitServer } from "./git-tools.ts";
import { Repository } from "./repository.ts";

const [folder, demoFolder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write("Usage: node mcp-servers/git/main.ts REPOSITORY [FOLDER-OF-A-DEMO-REPOSITORY]\n");
  process.exit(2);
}

try {
  const repository = new Repository(await chooseRepository(folder));
  serveStdio(() => gitServer(repository));
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}

/** The given folder if it is the top of a repository; else, where one is allowed, a demo repository. */
async function chooseRepository(wanted: string): Promise<string> {
  try {
    // A folder inside another repository, such as a home folder, is not intended.
    if ((await runGit(wanted, ["rev-parse", "--show-cdup"])).trim() === "") return wanted;
    throw new Error(`${wanted} is inside of a repository, not the top of one.`);
  } catch (error) {
    if (demoFolder === undefined) throw error;
    await demoRepository(demoFolder);
    return demoFolder;
  }
}
