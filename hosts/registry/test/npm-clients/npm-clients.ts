import type { HostOptions, HostProcess } from "../../src/testing/index.ts";
import { spawnHost } from "../../src/testing/index.ts";
import { openFolder } from "../clients/client.ts";
import type { ClientName } from "./installed-clients.ts";
import { installedClients } from "./installed-clients.ts";
import type { ClientOptions, NpmClient } from "./npm-client.ts";
import { openNpmClient } from "./npm-client.ts";

export type NpmClients = AsyncDisposable & {
  readonly host: HostProcess;
  /** May read and write; what every client has to begin with. */
  readonly token: string;
  readonly all: readonly NpmClient[];
  client(name: ClientName): NpmClient;
  /** A second client of the same kind, with its own home and cache, as on another machine. */
  another(name: ClientName, options?: Partial<ClientOptions>): Promise<NpmClient>;
};

export type NpmClientsOptions = HostOptions & {
  /** Default: all that are installed. */
  readonly only?: readonly ClientName[];
  readonly scopes?: string;
};

/** A host in its own process, and the clients with a token for it. */
export async function openNpmClients(options: NpmClientsOptions = {}): Promise<NpmClients> {
  const { only = installedClients(), scopes = "read,write", ...hostOptions } = options;
  await using opened = new AsyncDisposableStack();
  const { path: folder } = opened.use(await openFolder());
  const host = opened.use(await spawnHost(hostOptions));
  const token = await host.makeToken({ name: "alice", scopes });
  const open = async (name: ClientName) =>
    opened.use(await openNpmClient(name, { folder, url: host.url, token }));
  const here = only.filter((name) => installedClients().includes(name));
  const all = await Promise.all(here.map((name) => open(name)));
  const owned = opened.move();
  return {
    host,
    token,
    all,
    client(name) {
      const npmClient = all.find((candidate) => candidate.name === name);
      if (!npmClient) throw new Error(`${name} was not opened`);
      return npmClient;
    },
    another: async (name, its = { token }) =>
      owned.use(await openNpmClient(name, { folder, url: host.url, ...its })),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** At most two at a time, which is what a small machine has processors for. */
export async function inParallel<T, R>(
  all: readonly T[],
  work: (element: T) => Promise<R>,
): Promise<readonly R[]> {
  const waiting = all.entries();
  const results: R[] = [];
  const worker = async (): Promise<void> => {
    for (const [index, value] of waiting) results[index] = await work(value);
  };
  await Promise.all([worker(), worker(), worker()]);
  return results;
}
