import type { SessionEvent } from "@parley/sessions";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { AnsweringServer, type Answers, answered, CHAT, RESPONSES } from "./testing/answering-server.ts";

let server: AnsweringServer;
let counting: Answers;
beforeAll(async () => {
  server = await AnsweringServer.start();
  counting = server.answers;
});
afterAll(() => server.api.stop());
beforeEach(() => {
  server.answers = counting;
});

const user = (content: unknown) => ({ role: "user", content });
const assistant = (content: string) => ({ role: "assistant", content });
const silent: Answers = () => [];
const echo: Answers = (runId, said) => answered(runId, `Re: ${said}`);
const asks = (runId: string, approvalId: string): SessionEvent => ({
  ...{ type: "approval_requested", runId, approvalId, question: "May I?", tool: "delete" },
});

async function askedElsewhere(content: string): Promise<string> {
  const { id } = (await server.api.ask("POST", "/api/v1/sessions", { title: "" })).json.session;
  await server.api.ask("POST", `/api/v1/sessions/${id}/messages`, { content });
  return id;
}

it("a regenerated answer in a named session continues in its fork, and a repeated request starts no second run", async () => {
  const headers = { "X-Session-Id": "named-by-its-client" };
  const first = await server.chat([user("One")], headers);
  const other = await server.chat([user("One"), assistant(first.text), user("Two")], headers);
  const asked = [user("One"), assistant(first.text), user("Two")];
  const regenerated = await server.chat(asked, headers);
  expect([other.session, regenerated.session]).toEqual([
    first.session,
    expect.not.stringMatching(first.session),
  ]);
  const on = await server.chat([...asked, assistant(regenerated.text), user("Three")], headers);
  expect(on.session).toBe(regenerated.session);
  server.answers = silent;
  const edited = { messages: [user("One"), assistant("Edited"), user("Two")] };
  const cut = await server.cut(CHAT, edited, headers);
  expect(await server.cut(CHAT, edited, headers)).toBe(cut);
  expect(await server.runs(cut)).toHaveLength(1);
});

it("a request after an earlier response that is cut off and repeated makes one fork with one run", async () => {
  const ask = async (input: string, previous_response_id?: string) =>
    (await server.api.ask("POST", RESPONSES, { model: "supervisor", input, previous_response_id })).json;
  const first = await ask("Begin");
  await ask("Go on", first.id);
  server.answers = silent;
  const body = { input: "Or else", previous_response_id: first.id };
  const cut = await server.cut(RESPONSES, body);
  expect(cut).not.toBe(first.conversation.id);
  expect(await server.cut(RESPONSES, body)).toBe(cut);
  expect(await server.runs(cut)).toHaveLength(1);
});

it("a message that was answered by another protocol is answered again", async () => {
  const elsewhere = await askedElsewhere("How are things?");
  await expect.poll(async () => (await server.said(elsewhere)).length).toBe(2);
  const here = await server.chat([user("How are things?")]);
  expect(here.session).not.toBe(elsewhere);
});

it("a yes approves the call that was shown to this client, not another one in the same words", async () => {
  let count = 0;
  server.answers = (runId) => [
    { ...asks(runId, `${runId}-ask`), arguments: { name: ++count } } as SessionEvent,
  ];
  const { text, session } = await server.chat([user("Delete the oldest")]);
  const elsewhere = await askedElsewhere("Delete the oldest");
  const questionOf = async (id: string) => `${(await server.runs(id))[0]}-ask`;
  const other = { owner: "ann", workspace: "default" };
  const asked = async () => (await server.api.sessions.state(other, elsewhere)).approvals;
  await expect.poll(async () => (await asked()).size).toBe(1);
  await server.cut(CHAT, { messages: [user("Delete the oldest"), assistant(text), user("yes")] });
  await server.decided(session, await questionOf(session)).toBe("approved");
  expect((await asked()).get(await questionOf(elsewhere))?.answer).toBeUndefined();
});

it("one conversation with two agents makes two runs, and each is found again", async () => {
  server.answers = silent;
  const ask = (model: string) => server.cut(CHAT, { model, messages: [user("Compare")] });
  const [writer, critic] = [await ask("writer"), await ask("critic")];
  expect(writer).not.toBe(critic);
  expect([await ask("writer"), await ask("critic")]).toEqual([writer, critic]);
});

it("the same request sent three times at once starts one run; different requests are kept apart", async () => {
  server.answers = silent;
  const same = await Promise.all([1, 2, 3].map(() => server.cut(CHAT, { messages: [user("At once")] })));
  expect(new Set(same).size).toBe(1);
  expect(await server.runs(same[0] ?? "")).toHaveLength(1);
  const headers = { "X-Session-Id": "00000001-0000-4000-8000-000000000000" };
  await Promise.all([1, 2, 3].map(() => server.cut(CHAT, { messages: [user("Hello")] }, headers)));
  expect(await server.said("00000001-0000-4000-8000-000000000000")).toEqual(["Hello"]);
  server.answers = echo;
  await server.chat([user("Fork here")]);
  server.answers = silent;
  const words = ["left", "right", "straight on", "back"];
  const ways = words.map((word) =>
    server.cut(CHAT, { messages: [user("Fork here"), assistant("Re: Fork here"), user(word)] }),
  );
  const said = await Promise.all((await Promise.all(ways)).map((id) => server.said(id)));
  expect(said).toEqual(words.map((word) => ["Fork here", "Re: Fork here", word]));
});

it("each question in a named session takes its own yes, and a repeated reply is replayed", async () => {
  server.answers = silent;
  const id = "00000002-0000-4000-8000-000000000000";
  const headers = { "X-Session-Id": id };
  const first = server.chat([user("Tidy up")], headers);
  await expect.poll(() => server.runs(id).catch(() => []), { timeout: 60_000 }).toHaveLength(1);
  const [runId = ""] = await server.runs(id);
  await server.api.brings(id, runId, [asks(runId, "q1")]);
  await first;
  const second = server.chat([user("yes")], headers);
  await server.decided(id, "q1").toBe("approved");
  await server.api.brings(id, runId, [asks(runId, "q2")]);
  expect((await second).text).toContain("Waiting for you");
  const third = server.chat([user("yes")], headers);
  await server.decided(id, "q2").toBe("approved");
  await server.api.brings(id, runId, answered(runId, "Tidy"));
  expect((await third).text).toBe("Tidy");
  server.answers = counting;
  const [one, two] = [await server.chat([user("More")], headers), await server.chat([user("More")], headers)];
  expect(one.text).not.toBe(two.text);
});

it("a no to an approved question is refused as a conflict", async () => {
  server.answers = (runId) => [asks(runId, "q")];
  const question = await server.chat([user("Delete it")]);
  const [runId = ""] = await server.runs(question.session);
  const history = [user("Delete it"), assistant(question.text)];
  const yes = server.chat([...history, user("yes")]);
  await server.decided(question.session, "q").toBe("approved");
  await server.api.brings(question.session, runId, answered(runId, "Gone"));
  expect((await yes).text).toBe("Gone");
  expect((await server.chat([...history, user("ok")])).text).toBe("Gone");
  expect(await server.chat([...history, user("no")])).toMatchObject({ status: 409, text: "conflict" });
});

it("an answer that its client cut short matches the recorded one two messages later", async () => {
  server.answers = silent;
  const id = await server.cut(CHAT, { messages: [user("Count")] });
  const [runId = ""] = await server.runs(id);
  const [start, , end] = answered(runId, "One two three");
  const say = (text: string): SessionEvent => ({ type: "agent_token", runId, artifactId: "a", text });
  await server.api.brings(id, runId, [start as SessionEvent, say("One two")]);
  const stopped = [user("Count"), assistant("One"), user("Slowly")];
  const next = server.chat(stopped);
  await expect.poll(() => server.said(id), { timeout: 60_000 }).toEqual(["Count", "Slowly"]);
  // Cut off again and repeated: the text is not duplicated.
  expect(await server.cut(CHAT, { messages: stopped })).toBe(id);
  await server.api.brings(id, runId, [say(" three"), end as SessionEvent]);
  const { text } = await next;
  expect(await server.said(id)).toEqual(["Count", "Slowly", text]);
  server.answers = echo;
  const on = await server.chat([...stopped, assistant(text), user("On")]);
  expect([on.session, await server.said(id)]).toEqual([id, ["Count", "Slowly", text, "On", "Re: On"]]);
});

it("the same text with another picture is another conversation, also when the picture is not sent again", async () => {
  server.answers = (runId) => answered(runId, "A picture");
  const image = (data: string) =>
    user([
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: `data:image/png;base64,${data}` } },
    ]);
  const [cat, dog] = [await server.chat([image("Y2F0")]), await server.chat([image("ZG9n")])];
  const on = (first: unknown, word: string) => server.chat([first, assistant("A picture"), user(word)]);
  expect((await on(image("Y2F0"), "Its colour?")).session).toBe(cat.session);
  expect((await on(image("ZG9n"), "Its name?")).session).toBe(dog.session);
  const forgotten = [
    user("What is this?"),
    assistant("A picture"),
    user("Its name?"),
    assistant("A picture"),
  ];
  expect((await server.chat([...forgotten, user("And?")])).session).toBe(dog.session);
});

it("a trimmed history continues the named session", async () => {
  server.answers = echo;
  const headers = { "X-Session-Id": "00000003-0000-4000-8000-000000000000" };
  for (const word of ["a", "b", "c"]) await server.chat([user(word)], headers);
  const trimmed = [user("b"), assistant("Re: b"), user("c"), assistant("Re: c"), user("d")];
  expect((await server.chat(trimmed, headers)).session).toBe("00000003-0000-4000-8000-000000000000");
  expect(await server.said("00000003-0000-4000-8000-000000000000")).toHaveLength(8);
  server.answers = silent;
  const next = { messages: [user("d"), assistant("Re: d"), user("e")] };
  for (const _ of [1, 2])
    expect(await server.cut(CHAT, next, headers)).toBe("00000003-0000-4000-8000-000000000000");
  expect(await server.runs("00000003-0000-4000-8000-000000000000")).toHaveLength(5);
});

it("one key for two requests is refused", async () => {
  const headers = { "Idempotency-Key": "one-key" };
  const first = await server.chat([user("Once")], headers);
  expect(await server.chat([user("Once")], headers)).toEqual(first);
  const refused = { status: 409, text: "idempotency_key_reused", session: "" };
  expect(await server.chat([user("Twice")], headers)).toEqual(refused);
  expect(await server.chat([user("Once")], headers, "writer")).toEqual(refused);
});

it("of answers with the same beginning, the one that was just cut short continues", async () => {
  server.answers = echo;
  const older = [user("Begin alike"), assistant("Re: Begin alike"), user("go")];
  for (const length of [1, 3]) await server.chat(older.slice(0, length));
  const stopped = await server.chat([user("Begin alike")]);
  const on = await server.chat([user("Begin alike"), assistant("Re: B"), user("go")]);
  expect(on.session).toBe(stopped.session);
  expect(await server.runs(on.session)).toHaveLength(2);
});

it("whatever a front end does to its history, the session that answers has the same messages", async () => {
  type Message = { role: string; content: string };
  const words = ({ content }: Message) => content.replaceAll(/\s+/g, "");
  for (let seed = 1; seed <= 12; seed++) {
    let state = seed;
    const pick = (below: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return (state >>> 8) % below;
    };
    server.answers = (runId) => answered(runId, `Answer ${pick(3)}`);
    let told: Message[] = [];
    for (let step = 0; step < 6; step++) {
      const next = user(["go", "hi\r\nthere ", `word ${pick(4)}`][pick(3)]) as Message;
      const turn = 2 * pick(told.length / 2 || 1);
      const asked =
        [
          () => [...told, next],
          // Another answer, another message, an answer that was cut short or changed by hand.
          () => told.slice(0, -1),
          () => [...told.slice(0, turn), next],
          () => [...told.slice(0, -1), assistant("Ans"), next],
          () => [...told.slice(0, turn), ...told.slice(turn, turn + 1), assistant("Mine"), next],
        ][told.length === 0 ? 0 : pick(5)]?.() ?? [];
      const { session, text } = await server.chat(asked);
      told = [...asked, assistant(text)];
      const said = (await server.said(session)).map((content) => content.replaceAll(/\s+/g, ""));
      expect([seed, said.length]).toEqual([seed, told.length]);
      for (const [place, message] of told.entries())
        expect([seed, said[place]?.startsWith(words(message))]).toEqual([seed, true]);
    }
  }
});
