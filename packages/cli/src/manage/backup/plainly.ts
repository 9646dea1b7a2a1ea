import { BackupError } from "@parley/server/data";
import { CommandError } from "../../command-error.ts";
import type { ProgressLine } from "../../terminal/progress-line.ts";

/** What comes of work on a backup; why it could not be done becomes a `CommandError`. */
export async function plainly<Result>(work: Promise<Result>, line: ProgressLine): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof BackupError ? new CommandError(error.message) : error;
  } finally {
    line.clear();
  }
}
