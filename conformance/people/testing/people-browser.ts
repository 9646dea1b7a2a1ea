import { sharedChromium, type TestBrowser } from "@parley/testing/chromium.ts";
import type { PeoplePlatform } from "./people-platform.ts";

export type Page = Awaited<ReturnType<TestBrowser["newPage"]>>;

/** A real browser in which people sign in with the provider's own forms. */
export class PeopleBrowser {
  readonly #browser: TestBrowser;
  readonly #platform: PeoplePlatform;
  /** Page errors: script errors and policy violations. */
  readonly pageErrors: string[] = [];

  private constructor(browser: TestBrowser, platform: PeoplePlatform) {
    this.#browser = browser;
    this.#platform = platform;
  }

  static async open(platform: PeoplePlatform): Promise<PeopleBrowser> {
    return new PeopleBrowser(await sharedChromium(), platform);
  }

  /** A page with its own profile. */
  async newPage(locale = "en-US"): Promise<Page> {
    const context = await this.#browser.newContext({ locale, viewport: { width: 1_100, height: 760 } });
    // The provider's forms would load external fonts.
    await context.route(/^https:/, (route) => route.abort());
    const page = await context.newPage();
    // A busy machine must not fail a correct test.
    page.setDefaultTimeout(90_000);
    page.on("pageerror", (error) => this.pageErrors.push(error.message));
    return page;
  }

  /** Signs in by the provider's forms, which ask for a name once and for consent each time. */
  async signIn(page: Page, name: string): Promise<void> {
    const { provider, url } = this.#platform;
    // From then on the provider redirects to the cached client.
    await page.evaluate("navigator.serviceWorker.ready.then(() => {})");
    await page.getByRole("link", { name: /^(Sign in with|Mit .* anmelden)/ }).click();
    await page.waitForURL(`${provider.issuer}/**`);
    await page.getByPlaceholder("Enter any login").fill(name);
    await page.getByPlaceholder("and password").fill("any");
    await page.getByRole("button", { name: "Sign-in" }).click();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.waitForURL(`${url}/s/**`);
    await page.locator(".who-name", { hasText: name }).waitFor();
  }

  close(): Promise<void> {
    return this.#browser.close();
  }
}
