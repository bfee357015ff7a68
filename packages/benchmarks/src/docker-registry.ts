import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "./host-process.ts";

const STARTS_WITHIN_MS = 20_000;

export type ImagePeer = AsyncDisposable & { readonly url: string; readonly pid: number };

/** The peer of the image benchmarks, Debian's package `docker-registry`, without accounts and
 * without an access log; undefined where the machine does not have it. `remote`: the registry that
 * it mirrors. */
export async function openDockerRegistry(
  folder: string,
  remote?: string,
): Promise<ImagePeer | undefined> {
  await mkdir(folder, { recursive: true });
  const address = `127.0.0.1:${await freePort()}`;
  const configuration = join(folder, "config.yml");
  await writeFile(configuration, configurationOf(join(folder, "data"), address, remote));
  const child = spawn("docker-registry", ["serve", configuration], { stdio: "ignore" });
  const missing = once(child, "error").then(() => true);
  const url = `http://${address}`;
  const giveUpAt = performance.now() + STARTS_WITHIN_MS;
  while (!(await answers(url))) {
    if (await Promise.race([missing, delay(50, false)])) return undefined;
    if (performance.now() > giveUpAt) throw new Error("docker-registry does not answer");
  }
  return {
    url,
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    },
  };
}

function configurationOf(data: string, address: string, remote: string | undefined): string {
  return `version: 0.1
log: { level: error, accesslog: { disabled: true } }
storage: { cache: { blobdescriptor: inmemory }, filesystem: { rootdirectory: "${data}" } }
http: { addr: "${address}" }
${remote === undefined ? "" : `proxy: { remoteurl: "${remote}" }\n`}`;
}

async function answers(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/v2/`).catch(() => undefined);
  await answer?.arrayBuffer();
  return answer?.status === 200;
}
