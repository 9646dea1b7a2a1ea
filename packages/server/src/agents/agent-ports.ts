import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentDefinition } from "@parley/agent";
import { z } from "zod";
import { type DataPlace, nodeFile } from "../data-place.ts";
import { StartError } from "../start-error.ts";

/** Added to the main port: the first port for agents whose files name none. */
const FIRST_ASSIGNED = 10;

const assignedPorts = z.record(z.string(), z.int().min(1).max(65_535));

export interface AgentPortsOptions extends Pick<DataPlace, "dataFolder" | "node"> {
  readonly port: number;
}

/** The port of each agent: the one in its file, or one that is assigned once and stored in the data folder. */
export class AgentPorts {
  readonly #path: string;
  readonly #mainPort: number;
  readonly #assigned: Map<string, number>;
  /** Ports in files, which are never assigned. */
  readonly #named = new Set<number>();
  #saved: Promise<void> = Promise.resolve();

  private constructor(path: string, mainPort: number, assigned: Readonly<Record<string, number>>) {
    this.#path = path;
    this.#mainPort = mainPort;
    this.#assigned = new Map(Object.entries(assigned));
  }

  static async open({ dataFolder, node, port }: AgentPortsOptions): Promise<AgentPorts> {
    const path = join(dataFolder, nodeFile({ node }, "agent-ports", "json"));
    return new AgentPorts(path, port, await readAssigned(path));
  }

  /** Prevents the ports in these agents' files from being assigned to others. */
  reserve(definitions: readonly AgentDefinition[]): void {
    for (const definition of definitions) {
      const port = this.#namedBy(definition);
      if (port !== undefined) this.#named.add(port);
    }
  }

  /** The agent's port; 0 for any free port if the main port is 0. */
  async portOf(definition: AgentDefinition): Promise<number> {
    const { name } = definition;
    const known = this.#namedBy(definition) ?? (this.#mainPort === 0 ? 0 : this.#assigned.get(name));
    if (known !== undefined) return known;
    const taken = new Set([...this.#named, ...this.#assigned.values()]);
    let next = this.#mainPort + FIRST_ASSIGNED;
    while (taken.has(next)) next++;
    this.#assigned.set(name, next);
    await this.#save();
    return next;
  }

  #namedBy({ port }: AgentDefinition): number | undefined {
    if (port === undefined) return undefined;
    if ("fixed" in port) return port.fixed;
    return this.#mainPort === 0 ? 0 : this.#mainPort + port.afterMain;
  }

  // One write at a time, and renamed into place: a crash leaves the old file or the new one.
  #save(): Promise<void> {
    const write = async () => {
      const text = JSON.stringify(Object.fromEntries(this.#assigned), null, 2);
      await writeFile(`${this.#path}.new`, `${text}\n`);
      await rename(`${this.#path}.new`, this.#path);
    };
    this.#saved = this.#saved.then(write, write);
    return this.#saved;
  }
}

async function readAssigned(path: string): Promise<Readonly<Record<string, number>>> {
  try {
    return assignedPorts.parse(JSON.parse(await readFile(path, "utf8")));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw new StartError(
      `${path} is not a valid list of agent ports; fix it, or remove it to assign new ones`,
    );
  }
}
