import { parseDigest } from "@sealhouse/oci-distribution";
import type { ManifestLine } from "@sealhouse/oci-distribution";
import type { Row } from "../raw/query-port.ts";
import { numberOf, optionalTextOf, textOf } from "../raw/row.ts";

/** A manifest of this size has some hundred edges; larger ones are not summed for a list. */
const SUMMED_BYTES_MAX = 64 * 1024;

/** Columns of a list, of the manifest `m`. */
export const LINE_COLUMNS = `m.digest, m.media_type, m.size, m.artifact_type,
  case when m.size <= ${SUMMED_BYTES_MAX} then (
    select cast(coalesce(sum(e.size), 0) as bigint) from oci_manifest_edges e
    where e.manifest_id = m.id and e.kind <> 'child') end as content_size,
  case when m.size <= ${SUMMED_BYTES_MAX} then (
    select count(*) from oci_manifest_edges e
    where e.manifest_id = m.id and e.kind = 'child') end as children`;

export function lineOf(row: Row): ManifestLine {
  const artifactType = optionalTextOf(row, "artifact_type");
  return {
    digest: parseDigest(textOf(row, "digest")),
    mediaType: textOf(row, "media_type"),
    size: numberOf(row, "size"),
    ...(artifactType !== undefined && { artifactType }),
    ...(row["content_size"] !== null && {
      content: { size: numberOf(row, "content_size"), children: numberOf(row, "children") },
    }),
  };
}
