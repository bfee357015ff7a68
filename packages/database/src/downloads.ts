import type { Protocol } from "@sealhouse/request-types";
import { param } from "./statements/kinds.ts";
import type { Queries } from "./statements/queries.ts";
import { defineStatement } from "./statements/statement.ts";

/** Pulls of one version since the last flush. OCI: repository and tag or digest. */
export type DownloadCount = {
  readonly protocol: Protocol;
  readonly name: string;
  readonly version: string;
  readonly count: number;
};

/** Stored download counts. */
export interface Downloads {
  /** Adds counts, and records the time for NuGet versions; ignores unknown versions. */
  add(counts: readonly DownloadCount[]): Promise<void>;
}

const COUNT = { count: param.whole };

const NUGET_VERSION = defineStatement(
  "nuget-downloads",
  { ...COUNT, now: param.time, id: param.text(128), version: param.text(256) },
  (db, { count, now, id, version }) =>
    db
      .updateTable("nuget_versions")
      .set((row) => ({ downloads: row("downloads", "+", count), downloaded_at: now }))
      .where("lower_version", "=", version)
      .where("package_id", "=", (row) =>
        row.selectFrom("nuget_packages").select("id").where("lower_id", "=", id),
      ),
);
const NUGET_PACKAGE = defineStatement(
  "nuget-package-downloads",
  { ...COUNT, id: param.text(128) },
  (db, { count, id }) =>
    db
      .updateTable("nuget_packages")
      .set((row) => ({ downloads: row("downloads", "+", count) }))
      .where("lower_id", "=", id),
);
const NPM = defineStatement(
  "npm-downloads",
  { ...COUNT, name: param.text(214), version: param.text(256) },
  (db, { count, name, version }) =>
    db
      .updateTable("npm_versions")
      .set((row) => ({ downloads: row("downloads", "+", count) }))
      .where("version", "=", version)
      .where("package_id", "=", (row) =>
        row.selectFrom("npm_packages").select("id").where("name", "=", name),
      ),
);
const OCI = defineStatement(
  "oci-pulls",
  { ...COUNT, name: param.text(255) },
  (db, { count, name }) =>
    db
      .updateTable("oci_repositories")
      .set((row) => ({ pulls: row("pulls", "+", count) }))
      .where("name", "=", name),
);

export function createDownloads(queries: Queries, now: () => Date): Downloads {
  return {
    async add(counts) {
      for (const counted of counts) await addOne(queries, counted, now());
    },
  };
}

async function addOne(queries: Queries, counted: DownloadCount, now: Date): Promise<void> {
  const { protocol, name, version, count } = counted;
  switch (protocol) {
    case "nuget": {
      const id = name.toLowerCase();
      await queries.run(NUGET_VERSION, { count, now, id, version: version.toLowerCase() });
      await queries.run(NUGET_PACKAGE, { count, id });
      return;
    }
    case "npm":
      await queries.run(NPM, { count, name, version });
      return;
    case "oci":
      await queries.run(OCI, { count, name });
  }
}
