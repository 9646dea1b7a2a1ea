import { ScriptedAgent } from "@parley/testing/scripted-agent.ts";
import { afterAll, describe, expect, it } from "vitest";
import { accessibilityViolations } from "../testing/accessibility.ts";
import { answered, answerKept, ask, lastAnswer, say } from "../testing/asking.ts";
import { webFixture } from "../testing/web-fixture.ts";

const agent = await ScriptedAgent.start();
afterAll(() => agent[Symbol.asyncDispose]());
const fixture = webFixture({ agents: ["calculator"], peers: { speaker: agent.url } });

describe("a browser whose database", { timeout: 180_000 }, () => {
  it("refuses to open works in memory, and shows that (private mode)", async () => {
    const page = await fixture().newPage();
    await page.addInitScript(() => {
      IDBFactory.prototype.open = () => {
        throw new DOMException("Not here", "SecurityError");
      };
    });
    await ask(page, fixture().url, "What is 6 times 7?");
    await page.getByText(/This browser can’t save data for Parley/).waitFor();
    await answered(page);
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Dismiss" }).click();
    await page.getByText(/can’t save data for Parley/).waitFor({ state: "detached" });
    await page.reload();
    await lastAnswer(page).getByText("42").waitFor();
  });

  it("is slow to open shows no warning, and keeps everything", async () => {
    const page = await fixture().newPage();
    await page.addInitScript(() => {
      const { open } = IDBFactory.prototype;
      let isSlow = true;
      const seen = Promise.withResolvers<void>();
      const sixSeconds = new Promise((resolve) => setTimeout(resolve, 6_000));
      const end = Promise.all([seen.promise, sixSeconds]).then(() => (isSlow = false));
      Object.assign(window, { openingSeen: seen.resolve });
      // Its events come late, as on a machine that is busy.
      IDBFactory.prototype.open = function (...given) {
        const opening = open.apply(this, given);
        const late = (event: Event) => {
          if (!isSlow || (event.target as IDBRequest).result === undefined) return;
          event.stopImmediatePropagation();
          void end.then(() => opening.dispatchEvent(new Event("success")));
        };
        opening.addEventListener("success", late);
        return opening;
      };
    });
    await page.goto(`${fixture().url}/s/`);
    await page.getByText("Loading your conversations…").waitFor();
    await page.evaluate(() => (window as never as { openingSeen(): void }).openingSeen());
    await page.getByRole("textbox").waitFor();
    expect(await page.getByText("Loading your conversations…").count()).toBe(0);
    expect(await page.locator(".sync-line").count()).toBe(0);
    await say(page, "What is 6 times 7?");
    await answered(page);
    await answerKept(page);
  });

  it("never answers works in memory after a while", async () => {
    const page = await fixture().newPage();
    await page.addInitScript(() => {
      IDBFactory.prototype.open = () => new EventTarget() as IDBOpenDBRequest;
    });
    await page.goto(`${fixture().url}/s/`);
    await page.getByText(/This browser can’t save data for Parley/).waitFor();
    await page.getByRole("textbox").waitFor();
  });

  it("has an older version keeps unsent data, and reloads everything else", async () => {
    const page = await fixture().newPage();
    await page.route("**/s/old", (route) =>
      route.fulfill({ body: "<!doctype html>", contentType: "text/html" }),
    );
    await page.goto(`${fixture().url}/s/old`);
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
    await page.goto(`${fixture().url}/s/`);
    await expect.poll(() => page.getByRole("textbox").inputValue()).toBe("From long ago");
    await say(page, "What is 6 times 7?");
    await answered(page);
    await page.reload();
    await lastAnswer(page).getByText("42").waitFor();
    await expect.poll(() => page.locator(".sync-line").count()).toBe(0);
  });

  it("has a newer version shows that, and works in memory", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "What is 6 times 7?");
    await answered(page);
    const other = await fixture().newTab(page);
    await other.goto(`${fixture().url}/s/settings`);
    await other.evaluate(
      () =>
        new Promise<void>((resolve, reject) => {
          const opening = indexedDB.open("parley", 99);
          opening.onerror = () => reject(opening.error);
          opening.onsuccess = () => resolve();
        }),
    );
    await page.getByText(/A newer version of Parley is open in another tab/).waitFor();
    await say(page, "What is 6 times 8?");
    await page.locator(".run").nth(1).locator(".answer-text").getByText("48").waitFor();
  });
});

describe("a browser whose storage is full", { timeout: 180_000 }, () => {
  it("keeps drafts and messages in its database", async () => {
    const page = await fixture().newPage();
    await ask(page, fixture().url, "What is 6 times 7?");
    await answered(page);
    await page.evaluate(() => {
      for (const storage of [localStorage, sessionStorage])
        for (let size = 4_000_000, at = 0; size >= 1; at++)
          try {
            storage.setItem(`full ${at}`, "x".repeat(size));
          } catch {
            size = Math.floor(size / 2);
          }
    });
    await page.getByRole("textbox").pressSequentially("What is 6 times 8?");
    const draft = () =>
      page.evaluate(
        () =>
          new Promise<unknown>((resolve, reject) => {
            const opening = indexedDB.open("parley");
            opening.onerror = () => reject(opening.error);
            opening.onsuccess = () => {
              const id = location.pathname.split("/").at(-1) ?? "";
              const reading = opening.result.transaction("bags").objectStore("bags").get(id);
              reading.onsuccess = () => {
                opening.result.close();
                resolve(reading.result?.draft);
              };
            };
          }),
      );
    await expect.poll(draft).toBe("What is 6 times 8?");
    await page.reload();
    await expect.poll(() => page.getByRole("textbox").inputValue()).toBe("What is 6 times 8?");
    await page.keyboard.press("Enter");
    await page.locator(".run").nth(1).locator(".answer-text").getByText("48").waitFor();
    expect(await page.getByRole("textbox").inputValue()).toBe("");
  });
});

describe("a server that refuses an edit", { timeout: 180_000 }, () => {
  it("gets it again when the user retries: its text is kept, also after a reload", async () => {
    const page = await fixture().newPage({ serviceWorkers: "block" });
    await ask(page, fixture().url, "What is 2 times 3?");
    await answered(page);
    const before = page.url();
    let server: "away" | "refusing" | "there" = "away";
    await page.route(/\/messages\/[^/]+$/, (route) => {
      if (server === "away") return route.abort();
      if (server === "there") return route.continue();
      return route.fulfill({ status: 422 });
    });
    await page.locator(".user-message").hover();
    await page.getByRole("button", { name: "Edit" }).click();
    const field = page.getByRole("textbox", { name: "Edit message" });
    await field.fill("What is 2 times 11?");
    const save = page.getByRole("button", { name: "Save & run as a new branch" });
    await save.click();
    await page.locator(".editor-buttons [role=status]").filter({ hasText: /./ }).waitFor();
    server = "refusing";
    await page.reload();
    await page
      .locator(".editor-buttons")
      .getByText(/Not sent: .*422/)
      .waitFor();
    expect(await field.inputValue()).toBe("What is 2 times 11?");
    server = "there";
    await save.click();
    await page.waitForURL((url) => url.href !== before);
    expect(await answered(page)).toContain("22");
  });
});

describe("an agent that sends", { timeout: 180_000 }, () => {
  const said = async (pieces: readonly string[]) => {
    agent.script = () => pieces;
    const page = await fixture().newPage();
    await ask(page, fixture().url, "say it");
    await page.locator(".run-foot").waitFor();
    return page;
  };

  it("a megabyte in one line gets a size warning, and the page keeps working", async () => {
    const page = await said(Array.from({ length: 11 }, () => "word ".repeat(20_000)));
    await page
      .locator(".ending")
      .getByText(/more than \d+ bytes, which is the limit/)
      .waitFor();
    await page.getByRole("textbox").fill("Still here");
    expect(await page.getByRole("textbox").inputValue()).toBe("Still here");
  });

  it("the maximum in one line can be read completely, within the page's width", async () => {
    const line = "word ".repeat(150_000);
    const page = await said([line.slice(0, 400_000), line.slice(400_000)]);
    const shown = () => lastAnswer(page).evaluate((each) => each.textContent?.trim().length);
    await expect.poll(shown, { timeout: 60_000 }).toBe(line.length - 1);
    expect(await lastAnswer(page).evaluate((each) => each.scrollWidth <= each.clientWidth + 1)).toBe(true);
    await page.getByRole("textbox").fill("Still here");
    expect(await page.getByRole("textbox").inputValue()).toBe("Still here");
  });

  it("broken Markdown can be read completely", async () => {
    const page = await said([
      "# Un**closed `code [link](http://",
      "\n\n| a | b\n|--\n```js\nlet x = '<b>",
      "\n> > - * 1. end",
    ]);
    const text = (await lastAnswer(page).textContent()) ?? "";
    for (const word of ["closed", "code", "link", "let x = '<b>", "end"]) expect(text).toContain(word);
  });

  it("right-to-left text gets a direction for each paragraph", async () => {
    const page = await said(["مرحبا بالعالم\n\n", "Hello world\n\n", "שלום עולם"]);
    const directions = await lastAnswer(page)
      .locator("p")
      .evaluateAll((all) => all.map((each) => getComputedStyle(each).direction));
    expect(directions).toEqual(["rtl", "ltr", "rtl"]);
  });

  it("split emoji are shown whole", async () => {
    const [family, flag] = ["👨‍👩‍👧‍👦", "🇩🇪"];
    const text = `${family} and ${flag} and 😀 end`;
    const page = await said([...text].flatMap((character) => character.split("")));
    expect(await lastAnswer(page).textContent()).toBe(text);
  });
});
