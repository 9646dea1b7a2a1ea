import type { AgentCapabilities } from "../cards/agent-card.ts";
import type { CardDocument } from "../cards/canonical-card.ts";
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
import { ReadOnlyCallerError, UnauthenticatedError } from "./http-error.ts";
import { whileAllowed } from "./lost-access.ts";
import { DEFAULT_LIMITS, type RequestLimits } from "./request-limits.ts";
import { StreamQuota } from "./stream-quota.ts";

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
  /** As the card declares them: what it does not declare is refused. */
  readonly capabilities: AgentCapabilities;
  /** The media types of messages, as the card lists them; others are refused. */
  readonly inputModes: readonly string[];
  readonly limits: RequestLimits;
  readonly streams: StreamQuota;
  /** False while it starts: whatever is asked then is to be asked again. */
  isReady(): boolean;
  /** The dialect in which the caller's task was created. */
  createdIn(taskId: string, owner: string): Promise<DialectVersion | undefined>;
}

export interface AgentOptions {
  /** By default streaming and nothing else. */
  readonly capabilities?: AgentCapabilities;
  /** Those of the card, its skills' included; by default any. */
  readonly inputModes?: readonly string[];
  readonly limits?: Partial<RequestLimits>;
  /** What authenticated callers get, where the capabilities declare it. */
  readonly extendedCard?: CardDocument;
  /** Without it, there are no webhooks. */
  readonly push?: PushConfigs;
  /** Where it has to learn something first, before it can be asked. */
  readonly isReady?: () => boolean;
}

/** The operations of an agent, as far as its options go. */
export function agentOperations(tasks: TaskOperations, options: AgentOptions = {}): AgentOperations {
  const { push, capabilities = { streaming: true }, inputModes = ["*/*"], isReady = () => true } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const webhooks = () => {
    if (push) return push;
    throw pushNotSupported();
  };
  return {
    tasks,
    capabilities,
    inputModes,
    limits,
    isReady,
    streams: new StreamQuota(limits),
    createdIn: (taskId, owner) => tasks.createdIn(taskId, owner),
    unary: {
      send: async (request, caller) => whileAllowed(caller, tasks.send(request, mayChange(caller))),
      get: (request, caller) => tasks.get(request, caller),
      list: (request, caller) => tasks.list(request, caller),
      cancel: async (request, caller) => tasks.cancel(request, mayChange(caller)),
      createPush: async (request, caller) => webhooks().create(request, mayChange(caller)),
      getPush: async (request, caller) => webhooks().get(request, caller),
      listPush: async (request, caller) => webhooks().list(request, caller),
      deletePush: async (request, caller) => webhooks().delete(request, mayChange(caller)),
      extendedCard: async (_, caller) =>
        extendedCard(options.extendedCard, capabilities.extendedAgentCard ?? false, caller),
    },
  };
}

/** The caller, if it may do more than look; throws `ReadOnlyCallerError`. */
export function mayChange(caller: Caller): Caller {
  if (caller.readOnly) throw new ReadOnlyCallerError();
  return caller;
}

function extendedCard(card: CardDocument | undefined, isDeclared: boolean, caller: Caller): CardDocument {
  if (!isDeclared) throw new A2AError("UnsupportedOperation", "This agent has no extended card");
  if (!caller.authenticated) throw new UnauthenticatedError("The extended card");
  if (card) return card;
  throw new A2AError("ExtendedAgentCardNotConfigured", "This agent's extended card is not configured");
}
