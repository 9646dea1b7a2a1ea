import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The package names that a package.json grants to code that ships, and to code that only tests and builds. */
export interface DeclaredDependencies {
  readonly shipped: ReadonlySet<string>;
  readonly development: ReadonlySet<string>;
}

type Section = Readonly<Record<string, string>>;

interface Manifest {
  readonly name?: string;
  readonly dependencies?: Section;
  readonly peerDependencies?: Section;
  readonly optionalDependencies?: Section;
  readonly devDependencies?: Section;
}

/** Reads what the package.json of this folder declares; a package may always import itself by name. */
export function declaredDependencies(folder: string): DeclaredDependencies {
  const { name, dependencies, peerDependencies, optionalDependencies, devDependencies } = readManifest(
    join(folder, "package.json"),
  );
  return {
    shipped: new Set([
      ...(name ? [name] : []),
      ...Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies }),
    ]),
    development: new Set(Object.keys(devDependencies ?? {})),
  };
}

function readManifest(file: string): Manifest {
  if (!existsSync(file)) return {};
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new Error(`${file} is not JSON.`, { cause });
  }
}
