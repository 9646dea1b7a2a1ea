import { type CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { answer, orFailure, readsOnly } from "../tool-answer.ts";
import { applicationDiff } from "./application-diff.ts";
import type { Application, ArgocdApi } from "./argocd-api.ts";

/** The set of tools of a server, after Argo CD's own two services. */
export type Service = "version" | "application" | "all";

const name = z.string().min(1).max(253).describe("The application's name, like guestbook.");
const summary = z.object({
  name: z.string(),
  project: z.string(),
  sync: z.string(),
  health: z.string(),
  revision: z.string(),
  repository: z.string(),
  destination: z.string(),
});
const demo = z.boolean().describe("Whether this comes from made-up demo data.");

/** Creates a server with Argo CD tools; answers of the demo are marked as such in text and data. */
export function argocdServer(api: ArgocdApi, service: Service, isDemo: boolean): McpServer {
  const server = new McpServer({ name: "argocd", version: "1.0.0" });
  const reply = (text: string, data: Record<string, unknown>): CallToolResult =>
    answer(isDemo ? `${text}\n(Demo data: ARGOCD_BASE_URL is not set.)` : text, { ...data, demo: isDemo });
  if (service !== "application") addVersionTool(server, api, reply);
  if (service !== "version") addApplicationTools(server, api, reply);
  return server;
}

type Reply = (text: string, data: Record<string, unknown>) => CallToolResult;

function addVersionTool(server: McpServer, api: ArgocdApi, reply: Reply): void {
  server.registerTool(
    "version",
    {
      title: "Argo CD version",
      description:
        "Shows the version of the Argo CD server, with its build date, Git commit and component versions.",
      inputSchema: z.object({}),
      outputSchema: z.object({ version: z.record(z.string(), z.unknown()), demo }),
      annotations: readsOnly,
    },
    (_, { mcpReq }) =>
      orFailure(async () => {
        const version = await api.version(mcpReq.signal);
        const details = Object.entries(version).map(([key, value]) => `- ${key}: ${String(value)}`);
        return reply(`Argo CD ${version.Version}\n${details.join("\n")}`, { version });
      }),
  );
}

function addApplicationTools(server: McpServer, api: ArgocdApi, reply: Reply): void {
  server.registerTool(
    "list",
    {
      title: "List applications",
      description:
        "Lists the Argo CD applications with their sync status, health, revision and destination; shows which are " +
        "out of sync or degraded.",
      inputSchema: z.object({
        project: z.string().optional().describe("Only applications of this Argo CD project."),
      }),
      outputSchema: z.object({ applications: z.array(summary), demo }),
      annotations: readsOnly,
    },
    ({ project }, { mcpReq }) =>
      orFailure(async () => {
        const applications = (await api.applications({ project }, mcpReq.signal)).map(summarised);
        const list = applications.map((it) => `- ${it.name} (${it.project}): ${it.sync}, ${it.health}`);
        return reply(list.join("\n") || "There are no applications.", { applications });
      }),
  );
  server.registerTool(
    "get",
    {
      title: "Show an application",
      description:
        "Shows one Argo CD application: its status, health, source repository, destination, last operation and resources.",
      inputSchema: z.object({ name }),
      outputSchema: z.object({
        application: summary,
        operation: z.string(),
        conditions: z.array(z.string()),
        resources: z.array(z.object({ resource: z.string(), sync: z.string(), health: z.string() })),
        demo,
      }),
      annotations: readsOnly,
    },
    ({ name }, { mcpReq }) =>
      orFailure(async () => {
        const found = await api.application(name, mcpReq.signal);
        const application = summarised(found);
        const { operationState, conditions = [], resources = [] } = found.status;
        const data = {
          application,
          operation: operationState ? `${operationState.phase}: ${operationState.message ?? ""}` : "none",
          conditions: conditions.map((it) => `${it.type}: ${it.message}`),
          resources: resources.map((it) => ({
            resource: [it.kind, it.namespace, it.name].filter(Boolean).join("/"),
            sync: it.status ?? "Unknown",
            health: it.health?.status ?? "Unknown",
          })),
        };
        const lines = [
          `${application.name} is ${application.sync} and ${application.health}.`,
          `Source: ${application.repository} at ${application.revision}`,
          `Destination: ${application.destination}`,
          `Last operation: ${data.operation}`,
          ...data.conditions.map((condition) => `Condition: ${condition}`),
          ...data.resources.map((it) => `- ${it.resource}: ${it.sync}, ${it.health}`),
        ];
        return reply(lines.join("\n"), data);
      }),
  );
  server.registerTool(
    "diff",
    {
      title: "Compare an application with Git",
      description:
        "Shows how the live state of an Argo CD application differs from what Git asks for: what a sync would change.",
      inputSchema: z.object({ name }),
      outputSchema: z.object({
        differences: z.array(
          z.object({
            resource: z.string(),
            change: z.enum(["create", "delete", "modify"]),
            fields: z.array(
              z.object({ path: z.string(), live: z.unknown().optional(), desired: z.unknown().optional() }),
            ),
          }),
        ),
        demo,
      }),
      annotations: readsOnly,
    },
    ({ name }, { mcpReq }) =>
      orFailure(async () => {
        const differences = applicationDiff(await api.managedResources(name, mcpReq.signal));
        const lines = differences.flatMap((it) => [
          `${it.change} ${it.resource}`,
          ...it.fields.map((field) => `  ${field.path}: ${json(field.live)} → ${json(field.desired)}`),
        ]);
        return reply(lines.join("\n") || `${name} is what Git asks for.`, { differences });
      }),
  );
  server.registerTool(
    "sync",
    {
      title: "Sync an application",
      description:
        "Deploys: makes the cluster match Git for one Argo CD application. This changes what runs. With dryRun it " +
        "only checks; with prune it also deletes resources that Git no longer has.",
      inputSchema: z.object({
        name,
        revision: z
          .string()
          .optional()
          .describe("The Git revision to sync to; the configured one when left out."),
        prune: z.boolean().default(false).describe("Also delete resources that Git no longer has."),
        dryRun: z.boolean().default(false).describe("Check only, and change nothing."),
      }),
      outputSchema: z.object({ application: summary, operation: z.string(), demo }),
      annotations: { readOnlyHint: false, idempotentHint: false, destructiveHint: true },
    },
    ({ name, ...request }, { mcpReq }) =>
      orFailure(async () => {
        const synced = await api.sync(name, request, mcpReq.signal);
        const operation = synced.status.operationState?.phase ?? "Requested";
        const what = request.dryRun ? "A dry run" : "The sync";
        return reply(`${what} of ${name} was accepted: ${operation}.`, {
          application: summarised(synced),
          operation,
        });
      }),
  );
}

function summarised({ metadata, spec, status }: Application): z.infer<typeof summary> {
  const source = spec.source ?? spec.sources?.[0];
  return {
    name: metadata.name,
    project: spec.project,
    sync: status.sync?.status ?? "Unknown",
    health: status.health?.status ?? "Unknown",
    revision: status.sync?.revision ?? source?.targetRevision ?? "unknown",
    repository: [source?.repoURL, source?.path ?? source?.chart].filter(Boolean).join(" "),
    destination: [spec.destination.name ?? spec.destination.server, spec.destination.namespace]
      .filter(Boolean)
      .join(" "),
  };
}

function json(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value);
}
