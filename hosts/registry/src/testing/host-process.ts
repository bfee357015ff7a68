import { spawn } from "node:child_process";
import type { ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { COMPILED_CODE } from "./compiled-code.ts";
import { openHost, runCli, settingsFor } from "./test-host.ts";
import type {
  CliOptions,
  CliResult,
  HostOptions,
  RunCli,
  RunningHost,
  TestHost,
} from "./test-host.ts";

export type ProcessOptions = HostOptions & {
  /** Whether standard error has no reader, so that each write to it fails. */
  readonly closesStderr?: boolean;
  /** `dist/main.js` of another release; default: that of this clone. */
  readonly main?: string;
};

/** A host in its own process, as operators run it. Disposal stops it. */
export type HostProcess = TestHost & {
  readonly pid: number;
  /** Closes the pipe of its log; resolves to its exit code. */
  closeLog(): Promise<number>;
  /** SIGKILL. */
  kill(): Promise<void>;
};

/** As operators run it; `tools/bundle-before-tests.ts` builds it when a source is newer. */
const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

export async function spawnHost(options: ProcessOptions = {}): Promise<HostProcess> {
  const { main, closesStderr = false } = options;
  const cli: RunCli = (words, on) =>
    spawnCli(words, { ...on, ...(main !== undefined && { main }) });
  const { running, ...host } = await openHost(
    options,
    (folder, env) => serve(main ?? MAIN, { folder, env, closesStderr }),
    // A token is the same, whichever process of this release makes it.
    { cli, create: main === undefined ? runCli : cli },
  );
  const { child } = running;
  return {
    ...host,
    pid: child.pid ?? 0,
    async closeLog() {
      const exited = once(child, "exit");
      child.stdout.destroy();
      return Number((await exited)[0]);
    },
    kill: async () => void (await end(child, "SIGKILL")),
  };
}

type SpawnOptions = CliOptions & {
  readonly closesStderr?: boolean;
  readonly main?: string;
  /** SIGKILL when it aborts; the exit code is -1 then. */
  readonly kill?: AbortSignal;
  /** SIGINT when it aborts, as Ctrl-C sends it. */
  readonly interrupt?: AbortSignal;
};

/** Runs `sealhouse` with these words to its end in its own process, as operators run it. */
export async function spawnCli(
  words: readonly string[],
  { folder, env = {}, closesStderr = false, main = MAIN, kill, interrupt }: SpawnOptions,
): Promise<CliResult> {
  const child = run([main, ...words], folder, env);
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

function serve(
  main: string,
  { folder, env = {}, closesStderr }: SpawnOptions,
): RunningHost & { readonly child: Child } {
  const child = run([main, "serve"], folder, env);
  if (closesStderr) child.stderr.destroy();
  let text = "";
  let look = () => {};
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      look();
    });
  }
  return {
    child,
    ended: once(child, "close").then(([code]) => (code === null ? -1 : Number(code))),
    output: () => text,
    onOutput: (called) => (look = called),
    stop: () => end(child, "SIGTERM"),
  };
}

function run(args: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Child {
  return spawn(process.execPath, args, {
    cwd,
    env: { ...COMPILED_CODE, ...settingsFor(cwd, env) },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function end(child: Child, signal: "SIGTERM" | "SIGKILL"): Promise<number> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, "close");
    child.kill(signal);
    await exited;
  }
  return child.exitCode ?? -1;
}

async function textOf(stream: Readable): Promise<string> {
  return (await stream.setEncoding("utf8").toArray()).join("");
}
