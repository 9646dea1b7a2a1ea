import type { ApiClient, CommandOptions } from "../api/api-client.ts";
import type { Command } from "./command.ts";

/** Carries a command out on the server. */
export async function sendCommand(
  client: ApiClient,
  { sessionId, ...command }: Command,
  options: CommandOptions,
): Promise<void> {
  switch (command.type) {
    case "create": {
      const { type: _, ...session } = command;
      return done(client.createSession({ id: sessionId, ...session }, options));
    }
    case "send": {
      const { type: _, messageId, attached: __, ...message } = command;
      return done(client.postMessage(sessionId, { id: messageId, ...message }, options));
    }
    case "edit": {
      const { type: _, childId, messageId, ...edit } = command;
      return done(client.editMessage(sessionId, messageId, { id: childId, ...edit }, options));
    }
    case "fork": {
      const { type: _, childId, ...fork } = command;
      return done(client.forkSession(sessionId, { id: childId, ...fork }, options));
    }
    case "branch": {
      const { type: _, childId, ...branch } = command;
      return done(client.branchSession(sessionId, { id: childId, ...branch }, options));
    }
    case "retry": {
      const { type: _, childId, runId, ...retry } = command;
      return done(client.retryRun(sessionId, runId, { id: childId, ...retry }, options));
    }
    case "cancel": {
      const { type: _, runId, ...cancel } = command;
      return done(client.cancelRun(sessionId, runId, cancel, options));
    }
    case "change": {
      const { type: _, ...change } = command;
      return done(client.changeSession(sessionId, change, options));
    }
    case "delete":
      return client.deleteSession(sessionId, options);
    case "restore":
      return done(client.restoreSession(sessionId, options));
    case "answer": {
      const { type: _, approvalId, ...answer } = command;
      return done(client.answerApproval(sessionId, approvalId, answer, options));
    }
  }
}

/** What it led to is heard from the feed, in its order with all else. */
async function done(answer: Promise<unknown>): Promise<void> {
  await answer;
}
