import { expect, it } from "vitest";
import { discardLog, peopleNodes, profile } from "../testing/people-nodes.ts";
import { cookieHeader, cookieName, LOGIN_COOKIE, readCookie } from "./cookies.ts";
import { loginAuthenticator } from "./login-authenticator.ts";
import { Logins } from "./logins.ts";

it("cookieHeader binds a cookie to this host over https", () => {
  const kept = { seconds: 60, sameSite: "Strict", isSecure: true } as const;
  expect(cookieHeader("x", "1", kept)).toBe(
    "__Host-x=1; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure",
  );
  expect(cookieHeader("x", "1", { ...kept, isSecure: false })).toBe(
    "x=1; Path=/; Max-Age=60; HttpOnly; SameSite=Strict",
  );
  expect(cookieHeader("x", "", kept)).toContain("Max-Age=0");
  expect(readCookie({ cookie: "__Host-x=2; x=1" }, "x")).toBe("1");
});

it("loginAuthenticator ignores, over https, a cookie that another host of the domain could have planted", async () => {
  const [node] = await peopleNodes("memory");
  const provider = { refresh: () => Promise.reject(new Error("nobody asks")) };
  const logins = new Logins({ ...node, provider, log: discardLog });
  const ann = await node.people.ensureUser(profile("ann"));
  const { cookie } = await logins.begin(ann.id, { refreshToken: undefined, expiresInSeconds: 60 });
  const by = loginAuthenticator(node, logins, "https://parley.example");
  const asked = (name: string) => by({ method: "GET", url: "/", headers: { cookie: `${name}=${cookie}` } });
  expect(await asked(cookieName(LOGIN_COOKIE, true))).toMatchObject({ owner: ann.id, isLogin: true });
  expect(await asked(LOGIN_COOKIE)).toBeUndefined();
});
