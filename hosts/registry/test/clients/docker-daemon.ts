import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Tool } from "./oci-tools.ts";

/** A separate daemon with its own images. Requires root. */
export type DockerDaemon = AsyncDisposable & {
  /** For `DOCKER_HOST`. */
  readonly host: string;
};

const STARTS_WITHIN_MS = 60_000;

/** It takes registries of this machine without TLS. It has no network for containers. `mirror`: the
 * address of a mirror of Docker Hub. */
export async function openDockerDaemon(
  { command, env }: Tool,
  mirror?: string,
): Promise<DockerDaemon> {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "sealhouse-docker-"));
  opened.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  const host = `unix://${join(folder, "socket")}`;
  const child = spawn(
    command,
    [
      `--host=${host}`,
      `--pidfile=${join(folder, "pid")}`,
      `--data-root=${join(folder, "data")}`,
      `--exec-root=${join(folder, "exec")}`,
      "--iptables=false",
      "--ip6tables=false",
      "--bridge=none",
      "--storage-driver=vfs",
      ...(mirror === undefined ? [] : [`--registry-mirror=${mirror}`]),
    ],
    { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, ...env } },
  );
  const closed = once(child, "close");
  opened.defer(async () => {
    child.kill("SIGTERM");
    await closed;
  });
  await listening(child.stderr);
  // Otherwise it would block once the pipe is full.
  child.stderr.resume();
  const owned = opened.move();
  return { host, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function listening(log: NodeJS.ReadableStream): Promise<void> {
  const signal = AbortSignal.timeout(STARTS_WITHIN_MS);
  let text = "";
  const ended = once(log, "end", { signal }).then(() => undefined);
  while (!text.includes("API listen on")) {
    const chunk = await Promise.race([once(log, "data", { signal }), ended]);
    if (!chunk) throw new Error(`dockerd ended:\n${text.slice(-2_000)}`);
    text += String(chunk[0]);
  }
}
