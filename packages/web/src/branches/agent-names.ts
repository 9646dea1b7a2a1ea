import type { ApiClient } from "@parley/client";
import { type Accessor, createEffect, createSignal } from "solid-js";
import { reasonOf } from "../app/loaded.ts";
import { useParley } from "../app/parley.ts";
import { t } from "../app/strings/language.ts";
import { showToast } from "../app/toasts.ts";

/** The agent that answers where none is chosen; it is in no registry, because it is the one that uses it. */
export const SUPERVISOR = "supervisor";

/** The names of all agents that can be talked to, asked for whenever they are wanted; undefined until they are known. */
export function createAgentNames(isWanted: Accessor<boolean>): Accessor<readonly string[] | undefined> {
  const { client } = useParley();
  const [names, setNames] = createSignal<readonly string[]>();
  createEffect(async () => {
    if (!isWanted()) return;
    try {
      setNames(await agentNames(client));
    } catch (error) {
      showToast({ text: t().branches.noAgents(reasonOf(error)) });
    }
  });
  return names;
}

async function agentNames(client: ApiClient): Promise<readonly string[]> {
  const { agents } = await client.listAgents({ limit: 100 });
  const usable = agents.filter(({ enabled }) => enabled).map(({ name }) => name);
  return [SUPERVISOR, ...usable.filter((name) => name !== SUPERVISOR)];
}
