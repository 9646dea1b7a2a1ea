import { ScriptedAgent } from "@parley/testing/scripted-agent.ts";
import { afterAll, describe, expect, it } from "vitest";
import { accessibilityViolations } from "../testing/accessibility.ts";
import { answered, ask, kept, lastAnswer, say } from "../testing/asking.ts";
import { webGround } from "../testing/web-ground.ts";

const agent = await ScriptedAgent.start();
afterAll(() => agent[Symbol.asyncDispose]());
const ground = webGround({ agents: ["calculator"], peers: { speaker: agent.url } });

describe("a browser whose database", { timeout: 180_000 }, () => {
  it("refuses to open: all works in memory, and that is said (private mode)", async () => {
    const page = await ground().newPage();
    await page.addInitScript(() => {
      IDBFactory.prototype.open = () => {
        throw new DOMException("Not here", "SecurityError");
      };
    });
    await ask(page, ground().url, "What is 6 times 7?");
    await page.getByText(/This browser keeps nothing for Parley/).waitFor();
    await answered(page);
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Dismiss" }).click();
    await page.getByText(/keeps nothing for Parley/).waitFor({ state: "detached" });
    await page.reload();
    await lastAnswer(page).getByText("42").waitFor();
  });

  it("is slow to open: nothing is said against it, and all is kept", async () => {
    const page = await ground().newPage();
    await page.addInitScript(() => {
      const { open } = IDBFactory.prototype;
      const until = Date.now() + 6_000;
      // Its events come late, as on a machine that is busy.
      IDBFactory.prototype.open = function (...given) {
        const opening = open.apply(this, given);
        const late = (event: Event) => {
          const wait = until - Date.now();
          if (wait <= 0 || (event.target as IDBRequest).result === undefined) return;
          event.stopImmediatePropagation();
          setTimeout(() => opening.dispatchEvent(new Event("success")), wait);
        };
        opening.addEventListener("success", late);
        return opening;
      };
    });
    await page.goto(`${ground().url}/s/`);
    await page.getByText("Opening what this browser keeps …").waitFor();
    await page.getByRole("textbox").waitFor();
    expect(await page.getByText("Opening what this browser keeps …").count()).toBe(0);
    expect(await page.locator(".sync-line").count()).toBe(0);
    await say(page, "What is 6 times 7?");
    await answered(page);
    await kept(page, "42");
  });

  it("never answers: all works in memory, after a while", async () => {
    const page = await ground().newPage();
    await page.addInitScript(() => {
      IDBFactory.prototype.open = () => new EventTarget() as IDBOpenDBRequest;
    });
    await page.goto(`${ground().url}/s/`);
    await page.getByText(/This browser keeps nothing for Parley/).waitFor();
    await page.getByRole("textbox").waitFor();
  });

  it("is of an older version: what was written stays, all else is read anew", async () => {
    const page = await ground().newPage();
    await page.route("**/s/old", (route) =>
      route.fulfill({ body: "<!doctype html>", contentType: "text/html" }),
    );
    await page.goto(`${ground().url}/s/old`);
    // As a page of long ago left it: other stores in another form, and a draft.
    await page.evaluate(
      () =>
        new Promise<void>((resolve, reject) => {
          indexedDB.deleteDatabase("parley");
          const opening = indexedDB.open("parley", 1);
          opening.onupgradeneeded = () => {
            for (const name of ["sessions", "commands", "bags", "legacy"])
              opening.result.createObjectStore(name);
          };
          opening.onerror = () => reject(opening.error);
          opening.onsuccess = () => {
            const transaction = opening.result.transaction(["sessions", "bags"], "readwrite");
            transaction.objectStore("sessions").put({ nonsense: true }, "ses_1");
            transaction.objectStore("bags").put({ draft: "From long ago" }, "new");
            transaction.oncomplete = () => {
              opening.result.close();
              resolve();
            };
          };
        }),
    );
    await page.goto(`${ground().url}/s/`);
    await expect.poll(() => page.getByRole("textbox").inputValue()).toBe("From long ago");
    await say(page, "What is 6 times 7?");
    await answered(page);
    await page.reload();
    await lastAnswer(page).getByText("42").waitFor();
    expect(await page.locator(".sync-line").count()).toBe(0);
  });

  it("belongs to a newer page: that is said, and this one works on in memory", async () => {
    const page = await ground().newPage();
    await ask(page, ground().url, "What is 6 times 7?");
    await answered(page);
    const other = await ground().newTab(page);
    await other.goto(`${ground().url}/s/settings`);
    await other.evaluate(
      () =>
        new Promise<void>((resolve, reject) => {
          const opening = indexedDB.open("parley", 99);
          opening.onerror = () => reject(opening.error);
          opening.onsuccess = () => resolve();
        }),
    );
    await page.getByText(/A newer Parley is open in another tab/).waitFor();
    await say(page, "What is 6 times 8?");
    await page.locator(".run").nth(1).locator(".answer-text").getByText("48").waitFor();
  });
});

describe("an agent that sends", { timeout: 180_000 }, () => {
  const said = async (pieces: readonly string[]) => {
    agent.script = () => pieces;
    const page = await ground().newPage();
    await ask(page, ground().url, "say it");
    await page.locator(".run-foot").waitFor();
    return page;
  };

  it("a megabyte in one line: that it is too much is said, and the page goes on", async () => {
    const page = await said(Array.from({ length: 11 }, () => "word ".repeat(20_000)));
    await page
      .locator(".ending")
      .getByText(/more than \d+ bytes, which is the limit/)
      .waitFor();
    await page.getByRole("textbox").fill("Still here");
    expect(await page.getByRole("textbox").inputValue()).toBe("Still here");
  });

  it("as much in one line as it may: all of it can be read, within the page's width", async () => {
    const line = "word ".repeat(150_000);
    const page = await said([line.slice(0, 400_000), line.slice(400_000)]);
    const shown = () => lastAnswer(page).evaluate((each) => each.textContent?.trim().length);
    await expect.poll(shown, { timeout: 60_000 }).toBe(line.length - 1);
    expect(await lastAnswer(page).evaluate((each) => each.scrollWidth <= each.clientWidth + 1)).toBe(true);
    await page.getByRole("textbox").fill("Still here");
    expect(await page.getByRole("textbox").inputValue()).toBe("Still here");
  });

  it("broken Markdown: every word of it can be read", async () => {
    const page = await said([
      "# Un**closed `code [link](http://",
      "\n\n| a | b\n|--\n```js\nlet x = '<b>",
      "\n> > - * 1. end",
    ]);
    const text = (await lastAnswer(page).textContent()) ?? "";
    for (const word of ["closed", "code", "link", "let x = '<b>", "end"]) expect(text).toContain(word);
  });

  it("right-to-left text: each paragraph has its own direction", async () => {
    const page = await said(["مرحبا بالعالم\n\n", "Hello world\n\n", "שלום עולם"]);
    const directions = await lastAnswer(page)
      .locator("p")
      .evaluateAll((all) => all.map((each) => getComputedStyle(each).direction));
    expect(directions).toEqual(["rtl", "ltr", "rtl"]);
  });

  it("emoji cut in two: they are whole again", async () => {
    const [family, flag] = ["👨‍👩‍👧‍👦", "🇩🇪"];
    const text = `${family} and ${flag} and 😀 end`;
    const page = await said([...text].flatMap((character) => character.split("")));
    expect(await lastAnswer(page).textContent()).toBe(text);
  });
});
