import { once } from "node:events";
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { BlobFiles } from "../files/blob-files.ts";
import { ApiServer } from "../testing/api-server.ts";

let api: ApiServer;
beforeAll(async () => {
  api = await ApiServer.start({ fileBytes: 10_000 });
});
afterAll(() => api.stop());

const upload = (content: Uint8Array | string, name: string, type = "text/plain", headers = {}) =>
  api.ask("POST", "/api/v1/files", content, {
    "Content-Type": type,
    "X-File-Name": encodeURIComponent(name),
    ...headers,
  });

async function headOf(url: string): Promise<void> {
  expect((await fetch(url, { method: "HEAD" })).status).toBe(200);
}

async function hungUp(url: string): Promise<void> {
  const asked = request(url).end();
  await once(asked, "response");
  asked.destroy();
}

describe("a file", () => {
  it("is uploaded, referenced in a message, and downloaded unchanged", async () => {
    const bytes = new Uint8Array([0, 255, 10, 13, 128]);
    const { status, json } = await upload(bytes, "Überblick.bin", "application/x-thing");
    expect(status).toBe(201);
    expect(json.file).toMatchObject({ name: "Überblick.bin", mediaType: "application/x-thing", size: 5 });
    const { id } = await api.begun();
    const posted = await api.ask("POST", `/api/v1/sessions/${id}/messages`, {
      content: "",
      files: [json.file.id],
    });
    expect(posted.json.message.metadata.files).toEqual([json.file]);
    expect((await api.ask("GET", `/api/v1/files/${json.file.id}`)).json.file).toEqual(json.file);
    const response = await fetch(`${api.url}/api/v1/files/${json.file.id}/content`);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
    expect(response.headers.get("content-type")).toBe("application/octet-stream");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    const etag = response.headers.get("etag") ?? "";
    const again = await api.ask("GET", `/api/v1/files/${json.file.id}/content`, undefined, {
      "If-None-Match": etag,
    });
    expect(again.status).toBe(304);
  });

  it("sent by an agent belongs to its user, whatever its name", async () => {
    const { hash, size } = await api.journal.blobs.put(Buffer.from("report"), "text/plain");
    const file = { name: "../re\nport", mediaType: "text/x\r\nSet-Cookie: a=b", size, blob: hash };
    await new BlobFiles(api.journal).name({ owner: "ann", workspace: "default" }, file);
    const answer = await api.ask("GET", `/api/v1/files/${hash}/content`);
    expect([answer.status, answer.text]).toEqual([200, "report"]);
    expect(answer.headers.get("content-type")).toBe("application/octet-stream");
    expect(answer.headers.get("content-disposition")).toContain('filename=".._re_port"');
    const other = { "X-Test-Owner": "bob" };
    expect((await api.ask("GET", `/api/v1/files/${hash}/content`, undefined, other)).status).toBe(404);
  });

  it.each([
    ["image/png", "image/png"],
    ["text/plain; charset=utf-8", "text/plain; charset=utf-8"],
    ["text/javascript", "application/octet-stream"],
    ["text/css", "application/octet-stream"],
    ["text/html", "application/octet-stream"],
    ["image/svg+xml", "application/octet-stream"],
    ["application/pdf", "application/octet-stream"],
  ])("of type %s is served as %s, so that it cannot run in our pages", async (type, served) => {
    const { file } = (await upload("alert(1)", "x", type)).json;
    const { headers } = await api.ask("GET", `/api/v1/files/${file.id}/content`);
    expect(headers.get("content-type")).toBe(served);
    expect(file.mediaType).toBe(type);
  });

  it("is invisible to other users, who cannot reference it even by its hash (invariant 20)", async () => {
    const { file } = (await upload("secret", "s.txt")).json;
    const other = { "X-Test-Owner": "bob" };
    expect((await api.ask("GET", `/api/v1/files/${file.id}`, undefined, other)).status).toBe(404);
    expect((await api.ask("GET", `/api/v1/files/${file.id}/content`, undefined, other)).status).toBe(404);
    const { json } = await api.ask("POST", "/api/v1/sessions", {}, other);
    const message = { content: "x", files: [file.id] };
    const posted = await api.ask("POST", `/api/v1/sessions/${json.session.id}/messages`, message, other);
    expect(posted.json.errors).toMatchObject([{ path: "body.files.0" }]);
    const created = { type: "session_created", payload: { workspace: "default", owner: "ann", title: "x" } };
    const stored = { name: "s.txt", mediaType: "text/plain", size: 6, blob: file.id };
    const said = { type: "user_message", payload: { messageId: "m", content: "x", files: [stored] } };
    const content = [created, said].map((line) => JSON.stringify(line)).join("\n");
    const taken = await api.ask("POST", "/api/v1/sessions/import", { content }, other);
    const read = await api.ask("GET", `/api/v1/sessions/${taken.json.session.id}`, undefined, other);
    expect(read.json.messages[0].metadata).toEqual({});
  });

  it("referenced twice in a message counts once, and the files of a message are limited to 20 MB in total", async () => {
    const large = await ApiServer.start();
    onTestFinished(() => large.stop());
    const put = async (fill: string) => {
      const { hash } = await large.journal.blobs.put(Buffer.alloc(11 * 1_048_576, fill), "text/plain");
      const file = { name: `${fill}.txt`, mediaType: "text/plain", size: 11 * 1_048_576, blob: hash };
      await new BlobFiles(large.journal).name({ owner: "ann", workspace: "default" }, file);
      return hash;
    };
    const [a, b] = [await put("a"), await put("b")];
    const { id } = await large.begun();
    const post = (files: string[]) =>
      large.ask("POST", `/api/v1/sessions/${id}/messages`, { content: "See", files });
    expect((await post([a, a])).json.message.metadata.files).toHaveLength(1);
    expect((await post([a, b])).json).toMatchObject({
      ...{ status: 413, errors: [{ path: "body.files" }] },
      detail: "body.files: The files of a message may have 20971520 bytes in all, and these have 23068672",
    });
  });

  it("is downloaded in chunks with backpressure and a Content-Length", async () => {
    const large = await ApiServer.start();
    onTestFinished(() => large.stop());
    const { journal } = large;
    const content = Buffer.alloc(8 * 1_048_576, "abc");
    const { hash, size } = await journal.blobs.put(content, "text/plain");
    await new BlobFiles(journal).name(
      { owner: "ann", workspace: "default" },
      { name: "a", mediaType: "text/plain", size, blob: hash },
    );
    let given = 0;
    let isClosed = false;
    journal.blobs.read = async function* () {
      try {
        for (; given < size; given += 65_536) yield content.subarray(given, given + 65_536);
      } finally {
        isClosed = true;
      }
    };
    journal.blobs.get = () => Promise.reject(new Error("the file was read whole"));
    const path = `${large.url}/api/v1/files/${hash}/content`;
    const whole = await fetch(path);
    expect(whole.headers.get("content-length")).toBe(String(size));
    expect(Buffer.from(await whole.arrayBuffer()).equals(content)).toBe(true);
    for (const ask of [headOf, hungUp]) {
      given = 0;
      isClosed = false;
      await ask(path);
      await expect.poll(() => isClosed).toBe(true);
      expect(given).toBeLessThan(size);
    }
  });

  it.each(['a"; x=y\\z/../..txt', "a\u202etxt.exe", "naïve % * ' ().txt", "x".repeat(255), ";", "日本.txt"])(
    "called %j is served as an attachment, without header injection",
    async (name) => {
      const { file } = (await upload("x", name)).json;
      expect(file.name).toBe(name);
      const { headers } = await api.ask("GET", `/api/v1/files/${file.id}/content`);
      expect(headers.get("content-disposition")).toMatch(
        /^attachment; filename="[^"%;\\/]+"; filename\*=UTF-8''[A-Za-z0-9%!_.~-]+$/,
      );
    },
  );

  it("is refused if it is too large, has no name or has an invalid type", async () => {
    expect((await upload("x".repeat(10_001), "large")).json).toMatchObject({
      status: 413,
      code: "too_large",
    });
    expect((await upload("x", "line\nbreak")).status).toBe(422);
    expect((await upload("x", "a", "text/html\tx")).status).toBe(415);
    const nameless = await api.ask("POST", "/api/v1/files", "x", { "Content-Type": "text/plain" });
    expect(nameless.json).toMatchObject({ status: 422, errors: [{ path: "header.X-File-Name" }] });
    const broken = await upload("x", "a", "text/plain", { "X-File-Name": "%E0%A4%A" });
    expect(broken.status).toBe(422);
    expect((await api.ask("GET", "/api/v1/files/none")).status).toBe(404);
  });

  it("of unknown length is cut off when it exceeds the limit", async () => {
    const body = new ReadableStream({
      start(controller) {
        for (let piece = 0; piece < 20; piece++) controller.enqueue(new Uint8Array(1_000));
        controller.close();
      },
    });
    const headers = { "Content-Type": "text/plain", "X-File-Name": "a" };
    const response = await fetch(`${api.url}/api/v1/files`, {
      method: "POST",
      body,
      headers,
      duplex: "half",
    } as RequestInit);
    expect(response.status).toBe(413);
  });
});

describe("agents", () => {
  it("are added, disabled, checked and removed, and their credentials are never returned (S4.25)", async () => {
    const secret = "s3cr3t-token";
    const body = {
      url: "https://agent.example/a2a",
      name: "far",
      credentials: { bearer: { token: secret } },
    };
    const texts: string[] = [];
    const ask = async (method: string, path: string, given?: object) => {
      const answer = await api.ask(method, path, given);
      texts.push(answer.text);
      return answer;
    };
    expect((await ask("POST", "/api/v1/agents", body)).json.agent).toMatchObject({
      name: "far",
      hasCredentials: true,
    });
    expect((await ask("POST", "/api/v1/agents", body)).status).toBe(409);
    expect((await ask("PATCH", "/api/v1/agents/far", { enabled: false })).json.agent).toMatchObject({
      enabled: false,
      hasCredentials: true,
    });
    expect((await ask("GET", "/api/v1/agents")).json.agents).toHaveLength(1);
    expect((await ask("POST", "/api/v1/agents/far/recheck")).status).toBe(200);
    expect((await ask("PATCH", "/api/v1/agents/far", { credentials: null })).json.agent.hasCredentials).toBe(
      false,
    );
    expect((await ask("DELETE", "/api/v1/agents/far")).status).toBe(204);
    expect((await ask("DELETE", "/api/v1/agents/far")).status).toBe(404);
    expect((await ask("POST", "/api/v1/agents/far/recheck")).status).toBe(404);
    expect(texts.join()).not.toContain(secret);
    for (const url of ["file:///etc/passwd", "nonsense", 5])
      expect((await ask("POST", "/api/v1/agents", { url })).json).toMatchObject({
        status: 422,
        errors: [{ path: "body.url" }],
      });
  });
});
