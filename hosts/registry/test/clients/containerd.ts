import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Ran } from "./client.ts";
import { hasClient } from "./client.ts";
import type { Tool } from "./oci-tools.ts";
import { runTool } from "./oci-tools.ts";

/** A containerd with its own images. Requires root. */
export type Containerd = AsyncDisposable & {
  /** Pulls an image, and unpacks its layers. `user`: a name and a password with `:` between them. */
  pull(image: string, options?: { readonly user?: string }): Promise<Ran>;
};

/** The containerd in the packages of the docker daemon, or on the PATH. Undefined, with a prominent
 * line, when both lack it. */
export function findContainerd(dockerd: Tool | undefined): Tool | undefined {
  const command = dockerd && join(dirname(dirname(dockerd.command)), "bin", "containerd");
  if (command !== undefined && existsSync(command)) return { env: {}, ...dockerd, command };
  return hasClient("containerd") && hasClient("ctr")
    ? { command: "containerd", env: {} }
    : undefined;
}

/** Plugins that need modules of the kernel or other daemons. */
const DISABLED = ["grpc.v1.cri", "snapshotter.v1.overlayfs", "snapshotter.v1.btrfs"];
const STARTS_WITHIN_MS = 30_000;

/** It asks `mirror` alone for the images of `registry`. */
export async function openContainerd(
  { command, env }: Tool,
  { registry, mirror }: { readonly registry: string; readonly mirror: string },
): Promise<Containerd> {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "sealhouse-containerd-"));
  opened.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  const hosts = join(folder, "hosts");
  const socket = join(folder, "socket");
  await mkdir(join(hosts, registry), { recursive: true });
  const host = `server = "${mirror}"\n[host."${mirror}"]\ncapabilities = ["pull", "resolve"]\n`;
  await writeFile(join(hosts, registry, "hosts.toml"), host);
  const config = [
    "version = 2",
    `root = "${join(folder, "root")}"`,
    `state = "${join(folder, "state")}"`,
    `disabled_plugins = ${JSON.stringify(DISABLED.map((name) => `io.containerd.${name}`))}`,
    "[grpc]",
    `address = "${socket}"`,
  ];
  await writeFile(join(folder, "config.toml"), config.join("\n"));
  const child = spawn(command, ["--config", join(folder, "config.toml")], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, ...env },
  });
  const closed = once(child, "close");
  opened.defer(async () => {
    child.kill("SIGTERM");
    await closed;
  });
  await booted(child.stderr);
  // Otherwise it would block once the pipe is full.
  child.stderr.resume();
  const ctr = { command: command.replace(/containerd$/, "ctr"), env };
  const owned = opened.move();
  return {
    pull(image, { user } = {}) {
      const login = user === undefined ? [] : ["--user", user];
      const words = ["--address", socket, "images", "pull", "--hosts-dir", hosts, ...login];
      return runTool(ctr, [...words, "--snapshotter", "native", image]);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function booted(log: NodeJS.ReadableStream): Promise<void> {
  const signal = AbortSignal.timeout(STARTS_WITHIN_MS);
  let text = "";
  const ended = once(log, "end", { signal }).then(() => undefined);
  while (!text.includes("successfully booted")) {
    const chunk = await Promise.race([once(log, "data", { signal }), ended]);
    if (!chunk) throw new Error(`containerd ended:\n${text.slice(-2_000)}`);
    text += String(chunk[0]);
  }
}
