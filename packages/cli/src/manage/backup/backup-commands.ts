import { Command } from "commander";
import { jsonOption } from "../../option-values.ts";
import type { BackupOptions, RestoreOptions } from "./backup.ts";

/** `parley backup` and `parley restore`: all data as one file, and back. */
export function backupCommands(): readonly Command[] {
  const backup = new Command("backup")
    .summary("back up all data into one file")
    .description(
      "Back up the data folder (sessions, files, keys) into one consistent file, even while the server is running. " +
        "The file contains secrets: only its owner can read it, and it should stay that way.",
    )
    .argument("[file]", "the new file (default: parley-backup-TIME.tar.gz, with .age if encrypted)")
    .option("--data <folder>", "the data folder (PARLEY_DATA)")
    .option("--database <url>", "the Postgres database of the journal (DATABASE_URL)")
    .option("--recipient <key...>", "encrypt it for this age public key (age1…); repeatable")
    .option("--passphrase-file <file>", "encrypt it with the passphrase in this file")
    .addOption(jsonOption())
    .addHelpText("after", "\nExample:\n  parley backup /safe/place/parley.tar.gz")
    .action(async (file: string | undefined, options: BackupOptions) =>
      (await import("./backup.ts")).makeBackup(file, options),
    );
  const restore = new Command("restore")
    .summary("restore a backup into a data folder")
    .description(
      "Verify a backup and restore it into the data folder. No server may be using the folder, and it must be empty, " +
        "unless --force is given: existing data is then kept in a subfolder.",
    )
    .argument("<file>", "a file that parley backup created")
    .option("--data <folder>", "the data folder (PARLEY_DATA)")
    .option("--identity-file <file>", "the age secret keys to decrypt it, one per line")
    .option("--passphrase-file <file>", "the passphrase to decrypt it, in a file")
    .option(
      "--max-ratio <times>",
      "reject it if it unpacks to more than this many times its size (default: 100)",
    )
    .option("--force", "restore although there is data, which is kept in a subfolder")
    .addOption(jsonOption())
    .addHelpText("after", "\nExample:\n  parley restore parley.tar.gz --data ./restored")
    .action(async (file: string, options: RestoreOptions) =>
      (await import("./backup.ts")).restoreBackup(file, options),
    );
  return [backup, restore];
}
