import type { Caller } from "@sealhouse/request-types";
import { NO_IMMUTABLE_TAGS } from "@sealhouse/oci-distribution";
import type {
  ImmutableTags,
  RepositoryName,
  TagRecord,
  TagRetention,
} from "@sealhouse/oci-distribution";
import type { Changes } from "../transactions/changes.ts";
import type { Unit } from "../transactions/unit-of-work.ts";
import { numberOf, optionalTimeOf, textOf, timeOf } from "../raw/row.ts";
import { findRepository, touchManifest } from "./oci-rows.ts";

export type TagChanges = Pick<TagRetention, "removeTag">;

const LOCK = `select manifest_id, updated_at, pulled_at from oci_tags
  where repository_id = ? and tag = ?`;
const DIGEST = {
  name: "oci-manifest-digest",
  sql: "select digest from oci_manifests where id = ?",
};
const DELETE = {
  name: "oci-tag-delete",
  sql: "delete from oci_tags where repository_id = ? and tag = ?",
};

export function createTagChanges(
  changes: Changes,
  immutable: ImmutableTags = NO_IMMUTABLE_TAGS,
): TagChanges {
  return {
    removeTag: (repository, seen, by) =>
      changes.transaction(async (unit) => {
        if (immutable(repository, seen.tag) !== undefined) return "kept";
        const manifest = await lockAsSeen(unit, repository, seen);
        if (manifest === undefined) return "kept";
        await unit.run(DELETE, [manifest.repository, seen.tag]);
        // What has lost its tag counts as used now: the collector comes for it only later.
        await touchManifest(unit, manifest.id, changes.now());
        await announce(changes, unit, { repository, seen, by });
        return "deleted";
      }),
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
  const { read, forUpdate } = unit;
  const statement = { name: `oci-tag-lock${forUpdate}`, sql: `${LOCK}${forUpdate}` };
  const [row] = await read(statement, [repository, tag]);
  if (!row) return undefined;
  const id = numberOf(row, "manifest_id");
  const [manifest] = await read(DIGEST, [id]);
  const isAsSeen =
    manifest !== undefined &&
    textOf(manifest, "digest") === digest &&
    timeOf(row, "updated_at").getTime() === pushedAt.getTime() &&
    optionalTimeOf(row, "pulled_at")?.getTime() === pulledAt?.getTime();
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
