import type { IncomingMessage } from "node:http";
import type { html } from "hono/html";

/** Where log lines go; pino's loggers are such. */
export interface IdentityLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** Sends requests to the identity provider; it decides which addresses may be reached. */
export type ProviderFetch = (url: string, init: RequestInit) => Promise<Response>;

type Html = ReturnType<typeof html>;

/** What the listeners of this package need to know of the port that they are served on. */
export interface HttpEdge {
  /** The path below which others see the platform; "" where that is the root. */
  readonly basePath: string;
  /** Sent with every response. */
  readonly securityHeaders: Readonly<Record<string, string>>;
  /** The client address of a request; behind a trusted proxy, that of the proxy's client. */
  addressOf(request: IncomingMessage): string;
  /** The addresses that one client may have: a single IPv4 address, or an IPv6 network. */
  networkOf(address: string): string;
  /** A whole page around this body. */
  page(title: string, stylesheet: string, body: Html): Html;
}
