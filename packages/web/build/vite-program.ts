import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { build, type Plugin } from "vite";
import solid from "vite-plugin-solid";

const ROOT = join(import.meta.dirname, "..");
const SHELL_WORKER = join(ROOT, "src/app/offline/shell-worker.ts");
const EARLY_THEME = join(ROOT, "src/app/theme/early-theme.js");
/** The highlighting worker's chunks, one per language, cached on first use. */
const LANGUAGES = "assets/languages/";
/** Assets that the service worker caches on first use only: the documentation's pictures and the API reference. */
const KEPT_ON_USE = /\.png$|^assets\/swagger-ui/;
const WORTH_COMPRESSING = 1_000;

/** Puts the theme script first in the page: as a module, it would run too late. */
function earlyTheme(): Plugin {
  return {
    name: "early-theme",
    async buildStart() {
      const source = await readFile(EARLY_THEME, "utf8");
      this.emitFile({ type: "asset", name: "early-theme.js", source });
    },
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle }) {
        const file = Object.values(bundle ?? {}).find((each) => /early-theme-[^/]*\.js$/.test(each.fileName));
        if (!file) throw new Error("The theme's script is missing");
        return [{ tag: "script", attrs: { src: `/s/${file.fileName}` }, injectTo: "head-prepend" }];
      },
    },
  };
}

/** Writes the service worker, with this build's version and the files a page needs to start. */
function shellWorker(): Plugin {
  return {
    name: "shell-worker",
    generateBundle: {
      order: "post",
      async handler(_options, bundle) {
        const names = Object.keys(bundle).filter(
          (name) => name.startsWith("assets/") && !name.startsWith(LANGUAGES) && !KEPT_ON_USE.test(name),
        );
        const paths = names.map((name) => `/s/${name}`).sort();
        const module = stripTypeScriptTypes(await readFile(SHELL_WORKER, "utf8"));
        // Not all browsers take a module here.
        const worker = module.replace(/^export \{\};$/m, "");
        const hash = createHash("sha256").update(JSON.stringify([Object.keys(bundle).sort(), worker]));
        const version = `parley-${hash.digest("hex").slice(0, 16)}`;
        const head = `const VERSION = ${JSON.stringify(version)};\nconst FILES = ${JSON.stringify(paths)};\n`;
        this.emitFile({ type: "asset", fileName: "worker.js", source: head + worker });
      },
    },
  };
}

/** Adapts swagger-ui: its style sheet has images as data: URLs, which our policy blocks, and it brings a second `<main>`. */
function adaptedSwaggerUi(): Plugin {
  return {
    name: "adapted-swagger-ui",
    enforce: "pre",
    transform: {
      filter: { id: /swagger-ui-dist\/swagger-ui(-es-bundle\.js|\.css)$/ },
      handler(source, id) {
        const adapted = id.endsWith(".css")
          ? source.replace(/url\((?:"data:(?:\\.|[^"\\])*"|data:[^)]*)\)/g, "none")
          : source.replace('createElement("main",{id:"operations"', 'createElement("div",{id:"operations"');
        if (adapted === source) throw new Error(`${id} is not as expected: look at it again`);
        return { code: adapted, map: null };
      },
    },
  };
}

/** Compresses each file at build time, so that serving it costs nothing. */
async function compressAll(folder: string): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) {
    if (!/\.(js|css|html|svg|json)$/.test(name)) continue;
    const file = join(folder, name);
    const content = await readFile(file);
    if (content.length < WORTH_COMPRESSING) continue;
    const quality = { [constants.BROTLI_PARAM_QUALITY]: 9 };
    await writeFile(`${file}.br`, await promisify(brotliCompress)(content, { params: quality }));
    await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
  }
}

const [, , folder = join(ROOT, "dist/draft")] = process.argv;
await build({
  root: ROOT,
  base: "/s/",
  // What is loaded later is found beside what loads it, wherever that is served.
  experimental: {
    renderBuiltUrl: (_name, { hostType }) => (hostType === "html" ? undefined : { relative: true }),
  },
  configFile: false,
  logLevel: "error",
  plugins: [solid(), adaptedSwaggerUi(), earlyTheme(), shellWorker()],
  // In pieces, as the page itself: a language is loaded when somebody writes in it.
  worker: { format: "es", rolldownOptions: { output: { chunkFileNames: `${LANGUAGES}[name]-[hash].js` } } },
  build: {
    outDir: folder,
    emptyOutDir: true,
    assetsDir: "assets",
    assetsInlineLimit: 0,
    target: "es2023",
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
await compressAll(folder);
