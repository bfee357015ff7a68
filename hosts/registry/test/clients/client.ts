import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type Ran = {
  readonly code: number | null;
  /** Standard output alone. */
  readonly stdout: string;
  /** Both streams, as a person at a terminal would see them. */
  readonly output: string;
};

export type RunOptions = {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
};

/** Runs a client to its end. Never rejects because of the client's exit code. */
export function run(
  command: string,
  args: readonly string[],
  { cwd, env = {}, timeoutMs = 240_000 }: RunOptions = {},
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      ...(cwd !== undefined && { cwd }),
      env: { ...clientEnvironment(), ...env },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: timeoutMs,
    });
    let stdout = "";
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      output += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, output }));
  });
}

/** True when the client is installed; otherwise prints a prominent line. */
export function hasClient(name: string): boolean {
  const isInstalled = spawnSync("sh", ["-c", `command -v ${name}`]).status === 0;
  if (!isInstalled)
    process.stderr.write(`\nSKIPPED: ${name} is not on the PATH; its suite does not run\n\n`);
  return isInstalled;
}

/** A temporary folder that is deleted after the test file. */
export async function openFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), "sealhouse-client-"));
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** The environment without what package managers set for their scripts: it would configure the
 * client. */
export function clientEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(?:npm_|pnpm_|NODE_OPTIONS$|VITEST|NODE_ENV$|CI$)/i.test(name),
    ),
  );
}
