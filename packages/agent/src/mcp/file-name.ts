const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/jpeg": "jpg",
  "image/svg+xml": "svg",
  "audio/mpeg": "mp3",
  "text/plain": "txt",
  "text/markdown": "md",
  "application/octet-stream": "bin",
};
const LONGEST = 200;

/** What a file from a tool is called: as its address ends, else by what it is; always with an ending. */
export function fileName(address: string | undefined, kind: string, mediaType: string): string {
  const last = lastSegment(address ?? "");
  const ending = extensionOf(mediaType);
  if (last === "") return `${kind}.${ending}`;
  return /[^.]\.[^.]+$/.test(last) ? last : `${last}.${ending}`;
}

/** The name, told apart from those that are taken: `chart-2.svg`. */
export function distinctName(name: string, taken: ReadonlySet<string>): string {
  const dot = name.lastIndexOf(".");
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  let distinct = name;
  for (let number = 2; taken.has(distinct); number++) distinct = `${stem}-${number}${ending}`;
  return distinct;
}

function lastSegment(address: string): string {
  const [path = ""] = address.split(/(?<!\/)\/*(?:[?#]|$)/, 1);
  const segment = path.slice(
    Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"), path.lastIndexOf(":")) + 1,
  );
  return readableName(decoded(segment));
}

/** A name without what nobody can see, and not too long. */
export function readableName(name: string): string {
  return name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}/\\]/gu, "_")
    .slice(-LONGEST);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // Then the sign for "percent" means itself.
    return segment;
  }
}

function extensionOf(mediaType: string): string {
  const type = mediaType.toLowerCase().split(";")[0]?.trim() ?? "";
  const plain = /^[a-z]+\/(?:x-)?([a-z0-9]{1,8})$/.exec(type)?.[1];
  return EXTENSIONS[type] ?? plain ?? "file";
}
