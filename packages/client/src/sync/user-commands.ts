import { newId } from "../api/new-id.ts";
import type {
  Answer,
  ForkPoint,
  MessageEdit,
  NewSession,
  Retry,
  SessionChange,
} from "../api/request-types.ts";
import type { Command, Message } from "./command.ts";

/** The commands of a user: each shows its effect at once, and reaches the server exactly once. */
export abstract class UserCommands {
  protected abstract queue(command: Command, isNext?: true): void;

  /** Goes to the new session. */
  create(session: Omit<NewSession, "id"> = {}): string {
    const sessionId = newId("ses");
    this.queue({ type: "create", sessionId, ...session });
    return sessionId;
  }

  send(sessionId: string, content: string, options: Omit<Message, "content"> = {}): string {
    const messageId = newId("msg");
    this.queue({ type: "send", sessionId, messageId, content, ...options });
    return messageId;
  }

  /** As `send`, but when no agent is at work in the session any more. */
  sendNext(sessionId: string, content: string, options: Omit<Message, "content"> = {}): string {
    const messageId = newId("msg");
    this.queue({ type: "send", sessionId, messageId, content, ...options }, true);
    return messageId;
  }

  /** The fork that the edit makes is gone to when it is there. */
  edit(sessionId: string, messageId: string, edit: Omit<MessageEdit, "id">): string {
    const childId = newId("ses");
    this.queue({ type: "edit", sessionId, messageId, childId, ...edit });
    return childId;
  }

  fork(sessionId: string, at: ForkPoint & { readonly title?: string } = {}): string {
    const childId = newId("ses");
    this.queue({ type: "fork", sessionId, childId, ...at });
    return childId;
  }

  retry(sessionId: string, runId: string, retry: Omit<Retry, "id"> = {}): string {
    const childId = newId("ses");
    this.queue({ type: "retry", sessionId, runId, childId, ...retry });
    return childId;
  }

  cancel(sessionId: string, runId: string, reason?: string): void {
    this.queue({ type: "cancel", sessionId, runId, ...(reason !== undefined && { reason }) });
  }

  /** Renames, archives, switches the agent, configures. */
  change(sessionId: string, change: SessionChange): void {
    this.queue({ type: "change", sessionId, ...change });
  }

  delete(sessionId: string): void {
    this.queue({ type: "delete", sessionId });
  }

  restore(sessionId: string): void {
    this.queue({ type: "restore", sessionId });
  }

  answer(sessionId: string, approvalId: string, answer: Answer): void {
    this.queue({ type: "answer", sessionId, approvalId, ...answer });
  }
}
