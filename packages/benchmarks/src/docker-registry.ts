import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "./host-process.ts";

const STARTS_WITHIN_MS = 20_000;

export type ImagePeer = AsyncDisposable & { readonly url: string; readonly pid: number };

type RegistryOptions = {
  /** The registry that it mirrors. */
  readonly remote?: string;
  /** File of its access log. Default: it writes none. */
  readonly logTo?: string;
};

/** The peer of the image benchmarks, Debian's package `docker-registry`, without accounts;
 * undefined where the machine does not have it. */
export async function openDockerRegistry(
  folder: string,
  { remote, logTo }: RegistryOptions = {},
): Promise<ImagePeer | undefined> {
  await mkdir(folder, { recursive: true });
  const address = `127.0.0.1:${await freePort()}`;
  const configuration = join(folder, "config.yml");
  const log = logTo === undefined ? undefined : openSync(logTo, "a");
  const settings = { data: join(folder, "data"), address, remote, isLogging: log !== undefined };
  await writeFile(configuration, configurationOf(settings));
  const stdio = ["ignore", log ?? "ignore", "ignore"] as const;
  const child = spawn("docker-registry", ["serve", configuration], { stdio: [...stdio] });
  if (log !== undefined) closeSync(log);
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

type Configuration = {
  readonly data: string;
  readonly address: string;
  readonly remote: string | undefined;
  readonly isLogging: boolean;
};

function configurationOf({ data, address, remote, isLogging }: Configuration): string {
  return `version: 0.1
log: { level: error, accesslog: { disabled: ${!isLogging} } }
storage: { cache: { blobdescriptor: inmemory }, filesystem: { rootdirectory: "${data}" } }
http: { addr: "${address}" }
${remote === undefined ? "" : `proxy: { remoteurl: "${remote}" }\n`}`;
}

async function answers(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/v2/`).catch(() => undefined);
  await answer?.arrayBuffer();
  return answer?.status === 200;
}
