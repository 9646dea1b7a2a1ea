import { describe, expect, it } from "vitest";
import { LoginRefusedError, ProviderUnavailableError } from "../identity-errors.ts";
import { aborted, discardLog, JOURNAL_STORAGES, peopleNodes } from "../testing/people-nodes.ts";
import { Logins } from "./logins.ts";

const HOUR = 3_600_000;

/** A provider that rotates refresh tokens: each is good once. */
class RotatingProvider {
  current = "first";
  asked = 0;
  state: "there" | "away" | "refusing" = "there";

  async refresh(token: string) {
    this.asked++;
    if (this.state === "away") throw new ProviderUnavailableError("login.example", undefined);
    if (this.state === "refusing" || token !== this.current) throw new LoginRefusedError("invalid_grant");
    this.current = `${this.asked}th`;
    return { refreshToken: this.current, expiresInSeconds: 3_600 };
  }
}

describe.each(JOURNAL_STORAGES)("Logins on %s", (storage) => {
  async function opened() {
    const nodes = await peopleNodes(storage);
    const provider = new RotatingProvider();
    const clock = { now: Date.now() };
    const logins = nodes.map(
      (node) => new Logins({ ...node, provider, log: discardLog, now: () => clock.now }),
    );
    const [here] = logins;
    const [node] = nodes;
    if (!here) throw new Error("There is no node");
    return { here, there: logins.at(-1) ?? here, node, provider, clock, all: logins };
  }

  it("are valid on every node for the cookie's secret, which the journal does not contain", async () => {
    const { here, there, node } = await opened();
    const { cookie } = await here.begin("usr_a", { refreshToken: "canary-token", expiresInSeconds: 600 });
    const [id, secret = ""] = cookie.split(".");
    expect(await there.find(cookie)).toMatchObject({ id, userId: "usr_a" });
    for (const wrong of ["", ".", "none.none", `${id}.`, `${id}.${secret.slice(1)}x`, `${id}.${secret}x`])
      expect(await there.find(wrong)).toBeUndefined();
    const recorded = JSON.stringify(await node.journal.read(`login/${id}`, 0));
    expect(recorded).not.toContain(secret);
    expect(recorded).not.toContain("canary-token");
  });

  it("are confirmed by the provider once when due, however many requests on however many nodes", async () => {
    const { here, there, clock, provider, all } = await opened();
    const { cookie } = await here.begin("usr_a", { refreshToken: "first", expiresInSeconds: 3_600 });
    clock.now += HOUR + 1;
    const found = await Promise.all([...all, ...all, ...all].map((logins) => logins.find(cookie)));
    expect(found.map((login) => login?.userId)).toEqual(found.map(() => "usr_a"));
    expect(provider.asked).toBe(1);
    clock.now += HOUR + 1;
    expect(await there.find(cookie)).toBeDefined();
    expect(provider.asked).toBe(2);
  });

  it("stay valid while the provider is unavailable, and end when it refuses them", async () => {
    const { here, there, clock, provider, node } = await opened();
    const { cookie } = await here.begin("usr_a", { refreshToken: "first", expiresInSeconds: 3_600 });
    const login = await here.find(cookie);
    const ended = node.revocations.signal({ tags: [`login/${login?.id}`] });
    provider.state = "away";
    clock.now += HOUR + 1;
    expect(await here.find(cookie)).toBeDefined();
    expect(await there.find(cookie)).toBeDefined();
    expect(provider.asked).toBe(1);
    provider.state = "refusing";
    clock.now += HOUR;
    expect(await there.find(cookie)).toBeUndefined();
    expect(await here.find(cookie)).toBeUndefined();
    await aborted(ended);
  });

  it("end by expiry and by signing out, and upkeep removes them", async () => {
    const { here, there, clock } = await opened();
    const { cookie: short } = await here.begin("usr_a", { refreshToken: undefined, expiresInSeconds: 60 });
    const { cookie } = await here.begin("usr_a", { refreshToken: "first", expiresInSeconds: 3_600 });
    await there.end(cookie);
    expect(await here.find(cookie)).toBeUndefined();
    clock.now += 11 * HOUR;
    expect(await there.find(short)).toBeDefined();
    expect(await there.upkeep()).toBe(0);
    clock.now += 2 * HOUR;
    expect(await there.find(short)).toBeUndefined();
    expect(await there.upkeep()).toBe(1);
  });
});
