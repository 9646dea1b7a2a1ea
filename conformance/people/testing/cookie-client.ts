/** An answer of the API. */
export interface ApiAnswer {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests say what they expect
  readonly json: any;
}

/** A client that keeps cookies by origin and follows no redirect by itself: as much of a browser as a login needs. */
export class CookieClient {
  readonly #jar = new Map<string, Map<string, string>>();

  /** The cookies for an address, as a header. */
  cookies(url: string): string {
    const kept = this.#jar.get(new URL(url).origin) ?? new Map<string, string>();
    return [...kept].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  async ask(url: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    const cookie = this.cookies(url);
    if (cookie) headers.set("Cookie", cookie);
    const answer = await fetch(url, { ...init, headers, redirect: "manual" });
    const kept = this.#jar.get(new URL(url).origin) ?? new Map<string, string>();
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "") kept.delete(name);
      else kept.set(name, value);
    }
    this.#jar.set(new URL(url).origin, kept);
    return answer;
  }

  /** Calls the API like a Parley page and reads the whole response. */
  async api(parley: string, method: string, path: string, body?: unknown, headers = {}): Promise<ApiAnswer> {
    const answer = await this.ask(`${parley}/api/v1${path}`, {
      ...{ method, ...(body !== undefined && { body: JSON.stringify(body) }) },
      headers: {
        Origin: parley,
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...headers,
      },
    });
    const text = await answer.text();
    const isJson = text !== "" && /json$/.test(answer.headers.get("content-type") ?? "");
    return { status: answer.status, text, json: isJson ? JSON.parse(text) : undefined };
  }

  /** Follows redirects until there is a page, or until the next address is one to stop at. */
  async follow(url: string, { until }: { until?: string } = {}): Promise<{ url: string; answer: Response }> {
    for (let at = url; ; ) {
      const answer = await this.ask(at);
      const next = answer.headers.get("location");
      if (next === null) return { url: at, answer };
      at = new URL(next, at).href;
      if (until !== undefined && at.startsWith(until)) return { url: at, answer };
    }
  }

  /** Signs in at the provider's own forms; gives the address at Parley to which the browser is sent back. */
  async callbackOf(parley: string, name: string, to = "/s/"): Promise<string> {
    const back = `${parley}/auth/callback`;
    let page = await this.follow(`${parley}/auth/login?to=${encodeURIComponent(to)}`, { until: back });
    while (!page.url.startsWith(back)) {
      const html = await page.answer.text();
      const [, action = ""] = /<form[^>]* action="([^"]+)"/.exec(html) ?? [];
      const prompt = html.includes('value="login"') ? "login" : "consent";
      const body = new URLSearchParams({ prompt, login: name, password: "any" });
      const posted = await this.ask(action, { method: "POST", body });
      const next = new URL(posted.headers.get("location") ?? "", action).href;
      page = next.startsWith(back) ? { url: next, answer: posted } : await this.follow(next, { until: back });
    }
    return page.url;
  }

  /** Signs in; returns Parley's last response. */
  async signIn(parley: string, name: string, to?: string): Promise<Response> {
    return this.ask(await this.callbackOf(parley, name, to));
  }
}
