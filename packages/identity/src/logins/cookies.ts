import type { IncomingHttpHeaders } from "node:http";

export const LOGIN_COOKIE = "parley_login";
/** Holds the workspace that was chosen last. */
export const WORKSPACE_COOKIE = "parley_workspace";

/**
 * The name of a cookie. Over https it has the prefix `__Host-`: browsers accept such a cookie from this host only, so
 * no other host of the domain can plant one.
 */
export function cookieName(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}

/** The value of a cookie; undefined where it was not sent. */
export function readCookie({ cookie = "" }: IncomingHttpHeaders, name: string): string | undefined {
  for (const part of cookie.split(";")) {
    const [key, ...value] = part.trim().split("=");
    if (key === name) return value.join("=");
  }
  return undefined;
}

export interface CookieOptions {
  readonly seconds: number;
  /** Lax: also sent when another site, such as the provider, redirects here. */
  readonly sameSite: "Strict" | "Lax";
  readonly isSecure: boolean;
}

/** The `Set-Cookie` header of an HttpOnly cookie; without a value, the cookie is removed. */
export function cookieHeader(name: string, value: string, options: CookieOptions): string {
  const { seconds, sameSite, isSecure } = options;
  const kept = `Path=/; Max-Age=${value === "" ? 0 : Math.floor(seconds)}; HttpOnly; SameSite=${sameSite}`;
  return `${cookieName(name, isSecure)}=${value}; ${kept}${isSecure ? "; Secure" : ""}`;
}
