import { silentLog } from "@parley/a2a";
import { expect, it } from "vitest";
import { cookieIn, cookieName, LOGIN_COOKIE, setCookie } from "./cookies.ts";
import { LoginAuthenticator } from "./login-authenticator.ts";
import { Logins } from "./logins.ts";
import { peopleNodes, profile } from "./testing/people-nodes.ts";

it("over https a cookie is this very host's, and sent by nothing else", () => {
  const kept = { seconds: 60, sameSite: "Strict", isSecure: true } as const;
  expect(setCookie("x", "1", kept)).toBe("__Host-x=1; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure");
  expect(setCookie("x", "1", { ...kept, isSecure: false })).toBe(
    "x=1; Path=/; Max-Age=60; HttpOnly; SameSite=Strict",
  );
  expect(setCookie("x", "", kept)).toContain("Max-Age=0");
  expect(cookieIn({ cookie: "__Host-x=2; x=1" }, "x")).toBe("1");
});

it("over https no login is taken from a cookie that another host of the domain could have planted", async () => {
  const [node] = await peopleNodes("memory");
  const provider = { refresh: () => Promise.reject(new Error("nobody asks")) };
  const logins = new Logins({ ...node, provider, log: silentLog });
  const ann = await node.people.known(profile("ann"));
  const { cookie } = await logins.begin(ann.id, { refreshToken: undefined, expiresInSeconds: 60 });
  const by = new LoginAuthenticator(node, logins, "https://parley.example");
  const asked = (name: string) =>
    by.identify({ method: "GET", url: "/", headers: { cookie: `${name}=${cookie}` } });
  expect(await asked(cookieName(LOGIN_COOKIE, true))).toMatchObject({ owner: ann.id, isLogin: true });
  expect(await asked(LOGIN_COOKIE)).toBeUndefined();
});
