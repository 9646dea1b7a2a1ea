import { A2AError } from "../protocol/errors.ts";
import type { Dialect, DialectVersion } from "./dialect.ts";
import { v1Dialect } from "./v1/dialect.ts";
import { v01Dialect } from "./v01/dialect.ts";
import { v03Dialect } from "./v03/dialect.ts";

/** Every dialect, newest first. */
export const DIALECTS: readonly Dialect[] = [v1Dialect, v03Dialect, v01Dialect];

/** What the dialect of a call is chosen by. */
export interface DialectSigns {
  /** `A2A-Version`, from the header or the query. */
  readonly version?: string | undefined;
  readonly method: string;
  readonly params?: unknown;
}

/** Says in which dialect a task of this caller was created; undefined for one that is missing or someone else's. */
export type CreatedIn = (taskId: string) => Promise<DialectVersion | undefined> | DialectVersion | undefined;

/** The dialect of this version, the patch ignored, or VersionNotSupported. */
export function dialectOfVersion(version: string): Dialect {
  const majorMinor = majorMinorOf(version);
  const dialect = DIALECTS.find((it) => it.version === majorMinor);
  if (dialect !== undefined) return dialect;
  const supported = DIALECTS.map((it) => it.version).join(", ");
  const message = `A2A version ${version} is not supported; supported are ${supported}`;
  throw new A2AError("VersionNotSupported", message, { version, supported });
}

/** The dialects a call may be written in: two where v0.3 and v0.1 write it alike and no version is named. */
export function candidateDialects({ version, method }: DialectSigns): readonly [Dialect, ...Dialect[]] {
  if (version !== undefined && version.trim() !== "") return [dialectOfVersion(version)];
  if (/^[A-Z]/.test(method)) return [v1Dialect];
  const inV01 = v01Dialect.operationOf(method) !== undefined;
  if (!inV01) return [v03Dialect];
  return v03Dialect.operationOf(method) !== undefined ? [v03Dialect, v01Dialect] : [v01Dialect];
}

/** The dialect in which a call is refused before its own is known: an unknown version speaks like its method. */
export function errorDialect({ version, method }: DialectSigns): Dialect {
  const named = DIALECTS.find((it) => version !== undefined && it.version === majorMinorOf(version));
  return named ?? candidateDialects({ method })[0];
}

/** The dialect of a call; if its words leave a choice, the one in which its task was created. */
export async function chooseDialect(signs: DialectSigns, createdIn: CreatedIn): Promise<Dialect> {
  const [first, ...others] = candidateDialects(signs);
  if (others.length === 0) return first;
  const taskId = taskIdIn(signs.params);
  const version = taskId === undefined ? undefined : await createdIn(taskId);
  return others.find((dialect) => dialect.version === version) ?? first;
}

/** The major and minor number of a version, or undefined if it is malformed. */
export function majorMinorOf(version: string): string | undefined {
  return /^(\d+\.\d+)(?:\.[\w.+-]+)?$/.exec(version.trim())?.[1];
}

function taskIdIn(params: unknown): string | undefined {
  if (typeof params !== "object" || params === null || !("id" in params)) return undefined;
  return typeof params.id === "string" ? params.id : undefined;
}
