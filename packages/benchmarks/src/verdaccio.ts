import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "./host-process.ts";
import type { NpmFeed } from "./npm-packages.ts";
import { cpuSeconds } from "./process-figures.ts";

const VERSION = "6.10.4";
const STARTS_WITHIN_MS = 60_000;
/** One of its plug-ins asks for a dist-tag that not every registry has. */
const PACKAGE = { private: true, dependencies: { verdaccio: VERSION } };
const OVERRIDES = { "node-fetch": "2.7.0" };

/** With signed tokens: its own default compares a bcrypt hash with every request. */
const configurationOf = (uplink: string | undefined) => `storage: ./storage
auth: { htpasswd: { file: ./htpasswd, max_users: 10 } }
security: { api: { legacy: false, jwt: { sign: { expiresIn: 30d } } } }
uplinks: { ${uplink === undefined ? "" : `up: { url: "${uplink}", maxage: 5m }`} }
packages:
  '**':
    access: $all
    publish: $authenticated
    unpublish: $authenticated${uplink === undefined ? "" : "\n    proxy: up"}
max_body_size: 400mb
web: { enable: true }
log: { type: file, path: ./verdaccio.log, level: warn }
`;

export type Peer = AsyncDisposable &
  NpmFeed & {
    readonly pid: number;
    /** CPU seconds from spawn to the first 200. */
    readonly startCpuSeconds: number;
  };

/** The peer of the npm benchmarks, with an empty store in `folder` and a token to publish with.
 * Installed with npm when it is not there yet. `uplink`: the registry that it mirrors. */
export async function openVerdaccio(folder: string, uplink?: string): Promise<Peer> {
  const program = await installed();
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "config.yaml"), configurationOf(uplink));
  const address = `127.0.0.1:${await freePort()}`;
  const args = [program, "--config", join(folder, "config.yaml"), "--listen", address];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const url = `http://${address}`;
  const giveUpAt = performance.now() + STARTS_WITHIN_MS;
  while (!(await answers(url))) {
    if (performance.now() > giveUpAt) throw new Error("Verdaccio does not answer");
    await delay(50);
  }
  const startCpuSeconds = cpuSeconds(child.pid ?? 0);
  return {
    url,
    startCpuSeconds,
    token: await signUp(url),
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    },
  };
}

async function installed(): Promise<string> {
  const folder = join(tmpdir(), `sealhouse-bench-verdaccio-${VERSION}`);
  const program = join(folder, "node_modules", "verdaccio", "bin", "verdaccio");
  const isThere = await access(program).then(
    () => true,
    () => false,
  );
  if (isThere) return program;
  console.log(`installing Verdaccio ${VERSION} …`);
  await mkdir(folder, { recursive: true });
  const manifest = JSON.stringify({ ...PACKAGE, overrides: OVERRIDES });
  await writeFile(join(folder, "package.json"), manifest);
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  const child = spawn("npm", args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  await once(child, "close");
  if (child.exitCode !== 0) throw new Error(`npm install ended with ${child.exitCode}`);
  return program;
}

async function answers(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/-/ping`).catch(() => undefined);
  await answer?.arrayBuffer();
  return answer?.status === 200;
}

async function signUp(url: string): Promise<string> {
  const user = { name: "bench", password: "bench-password-1", type: "user", roles: [] };
  const answer = await fetch(`${url}/-/user/org.couchdb.user:bench`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ _id: "org.couchdb.user:bench", ...user }),
  });
  const { token } = (await answer.json()) as { token?: string };
  if (token === undefined) throw new Error(`Verdaccio gave no token: ${answer.status}`);
  return token;
}
