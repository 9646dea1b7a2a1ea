import { createContext, useContext } from "solid-js";

/** Where a call is recorded: for what leads to its events. */
export interface RunPlace {
  readonly sessionId: string;
  readonly runId: string;
  readonly agent: string;
  readonly agentUrl: string;
}

const RunPlaceContext = createContext<() => RunPlace | undefined>(() => undefined);

export const RunPlaceProvider = RunPlaceContext.Provider;

/** The run that the component belongs to; undefined where the server has none. */
export function useRunPlace(): () => RunPlace | undefined {
  return useContext(RunPlaceContext);
}
