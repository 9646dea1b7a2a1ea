import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { beside, type Finding, right, wrong } from "../check.ts";
import { type Examination, isOwnMachine } from "../examination.ts";
import { claims } from "../probes/cards.ts";
import { endedTask, message } from "../probes/talk.ts";
import { ask, told, type Way } from "../probes/way.ts";
import { type About, checksOf, type UnlistedCheck, wayCheck } from "./define.ts";

/** An address that no webhook should lead to: cloud providers keep credentials there. */
const PRIVATE = "http://169.254.169.254/parley-doctor";

const TOKEN = "doctors-token";
/** Milliseconds in which a webhook is called, or followed. */
const CALLED_BACK = 1_000;

/** Webhooks, where they are claimed. */
export const pushChecks = checksOf("Webhooks", [
  pushCheck(
    {
      id: "push-configs",
      title: "Webhooks can be set, read, listed and deleted",
      clause: "A2A 1.0 §3.1.7–10; 0.3 §7.5–8",
      severity: "must",
      meaning: "The card claims webhooks that a client cannot set.",
      remedy: "Serve all four operations; deleting is idempotent.",
    },
    async (examination, way, taskId) => {
      const url = new URL("/parley-doctor-webhook", examination.options.url).href;
      const created = await ask(examination, way, {
        operation: "createPush",
        request: { taskId, url, id: "doctor" },
      });
      const evidence = [created.exchange.evidence];
      if (created.error?.kind === "InvalidParams")
        return beside(`It takes no webhook to ${url}: ${told(created)}`, evidence);
      if (!created.value) return wrong(`create: ${told(created)}`, evidence);
      const id = created.value.id ?? "doctor";
      const got = await ask(examination, way, { operation: "getPush", request: { taskId, id } });
      if (got.value?.url !== url) return wrong(`get: ${told(got)}`, [got.exchange.evidence]);
      if (way.endpoint.dialect === "0.1") return right("set and get");
      const listed = await ask(examination, way, { operation: "listPush", request: { taskId } });
      if (!listed.value?.configs.some((config) => config.url === url))
        return wrong(`list: ${told(listed)}`, [listed.exchange.evidence]);
      for (const which of ["delete", "delete again"]) {
        const deleted = await ask(examination, way, { operation: "deletePush", request: { taskId, id } });
        const problem = deleted.error ?? deleted.problem;
        if (problem)
          return wrong(
            `${which}: ${told(deleted)}`,
            [deleted.exchange.evidence],
            which === "delete" ? "must" : "should",
          );
      }
      return right("create, get, list, delete, delete again");
    },
  ),
  pushCheck(
    {
      id: "push-private-address",
      title: "A webhook to a private address is refused",
      clause: "A2A 1.0 §13.2; protocol.md, defect “webhook to a loopback address”",
      severity: "should",
      meaning: "Any caller can make the agent call machines of its own network (SSRF).",
      remedy: "Check each webhook's address when it is set and again when it is called.",
    },
    async (examination, way, taskId) => {
      const created = await ask(examination, way, {
        operation: "createPush",
        request: { taskId, url: PRIVATE, id: "doctor-private" },
      });
      if (!created.value) return right(told(created));
      if (way.endpoint.dialect !== "0.1")
        await ask(examination, way, {
          operation: "deletePush",
          request: { taskId, id: created.value.id ?? "doctor-private" },
        });
      return wrong(`It takes ${PRIVATE}`, [created.exchange.evidence]);
    },
  ),
  pushCheck(
    {
      id: "push-redirect",
      title: "A webhook follows no redirect, and takes its token nowhere else",
      clause: "A2A 1.0 §13.2; protocol.md, defect “then a 307 to another host”",
      severity: "should",
      meaning: "Whoever answers a webhook decides where the agent calls next, token included.",
      remedy: "Do not follow redirects when calling webhooks.",
    },
    (examination, way) => redirected(examination, way),
  ),
]);

function pushCheck(
  about: About,
  judge: (examination: Examination, way: Way, taskId: string) => Promise<Finding>,
): UnlistedCheck {
  return wayCheck(about, async (examination, way) => {
    if (!(await claims(examination)).pushNotifications) return beside("The card does not claim webhooks");
    // On a task that has ended nothing happens any more: no webhook is called.
    const taskId = await endedTask(examination, way);
    return taskId === undefined ? beside("It made no task that has ended") : judge(examination, way, taskId);
  });
}

/** Only on this machine can the doctor be called back. */
async function redirected(examination: Examination, way: Way): Promise<Finding> {
  if (!isOwnMachine(examination.options.url))
    return beside("The agent is on another machine, which cannot call back");
  if (way.endpoint.dialect === "0.1") return beside("v0.1 sets webhooks only afterwards");
  const listener = await redirectingListener();
  try {
    const configuration = { taskPushNotificationConfig: { url: listener.url, token: TOKEN } };
    const request = { ...message(examination, way), configuration };
    const answer = await ask(examination, way, { operation: "send", request });
    if (!answer.value)
      return answer.error ? right(`It takes no such webhook: ${told(answer)}`) : beside(told(answer));
    if (!(await within(CALLED_BACK, listener.first))) return beside("It called no webhook in time");
    const followed = await within(CALLED_BACK, listener.second);
    if (!followed) return right("It was called, and not followed elsewhere");
    const isTaken = JSON.stringify(followed.headers).includes(TOKEN);
    return wrong(`It follows a 307${isTaken ? " and takes the token along" : ""}`, [
      answer.exchange.evidence,
    ]);
  } finally {
    listener.stop();
  }
}

/** A webhook that sends its callers on to a second place; each resolves with the first call that it gets. */
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
