import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type Ended, ParleyProcess, parley } from "./parley-process.ts";

/** For tests: a platform with the agent of `parley init`, for all tests of a file. */
export class PlayedPlatform {
  folder = "";
  url = "";
  #process: ParleyProcess | undefined;

  constructor() {
    beforeAll(() => this.#start(), 180_000);
    afterAll(() => this.#stop());
  }

  get agents(): string {
    return join(this.folder, "agents");
  }

  get data(): string {
    return join(this.folder, "data");
  }

  /** Runs a command line against it. */
  run(args: readonly string[], input = ""): Promise<Ended> {
    const environment = { PARLEY_URL: this.url, PARLEY_DATA: this.data };
    return parley(args, { environment, input, folder: this.folder });
  }

  async #start(): Promise<void> {
    this.folder = await mkdtemp(join(tmpdir(), "parley-test-"));
    await parley(["init", "agents"], { folder: this.folder });
    const server = new ParleyProcess(["up", "--agents", this.agents, "--data", this.data, "--port", "0"]);
    this.#process = server;
    this.url = await server.said(/http:\/\/localhost:\d+/);
    await server.said(/^ {2}model/m);
  }

  async #stop(): Promise<void> {
    this.#process?.child.kill("SIGKILL");
    await this.#process?.ended;
    await rm(this.folder, { recursive: true, force: true });
  }
}
