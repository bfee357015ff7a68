import { parseDigest } from "@sealhouse/oci-distribution";
import type { TagRetention } from "@sealhouse/oci-distribution";
import type { QueryPort, Statement } from "../raw/query-port.ts";
import { optionalTimeOf, textOf, timeOf } from "../raw/row.ts";
import type { TagPulls } from "./tag-pulls.ts";

const RECORDS: Statement = {
  name: "oci-tag-records",
  sql: `select t.tag, m.digest, t.updated_at, t.pulled_at from oci_repositories r
    join oci_tags t on t.repository_id = r.id
    join oci_manifests m on m.id = t.manifest_id
    where r.name = ? and t.tag > ? order by t.tag limit ?`,
};

export function createTagRecords(port: QueryPort, pulls: TagPulls): TagRetention["tagRecords"] {
  return async (repository, { after = "", limit }) => {
    await pulls.written();
    const rows = await port.all(RECORDS, [repository, after, limit]);
    return rows.map((row) => {
      const pulledAt = optionalTimeOf(row, "pulled_at");
      return {
        tag: textOf(row, "tag"),
        digest: parseDigest(textOf(row, "digest")),
        pushedAt: timeOf(row, "updated_at"),
        ...(pulledAt && { pulledAt }),
      };
    });
  };
}
