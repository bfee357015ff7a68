import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { run } from "../clients/client.ts";

const VERSION = "6.10.4";
const STARTS_WITHIN_MS = 60_000;
/** Kept between runs. */
const CACHE = join(
  process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"),
  "sealhouse-tests",
  `verdaccio-${VERSION}`,
);
/** One of its plug-ins asks for a dist-tag that not every registry has. */
const MANIFEST = {
  private: true,
  dependencies: { verdaccio: VERSION },
  overrides: { "node-fetch": "2.7.0" },
};
const CONFIGURATION = `storage: ./storage
auth: { htpasswd: { file: ./htpasswd, max_users: 10 } }
security: { api: { legacy: false, jwt: { sign: { expiresIn: 1d } } } }
uplinks: {}
packages: { '**': { access: $all, publish: $authenticated, unpublish: $authenticated } }
log: { type: file, path: ./verdaccio.log, level: warn }
`;

/** A Verdaccio in its own process, with a user who may publish. */
export type Verdaccio = AsyncDisposable & { readonly url: string; readonly token: string };

/** Installs Verdaccio with npm once. Undefined, with a prominent line, when it is not available. */
export async function installedVerdaccio(): Promise<string | undefined> {
  const program = join(CACHE, "node_modules", "verdaccio", "bin", "verdaccio");
  if (existsSync(program)) return program;
  await mkdir(CACHE, { recursive: true });
  await writeFile(join(CACHE, "package.json"), JSON.stringify(MANIFEST));
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  const { output } = await run("npm", args, { cwd: CACHE });
  if (existsSync(program)) return program;
  process.stderr.write(
    `\nSKIPPED: Verdaccio is not available, its cases do not run: ${output}\n\n`,
  );
  return undefined;
}

/** Starts it with an empty store in `folder`. */
export async function startVerdaccio(program: string, folder: string): Promise<Verdaccio> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "config.yaml"), CONFIGURATION);
  const address = `127.0.0.1:${await freePort()}`;
  const args = [program, "--config", join(folder, "config.yaml"), "--listen", address];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: "ignore" });
  const url = `http://${address}`;
  const end = async () => {
    if (child.exitCode !== null || !child.kill("SIGKILL")) return;
    await once(child, "exit");
  };
  try {
    const giveUpAt = performance.now() + STARTS_WITHIN_MS;
    while (!(await answers(url))) {
      if (performance.now() > giveUpAt) throw new Error("Verdaccio does not answer");
      await delay(100);
    }
    return { url, token: await signUp(url), [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function answers(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/-/ping`).catch(() => undefined);
  await answer?.arrayBuffer();
  return answer?.status === 200;
}

async function signUp(url: string): Promise<string> {
  const id = "org.couchdb.user:ci";
  const user = { name: "ci", password: "a password 1", type: "user", roles: [] };
  const answer = await fetch(`${url}/-/user/${id}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ _id: id, ...user }),
  });
  const { token } = (await answer.json()) as { token?: string };
  if (token === undefined) throw new Error(`Verdaccio gave no token: ${answer.status}`);
  return token;
}
