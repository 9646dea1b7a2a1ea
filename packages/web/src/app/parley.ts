import {
  type ApiClient,
  type Clock,
  type Me,
  type SyncEngine,
  type SyncState,
  startBrowserClient,
  systemClock,
} from "@parley/client";
import { type Accessor, createContext, createSignal, useContext } from "solid-js";
import { fetchAs } from "../people/fetch-as.ts";
import { cacheName, headersOf, type Known, onOtherUser } from "../people/who.ts";
import { SERVER_URL } from "./base-path.ts";
import { perFrame } from "./per-frame.ts";

/** What every page uses: the API, the sync engine, and its state as a signal that changes at most once a frame. */
export interface Parley {
  /** Whose page it is, in which workspace. */
  readonly me: Me;
  readonly client: ApiClient;
  readonly engine: SyncEngine;
  readonly state: Accessor<SyncState>;
  /** When the next connection is tried, in milliseconds since 1970, while there is none. */
  readonly nextTry: Accessor<number | undefined>;
}

/**
 * Starts to sync with the server that the page came from, as one client with this user's other tabs; where the server was
 * away, it has yet to confirm who they are.
 */
export async function startParley({ me, isConfirmed }: Known): Promise<Parley> {
  const [nextTry, setNextTry] = createSignal<number>();
  const clock: Clock = {
    ...systemClock,
    sleep: async (milliseconds, signal) => {
      setNextTry(Date.now() + milliseconds);
      await systemClock.sleep(milliseconds, signal);
      setNextTry(undefined);
    },
  };
  const retry = { clock, backoff: { firstMs: 300, maxMs: 5_000 } };
  onOtherUser(me, () => location.reload());
  let flush = async () => {};
  const { engine, client } = await startBrowserClient({
    baseUrl: SERVER_URL,
    window,
    retry,
    name: cacheName(me),
    headers: headersOf(me),
    fetch: fetchAs({ me, isConfirmed, flush: () => flush() }),
  });
  flush = () => engine.flush();
  const [state, setState] = createSignal(engine.state);
  engine.subscribe(perFrame(setState));
  return { me, client, engine, state, nextTry };
}

const ParleyContext = createContext<Parley>();

export const ParleyProvider = ParleyContext.Provider;

/** The client of the page; throws outside ParleyProvider. */
export function useParley(): Parley {
  const parley = useContext(ParleyContext);
  if (!parley) throw new Error("This component has to be below ParleyProvider");
  return parley;
}
