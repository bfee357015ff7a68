import { join } from "node:path";
import { openDatabase } from "@sealhouse/database";
import { vi } from "vitest";
import type { TestHost } from "../../src/testing/index.ts";

export type TestNuGetSource = {
  readonly name: string;
  /** The service index. */
  readonly url: URL;
  readonly signaturePolicy?: "Resign" | "Merge" | "TrustedCerts";
  readonly strategy?: "IndexAndCache" | "CacheOnly" | "ProxyOnly";
  readonly settings?: Readonly<Record<string, unknown>>;
};

/** Adds a source to the database of a running host. */
export async function putNuGetSource(
  host: Pick<TestHost, "folder">,
  {
    name,
    url,
    signaturePolicy = "Resign",
    strategy = "IndexAndCache",
    settings = {},
  }: TestNuGetSource,
): Promise<void> {
  const path = join(host.folder, "sealhouse.db");
  await using database = await openDatabase({ type: "Sqlite", path });
  const row = {
    name,
    protocol: "nuget",
    url: url.href,
    type: "upstream",
    priority: 1,
    strategy,
    signaturePolicy,
    isEnabled: true,
    settings: JSON.stringify({ allowPrivateNetwork: true, ...settings }),
  };
  await database.upstream.sources.put(row, { actor: "test" });
}

/** Waits until the host has read the list of sources, which it does every two seconds. `id`: of a
 * package of the source. */
export async function awaitSource(host: Pick<TestHost, "fetch">, id: string): Promise<void> {
  const list = `/v3/package/${id.toLowerCase()}/index.json`;
  const isThere = async () => (await host.fetch(list)).status === 200;
  await vi.waitUntil(isThere, { timeout: 20_000 });
}
