import { join } from "node:path";

/** The keys of a record, by name: what seals credentials, and what signs webhooks. All nodes of a record have the same. */
export interface RecordKeys {
  /** Made when it is asked for the first time. */
  of(name: string): Promise<Buffer>;
}

/** Where the key of this name is in a data folder. */
export function keyFile(dataFolder: string, name: string): string {
  return join(dataFolder, `${name}.key`);
}
