import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import {
  checksOf,
  type Finding,
  fail,
  type InterfaceCheck,
  interfaceCheck,
  pass,
  skip,
  type UnlistedCheck,
} from "../check.ts";
import { isOwnMachine } from "../examination.ts";
import { endedTaskId, testMessage } from "../probes/conversation.ts";
import { answerText, type InterfaceProbe } from "../probes/interface-probe.ts";

/** Cloud providers serve credentials at this address, so no webhook should lead there. */
const PRIVATE_URL = "http://169.254.169.254/parley-doctor";
const TOKEN = "doctors-token";
/** How long the doctor waits for a webhook to be called, and for a redirect to be followed. */
const WAIT_MS = 1_000;

/** Checks of webhooks. */
export const pushChecks = checksOf("Webhooks", [
  pushCheck(
    {
      id: "push-configs",
      title: "Webhooks can be created, read, listed and deleted",
      clause: "A2A 1.0 §3.1.7–10; 0.3 §7.5–8",
      severity: "must",
      meaning: "The card claims webhooks that a client cannot set.",
      remedy: "Serve all four operations; deleting is idempotent.",
    },
    async (probe, taskId) => {
      const url = new URL("/parley-doctor-webhook", probe.examination.options.url).href;
      const created = await probe.ask("createPush", { taskId, url, id: "doctor" });
      const evidence = [created.exchange.evidence];
      if (created.error?.kind === "InvalidParams")
        return skip(`A webhook to ${url} is rejected: ${answerText(created)}`, evidence);
      if (!created.value) return fail(`create: ${answerText(created)}`, evidence);
      const id = created.value.id ?? "doctor";
      const got = await probe.ask("getPush", { taskId, id });
      if (got.value?.url !== url) return fail(`get: ${answerText(got)}`, [got.exchange.evidence]);
      if (probe.dialect === "0.1") return pass("set and get");
      const listed = await probe.ask("listPush", { taskId });
      if (!listed.value?.configs.some((config) => config.url === url))
        return fail(`list: ${answerText(listed)}`, [listed.exchange.evidence]);
      for (const [step, severity] of [
        ["delete", "must"],
        ["delete again", "should"],
      ] as const) {
        const deleted = await probe.ask("deletePush", { taskId, id });
        if (deleted.error ?? deleted.problem)
          return fail(`${step}: ${answerText(deleted)}`, [deleted.exchange.evidence], severity);
      }
      return pass("create, get, list, delete, delete again");
    },
  ),
  pushCheck(
    {
      id: "push-private-address",
      title: "A webhook to a private address is rejected",
      clause: "A2A 1.0 §13.2; protocol.md, defect “webhook to a loopback address”",
      severity: "should",
      meaning: "Any caller can make the agent call hosts in its own network (SSRF).",
      remedy: "Check a webhook's address when it is set, and again when it is called.",
    },
    async (probe, taskId) => {
      const created = await probe.ask("createPush", { taskId, url: PRIVATE_URL, id: "doctor-private" });
      if (!created.value) return pass(answerText(created));
      const { id = "doctor-private" } = created.value;
      if (probe.dialect !== "0.1") await probe.ask("deletePush", { taskId, id });
      return fail(`${PRIVATE_URL} is accepted`, [created.exchange.evidence]);
    },
  ),
  pushCheck(
    {
      id: "push-redirect",
      title: "Webhook calls do not follow redirects or pass on their token",
      clause: "A2A 1.0 §13.2; protocol.md, defect “then a 307 to another host”",
      severity: "should",
      meaning: "The receiver of a webhook decides where the agent calls next, token included.",
      remedy: "Do not follow redirects when calling webhooks.",
    },
    followsRedirect,
  ),
]);

function pushCheck(
  texts: InterfaceCheck,
  judge: (probe: InterfaceProbe, taskId: string) => Promise<Finding>,
): UnlistedCheck {
  return interfaceCheck({ ...texts, capability: "pushNotifications" }, async (probe) => {
    // Nothing happens on a task that has ended, so no webhook is called.
    const taskId = await endedTaskId(probe);
    return taskId === undefined ? skip("The agent made no task that has ended") : judge(probe, taskId);
  });
}

/** Only an agent on this machine can call the doctor back. */
async function followsRedirect(probe: InterfaceProbe): Promise<Finding> {
  if (!isOwnMachine(probe.examination.options.url))
    return skip("The agent is on another machine, which cannot call back");
  if (probe.dialect === "0.1") return skip("v0.1 cannot set a webhook with a message");
  const listener = await redirectingListener();
  try {
    const configuration = { taskPushNotificationConfig: { url: listener.url, token: TOKEN } };
    const answer = await probe.ask("send", { ...testMessage(probe), configuration });
    if (!answer.value)
      return answer.error ? pass(`The webhook is rejected: ${answerText(answer)}`) : skip(answerText(answer));
    if (!(await within(WAIT_MS, listener.first))) return skip("No webhook was called in time");
    const followed = await within(WAIT_MS, listener.second);
    if (!followed) return pass("The webhook was called, and its redirect was not followed");
    const isTokenSent = JSON.stringify(followed.headers).includes(TOKEN);
    return fail(`A 307 is followed${isTokenSent ? " with the token" : ""}`, [answer.exchange.evidence]);
  } finally {
    listener.stop();
  }
}

/** A webhook that redirects to a second path; each promise resolves with the first call of its path. */
async function redirectingListener() {
  const [first, second] = [
    Promise.withResolvers<IncomingMessage>(),
    Promise.withResolvers<IncomingMessage>(),
  ];
  const server = createServer((request, response) => {
    request.resume();
    const isFirst = request.url === "/first";
    (isFirst ? first : second).resolve(request);
    response.writeHead(isFirst ? 307 : 200, isFirst ? { location: "/second" } : {}).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/first`;
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url, first: first.promise, second: second.promise, stop };
}

function within<T>(milliseconds: number, promise: Promise<T>): Promise<T | undefined> {
  return Promise.race([promise, sleep(milliseconds, undefined)]);
}
