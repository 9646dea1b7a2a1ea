// The proof agent as a program, on PARLEY_DATA; with the argument `resumes` its executor can go on after a crash.
import { once } from "node:events";
import { type Executor, textOf } from "@parley/a2a";
import { startProofAgent } from "./proof-agent.ts";
import { proofExecutor } from "./proof-executor.ts";

/** Counts to half of a number in one artifact and waits for a crash, after which it goes on where what was committed ends. */
const countingExecutor: Executor = {
  resumes: true,
  async execute(context) {
    const [, limit] = /^count (\d+)$/.exec(textOf(context.message)) ?? [];
    if (!limit) return proofExecutor.execute(context);
    const committed = context.task.artifacts?.[0];
    const result = context.artifact({ artifactId: "count" });
    for (let n = committed ? textOf(committed).split(" ").length - 1 : 0; n < Number(limit); n++) {
      if (!committed && n === Number(limit) / 2) await once(context.signal, "abort");
      await result.text(`${n} `);
      if (n % 50 === 0) await new Promise(setImmediate);
    }
    await result.close();
    return undefined;
  },
};

const executor = process.argv[2] === "resumes" ? countingExecutor : proofExecutor;
const folder = process.env.PARLEY_DATA ?? "";
const agent = await startProofAgent({ folder, executor, coalesce: false });
process.stdout.write(`${agent.url}\n`);
