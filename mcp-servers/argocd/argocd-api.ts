import { z } from "zod";
import { ToolFailure } from "../tool-answer.ts";

const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 16 * 1_024 * 1_024;

const source = z.looseObject({
  repoURL: z.string().default(""),
  path: z.string().optional(),
  chart: z.string().optional(),
  targetRevision: z.string().optional(),
});

/** The fields of an application that are used here. */
const application = z.looseObject({
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
  spec: z.looseObject({
    project: z.string().default("default"),
    source: source.optional(),
    sources: z.array(source).optional(),
    destination: z.looseObject({
      server: z.string().optional(),
      name: z.string().optional(),
      namespace: z.string().optional(),
    }),
  }),
  status: z
    .looseObject({
      sync: z.looseObject({ status: z.string(), revision: z.string().optional() }).optional(),
      health: z.looseObject({ status: z.string().optional(), message: z.string().optional() }).optional(),
      operationState: z.looseObject({ phase: z.string(), message: z.string().optional() }).optional(),
      conditions: z.array(z.looseObject({ type: z.string(), message: z.string() })).optional(),
      resources: z
        .array(
          z.looseObject({
            kind: z.string(),
            name: z.string(),
            namespace: z.string().optional(),
            status: z.string().optional(),
            health: z.looseObject({ status: z.string().optional() }).optional(),
          }),
        )
        .optional(),
    })
    .default({}),
});
export type Application = z.infer<typeof application>;

const version = z.looseObject({ Version: z.string() });
export type Version = z.infer<typeof version>;
const applicationList = z.looseObject({ items: z.array(application).nullish() });
const managedResources = z.looseObject({
  items: z
    .array(
      z.looseObject({
        kind: z.string(),
        name: z.string(),
        namespace: z.string().optional(),
        targetState: z.string().optional(),
        liveState: z.string().optional(),
        normalizedLiveState: z.string().optional(),
        predictedLiveState: z.string().optional(),
      }),
    )
    .nullish(),
});
export type ManagedResource = NonNullable<z.infer<typeof managedResources>["items"]>[number];
const refusal = z.looseObject({ message: z.string() });

/** The options of a sync. */
export interface SyncRequest {
  readonly revision?: string | undefined;
  readonly prune: boolean;
  readonly dryRun: boolean;
}

/** Client of Argo CD's REST API; every failure is a `ToolFailure`. */
export class ArgocdApi {
  readonly #base: string;
  readonly #token: string | undefined;

  constructor(base: string, token: string | undefined) {
    this.#base = base.replace(/(?<!\/)\/+$/, "");
    this.#token = token;
  }

  version(signal: AbortSignal): Promise<Version> {
    return this.#ask("/api/version", version, signal);
  }

  async applications(filter: { project?: string | undefined }, signal: AbortSignal): Promise<Application[]> {
    const query = filter.project === undefined ? "" : `?${new URLSearchParams({ projects: filter.project })}`;
    return (await this.#ask(`/api/v1/applications${query}`, applicationList, signal)).items ?? [];
  }

  application(name: string, signal: AbortSignal): Promise<Application> {
    return this.#ask(`/api/v1/applications/${encodeURIComponent(name)}`, application, signal);
  }

  async managedResources(name: string, signal: AbortSignal): Promise<ManagedResource[]> {
    const path = `/api/v1/applications/${encodeURIComponent(name)}/managed-resources`;
    return (await this.#ask(path, managedResources, signal)).items ?? [];
  }

  sync(name: string, request: SyncRequest, signal: AbortSignal): Promise<Application> {
    const path = `/api/v1/applications/${encodeURIComponent(name)}/sync`;
    return this.#ask(path, application, signal, { ...request });
  }

  async #ask<Answer>(
    path: string,
    schema: z.ZodType<Answer>,
    signal: AbortSignal,
    body?: object,
  ): Promise<Answer> {
    const response = await this.#send(path, signal, body);
    const json = parsed(await boundedText(response));
    if (!response.ok) throw new ToolFailure(refused(response.status, refusal.safeParse(json).data?.message));
    const answer = schema.safeParse(json);
    if (!answer.success)
      throw new ToolFailure(`What answers at ${new URL(this.#base).host} is not Argo CD's API.`);
    return answer.data;
  }

  async #send(path: string, signal: AbortSignal, body: object | undefined): Promise<Response> {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    try {
      return await fetch(this.#base + path, {
        method: body === undefined ? "GET" : "POST",
        headers: {
          accept: "application/json",
          ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // The token must not follow a redirect to another host.
        redirect: "error",
        signal: limited,
      });
    } catch (error) {
      if (limited.aborted) throw new ToolFailure(`Argo CD did not answer within ${TIMEOUT_MS / 1_000} s.`);
      const cause = (error as Error).cause as NodeJS.ErrnoException | undefined;
      throw new ToolFailure(
        `Argo CD cannot be reached at ${new URL(this.#base).origin} (${cause?.code ?? cause?.message ?? "no connection"}).`,
      );
    }
  }
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength;
      if (size > MAX_ANSWER_BYTES) break;
      chunks.push(chunk);
    }
  } catch {
    throw new ToolFailure("Argo CD broke off in the middle of its answer.");
  }
  if (size > MAX_ANSWER_BYTES)
    throw new ToolFailure("Argo CD answered with more than can be read: ask for less.");
  return Buffer.concat(chunks).toString("utf8");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refused(status: number, message: string | undefined): string {
  const said = message === undefined ? "" : `: ${message}`;
  switch (status) {
    case 401:
      return `Argo CD does not accept the token${said}. Set ARGOCD_TOKEN to a valid one.`;
    case 403:
      return `Argo CD does not permit this, or there is no such application${said}.`;
    case 404:
      return `Argo CD has no such application${said}.`;
    default:
      return `Argo CD answered with HTTP status ${status}${said}.`;
  }
}
