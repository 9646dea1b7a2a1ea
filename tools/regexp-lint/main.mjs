import { registerHooks } from "node:module";
import { resolve } from "node:path";

// The parser needs an older TypeScript than the project has, wherever npm puts its parts.
const typescript = import.meta.resolve("typescript");
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "typescript" ? { url: typescript, shortCircuit: true } : next(specifier, context),
});

const [{ ESLint }, { default: parser }, { default: regexp }] = await Promise.all([
  import("eslint"),
  import("@typescript-eslint/parser"),
  import("eslint-plugin-regexp"),
]);

/** Regular expressions whose cost grows faster than what they read: no text may keep the event loop busy. */
const eslint = new ESLint({
  cwd: resolve(import.meta.dirname, "../.."),
  overrideConfigFile: true,
  // A file that has not changed is not looked at again.
  cache: true,
  cacheStrategy: "content",
  cacheLocation: "node_modules/.cache/regexp-lint",
  overrideConfig: [
    { ignores: ["**/node_modules/**", ".node/**", ".parley/**", "**/dist/**"] },
    {
      files: ["**/*.{ts,tsx,mjs}"],
      languageOptions: { parser, parserOptions: { ecmaFeatures: { jsx: true } } },
      linterOptions: { noInlineConfig: true },
      plugins: { regexp },
      rules: {
        "regexp/no-super-linear-backtracking": "error",
        "regexp/no-super-linear-move": "error",
      },
    },
  ],
});

const results = await eslint.lintFiles(process.argv.length > 2 ? process.argv.slice(2) : ["."]);
const { format } = await eslint.loadFormatter("stylish");
process.stdout.write(await format(results));
process.exitCode = ESLint.getErrorResults(results).length > 0 ? 1 : 0;
