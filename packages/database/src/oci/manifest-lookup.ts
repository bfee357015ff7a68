import { isDigest, parseDigest, parseRepositoryName } from "@sealhouse/oci-distribution";
import type { ManifestCatalog, Page, StoredManifest } from "@sealhouse/oci-distribution";
import type { QueryPort, Row, Statement } from "../raw/query-port.ts";
import { bytesOf, numberOf, optionalTimeOf, textOf, timeOf } from "../raw/row.ts";
import { isDue } from "./clock.ts";
import type { Clock } from "./clock.ts";
import { createReferrerPages } from "./referrer-pages.ts";
import type { TagPulls } from "./tag-pulls.ts";

const COLUMNS = "m.id, m.digest, m.media_type, m.bytes, m.touched_at";
const BY_DIGEST: Statement = {
  name: "oci-manifest-by-digest",
  sql: `select ${COLUMNS} from oci_repositories r
    join oci_manifests m on m.repository_id = r.id where r.name = ? and m.digest = ?`,
  recall: "rows",
};
const BY_TAG: Statement = {
  name: "oci-manifest-by-tag",
  sql: `select ${COLUMNS}, t.repository_id, t.pulled_at from oci_repositories r
    join oci_tags t on t.repository_id = r.id
    join oci_manifests m on m.id = t.manifest_id where r.name = ? and t.tag = ?`,
  recall: "rows",
};
/** Whether the manifest, or one that an index lists, contains a damaged blob. */
const NAMES_DAMAGED: Statement = {
  name: "oci-manifest-names-damaged",
  sql: `select 1 from oci_manifest_edges e
    join blobs b on b.protocol = 'oci' and b.digest = e.child and b.damaged_at is not null
    where e.manifest_id = ?
    union all
    select 1 from oci_manifest_edges i
    join oci_manifests m on m.repository_id = i.repository_id and m.digest = i.child
    join oci_manifest_edges e on e.manifest_id = m.id
    join blobs b on b.protocol = 'oci' and b.digest = e.child and b.damaged_at is not null
    where i.manifest_id = ? and i.kind = 'child' limit 1`,
  recall: "absence",
};
const TOUCH: Statement = {
  name: "oci-manifest-touch",
  sql: "update oci_manifests set touched_at = ? where id = ?",
};
const REPOSITORY: Statement = {
  name: "oci-repository",
  sql: "select id from oci_repositories where name = ?",
};
const TAGS: Statement = {
  name: "oci-tags",
  sql: "select tag from oci_tags where repository_id = ? and tag > ? order by tag limit ?",
};
const REPOSITORIES: Statement = {
  name: "oci-repositories",
  sql: "select name from oci_repositories where name > ? order by name limit ?",
};
export type ManifestLookup = Pick<ManifestCatalog, "find" | "tags" | "repositories" | "referrers">;

export function createManifestLookup(
  port: QueryPort,
  clock: Clock,
  pulls: TagPulls,
): ManifestLookup {
  return {
    async find(repository, reference, { whole = false } = {}) {
      const byDigest = isDigest(reference);
      const row = await port.one(byDigest ? BY_DIGEST : BY_TAG, [repository, reference]);
      if (!row) return undefined;
      const id = numberOf(row, "id");
      if (whole && (await port.one(NAMES_DAMAGED, [id, id]))) return undefined;
      if (isDue(timeOf(row, "touched_at"), clock)) {
        const touched = await port.run(TOUCH, [clock.now(), id]);
        if (touched === 0) return undefined;
      }
      if (!byDigest) noteTagPull(pulls, clock, { row, tag: reference });
      return manifestOf(row);
    },
    async tags(repository, page) {
      const row = await port.one(REPOSITORY, [repository]);
      if (!row) return undefined;
      const rows = await port.all(TAGS, [numberOf(row, "id"), ...pageOf(page)]);
      return rows.map((tag) => textOf(tag, "tag"));
    },
    async repositories(page) {
      const rows = await port.all(REPOSITORIES, pageOf(page));
      return rows.map((row) => parseRepositoryName(textOf(row, "name")));
    },
    referrers: createReferrerPages(port),
  };
}

function noteTagPull(
  pulls: TagPulls,
  clock: Clock,
  { row, tag }: { readonly row: Row; readonly tag: string },
): void {
  const pulledAt = optionalTimeOf(row, "pulled_at");
  if (pulledAt && !isDue(pulledAt, clock)) return;
  pulls.note(numberOf(row, "repository_id"), tag, clock.now());
}

/** Every name sorts after the empty text. */
function pageOf({ limit, after }: Page): [string, number] {
  return [after ?? "", Math.max(0, limit)];
}

function manifestOf(row: Row): StoredManifest {
  return {
    digest: parseDigest(textOf(row, "digest")),
    mediaType: textOf(row, "media_type"),
    bytes: bytesOf(row, "bytes"),
  };
}
