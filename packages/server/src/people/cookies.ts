import type { IncomingHttpHeaders } from "node:http";

/** The cookie of a login. */
export const LOGIN_COOKIE = "parley_login";
/** The cookie with the workspace that was chosen last. */
export const WORKSPACE_COOKIE = "parley_workspace";

/**
 * What a cookie is called: over https its name has a beginning with which browsers take it from this very host alone, so
 * that no other host of the same domain can plant one.
 */
export function cookieName(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}

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
  readonly seconds: number;
  /** Lax: it comes along when another site's page leads here, as a provider's does. */
  readonly sameSite: "Strict" | "Lax";
  readonly isSecure: boolean;
}

/** The header that sets a cookie of this host which no script can read; without a value it is removed. */
export function setCookie(name: string, value: string, options: CookieOptions): string {
  const { seconds, sameSite, isSecure } = options;
  const kept = `Path=/; Max-Age=${value === "" ? 0 : Math.floor(seconds)}; HttpOnly; SameSite=${sameSite}`;
  return `${cookieName(name, isSecure)}=${value}; ${kept}${isSecure ? "; Secure" : ""}`;
}
