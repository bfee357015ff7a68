import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { DatabaseConfig } from "@sealhouse/database";
import { openTestPlace } from "@sealhouse/database/testing";
import { startFaultProxy } from "@sealhouse/storage-providers/testing";
import type { FaultProxy } from "@sealhouse/storage-providers/testing";
import type { Radosgw } from "../../../../packages/storage-aws-s3/src/testing/index.ts";
import { startRadosgw } from "../../../../packages/storage-aws-s3/src/testing/index.ts";
import type { CliResult, HostProcess } from "../../src/testing/index.ts";
import { databaseSettings, spawnHost } from "../../src/testing/index.ts";
import { freePort } from "../free-port.ts";
import { openFolder } from "./client.ts";
import type { Balancer } from "./nginx.ts";
import { startBalancer } from "./nginx.ts";

/** The numbers of the instances. */
export type Index = 0 | 1 | 2;
export const ALL: readonly Index[] = [0, 1, 2];

/** Three equal instances on PostgreSQL and radosgw behind nginx. Disposal ends all of them. */
export type Instances = AsyncDisposable & {
  /** The instance that runs with this number now. */
  at(index: Index): HostProcess;
  /** All instances through nginx. */
  readonly front: Front;
  readonly database: DatabaseConfig;
  readonly radosgw: Radosgw;
  /** Faults between the instances and radosgw. */
  readonly store: FaultProxy;
  readonly settings: Readonly<Record<string, string>>;
  /** Runs `sealhouse` with the settings of all. */
  cli(...words: readonly string[]): Promise<CliResult>;
  makeToken: HostProcess["makeToken"];
  /** Number of NuGet signatures that all instances have made. */
  signatureCount(): Promise<number>;
  /** Number of keys in the key ring. */
  keyCount(): Promise<number>;
  /** Kills an instance with SIGKILL. */
  kill(index: Index): Promise<void>;
  /** Starts an instance again at its address. */
  restart(index: Index): Promise<void>;
};

/** The balancer with the `fetch` of a host. */
export type Front = Balancer & Pick<HostProcess, "fetch">;

const SIGNING = fileURLToPath(
  new URL("../../src/testing/signing-mode-stand-in.ts", import.meta.url),
);

/**
 * Starts the instances. Each has its own data folder; all have the database, the bucket, the
 * key ring and the pepper. `prepare` runs before, with one host that does
 * not sign and has neither their key ring nor npm packages.
 */
export async function openInstances(
  options: {
    readonly prepare?: (host: HostProcess) => Promise<void>;
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): Promise<Instances> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await openFolder()).path;
  const [place, radosgw] = await Promise.all([openTestPlace("PostgreSQL"), startRadosgw()]);
  opened.use(place);
  opened.use(radosgw);
  const store = opened.use(await startFaultProxy(radosgw.url));
  const port = await freePort();
  const settings = {
    Feed__PublicBaseUrl: `http://127.0.0.1:${port}`,
    ...databaseSettings(place.config),
    ...radosgw.settingsFor(await radosgw.createBucket(), store.url),
    Host__TokenHashPepper: randomBytes(32).toString("base64"),
    Host__DataProtection__KeyPath: join(folder, "keys"),
    Feed__Authentication__AllowAnonymousPull: "true",
    ...options.env,
  };
  const signing = {
    Signing__Mode: "StandIn",
    Host__Extensions__0: SIGNING,
    Signing__StandIn__Folder: folder,
  };
  const start = (index: Index, env: Readonly<Record<string, string>>): Promise<HostProcess> =>
    spawnHost({ folder: join(folder, `instance-${index}`), env: { ...settings, ...env } });
  {
    const own = { Feed__Npm__Enabled: "false", Host__DataProtection__KeyPath: `${folder}/first` };
    await using first = await start(0, { ...own, Signing__Mode: "" });
    await options.prepare?.(first);
  }
  // All three start at the same moment.
  const hosts = await Promise.all(ALL.map((index) => start(index, signing)));
  const addresses = hosts.map(({ url }) => url);
  opened.defer(async () => {
    await Promise.all(hosts.map((host) => host[Symbol.asyncDispose]()));
  });
  const at = (index: Index): HostProcess => {
    const host = hosts[index];
    if (host === undefined) throw new TypeError(`no instance ${index}`);
    return host;
  };
  const nginx = opened.use(await startBalancer(hosts, { folder, port }));
  const owned = opened.move();
  return {
    at,
    front: { ...nginx, fetch: (path, init) => fetch(`${nginx.url}${path}`, init) },
    database: place.config,
    radosgw,
    store,
    settings,
    cli: (...words) => at(0).cli(...words),
    makeToken: (token) => at(0).makeToken(token),
    async signatureCount() {
      const lines = await readFile(join(folder, "signatures"), "utf8").catch(() => "");
      return lines.split("\n").length - 1;
    },
    keyCount: async () => (await readdir(join(folder, "keys"))).length,
    kill: (index) => at(index).kill(),
    async restart(index) {
      await at(index)[Symbol.asyncDispose]();
      hosts[index] = await start(index, { ...signing, ASPNETCORE_URLS: addresses[index] ?? "" });
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The fixture of the tests. */
export type InstanceParts = {
  readonly all: Instances;
  readonly store: FaultProxy;
  /** May read, write and delete. */
  readonly token: string;
};
