import { backUp, postgresAdvice } from "@parley/server/data";
import { fromHere } from "../../from-here.ts";
import { interruption } from "../../terminal/interruption.ts";
import { print, printJson, tell } from "../../terminal/print.ts";
import { ProgressLine } from "../../terminal/progress-line.ts";
import { type DataOptions, givenPlace } from "../data-place.ts";
import { plainly } from "./plainly.ts";

export interface BackupOptions extends DataOptions {
  readonly json?: boolean;
}

/** Makes a backup and prints where it is. */
export async function makeBackup(given: string | undefined, options: BackupOptions): Promise<void> {
  const place = await givenPlace(options);
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
  const line = new ProgressLine("Copying");
  const { signal } = interruption();
  const { file, bytes, manifest } = await plainly(
    backUp(place, fromHere(given ?? `parley-backup-${stamp}Z.tar.gz`), { progress: line.show, signal }),
    line,
  );
  const { files, ...about } = manifest;
  if (options.json) await printJson({ file, bytes, ...about, files: files.length });
  else {
    await print(file);
    tell(`${files.length} files of ${place.dataFolder}, ${shownSize(bytes)}; it holds keys: keep it safe`);
  }
  if (place.databaseUrl) tell(postgresAdvice(place.databaseUrl, "backup"));
  else if (manifest.journal === "none")
    tell(`There is no journal in ${place.dataFolder}: is it in Postgres? Then give its --database URL too`);
}

function shownSize(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
