import { spawn } from "node:child_process";
import type { ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { createOutgoingFetch } from "@sealhouse/http-server";
import { COMPILED_CODE } from "./compiled-code.ts";

export type HostOptions = {
  /** Kept from one host to the next, and left there; without it the host has a temporary one. */
  readonly folder?: string;
  /** Settings, on top of those of Development with a small signing key. */
  readonly env?: Readonly<Record<string, string>>;
  readonly scheme?: "http" | "https";
  /** PEM file of the authority that `fetch` trusts when the host is https. */
  readonly authority?: string;
  /** Whether standard error has no reader, so that each write to it fails. */
  readonly closesStderr?: boolean;
  /** `dist/main.js` of another release; default: that of this clone. */
  readonly main?: string;
};

export type TokenWanted = {
  readonly name?: string;
  readonly scopes?: string;
  readonly expires?: string;
  readonly protocols?: string;
  readonly patterns?: string;
  readonly networks?: string;
};

/** A real host in its own process, as operators run it. Disposal stops it. */
export type TestHost = AsyncDisposable & {
  /** Without trailing slash. */
  readonly url: string;
  readonly pid: number;
  /** `Host__DataPath`, and its working folder. */
  readonly folder: string;
  /** The output so far, of both streams. */
  output(): string;
  /** `path` begins with a slash. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** By the host's own command line, while it runs. */
  makeToken(tokenOptions?: TokenWanted): Promise<string>;
  cli(...words: readonly string[]): Promise<CliResult>;
  /** Asks it to stop; resolves to its exit code. */
  stop(): Promise<number>;
  /** Closes the pipe of its log; resolves to its exit code. */
  closeLog(): Promise<number>;
  /** SIGKILL. */
  kill(): Promise<void>;
};

export type CliResult = {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
};

/** As operators run it; `tools/bundle-before-tests.ts` builds it when a source is newer. */
const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
const STARTS_WITHIN_MS = 60_000;

export async function startHost(options: HostOptions = {}): Promise<TestHost> {
  await using opened = new AsyncDisposableStack();
  const folder = options.folder ?? (await ownFolder(opened));
  await mkdir(folder, { recursive: true });
  const { scheme = "http", main = MAIN } = options;
  const env = {
    ...settingsFor(folder),
    ASPNETCORE_URLS: `${scheme}://127.0.0.1:0`,
    ...options.env,
  };
  const child = run([main, "serve"], folder, env);
  if (options.closesStderr) child.stderr.destroy();
  const output = collect(child);
  opened.defer(() => end(child, "SIGKILL").then(() => undefined));
  const port = await portOf(child, output);
  const url = scheme === "https" ? `https://localhost:${port}` : `http://127.0.0.1:${port}`;
  const ca =
    options.authority === undefined ? undefined : await readFile(options.authority, "utf8");
  const call = ca === undefined ? fetch : createOutgoingFetch({ allowPrivate: true, ca });
  const owned = opened.move();
  const cli = (...words: readonly string[]) => runCli(words, { folder, env, main });
  return {
    url,
    pid: child.pid ?? 0,
    folder,
    output,
    fetch: (path, init) => call(`${url}${path}`, init),
    makeToken: (details = {}) => makeToken(cli, details),
    cli,
    stop: () => end(child, "SIGTERM"),
    async closeLog() {
      const exited = once(child, "exit");
      child.stdout.destroy();
      return Number((await exited)[0]);
    },
    kill: async () => void (await end(child, "SIGKILL")),
    async [Symbol.asyncDispose]() {
      await end(child, "SIGTERM");
      await owned.disposeAsync();
    },
  };
}

type CliOptions = Pick<HostOptions, "env" | "closesStderr" | "main"> & {
  readonly folder: string;
  /** SIGKILL when it aborts; the exit code is -1 then. */
  readonly kill?: AbortSignal;
  /** SIGINT when it aborts, as Ctrl-C sends it. */
  readonly interrupt?: AbortSignal;
};

/** Runs `sealhouse` with these words to its end, on the settings of a host in `folder`. */
export async function runCli(
  words: readonly string[],
  { folder, env = {}, closesStderr = false, main = MAIN, kill, interrupt }: CliOptions,
): Promise<CliResult> {
  const child = run([main, ...words], folder, { ...settingsFor(folder), ...env });
  const exited = once(child, "close");
  kill?.addEventListener("abort", () => child.kill("SIGKILL"), { once: true });
  interrupt?.addEventListener("abort", () => child.kill("SIGINT"), { once: true });
  if (closesStderr) child.stderr.destroy();
  const [stdout, stderr] = await Promise.all([
    textOf(child.stdout),
    closesStderr ? "" : textOf(child.stderr),
  ]);
  await exited;
  return { code: child.exitCode ?? -1, stdout, stderr };
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

function run(args: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Child {
  return spawn(process.execPath, args, {
    cwd,
    env: { ...ownEnvironment(), ...COMPILED_CODE, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Variables of the machine or the test runner that must not configure the host. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const foreign = /__|^(?:ASPNETCORE|SEALHOUSE|VITEST|NODE_OPTIONS|NODE_ENV|NODE_V8)/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

function settingsFor(folder: string): Record<string, string> {
  return {
    ASPNETCORE_ENVIRONMENT: "Development",
    Host__DataPath: folder,
    Logging__Format: "Json",
    Signing__SelfSigned__KeySize: "KeySize2048",
  };
}

async function ownFolder(opened: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sealhouse-host-"));
  opened.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

function collect({ stdout, stderr }: Child): () => string {
  let text = "";
  for (const stream of [stdout, stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  }
  return () => text;
}

/** Read from the line that says that it listens. */
async function portOf(child: Child, output: () => string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const failed = (why: string) => reject(new Error(`The host ${why}:\n${output()}`));
  const timer = setTimeout(() => failed("did not start in time"), STARTS_WITHIN_MS);
  const look = () => {
    const port = /"urls":\["https?:\/\/[^"]*:(\d+)"/.exec(output())?.[1];
    if (port !== undefined) resolve(port);
  };
  child.stdout.on("data", look);
  child.once("close", (code) => failed(`ended with ${code}`));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    child.stdout.off("data", look);
  }
}

async function end(child: Child, signal: "SIGTERM" | "SIGKILL"): Promise<number> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, "close");
    child.kill(signal);
    await exited;
  }
  return child.exitCode ?? -1;
}

async function makeToken(
  cli: (...words: readonly string[]) => Promise<CliResult>,
  { name = "test", ...limits }: TokenWanted,
): Promise<string> {
  const options = Object.entries(limits).flatMap(([key, value]) => [`--${key}`, value]);
  const { code, stdout, stderr } = await cli("token", "create", "--name", name, ...options);
  if (code !== 0) throw new Error(`No token was made:\n${stderr}`);
  return stdout.trim();
}

async function textOf(stream: Readable): Promise<string> {
  return (await stream.setEncoding("utf8").toArray()).join("");
}
