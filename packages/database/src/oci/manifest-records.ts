import { parseDigest, parseRepositoryName } from "@sealhouse/oci-distribution";
import type { ManifestRecords } from "@sealhouse/oci-distribution";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";

const MANIFESTS = defineStatement(
  "oci-manifest-records",
  { after: param.whole, limit: param.whole },
  (db, { after, limit }, own) =>
    own.limit(
      db
        .selectFrom("oci_manifests as m")
        .innerJoin("oci_repositories as r", "r.id", "m.repository_id")
        .where("m.id", ">", after)
        .select(["m.id", "r.name", "m.digest", "m.bytes"])
        .orderBy("m.id"),
      limit,
    ),
);

export function createManifestRecords(queries: Queries): ManifestRecords {
  return {
    async manifests({ limit, after = 0 }) {
      const rows = await queries.all(MANIFESTS, { after, limit });
      return rows.map(({ id, name, digest, bytes }) => ({
        id,
        repository: parseRepositoryName(name),
        digest: parseDigest(digest),
        bytes,
      }));
    },
  };
}
