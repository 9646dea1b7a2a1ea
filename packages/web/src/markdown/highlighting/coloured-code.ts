import {
  createCssVariablesTheme,
  createHighlighterCore,
  type LanguageInput,
  type ThemedToken,
} from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";

/** Supported languages; each grammar is loaded on first use. */
const languages: Readonly<Record<string, LanguageInput>> = {
  bash: () => import("shiki/langs/bash.mjs"),
  c: () => import("shiki/langs/c.mjs"),
  cpp: () => import("shiki/langs/cpp.mjs"),
  csharp: () => import("shiki/langs/csharp.mjs"),
  css: () => import("shiki/langs/css.mjs"),
  diff: () => import("shiki/langs/diff.mjs"),
  dockerfile: () => import("shiki/langs/dockerfile.mjs"),
  go: () => import("shiki/langs/go.mjs"),
  graphql: () => import("shiki/langs/graphql.mjs"),
  hcl: () => import("shiki/langs/hcl.mjs"),
  html: () => import("shiki/langs/html.mjs"),
  ini: () => import("shiki/langs/ini.mjs"),
  java: () => import("shiki/langs/java.mjs"),
  javascript: () => import("shiki/langs/javascript.mjs"),
  json: () => import("shiki/langs/json.mjs"),
  jsx: () => import("shiki/langs/jsx.mjs"),
  kotlin: () => import("shiki/langs/kotlin.mjs"),
  lua: () => import("shiki/langs/lua.mjs"),
  makefile: () => import("shiki/langs/make.mjs"),
  markdown: () => import("shiki/langs/markdown.mjs"),
  nginx: () => import("shiki/langs/nginx.mjs"),
  php: () => import("shiki/langs/php.mjs"),
  powershell: () => import("shiki/langs/powershell.mjs"),
  proto: () => import("shiki/langs/proto.mjs"),
  python: () => import("shiki/langs/python.mjs"),
  ruby: () => import("shiki/langs/ruby.mjs"),
  rust: () => import("shiki/langs/rust.mjs"),
  scala: () => import("shiki/langs/scala.mjs"),
  sql: () => import("shiki/langs/sql.mjs"),
  swift: () => import("shiki/langs/swift.mjs"),
  toml: () => import("shiki/langs/toml.mjs"),
  tsx: () => import("shiki/langs/tsx.mjs"),
  typescript: () => import("shiki/langs/typescript.mjs"),
  xml: () => import("shiki/langs/xml.mjs"),
  yaml: () => import("shiki/langs/yaml.mjs"),
};

const aliases: Readonly<Record<string, string>> = {
  "c#": "csharp",
  "c++": "cpp",
  cs: "csharp",
  console: "bash",
  docker: "dockerfile",
  golang: "go",
  js: "javascript",
  jsonc: "json",
  kt: "kotlin",
  make: "makefile",
  md: "markdown",
  mjs: "javascript",
  patch: "diff",
  protobuf: "proto",
  ps1: "powershell",
  py: "python",
  rb: "ruby",
  rs: "rust",
  sh: "bash",
  shell: "bash",
  terraform: "hcl",
  tf: "hcl",
  ts: "typescript",
  yml: "yaml",
  zsh: "bash",
};

/** A piece of code, and the kind of thing that it is, where it is one. */
export type ColouredPiece = readonly [text: string, kind?: string];

const lineLimit = 1000;
const theme = createCssVariablesTheme({ name: "md", variablePrefix: "--" });
const highlighter = createHighlighterCore({
  themes: [theme],
  langs: [],
  engine: createJavaScriptRegexEngine({ forgiving: true }),
});

/** Code in coloured pieces; nothing for a language that is not known. It takes long: for a worker. */
export async function colouredCode(code: string, name: string): Promise<ColouredPiece[] | undefined> {
  const lang = aliases[name] ?? name;
  const language = Object.hasOwn(languages, lang) ? languages[lang] : undefined;
  if (!language || code.split("\n").some((line) => line.length > lineLimit)) return undefined;
  const shiki = await highlighter;
  await shiki.loadLanguage(language);
  const lines = shiki.codeToTokensBase(code, { lang, theme: "md" });
  return lines.flatMap((line, at) => [...(at > 0 ? [["\n"] as const] : []), ...line.map(pieceOf)]);
}

function pieceOf({ content, color }: ThemedToken): ColouredPiece {
  const kind = /^var\(--(?:token-)?([a-z-]+)\)$/.exec(color ?? "")?.[1];
  return !kind || kind === "foreground" ? [content] : [content, kind];
}
