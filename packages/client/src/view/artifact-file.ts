import type { ApiClient } from "../api/api-client.ts";
import type { RunRecord } from "../sync/session-record.ts";

type FileSource =
  | { readonly kind: "base64"; readonly base64: string }
  | { readonly kind: "data"; readonly data: unknown }
  | { readonly kind: "blob"; readonly blob: string }
  /** Somewhere else: it is never fetched by itself. */
  | { readonly kind: "link"; readonly url: string };

/** A file or data that an agent brought besides its words. */
export interface ArtifactFile {
  readonly key: string;
  /** Empty where the agent gave none. */
  readonly name: string;
  readonly mediaType: string;
  readonly size?: number;
  readonly agent?: string;
  readonly source: FileSource;
}

/** The files of a run in the order in which they came; what cannot be understood is left out. */
export function filesOf(artifacts: NonNullable<RunRecord["artifacts"]>): readonly ArtifactFile[] {
  return Object.entries(artifacts).flatMap(([id, { name = "", agent, parts }]) =>
    parts.flatMap((part, at): ArtifactFile[] => {
      const found = fileOf(part);
      if (!found) return [];
      return [{ ...found, key: `${id}/${at}`, name: found.name || name, ...(agent && { agent }) }];
    }),
  );
}

/** The content of a file, wherever it is; undefined where it lies elsewhere. Throws where it cannot be read. */
export async function fileContent({ source }: ArtifactFile, client: ApiClient): Promise<Blob | undefined> {
  switch (source.kind) {
    case "data":
      return new Blob([JSON.stringify(source.data, null, 2)]);
    case "base64":
      return new Blob([bytesOf(source.base64)]);
    case "blob":
      return client.downloadFile(source.blob);
    case "link":
      return undefined;
  }
}

/** Agents are not trusted: a field of the wrong type is ignored. */
function fileOf(part: unknown): Omit<ArtifactFile, "key" | "agent"> | undefined {
  if (typeof part !== "object" || part === null) return undefined;
  const { raw, data, url, blob, filename, mediaType, size } = part as Readonly<Record<string, unknown>>;
  const name = typeof filename === "string" ? filename : "";
  const type = typeof mediaType === "string" ? (mediaType.toLowerCase().split(";")[0]?.trim() ?? "") : "";
  const about = { name, mediaType: type || "application/octet-stream" };
  if (typeof blob === "string")
    return { ...about, source: { kind: "blob", blob }, ...(typeof size === "number" && { size }) };
  if (typeof raw === "string")
    return { ...about, size: bytesIn(raw), source: { kind: "base64", base64: raw } };
  if (data !== undefined) return { ...about, mediaType: "application/json", source: { kind: "data", data } };
  return typeof url === "string" ? { ...about, source: { kind: "link", url } } : undefined;
}

function bytesIn(base64: string): number {
  const padding = /(?<!=)=*$/.exec(base64.slice(-2))?.[0].length ?? 0;
  return Math.floor(((base64.length - padding) * 3) / 4);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** A name under which a file can be stored, and that reads as it is. */
export function safeName(name: string, otherwise: string): string {
  const safe = name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}/\\]/gu, "_")
    .slice(0, 200);
  return /^\.{0,2}$/.test(safe) ? otherwise : safe;
}

const UNITS = ["B", "kB", "MB", "GB"];

/** A size for people: 812 B, 14 kB, 3.2 MB. */
export function sizeText(bytes: number): string {
  const power = UNITS.findLastIndex((_, at) => bytes >= 1_000 ** at);
  if (power < 1) return `${bytes} B`;
  const value = bytes / 1_000 ** power;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${UNITS[power]}`;
}
