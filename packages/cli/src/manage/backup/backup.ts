import { BackupError, backUp, postgresAdvice, restore } from "@parley/server/data";
import { CommandError, EXIT, withUserErrors } from "../../command-error.ts";
import { defined } from "../../defined.ts";
import { fromHere, readGivenFile } from "../../given-file.ts";
import { untilInterrupted } from "../../terminal/interruption.ts";
import { printJson, printText, tell } from "../../terminal/print.ts";
import { ProgressLine } from "../../terminal/progress-line.ts";
import { type DataOptions, dataPlaceOf } from "../data-place.ts";

export interface BackupOptions extends DataOptions {
  readonly json?: boolean;
  readonly recipient?: readonly string[];
  readonly passphraseFile?: string;
}

export interface RestoreOptions extends DataOptions {
  readonly force?: boolean;
  readonly json?: boolean;
  readonly identityFile?: string;
  readonly passphraseFile?: string;
  readonly maxRatio?: string;
}

/** Backs up a data folder into a new file. */
export async function makeBackup(given: string | undefined, options: BackupOptions): Promise<void> {
  const { recipient: recipients, passphraseFile } = options;
  if (recipients && passphraseFile !== undefined)
    throw new CommandError("Use --recipient or --passphrase-file, not both", EXIT.usage);
  const place = await dataPlaceOf(options);
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
  const passphrase = passphraseFile && { passphrase: await secretIn(passphraseFile) };
  const seal = recipients ? { recipients } : passphrase || undefined;
  const target = fromHere(given ?? `parley-backup-${stamp}Z.tar.gz${seal ? ".age" : ""}`);
  const { file, bytes, manifest } = await withProgress("Copying", (watch) =>
    backUp(place, target, { ...watch, seal }),
  );
  const { files, ...about } = manifest;
  if (options.json) await printJson({ file, bytes, ...about, files: files.length });
  else {
    await printText(file);
    const note = seal ? "encrypted" : "contains secrets, keep it safe";
    tell(`${files.length} files from ${place.dataFolder}, ${shownSize(bytes)}; ${note}`);
  }
  if (place.databaseUrl) tell(postgresAdvice(place.databaseUrl, "backup"));
  else if (manifest.journal === "none")
    tell(`${place.dataFolder} has no journal; if it is in Postgres, use --database URL`);
}

/** Restores a backup into a data folder. */
export async function restoreBackup(file: string, options: RestoreOptions): Promise<void> {
  const { dataFolder, databaseUrl } = await dataPlaceOf(options);
  const { force = false, identityFile, passphraseFile } = options;
  const keys = defined({
    identities: identityFile === undefined ? undefined : await identitiesIn(identityFile),
    passphrase: passphraseFile === undefined ? undefined : await secretIn(passphraseFile),
  });
  const maxRatio = options.maxRatio === undefined ? undefined : Number(options.maxRatio);
  if (maxRatio !== undefined && !(maxRatio >= 1))
    throw new CommandError(`--max-ratio must be a number of at least 1, not ${options.maxRatio}`, EXIT.usage);
  const { manifest, aside } = await withProgress("Unpacking", (watch) =>
    restore({ file: fromHere(file), dataFolder, force, ...watch, keys, maxRatio }),
  );
  const { files, ...about } = manifest;
  if (options.json) return printJson({ dataFolder, aside, ...about, files: files.length });
  await printText(dataFolder);
  tell(`Restored ${files.length} files as of ${about.madeAt}`);
  if (aside !== undefined) tell(`The previous data is in ${aside}; delete it when you no longer need it`);
  if (about.journal !== "postgres") return;
  const advice = "The journal was in Postgres: restore it from its own dump, and set DATABASE_URL";
  tell(databaseUrl ? postgresAdvice(databaseUrl, "restore") : advice);
}

async function withProgress<Result>(
  activity: string,
  work: (watch: { progress(text: string): void; signal: AbortSignal }) => Promise<Result>,
): Promise<Result> {
  using line = new ProgressLine(activity);
  using interrupted = untilInterrupted();
  return await withUserErrors([BackupError], () => work({ progress: line.show, signal: interrupted.signal }));
}

/** The content of a file without its last line break; a `CommandError` where it is empty. */
async function secretIn(file: string): Promise<string> {
  const secret = (await readGivenFile(file)).replace(/\r?\n$/, "");
  if (secret === "") throw new CommandError(`${file} is empty`);
  return secret;
}

/** The secret keys in a file as age writes it: one per line, beside comments. */
async function identitiesIn(file: string): Promise<readonly string[]> {
  const lines = (await secretIn(file)).split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}

function shownSize(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
