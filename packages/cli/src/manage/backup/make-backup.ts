import { backUp, postgresAdvice } from "@parley/server/data";
import { CommandError, EXIT } from "../../command-error.ts";
import { fromHere } from "../../from-here.ts";
import { interruption } from "../../terminal/interruption.ts";
import { printJson, printText, tell } from "../../terminal/print.ts";
import { ProgressLine } from "../../terminal/progress-line.ts";
import { type DataOptions, givenPlace } from "../data-place.ts";
import { plainly } from "./plainly.ts";
import { secretIn } from "./secret-file.ts";

export interface BackupOptions extends DataOptions {
  readonly json?: boolean;
  readonly recipient?: readonly string[];
  readonly passphraseFile?: string;
}

export async function makeBackup(given: string | undefined, options: BackupOptions): Promise<void> {
  const place = await givenPlace(options);
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
  const line = new ProgressLine("Copying");
  const { signal } = interruption();
  const { recipient: recipients, passphraseFile } = options;
  if (recipients && passphraseFile !== undefined)
    throw new CommandError("Give --recipient or --passphrase-file, not both", EXIT.usage);
  const passphrase = passphraseFile === undefined ? {} : { passphrase: await secretIn(passphraseFile) };
  const seal = recipients ? { recipients } : passphraseFile === undefined ? undefined : passphrase;
  const name = `parley-backup-${stamp}Z.tar.gz${seal ? ".age" : ""}`;
  const { file, bytes, manifest } = await plainly(
    backUp(place, fromHere(given ?? name), { progress: line.show, signal, seal }),
    line,
  );
  const { files, ...about } = manifest;
  if (options.json) await printJson({ file, bytes, ...about, files: files.length });
  else {
    await printText(file);
    tell(
      `${files.length} files of ${place.dataFolder}, ${shownSize(bytes)}; ${seal ? "encrypted" : "it holds keys: keep it safe"}`,
    );
  }
  if (place.databaseUrl) tell(postgresAdvice(place.databaseUrl, "backup"));
  else if (manifest.journal === "none")
    tell(`There is no journal in ${place.dataFolder}: is it in Postgres? Then give its --database URL too`);
}

function shownSize(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
