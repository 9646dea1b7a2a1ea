import { postgresAdvice, restore } from "@parley/server/data";
import { CommandError, EXIT } from "../../command-error.ts";
import { fromHere } from "../../from-here.ts";
import { interruption } from "../../terminal/interruption.ts";
import { printJson, printText, tell } from "../../terminal/print.ts";
import { ProgressLine } from "../../terminal/progress-line.ts";
import { type DataOptions, givenPlace } from "../data-place.ts";
import { plainly } from "./plainly.ts";
import { identitiesIn, secretIn } from "./secret-file.ts";

export interface RestoreOptions extends DataOptions {
  readonly force?: boolean;
  readonly json?: boolean;
  readonly identityFile?: string;
  readonly passphraseFile?: string;
  readonly maxRatio?: string;
}

export async function restoreBackup(file: string, options: RestoreOptions): Promise<void> {
  const { dataFolder, databaseUrl } = await givenPlace(options);
  const line = new ProgressLine("Unpacking");
  const { force = false, identityFile, passphraseFile } = options;
  const keys = {
    ...(identityFile !== undefined && { identities: await identitiesIn(identityFile) }),
    ...(passphraseFile !== undefined && { passphrase: await secretIn(passphraseFile) }),
  };
  const maxRatio = options.maxRatio === undefined ? undefined : Number(options.maxRatio);
  if (maxRatio !== undefined && !(maxRatio >= 1))
    throw new CommandError(`--max-ratio must be a number from 1 on, not ${options.maxRatio}`, EXIT.usage);
  const { signal } = interruption();
  const { manifest, aside } = await plainly(
    restore({ file: fromHere(file), dataFolder, force, progress: line.show, signal, keys, maxRatio }),
    line,
  );
  const { files, ...about } = manifest;
  if (options.json)
    return printJson({ dataFolder, ...(aside !== undefined && { aside }), ...about, files: files.length });
  await printText(dataFolder);
  tell(`${files.length} files as they were at ${about.madeAt}`);
  if (aside !== undefined) tell(`What was there before is in ${aside}: remove it when you are sure`);
  if (about.journal === "postgres")
    tell(
      databaseUrl
        ? postgresAdvice(databaseUrl, "restore")
        : "The journal was in Postgres: restore it from its own dump, and set DATABASE_URL",
    );
}
