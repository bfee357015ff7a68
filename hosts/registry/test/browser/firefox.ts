import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ScriptedPage } from "./scripted-page.ts";

const FIREFOX =
  process.env["FIREFOX_PATH"] ??
  ["/usr/bin/firefox-esr", "/usr/bin/firefox"].find((path) => existsSync(path)) ??
  "/usr/bin/firefox";
const START_MS = 60_000;
const SETTINGS = {
  "app.normandy.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
};

export const hasFirefox = existsSync(FIREFOX);
if (!hasFirefox) {
  process.stderr.write(`SKIPPED: forms in Firefox; there is no ${FIREFOX} (FIREFOX_PATH).\n`);
}

type Answer = { readonly id?: number; readonly type: string } & Readonly<Record<string, unknown>>;
type Send = (method: string, parameters?: object) => Promise<Answer>;

/** Starts Firefox with an empty profile, and opens a page by WebDriver BiDi. Disposal ends both. */
export async function openFirefox(): Promise<ScriptedPage> {
  await using opened = new AsyncDisposableStack();
  const profile = await mkdtemp(join(tmpdir(), "sealhouse-firefox-"));
  opened.defer(() => rm(profile, { recursive: true, force: true, maxRetries: 9 }));
  const lines = Object.entries(SETTINGS).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${value});\n`,
  );
  await writeFile(join(profile, "user.js"), lines.join(""));
  const flags = ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"];
  const browser = spawn(FIREFOX, flags, { env: { ...process.env, HOME: profile } });
  opened.defer(async () => {
    if (browser.exitCode === null && browser.kill("SIGKILL")) await once(browser, "exit");
  });
  const printed = { text: "" };
  browser.stderr.on("data", (bytes: Buffer) => void (printed.text += bytes.toString()));
  browser.stdout.resume();
  const socket = new WebSocket(`${await addressIn(printed)}/session`);
  opened.defer(() => socket.close());
  await once(socket, "open");
  const send = openCommands(socket);
  await send("session.new", { capabilities: {} });
  const { result } = await send("browsingContext.getTree");
  const [{ context }] = (result as Tree).contexts;
  const parts = opened.move();
  return {
    ...pageIn(send, context),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

type Tree = { readonly contexts: readonly [{ readonly context: string }] };

async function addressIn(printed: { readonly text: string }): Promise<string> {
  const until = Date.now() + START_MS;
  while (Date.now() < until) {
    const [, address] = /listening on (ws:\S+)/.exec(printed.text) ?? [];
    if (address !== undefined) return address;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`Firefox did not start: ${printed.text}`);
}

function openCommands(socket: WebSocket): Send {
  const waiting = new Map<number, (answer: Answer) => void>();
  let count = 0;
  socket.addEventListener("message", ({ data }) => {
    const answer = JSON.parse(String(data)) as Answer;
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
  });
  return async (method, params = {}) => {
    const id = (count += 1);
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params }));
    const answer = await answered;
    if (answer.type === "error") throw new Error(`${method}: ${JSON.stringify(answer)}`);
    return answer;
  };
}

function pageIn(send: Send, context: string): Omit<ScriptedPage, typeof Symbol.asyncDispose> {
  return {
    async goto(url) {
      await send("browsingContext.navigate", { context, url, wait: "complete" });
    },
    async run(script) {
      const target = { context };
      const wish = { expression: script, target, awaitPromise: true, userActivation: true };
      const { result } = await send("script.evaluate", wish);
      const { type, result: value } = result as Evaluated;
      if (type === "exception") throw new Error(JSON.stringify(result));
      return value?.value;
    },
    async cookies() {
      const partition = { type: "context", context };
      const { result } = await send("storage.getCookies", { partition });
      return (result as { readonly cookies: readonly BidiCookie[] }).cookies.map(
        ({ name, path, domain, httpOnly, secure, sameSite, expiry }) => ({
          name,
          path,
          domain,
          httpOnly,
          secure,
          sameSite: sameSite.toLowerCase(),
          isForSession: expiry === undefined,
        }),
      );
    },
  };
}

type Evaluated = { readonly type: string; readonly result?: { readonly value?: unknown } };
type BidiCookie = {
  readonly name: string;
  readonly path: string;
  readonly domain: string;
  readonly httpOnly: boolean;
  readonly secure: boolean;
  readonly sameSite: string;
  readonly expiry?: number;
};
