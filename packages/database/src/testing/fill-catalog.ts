import { createHash } from "node:crypto";
import { parsePackageVersion } from "@sealhouse/nuget-protocol";
import type { DatabaseConfig } from "../connection-string.ts";
import { newestOf } from "../nuget/search/newest-versions.ts";
import { currentOf, entryRow } from "../nuget/search/search-index.ts";
import { SEARCH_WAYS } from "../nuget/search/search-ways.ts";
import { closeConnections, openConnections } from "../transactions/connections.ts";
import type { Connections } from "../transactions/connections.ts";
import type { Parameter, QueryPort } from "../raw/query-port.ts";
import { migrateDatabase } from "../schema/migrate-database.ts";
import { insertRows } from "./insert-rows.ts";
import { catalogPackages } from "./made-up-packages.ts";
import type { MadeUpPackage, MadeUpVersion } from "./made-up-packages.ts";

export type CatalogSizes = {
  readonly ids: number;
  /** Total versions of all packages; `Contoso.History` has up to 500 of them. */
  readonly versions: number;
};

const PACKAGES_AT_ONCE = 250;

/** Blobs come before the versions that refer to them. */
const TABLES = [
  "blobs",
  "nuget_packages",
  "nuget_versions",
  "nuget_dependencies",
  "nuget_search_entries",
] as const;
type Rows = Readonly<Record<(typeof TABLES)[number], Record<string, Parameter>[]>>;

/**
 * Migrates the database, and fills it with made-up NuGet packages by plain inserts, which takes
 * seconds where pushing them would take an hour. The same sizes always give the same packages. No
 * bytes are stored anywhere, so nothing can be downloaded. For a database without NuGet packages.
 */
export async function fillCatalog(config: DatabaseConfig, sizes: CatalogSizes): Promise<void> {
  await migrateDatabase(config);
  const connections = await openConnections(config);
  const { port } = connections;
  try {
    const last = { versionId: 0, packageId: 0 };
    let rows = noRows();
    for (const made of catalogPackages(sizes)) {
      last.packageId += 1;
      addPackage(rows, made, { packageId: last.packageId, before: last.versionId });
      last.versionId += made.versions.length;
      if (last.packageId % PACKAGES_AT_ONCE > 0) continue;
      await insertAll(port, rows);
      rows = noRows();
    }
    await insertAll(port, rows);
    await settle(connections);
  } finally {
    await closeConnections(connections);
  }
}

function noRows(): Rows {
  return {
    blobs: [],
    nuget_packages: [],
    nuget_versions: [],
    nuget_dependencies: [],
    nuget_search_entries: [],
  };
}

/** Ids are given by counting; `before` is the last one that a version has. */
function addPackage(
  rows: Rows,
  made: MadeUpPackage,
  { packageId, before }: { readonly packageId: number; readonly before: number },
): void {
  const { id, owners, publishedAt } = made;
  const versions = made.versions.map((version, index) => ({ ...version, id: before + index + 1 }));
  const newest = newestOf(versions.map((version) => ({ ...version, ...kindOf(version.version) })));
  const pointers = SEARCH_WAYS.map(({ property, column }) => [
    column,
    newest[property] ?? undefined,
  ]);
  rows.nuget_packages.push({
    id: packageId,
    lower_id: id.toLowerCase(),
    display_id: id,
    created_at: publishedAt,
    downloads: versions.reduce((sum, version) => sum + version.downloads, 0),
    owners: JSON.stringify(owners),
    ...Object.fromEntries(pointers),
  });
  for (const version of versions) {
    rows.blobs.push(blobRow(made, version));
    rows.nuget_versions.push(versionRow(made, version, packageId));
    const ways = SEARCH_WAYS.filter(({ property }) => newest[property] === version.id);
    if (ways.length === 0) continue;
    const entry = { packageId, versionId: version.id, ways: ways.map(({ word }) => word), owners };
    const { details, targetFrameworks, dependencyIds } = version;
    rows.nuget_search_entries.push(entryRow(entry, { id, details, targetFrameworks }));
    if (version.id !== currentOf(newest)) continue;
    const dependencies = dependencyIds.map((dependencyId) => ({
      package_id: packageId,
      dependency_id: dependencyId,
    }));
    rows.nuget_dependencies.push(...dependencies);
  }
}

type Numbered = MadeUpVersion & { readonly id: number };

function blobRow({ id, publishedAt }: MadeUpPackage, version: Numbered): Record<string, Parameter> {
  const digest = createHash("sha256").update(`${id} ${version.version}`).digest("hex");
  return {
    id: version.id,
    protocol: "nuget",
    digest: `sha256:${digest}`,
    size: version.size,
    storage_key: `nuget/blobs/sha256/${digest.slice(0, 2)}/${digest}.1`,
    state: "live",
    touched_at: publishedAt,
    created_at: publishedAt,
  };
}

function versionRow(
  { id, owners, publishedAt }: MadeUpPackage,
  made: Numbered,
  packageId: number,
): Record<string, Parameter> {
  const { version, details, targetFrameworks, dependencyIds, downloads, size } = made;
  const { isPrerelease, isSemVer2 } = kindOf(version);
  return {
    id: made.id,
    package_id: packageId,
    lower_version: version.toLowerCase(),
    display_id: id,
    version,
    full_version: version,
    is_prerelease: isPrerelease,
    is_sem_ver2: isSemVer2,
    listed: true,
    published_at: publishedAt,
    downloads,
    size,
    origin: "Published",
    published_by: owners[0] ?? "",
    target_frameworks: JSON.stringify(targetFrameworks),
    dependency_ids: JSON.stringify(dependencyIds),
    details,
    nuspec: Buffer.from(made.nuspec),
    sha512: `${"A".repeat(86)}==`,
    blob_id: made.id,
  };
}

function kindOf(text: string): { isPrerelease: boolean; isSemVer2: boolean } {
  const { isPrerelease = false, isSemVer2 = false } = parsePackageVersion(text) ?? {};
  return { isPrerelease, isSemVer2 };
}

async function insertAll(port: QueryPort, rows: Rows): Promise<void> {
  for (const table of TABLES) await insertRows(port, table, rows[table]);
}

/** Sets PostgreSQL's sequences after the inserts, and updates its table statistics. */
async function settle({ type, port }: Connections): Promise<void> {
  if (type !== "PostgreSQL") return;
  for (const table of ["blobs", "nuget_packages", "nuget_versions"]) {
    const sequence = `pg_get_serial_sequence('${table}', 'id')`;
    await port.all({ sql: `select setval(${sequence}, (select max(id) from ${table}))` }, []);
  }
  await port.all({ sql: "vacuum analyze" }, []);
}
