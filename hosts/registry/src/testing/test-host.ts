import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOutgoingFetch } from "@sealhouse/http-server";
import { noteExchange, noteHost } from "./host-notes.ts";

export type HostOptions = {
  /** Kept from one host to the next, and left there; without it the host has a temporary one. */
  readonly folder?: string;
  /** Settings, on top of those of Development with a small signing key. */
  readonly env?: Readonly<Record<string, string>>;
  readonly scheme?: "http" | "https";
  /** PEM file of the authority that `fetch` trusts when the host is https. */
  readonly authority?: string;
};

export type TokenWanted = {
  readonly name?: string;
  readonly scopes?: string;
  readonly expires?: string;
  readonly protocols?: string;
  readonly patterns?: string;
  readonly networks?: string;
};

/** A whole host with its settings, its log and its command line. Disposal stops it. */
export type TestHost = AsyncDisposable & {
  /** Without trailing slash. */
  readonly url: string;
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
};

export type CliResult = {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
};

export type CliOptions = Pick<HostOptions, "env"> & { readonly folder: string };

/** A host that was started, in this process or in another. */
export type RunningHost = {
  /** Resolves to the exit code when it has ended. */
  readonly ended: Promise<number>;
  readonly output: () => string;
  /** Calls `look` after each output. */
  readonly onOutput: (look: () => void) => void;
  readonly stop: () => Promise<number>;
};

const STARTS_WITHIN_MS = 60_000;

/**
 * Starts a host in this process, from the sources, in a fraction of the time that a process needs.
 * `spawnHost` starts one that a test may kill or measure, or that real clients use.
 */
export async function startHost(options: HostOptions = {}): Promise<TestHost> {
  return openHost(options, serveHere, { cli: runCli, create: runCli });
}

export type RunCli = (words: readonly string[], options: CliOptions) => Promise<CliResult>;

/** Opens a host that `run` starts with these settings. */
export async function openHost<Running extends RunningHost>(
  options: HostOptions,
  run: (folder: string, env: Readonly<Record<string, string>>) => Running,
  /** `cli` runs the commands of a test, `create` only `token create`. */
  { cli, create }: { readonly cli: RunCli; readonly create: RunCli },
): Promise<TestHost & { readonly running: Running }> {
  await using opened = new AsyncDisposableStack();
  const folder = options.folder ?? (await ownFolder(opened));
  await mkdir(folder, { recursive: true });
  const { scheme = "http", authority, env = {} } = options;
  const running = run(folder, { ASPNETCORE_URLS: `${scheme}://127.0.0.1:0`, ...env });
  opened.defer(() => running.stop().then(() => undefined));
  const port = await portOf(running);
  const url = scheme === "https" ? `https://localhost:${port}` : `http://127.0.0.1:${port}`;
  const ca = authority === undefined ? undefined : await readFile(authority, "utf8");
  const call = ca === undefined ? fetch : createOutgoingFetch({ allowPrivate: true, ca });
  const { output } = running;
  const notes = noteHost({ url, output });
  opened.defer(() => {
    notes.isClosed = true;
  });
  const owned = opened.move();
  return {
    running,
    url,
    folder,
    output,
    fetch(path, init) {
      const request = { method: init?.method ?? "GET", path };
      return noteExchange(notes, request, () => call(`${url}${path}`, init));
    },
    makeToken: (details = {}) => makeToken((words) => create(words, { folder, env }), details),
    cli: (...words) => cli(words, { folder, env }),
    stop: running.stop,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Runs `sealhouse` with these words in this process, on the settings of a host in `folder`. */
export async function runCli(
  words: readonly string[],
  { folder, env = {} }: CliOptions,
): Promise<CliResult> {
  let stdout = "";
  let stderr = "";
  const code = await runHere(words, {
    folder,
    env,
    stop: new AbortController().signal,
    stdout: (text) => (stdout += text),
    stderr: (text) => (stderr += text),
  });
  return { code, stdout, stderr };
}

function serveHere(folder: string, env: Readonly<Record<string, string>>): RunningHost {
  const stopping = new AbortController();
  let text = "";
  let look = () => {};
  const write = (more: string) => {
    text += more;
    look();
  };
  const ended = runHere(["serve"], {
    folder,
    env,
    stop: stopping.signal,
    stdout: write,
    stderr: write,
  });
  return {
    ended,
    output: () => text,
    onOutput: (called) => (look = called),
    stop() {
      stopping.abort();
      return ended;
    },
  };
}

type Here = {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stop: AbortSignal;
  readonly stdout: (text: string) => unknown;
  readonly stderr: (text: string) => unknown;
};

/** As `run-process.ts` does it for a process. */
async function runHere(
  words: readonly string[],
  { folder, env, stop, stdout, stderr }: Here,
): Promise<number> {
  // Loaded here: a file that only spawns hosts does not wait for these modules.
  const { runCommandLine } = await import("../commands/run.ts");
  const { printableLines } = await import("@sealhouse/command-line/printable");
  process.umask(OWNER_ONLY);
  return runCommandLine(words, {
    env: settingsFor(folder, env),
    workingFolder: folder,
    extensions: [],
    stop,
    stdout: (text) => stdout(text.endsWith("\n") ? text : `${text}\n`),
    stderr: (text) => stderr(`${printableLines(text)}\n`),
  });
}

const OWNER_ONLY = 0o077;

/** The environment of a host in a folder, without what would configure it by chance. */
export function settingsFor(
  folder: string,
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  return {
    ...ownEnvironment(),
    ASPNETCORE_ENVIRONMENT: "Development",
    Host__DataPath: folder,
    Logging__Format: "Json",
    Signing__SelfSigned__KeySize: "KeySize2048",
    ...env,
  };
}

/** Leaves out variables of the machine or the test runner that must not configure the host. */
function ownEnvironment(): Record<string, string> {
  const foreign = /__|^(?:ASPNETCORE|SEALHOUSE|VITEST|NODE_OPTIONS|NODE_ENV|NODE_V8)/i;
  const own = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  return Object.fromEntries(own.map(([name, value = ""]) => [name, value]));
}

async function ownFolder(opened: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sealhouse-host-"));
  opened.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** Read from the line that says that it listens. */
async function portOf({ ended, output, onOutput }: RunningHost): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const failed = (why: string) => reject(new Error(`The host ${why}:\n${output()}`));
  const timer = setTimeout(() => failed("did not start in time"), STARTS_WITHIN_MS);
  onOutput(() => {
    const port = /"urls":\["https?:\/\/[^"]*:(\d+)"/.exec(output())?.[1];
    if (port !== undefined) resolve(port);
  });
  void ended.then(
    (code) => failed(`ended with ${code}`),
    (error: unknown) => reject(error),
  );
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    onOutput(() => {});
  }
}

async function makeToken(
  cli: (words: readonly string[]) => Promise<CliResult>,
  { name = "test", ...limits }: TokenWanted,
): Promise<string> {
  const options = Object.entries(limits).flatMap(([key, value]) => [`--${key}`, value]);
  const { code, stdout, stderr } = await cli(["token", "create", "--name", name, ...options]);
  if (code !== 0) throw new Error(`No token was made:\n${stderr}`);
  return stdout.trim();
}
