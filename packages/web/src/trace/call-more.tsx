import {
  type ApiClient,
  ApiError,
  type DomainEvent,
  type EventOf,
  isDelegation,
  type RecordedCall,
} from "@parley/client";
import { A } from "@solidjs/router";
import { createResource, createSignal, Show } from "solid-js";
import { Button } from "../app/button.tsx";
import { CopyButton } from "../app/copy-button.tsx";
import { useParley } from "../app/parley.ts";
import { ScrollBox } from "../app/scroll-box.tsx";
import { t } from "../app/strings/language.ts";
import type { RunPlace } from "../conversation/run-place.ts";
import { curlCommand } from "./curl-command.ts";
import { callIdentity } from "./trace-builder.ts";

type CallEvent = EventOf<"agent_tool_call"> | EventOf<"agent_tool_result">;

/** What more there is about a call: its raw events, its place in the trace, and the same as a command. */
export default function CallMore(props: { call: RecordedCall; place: RunPlace }) {
  const { client } = useParley();
  const [isWanted, setWanted] = createSignal(false);
  const outcome = () => props.call.outcome;
  const [events] = createResource(
    () => isWanted() && ([props.place, outcome()] as const),
    ([place]) => callEvents(client, place, props.call),
  );
  const traceHref = () => {
    const { sessionId, runId } = props.place;
    const call = callIdentity({ ...props.call, callId: props.call.id });
    return `/${sessionId}/trace/${runId}?call=${encodeURIComponent(call)}`;
  };
  const curl = async () => {
    const { agent, agentUrl } = props.place;
    const who = isDelegation(props.call) ? props.call.name : props.call.agent;
    if (who === undefined || who === agent) return curlCommand(props.call, { url: agentUrl });
    const { agents } = await client.listAgents({ limit: 100 });
    const found = agents.find(({ name }) => name === who);
    if (!found) throw new Error(t().trace.noAddress);
    const { negotiated, url } = found;
    const isSpoken = negotiated && /JSONRPC|HTTP\+JSON/.test(negotiated.binding);
    return curlCommand(props.call, isSpoken ? negotiated : { url });
  };
  return (
    <div class="call-more">
      <div class="call-actions">
        <Button
          kind="quiet"
          aria-expanded={isWanted()}
          label={t().trace.raw}
          onClick={() => setWanted((before) => !before)}
        />
        <CopyButton label={t().trace.curl} text={curl} />
        <A class="quiet-button" href={traceHref()}>
          {t().trace.showInTrace}
        </A>
      </div>
      <Show when={isWanted()}>
        <ScrollBox class="value" label={t().trace.raw}>
          <pre>{events.error ? troubleText(events.error) : rawText(events())}</pre>
        </ScrollBox>
      </Show>
    </div>
  );
}

function rawText(events: readonly DomainEvent[] | undefined): string {
  if (!events) return t().app.loading;
  return events.length > 0
    ? events.map((event) => JSON.stringify(event, null, 2)).join("\n")
    : t().trace.noRaw;
}

function troubleText(error: unknown): string {
  return t().replay.failed(error instanceof ApiError ? error.message : String(error));
}

async function callEvents(
  client: ApiClient,
  { sessionId, runId }: RunPlace,
  call: RecordedCall,
): Promise<readonly DomainEvent[]> {
  const types = ["agent_tool_call", "agent_tool_result"] as const;
  const pages = await Promise.all(
    types.map((type) => client.listEvents(sessionId, { run: runId, type, limit: 1_000 })),
  );
  return pages
    .flatMap(({ events }) => events as readonly CallEvent[])
    .filter(({ payload }) => isOf(payload, call));
}

function isOf(payload: CallEvent["payload"], { id, agent, parentCallId, taskId }: RecordedCall): boolean {
  return (
    payload.callId === id &&
    payload.agent === agent &&
    payload.parentCallId === parentCallId &&
    payload.taskId === taskId
  );
}
