import { join } from "node:path";
import { openDatabase } from "@sealhouse/database";
import type { TestHost } from "../../src/testing/index.ts";

export type NewSource = {
  readonly name: string;
  readonly protocol: "nuget" | "npm" | "oci";
  readonly url: string;
  readonly strategy?: "IndexAndCache" | "CacheOnly" | "ProxyOnly";
  readonly settings?: Readonly<Record<string, unknown>>;
};

/** Adds a source on the same machine to a running host with SQLite. It applies after two seconds. */
export async function addSource(host: TestHost, source: NewSource): Promise<void> {
  const { name, protocol, url, strategy = "IndexAndCache", settings } = source;
  await using database = await openDatabase({
    type: "Sqlite",
    path: join(host.folder, "sealhouse.db"),
  });
  const row = {
    name,
    protocol,
    url,
    type: "upstream",
    priority: 1,
    strategy,
    signaturePolicy: "Resign",
    isEnabled: true,
    settings: JSON.stringify({ allowPrivateNetwork: true, ...settings }),
  };
  await database.upstream.sources.put(row, { actor: "test" });
}
