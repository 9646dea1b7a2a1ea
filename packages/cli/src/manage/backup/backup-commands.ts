import { Command } from "commander";
import type { BackupOptions } from "./make-backup.ts";
import type { RestoreOptions } from "./restore-backup.ts";

/** `parley backup` and `parley restore`: all data as one file, and back. */
export function backupCommands(): readonly Command[] {
  const backup = new Command("backup")
    .summary("copy all data into one file")
    .description(
      "Copies all that the data folder holds (sessions, files, keys) into one file, as it is at this moment. The server may " +
        "run meanwhile. The file holds secrets: only its owner may read it, and it should stay so.",
    )
    .argument("[file]", "the new file; parley-backup-TIME.tar.gz when left out, with .age if it is encrypted")
    .option("--data <folder>", "the data folder (PARLEY_DATA)")
    .option("--database <url>", "the Postgres that keeps the journal (DATABASE_URL)")
    .option(
      "--recipient <key...>",
      "encrypt it for this public key of age (age1…); may be given several times",
    )
    .option("--passphrase-file <file>", "encrypt it with the passphrase in this file")
    .option("--json", "what was made, as JSON")
    .addHelpText("after", "\nExample:\n  parley backup /safe/place/parley.tar.gz")
    .action(async (file: string | undefined, options: BackupOptions) =>
      (await import("./make-backup.ts")).makeBackup(file, options),
    );
  const restore = new Command("restore")
    .summary("put a backup's data into a data folder")
    .description(
      "Verifies a backup and puts its data into the data folder. No server may run there, and the folder must be empty, or " +
        "--force must be given: then what is there is kept aside in it.",
    )
    .argument("<file>", "what parley backup made")
    .option("--data <folder>", "the data folder (PARLEY_DATA)")
    .option("--identity-file <file>", "the secret keys of age that open it, one a line")
    .option("--passphrase-file <file>", "the passphrase that opens it, in a file")
    .option(
      "--max-ratio <times>",
      "refuse it if it unpacks to more than so many times its size; 100 when left out",
    )
    .option("--force", "although there is data; it is kept aside")
    .option("--json", "what was restored, as JSON")
    .addHelpText("after", "\nExample:\n  parley restore parley.tar.gz --data ./restored")
    .action(async (file: string, options: RestoreOptions) =>
      (await import("./restore-backup.ts")).restoreBackup(file, options),
    );
  return [backup, restore];
}
