import { resolve } from "node:path";
import { withEnvironmentFile } from "@parley/models/environment-file";
import { type DataPlace, dataPlace, StartError } from "@parley/server/data";
import { CommandError, EXIT } from "../command-error.ts";
import { fromHere } from "../from-here.ts";

/** What every command takes that looks into the data folder itself. */
export interface DataOptions {
  readonly data?: string;
  readonly database?: string;
}

/** Where the data is: as the command line says, else as the server would find it; a `CommandError` where that is wrong. */
export async function givenPlace({ data, database }: DataOptions): Promise<DataPlace> {
  const environment = await withEnvironmentFile(process.env, resolve(".env"));
  try {
    return dataPlace({
      ...environment,
      ...(data !== undefined && { PARLEY_DATA: fromHere(data) }),
      ...(database !== undefined && { DATABASE_URL: database }),
    });
  } catch (error) {
    if (error instanceof StartError) throw new CommandError(error.message, EXIT.usage);
    throw error;
  }
}
