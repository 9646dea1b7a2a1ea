import type { Me } from "@parley/client";
import { BASE_PATH } from "../app/base-path.ts";

const KEPT_AS = "parley-who";
const KEY = "parley-key";
const CHANNEL = "parley-who";
const TIMEOUT_MS = 5_000;

/** A signed-in user, as the server reports, or as it last reported while it is unreachable. */
export interface Known {
  readonly me: Me;
  readonly isConfirmed: boolean;
}

/** The user of the page; nobody if the server requires a login that is missing, or is unreachable and will require one. */
export type Who = Known | { readonly reason: string } | { readonly isAway: true };

const NOBODY = JSON.stringify("nobody");

/** The user of a server without logins. */
const LOCAL: Me = {
  user: { id: "local", name: "local" },
  workspace: { id: "default", name: "default", role: "owner" },
  workspaces: [],
  isLogin: false,
};

/** Asks the server; while it is unreachable, the last known user is returned. */
export async function whoAmI(): Promise<Who> {
  try {
    const answer = await askMe();
    if (answer.status === 401) {
      forgetWho();
      const { detail } = (await answer.json()) as { readonly detail?: string };
      return { reason: detail ?? "" };
    }
    if (answer.ok) {
      const me = (await answer.json()) as Me;
      localStorage.setItem(KEPT_AS, JSON.stringify(me));
      return { me, isConfirmed: true };
    }
  } catch {
    // The server is unreachable, or its response was cut off.
  }
  // A signed-out user must not become the local user of a server without logins: their messages would have no owner.
  if (localStorage.getItem(KEPT_AS) === NOBODY) return { isAway: true };
  return { me: lastKnown(), isConfirmed: false };
}

/** Whether the server still takes this page's user for who they are, in their workspace; throws where it does not say. */
export async function isStillMe(me: Me): Promise<boolean> {
  if (isLeaving) return true;
  const answer = await askMe(headersOf(me));
  if (answer.status === 401 || answer.status === 404) return false;
  if (!answer.ok) throw new Error(`The server answered ${answer.status}`);
  return ((await answer.json()) as Me).user.id === me.user.id;
}

/** The ways to sign in that a server has. */
export interface Ways {
  readonly provider: { readonly host: string } | null;
}

/** Asks the server; throws while it is away. */
export async function waysToSignIn(): Promise<Ways> {
  return (await fetch(`${BASE_PATH}/auth/ways`)).json();
}

/** Whether the server is reachable: it answers with the user or asks for a login. */
export async function isThere(): Promise<boolean> {
  const { status } = await askMe().catch(() => ({ status: 0 }));
  return status === 200 || status === 401;
}

/** The headers that identify the user: a key, or the workspace they are signed in to. */
export function headersOf(me?: Me): Record<string, string> {
  const key = sessionStorage.getItem(KEY);
  return {
    ...(key !== null && { Authorization: `Bearer ${key}` }),
    ...(me?.isLogin && { "X-Workspace": me.workspace.id }),
  };
}

/** The storage name for a user in a workspace: its data is never shown to another user. */
export function cacheName({ user, workspace }: Me): string {
  const isLocal = user.id === LOCAL.user.id && workspace.id === LOCAL.workspace.id;
  return isLocal ? "parley" : `parley/${user.id}/${workspace.id}`;
}

/** Whether there are users to distinguish. */
export function isSomebody({ user, workspaces }: Me): boolean {
  return user.id !== LOCAL.user.id || workspaces.length > 1 || sessionStorage.getItem(KEY) !== null;
}

/** Signs in with a key while this tab is open; returns whether the server accepts it. */
export async function useKey(key: string): Promise<"taken" | "refused" | "away"> {
  const before = sessionStorage.getItem(KEY);
  sessionStorage.setItem(KEY, key);
  const status = await askMe().then(
    (answer) => answer.status,
    () => 0,
  );
  if (status === 200) return "taken";
  if (before === null) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, before);
  return status === 401 || status === 403 ? "refused" : "away";
}

/** While signing out, a refused request is expected. */
let isLeaving = false;

/** Signs out; throws if the server could not be reached. */
export async function signOut(me: Me): Promise<void> {
  isLeaving = true;
  if (me.isLogin) {
    const answer = await fetch(`${BASE_PATH}/auth/logout`, { method: "POST" });
    isLeaving = answer.ok;
    if (!answer.ok) throw new Error(String(answer.status));
  }
  sessionStorage.removeItem(KEY);
  forgetWho();
}

/** Announces the user to the other tabs, and calls the listener when another tab has a different user. */
export function onOtherUser(me: Me, listener: () => void): void {
  // A key is this tab's alone.
  if (sessionStorage.getItem(KEY) !== null) return;
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener("message", ({ data }) => data !== me.user.id && listener());
  channel.postMessage(me.user.id);
}

function forgetWho(): void {
  localStorage.setItem(KEPT_AS, NOBODY);
}

function lastKnown(): Me {
  try {
    return (JSON.parse(localStorage.getItem(KEPT_AS) ?? "null") as Me | null) ?? LOCAL;
  } catch {
    return LOCAL;
  }
}

function askMe(headers = headersOf()): Promise<Response> {
  return fetch(`${BASE_PATH}/api/v1/me`, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
}
