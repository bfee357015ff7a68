import { setTimeout as wait } from "node:timers/promises";
import { launchBrowser } from "./browser.ts";

/** A page of any browser. Scripts are texts, because Node has no types of browsers. */
export type ScriptedPage = AsyncDisposable & {
  goto(url: string): Promise<void>;
  /** Returns a text, number, boolean or nothing. */
  run(script: string): Promise<unknown>;
  /** The cookies that the browser sends to the page. */
  cookies(): Promise<readonly PageCookie[]>;
};

export type PageCookie = {
  readonly name: string;
  readonly path: string;
  readonly domain: string;
  readonly httpOnly: boolean;
  readonly secure: boolean;
  /** In lower case. */
  readonly sameSite: string;
  /** Whether it ends with the browser. */
  readonly isForSession: boolean;
};

/** Starts Chromium. Disposal ends it. */
export async function openChromium(): Promise<ScriptedPage> {
  const browser = await launchBrowser();
  const page = await browser.newPage();
  return {
    goto: async (url) => void (await page.goto(url)),
    run: (script) => page.evaluate(script),
    async cookies() {
      const cookies = await page.context().cookies(page.url());
      return cookies.map(({ expires, sameSite, name, path, domain, httpOnly, secure }) => ({
        name,
        path,
        domain,
        httpOnly,
        secure,
        sameSite: sameSite.toLowerCase(),
        isForSession: expires === -1,
      }));
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

/** A form to submit: the text of its button, and its fields by name. */
export type FormWish = {
  readonly button: string;
  readonly fields?: Readonly<Record<string, string>>;
};

const WAIT_MS = 20_000;

/** Submits a form as a person does, and waits for the next page. Returns the text of that page. */
export async function submitForm(page: ScriptedPage, wish: FormWish): Promise<string> {
  const { button, fields = {} } = wish;
  return leave(
    page,
    `const button = [...document.querySelectorAll("button")]
      .find(({ textContent }) => textContent.trim().startsWith(${JSON.stringify(button)}));
    for (const [name, value] of Object.entries(${JSON.stringify(fields)})) {
      button.form.elements.namedItem(name).value = value;
    }
    button.click();`,
  );
}

/** Submits the first form by a script, as attackers do, and waits for the next page. */
export async function submitByScript(page: ScriptedPage): Promise<string> {
  return leave(page, "document.forms[0].submit();");
}

/** Follows the link with this text, and waits for the next page. */
export async function followLink(page: ScriptedPage, text: string): Promise<string> {
  return leave(
    page,
    `[...document.querySelectorAll("a")]
      .find(({ textContent }) => textContent.trim() === ${JSON.stringify(text)}).click();`,
  );
}

async function leave(page: ScriptedPage, script: string): Promise<string> {
  await page.run(`(() => { document.left = true; ${script} })()`);
  const arrived = `document.readyState === "complete" && document.left !== true
    ? document.body.innerText : ""`;
  const until = Date.now() + WAIT_MS;
  while (Date.now() < until) {
    // While a page is replaced, no script runs.
    const text = await page.run(arrived).catch(() => "");
    if (typeof text === "string" && text !== "") return text;
    await wait(50);
  }
  throw new Error(`The browser stayed at ${String(await page.run("location.href"))}.`);
}
