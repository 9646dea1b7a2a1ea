import { createRoute, z } from "@hono/zod-openapi";
import { invalid, Problem, percentDecoded, requestKey } from "@parley/adapters";
import { checkNotEnded } from "@parley/identity";
import type { Api, ApiRoutes } from "../api-options.ts";
import { contentDisposition } from "../files/content-disposition.ts";
import { bodyPieces } from "../read-body.ts";
import { answer, newRoutes, refusals, taggedRoute } from "../route-parts.ts";
import { commandHeaders, pathId } from "../schemas/parameters.ts";
import { fileSchema } from "../schemas/session-schemas.ts";
import { fileView } from "../views/message-view.ts";

const route = taggedRoute("Files");
const MEDIA_TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}(; ?[\w-]{1,40}=[\w.+-]{1,60}){0,3}$/;
/** In these nothing can act, whatever page they are opened in; scripts, styles and all that is drawn by a page are bytes. */
const HARMLESS =
  /^(?:image\/(?:png|jpeg|gif|webp|avif)|(?:audio|video)\/[\w.+-]+|text\/(?:plain|csv|markdown)|application\/(?:json|zip|octet-stream))\b/i;
const params = z.object({ file: pathId });

const uploadRoute = createRoute({
  ...{ method: "post", path: "/files", tags: ["Files"] },
  summary: "Upload a file, to be named in messages",
  description: "The body is the file as it is, Content-Type its type, X-File-Name its name, percent-encoded.",
  request: {
    headers: commandHeaders.extend({ "X-File-Name": z.string().min(1).max(1_000) }),
    body: {
      content: { "application/octet-stream": { schema: z.string().openapi({ format: "binary" }) } },
      required: true,
    },
  },
  responses: answer(201, z.object({ file: fileSchema }), "The file"),
});

const describeRoute = route("get", "/files/{file}", {
  summary: "What a file is",
  request: { params },
  responses: answer(200, z.object({ file: fileSchema }), "The file"),
});

const downloadRoute = route("get", "/files/{file}/content", {
  summary: "Download a file",
  request: { params },
  responses: {
    200: { description: "The file", content: { "application/octet-stream": { schema: z.string() } } },
    304: { description: "The client has it" },
    ...refusals,
  },
});

/** Whether bodies at this path are of any type: a page elsewhere cannot set the header that is asked for with them. */
export function takesAnyType(path: string): boolean {
  return path === "/api/v1/files";
}

/** Files: upload, download. */
export function fileRoutes({ files, limits }: Api): ApiRoutes {
  const routes = newRoutes();

  routes.openapi(uploadRoute, async (context) => {
    const name = decoded(context.req.valid("header")["X-File-Name"]);
    const mediaType = context.req.header("Content-Type") ?? "application/octet-stream";
    if (!MEDIA_TYPE.test(mediaType))
      throw new Problem("content_type_not_supported", "Content-Type must be a media type");
    const { principal, key } = context.var;
    const { incoming } = context.env;
    const { "content-length": length = 0 } = incoming.headers;
    const received = files.receive(principal, {
      ...{ name, mediaType, declared: Math.min(Number(length), limits.fileBytes) },
      content: bodyPieces(incoming, limits.fileBytes),
      keyOf: (hash) => {
        checkNotEnded(context.var.identity);
        return requestKey(principal, "upload", { key, asked: { name, mediaType, content: hash } });
      },
    });
    // What is refused before it was read is thrown away.
    const file = await received.finally(() => incoming.resume());
    return context.json({ file: fileView(file) }, 201);
  });

  routes.openapi(describeRoute, async (context) => {
    const file = await files.describe(context.var.principal, context.req.valid("param").file);
    return context.json({ file: fileView(file) }, 200);
  });

  routes.openapi(downloadRoute, async (context) => {
    const { principal } = context.var;
    const { name, mediaType, blob, size } = await files.describe(principal, context.req.valid("param").file);
    const etag = `"${blob}"`;
    context.header("ETag", etag);
    context.header("Cache-Control", "private, no-cache");
    if (context.req.header("If-None-Match") === etag) return context.body(null, 304);
    const content = files.read(principal, blob);
    // Before the head of the answer: what is missing or damaged is told of there.
    const { value: first = new Uint8Array() } = await content.next();
    if (context.req.method === "HEAD") await content.return();
    // An agent may have called it anything.
    const isSafe = MEDIA_TYPE.test(mediaType) && HARMLESS.test(mediaType);
    context.header("Content-Type", isSafe ? mediaType : "application/octet-stream");
    context.header("Content-Disposition", contentDisposition(name));
    context.header("Content-Length", String(size));
    return context.body(ReadableStream.from(withFirst(first, content)), 200);
  });

  return routes;
}

async function* withFirst<Piece>(
  first: Piece,
  rest: AsyncGenerator<Piece, void>,
): AsyncGenerator<Piece, void> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return();
  }
}

function decoded(header: string): string {
  const name = percentDecoded(header);
  if (name !== undefined && name.length <= 255 && !/\p{Cc}/u.test(name)) return name;
  throw invalid("header.X-File-Name", "must be up to 255 characters, percent-encoded as UTF-8");
}
