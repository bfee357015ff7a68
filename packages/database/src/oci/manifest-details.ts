import { isDigest, parseDigest } from "@sealhouse/oci-distribution";
import type {
  AttachedManifest,
  ManifestDetails,
  RepositoryName,
  ShownManifest,
} from "@sealhouse/oci-distribution";
import type { QueryPort, Row, Statement } from "../raw/query-port.ts";
import { bytesOf, numberOf, optionalTextOf, optionalTimeOf, textOf, timeOf } from "../raw/row.ts";
import { LINE_COLUMNS, lineOf } from "./manifest-line.ts";

const TAGS_SHOWN = 20;

const COLUMNS = "m.id, m.digest, m.media_type, m.bytes";
const BY_DIGEST: Statement = {
  name: "oci-shown-by-digest",
  sql: `select ${COLUMNS}, m.pushed_at from oci_repositories r
    join oci_manifests m on m.repository_id = r.id where r.name = ? and m.digest = ?`,
};
const BY_TAG: Statement = {
  name: "oci-shown-by-tag",
  sql: `select ${COLUMNS}, t.updated_at as pushed_at, t.pulled_at from oci_repositories r
    join oci_tags t on t.repository_id = r.id
    join oci_manifests m on m.id = t.manifest_id where r.name = ? and t.tag = ?`,
};
const TAGS: Statement = {
  name: "oci-manifest-tags",
  sql: `select tag from oci_tags where manifest_id = ? and subject is null order by tag limit ?`,
};
const TAG_COUNT: Statement = {
  name: "oci-manifest-tag-count",
  sql: "select count(*) as total from oci_tags where manifest_id = ? and subject is null",
};
const PARENTS: Statement = {
  name: "oci-manifest-parents",
  sql: `select ${LINE_COLUMNS} from oci_repositories r
    join oci_manifest_edges p on p.repository_id = r.id
    join oci_manifests m on m.id = p.manifest_id
    where r.name = ? and p.child = ? and p.kind = 'child' order by m.id desc limit ?`,
};
const ATTACHED_COLUMNS = `${LINE_COLUMNS}, m.annotations`;
const REFERRERS: Statement = {
  name: "oci-shown-referrers",
  sql: `select ${ATTACHED_COLUMNS}, m.pushed_at from oci_repositories r
    join oci_manifests m on m.repository_id = r.id
    where r.name = ? and m.subject = ? order by m.id desc limit ?`,
};
const REFERRER_COUNT: Statement = {
  name: "oci-referrer-count",
  sql: `select count(*) as total from oci_repositories r
    join oci_manifests m on m.repository_id = r.id where r.name = ? and m.subject = ?`,
};
/** At most a handful of tags, because their names derive from the digest. */
const UNDER_TAGS: Statement = {
  name: "oci-attached-tags",
  sql: `select t.tag, m.subject, ${ATTACHED_COLUMNS}, t.updated_at as pushed_at
    from oci_repositories r
    join oci_tags t on t.repository_id = r.id
    join oci_manifests m on m.id = t.manifest_id
    where r.name = ? and t.subject = ? order by t.tag`,
};
const BLOB: Statement = {
  name: "oci-shown-blob",
  sql: `select b.storage_key, b.size from oci_repositories r
    join oci_repository_blobs l on l.repository_id = r.id
    join blobs b on b.id = l.blob_id
    where r.name = ? and b.protocol = 'oci' and b.digest = ? and b.state = 'live'`,
};

export function createManifestDetails(port: QueryPort): ManifestDetails {
  return {
    async manifest(repository, reference) {
      const statement = isDigest(reference) ? BY_DIGEST : BY_TAG;
      const row = await port.one(statement, [repository, reference]);
      return row && shownOf(port, row);
    },
    async children(repository, digests) {
      if (digests.length === 0) return [];
      const places = digests.map(() => "?").join(", ");
      const sql = `select ${LINE_COLUMNS} from oci_repositories r
        join oci_manifests m on m.repository_id = r.id
        where r.name = ? and m.digest in (${places})`;
      return (await port.all({ sql }, [repository, ...digests])).map(lineOf);
    },
    parents: async (repository, digest, limit) =>
      (await port.all(PARENTS, [repository, digest, limit])).map(lineOf),
    attached: (repository, digest, limit) => attachedTo(port, { repository, digest, limit }),
    async blob(repository, digest) {
      const row = await port.one(BLOB, [repository, digest]);
      return row && { key: textOf(row, "storage_key"), size: numberOf(row, "size") };
    },
  };
}

async function shownOf(port: QueryPort, row: Row): Promise<ShownManifest> {
  const id = numberOf(row, "id");
  const tags = await port.all(TAGS, [id, TAGS_SHOWN]);
  const counted = tags.length < TAGS_SHOWN ? undefined : await port.one(TAG_COUNT, [id]);
  const pulledAt = optionalTimeOf(row, "pulled_at");
  return {
    digest: parseDigest(textOf(row, "digest")),
    mediaType: textOf(row, "media_type"),
    bytes: bytesOf(row, "bytes"),
    pushedAt: timeOf(row, "pushed_at"),
    ...(pulledAt && { pulledAt }),
    tags: tags.map((one) => textOf(one, "tag")),
    tagCount: counted ? numberOf(counted, "total") : tags.length,
  };
}

async function attachedTo(
  port: QueryPort,
  asked: {
    readonly repository: RepositoryName;
    readonly digest: string;
    readonly limit: number;
  },
): ReturnType<ManifestDetails["attached"]> {
  const { repository, digest, limit } = asked;
  const underTags = await port.all(UNDER_TAGS, [repository, digest]);
  const referrers = (await port.all(REFERRERS, [repository, digest, limit])).map(attachedOf);
  const counted =
    referrers.length < limit ? undefined : await port.one(REFERRER_COUNT, [repository, digest]);
  const referrerTotal = counted ? numberOf(counted, "total") : referrers.length;
  // Omits artifacts that are attached in both ways.
  const others = underTags.filter((row) => optionalTextOf(row, "subject") !== digest);
  const first = underTags.map(attachedOf);
  const again = new Set(first.map((one) => one.digest));
  const rest = referrers.filter((one) => !again.has(one.digest));
  const manifests = [...first, ...rest].slice(0, limit);
  return { total: referrerTotal + others.length, manifests };
}

function attachedOf(row: Row): AttachedManifest {
  const tag = optionalTextOf(row, "tag");
  const annotations = optionalTextOf(row, "annotations");
  return {
    ...lineOf(row),
    pushedAt: timeOf(row, "pushed_at"),
    ...(tag !== undefined && { tag }),
    ...(annotations !== undefined && { annotations }),
  };
}
