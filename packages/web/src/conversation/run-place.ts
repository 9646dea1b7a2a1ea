import { createContext, useContext } from "solid-js";

/** Where a call is recorded: for what leads to its events. */
export interface RunPlace {
  readonly sessionId: string;
  readonly runId: string;
  readonly agent: string;
  readonly agentUrl: string;
}

const RunPlaceContext = createContext<() => RunPlace | undefined>(() => undefined);

/** Tells all below it of which run they are. */
export const RunPlaceProvider = RunPlaceContext.Provider;

/** The run that the component is drawn for; undefined where it is of none that the server has. */
export function useRunPlace(): () => RunPlace | undefined {
  return useContext(RunPlaceContext);
}
