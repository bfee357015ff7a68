import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";

import type { Browser, Page } from "playwright-core";
import { chromium } from "playwright-core";

const CHROMIUM = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--disable-dev-shm-usage",
  // Host names of tests resolve to this machine.
  "--host-resolver-rules=MAP *.test 127.0.0.1",
];

export const hasBrowser = existsSync(CHROMIUM);
if (!hasBrowser) {
  process.stderr.write(
    `SKIPPED: requests of a browser; there is no ${CHROMIUM} (CHROMIUM_PATH).\n`,
  );
}

/** Disposal closes it. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

/** Afterwards the page has a device that answers all requests for passkeys. */
export async function addVirtualAuthenticator(page: Page): Promise<void> {
  const devices = await page.context().newCDPSession(page);
  await devices.send("WebAuthn.enable");
  await devices.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** Afterwards the browser has the cookie of a session. */
export async function signInWithToken(page: Page, home: string, token: string): Promise<void> {
  await page.goto(`${home}/sign-in`);
  await page.getByRole("textbox", { name: "API token" }).fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "Signed in as" }).waitFor();
}

export type ForeignSite = AsyncDisposable & {
  /** Its front page; ends with a slash. */
  readonly url: string;
  /** A page with a form that posts `name=value` as plain text. */
  formFor(action: string, field: readonly [name: string, value: string]): string;
};

/** Serves the pages of a separate host name, over https when there is a certificate. */
export async function openForeignSite(files?: {
  readonly certificate: string;
  readonly key: string;
}): Promise<ForeignSite> {
  const answer = ({ url = "" }: IncomingMessage, outgoing: ServerResponse): void => {
    const { searchParams } = new URL(url, "http://evil.test");
    outgoing
      .writeHead(200, { "content-type": "text/html; charset=utf-8" })
      .end(pageOf(searchParams));
  };
  const server = files
    ? createSecureServer(
        { cert: await readFile(files.certificate), key: await readFile(files.key) },
        answer,
      )
    : createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const front = `${files ? "https" : "http"}://evil.test:${port}/`;
  return {
    url: front,
    formFor(action, [name, value]) {
      return `${front}?${new URLSearchParams({ action, name, value }).toString()}`;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function pageOf(query: URLSearchParams): string {
  const text = (name: string) =>
    (query.get(name) ?? "").replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  return `<!doctype html><title>Elsewhere</title>
    <form method="post" enctype="text/plain" action="${text("action")}">
      <input type="hidden" name="${text("name")}" value="${text("value")}" />
    </form>`;
}
