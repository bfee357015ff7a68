import { createHash } from "node:crypto";
import type { DatabaseConfig } from "../connection-string.ts";
import { entryWords } from "../npm/search/npm-words.ts";
import type { Parameter } from "../raw/query-port.ts";
import { migrateDatabase } from "../schema/migrate-database.ts";
import { closeConnections, openConnections } from "../transactions/connections.ts";
import type { Connections } from "../transactions/connections.ts";
import { insertRows } from "./insert-rows.ts";
import { npmPackages } from "./made-up-npm-packages.ts";
import type { MadeUpNpmPackage } from "./made-up-npm-packages.ts";

const PACKAGES_AT_ONCE = 500;
const AT = new Date("2026-01-01T00:00:00.000Z");

/** Referenced rows come first. */
const TABLES = [
  "blobs",
  "npm_packages",
  "npm_versions",
  "npm_tags",
  "npm_dependencies",
  "npm_search_entries",
  "name_settings",
] as const;
type Rows = Record<(typeof TABLES)[number], Record<string, Parameter>[]>;

/**
 * Migrates the database, and fills it with made-up npm packages of one version by plain inserts. No
 * bytes are stored anywhere, so nothing can be downloaded. For a database without packages.
 */
export async function fillNpmCatalog(config: DatabaseConfig, count: number): Promise<void> {
  await migrateDatabase(config);
  const connections = await openConnections(config);
  try {
    let rows = noRows();
    let id = 0;
    for (const made of npmPackages(count)) {
      id += 1;
      addPackage(rows, made, id);
      if (id % PACKAGES_AT_ONCE > 0) continue;
      await insertAll(connections, rows);
      rows = noRows();
    }
    await insertAll(connections, rows);
    if (connections.type === "PostgreSQL") await settle(connections);
  } finally {
    await closeConnections(connections);
  }
}

function noRows(): Rows {
  return {
    blobs: [],
    npm_packages: [],
    npm_versions: [],
    npm_tags: [],
    npm_dependencies: [],
    npm_search_entries: [],
    name_settings: [],
  };
}

function addPackage(rows: Rows, made: MadeUpNpmPackage, id: number): void {
  const { name, version, description, keywords, deprecated } = made;
  const maintainers = JSON.stringify(made.maintainers.map((handle) => ({ name: handle })));
  const digest = createHash("sha256").update(name).digest("hex");
  rows.blobs.push({
    id,
    protocol: "npm",
    digest: `sha256:${digest}`,
    size: 10_000,
    storage_key: `npm/blobs/sha256/${digest.slice(0, 2)}/${digest}.1`,
    state: "live",
    touched_at: AT,
    created_at: AT,
  });
  rows.npm_packages.push({ id, name, revision: 1, created_at: AT, modified_at: AT, maintainers });
  rows.npm_versions.push({ id, package_id: id, ...versionRow(made), blob_id: id });
  rows.npm_tags.push({ package_id: id, tag: "latest", version_id: id });
  const dependencies = made.dependencyNames.map((dependency) => ({
    package_id: id,
    dependency_name: dependency,
  }));
  rows.npm_dependencies.push(...dependencies);
  const isDeprecated = deprecated !== undefined;
  const indexable = { name, version, description, keywords, isDeprecated };
  const words = entryWords({ ...indexable, maintainers: made.maintainers });
  rows.npm_search_entries.push({
    package_id: id,
    name,
    filters: words.filters,
    name_words: words.nameWords,
    text_words: words.textWords,
  });
  if (!made.isPrivate) return;
  rows.name_settings.push({
    protocol: "npm",
    name_key: name,
    visibility: "private",
    trusted_only: false,
    changed_at: AT,
  });
}

function versionRow(made: MadeUpNpmPackage): Record<string, Parameter> {
  const { name, version, description, keywords } = made;
  const manifest = { name, version, description, keywords, license: "MIT", scripts: {} };
  // The length of a usual manifest.
  const text = JSON.stringify({ ...manifest, readmeFilename: "README.md", notes: "x".repeat(900) });
  return {
    version,
    manifest: text,
    abbreviated: JSON.stringify({ name, version }),
    integrity: `sha512-${"A".repeat(86)}==`,
    shasum: "0".repeat(40),
    file_count: 3,
    unpacked_size: 20_000,
    published_at: AT,
    published_by: made.maintainers[0] ?? "",
    published_tags: '["latest"]',
    deprecated: made.deprecated,
    // A version without signatures would be signed while a host runs.
    signatures: "[]",
    dependency_names: JSON.stringify(made.dependencyNames),
    description,
    keywords: JSON.stringify(keywords),
    search_text: "",
    downloads: 0,
  };
}

async function insertAll({ port }: Connections, rows: Rows): Promise<void> {
  for (const table of TABLES) {
    if (rows[table].length > 0) await insertRows(port, table, rows[table]);
  }
}

/** Sets the sequences after the inserts, and updates the statistics of the tables. */
async function settle({ port }: Connections): Promise<void> {
  for (const table of ["blobs", "npm_packages", "npm_versions"]) {
    const sequence = `pg_get_serial_sequence('${table}', 'id')`;
    await port.all({ sql: `select setval(${sequence}, (select max(id) from ${table}))` }, []);
  }
  await port.all({ sql: "vacuum analyze" }, []);
}
