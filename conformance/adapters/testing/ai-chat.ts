import {
  AbstractChat,
  type ChatInit,
  type ChatState,
  type ChatStatus,
  DefaultChatTransport,
  type PrepareSendMessagesRequest,
  type UIMessage,
} from "ai";

/** The metadata of our answers. */
interface AnswerMetadata {
  readonly session: string;
  readonly run: string;
  readonly agent: string;
  readonly status: string;
  readonly usage?: Readonly<Record<string, unknown>>;
}

type Message = UIMessage<AnswerMetadata>;

class PlainState implements ChatState<Message> {
  status: ChatStatus = "ready";
  error: Error | undefined = undefined;
  messages: Message[] = [];
  pushMessage = (message: Message) => {
    this.messages = [...this.messages, message];
  };
  popMessage = () => {
    this.messages = this.messages.slice(0, -1);
  };
  replaceMessage = (index: number, message: Message) => {
    this.messages = this.messages.with(index, this.snapshot(message));
  };
  snapshot = <Thing>(thing: Thing): Thing => structuredClone(thing);
}

export interface AiChatOptions extends Omit<ChatInit<Message>, "transport"> {
  readonly headers?: Record<string, string>;
  readonly body?: object;
  readonly fetch?: typeof fetch;
  readonly prepare?: PrepareSendMessagesRequest<Message>;
}

/** `useChat` without React: the AI SDK's own chat and transport, at our URL. */
export class AiChat extends AbstractChat<Message> {
  constructor(api: string, { headers, body, fetch, prepare, messages = [], ...init }: AiChatOptions = {}) {
    const state = new PlainState();
    state.messages = messages;
    super({
      ...init,
      id: init.id ?? crypto.randomUUID(),
      transport: new DefaultChatTransport<Message>({
        api,
        ...(headers && { headers }),
        ...(body && { body }),
        ...(fetch && { fetch }),
        ...(prepare && { prepareSendMessagesRequest: prepare }),
      }),
      state,
    });
  }

  /** The last message. */
  get last(): Message {
    const message = this.messages.at(-1);
    if (!message) throw new Error("The chat has no messages");
    return message;
  }
}

/** The visible text of a message. */
export function textOf({ parts }: UIMessage): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** The tools in a message: their names and states. */
export function toolsOf({ parts }: UIMessage): readonly (readonly [string, string])[] {
  return parts.flatMap((part) =>
    part.type === "dynamic-tool" ? [[part.toolName, part.state] as const] : [],
  );
}
