import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { beside, type Check, type Finding, right, wrong } from "../check.ts";
import { type Examination, isOwnMachine } from "../examination.ts";
import { claims } from "../probes/cards.ts";
import { endedTask, message } from "../probes/talk.ts";
import { ask, told, type Way } from "../probes/way.ts";
import { mainWays } from "../probes/ways.ts";
import { type About, wayCheck } from "./define.ts";

/** An address that no webhook should lead to: cloud providers keep credentials there. */
const PRIVATE = "http://169.254.169.254/parley-doctor";

/** Webhooks, where they are claimed. */
export const pushChecks: readonly Check[] = [
  pushCheck(
    {
      id: "push-configs",
      topic: "Webhooks",
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
      topic: "Webhooks",
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
      topic: "Webhooks",
      title: "A webhook follows no redirect, and takes its token nowhere else",
      clause: "A2A 1.0 §13.2; protocol.md, defect “then a 307 to another host”",
      severity: "should",
      meaning: "Whoever answers a webhook decides where the agent calls next, token included.",
      remedy: "Do not follow redirects when calling webhooks.",
    },
    (examination, way) => redirected(examination, way),
  ),
];

function pushCheck(
  about: About,
  judge: (examination: Examination, way: Way, taskId: string) => Promise<Finding>,
): Check {
  return wayCheck(
    about,
    async (examination, way) => {
      if (!(await claims(examination)).pushNotifications) return beside("The card does not claim webhooks");
      // On a task that has ended nothing happens any more: no webhook is called.
      const taskId = await endedTask(examination, way);
      return taskId === undefined
        ? beside("It made no task that has ended")
        : judge(examination, way, taskId);
    },
    mainWays,
  );
}

/** Only on this machine can the doctor be called back. */
async function redirected(examination: Examination, way: Way): Promise<Finding> {
  if (!isOwnMachine(examination.options.url))
    return beside("The agent is on another machine, which cannot call back");
  if (way.endpoint.dialect === "0.1") return beside("v0.1 sets webhooks only afterwards");
  const calls: { readonly path: string; readonly hasToken: boolean }[] = [];
  let isCalled = () => {};
  const called = new Promise<void>((resolve) => (isCalled = resolve));
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const hasToken = JSON.stringify(request.headers).includes("doctor-token");
    calls.push({ path: request.url ?? "", hasToken });
    request.resume();
    if (request.url === "/first") response.writeHead(307, { location: "/second" }).end();
    else response.writeHead(200).end();
    isCalled();
  }).listen(0, "127.0.0.1");
  try {
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/first`;
    const configuration = { taskPushNotificationConfig: { url, token: "doctor-token" } };
    const request = { ...message(examination, way), configuration };
    const answer = await ask(examination, way, { operation: "send", request });
    if (!answer.value)
      return answer.error ? right(`It takes no such webhook: ${told(answer)}`) : beside(told(answer));
    const patience = AbortSignal.timeout(1_500);
    await Promise.race([called, once(patience, "abort")]);
    if (calls.length === 0) return beside("It called no webhook within 1.5 s");
    // Who follows does so at once.
    await once(AbortSignal.timeout(300), "abort");
    const followed = calls.find(({ path }) => path === "/second");
    if (!followed) return right("It was called, and not followed elsewhere");
    return wrong(`It follows a 307${followed.hasToken ? " and takes the token along" : ""}`, [
      answer.exchange.evidence,
    ]);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}
