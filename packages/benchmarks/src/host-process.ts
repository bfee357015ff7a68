import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

const MAIN = new URL("../../../hosts/registry/dist/main.js", import.meta.url).pathname;
const STARTS_WITHIN_MS = 60_000;

export type HostProcess = AsyncDisposable & {
  readonly url: string;
  readonly pid: number;
  /** From spawn to the first 200, in milliseconds. */
  readonly readyAfterMs: number;
};

/** `main.js` of a built host; default: that of this clone. */
type HostMain = { readonly main?: string };

/** Starts the built host (`dist`, as shipped) on a free port with `folder` as its data. */
export async function openHost(
  folder: string,
  options: HostMain & {
    readonly env?: Readonly<Record<string, string>>;
    readonly logTo?: string;
  } = {},
): Promise<HostProcess> {
  const { env = {}, logTo, main = MAIN } = options;
  const log = logTo === undefined ? undefined : openSync(logTo, "a");
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const startedAt = performance.now();
  const child = spawn(process.execPath, [main, "serve"], {
    stdio: ["ignore", log ?? "ignore", "inherit"],
    env: { ...process.env, ...settings(folder), ASPNETCORE_URLS: url, ...env },
  });
  if (log !== undefined) closeSync(log);
  await untilReady(child, `${url}/health/live`);
  return {
    url,
    pid: child.pid ?? 0,
    readyAfterMs: performance.now() - startedAt,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    },
  };
}

export type RunningCommand = {
  readonly pid: number;
  /** `stderr`: what it wrote for people. */
  readonly end: Promise<{ readonly code: number | null; readonly stderr: string }>;
};

/** Starts a command of the host while it runs. */
export function startCommand(
  folder: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): RunningCommand {
  const child = spawn(process.execPath, [MAIN, ...words], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, ...settings(folder), ...env },
  });
  const exited = once(child, "exit");
  const end = async () => {
    const stderr = Buffer.concat(await Array.fromAsync(child.stderr))
      .toString()
      .trim();
    await exited;
    return { code: child.exitCode, stderr };
  };
  return { pid: child.pid ?? 0, end: end() };
}

/** Makes a token with the host's own command line. */
export async function makeToken(
  folder: string,
  env: Readonly<Record<string, string>> = {},
  { main = MAIN }: HostMain = {},
): Promise<string> {
  const args = [main, "token", "create", "--name", "bench", "--scopes", "read,write"];
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...settings(folder), ...env },
  });
  const chunks = await Array.fromAsync(child.stdout);
  return Buffer.concat(chunks).toString().trim();
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (address === null || typeof address === "string") throw new Error("no port was given");
  return address.port;
}

function settings(folder: string): Record<string, string> {
  return {
    ASPNETCORE_ENVIRONMENT: "Development",
    Host__DataPath: folder,
    Signing__SelfSigned__KeySize: "KeySize2048",
  };
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  const giveUpAt = performance.now() + STARTS_WITHIN_MS;
  while (performance.now() < giveUpAt) {
    if (child.exitCode !== null) throw new Error(`the host exited with ${child.exitCode}`);
    const answer = await fetch(url).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.status === 200) return;
    await delay(5);
  }
  throw new Error(`no 200 from ${url} within ${STARTS_WITHIN_MS} ms`);
}
