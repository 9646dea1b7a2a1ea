import { expect, it } from "vitest";
import { answered, ask, lastAnswer, shellKept } from "../testing/asking.ts";
import { webFixture } from "../testing/web-fixture.ts";

const fixture = webFixture({
  agents: ["calculator"],
  environment: { PARLEY_PUBLIC_URL: "http://parley.example/our/parley" },
});

it("the client works below a base path, with its links, files and storage", {
  timeout: 120_000,
}, async () => {
  const { url, troubles } = fixture();
  const page = await fixture().newPage();
  const asked: string[] = [];
  page.on("request", (request) => void asked.push(new URL(request.url()).pathname));
  for (const at of ["/our/parley", "/our/parley/"]) {
    await page.goto(url + at);
    expect(new URL(page.url()).pathname).toBe("/our/parley/s/");
  }
  await ask(page, `${url}/our/parley`, "What is 6 times 7?");
  await answered(page);
  expect(new URL(page.url()).pathname).toMatch(/^\/our\/parley\/s\/ses_/);
  await page.reload();
  await lastAnswer(page).getByText("42").waitFor();
  await shellKept(page);
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("button", { name: "Create link" }).click();
  const address = await page.getByRole("textbox", { name: "Link", exact: true }).inputValue();
  expect(address).toMatch(/\/our\/parley\/s\/shared#[\w-]{43}$/);
  const reader = await fixture().newPage();
  await reader.goto(address);
  await lastAnswer(reader).getByText("42").waitFor();
  await page.goto(`${url}/our/parley/docs/clients`);
  await page.getByRole("main").getByRole("link", { name: "Access" }).click();
  await page.waitForURL(/\/our\/parley\/docs\/access$/);
  await page.goto(`${url}/our/parley/api/v1/docs#key_reused`);
  await page.waitForURL(/\/our\/parley\/docs\/api#key_reused$/);
  await page.goto(`${url}/our/parley/docs/api-reference`);
  await page.locator(".opblock").first().waitFor();
  expect(asked.filter((path) => !/^\/our\/parley(\/|$)/.test(path))).toEqual([]);
  expect(troubles).toEqual([]);
  // A proxy may also take the path away, and probes come without it.
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const card = await (await fetch(`${url}/our/parley/.well-known/agent-card.json`)).json();
  expect(card).toMatchObject({ url: "http://parley.example/our/parley/" });
});
