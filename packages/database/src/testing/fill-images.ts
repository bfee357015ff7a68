import { createHash } from "node:crypto";
import { OCI_MANIFEST, buildRaw } from "@sealhouse/oci-distribution/testing";
import type { DatabaseConfig } from "../connection-string.ts";
import { closeConnections, openConnections } from "../transactions/connections.ts";
import type { Connections } from "../transactions/connections.ts";
import type { Parameter } from "../raw/query-port.ts";
import { migrateDatabase } from "../schema/migrate-database.ts";
import { insertRows } from "./insert-rows.ts";

export type ImageSizes = {
  /** Each of ten blobs that no other image has. */
  readonly images: number;
  /** One image in this many has no tag. */
  readonly untaggedEvery: number;
  readonly repositories: number;
  /** When all of it was used last. */
  readonly usedAt: Date;
};

const BLOBS_EACH = 10;
const BLOB_BYTES = 1_000;
const IMAGES_AT_ONCE = 500;
const TABLES = [
  "oci_repositories",
  "blobs",
  "oci_repository_blobs",
  "oci_manifests",
  "oci_manifest_edges",
  "oci_tags",
] as const;
type Rows = Readonly<Record<(typeof TABLES)[number], Record<string, Parameter>[]>>;

/**
 * Migrates the database, and fills it with made-up images by plain inserts. No bytes are stored
 * anywhere, so no blob can be read. For a database without blobs.
 */
export async function fillImages(config: DatabaseConfig, sizes: ImageSizes): Promise<void> {
  await migrateDatabase(config);
  const connections = await openConnections(config);
  try {
    let rows = noRows();
    for (let id = 1; id <= sizes.repositories; id += 1) {
      const created = { created_at: sizes.usedAt, pulls: 0 };
      rows.oci_repositories.push({ id, name: `made/up-${id}`, ...created });
    }
    for (let image = 1; image <= sizes.images; image += 1) {
      addImage(rows, image, sizes);
      if (image % IMAGES_AT_ONCE > 0 && image < sizes.images) continue;
      for (const table of TABLES) await insertRows(connections.port, table, rows[table]);
      rows = noRows();
    }
    await settle(connections);
  } finally {
    await closeConnections(connections);
  }
}

function noRows(): Rows {
  return {
    oci_repositories: [],
    blobs: [],
    oci_repository_blobs: [],
    oci_manifests: [],
    oci_manifest_edges: [],
    oci_tags: [],
  };
}

function addImage(rows: Rows, image: number, sizes: ImageSizes): void {
  const { usedAt, repositories, untaggedEvery } = sizes;
  const repository = (image % repositories) + 1;
  const blobs = Array.from({ length: BLOBS_EACH }, (_, position) => {
    const id = (image - 1) * BLOBS_EACH + position + 1;
    const hex = createHash("sha256").update(`made-up blob ${id}`).digest("hex");
    return { id, hex, digest: `sha256:${hex}`, size: BLOB_BYTES };
  });
  for (const { id, hex, digest, size } of blobs) {
    rows.blobs.push({
      id,
      protocol: "oci",
      digest,
      size,
      storage_key: `oci/blobs/sha256/${hex.slice(0, 2)}/${hex}.made-up`,
      state: "live",
      touched_at: usedAt,
      created_at: usedAt,
    });
    rows.oci_repository_blobs.push({ repository_id: repository, blob_id: id, linked_at: usedAt });
  }
  const [config, ...layers] = blobs.map(({ digest, size }) => ({ digest, size }));
  const made = buildRaw(OCI_MANIFEST, JSON.stringify({ schemaVersion: 2, config, layers }));
  rows.oci_manifests.push({
    id: image,
    repository_id: repository,
    digest: made.digest,
    media_type: made.mediaType,
    size: made.bytes.length,
    bytes: made.bytes,
    pushed_at: usedAt,
    touched_at: usedAt,
  });
  for (const [index, { digest, size }] of blobs.entries()) {
    const kind = index === 0 ? "config" : "layer";
    rows.oci_manifest_edges.push({
      manifest_id: image,
      kind,
      child: digest,
      repository_id: repository,
      size,
    });
  }
  if (image % untaggedEvery === 0) return;
  rows.oci_tags.push({
    repository_id: repository,
    tag: `v${image}`,
    manifest_id: image,
    updated_at: usedAt,
  });
}

/** Sets PostgreSQL's sequences after the inserts, and updates its table statistics. */
async function settle({ type, port }: Connections): Promise<void> {
  if (type !== "PostgreSQL") return;
  for (const table of ["oci_repositories", "blobs", "oci_manifests"]) {
    const sequence = `pg_get_serial_sequence('${table}', 'id')`;
    await port.all({ sql: `select setval(${sequence}, (select max(id) from ${table}))` }, []);
  }
  await port.all({ sql: "vacuum analyze" }, []);
}
