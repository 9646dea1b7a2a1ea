import type { IncomingHttpHeaders } from "node:http";

/** The cookie of a login. */
export const LOGIN_COOKIE = "parley_login";
/** The cookie with the workspace that was chosen last. */
export const WORKSPACE_COOKIE = "parley_workspace";

/** The value of a cookie; undefined: it was not sent. */
export function cookieIn({ cookie = "" }: IncomingHttpHeaders, name: string): string | undefined {
  for (const part of cookie.split(";")) {
    const [key, ...value] = part.trim().split("=");
    if (key === name) return value.join("=");
  }
  return undefined;
}

/** How a cookie is to be kept. */
export interface CookieOptions {
  readonly path: string;
  readonly seconds: number;
  /** Lax: it comes along when another site's page leads here, as a provider's does. */
  readonly sameSite: "Strict" | "Lax";
  readonly isSecure: boolean;
}

/** The header that sets a cookie which no script can read; without a value it is removed. */
export function setCookie(name: string, value: string, options: CookieOptions): string {
  const { path, seconds, sameSite, isSecure } = options;
  const kept = `Path=${path}; Max-Age=${value === "" ? 0 : Math.floor(seconds)}; HttpOnly; SameSite=${sameSite}`;
  return `${name}=${value}; ${kept}${isSecure ? "; Secure" : ""}`;
}
