import type { Protocol } from "@sealhouse/request-types";
import type { Unit } from "../transactions/unit-of-work.ts";
import type { Statement } from "../raw/query-port.ts";
import { textOf } from "../raw/row.ts";

const NAMES_MAX = 20;

/** Queries for what contains a blob: package versions, or image repositories. */
const NAMED_BY: Readonly<Record<Protocol, Statement>> = {
  nuget: {
    name: "nuget-blob-named-by",
    sql: `select v.display_id || ' ' || v.version as name from nuget_versions v
        where v.blob_id = ?
      union select v.display_id || ' ' || v.version || ' (symbols)' from nuget_symbol_packages s
        join nuget_versions v on v.id = s.version_id where s.blob_id = ?
      union select v.display_id || ' ' || v.version || ' (symbols)' from nuget_symbol_files f
        join nuget_symbol_packages s on s.id = f.symbol_package_id
        join nuget_versions v on v.id = s.version_id where f.blob_id = ?
      union select name || ' ' || version || ' (staged)' from staged_versions
        where protocol = 'nuget' and blob_id = ?
      order by name limit ${NAMES_MAX}`,
  },
  npm: {
    name: "npm-blob-named-by",
    sql: `select p.name || ' ' || v.version as name from npm_versions v
        join npm_packages p on p.id = v.package_id where v.blob_id = ?
      union select name || ' ' || version || ' (staged)' from staged_versions
        where protocol = 'npm' and blob_id = ?
      order by name limit ${NAMES_MAX}`,
  },
  oci: {
    name: "oci-blob-named-by",
    sql: `select r.name from oci_repository_blobs l
      join oci_repositories r on r.id = l.repository_id where l.blob_id = ?
      order by r.name limit ${NAMES_MAX}`,
  },
};

/** At most 20 names of what contains a blob. */
export async function namesOf(
  { read }: Pick<Unit, "read">,
  protocol: Protocol,
  blobId: number,
): Promise<readonly string[]> {
  const marks = NAMED_BY[protocol].sql.split("?").length - 1;
  const rows = await read(
    NAMED_BY[protocol],
    Array.from({ length: marks }, () => blobId),
  );
  return rows.map((row) => textOf(row, "name"));
}
