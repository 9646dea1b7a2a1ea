import { mkdir, writeFile } from "node:fs/promises";
import { join, parse } from "node:path";
import { type ApiClient, type ArtifactFile, fileContent, safeName, sizeText } from "@parley/client";
import { CommandError } from "../../command-error.ts";
import { oneLine } from "../../terminal/plain-text.ts";

/** A file of an answer: `path` is where it was saved, `url` where an external file is. */
export interface AnswerFile {
  readonly name: string;
  readonly mediaType: string;
  readonly size?: number | undefined;
  readonly path?: string;
  readonly url?: string;
}

export function fileTitle({ name, size }: Pick<AnswerFile, "name" | "size">): string {
  return [oneLine(name) || "file", ...(size === undefined ? [] : [sizeText(size)])].join(" · ");
}

/** Saves the files of an answer in a folder, if one is given, without overwriting anything. */
export async function saveFiles(
  files: readonly ArtifactFile[],
  { client, folder }: { readonly client: ApiClient; readonly folder?: string | undefined },
): Promise<readonly AnswerFile[]> {
  if (folder !== undefined && files.length > 0) await mkdir(folder, { recursive: true });
  const saved: AnswerFile[] = [];
  for (const file of files) {
    const { name, mediaType, size, source } = file;
    const about = { name, mediaType, size, ...(source.kind === "link" && { url: source.url }) };
    const content = folder === undefined ? undefined : await fileContent(file, client);
    if (content === undefined || folder === undefined) saved.push(about);
    else {
      const bytes = new Uint8Array(await content.arrayBuffer());
      saved.push({
        ...about,
        size: bytes.length,
        path: await writeNew(folder, safeName(name, "file"), bytes),
      });
    }
  }
  return saved;
}

/** One line per file, and how to get those that were not saved. */
export function fileLines(files: readonly AnswerFile[], url: string): readonly string[] {
  const lines = files.map((file) => {
    const where = file.path ?? file.url;
    return `▤ ${fileTitle(file)}${where === undefined ? "" : ` · ${oneLine(where, 500)}`}`;
  });
  const isLeft = files.some(({ path, url: elsewhere }) => path === undefined && elsewhere === undefined);
  return isLeft ? [...lines, `Save files with --files <folder>, or open ${url}`] : lines;
}

async function writeNew(folder: string, fullName: string, bytes: Uint8Array): Promise<string> {
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
  throw new CommandError(`${folder} already has a thousand files named ${fullName}; use another folder`);
}
