import { z } from "@hono/zod-openapi";
import { invalid, Problem, percentDecoded, requestKey } from "@parley/adapters";
import { checkNotEnded } from "@parley/identity";
import type { Api, ApiRoutes } from "../api-options.ts";
import { taggedRoutes } from "../endpoints.ts";
import { contentDisposition } from "../files/content-disposition.ts";
import { bodyPieces } from "../read-body.ts";
import { fileSchema } from "../schemas/session-schemas.ts";
import { fileView } from "../views/message-view.ts";

const MEDIA_TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}(; ?[\w-]{1,40}=[\w.+-]{1,60}){0,3}$/;
/** Media types that cannot run code in a page; everything else is sent as plain bytes. */
const HARMLESS =
  /^(?:image\/(?:png|jpeg|gif|webp|avif)|(?:audio|video)\/[\w.+-]+|text\/(?:plain|csv|markdown)|application\/(?:json|zip|octet-stream))\b/i;
const response = { file: fileSchema };
const binary = (schema: z.ZodType) => ({ "application/octet-stream": { schema } });

/** Whether this path takes bodies of any type: its required header `X-File-Name` cannot be set by a form of another site. */
export function takesAnyType(path: string): boolean {
  return path === "/api/v1/files";
}

/** Files: upload, download. */
export function fileRoutes({ files, limits }: Api): ApiRoutes {
  const { routes, route } = taggedRoutes("Files");

  route("post", "/files", {
    summary: "Upload a file to be used in messages",
    description:
      "The body is the file, Content-Type its media type and X-File-Name its percent-encoded name.",
    headers: { "X-File-Name": z.string().min(1).max(1_000) },
    content: binary(z.string().openapi({ format: "binary" })),
    response,
    status: 201,
    handle: async ({ principal, identity, key, headers, context }) => {
      const name = decodedName(headers["X-File-Name"]);
      const mediaType = context.req.header("Content-Type") ?? "application/octet-stream";
      if (!MEDIA_TYPE.test(mediaType))
        throw new Problem("content_type_not_supported", "Content-Type must be a media type");
      const { incoming } = context.env;
      const received = files.receive(principal, {
        name,
        mediaType,
        declared: Math.min(Number(incoming.headers["content-length"] ?? 0), limits.fileBytes),
        content: bodyPieces(incoming, limits.fileBytes),
        keyOf: (hash) => {
          checkNotEnded(identity);
          return requestKey(principal, "upload", { key, asked: { name, mediaType, content: hash } });
        },
      });
      // The rest of a refused upload is discarded.
      return { file: fileView(await received.finally(() => incoming.resume())) };
    },
  });

  route("get", "/files/{file}", {
    summary: "Describe a file",
    response,
    handle: async ({ principal, params }) => ({
      file: fileView(await files.describe(principal, params.file)),
    }),
  });

  route("get", "/files/{file}/content", {
    summary: "Download a file",
    responses: {
      200: { description: "The file", content: binary(z.string()) },
      304: { description: "Not modified" },
    },
    handle: async ({ principal, params, context }) => {
      const { name, mediaType, blob, size } = await files.describe(principal, params.file);
      const etag = `"${blob}"`;
      context.header("ETag", etag);
      context.header("Cache-Control", "private, no-cache");
      if (context.req.header("If-None-Match") === etag) return context.body(null, 304);
      const content = files.read(principal, blob);
      // Before the response header, so that a missing or damaged file is an error response.
      const { value: first = new Uint8Array() } = await content.next();
      if (context.req.method === "HEAD") await content.return();
      // Agents choose media types freely.
      const isSafe = MEDIA_TYPE.test(mediaType) && HARMLESS.test(mediaType);
      context.header("Content-Type", isSafe ? mediaType : "application/octet-stream");
      context.header("Content-Disposition", contentDisposition(name));
      context.header("Content-Length", String(size));
      return context.body(ReadableStream.from(withFirst(first, content)), 200);
    },
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

function decodedName(header: string): string {
  const name = percentDecoded(header);
  if (name !== undefined && name.length <= 255 && !/\p{Cc}/u.test(name)) return name;
  throw invalid("header.X-File-Name", "must be up to 255 characters, percent-encoded as UTF-8");
}
