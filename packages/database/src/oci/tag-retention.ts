import type { Caller } from "@sealhouse/request-types";
import { NO_IMMUTABLE_TAGS, parseDigest } from "@sealhouse/oci-distribution";
import type { RepositoryName, TagRecord, TagRetention } from "@sealhouse/oci-distribution";
import type { PortContext } from "../port-context.ts";
import { param } from "../statements/kinds.ts";
import { defineStatement } from "../statements/statement.ts";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { ociParam } from "./oci-param.ts";
import { findRepository, touchManifest } from "./oci-rows.ts";
import type { TagPulls } from "./tag-pulls.ts";

const TAG = { repository: param.whole, tag: ociParam.tag };

const RECORDS = defineStatement(
  "oci-tag-records",
  { repository: ociParam.repositoryName, after: ociParam.tag, limit: param.whole },
  (db, { repository, after, limit }, own) =>
    own.limit(
      db
        .selectFrom("oci_repositories as r")
        .innerJoin("oci_tags as t", "t.repository_id", "r.id")
        .innerJoin("oci_manifests as m", "m.id", "t.manifest_id")
        .where("r.name", "=", repository)
        .where("t.tag", ">", after)
        .select(["t.tag", "m.digest", "t.updated_at", "t.pulled_at"])
        .orderBy("t.tag"),
      limit,
    ),
);
const LOCK = defineStatement("oci-tag-lock", TAG, (db, { repository, tag }, own) =>
  own.forUpdate(
    db
      .selectFrom("oci_tags")
      .where("repository_id", "=", repository)
      .where("tag", "=", tag)
      .select(["manifest_id", "updated_at", "pulled_at"]),
  ),
);
const DIGEST = defineStatement("oci-manifest-digest", { id: param.whole }, (db, { id }) =>
  db.selectFrom("oci_manifests").where("id", "=", id).select("digest"),
);
const DELETE = defineStatement("oci-tag-delete", TAG, (db, { repository, tag }) =>
  db.deleteFrom("oci_tags").where("repository_id", "=", repository).where("tag", "=", tag),
);

/** Reads and removes tags for retention, after the pulls that this process has counted. */
export function createTagRetention(
  { queries, changes, options }: Pick<PortContext, "queries" | "changes" | "options">,
  pulls: TagPulls,
): TagRetention {
  const { immutableTags: immutable = NO_IMMUTABLE_TAGS } = options;
  return {
    async tagRecords(repository, { after = "", limit }) {
      await pulls.written();
      const rows = await queries.all(RECORDS, { repository, after, limit });
      return rows.map((row) => ({
        tag: row.tag,
        digest: parseDigest(row.digest),
        pushedAt: row.updated_at,
        ...(row.pulled_at && { pulledAt: row.pulled_at }),
      }));
    },
    async removeTag(repository, seen, by) {
      // Keeps a tag that was pulled in the meantime.
      await pulls.written();
      return changes.transaction(async (unit) => {
        if (immutable(repository, seen.tag) !== undefined) return "kept";
        const manifest = await lockAsSeen(unit, repository, seen);
        if (manifest === undefined) return "kept";
        await unit.queries.run(DELETE, { repository: manifest.repository, tag: seen.tag });
        // What has lost its tag counts as used now: the collector comes for it only later.
        await touchManifest(unit, manifest.id, changes.now());
        await announce(changes, unit, { repository, seen, by });
        return "deleted";
      });
    },
  };
}

/** Locks the tag's row until the commit; undefined when it differs from the expected one. */
async function lockAsSeen(
  unit: Unit,
  name: RepositoryName,
  { tag, digest, pushedAt, pulledAt }: TagRecord,
): Promise<{ readonly repository: number; readonly id: number } | undefined> {
  const repository = await findRepository(unit, name);
  if (repository === undefined) return undefined;
  const row = await unit.queries.one(LOCK, { repository, tag });
  if (!row) return undefined;
  const { manifest_id: id } = row;
  const manifest = await unit.queries.one(DIGEST, { id });
  const isAsSeen =
    manifest?.digest === digest &&
    row.updated_at.getTime() === pushedAt.getTime() &&
    row.pulled_at?.getTime() === pulledAt?.getTime();
  return isAsSeen ? { repository, id } : undefined;
}

function announce(
  changes: Changes,
  unit: Unit,
  what: {
    readonly repository: RepositoryName;
    readonly seen: TagRecord;
    readonly by: { readonly rule: string; readonly caller: Caller };
  },
): Promise<void> {
  const { repository, seen, by } = what;
  const subject = `oci/${repository}:${seen.tag}`;
  const detail = { digest: seen.digest, retention: by.rule };
  return changes.event(unit, { type: "package.deleted", subject, caller: by.caller, detail });
}
