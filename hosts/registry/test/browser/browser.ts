import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";

import type { Browser } from "playwright-core";
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
  // Host names of tests lead to this machine.
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

export type ForeignSite = AsyncDisposable & {
  /** Its only page; ends with a slash. */
  readonly url: string;
};

/** An empty page on a host of its own, by https with a certificate. */
export async function openForeignSite(files?: {
  readonly certificate: string;
  readonly key: string;
}): Promise<ForeignSite> {
  const answer = (_: unknown, outgoing: ServerResponse): void => {
    outgoing.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>Elsewhere");
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
  return {
    url: `${files ? "https" : "http"}://evil.test:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
