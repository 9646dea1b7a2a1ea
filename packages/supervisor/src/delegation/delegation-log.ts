import type { Json, Message, Metadata, Part } from "@parley/a2a";
import { z } from "zod";

/** A note in the supervisor's task: from these an interrupted delegation is resumed. */
const entry = z.object({
  id: z.string(),
  /** Recorded before anything is sent: to whom, under which key, with what budget. */
  began: z
    .object({ agent: z.string(), key: z.string(), metadata: z.custom<Metadata>().optional() })
    .optional(),
  /** The sub-agent's task and its context there. */
  task: z.string().optional(),
  contextId: z.string().optional(),
  /** What it asked a person, to be asked again after a restart. */
  asked: z.array(z.custom<Part>()).optional(),
  /** Questions so far, this one included. */
  questions: z.number().optional(),
  /** The person's answer, as a whole message for this task. */
  replied: z.custom<Message>().optional(),
  /** Plan steps that the user skipped in one message. */
  skip: z.array(z.string()).optional(),
  delivered: z.literal(true).optional(),
  ended: z
    .object({
      state: z.enum(["completed", "failed", "canceled", "unknown"]),
      text: z.string(),
      /** How many characters of the answer are its. */
      said: z.number(),
    })
    .optional(),
  /** How a canceled sub-agent reacted, or that it did not in time. */
  canceled: z.object({ acknowledged: z.boolean(), detail: z.string(), ms: z.number() }).optional(),
});

/** A change of a delegation, or the sum of its changes. */
export type DelegationEntry = Readonly<z.infer<typeof entry>>;

export interface NoteWriter {
  note(note: Json): Promise<void>;
  noteLater(note: Json): void;
}

/** The change in a note; undefined: it is another note. */
export function delegationIn(note: Json): DelegationEntry | undefined {
  if (typeof note !== "object" || note === null || !("delegation" in note)) return undefined;
  return entry.parse((note as { delegation: Json }).delegation);
}

/** All delegations of a task, from its notes. */
export class DelegationLog {
  readonly #writer: NoteWriter;
  readonly #states = new Map<string, DelegationEntry>();
  #messages = 0;

  constructor(notes: readonly Json[], writer: NoteWriter) {
    this.#writer = writer;
    for (const note of notes) {
      const change = delegationIn(note);
      if (change) this.#apply(change);
    }
  }

  get(id: string): DelegationEntry | undefined {
    return this.#states.get(id);
  }

  /** Unanswered questions, the oldest first. */
  get openQuestions(): readonly DelegationEntry[] {
    return [...this.#states.values()].filter(({ asked, replied, ended }) => asked && !replied && !ended);
  }

  /** How many user messages were taken as replies or decisions. */
  get messages(): number {
    return this.#messages;
  }

  async record(change: DelegationEntry): Promise<void> {
    await this.#writer.note({ delegation: change as unknown as Json });
    this.#apply(change);
  }

  /** Commits the change together with the next write. */
  recordLater(change: DelegationEntry): void {
    this.#writer.noteLater({ delegation: change as unknown as Json });
    this.#apply(change);
  }

  #apply(change: DelegationEntry): void {
    if (change.replied || change.skip) this.#messages++;
    const known = this.#states.get(change.id);
    const { replied: _, delivered: __, ...unanswered } = known ?? { id: change.id };
    // Another agent or question starts over.
    const before = change.began ? {} : change.asked ? unanswered : known;
    const skip = [...(known?.skip ?? []), ...(change.skip ?? [])];
    // The latest question moves to the end.
    if (change.asked) this.#states.delete(change.id);
    this.#states.set(change.id, { ...before, ...change, ...(skip.length > 0 && { skip }) });
  }
}
