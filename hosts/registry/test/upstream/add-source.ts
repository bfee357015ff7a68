import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openDatabase } from "@sealhouse/database";
import type { TestHost } from "../../src/testing/index.ts";

export type NewSource = {
  readonly name: string;
  readonly protocol: "nuget" | "npm" | "oci";
  readonly url: string;
  /** Default 1. */
  readonly priority?: number;
  readonly strategy?: "IndexAndCache" | "CacheOnly" | "ProxyOnly";
  readonly signaturePolicy?: "Resign" | "Merge" | "TrustedCerts";
  readonly settings?: Readonly<Record<string, unknown>>;
};

/** Time after which a running host has read its sources again. */
const READ_AGAIN_MS = 2_100;

/** Adds sources on the same machine to a running host with SQLite, and waits until it uses them. */
export async function addSources(
  host: Pick<TestHost, "folder">,
  sources: readonly NewSource[],
): Promise<void> {
  for (const source of sources) await putSource(host, source);
  await sourcesRead();
}

/** Resolves when a running host uses the sources that are in its database now. */
export function sourcesRead(): Promise<void> {
  return delay(READ_AGAIN_MS);
}

/** The same for one source. */
export function addSource(host: Pick<TestHost, "folder">, source: NewSource): Promise<void> {
  return addSources(host, [source]);
}

async function putSource(host: Pick<TestHost, "folder">, source: NewSource): Promise<void> {
  const { name, protocol, url, settings } = source;
  const { priority = 1, strategy = "IndexAndCache", signaturePolicy = "Resign" } = source;
  await using database = await openDatabase({
    type: "Sqlite",
    path: join(host.folder, "sealhouse.db"),
  });
  const row = {
    name,
    protocol,
    url,
    type: "upstream",
    priority,
    strategy,
    signaturePolicy,
    isEnabled: true,
    settings: JSON.stringify({ allowPrivateNetwork: true, ...settings }),
  };
  await database.upstream.sources.put(row, { actor: "test" });
}
