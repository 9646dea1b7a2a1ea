import {
  approvalRequest,
  type Ending,
  type ExecutionContext,
  memberPart,
  textOf,
  toolCall,
  toolResult,
  withMember,
} from "@parley/a2a";
import { type ServedExecutor, serveExecutor } from "@parley/server";

type Work = (context: ExecutionContext) => Promise<Ending>;

/** Tells the weather after using a tool, and brings a small picture of it. */
async function sky(context: ExecutionContext): Promise<Ending> {
  const call = { id: "1", tool: "sky__look", arguments: { city: "Lund" } };
  await context.working("looks", withMember(undefined, toolCall, call));
  const ended = { id: "1", outcome: "succeeded" as const, result: { degrees: 7 }, durationMs: 12 };
  await context.working("saw", withMember(undefined, toolResult, ended));
  await context.artifact({ name: "current_result" }).close([{ text: "It is 7 degrees in Lund.\nIt rains." }]);
  const picture = {
    raw: Buffer.from("rain ".repeat(20_000)).toString("base64"),
    mediaType: "image/png",
    filename: "rain.png",
  };
  await context.artifact({ name: "picture" }).close([picture]);
  return { state: "completed" };
}

/** Fails in more than one line. */
async function printer(): Promise<Ending> {
  return { state: "failed", message: "The printer is out of paper.\nAsk Ann for some." };
}

/** Asks before it does anything. */
async function door({ task, taskId, message, artifact }: ExecutionContext): Promise<Ending> {
  if ((task.history ?? []).filter(({ role }) => role === "ROLE_USER").length < 2) {
    const request = { id: `${taskId}-1`, tool: "door__open", arguments: { wide: true }, argumentsHash: "h" };
    return {
      state: "input-required",
      message: [{ text: "May I open the door?" }, memberPart(approvalRequest, request)],
    };
  }
  const said = JSON.stringify(message);
  await artifact().close([
    { text: said.includes("approved") ? "The door is open." : "The door stays shut." },
  ]);
  return { state: "completed" };
}

/** Needs to know something, which is no approval. */
async function painter({ task, message, artifact }: ExecutionContext): Promise<Ending> {
  const heard = (task.history ?? []).filter(({ role }) => role === "ROLE_USER").length;
  if (heard < 2) return { state: "input-required", message: "Which colour?" };
  await artifact().close([{ text: `The fence is ${textOf(message)} now.` }]);
  return { state: "completed" };
}

const AGENTS: Readonly<Record<string, readonly [Work, description: string, example: string]>> = {
  sky: [sky, "Knows the weather in every city.", "What is the weather in Lund?"],
  printer: [printer, "Prints posters.", "Print a poster"],
  door: [door, "Opens the garage door after asking.", "Open the garage door"],
  painter: [painter, "Paints a fence.", "Paint the fence"],
};

/** Starts the agents of the scene; each is a program of its own kind, and all speak A2A. */
export async function startSceneAgents(): Promise<ReadonlyMap<string, ServedExecutor>> {
  const started = Object.entries(AGENTS).map(async ([name, [execute, description, example]]) => {
    const skills = [{ id: name, name, description, tags: [name], examples: [example] }];
    const report = (error: unknown) => process.stderr.write(`An agent of the scene failed: ${error}\n`);
    return [name, await serveExecutor({ name, description, skills, executor: { execute }, report })] as const;
  });
  return new Map(await Promise.all(started));
}
