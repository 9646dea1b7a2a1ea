import { textOf } from "../protocol/model.ts";
import type { Ending, ExecutionContext, Executor } from "../tasks/executor.ts";

/** For tests: runs what was registered under the first word of the message. */
export class ScriptedExecutor implements Executor {
  executions = 0;
  readonly #scripts = new Map<string, (context: ExecutionContext) => Promise<Ending | undefined>>();

  on(word: string, script: (context: ExecutionContext) => Promise<Ending | undefined>): this {
    this.#scripts.set(word, script);
    return this;
  }

  execute(context: ExecutionContext): Promise<Ending | undefined> {
    this.executions++;
    const [word = ""] = textOf(context.message).split(" ");
    const script = this.#scripts.get(word);
    if (!script) throw new Error(`No script for ${word}`);
    return script(context);
  }
}
