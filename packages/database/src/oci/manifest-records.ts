import { parseDigest, parseRepositoryName } from "@sealhouse/oci-distribution";
import type { ManifestRecords } from "@sealhouse/oci-distribution";
import type { QueryPort, Statement } from "../raw/query-port.ts";
import { bytesOf, numberOf, textOf } from "../raw/row.ts";

const MANIFESTS: Statement = {
  name: "oci-manifest-records",
  sql: `select m.id, r.name, m.digest, m.bytes from oci_manifests m
    join oci_repositories r on r.id = m.repository_id where m.id > ? order by m.id limit ?`,
};

export function createManifestRecords(port: QueryPort): ManifestRecords {
  return {
    async manifests({ limit, after = 0 }) {
      return (await port.all(MANIFESTS, [after, limit])).map((row) => ({
        id: numberOf(row, "id"),
        repository: parseRepositoryName(textOf(row, "name")),
        digest: parseDigest(textOf(row, "digest")),
        bytes: bytesOf(row, "bytes"),
      }));
    },
  };
}
