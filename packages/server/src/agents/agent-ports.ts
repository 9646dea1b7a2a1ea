import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentDefinition } from "@parley/agent";
import { z } from "zod";

/** Agents whose files name no port get theirs from here on. */
const FIRST_ASSIGNED = 10;

const remembered = z.record(z.string(), z.int().min(1).max(65_535));

/** Which port each agent has: its file's, or one that is assigned once and remembered. */
export class AgentPorts {
  readonly #path: string;
  readonly #mainPort: number;
  #assigned: Record<string, number> = {};

  private constructor(dataFolder: string, mainPort: number) {
    this.#path = join(dataFolder, "agent-ports.json");
    this.#mainPort = mainPort;
  }

  /** Reads what was assigned before; a file that cannot be read is begun anew. */
  static async open(dataFolder: string, mainPort: number): Promise<AgentPorts> {
    const ports = new AgentPorts(dataFolder, mainPort);
    const text = await readFile(ports.#path, "utf8").catch(() => "{}");
    try {
      ports.#assigned = remembered.parse(JSON.parse(text));
    } catch {
      ports.#assigned = {};
    }
    return ports;
  }

  /** 0 means any that is free, as it does for the main port. */
  async portOf({ name, port }: AgentDefinition): Promise<number> {
    if (port && "fixed" in port) return port.fixed;
    if (this.#mainPort === 0) return 0;
    if (port) return this.#mainPort + port.afterMain;
    const known = this.#assigned[name];
    if (known !== undefined) return known;
    const taken = new Set(Object.values(this.#assigned));
    let next = this.#mainPort + FIRST_ASSIGNED;
    while (taken.has(next)) next++;
    this.#assigned = { ...this.#assigned, [name]: next };
    await this.#save();
    return next;
  }

  // Renamed into place: a crash leaves the old file or the new one.
  async #save(): Promise<void> {
    await writeFile(`${this.#path}.new`, `${JSON.stringify(this.#assigned, null, 2)}\n`);
    await rename(`${this.#path}.new`, this.#path);
  }
}
