import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { makeServerCertificate } from "../clients/certificate-authority.ts";
import { hasClient, run } from "../clients/client.ts";
import type { Ran } from "../clients/client.ts";
import { parseIni } from "../manual-page.ts";
import { podman } from "./container.ts";

const DEPLOY = fileURLToPath(new URL("../../../../deploy/", import.meta.url));
const STARTS_WITHIN_MS = 30_000;

/** A copy of the folder `deploy`, in which the commands of the pages run. */
export type Compose = AsyncDisposable & {
  /** PEM file of the authority of the certificate for nginx. */
  readonly authority: string;
  /** Runs the lines of a block, in the folder that has `deploy`; rejects when one fails. */
  shell(script: string): Promise<Ran>;
  /** Replaces settings in the file of settings of the host. */
  configure(settings: Readonly<Record<string, string>>): Promise<void>;
};

/** Whether there is an engine at `DOCKER_HOST`, or docker-compose for podman. */
export const hasCompose = (): boolean =>
  hasClient(process.env["DOCKER_HOST"] === undefined ? "docker-compose" : "docker");

/**
 * Copies `deploy` to `folder` and makes certificates. `env` has the values that differ from those
 * of the pages: images, ports, and the address of the store. The disposal removes the containers.
 */
export async function openCompose(
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<Compose> {
  const deploy = join(folder, "deploy");
  await cp(DEPLOY, deploy, { recursive: true });
  const certificates = join(deploy, "certificates");
  await mkdir(certificates);
  const files = await makeServerCertificate(folder);
  await cp(files.certificate, join(certificates, "packages.pem"));
  await cp(files.key, join(certificates, "packages.key"));
  const engine = await startEngine(folder);
  if (engine.usesPodman) await addAddressOption(join(deploy, "compose.yaml"));
  const COMPOSE_FILE = join(deploy, "compose.yaml");
  const variables = { COMPOSE_FILE, ...engine.env, ...env };
  const shell = async (script: string) => {
    const ran = await run("sh", ["-ec", script], { cwd: folder, env: variables });
    if (ran.code !== 0) throw new Error(`${script}\nended with ${ran.code}:\n${ran.output}`);
    return ran;
  };
  const settings = join(deploy, "settings.env");
  return {
    authority: files.authority,
    shell,
    configure: async (values) => {
      const all = { ...parseIni(await readFile(settings, "utf8")), ...values };
      const lines = Object.entries(all).map(([key, value]) => `${key}=${value}\n`);
      await writeFile(settings, lines.join(""));
    },
    async [Symbol.asyncDispose]() {
      const down = "docker compose down --volumes --timeout 20";
      await shell(`COMPOSE_PROFILES=single,cluster ${down}`).finally(() => engine.stop());
    },
  };
}

/** docker-compose finds a changed network unless the file has the option that podman reports. */
async function addAddressOption(file: string): Promise<void> {
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace(/^( *)ipam:\n/m, "$&$1  options: { driver: host-local }\n"));
}

type Engine = {
  readonly env: Readonly<Record<string, string>>;
  readonly usesPodman: boolean;
  readonly stop: () => Promise<void>;
};

/** Compose talks to `DOCKER_HOST`; without it, to a podman of the test. */
async function startEngine(folder: string): Promise<Engine> {
  if (process.env["DOCKER_HOST"] !== undefined)
    return { env: {}, usesPodman: false, stop: async () => undefined };
  const socket = join(folder, "engine.sock");
  const child = spawn("podman", ["system", "service", "--time=0", `unix://${socket}`], {
    stdio: "ignore",
  });
  const stop = async () => {
    const ended = once(child, "exit");
    child.kill();
    await ended;
  };
  for (const end = Date.now() + STARTS_WITHIN_MS; Date.now() < end; await sleep(100)) {
    const { code } = await podman("--url", `unix://${socket}`, "version");
    if (code !== 0) continue;
    const PATH = `${await writeDocker(folder)}:${process.env["PATH"]}`;
    return { env: { DOCKER_HOST: `unix://${socket}`, PATH }, usesPodman: true, stop };
  }
  await stop();
  throw new Error("podman system service does not answer");
}

/**
 * The program `docker` of the pages: `docker compose` is docker-compose, whose commands are the
 * same, and which starts `docker` itself for `exec` and `run`. Resolves to its folder.
 */
async function writeDocker(folder: string): Promise<string> {
  const programs = join(folder, "programs");
  await mkdir(programs);
  const lines = [
    "#!/bin/sh",
    'if [ "$1" = compose ]; then shift; exec docker-compose "$@"; fi',
    'if [ "$1" = --host ]; then shift 2; fi',
    'exec podman "$@"',
  ];
  await writeFile(join(programs, "docker"), `${lines.join("\n")}\n`, { mode: 0o755 });
  return programs;
}

/**
 * Forwards a free port of all interfaces to a server on loopback, which containers cannot reach
 * otherwise. The disposal ends all connections.
 */
export async function forwardTo(url: string): Promise<AsyncDisposable & { readonly port: number }> {
  const target = Number(new URL(url).port);
  const sockets = new Set<{ destroy(): void }>();
  const server = createServer((incoming) => {
    const outgoing = connect(target, "127.0.0.1");
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      socket.on("error", () => (incoming.destroy(), outgoing.destroy()));
    }
    incoming.pipe(outgoing).pipe(incoming);
  }).listen(0, "0.0.0.0");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("no port");
  return {
    port: address.port,
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
