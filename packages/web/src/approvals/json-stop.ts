const SPACE = /[ \t\n\r]*/y;
const SCALAR =
  /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/uy;

/** The offset at which a text stops being JSON; undefined where it is valid. Not all browsers report it. */
export function jsonStop(text: string): number | undefined {
  const reader = { text, at: 0 };
  if (!readValue(reader)) return reader.at;
  return reader.at === text.length ? undefined : reader.at;
}

interface Reader {
  readonly text: string;
  at: number;
}

function readValue(reader: Reader): boolean {
  skip(reader, SPACE);
  const isRead = readList(reader, "{", "}") ?? readList(reader, "[", "]") ?? skip(reader, SCALAR);
  skip(reader, SPACE);
  return isRead;
}

/** Reads an array or an object; undefined where none begins here. */
function readList(reader: Reader, open: string, close: string): boolean | undefined {
  if (!take(reader, open)) return undefined;
  skip(reader, SPACE);
  if (take(reader, close)) return true;
  do {
    if (open === "{" && !readName(reader)) return false;
    if (!readValue(reader)) return false;
  } while (take(reader, ","));
  return take(reader, close);
}

function readName(reader: Reader): boolean {
  skip(reader, SPACE);
  if (reader.text[reader.at] !== '"' || !skip(reader, SCALAR)) return false;
  skip(reader, SPACE);
  return take(reader, ":");
}

function take(reader: Reader, sign: string): boolean {
  if (reader.text[reader.at] !== sign) return false;
  reader.at++;
  return true;
}

function skip(reader: Reader, what: RegExp): boolean {
  what.lastIndex = reader.at;
  const found = what.exec(reader.text);
  reader.at += found?.[0].length ?? 0;
  return found !== null;
}
