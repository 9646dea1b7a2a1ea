import type {
  DialectVersion,
  OperationRequests,
  OperationResults,
  UnaryOperation,
} from "../dialects/dialect.ts";
import { A2AError, pushNotSupported } from "../protocol/errors.ts";
import type { PushConfigs } from "../push/push-configs.ts";
import type { Caller } from "../tasks/caller.ts";
import type { TaskOperations } from "../tasks/task-operations.ts";

type Unary = {
  readonly [O in UnaryOperation]: (
    request: OperationRequests[O],
    caller: Caller,
  ) => Promise<OperationResults[O]>;
};

/** Everything that an agent can be asked, for every binding the same. */
export interface AgentOperations {
  readonly tasks: TaskOperations;
  readonly unary: Unary;
  /** The dialect in which the caller's task was created. */
  createdIn(taskId: string, owner: string): Promise<DialectVersion | undefined>;
}

/** The operations of an agent that has no extended card, and webhooks if it is given their configs. */
export function agentOperations(tasks: TaskOperations, push?: PushConfigs): AgentOperations {
  return {
    tasks,
    createdIn: (taskId, owner) => tasks.createdIn(taskId, owner),
    unary: {
      send: (request, caller) => tasks.send(request, caller),
      get: (request, caller) => tasks.get(request, caller),
      list: (request, caller) => tasks.list(request, caller),
      cancel: (request, caller) => tasks.cancel(request, caller),
      ...(push
        ? pushOperations(push)
        : { createPush: noPush, getPush: noPush, listPush: noPush, deletePush: noPush }),
      extendedCard: async () => {
        throw new A2AError("UnsupportedOperation", "This agent has no extended card");
      },
    },
  };
}

function pushOperations(
  push: PushConfigs,
): Pick<Unary, "createPush" | "getPush" | "listPush" | "deletePush"> {
  return {
    createPush: (request, caller) => push.create(request, caller),
    getPush: (request, caller) => push.get(request, caller),
    listPush: (request, caller) => push.list(request, caller),
    deletePush: (request, caller) => push.delete(request, caller),
  };
}

async function noPush(): Promise<never> {
  throw pushNotSupported();
}
