import { mkdir, writeFile } from "node:fs/promises";
import { join, parse } from "node:path";
import { type ApiClient, type ArtifactFile, fileContent, safeName, sizeText } from "@parley/client";
import { CommandError } from "../../command-error.ts";
import { oneLine } from "../../terminal/plain-text.ts";

/** A file of an answer as it is told of: `path` is where it was stored, `url` where it lies if that is elsewhere. */
export interface ToldFile {
  readonly name: string;
  readonly mediaType: string;
  readonly size?: number | undefined;
  readonly path?: string;
  readonly url?: string;
}

export function fileTitle({ name, size }: Pick<ToldFile, "name" | "size">): string {
  return [oneLine(name) || "file", ...(size === undefined ? [] : [sizeText(size)])].join(" · ");
}

/** The files that an answer came with: stored in the folder, if there is one; nothing that is there is overwritten. */
export async function keptFiles(
  files: readonly ArtifactFile[],
  { client, folder }: { readonly client: ApiClient; readonly folder?: string | undefined },
): Promise<readonly ToldFile[]> {
  if (folder !== undefined && files.length > 0) await mkdir(folder, { recursive: true });
  const told: ToldFile[] = [];
  for (const file of files) {
    const { name, mediaType, size, source } = file;
    const about = { name, mediaType, size, ...(source.kind === "link" && { url: source.url }) };
    const content = folder === undefined ? undefined : await fileContent(file, client);
    if (content === undefined || folder === undefined) told.push(about);
    else {
      const bytes = new Uint8Array(await content.arrayBuffer());
      told.push({ ...about, size: bytes.length, path: await stored(folder, safeName(name, "file"), bytes) });
    }
  }
  return told;
}

/** What is said about them, a line for each. */
export function fileLines(files: readonly ToldFile[], url: string): readonly string[] {
  const lines = files.map((file) => {
    const where = file.path ?? file.url;
    return `▤ ${fileTitle(file)}${where === undefined ? "" : ` · ${oneLine(where, 500)}`}`;
  });
  const isLeft = files.some(({ path, url: elsewhere }) => path === undefined && elsewhere === undefined);
  return isLeft ? [...lines, `Store them with --files <folder> when you ask, or see them at ${url}`] : lines;
}

async function stored(folder: string, fullName: string, bytes: Uint8Array): Promise<string> {
  const { name, ext } = parse(fullName);
  for (let copy = 1; copy <= 1_000; copy++) {
    const path = join(folder, copy === 1 ? fullName : `${name} (${copy})${ext}`);
    try {
      await writeFile(path, bytes, { flag: "wx" });
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
  throw new CommandError(`There are a thousand files named ${fullName} in ${folder}: give another folder`);
}
