import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { demoApplications, demoResources } from "./demo-applications.ts";

const MAX_BODY_BYTES = 65_536;

const version = {
  Version: "v3.1.8+becb020",
  BuildDate: "2025-09-30T15:33:46Z",
  GitCommit: "becb020064fe9be5381bf6e5818ff8587ca8f377",
  GitTreeState: "clean",
  GoVersion: "go1.24.6",
  Compiler: "gc",
  Platform: "linux/amd64",
  KustomizeVersion: "v5.7.0",
  HelmVersion: "v3.18.4",
  KubectlVersion: "v0.33.1",
  JsonnetVersion: "v0.21.0",
};

/** A demo Argo CD with a few invented applications, on loopback until `stop`. */
export interface DemoApi {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts the demo; a sync takes effect for the life of the process. */
export async function startDemoApi(): Promise<DemoApi> {
  const applications = demoApplications();
  const server = createServer((request, response) => {
    void answer(request, applications)
      .catch(() => refuse(400, 3, "the request cannot be read"))
      .then(([status, body]) => send(response, status, body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

type Applications = ReturnType<typeof demoApplications>;

async function answer(request: IncomingMessage, applications: Applications): Promise<[number, unknown]> {
  const url = new URL(request.url ?? "/", "http://demo");
  const body = await readBody(request);
  if (body === undefined) return refuse(413, 8, "the body is too large or not JSON");
  if (request.method === "GET" && url.pathname === "/api/version") return [200, version];
  const path = /^\/api\/v1\/applications(?:\/([^/]+))?(?:\/([^/]+))?$/.exec(url.pathname);
  if (path === null) return refuse(404, 5, "Not Found");
  const [, name, action = ""] = path;
  if (name === undefined) {
    const projects = url.searchParams.getAll("projects");
    const items = applications.filter(({ spec }) => projects.length === 0 || projects.includes(spec.project));
    return request.method === "GET" ? [200, { metadata: {}, items }] : refuse(405, 12, "Method Not Allowed");
  }
  const application = applications.find(({ metadata }) => metadata.name === decodeURIComponent(name));
  if (!application) return refuse(404, 5, `applications.argoproj.io "${decodeURIComponent(name)}" not found`);
  switch (`${request.method} ${action}`) {
    case "GET ":
      return [200, application];
    case "GET managed-resources":
      return [200, { items: demoResources(application) }];
    case "POST sync":
      if (body.dryRun !== true) synchronise(application);
      return [200, application];
    default:
      return refuse(404, 5, "Not Found");
  }
}

function synchronise(application: Applications[number]): void {
  const { status } = application;
  status.sync = { ...status.sync, status: "Synced" };
  status.health = { status: "Healthy" };
  status.operationState = { phase: "Succeeded", message: "successfully synced (all tasks run)" };
  for (const resource of status.resources) {
    resource.status = "Synced";
    resource.health = { status: "Healthy" };
  }
}

/** Errors in the form of Argo CD's gateway. */
function refuse(status: number, code: number, message: string): [number, unknown] {
  return [status, { error: message, code, message }];
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown> | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk as Buffer);
  }
  try {
    return size === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
