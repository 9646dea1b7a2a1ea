import {
  type Artifact,
  memberIn,
  memberInPart,
  type Part,
  type PlanState,
  planState,
  provenance,
  type StreamResponse,
  toolResult,
} from "@parley/a2a";

/** One artifact as a reader has it. */
export interface SeenArtifact {
  readonly artifactId: string;
  readonly name: string | undefined;
  readonly metadata: Artifact["metadata"];
  parts: Part[];
}

/** A client's view of the supervisor's stream: the current artifacts and progress notices. */
export class SeenAnswer {
  readonly artifacts = new Map<string, SeenArtifact>();
  /** Every event's kind; repetitions are collapsed. */
  readonly phases: string[] = [];
  readonly notices: string[] = [];
  taskId = "";
  state = "";
  /** The text of the last status: a question, or the reason for a failure. */
  says = "";
  status: readonly Part[] = [];

  see(event: StreamResponse): void {
    const phase = this.#take(event);
    if (this.phases.at(-1) !== phase) this.phases.push(phase);
  }

  /** The text of the artifact with this name; the last one where there are more. */
  text(name: string): string | undefined {
    const found = this.named(name).at(-1);
    return found && textIn(found.parts);
  }

  named(name: string): SeenArtifact[] {
    return [...this.artifacts.values()].filter((artifact) => artifact.name === name);
  }

  /** The first artifact that came from this agent and is no notice. */
  artifactOf(agent: string): SeenArtifact | undefined {
    return this.#allOf(agent)[0];
  }

  /** The texts of all that came from this agent, joined. */
  from(agent: string): string {
    return this.#allOf(agent)
      .map(({ parts }) => textIn(parts))
      .join("");
  }

  /** How the call of this agent ended, in the words that the user reads, and as data. */
  ended(agent: string): { readonly outcome: string | undefined; readonly text: string } | undefined {
    const notice = this.named("tool_notification_complete").find(
      ({ metadata }) => memberIn(metadata, provenance).value?.agent === agent,
    );
    return (
      notice && { outcome: memberIn(notice.metadata, toolResult).value?.outcome, text: textIn(notice.parts) }
    );
  }

  /** The plan as it stands. */
  get plan(): PlanState | undefined {
    const [part] = this.named("execution_plan_state").at(-1)?.parts ?? [];
    return part && memberInPart(part, planState).value;
  }

  #allOf(agent: string): SeenArtifact[] {
    return [...this.artifacts.values()].filter(({ metadata, name = "" }) => {
      return memberIn(metadata, provenance).value?.agent === agent && !name.startsWith("tool_notification");
    });
  }

  #take(event: StreamResponse): string {
    if ("message" in event) return "message";
    if ("artifactUpdate" in event) {
      const { artifact, append } = event.artifactUpdate;
      const { artifactId, name, metadata, parts } = artifact;
      const known = append ? this.artifacts.get(artifactId) : undefined;
      if (append && !known) throw new Error(`${artifactId} was appended to before it was there`);
      if (known) known.parts.push(...parts);
      else this.artifacts.set(artifactId, { artifactId, name, metadata, parts: [...parts] });
      return name ?? artifactId;
    }
    const { status } = "task" in event ? event.task : event.statusUpdate;
    this.taskId = "task" in event ? event.task.id : event.statusUpdate.taskId;
    this.state = status.state.replace("TASK_STATE_", "").toLowerCase();
    this.status = status.message?.parts ?? [];
    this.says = textIn(this.status);
    if (this.says !== "") this.notices.push(this.says);
    return "task" in event ? "task" : this.state;
  }
}

function textIn(parts: readonly Part[]): string {
  return parts.map(({ text = "" }) => text).join("");
}
