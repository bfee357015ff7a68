import { existsSync } from "node:fs";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { AsyncDisposableStack } from "@sealhouse/disposable-stack";
import { hostSocketOf, listenForCommands } from "@sealhouse/command-line/running";
import { listen } from "@sealhouse/http-server";
import type { HttpServer } from "@sealhouse/http-server";
import { openPepper } from "@sealhouse/identity";
import { restrictToOwner } from "@sealhouse/storage-providers";
import { ownCommand } from "../command-name.ts";
import { createLog } from "../log.ts";
import type { Log } from "../log.ts";
import { openRegistry } from "../registry.ts";
import type { Registry } from "../registry.ts";
import { recordRunningHost } from "../running-hosts.ts";
import { readCertificate } from "../settings/certificate.ts";
import type { Config } from "../settings/config.ts";
import { VERSION } from "../version.ts";
import { checkFolders } from "../wiring/resources/check-folders.ts";
import { shownSettings } from "./config.ts";
import type { HostCommand } from "./host-command.ts";
import { writtenSettings } from "./settings-fingerprint.ts";

/** Runs the host until it is asked to stop. */
export async function serve(command: HostCommand): Promise<number> {
  const { config, warnings } = command.load();
  const log = createLog(config.host.log, command.stdout);
  for (const warning of warnings) log.warn({}, warning);
  const isFirstStart = !existsSync(config.dataPath);
  const { extensions, stop } = command;
  await checkFolders(config);
  await restrictFolders(config, log);
  await using registry = await openRegistry(config, {
    log,
    extensions,
    stop,
    shownSettings: () => shownSettings(command),
  });
  const pepper = await openPepper(config.host.pepper);
  using _ = recordRunningHost(command, { database: config.database, pepper });
  await using opened = new AsyncDisposableStack();
  opened.use(await answerCommands(command, { config, registry, log }));
  const server = await open(config, registry, log);
  log.info({ urls: server.urls, environment: config.environment, version: VERSION }, "listening");
  if (config.development && isFirstStart)
    await welcome({ config, ...registry, ...server }, command);
  await offerAdministrator(registry, server, command).catch((error: unknown) => {
    log.warn({ err: error }, "could not create the link of the first administrator");
  });
  prepare(registry, log);
  if (!stop.aborted) await once(stop, "abort");
  await close(server, config, log);
  return 0;
}

function open({ host }: Config, registry: Registry, { logsReads }: Log): Promise<HttpServer> {
  const { addresses, idleTimeoutMs, certificate } = host;
  const answer = getRequestListener((request, env) => registry.fetch(request, env));
  return listen({
    addresses,
    idleTimeoutMs,
    ...(certificate && { certificate: readCertificate(certificate) }),
    async listener(incoming, outgoing) {
      registry.observe(incoming, outgoing);
      const isAnswered = !logsReads && (await registry.answerStored(incoming, outgoing));
      if (!isAnswered) await answer(incoming, outgoing);
    },
  });
}

/** Commands of the same user and settings run in this process. */
async function answerCommands(
  { env, workingFolder, args }: HostCommand,
  {
    config,
    registry,
    log,
  }: { readonly config: Config; readonly registry: Registry; readonly log: Log },
): Promise<AsyncDisposable | undefined> {
  const path = hostSocketOf(config.dataPath);
  if (path === undefined) return undefined;
  const { fingerprint } = writtenSettings({ args, env, workingFolder });
  const introduction = { version: VERSION, settings: fingerprint };
  try {
    return await listenForCommands(path, introduction, registry.commandActions);
  } catch (error) {
    // Commands open the parts of the registry themselves.
    log.warn({ err: error, path }, "commands cannot reach this host");
    return undefined;
  }
}

/** In the background: making an RSA key takes seconds, and only a push has to wait for it. */
function prepare(registry: Registry, log: Log): void {
  registry.prepare().catch((error: unknown) => {
    log.error({ err: error }, "could not make the signing certificate; will retry");
  });
}

async function close(server: HttpServer, { host }: Config, log: Log): Promise<void> {
  if (host.shutdownDelayMs > 0) {
    log.info({ ms: host.shutdownDelayMs }, "stopping: not ready, and serving until the delay ends");
    await delay(host.shutdownDelayMs);
  }
  log.info({}, "stopping: running requests may finish");
  const cut = await server.stop(host.shutdownTimeoutMs);
  if (cut > 0) log.warn({ aborted: cut }, "aborted requests after the shutdown timeout");
  log.info({}, "stopped");
}

/** Prints the link of the first administrator. It is a secret, so it is not in the log. */
async function offerAdministrator(
  registry: Registry,
  { urls }: HttpServer,
  { stderr }: HostCommand,
): Promise<void> {
  const secret = await registry.offerFirstAdministrator();
  if (secret === undefined) return;
  const { port, protocol } = new URL(urls[0] ?? "http://localhost");
  const home = `${protocol}//localhost${port === "" ? "" : `:${port}`}`;
  stderr("To become the first administrator, open this link within ten minutes on this machine:");
  stderr(`  ${home}/first-administrator/${secret}\n`);
}

type WelcomeParts = Pick<Registry, "protocols"> &
  Pick<HttpServer, "urls"> & { readonly config: Config };

async function welcome(
  { config, protocols, urls }: WelcomeParts,
  { stderr }: HostCommand,
): Promise<void> {
  const { guideFor, parsePublicAddress } = await import("@sealhouse/console");
  const address = parsePublicAddress(config.feed.publicBaseUrls[0] ?? urls[0] ?? "");
  if (!address) return;
  const { feed, host } = config;
  const shown = { name: host.serverName, anonymousRead: feed.anonymousPull, latest: [] };
  stderr(`\n${host.serverName} is at ${address.base}/ and keeps its data in ${config.dataPath}.\n`);
  stderr("Create a token to push with (it is printed once):");
  stderr(`  ${ownCommand(process, config)} token create --name laptop --scopes read,write\n`);
  for (const protocol of protocols) {
    const guide = guideFor(protocol, address, shown);
    stderr(`${guide.title}:`);
    for (const line of guide.steps[0]?.lines ?? []) stderr(`  ${line}`);
  }
  stderr("");
}

type OwnedFolders = Pick<Config, "dataPath" | "database" | "storage" | "host">;

/** Restricts the folders and files that the host keeps to their owner. */
function restrictFolders(config: OwnedFolders, log: Log): ReturnType<typeof restrictToOwner> {
  return restrictToOwner({ folders: foldersOf(config), files: databaseFiles(config), log });
}

/** Without those that lie in another one. */
function foldersOf({ dataPath, storage, host }: OwnedFolders): readonly string[] {
  const stored = storage.type === "FileSystem" ? [storage.path] : [];
  const all = [...new Set([dataPath, host.keyRing.path, ...stored])];
  return all.filter((path) => !all.some((other) => path.startsWith(join(other, "/"))));
}

function databaseFiles({ database }: OwnedFolders): readonly string[] {
  if (database.type !== "Sqlite") return [];
  return ["", "-wal", "-shm"].map((end) => `${database.path}${end}`);
}
