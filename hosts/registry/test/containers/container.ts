import { setTimeout as sleep } from "node:timers/promises";
import { hasClient, run } from "../clients/client.ts";
import type { Ran } from "../clients/client.ts";
import type { Served } from "../artifacts.ts";

const STARTS_WITHIN_MS = 120_000;

/** A running container of the image. Disposal removes it, and leaves its volume. */
export type Container = AsyncDisposable &
  Served & {
    /** Runs a command in the container. */
    exec(...words: readonly string[]): Promise<Ran>;
    /** Sends SIGTERM; resolves to the exit code. */
    stop(): Promise<number>;
    logs(): Promise<string>;
  };

/**
 * The image of `hosts/registry/Containerfile` that the tests run. `tools/container-images.sh` builds
 * it. Without an image or podman the result is undefined, and a prominent line names what is missing.
 */
export function imageToRun(untested: string): string | undefined {
  const image = process.env["SEALHOUSE_IMAGE"];
  if (image === undefined) {
    process.stderr.write(`\nSKIPPED: SEALHOUSE_IMAGE names no image, so ${untested}\n\n`);
    return undefined;
  }
  return hasClient("podman") ? image : undefined;
}

/** Runs podman to its end, with `CONTAINERS_CONF` and the like from the environment. */
export function podman(...words: readonly string[]): Promise<Ran> {
  return run("podman", words);
}

/** A container of this id or name, when its host answers at `url`. Removes it otherwise. */
export async function openContainer(id: string, url: string): Promise<Container> {
  const logs = async () => (await podman("logs", id)).output;
  const container: Container = {
    url,
    fetch: (path, init) => fetch(new URL(path, url), init),
    exec: (...words) => podman("exec", id, ...words),
    logs,
    async stop() {
      await podman("stop", id);
      const state = await podman("inspect", "--format", "{{.State.ExitCode}}", id);
      return Number(state.stdout.trim());
    },
    async [Symbol.asyncDispose]() {
      await podman("rm", "--force", id);
    },
  };
  if (await answers(`${url}/health/ready`)) return container;
  const output = await logs();
  await container[Symbol.asyncDispose]();
  throw new Error(`the container is not ready:\n${output}`);
}

/** Resolves to true as soon as the address answers 200, to false after two minutes. */
export async function answers(url: string, call: typeof fetch = fetch): Promise<boolean> {
  for (const end = Date.now() + STARTS_WITHIN_MS; Date.now() < end; await sleep(100)) {
    const response = await call(url).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.status === 200) return true;
  }
  return false;
}
