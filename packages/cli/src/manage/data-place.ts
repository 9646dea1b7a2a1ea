import { resolve } from "node:path";
import { withEnvironmentFile } from "@parley/models/environment-file";
import { type DataPlace, dataPlace, StartError } from "@parley/server/data";
import { EXIT, withUserErrors } from "../command-error.ts";
import { defined } from "../defined.ts";
import { fromHere } from "../given-file.ts";

/** The options of every command that opens the data folder itself. */
export interface DataOptions {
  readonly data?: string;
  readonly database?: string;
}

/** Where the data is: as the options say, or else as the server would find it. */
export async function dataPlaceOf({ data, database }: DataOptions): Promise<DataPlace> {
  const environment = await withEnvironmentFile(process.env, resolve(".env"));
  const given = defined({ PARLEY_DATA: data && fromHere(data), DATABASE_URL: database });
  return withUserErrors([StartError], () => dataPlace({ ...environment, ...given }), {
    exitCode: EXIT.usage,
  });
}
