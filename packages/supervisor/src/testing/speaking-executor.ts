import { setTimeout as sleep } from "node:timers/promises";
import {
  type Ending,
  type ExecutionContext,
  type Executor,
  provenance,
  textOf,
  withMember,
} from "@parley/a2a";
import { factsOf, piecesOf, speechOf } from "./speech.ts";

/**
 * How an agent takes a crash: it goes on where it was, begins anew, or fails; `asks` goes on too, but first asks a
 * person.
 */
export type Manner = "goes on" | "begins anew" | "fails" | "asks";

/** Says what there is to say to a request, at a pace. */
export class SpeakingExecutor implements Executor {
  readonly resumes: boolean;
  readonly #name: string;
  readonly #manner: Manner;
  readonly #paceMs: number;

  constructor(name: string, manner: Manner, paceMs: number) {
    this.#name = name;
    this.#manner = manner;
    this.#paceMs = paceMs;
    this.resumes = manner !== "fails";
  }

  async execute(context: ExecutionContext): Promise<Ending | undefined> {
    const [first = context.message, answer] = context.task.history?.filter(isUser) ?? [];
    const speech = speechOf(this.#name, textOf(first));
    if (this.#manner !== "asks") return this.#say(context, speech);
    await this.#say(context, answer ? `${speech} You said ${textOf(answer)}.` : speech);
    return answer ? undefined : { state: "input-required", message: `${this.#name} asks: which one?` };
  }

  async #say(context: ExecutionContext, text: string): Promise<undefined> {
    const result = context.artifact({ artifactId: `${context.taskId}-speech`, name: "current_result" });
    const before = context.task.artifacts?.find(({ artifactId }) => artifactId === result.artifactId);
    const known = before ? textOf(before) : "";
    await this.#bringFacts(context);
    const isAnew = this.#manner === "begins anew" && known !== "";
    if (isAnew) await result.replace([{ text: "" }]);
    for (const piece of piecesOf(isAnew ? text : text.slice(known.length))) {
      await result.text(piece);
      await sleep(this.#paceMs, undefined, { signal: context.signal });
    }
    await result.close();
  }

  // As if they were from an agent of its own.
  async #bringFacts(context: ExecutionContext): Promise<void> {
    const metadata = withMember(undefined, provenance, { agent: "deep", callId: "deep-1", depth: 1 });
    const facts = context.artifact({ artifactId: `${context.taskId}-facts`, name: "facts", metadata });
    await facts.replace([{ data: factsOf(this.#name) }], { last: true });
  }
}

function isUser({ role }: { readonly role: string }): boolean {
  return role === "ROLE_USER";
}
